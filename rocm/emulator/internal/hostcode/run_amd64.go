//go:build (linux || windows) && !purego

package hostcode

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

func supported() bool {
	return cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasBMI1 && cpu.X86.HasF16C
}

// Run executes code from an address on, for the wave that has the code's layout, until it returns to the interpreter.
//
//go:noescape
func Run(code uintptr, wave unsafe.Pointer)
