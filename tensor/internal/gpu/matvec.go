package gpu

import (
	"fmt"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// A product of a matrix and several vectors reads the matrix once for every four of them, at the speed of memory. For
// more vectors BLAS libraries are as fast or faster; without one, tiles are worth it only for still more.
const (
	fewVectors  = 4
	mostVectors = 8
)

// matvecBlocks keep a GPU busy. Where there are fewer rows, more threads share each; minTransposedBlocks are still
// enough.
const (
	matvecBlocks        = 1024
	minTransposedBlocks = 100
)

// matvec multiplies a matrix and at most so many vectors with a kernel for that, and reports whether it did. Matrices
// with dense columns instead of rows are taken only if transposed is set.
func matvec(
	b *Backend, x, y backend.Operand, out backend.Storage, p kernels.MatMul, maxVectors int64, transposed bool,
) (bool, error) {
	if !x.DType.IsFloat() || x.DType == kernels.F8E4M3 || min(p.M, p.N) > maxVectors {
		return false, nil
	}
	w, v := y, x
	g := kernels.MatVec{
		Rows: p.N, Cols: p.K, Vectors: p.M, Batch: p.Batch,
		WRow: p.BCol, WCol: p.BRow, XVector: p.ARow, XStep: p.ACol,
		OutRow: 1, OutVector: p.CRow, OutBatch: p.CBat,
	}
	if p.N < p.M {
		w, v = x, y
		g.Rows, g.Vectors = p.M, p.N
		g.WRow, g.WCol, g.XVector, g.XStep = p.ARow, p.ACol, p.BCol, p.BRow
		g.OutRow, g.OutVector = p.CRow, 1
	}
	if g.Rows == 1 {
		g.WRow = g.Cols // a single row may have any stride
	}
	if g.Cols == 1 {
		g.WCol = g.Rows
	}
	ws, _ := planesOf(w)
	vs, _ := planesOf(v)
	if tooManyDims(ws.Layout.Shape, ws.Layout.Strides, vs.Layout.Strides) {
		return false, nil
	}
	together := int64(1)
	if g.Vectors > 1 {
		together = 4
	}
	pack := int64(16 / x.DType.Size())
	var name string
	var rows int64 // rows of a block
	threads := func() int64 { return 1 << g.Shift }
	switch {
	case g.WCol == 1:
		name = "matvec"
		for threads() < 32 && threads()*pack < g.Cols {
			g.Shift++
		}
		for threads() >= 32 && threads() < block && g.Rows*g.Batch*threads() < matvecBlocks*block &&
			threads()*pack*4 < g.Cols {
			g.Shift++
		}
		rows = block / threads()
	case g.WRow == 1 && transposed:
		name = "matvec_transposed"
		g.Shift = 3 // a cache line of 128 bytes, or half of one
		for g.Shift > 2 && g.Rows*g.Batch < matvecBlocks*threads()*pack {
			g.Shift--
		}
		rows = threads() * pack
		// blocks of a library share columns
		if (g.Rows+rows-1)/rows*g.Batch < minTransposedBlocks && maxVectors < mostVectors {
			return false, nil
		}
	default:
		return false, nil
	}
	// blocks in x, whose threads HIP counts in 32 bits, and in y and z; kernels stride over the rest
	const widest, limit = (1<<32 - 1) / block, 1 << 15
	grid := [3]int{int(min((g.Rows+rows-1)/rows, widest)), int((g.Vectors + together - 1) / together),
		int(min(g.Batch, limit))}
	args := pointer(pointer(rocm.NewArgs(), w), v).Buffer(buffer(out), 0).Struct(layout2(ws, vs)).Struct(&g)
	return true, b.Launch(fmt.Sprintf("%s_%d_%v", name, together, x.DType), grid, args)
}
