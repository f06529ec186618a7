package tensor

import (
	"unsafe"

	"github.com/gorocm/gorocm/kernels"
)

// Elementwise operations on the host. An op without a loop of its own runs its reference from the op table: Ref for floats,
// Int for integers. The loops below exist because these ops are used most, and are checked against the same references.

func kernelSize[T any]() int { var zero T; return int(unsafe.Sizeof(zero)) }

func isInteger[T element]() bool { return T(3)/T(2) == 1 }

// mapElems writes row's results for in to a new storage of type R.
func mapElems[T, R any](in operand, row func(out []R, x []T, step int)) storage {
	n := in.layout.ElemCount()
	h, out := unclearedElems[R](n, kernelSize[R]())
	src := elems[T](in)
	m := merge(in.layout.shape, in.layout.strides)
	step := m.strides[0][len(m.dims)-1]
	parallel(n, 1, func(lo, hi int) {
		m.each(lo, hi, func(r run) { row(out[r.at:r.at+r.n], src[r.off[0]:], step) })
	})
	return h
}

// zipElems is mapElems for two operands.
func zipElems[T, R any](a, b operand, row func(out []R, x, y []T, sx, sy int)) storage {
	n := a.layout.ElemCount()
	h, out := unclearedElems[R](n, kernelSize[R]())
	x, y := elems[T](a), elems[T](b)
	m := merge(a.layout.shape, a.layout.strides, b.layout.strides)
	last := len(m.dims) - 1
	sx, sy := m.strides[0][last], m.strides[1][last]
	parallel(n, 1, func(lo, hi int) {
		m.each(lo, hi, func(r run) { row(out[r.at:r.at+r.n], x[r.off[0]:], y[r.off[1]:], sx, sy) })
	})
	return h
}

func (b hostBackend) unary(op *kernels.UnaryOp, in operand) (storage, error) {
	switch in.dtype {
	case U8:
		return unaryElems[uint8](op, in), nil
	case U32:
		return unaryElems[uint32](op, in), nil
	case I16:
		return unaryElems[int16](op, in), nil
	case I32:
		return unaryElems[int32](op, in), nil
	case I64:
		return unaryElems[int64](op, in), nil
	case F32:
		return unaryElems[float32](op, in), nil
	case F64:
		return unaryElems[float64](op, in), nil
	}
	return b.viaF32(in.dtype, false, []operand{in}, func(w []operand) (storage, error) { return b.unary(op, w[0]) })
}

func unaryElems[T element](op *kernels.UnaryOp, in operand) storage {
	f := func(x T) T { return T(op.Ref(float64(x))) }
	if isInteger[T]() {
		f = func(x T) T { return T(op.Int(int64(x))) }
	}
	return mapElems(in, func(out, x []T, step int) {
		for i := range out {
			out[i] = f(x[i*step])
		}
	})
}

func (b hostBackend) param(op *kernels.ParamOp, in operand, p float64) (storage, error) {
	switch in.dtype {
	case F32:
		p = float64(float32(p)) // a parameter has the type of the computation
		return paramElems[float32](op, in, p), nil
	case F64:
		return paramElems[float64](op, in, p), nil
	}
	return b.viaF32(in.dtype, false, []operand{in}, func(w []operand) (storage, error) { return b.param(op, w[0], p) })
}

func paramElems[T float32 | float64](op *kernels.ParamOp, in operand, p float64) storage {
	return mapElems(in, func(out, x []T, step int) {
		for i := range out {
			out[i] = T(op.Ref(float64(x[i*step]), p))
		}
	})
}

func (b hostBackend) affine(in operand, mul, add scalar) (storage, error) {
	switch in.dtype {
	case U8:
		return affineElems(in, uint8(mul.i), uint8(add.i)), nil
	case U32:
		return affineElems(in, uint32(mul.i), uint32(add.i)), nil
	case I16:
		return affineElems(in, int16(mul.i), int16(add.i)), nil
	case I32:
		return affineElems(in, int32(mul.i), int32(add.i)), nil
	case I64:
		return affineElems(in, mul.i, add.i), nil
	case F32:
		return affineElems(in, float32(mul.f), float32(add.f)), nil
	case F64:
		return affineElems(in, mul.f, add.f), nil
	}
	return b.viaF32(in.dtype, false, []operand{in}, func(w []operand) (storage, error) { return b.affine(w[0], mul, add) })
}

func affineElems[T element](in operand, mul, add T) storage {
	return mapElems(in, func(out, x []T, step int) {
		for i := range out {
			out[i] = T(x[i*step]*mul) + add // the conversion keeps the product from being fused with the sum
		}
	})
}

func (b hostBackend) binary(op *kernels.BinaryOp, x, y operand) (storage, error) {
	switch x.dtype {
	case U8:
		return zipElems(x, y, binaryRow[uint8](op)), nil
	case U32:
		return zipElems(x, y, binaryRow[uint32](op)), nil
	case I16:
		return zipElems(x, y, binaryRow[int16](op)), nil
	case I32:
		return zipElems(x, y, binaryRow[int32](op)), nil
	case I64:
		return zipElems(x, y, binaryRow[int64](op)), nil
	case F32:
		return zipElems(x, y, binaryRow[float32](op)), nil
	case F64:
		return zipElems(x, y, binaryRow[float64](op)), nil
	}
	return b.viaF32(x.dtype, false, []operand{x, y}, func(w []operand) (storage, error) { return b.binary(op, w[0], w[1]) })
}

