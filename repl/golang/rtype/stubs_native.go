//go:build amd64 || arm64

package rtype

import "unsafe"

// Stubs is how many functions the method tables of a process can hold: one for each method with a pointer receiver,
// two for each with a value receiver. It is 0 where types have no methods.
const Stubs = 65536

// stubSize is the size of a stub in bytes.
const stubSize = 16

// stubs is the code of all stubs, one after the other. It is never called by name.
//
//lint:ignore U1000 stubCode takes its address
func stubs()

// stubCode returns the address of stubs.
func stubCode() unsafe.Pointer
