//go:build !amd64 || purego

package emulator

// accelerate does nothing: only amd64 has versions in assembly, and the tag purego leaves them out.
func accelerate() {}
