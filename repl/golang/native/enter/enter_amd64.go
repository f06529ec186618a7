//go:build linux

package enter

import (
	"fmt"
	"syscall"
	"unsafe"
)

// Enter runs generated code until it leaves. The caller has pinned the goroutine.
func (c *Context) Enter(gate uintptr) { enterAt(gate, unsafe.Pointer(&c.words)) }

// enterAt calls the gate.
//
//go:noescape
func enterAt(gate uintptr, context unsafe.Pointer)

// Goroutine is the address of the calling goroutine, which stays the same until it ends.
func Goroutine() uintptr

// Map makes executable memory with code in it. It is never given back.
func Map(code []byte) (uintptr, error) {
	m, err := syscall.Mmap(-1, 0, (len(code)+4095)/4096*4096, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return 0, fmt.Errorf("memory for machine code: %w", err)
	}
	copy(m, code)
	if err := syscall.Mprotect(m, syscall.PROT_READ|syscall.PROT_EXEC); err != nil {
		return 0, fmt.Errorf("memory for machine code cannot be made executable: %w", err)
	}
	mapped.Store(true)
	return uintptr(unsafe.Pointer(unsafe.SliceData(m))), nil
}
