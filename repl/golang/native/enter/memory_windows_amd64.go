package enter

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// mapTwice maps memory twice: to be written, and to be executed. The processor sees by itself what is written.
func mapTwice(n int) (write, exec []byte, err error) {
	h, err := windows.CreateFileMapping(windows.InvalidHandle, nil, windows.PAGE_EXECUTE_READWRITE, 0, uint32(n), nil)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = windows.CloseHandle(h) }() // the views keep the memory
	executed, err := windows.MapViewOfFile(h, windows.FILE_MAP_READ|windows.FILE_MAP_EXECUTE, 0, 0, uintptr(n))
	if err != nil {
		return nil, nil, err
	}
	written, err := windows.MapViewOfFile(h, windows.FILE_MAP_READ|windows.FILE_MAP_WRITE, 0, 0, uintptr(n))
	if err != nil {
		unmap(memory(executed, n))
		return nil, nil, err
	}
	return memory(written, n), memory(executed, n), nil
}

// memory is n bytes from an address.
func memory(at uintptr, n int) []byte {
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&at)), n)
}

// canRefetch reports that threads are not told to fetch instructions anew.
func canRefetch() bool { return false }

func refetch() {}

func unmap(m []byte) { _ = windows.UnmapViewOfFile(uintptr(unsafe.Pointer(unsafe.SliceData(m)))) }

// mapAlone gives code pages of its own, which are written first and executable then.
func mapAlone(blob []byte) (uintptr, error) {
	const allocated = windows.MEM_COMMIT | windows.MEM_RESERVE
	at, err := windows.VirtualAlloc(0, uintptr(len(blob)), allocated, windows.PAGE_READWRITE)
	if err != nil {
		return 0, fmt.Errorf("memory for machine code: %w", err)
	}
	copy(memory(at, len(blob)), blob)
	var before uint32
	if err := windows.VirtualProtect(at, uintptr(len(blob)), windows.PAGE_EXECUTE_READ, &before); err != nil {
		return 0, fmt.Errorf("memory for machine code cannot be made executable: %w", err)
	}
	return at, nil
}
