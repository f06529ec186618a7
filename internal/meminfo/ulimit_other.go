//go:build !linux

package meminfo

func ulimits() []Bound { return nil }

// Resident returns the bytes of this process that are in memory, and false where that is not known.
func Resident() (bytes int64, ok bool) { return 0, false }
