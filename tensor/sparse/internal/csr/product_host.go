package csr

import (
	"math/bits"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// Product returns the elements of a·b on the host, row by row and in each row by column: Gustavson's algorithm (1978),
// which adds multiples of rows of b to a dense row, and notes the columns that it touches. Products are added in their
// order in a, in the type of the elements. The matrices have the same type, and elements.
func Product(a, b Matrix, cols int) (p Positions, values *tensor.Tensor) {
	switch a.Values.DType() {
	case tensor.F32:
		return product[float32](a, b, cols)
	case tensor.F64:
		return product[float64](a, b, cols)
	case tensor.C64:
		return product[complex64](a, b, cols)
	}
	return product[complex128](a, b, cols)
}

// rowsOf are the elements of rows, one after another.
type rowsOf[T any] struct {
	rows, cols []uint32
	values     []T
}

func product[T realElement | complexElement](a, b Matrix, cols int) (p Positions, values *tensor.Tensor) {
	left := pattern{data[int64](a.Offsets), data[uint32](a.Cols)}
	right := pattern{data[int64](b.Offsets), data[uint32](b.Cols)}
	x, y := data[T](a.Values), data[T](b.Values)
	const blocks = 64 // of rows, each of which has its results to itself
	size := (a.Rows + blocks - 1) / blocks
	parts := make([]rowsOf[T], blocks)
	host.Parallel(blocks, max(1, len(x)/blocks)*max(1, len(y)/max(1, b.Rows))*4, func(lo, hi int) {
		w := newRow[T](cols)
		for i := lo; i < hi; i++ {
			for row := i * size; row < min((i+1)*size, a.Rows); row++ {
				w.multiply(&parts[i], row, left, right, x, y)
			}
		}
	})
	total, starts := 0, make([]int, blocks)
	for i, part := range parts {
		starts[i] = total
		total += len(part.cols)
	}
	dev := a.Values.Device()
	p = Positions{Rows: a.Rows, Cols: cols, RowIDs: dev.Empty(tensor.U32, total), ColIDs: dev.Empty(tensor.U32, total)}
	values = dev.Empty(a.Values.DType(), total)
	r, c, v := p.RowIDs.Data().([]uint32), p.ColIDs.Data().([]uint32), values.Data().([]T)
	host.Parallel(blocks, 3*total/blocks, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			copy(r[starts[i]:], parts[i].rows)
			copy(c[starts[i]:], parts[i].cols)
			copy(v[starts[i]:], parts[i].values)
		}
	})
	return p, values
}

// row is a dense row of which few elements are in use.
type row[T realElement | complexElement] struct {
	sums         []T
	used         []uint32 // the last row that used each element, counted from 1
	found, spare []uint32 // columns
}

func newRow[T realElement | complexElement](cols int) *row[T] {
	return &row[T]{sums: make([]T, cols), used: make([]uint32, cols)}
}

// multiply appends a row of the product.
func (w *row[T]) multiply(out *rowsOf[T], at int, a, b pattern, x, y []T) {
	w.found = w.found[:0]
	mark := uint32(at) + 1
	for i := a.offsets[at]; i < a.offsets[at+1]; i++ {
		from, to := b.offsets[a.cols[i]], b.offsets[a.cols[i]+1]
		factor, values := x[i], y[from:to]
		for k, col := range b.cols[from:to] {
			if w.used[col] == mark {
				w.sums[col] += factor * values[k]
				continue
			}
			w.used[col], w.sums[col] = mark, factor*values[k]
			w.found = append(w.found, col)
		}
	}
	w.sort()
	for _, col := range w.found {
		out.rows, out.cols = append(out.rows, uint32(at)), append(out.cols, col)
		out.values = append(out.values, w.sums[col])
	}
}

// sort sorts the columns that were found: few by comparisons, many by digits.
func (w *row[T]) sort() {
	const few, digit = 96, 9
	if len(w.found) < few {
		slices.Sort(w.found)
		return
	}
	if cap(w.spare) < len(w.found) {
		w.spare = make([]uint32, 2*len(w.found))
	}
	from, to := w.found, w.spare[:len(w.found)]
	for shift := 0; shift < bits.Len(uint(len(w.sums)-1)); shift += digit {
		var next [1 << digit]uint32
		for _, c := range from {
			next[c>>shift&(1<<digit-1)]++
		}
		at := uint32(0)
		for d, n := range next {
			next[d] = at
			at += n
		}
		for _, c := range from {
			p := &next[c>>shift&(1<<digit-1)]
			to[*p] = c
			*p++
		}
		from, to = to, from
	}
	w.found, w.spare = from, to[:cap(to)]
}
