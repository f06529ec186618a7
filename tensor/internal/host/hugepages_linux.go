package host

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

// maxAdvised is how often advice is given: each time may split a mapping in three, and a process can have 65,530.
const maxAdvised = 1 << 13

var advised atomic.Int64

// adviseHuge asks the kernel for huge pages. Reading a large block, one core otherwise spends more time on page
// tables of 4 KiB pages than on the elements. Where the kernel has none, nothing changes.
func adviseHuge(p unsafe.Pointer, n int) {
	if advised.Add(1) <= maxAdvised {
		syscall.Madvise(BytesAt(p, n), syscall.MADV_HUGEPAGE)
	}
}
