//go:build !purego

package hostcode

import "syscall"

// executable puts code into memory of its own, which is written first and executable then; nil if that is not allowed.
func executable(code []byte) []byte {
	const page = 4096
	m, err := syscall.Mmap(-1, 0, (len(code)+page-1)/page*page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	copy(m, code)
	if syscall.Mprotect(m, syscall.PROT_READ|syscall.PROT_EXEC) != nil {
		release(m)
		return nil
	}
	return m
}

func release(m []byte) { _ = syscall.Munmap(m) }
