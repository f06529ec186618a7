package memory

import (
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// reserve returns size bytes of address space, which must be committed before they are used.
func reserve(size uint64) ([]byte, error) {
	at, err := windows.VirtualAlloc(0, uintptr(size), windows.MEM_RESERVE, windows.PAGE_READWRITE)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), size), nil // the address of memory that is not Go's
}

// commit makes memory of the pages of b. Those that are memory already keep what they hold; others are zeros.
func commit(b []byte) error {
	_, err := windows.VirtualAlloc(uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), windows.MEM_COMMIT,
		windows.PAGE_READWRITE)
	return err
}

// unreserve gives a whole arena back.
func unreserve(arena []byte) error {
	return windows.VirtualFree(uintptr(unsafe.Pointer(unsafe.SliceData(arena))), 0, windows.MEM_RELEASE)
}

// discard gives the whole pages of b back to the host.
func discard(b []byte) {
	page := os.Getpagesize()
	start := pageOffset(b, page)
	if len(b) < start+page {
		return
	}
	b = b[start:]
	b = b[:len(b)/page*page]
	// Freed memory is unreachable through the device; failing to give it back costs only space.
	_ = windows.VirtualFree(uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), windows.MEM_DECOMMIT)
}
