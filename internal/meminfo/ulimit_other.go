//go:build !linux

package meminfo

func ulimits() []Bound { return nil }

// TooLittle says why this process cannot work under its limits: it has none that are known.
func TooLittle() string { return "" }

// Environment is what a process of this program should have in its environment: nothing more.
func Environment() []string { return nil }

// Resident returns the bytes of this process that are in memory, and false where that is not known.
func Resident() (bytes int64, ok bool) { return 0, false }
