package host

import (
	"runtime"

	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// JoinRows writes dense tensors side by side to the rows of a dense result, so that memory is written from front to
// back. It reports whether it did: a result of few rows is joined part by part.
func (Backend) JoinRows(parts []backend.Operand, out backend.Operand, rows int) bool {
	if rows < 4*runtime.GOMAXPROCS(0) {
		return false
	}
	for _, p := range parts {
		if !p.Layout.IsContiguous() {
			return false
		}
	}
	switch out.DType.Size() {
	case 1:
		joinElems[uint8](parts, out, rows)
	case 2:
		joinElems[uint16](parts, out, rows)
	case 4:
		joinElems[uint32](parts, out, rows)
	case 16:
		joinElems[complex128](parts, out, rows)
	default:
		joinElems[uint64](parts, out, rows)
	}
	return true
}

func joinElems[B any](parts []backend.Operand, out backend.Operand, rows int) {
	dst, n := elems[B](out), out.Layout.ElemCount()
	src := make([][]B, len(parts))
	for i, p := range parts {
		src[i] = elems[B](p)[:p.Layout.ElemCount()]
	}
	move := copyRow[B](staysWarm(out.Store, n, 2*n*sizeOf[B]()))
	width := n / rows
	Parallel(rows, width, func(lo, hi int) {
		for r := lo; r < hi; r++ {
			to := dst[r*width:]
			for _, s := range src {
				each := len(s) / rows
				move(to[:each], s[r*each:(r+1)*each])
				to = to[each:]
			}
		}
		fence(n)
	})
}
