//go:build linux || darwin || freebsd

package formats

import (
	"os"
	"syscall"
)

// mapped returns the bytes of a file, and nil when the system will not map it, with what takes them back.
func mapped(f *os.File, size int) (data []byte, unmap func([]byte)) {
	data, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil
	}
	return data, func(data []byte) { _ = syscall.Munmap(data) } // it was mapped: that cannot fail
}
