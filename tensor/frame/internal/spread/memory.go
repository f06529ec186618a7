package spread

import (
	"strings"
	"unsafe"
)

// few is how many bytes are made as others are: what has fewer may begin anywhere.
const few = 1 << 16

// Memory returns memory for n numbers that are all written before they are read. Memory that was used before is not
// cleared for it: a strings.Builder writes what it has room for without that.
func Memory[T byte | int32 | int64 | float32 | float64](n int) []T {
	var x T
	size := n * int(unsafe.Sizeof(x))
	if size < few {
		return make([]T, n)
	}
	var b strings.Builder
	b.Grow(size)
	b.WriteByte(0) // without which there is no memory to point to
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.StringData(b.String()))), n)
}
