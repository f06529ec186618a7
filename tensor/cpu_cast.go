package tensor

import (
	"math"

	"github.com/gorocm/gorocm/tensor/internal/simd"
)

func (hostBackend) cast(in operand, to DType) (storage, error) {
	if s := castRows(in, to); s != nil {
		return s, nil
	}
	n := in.layout.ElemCount()
	out := unclearedHost(n * to.Size())
	switch in.dtype {
	case U8:
		castFrom[uint8](out, to, in)
	case U32:
		castFrom[uint32](out, to, in)
	case I16:
		castFrom[int16](out, to, in)
	case I32:
		castFrom[int32](out, to, in)
	case I64:
		castFrom[int64](out, to, in)
	case F32:
		castFrom[float32](out, to, in)
	case F64:
		castFrom[float64](out, to, in)
	case F16:
		castHalf(out, to, in, half.float32)
	case BF16:
		castHalf(out, to, in, bfloat.float32)
	case F8E4M3:
		castHalf(out, to, in, float8.float32)
	}
	return out, nil
}

// castRows converts between the types that package simd knows. For others it returns nil.
func castRows(in operand, to DType) storage {
	n, f, stream := streamable(to.Size(), in), simd.Fast.Casts, simd.Stream.Casts
	switch [2]DType{in.dtype, to} {
	case [2]DType{F16, F32}:
		return mapElems(in, streaming(n, widenRow[half], widenStream[half]))
	case [2]DType{BF16, F32}:
		return mapElems(in, streaming(n, widenRow[bfloat], widenStream[bfloat]))
	case [2]DType{F32, F16}:
		return mapElems(in, narrowRow[half])
	case [2]DType{F32, BF16}:
		return mapElems(in, narrowRow[bfloat])
	case [2]DType{F32, F64}:
		return mapElems(in, converting(n, f.FloatToDouble, stream.FloatToDouble))
	case [2]DType{F64, F32}:
		return mapElems(in, converting(n, f.DoubleToFloat, stream.DoubleToFloat))
	case [2]DType{U8, F32}:
		return mapElems(in, converting(n, f.BytesToFloat, stream.BytesToFloat))
	case [2]DType{I32, F32}:
		return mapElems(in, converting(n, f.IntsToFloat, stream.IntsToFloat))
	case [2]DType{F32, I32}:
		return mapElems(in, truncating(to, n, f.FloatToInt, stream.FloatToInt))
	case [2]DType{F32, I64}:
		return mapElems(in, truncating(to, n, f.FloatToLong, stream.FloatToLong))
	case [2]DType{F64, I64}:
		return mapElems(in, truncating(to, n, f.DoubleToLong, stream.DoubleToLong))
	case [2]DType{I64, F32}:
		return mapElems(in, convertRow[float32, int64])
	case [2]DType{U32, F32}:
		return mapElems(in, convertRow[float32, uint32])
	case [2]DType{I64, F64}:
		return mapElems(in, convertRow[float64, int64])
	case [2]DType{I32, F64}:
		return mapElems(in, convertRow[float64, int32])
	case [2]DType{U8, I64}:
		return mapElems(in, convertRow[int64, uint8])
	case [2]DType{U32, I64}:
		return mapElems(in, convertRow[int64, uint32])
	case [2]DType{I32, I64}:
		return mapElems(in, convertRow[int64, int32])
	case [2]DType{I64, U32}:
		return mapElems(in, convertRow[uint32, int64])
	case [2]DType{I64, I32}:
		return mapElems(in, convertRow[int32, int64])
	}
	return nil
}

// converting is Go's conversion, by the functions of package simd where there are some.
func converting[D, S element](n int, fast, stream func(out []D, x []S)) func(out []D, x []S) {
	return vectorsOf(n, fast, stream, convertRow[D, S])
}

// truncating is converting for floats that become integers: Go does not say what those become that are out of range.
func truncating[D, S element](to DType, n int, fast, stream func(out []D, x []S)) func(out []D, x []S) {
	f := convert[S, D](to)
	return vectorsOf(n, fast, stream, func(out []D, x []S) {
		for i, v := range x[:len(out)] {
			out[i] = f(v)
		}
	})
}

// vectorsOf is plain by functions that give the same, fast or, past the caches, stream; each may be nil.
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

// castHalf widens to F32, from where the other conversions start.
func castHalf[H half | bfloat | float8](out *hostStorage, to DType, in operand, load func(H) float32) {
	wide := out
	if to != F32 {
		wide = unclearedHost(4 * in.layout.ElemCount())
	}
	castElems(hostView[float32](wide.data), in, load)
	if to != F32 {
		castFrom[float32](out, to, operand{wide, F32, denseLayout(in.layout.Shape)})
	}
}

func castFrom[S element](out *hostStorage, to DType, in operand) {
	switch to {
	case U8:
		castElems(hostView[uint8](out.data), in, convert[S, uint8](to))
	case U32:
		castElems(hostView[uint32](out.data), in, convert[S, uint32](to))
	case I16:
		castElems(hostView[int16](out.data), in, convert[S, int16](to))
	case I32:
		castElems(hostView[int32](out.data), in, convert[S, int32](to))
	case I64:
		castElems(hostView[int64](out.data), in, convert[S, int64](to))
	case F32:
		castElems(hostView[float32](out.data), in, func(x S) float32 { return float32(x) })
	case F64:
		castElems(hostView[float64](out.data), in, func(x S) float64 { return float64(x) })
	case F16:
		castElems(hostView[half](out.data), in, func(x S) half { return halfOf(narrowOdd(x)) })
	case BF16:
		castElems(hostView[bfloat](out.data), in, func(x S) bfloat { return bfloatOf(narrowOdd(x)) })
	case F8E4M3:
		castElems(hostView[float8](out.data), in, func(x S) float8 { return float8Of(narrowOdd(x)) })
	}
}

// narrowOdd is x as a float32 that can be rounded once more (see toOdd).
func narrowOdd[S element](x S) float32 {
	if kernelSize[S]() == 4 && !isInteger[S]() {
		return float32(x)
	}
	f := float64(x)
	if isInteger[S]() && math.Abs(f) >= 1<<53 { // beyond the digits of a float64: keep in its last bit that there was more
		f = float64(int64(x) &^ 0xfff)
		if int64(x)&0xfff != 0 {
			f = math.Nextafter(f, math.Inf(1))
		}
	}
	return toOdd(f)
}

// convert returns the conversion to an integer type: integers wrap, floats lose the fraction and stop at the range's ends.
func convert[S, D element](to DType) func(S) D {
	if S(3)/S(2) == 1 { // S is an integer type
		return func(x S) D { return D(x) }
	}
	low, high := float64(ranges[to][0]), float64(ranges[to][1])
	return func(x S) D {
		v := float64(x)
		switch {
		case v != v:
			return 0
		case v <= low:
			return D(ranges[to][0])
		case v >= high:
			return D(ranges[to][1])
		}
		return D(math.Trunc(v))
	}
}

func castElems[S, D any](out []D, in operand, f func(S) D) {
	src := elems[S](in)
	m := merge(in.layout.Shape, in.layout.Strides)
	step := m.strides[0][len(m.dims)-1]
	parallel(len(out), 1, func(lo, hi int) {
		m.each(lo, hi, func(r run) {
			src, out := src[r.off[0]:], out[r.at:r.at+r.n]
			for i := range out {
				out[i] = f(src[i*step])
			}
		})
	})
}
