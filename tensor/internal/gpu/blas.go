package gpu

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// maxGemms is how many products a batch of matrices may take that lie too irregularly for one.
const maxGemms = 32

// gemm multiplies with the device's BLAS library, and reports whether it did: p's matrices of x and y into out, which is dense.
// The library gets the operands as they lie; where it cannot take them, the kernels of package kernels can.
func (a *Backend) gemm(x, y backend.Operand, out backend.Storage, p kernels.MatMul) (bool, error) {
	if a.dev.Emulated() || !x.DType.IsFloat() {
		return false, nil
	}
	if x.DType == kernels.F8E4M3 {
		if !a.dev.Float8(int(p.K), int(p.N)) {
			return false, nil
		}
		left, right, ok, err := a.float8Forms(x, y, &p)
		if !ok || err != nil {
			return false, err
		}
		x, y = left, right
	}
	xs, _ := planesOf(x)
	ys, _ := planesOf(y)
	batch := backend.Coalesce(xs.Layout.Shape, xs.Layout.Strides, ys.Layout.Strides)
	last := len(batch.Dims) - 1
	each := batch.Dims[last] // the matrices of one call, a stride apart; the dims before it are counted through
	if int(p.Batch)/each > maxGemms {
		return false, nil
	}
	size := x.DType.Size()
	g := rocm.Gemm{
		Elem: x.DType.String(), M: int(p.M), N: int(p.N), K: int(p.K), Batch: each,
		A: rocm.Matrix{Buffer: buffer(x.Store), Row: int(p.ARow), Col: int(p.ACol), Batch: batch.Strides[0][last]},
		B: rocm.Matrix{Buffer: buffer(y.Store), Row: int(p.BRow), Col: int(p.BCol), Batch: batch.Strides[1][last]},
		C: rocm.Matrix{Buffer: buffer(out), Row: int(p.CRow), Col: 1, Batch: int(p.CBat)},
	}
	at := make([]int, last)
	for done := 0; done < int(p.Batch); done += each {
		i, j := x.Layout.Offset, y.Layout.Offset
		for d, n := range at {
			i += n * batch.Strides[0][d]
			j += n * batch.Strides[1][d]
		}
		g.A.Offset, g.B.Offset, g.C.Offset = i*size, j*size, done*int(p.CBat)*size
		if ok, err := a.dev.Gemm(&g); !ok || err != nil {
			return false, err
		}
		for d := last - 1; d >= 0; d-- {
			if at[d]++; at[d] < batch.Dims[d] {
				break
			}
			at[d] = 0
		}
	}
	if a.OnLaunch != nil {
		a.OnLaunch("gemm_" + g.Elem)
	}
	return true, nil
}
