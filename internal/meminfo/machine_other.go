//go:build !windows

package meminfo

// machine has the bounds that the system's files tell of.
func machine() []Bound { return bounds("/") }
