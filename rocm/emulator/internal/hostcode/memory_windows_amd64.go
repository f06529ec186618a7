//go:build !purego

package hostcode

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// executable puts code into memory of its own, which is written first and executable then; nil if that is not allowed.
func executable(code []byte) []byte {
	n := uintptr(len(code))
	at, err := windows.VirtualAlloc(0, n, windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return nil
	}
	m := unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), n)
	copy(m, code)
	var before uint32
	if windows.VirtualProtect(at, n, windows.PAGE_EXECUTE_READ, &before) != nil {
		release(m)
		return nil
	}
	return m
}

func release(m []byte) {
	_ = windows.VirtualFree(uintptr(unsafe.Pointer(unsafe.SliceData(m))), 0, windows.MEM_RELEASE)
}
