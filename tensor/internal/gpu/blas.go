package gpu

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// maxGemms is how many library calls a batch may take whose matrices are at no single stride.
const maxGemms = 32

// gemm multiplies with the device's BLAS library and reports whether it did. It writes the matrices that p describes
// to out, which is dense. The library gets the operands in their layouts; where it cannot take them, the kernels of
// package kernels can.
func gemm(b *Backend, x, y backend.Operand, out backend.Storage, p kernels.MatMul) (bool, error) {
	if b.dev.Emulated() || !x.DType.IsFloat() {
		return false, nil
	}
	if x.DType == kernels.F8E4M3 {
		if !b.dev.Float8(int(p.K), int(p.N)) {
			return false, nil
		}
		left, right, ok, err := float8Forms(b, x, y, &p)
		if !ok || err != nil {
			return false, err
		}
		x, y = left, right
	}
	xs, _ := planesOf(x)
	ys, _ := planesOf(y)
	batch := backend.Coalesce(xs.Layout.Shape, xs.Layout.Strides, ys.Layout.Strides)
	last := len(batch.Dims) - 1
	each := batch.Dims[last] // matrices per call, at one stride; a counter runs over the dims before
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
		if ok, err := b.dev.Gemm(&g); !ok || err != nil {
			return false, err
		}
		for d := last - 1; d >= 0; d-- {
			if at[d]++; at[d] < batch.Dims[d] {
				break
			}
			at[d] = 0
		}
	}
	if b.OnLaunch != nil {
		b.OnLaunch("gemm_" + g.Elem)
	}
	return true, nil
}
