package tensor

import "github.com/gorocm/gorocm/kernels"

// multiplyIntegers multiplies matrices of integers. Sums wrap, so they can be made in the type of the elements.
func multiplyIntegers(x, y operand, p kernels.MatMul) storage {
	switch x.dtype {
	case U8:
		return addRows[uint8](x, y, p)
	case I16:
		return addRows[int16](x, y, p)
	case U32:
		return addRows[uint32](x, y, p)
	case I32:
		return addRows[int32](x, y, p)
	}
	return addRows[int64](x, y, p)
}

// addRows adds multiples of the rows of y to each row of the result. Rows of y that are not dense are made so first: they are
// read once for each row of x.
func addRows[T uint8 | int16 | uint32 | int32 | int64](x, y operand, p kernels.MatMul) storage {
	if p.BCol != 1 && p.N > 1 {
		count := p.Batch
		if p.BBat == 0 {
			count = 1
		}
		h, _ := unclearedElems[T](int(count*p.K*p.N), kernelSize[T]())
		l := strided{[]int{int(count), int(p.K), int(p.N)}, []int{int(p.BBat), int(p.BRow), int(p.BCol)}, y.layout.Offset}
		to := operand{h, y.dtype, denseLayout(l.Shape)}
		copyElems[T](operand{y.store, y.dtype, l}, to)
		y, p.BRow, p.BCol = to, p.N, 1
		if p.BBat != 0 {
			p.BBat = p.K * p.N
		}
	}
	h, out := newElems[T](int(p.Batch*p.CBat), kernelSize[T]())
	a, b := elems[T](x), elems[T](y)
	parallel(int(p.Batch*p.M), int(p.N*p.K), func(lo, hi int) {
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
