//go:build !linux

package resident

// Trim does nothing here: the system is not known to map more than what is used.
func Trim() {}
