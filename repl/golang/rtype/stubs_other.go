//go:build !amd64 && !arm64

package rtype

import "unsafe"

// Stubs is how many functions the method tables of a process can hold: none here, so types have no methods.
const Stubs = 0

const stubSize = 0

func stubCode() unsafe.Pointer { return nil }
