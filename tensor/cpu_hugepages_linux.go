package tensor

import (
	"syscall"
	"unsafe"
)

// adviseHuge asks the kernel for huge pages: walking through a large block, one core otherwise spends more time on the tables of
// 4 KiB pages than on the elements. Where the kernel has none, nothing changes.
func adviseHuge(p unsafe.Pointer, n int) {
	syscall.Madvise(rawBytes(p, n), syscall.MADV_HUGEPAGE)
}