func binaryRow[T element](op *kernels.BinaryOp) func(out, x, y []T, sx, sy int) {
	switch op.Name {
	case "add":
		return addRow[T]
	case "sub":
		return subRow[T]
	case "mul":
		return mulRow[T]
	case "div":
		if !isInteger[T]() { // integers divide by zero without a panic: the reference does that
			return divRow[T]
		}
	case "maximum":
		return maxRow[T]
	case "minimum":
		return minRow[T]
	}
	f := func(x, y T) T { return T(op.Ref(float64(x), float64(y))) }
	if isInteger[T]() {
		f = func(x, y T) T { return T(op.Int(int64(x), int64(y))) }
	}
	return func(out, x, y []T, sx, sy int) {
		for i := range out {
			out[i] = f(x[i*sx], y[i*sy])
		}
	}
}

func addRow[T element](out, x, y []T, sx, sy int) {
	switch {
	case sx == 1 && sy == 1:
		x, y = x[:len(out)], y[:len(out)]
		for i := range out {
			out[i] = x[i] + y[i]
		}
	case sx == 1 && sy == 0:
		x, v := x[:len(out)], y[0]
		for i := range out {
			out[i] = x[i] + v
		}
	default:
		for i := range out {
			out[i] = x[i*sx] + y[i*sy]
		}
	}
}

func subRow[T element](out, x, y []T, sx, sy int) {
	switch {
	case sx == 1 && sy == 1:
		x, y = x[:len(out)], y[:len(out)]
		for i := range out {
			out[i] = x[i] - y[i]
		}
	case sx == 1 && sy == 0:
		x, v := x[:len(out)], y[0]
		for i := range out {
			out[i] = x[i] - v
		}
	default:
		for i := range out {
			out[i] = x[i*sx] - y[i*sy]
		}
	}
}

func mulRow[T element](out, x, y []T, sx, sy int) {
	switch {
	case sx == 1 && sy == 1:
		x, y = x[:len(out)], y[:len(out)]
		for i := range out {
			out[i] = x[i] * y[i]
		}
	case sx == 1 && sy == 0:
		x, v := x[:len(out)], y[0]
		for i := range out {
			out[i] = x[i] * v
		}
	default:
		for i := range out {
			out[i] = x[i*sx] * y[i*sy]
		}
	}
}

func divRow[T element](out, x, y []T, sx, sy int) {
	for i := range out {
		out[i] = x[i*sx] / y[i*sy]
	}
}

// The builtins max and min give NaN if either operand is, and order the zeros, as the references do.

func maxRow[T element](out, x, y []T, sx, sy int) {
	for i := range out {
		out[i] = max(x[i*sx], y[i*sy])
	}
}

func minRow[T element](out, x, y []T, sx, sy int) {
	for i := range out {
		out[i] = min(x[i*sx], y[i*sy])
	}
}

func (b hostBackend) compare(op *kernels.CompareOp, x, y operand) (storage, error) {
	switch x.dtype {
	case U8:
		return compareElems[uint8](op, x, y), nil
	case U32:
		return compareElems[uint32](op, x, y), nil
	case I16:
		return compareElems[int16](op, x, y), nil
	case I32:
		return compareElems[int32](op, x, y), nil
	case I64:
		return compareElems[int64](op, x, y), nil
	case F32:
		return compareElems[float32](op, x, y), nil
	case F64:
		return compareElems[float64](op, x, y), nil
	}
	return b.viaF32(x.dtype, true, []operand{x, y}, func(w []operand) (storage, error) { return b.compare(op, w[0], w[1]) })
}

func compareElems[T element](op *kernels.CompareOp, a, b operand) storage {
	f := func(x, y T) bool { return op.Ref(float64(x), float64(y)) }
	if isInteger[T]() {
		f = func(x, y T) bool { return op.Int(int64(x), int64(y)) }
	}
	return zipElems(a, b, func(out []uint8, x, y []T, sx, sy int) {
		for i := range out {
			out[i] = 0
			if f(x[i*sx], y[i*sy]) {
				out[i] = 1
			}
		}
	})
}

func (hostBackend) where(cond, t, f operand) (storage, error) {
	switch cond.dtype {
	case U32:
		return whereCond[uint32](cond, t, f), nil
	case I64:
		return whereCond[int64](cond, t, f), nil
	}
	return whereCond[uint8](cond, t, f), nil
}

func whereCond[C element](cond, t, f operand) storage {
	switch t.dtype.Size() {
	case 1:
		return whereElems[C, uint8](cond, t, f)
	case 2:
		return whereElems[C, uint16](cond, t, f)
	case 4:
		return whereElems[C, uint32](cond, t, f)
	}
	return whereElems[C, uint64](cond, t, f)
}

func whereElems[C element, B any](cond, t, f operand) storage {
	n := t.layout.ElemCount()
	h, out := unclearedElems[B](n, kernelSize[B]())
	c, x, y := elems[C](cond), elems[B](t), elems[B](f)
	m := merge(t.layout.shape, cond.layout.strides, t.layout.strides, f.layout.strides)
	last := len(m.dims) - 1
	sc, sx, sy := m.strides[0][last], m.strides[1][last], m.strides[2][last]
	parallel(n, 1, func(lo, hi int) {
		m.each(lo, hi, func(r run) {
			out, c, x, y := out[r.at:r.at+r.n], c[r.off[0]:], x[r.off[1]:], y[r.off[2]:]
			for i := range out {
				if c[i*sc] != 0 {
					out[i] = x[i*sx]
				} else {
					out[i] = y[i*sy]
				}
			}
		})
	})
	return h
}
