//go:build linux || windows

package enter

import "unsafe"

// Enter runs generated code until it leaves. The caller has pinned the goroutine.
func (c *Context) Enter(gate uintptr) { enterAt(gate, unsafe.Pointer(&c.words)) }

// enterAt calls the gate.
//
//go:noescape
func enterAt(gate uintptr, context unsafe.Pointer)

// Goroutine is the address of the calling goroutine, which stays the same until it ends.
func Goroutine() uintptr
