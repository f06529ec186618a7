//go:build purego || !(linux || windows) || !amd64

package hostcode

import "unsafe"

func supported() bool { return false }

func executable([]byte) []byte { return nil }

func release([]byte) {}

// Run executes code, of which there is none on this host.
func Run(uintptr, unsafe.Pointer) { panic("hostcode: not on this host") }
