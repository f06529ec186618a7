package host

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// multiplyIntegers multiplies matrices of integers. Sums wrap, so they are made in the type of the elements.
func multiplyIntegers(x, y backend.Operand, p kernels.MatMul) backend.Storage {
	switch x.DType {
	case kernels.U8:
		return addRows[uint8](x, y, p)
	case kernels.I16:
		return addRows[int16](x, y, p)
	case kernels.I8:
		return addRows[int8](x, y, p)
	case kernels.U16:
		return addRows[uint16](x, y, p)
	case kernels.U64:
		return addRows[uint64](x, y, p)
	case kernels.U32:
		return addRows[uint32](x, y, p)
	case kernels.I32:
		return addRows[int32](x, y, p)
	}
	return addRows[int64](x, y, p)
}

// addRows adds multiples of the rows of y to each row of the result. Rows of y that are not dense are copied first:
// they are read once for each row of x.
func addRows[T uint8 | int8 | uint16 | int16 | uint32 | int32 | uint64 | int64](x, y backend.Operand,
	p kernels.MatMul) backend.Storage {
	if p.BCol != 1 && p.N > 1 {
		count := p.Batch
		if p.BBat == 0 {
			count = 1
		}
		h, _ := uninitElems[T](int(count*p.K*p.N), sizeOf[T]())
		l := backend.Layout{Shape: []int{int(count), int(p.K), int(p.N)},
			Strides: []int{int(p.BBat), int(p.BRow), int(p.BCol)}, Offset: y.Layout.Offset}
		to := backend.Operand{Store: h, DType: y.DType, Layout: backend.Dense(l.Shape)}
		copyElems[T](backend.Operand{Store: y.Store, DType: y.DType, Layout: l}, to)
		y, p.BRow, p.BCol = to, p.N, 1
		if p.BBat != 0 {
			p.BBat = p.K * p.N
		}
	}
	h, out := newElems[T](int(p.Batch*p.CBat), sizeOf[T]())
	a, b := elems[T](x), elems[T](y)
	Parallel(int(p.Batch*p.M), int(p.N*p.K), func(lo, hi int) {
		for r := int64(lo); r < int64(hi); r++ {
			z, i := r/p.M, r%p.M
			c := out[z*p.CBat+i*p.CRow:][:p.N]
			for k := range p.K {
				factor := a[z*p.ABat+i*p.ARow+k*p.ACol]
				for j, v := range b[z*p.BBat+k*p.BRow:][:p.N] {
					c[j] += factor * v
				}
			}
		}
	})
	return h
}
