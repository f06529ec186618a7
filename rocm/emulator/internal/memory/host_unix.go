//go:build unix

package memory

import (
	"os"

	"golang.org/x/sys/unix"
)

// reserve returns size bytes of zeros that take no memory until they are written.
func reserve(size uint64) ([]byte, error) {
	return unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|mapNoReserve)
}

// commit has nothing to do: the host commits pages when they are first written.
func commit([]byte) error { return nil }

// unreserve gives a whole arena back.
func unreserve(arena []byte) error { return unix.Munmap(arena) }

// discard gives the whole pages of b back to the host; they read as zeros afterwards.
func discard(b []byte) {
	page := os.Getpagesize()
	start := pageOffset(b, page)
	if len(b) < start+page {
		return
	}
	b = b[start:]
	// Freed memory is unreachable through the device; failing to give it back costs only space.
	_ = unix.Madvise(b[:len(b)/page*page], unix.MADV_DONTNEED)
}
