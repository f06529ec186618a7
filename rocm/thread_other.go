//go:build !linux && !windows

package rocm

// threadID is 0: threads have no numbers that Go can ask for.
func threadID() int { return 0 }
