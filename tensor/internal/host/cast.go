package host

import (
	"math"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/simd"
)

func (Backend) Cast(in backend.Operand, to kernels.DType) (backend.Storage, error) {
	defer timed("cast", in.DType, sizeFor(in, to), in)()
	if s := castRows(in, to); s != nil {
		return s, nil
	}
	n := in.Layout.ElemCount()
	out := NewUninitialized(n * to.Size())
	switch in.DType {
	case kernels.U8:
		castFrom[uint8](out, to, in)
	case kernels.U32:
		castFrom[uint32](out, to, in)
	case kernels.I16:
		castFrom[int16](out, to, in)
	case kernels.I8:
		castFrom[int8](out, to, in)
	case kernels.U16:
		castFrom[uint16](out, to, in)
	case kernels.U64:
		castFrom[uint64](out, to, in)
	case kernels.I32:
		castFrom[int32](out, to, in)
	case kernels.I64:
		castFrom[int64](out, to, in)
	case kernels.F32:
		castFrom[float32](out, to, in)
	case kernels.F64:
		castFrom[float64](out, to, in)
	case kernels.F16:
		castHalf(out, to, in, backend.Float16.Float32)
	case kernels.BF16:
		castHalf(out, to, in, backend.BFloat16.Float32)
	case kernels.F8E4M3:
		castHalf(out, to, in, backend.Float8.Float32)
	}
	return out, nil
}

// castRows converts between the types that package simd has loops for. For others it returns nil.
func castRows(in backend.Operand, to kernels.DType) backend.Storage {
	n, f, stream := streamable(to.Size(), in), simd.Fast.Casts, simd.Stream.Casts
	switch [2]kernels.DType{in.DType, to} {
	case [2]kernels.DType{kernels.F16, kernels.F32}:
		return mapElems(in, streaming(n, widenRow[backend.Float16], widenStream[backend.Float16]))
	case [2]kernels.DType{kernels.BF16, kernels.F32}:
		return mapElems(in, streaming(n, widenRow[backend.BFloat16], widenStream[backend.BFloat16]))
	case [2]kernels.DType{kernels.F32, kernels.F16}:
		return mapElems(in, narrowRow[backend.Float16])
	case [2]kernels.DType{kernels.F32, kernels.BF16}:
		return mapElems(in, narrowRow[backend.BFloat16])
	case [2]kernels.DType{kernels.F32, kernels.F64}:
		return mapElems(in, converting(n, f.FloatToDouble, stream.FloatToDouble))
	case [2]kernels.DType{kernels.F64, kernels.F32}:
		return mapElems(in, converting(n, f.DoubleToFloat, stream.DoubleToFloat))
	case [2]kernels.DType{kernels.U8, kernels.F32}:
		return mapElems(in, converting(n, f.BytesToFloat, stream.BytesToFloat))
	case [2]kernels.DType{kernels.I32, kernels.F32}:
		return mapElems(in, converting(n, f.IntsToFloat, stream.IntsToFloat))
	case [2]kernels.DType{kernels.F32, kernels.I32}:
		return mapElems(in, truncating(to, n, f.FloatToInt, stream.FloatToInt))
	case [2]kernels.DType{kernels.F32, kernels.I64}:
		return mapElems(in, truncating(to, n, f.FloatToLong, stream.FloatToLong))
	case [2]kernels.DType{kernels.F64, kernels.I64}:
		return mapElems(in, truncating(to, n, f.DoubleToLong, stream.DoubleToLong))
	case [2]kernels.DType{kernels.I64, kernels.F32}:
		return mapElems(in, convertRow[float32, int64])
	case [2]kernels.DType{kernels.U32, kernels.F32}:
		return mapElems(in, convertRow[float32, uint32])
	case [2]kernels.DType{kernels.I64, kernels.F64}:
		return mapElems(in, convertRow[float64, int64])
	case [2]kernels.DType{kernels.I32, kernels.F64}:
		return mapElems(in, convertRow[float64, int32])
	case [2]kernels.DType{kernels.U8, kernels.I64}:
		return mapElems(in, convertRow[int64, uint8])
	case [2]kernels.DType{kernels.U32, kernels.I64}:
		return mapElems(in, convertRow[int64, uint32])
	case [2]kernels.DType{kernels.I32, kernels.I64}:
		return mapElems(in, convertRow[int64, int32])
	case [2]kernels.DType{kernels.I64, kernels.U32}:
		return mapElems(in, convertRow[uint32, int64])
	case [2]kernels.DType{kernels.I64, kernels.I32}:
		return mapElems(in, convertRow[int32, int64])
	}
	return nil
}

// converting is Go's conversion, by the loops of package simd where there are some.
func converting[D, S element](n int, fast, stream func(out []D, x []S)) func(out []D, x []S) {
	return vectorsOf(n, fast, stream, convertRow[D, S])
}

