package tensor

import (
	"math"

	"github.com/gorocm/gorocm/kernels"
)

func (b hostBackend) norm(in, alpha operand, beta *operand, rows, cols int, eps float64) (storage, error) {
	switch in.dtype {
	case F32:
		return normRows[float32](in, alpha, beta, rows, cols, eps), nil
	case F64:
		return normRows[float64](in, alpha, beta, rows, cols, eps), nil
	}
	ins := []operand{in, alpha}
	if beta != nil {
		ins = append(ins, *beta)
	}
	return b.viaF32(in.dtype, false, ins, func(ins []operand) (storage, error) {
		if beta == nil {
			return b.norm(ins[0], ins[1], nil, rows, cols, eps)
		}
		return b.norm(ins[0], ins[1], &ins[2], rows, cols, eps)
	})
}

func normRows[T float32 | float64](in, alpha operand, beta *operand, rows, cols int, eps float64) storage {
	h, out := newElems[T](rows*cols, kernelSize[T]())
	src, scale := elems[T](in), elems[T](alpha)
	var shift []T
	if beta != nil {
		shift = elems[T](*beta)
	}
	parallel(rows, 3*cols, func(lo, hi int) {
		for r := lo; r < hi; r++ {
			x, to := src[r*cols:(r+1)*cols], out[r*cols:(r+1)*cols]
			mean, squares := 0.0, 0.0
			if shift != nil {
				for _, v := range x {
					mean += float64(v)
				}
				mean /= float64(cols)
			}
			for _, v := range x {
				d := float64(v) - mean
				squares += d * d
			}
			root := math.Sqrt(squares/float64(cols) + eps)
			for c, v := range x {
				y := (float64(v) - mean) / root * float64(scale[c])
				if shift != nil {
					y += float64(shift[c])
				}
				to[c] = T(y)
			}
		}
	})
	return h
}

func (b hostBackend) rope(in, cos, sin operand, p kernels.Rope) (storage, error) {
	switch in.dtype {
	case F32:
		return turnPairs[float32](in, cos, sin, p), nil
	case F64:
		return turnPairs[float64](in, cos, sin, p), nil
	}
	return b.viaF32(in.dtype, false, []operand{in, cos, sin}, func(ins []operand) (storage, error) { return b.rope(ins[0], ins[1], ins[2], p) })
}

func turnPairs[T float32 | float64](in, cos, sin operand, p kernels.Rope) storage {
	half := int(p.Half)
	h, out := newElems[T](int(p.Rows)*2*half, kernelSize[T]())
	src, c, s := elems[T](in), elems[T](cos), elems[T](sin)
	step, apart := 1, half
	if p.Interleaved != 0 {
		step, apart = 2, 1
	}
	parallel(int(p.Rows), 4*half, func(lo, hi int) {
		for r := lo; r < hi; r++ {
			angle := r/int(p.PerBatch)*int(p.BatchStep) + r/int(p.PerPosition)%int(p.Positions)*half
			for i := range half {
				a := r*2*half + i*step
				x, y, cos, sin := src[a], src[a+apart], c[angle+i], s[angle+i]
				out[a] = T(x*cos) - T(y*sin) // each product rounded, as on devices
				out[a+apart] = T(x*sin) + T(y*cos)
			}
		}
	})
	return h
}
