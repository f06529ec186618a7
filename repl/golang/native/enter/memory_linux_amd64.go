package enter

import (
	"fmt"
	"sync"
	"syscall"
	"unsafe"
)

// mapTwice maps memory twice: to be written, and to be executed.
func mapTwice(n int) (write, exec []byte, err error) {
	const memfdCreate, closeOnExec = 319, 1
	name := []byte("code\x00")
	fd, _, errno := syscall.Syscall(memfdCreate, uintptr(unsafe.Pointer(&name[0])), closeOnExec, 0)
	if errno != 0 {
		return nil, nil, errno
	}
	defer syscall.Close(int(fd))
	if err := syscall.Ftruncate(int(fd), int64(n)); err != nil {
		return nil, nil, err
	}
	exec, err = syscall.Mmap(int(fd), 0, n, syscall.PROT_READ|syscall.PROT_EXEC, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	write, err = syscall.Mmap(int(fd), 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		unmap(exec)
	}
	return write, exec, err
}

const (
	membarrier           = 324
	syncCores            = 1 << 5
	registerForSyncCores = 1 << 6
)

// canRefetch reports whether refetch does so.
var canRefetch = sync.OnceValue(func() bool {
	_, _, errno := syscall.Syscall(membarrier, registerForSyncCores, 0, 0)
	return errno == 0
})

// refetch has all threads of the process fetch instructions anew.
func refetch() { _, _, _ = syscall.Syscall(membarrier, syncCores, 0, 0) }

func unmap(m []byte) { _ = syscall.Munmap(m) }

// mapAlone gives code pages of its own, which are written first and executable then.
func mapAlone(blob []byte) (uintptr, error) {
	m, err := syscall.Mmap(-1, 0, (len(blob)+4095)/4096*4096, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return 0, fmt.Errorf("memory for machine code: %w", err)
	}
	copy(m, blob)
	if err := syscall.Mprotect(m, syscall.PROT_READ|syscall.PROT_EXEC); err != nil {
		return 0, fmt.Errorf("memory for machine code cannot be made executable: %w", err)
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(m))), nil
}