// truncating is converting for floats that become integers. Go does not define the result for floats that are out of
// range.
func truncating[D, S element](to kernels.DType, n int, fast, stream func(out []D, x []S)) func(out []D, x []S) {
	f := convert[S, D](to)
	return vectorsOf(n, fast, stream, func(out []D, x []S) {
		for i, v := range x[:len(out)] {
			out[i] = f(v)
		}
	})
}

// vectorsOf returns plain, or loops with the same results: fast, and stream for results that are written past the
// caches. Both may be nil.
func vectorsOf[D, S any](n int, fast, stream, plain func(out []D, x []S)) func(out []D, x []S) {
	if stream == nil {
		return exactly(fast, plain)
	}
	return streaming(n, exactly(fast, plain), exactly(stream, plain))
}

func convertRow[D, S element](out []D, x []S) {
	for i, v := range x[:len(out)] {
		out[i] = D(v)
	}
}

// castHalf widens to F32 and converts from there.
func castHalf[H backend.Float16 | backend.BFloat16 | backend.Float8](
	out *Storage, to kernels.DType, in backend.Operand, load func(H) float32,
) {
	wide := out
	if to != kernels.F32 {
		wide = NewUninitialized(4 * in.Layout.ElemCount())
	}
	castElems(View[float32](wide.Data), in, load)
	if to != kernels.F32 {
		castFrom[float32](out, to, backend.Operand{Store: wide, DType: kernels.F32,
			Layout: backend.Dense(in.Layout.Shape)})
	}
}

func castFrom[S element](out *Storage, to kernels.DType, in backend.Operand) {
	switch to {
	case kernels.U8:
		castElems(View[uint8](out.Data), in, convert[S, uint8](to))
	case kernels.U32:
		castElems(View[uint32](out.Data), in, convert[S, uint32](to))
	case kernels.I16:
		castElems(View[int16](out.Data), in, convert[S, int16](to))
	case kernels.I8:
		castElems(View[int8](out.Data), in, convert[S, int8](to))
	case kernels.U16:
		castElems(View[uint16](out.Data), in, convert[S, uint16](to))
	case kernels.U64:
		castElems(View[uint64](out.Data), in, convert[S, uint64](to))
	case kernels.I32:
		castElems(View[int32](out.Data), in, convert[S, int32](to))
	case kernels.I64:
		castElems(View[int64](out.Data), in, convert[S, int64](to))
	case kernels.F32:
		castElems(View[float32](out.Data), in, func(x S) float32 { return float32(x) })
	case kernels.F64:
		castElems(View[float64](out.Data), in, func(x S) float64 { return float64(x) })
	case kernels.F16:
		castElems(View[backend.Float16](out.Data), in,
			func(x S) backend.Float16 { return backend.Float16Of(narrowOdd(x)) })
	case kernels.BF16:
		castElems(View[backend.BFloat16](out.Data), in,
			func(x S) backend.BFloat16 { return backend.BFloat16Of(narrowOdd(x)) })
	case kernels.F8E4M3:
		castElems(View[backend.Float8](out.Data), in,
			func(x S) backend.Float8 { return backend.Float8Of(narrowOdd(x)) })
	}
}

// narrowOdd returns x as a float32 that may be rounded once more (see RoundToOdd).
func narrowOdd[S element](x S) float32 {
	if sizeOf[S]() == 4 && !isInteger[S]() {
		return float32(x)
	}
	f := float64(x)
	// beyond the digits of a float64: its last bit records that there was more
	if isInteger[S]() && math.Abs(f) >= 1<<53 {
		lost := uint64(x) & 0xfff
		f = float64(x - S(lost))
		if lost != 0 {
			f = math.Nextafter(f, math.Inf(1))
		}
	}
	return backend.RoundToOdd(f)
}

// convert returns the conversion to an integer type: integers wrap, floats lose the fraction and stop at the range's
// ends.
func convert[S, D element](to kernels.DType) func(S) D {
	if S(3)/S(2) == 1 { // S is an integer type
		return func(x S) D { return D(x) }
	}
	lowest, highest := backend.IntRange(to)
	low, high := float64(lowest), float64(highest)
	return func(x S) D {
		v := float64(x)
		switch {
		case v != v:
			return 0
		case v <= low:
			return D(lowest)
		case v >= high:
			return D(highest)
		}
		return D(math.Trunc(v))
	}
}

func castElems[S, D any](out []D, in backend.Operand, f func(S) D) {
	src := elems[S](in)
	m := backend.Coalesce(in.Layout.Shape, in.Layout.Strides)
	step := m.Strides[0][len(m.Dims)-1]
	Parallel(len(out), 1, func(lo, hi int) {
		m.EachRun(lo, hi, func(r backend.Run) {
			src, out := src[r.Offsets[0]:], out[r.Index:r.Index+r.Len]
			for i := range out {
				out[i] = f(src[i*step])
			}
		})
	})
}
