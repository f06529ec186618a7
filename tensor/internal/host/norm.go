package host

import (
	"math"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/simd"
)

func (b Backend) Norm(
	in, alpha backend.Operand, beta *backend.Operand, rows, cols int, eps float64,
) (backend.Storage, error) {
	defer timed("norm", in.DType, sizeFor(in, in.DType), in, alpha)()
	switch in.DType {
	case kernels.F32:
		return normRows[float32](in, alpha, beta, rows, cols, eps), nil
	case kernels.F64:
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
	switch in.DType {
	case kernels.F16:
		return eachRow(in, rows, cols, 3, smallRows[backend.Float16](wide)), nil
	case kernels.BF16:
		return eachRow(in, rows, cols, 3, smallRows[backend.BFloat16](wide)), nil
	}
	return eachRow(in, rows, cols, 3, smallRows[backend.Float8](wide)), nil
}

// floats returns the elements of small floats as float32.
func (b Backend) floats(o backend.Operand) ([]float32, error) {
	s, err := b.Cast(o, kernels.F32)
	if err != nil {
		return nil, err
	}
	return View[float32](s.(*Storage).Data), nil
}

func normRows[T float32 | float64](
	in, alpha backend.Operand, beta *backend.Operand, rows, cols int, eps float64,
) backend.Storage {
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
		if doubles, ok := any(x).([]float64); ok {
			mean = twofoldSum(doubles) / n
		}
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
