package gpu

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

const (
	// maxGemms is how many library calls a batch may take whose matrices are at no single stride.
	maxGemms = 32
	// From so many calls on, operands of so many bytes for each are copied in less than the time of the calls.
	manyGemms    = 4
	copiedForOne = 2 << 20
)

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
	size := x.DType.Size()
	batch := batchOf(x, y)
	last := len(batch.Dims) - 1
	calls, bytes := int(p.Batch)/batch.Dims[last], (x.Layout.ElemCount()+y.Layout.ElemCount())*size
	if calls >= manyGemms && bytes <= calls*copiedForOne {
		left, right, release, err := atOneStride(b, x, y, &p)
		defer release() // the stream keeps its order
		if err == nil {
			x, y, batch = left, right, batchOf(left, right)
			last = len(batch.Dims) - 1
		} else if !backend.IsOutOfMemory(err) {
			return false, err
		}
	}
	each := batch.Dims[last] // matrices per call, at one stride; a counter runs over the dims before
	if int(p.Batch)/each > maxGemms {
		return false, nil
	}
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

// batchOf are the dims of matrices, and their strides in x and in y.
func batchOf(x, y backend.Operand) backend.Coalesced {
	xs, _ := planesOf(x)
	ys, _ := planesOf(y)
	return backend.Coalesce(xs.Layout.Shape, xs.Layout.Strides, ys.Layout.Strides)
}

// atOneStride copies matrices that are at several strides, and sets the strides of p. release gives the copies back.
func atOneStride(
	b *Backend, x, y backend.Operand, p *kernels.MatMul,
) (left, right backend.Operand, release func(), err error) {
	release = func() {
		if left.Store != x.Store {
			left.Store.Release()
		}
		if right.Store != y.Store {
			right.Store.Release()
		}
	}
	left, right = x, y
	if left, err = evenly(b, x); err != nil {
		return x, y, release, err
	}
	if right, err = evenly(b, y); err != nil {
		return left, y, release, err
	}
	p.ARow, p.ACol = lastStrides(left.Layout)
	p.BRow, p.BCol = lastStrides(right.Layout)
	return left, right, release, nil
}

// evenly returns matrices at one stride: o itself, or a copy, of which rows or columns are dense as those of o are.
func evenly(b *Backend, o backend.Operand) (backend.Operand, error) {
	last := len(o.Layout.Shape) - 1
	lead := backend.Coalesce(o.Layout.Shape[:last-1], o.Layout.Strides[:last-1])
	if len(lead.Dims) < 2 {
		return o, nil
	}
	byColumns := o.Layout.Strides[last-1] == 1 && o.Layout.Strides[last] != 1
	if byColumns {
		o.Layout = o.Layout.Transpose(last-1, last)
	}
	c, err := b.makeDense(o)
	if byColumns && err == nil {
		c.Layout = c.Layout.Transpose(last-1, last)
	}
	return c, err
}
