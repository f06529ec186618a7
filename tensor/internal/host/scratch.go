package host

import "sync"

// scratch has buffers of float32 for work on parts of the elements: a row, a few chunks, a block of tiles. Allocated
// for each part they would be most of the garbage of a program.
var scratch = sync.Pool{New: func() any { s := make([]float32, 3*chunk); return &s }}

// scratchFloats returns n elements of arbitrary contents, and the buffer to put back.
func scratchFloats(n int) ([]float32, *[]float32) {
	s := scratch.Get().(*[]float32)
	if len(*s) < n {
		*s = make([]float32, n)
	}
	return (*s)[:n], s
}
