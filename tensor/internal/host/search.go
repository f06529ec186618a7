package host

import (
	"sort"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

func (b Backend) SearchSorted(
	sorted, values backend.Operand, cols, each int, right bool,
) (backend.Storage, error) {
	defer timed("searchsorted", sorted.DType, sizeFor(values, kernels.I64), sorted, values)()
	switch sorted.DType {
	case kernels.U8:
		return searchSorted[uint8](sorted, values, cols, each, right), nil
	case kernels.I8:
		return searchSorted[int8](sorted, values, cols, each, right), nil
	case kernels.U16:
		return searchSorted[uint16](sorted, values, cols, each, right), nil
	case kernels.I16:
		return searchSorted[int16](sorted, values, cols, each, right), nil
	case kernels.U32:
		return searchSorted[uint32](sorted, values, cols, each, right), nil
	case kernels.I32:
		return searchSorted[int32](sorted, values, cols, each, right), nil
	case kernels.U64:
		return searchSorted[uint64](sorted, values, cols, each, right), nil
	case kernels.I64:
		return searchSorted[int64](sorted, values, cols, each, right), nil
	case kernels.F32:
		return searchSorted[float32](sorted, values, cols, each, right), nil
	case kernels.F64:
		return searchSorted[float64](sorted, values, cols, each, right), nil
	}
	return b.viaF32(sorted.DType, true, []backend.Operand{sorted, values},
		func(w []backend.Operand) (backend.Storage, error) {
			return b.SearchSorted(w[0], w[1], cols, each, right)
		})
}

func searchSorted[T element](sorted, values backend.Operand, cols, each int, right bool) backend.Storage {
	n := values.Layout.ElemCount()
	h, out := uninitElems[uint32](n, 4)
	rows, src := elems[T](sorted), elems[T](values)[:n]
	Parallel(n, 32, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			out[i] = insertion(rows[i/each*cols:][:cols], src[i], right)
		}
	})
	return h
}

// insertion returns the index at which v would be inserted into a sorted row, in which NaN comes last. The number of
// steps depends on the length alone, and none has a branch that is hard to predict.
func insertion[T element](row []T, v T, right bool) uint32 {
	n, base := len(row), 0
	switch {
	case v != v:
		return uint32(sort.Search(n, func(i int) bool { return row[i] != row[i] && !right }))
	case right:
		for ; n > 1; n -= n / 2 {
			if next := base + n/2; row[next-1] <= v {
				base = next
			}
		}
		if row[base] <= v {
			base++
		}
	default:
		for ; n > 1; n -= n / 2 {
			if next := base + n/2; row[next-1] < v {
				base = next
			}
		}
		if row[base] < v {
			base++
		}
	}
	return uint32(base)
}
