package tensor

import (
	"math"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/simd"
)

func (b hostBackend) norm(in, alpha operand, beta *operand, rows, cols int, eps float64) (storage, error) {
	switch in.dtype {
	case F32:
		return normRows[float32](in, alpha, beta, rows, cols, eps), nil
	case F64:
		return normRows[float64](in, alpha, beta, rows, cols, eps), nil
	}
	scale, err := b.floats(alpha)
	if err != nil {
		return nil, err
	}
	var shift []float32
	if beta != nil {
		if shift, err = b.floats(*beta); err != nil {
			return nil, err
		}
	}
	row := normOf[float32]()
	wide := func(y, x []float32) { row(y, x, scale, shift, eps) }
	switch in.dtype {
	case F16:
		return eachRow(in, rows, cols, 3, smallRows[half](wide)), nil
	case BF16:
		return eachRow(in, rows, cols, 3, smallRows[bfloat](wide)), nil
	}
	return eachRow(in, rows, cols, 3, smallRows[float8](wide)), nil
}

// floats returns the elements of small floats as float32.
func (b hostBackend) floats(o operand) ([]float32, error) {
	s, err := b.cast(o, F32)
	if err != nil {
		return nil, err
	}
	return hostView[float32](s.(*hostStorage).data), nil
}

func normRows[T float32 | float64](in, alpha operand, beta *operand, rows, cols int, eps float64) storage {
	scale := elems[T](alpha)
	var shift []T
	if beta != nil {
		shift = elems[T](*beta)
	}
	row := normOf[T]()
	return eachRow(in, rows, cols, 3, func(y, x []T) { row(y, x, scale, shift, eps) })
}

func normOf[T float32 | float64]() func(y, x, scale, shift []T, eps float64) {
	if f, ok := any(vectorNorm()).(func(y, x, scale, shift []T, eps float64)); ok && f != nil {
		return f
	}
	return normRow[T]
}

// normRow normalises a row around its mean, or around 0 when shift is nil.
func normRow[T float32 | float64](y, x, scale, shift []T, eps float64) {
	mean, n := 0.0, float64(len(x))
	if shift != nil {
		mean = laneSum(x) / n
	}
	var squares [simd.SumLanes]float64
	for i, v := range x {
		d := float64(v) - mean
		squares[i%len(squares)] += float64(d * d)
	}
	factor := 1 / math.Sqrt(foldLanes(&squares)/n+eps)
	for i, v := range x {
		if shift != nil {
			y[i] = T(float64((float64(v)-mean)*factor*float64(scale[i])) + float64(shift[i]))
		} else {
			y[i] = T(float64(v) * factor * float64(scale[i]))
		}
	}
}

func vectorNorm() func(y, x, scale, shift []float32, eps float64) {
	f := simd.Fast
	if f.Squares == nil {
		return nil
	}
	return func(y, x, scale, shift []float32, eps float64) {
		n := float64(len(x))
		if shift == nil {
			f.Normalize(y, x, scale, 1/math.Sqrt(f.Squares(x, 0)/n+eps))
			return
		}
		mean := f.Sum(x) / n
		f.Standardize(y, x, scale, shift, mean, 1/math.Sqrt(f.Squares(x, mean)/n+eps))
	}
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
