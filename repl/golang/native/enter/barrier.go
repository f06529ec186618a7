package enter

import "unsafe"

// barrier is not 0 while the collector marks: then what overwrites a pointer must tell it. It changes only while no
// goroutine runs.
//
//go:linkname barrier runtime.writeBarrier
var barrier uint32

// Barrier is the address of the 32 bits that are not 0 while generated code must leave to store a pointer. Between
// looking at them and storing it, generated code must not leave.
func Barrier() unsafe.Pointer { return unsafe.Pointer(&barrier) }
