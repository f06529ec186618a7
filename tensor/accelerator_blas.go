package tensor

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

// mostGemms is how many products a batch of matrices may take that lie too irregularly for one.
const mostGemms = 32

// gemm multiplies with the device's BLAS library, and reports whether it did: p's matrices of x and y into out, which is dense.
// The library gets the operands as they lie; where it cannot take them, the kernels of package kernels can.
func (a *accelerator) gemm(x, y operand, out storage, p kernels.MatMul) (bool, error) {
	if a.dev.Emulated() || !x.dtype.IsFloat() {
		return false, nil
	}
	if x.dtype == F8E4M3 {
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
	batch := merge(xs.layout.Shape, xs.layout.Strides, ys.layout.Strides)
	last := len(batch.dims) - 1
	each := batch.dims[last] // the matrices of one call, a stride apart; the dims before it are counted through
	if int(p.Batch)/each > mostGemms {
		return false, nil
	}
	size := x.dtype.Size()
	g := rocm.Gemm{
		Elem: x.dtype.String(), M: int(p.M), N: int(p.N), K: int(p.K), Batch: each,
		A: rocm.Matrix{Buffer: buffer(x.store), Row: int(p.ARow), Col: int(p.ACol), Batch: batch.strides[0][last]},
		B: rocm.Matrix{Buffer: buffer(y.store), Row: int(p.BRow), Col: int(p.BCol), Batch: batch.strides[1][last]},
		C: rocm.Matrix{Buffer: buffer(out), Row: int(p.CRow), Col: 1, Batch: int(p.CBat)},
	}
	at := make([]int, last)
	for done := 0; done < int(p.Batch); done += each {
		i, j := x.layout.Offset, y.layout.Offset
		for d, n := range at {
			i += n * batch.strides[0][d]
			j += n * batch.strides[1][d]
		}
		g.A.Offset, g.B.Offset, g.C.Offset = i*size, j*size, done*int(p.CBat)*size
		if ok, err := a.dev.Gemm(&g); !ok || err != nil {
			return false, err
		}
		for d := last - 1; d >= 0; d-- {
			if at[d]++; at[d] < batch.dims[d] {
				break
			}
			at[d] = 0
		}
	}
	if a.launched != nil {
		a.launched("gemm_" + g.Elem)
	}
	return true, nil
}
