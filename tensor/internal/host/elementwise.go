package host

import (
	"unsafe"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// Elementwise operations on the host. An op without a loop of its own (see elementwise_rows.go) calls its reference
// from the op table for every element: Ref for floats, Int for integers.

func sizeOf[T any]() int { var zero T; return int(unsafe.Sizeof(zero)) }

func isInteger[T element]() bool { return T(3)/T(2) == 1 }

const (
	chunk = 1024 // elements of a strided operand that are copied to dense ones at a time
	// elements of dense operands per call: a vector loop delays a garbage collection until it returns
	vectors = 16 * 1024
)

// parallelElems is Parallel for elementwise work. Parts begin at multiples of chunk, so that vectors are aligned.
func parallelElems(n int, f func(lo, hi int)) {
	Parallel((n+chunk-1)/chunk, chunk, func(lo, hi int) {
		f(lo*chunk, min(hi*chunk, n))
		fence(n)
	})
}

// mapElems writes the results of row for in to a new storage of type R. row is called with dense slices only.
func mapElems[T, R any](in backend.Operand, row func(out []R, x []T)) backend.Storage {
	n := in.Layout.ElemCount()
	h, out := uninitElems[R](n, sizeOf[R]())
	in = straightened[T](in)
	src := elems[T](in)
	m := backend.Coalesce(in.Layout.Shape, in.Layout.Strides)
	x := lane[T]{step: m.Strides[0][len(m.Dims)-1]}
	parallelElems(n, func(lo, hi int) {
		x := x
		m.EachRun(lo, hi, func(r backend.Run) {
			x.begin(src[r.Offsets[0]:], r.Len)
			for at := 0; at < r.Len; {
				to := x.end(at, r.Len)
				row(out[r.Index+at:r.Index+to], x.dense(at, to))
				at = to
			}
		})
	})
	return h
}

// zipElems is mapElems for two operands.
func zipElems[T, R any](a, b backend.Operand, row func(out []R, x, y []T)) backend.Storage {
	n := a.Layout.ElemCount()
	h, out := uninitElems[R](n, sizeOf[R]())
	a, b = straightened[T](a), straightened[T](b)
	first, second := elems[T](a), elems[T](b)
	m := backend.Coalesce(a.Layout.Shape, a.Layout.Strides, b.Layout.Strides)
	last := len(m.Dims) - 1
	if last == 1 && m.Dims[1] <= shortRow {
		zipShortRows(out, first, second, m, row)
		return h
	}
	if last == 1 && m.Strides[0][1] == 1 && m.Strides[1][1] == 1 && m.Dims[1] <= vectors {
		zipRows(out, first, second, m, row)
		return h
	}
	x, y := lane[T]{step: m.Strides[0][last]}, lane[T]{step: m.Strides[1][last]}
	parallelElems(n, func(lo, hi int) {
		x, y := x, y
		m.EachRun(lo, hi, func(r backend.Run) {
			x.begin(first[r.Offsets[0]:], r.Len)
			y.begin(second[r.Offsets[1]:], r.Len)
			for at := 0; at < r.Len; {
				to := min(x.end(at, r.Len), y.end(at, r.Len))
				row(out[r.Index+at:r.Index+to], x.dense(at, to), y.dense(at, to))
				at = to
			}
		})
	})
	return h
}

// zipRows is zipElems for matrices with dense rows, as when one row is added to all rows of another.
func zipRows[T, R any](out []R, first, second []T, m backend.Coalesced, row func(out []R, x, y []T)) {
	cols, a, b := m.Dims[1], m.Strides[0][0], m.Strides[1][0]
	Parallel(m.Dims[0], cols, func(lo, hi int) {
		for r := lo; r < hi; r++ {
			row(out[r*cols:(r+1)*cols], first[r*a:][:cols], second[r*b:][:cols])
		}
		fence(len(out))
	})
}

// zipShortRows is zipElems for matrices of short rows, of which it computes as many at once as make up for a call: one
// number, or one row, is repeated for them.
func zipShortRows[T, R any](out []R, first, second []T, m backend.Coalesced, row func(out []R, x, y []T)) {
	cols := m.Dims[1]
	many := max(1, chunk/2/cols)
	Parallel(m.Dims[0], cols, func(lo, hi int) {
		x := shortRows[T]{src: first, down: m.Strides[0][0], along: m.Strides[0][1], cols: cols}
		y := shortRows[T]{src: second, down: m.Strides[1][0], along: m.Strides[1][1], cols: cols}
		for r := lo; r < hi; r += many {
			n := min(many, hi-r)
			row(out[r*cols:(r+n)*cols], x.dense(r, n), y.dense(r, n))
		}
		fence(len(out))
	})
}

// shortRows are an operand with strides down from row to row and along from element to element.
type shortRows[T any] struct {
	src               []T
	down, along, cols int
	buffer            []T
}

// dense returns n rows from row r on, one after another.
func (s *shortRows[T]) dense(r, n int) []T {
	if s.along == 1 && s.down == s.cols {
		return s.src[r*s.cols : (r+n)*s.cols]
	}
	if s.down == 0 && len(s.buffer) >= n*s.cols { // the same rows as before
		return s.buffer[:n*s.cols]
	}
	if len(s.buffer) < n*s.cols {
		s.buffer = make([]T, n*s.cols)
	}
	for i := range n {
		to, from := s.buffer[i*s.cols:(i+1)*s.cols], s.src[(r+i)*s.down:]
		switch s.along {
		case 0:
			fillAll(to, from[0])
		case 1:
			copy(to, from)
		default:
			for k := range to {
				to[k] = from[k*s.along]
			}
		}
	}
	return s.buffer[:n*s.cols]
}

// lane copies the parts of an operand that are not dense. It belongs to one goroutine.
type lane[T any] struct {
	step   int
	src    []T
	buffer []T
}

// begin starts on n elements of src.
func (l *lane[T]) begin(src []T, n int) {
	l.src = src
	if l.step == 1 {
		return
	}
	if need := min(n, chunk); len(l.buffer) < need {
		l.buffer = make([]T, need)
	}
	if l.step == 0 { // the same elements for every part
		fillAll(l.buffer[:min(n, chunk)], src[0])
	}
}

// end returns how far a part from at on may go.
func (l *lane[T]) end(at, n int) int {
	if l.step == 1 {
		return min(at+vectors, n)
	}
	return min(at+chunk, n)
}

func (l *lane[T]) dense(at, to int) []T {
	switch l.step {
	case 1:
		return l.src[at:to]
	case 0:
		return l.buffer[:to-at]
	}
	out, src := l.buffer[:to-at], l.src[at*l.step:]
	for i := range out {
		out[i] = src[i*l.step]
	}
	return out
}

// straightened copies a large matrix that is dense along columns: tile by tile that is faster than reading along its
// rows.
func straightened[T any](o backend.Operand) backend.Operand {
	n := o.Layout.ElemCount()
	if n < grain {
		return o
	}
	m := backend.Coalesce(o.Layout.Shape, o.Layout.Strides)
	if len(m.Dims) != 2 || m.Strides[0][0] != 1 || m.Strides[0][1] <= 1 {
		return o
	}
	h, _ := uninitElems[T](n, sizeOf[T]())
	to := backend.Operand{Store: h, DType: o.DType, Layout: backend.Dense(o.Layout.Shape)}
	copyElems[T](o, to)
	return to
}

func (Backend) Unary(op *kernels.UnaryOp, in backend.Operand) (backend.Storage, error) {
	defer timed(op.Name, in.DType, sizeFor(in, in.DType), in)()
	switch in.DType {
	case kernels.U8:
		return unaryElems[uint8](op, in), nil
	case kernels.U32:
		return unaryElems[uint32](op, in), nil
	case kernels.I16:
		return unaryElems[int16](op, in), nil
	case kernels.I8:
		return unaryElems[int8](op, in), nil
	case kernels.U16:
		return unaryElems[uint16](op, in), nil
	case kernels.U64:
		return unaryElems[uint64](op, in), nil
	case kernels.I32:
		return unaryElems[int32](op, in), nil
	case kernels.I64:
		return unaryElems[int64](op, in), nil
	case kernels.F32:
		return unaryElems[float32](op, in), nil
	case kernels.F64:
		return unaryElems[float64](op, in), nil
	}
	return mapSmall(in, unaryRow[float32](op, chunk)), nil
}

func unaryElems[T element](op *kernels.UnaryOp, in backend.Operand) backend.Storage {
	return mapElems(in, unaryRow[T](op, streamable(sizeOf[T](), in)))
}

func (Backend) Param(op *kernels.ParamOp, in backend.Operand, p float64) (backend.Storage, error) {
	defer timed(op.Name, in.DType, sizeFor(in, in.DType), in)()
	switch in.DType {
	case kernels.F32:
		p = float64(float32(p)) // a parameter has the type of the computation
		return paramElems[float32](op, in, p), nil
	case kernels.F64:
		return paramElems[float64](op, in, p), nil
	}
	return mapSmall(in, paramRow[float32](op, float64(float32(p)))), nil
}

func paramElems[T float32 | float64](op *kernels.ParamOp, in backend.Operand, p float64) backend.Storage {
	return mapElems(in, paramRow[T](op, p))
}

func (Backend) Affine(in backend.Operand, mul, add backend.Scalar) (backend.Storage, error) {
	defer timed("affine", in.DType, sizeFor(in, in.DType), in)()
	switch in.DType {
	case kernels.U8:
		return affineElems(in, uint8(mul.Int), uint8(add.Int)), nil
	case kernels.U32:
		return affineElems(in, uint32(mul.Int), uint32(add.Int)), nil
	case kernels.I16:
		return affineElems(in, int16(mul.Int), int16(add.Int)), nil
	case kernels.I8:
		return affineElems(in, int8(mul.Int), int8(add.Int)), nil
	case kernels.U16:
		return affineElems(in, uint16(mul.Int), uint16(add.Int)), nil
	case kernels.U64:
		return affineElems(in, uint64(mul.Int), uint64(add.Int)), nil
	case kernels.I32:
		return affineElems(in, int32(mul.Int), int32(add.Int)), nil
	case kernels.I64:
		return affineElems(in, mul.Int, add.Int), nil
	case kernels.F32:
		return affineElems(in, float32(mul.Float), float32(add.Float)), nil
	case kernels.F64:
		return affineElems(in, mul.Float, add.Float), nil
	}
	return mapSmall(in, affineRow(float32(mul.Float), float32(add.Float), chunk)), nil
}

func affineElems[T element](in backend.Operand, mul, add T) backend.Storage {
	return mapElems(in, affineRow(mul, add, streamable(sizeOf[T](), in)))
}

func affineRow[T element](mul, add T, n int) func(out, x []T) {
	if f, ok := any(vectorAffine(float32(mul), float32(add), n)).(func(out, x []T)); ok && f != nil {
		return f
	}
	return func(out, x []T) {
		for i, v := range x[:len(out)] {
			out[i] = T(v*mul) + add // the conversion prevents a fused multiply-add
		}
	}
}

func (Backend) Binary(op *kernels.BinaryOp, x, y backend.Operand) (backend.Storage, error) {
	defer timed(op.Name, x.DType, sizeFor(x, x.DType), x, y)()
	op = op.For(x.DType)
	switch x.DType {
	case kernels.U8:
		return binaryElems[uint8](op, x, y), nil
	case kernels.U32:
		return binaryElems[uint32](op, x, y), nil
	case kernels.I16:
		return binaryElems[int16](op, x, y), nil
	case kernels.I8:
		return binaryElems[int8](op, x, y), nil
	case kernels.U16:
		return binaryElems[uint16](op, x, y), nil
	case kernels.U64:
		return binaryElems[uint64](op, x, y), nil
	case kernels.I32:
		return binaryElems[int32](op, x, y), nil
	case kernels.I64:
		return binaryElems[int64](op, x, y), nil
	case kernels.F32:
		return binaryElems[float32](op, x, y), nil
	case kernels.F64:
		return binaryElems[float64](op, x, y), nil
	}
	return zipSmall(op, x, y), nil
}

func binaryElems[T element](op *kernels.BinaryOp, x, y backend.Operand) backend.Storage {
	return zipElems(x, y, binaryRow[T](op, streamable(sizeOf[T](), x, y)))
}

func (Backend) Compare(op *kernels.CompareOp, x, y backend.Operand) (backend.Storage, error) {
	defer timed(op.Name, x.DType, sizeFor(x, kernels.U8), x, y)()
	switch x.DType {
	case kernels.U8:
		return compareElems[uint8](op, x, y), nil
	case kernels.U32:
		return compareElems[uint32](op, x, y), nil
	case kernels.I16:
		return compareElems[int16](op, x, y), nil
	case kernels.I8:
		return compareElems[int8](op, x, y), nil
	case kernels.U16:
		return compareElems[uint16](op, x, y), nil
	case kernels.U64:
		return compareElems[uint64](op, x, y), nil
	case kernels.I32:
		return compareElems[int32](op, x, y), nil
	case kernels.I64:
		return compareElems[int64](op, x, y), nil
	case kernels.F32:
		return compareElems[float32](op, x, y), nil
	case kernels.F64:
		return compareElems[float64](op, x, y), nil
	}
	return compareSmall(x, y, compareRow[float32](op)), nil
}

func compareElems[T element](op *kernels.CompareOp, a, b backend.Operand) backend.Storage {
	return zipElems(a, b, compareRow[T](op))
}

func (Backend) Where(cond, t, f backend.Operand) (backend.Storage, error) {
	defer timed("where", t.DType, sizeFor(t, t.DType), cond, t, f)()
	switch cond.DType {
	case kernels.U32:
		return whereCond[uint32](cond, t, f), nil
	case kernels.I64:
		return whereCond[int64](cond, t, f), nil
	}
	return whereCond[uint8](cond, t, f), nil
}

func whereCond[C element](cond, t, f backend.Operand) backend.Storage {
	switch t.DType.Size() {
	case 1:
		return whereElems[C, uint8](cond, t, f)
	case 2:
		return whereElems[C, uint16](cond, t, f)
	case 4:
		return whereElems[C, uint32](cond, t, f)
	}
	return whereElems[C, uint64](cond, t, f)
}

func whereElems[C element, B any](cond, t, f backend.Operand) backend.Storage {
	n := t.Layout.ElemCount()
	h, out := uninitElems[B](n, sizeOf[B]())
	c, x, y := elems[C](cond), elems[B](t), elems[B](f)
	choose := whereRow[C, B]()
	m := backend.Coalesce(t.Layout.Shape, cond.Layout.Strides, t.Layout.Strides, f.Layout.Strides)
	last := len(m.Dims) - 1
	sc, sx, sy := m.Strides[0][last], m.Strides[1][last], m.Strides[2][last]
	Parallel(n, 1, func(lo, hi int) {
		m.EachRun(lo, hi, func(r backend.Run) {
			out, c, x, y := out[r.Index:r.Index+r.Len], c[r.Offsets[0]:], x[r.Offsets[1]:], y[r.Offsets[2]:]
			if sc == 1 && sx == 1 && sy == 1 {
				choose(out, c, x, y)
				return
			}
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

// whereRow selects between dense elements.
func whereRow[C element, B any]() func(out []B, c []C, x, y []B) {
	plain := func(out []B, c []C, x, y []B) {
		for i := range out {
			v := y[i]
			if c[i] != 0 {
				v = x[i]
			}
			out[i] = v
		}
	}
	f, ok := any(simd.Fast.Where).(func(out []float32, c []C, x, y []float32))
	if !ok || f == nil || sizeOf[B]() != 4 {
		return plain
	}
	return func(out []B, c []C, x, y []B) {
		n := len(out) &^ (simd.Whole - 1)
		f(asFloats(out[:n]), c[:n], asFloats(x[:n]), asFloats(y[:n]))
		plain(out[n:], c[n:], x[n:], y[n:])
	}
}
