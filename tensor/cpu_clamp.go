package tensor

import (
	"math"

	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// clamp gives the elements of in between two of one element each.
func (hostBackend) clamp(in, lo, hi operand) storage {
	switch in.dtype {
	case U8:
		return clampElems[uint8](in, lo, hi)
	case U32:
		return clampElems[uint32](in, lo, hi)
	case I16:
		return clampElems[int16](in, lo, hi)
	case I32:
		return clampElems[int32](in, lo, hi)
	case I64:
		return clampElems[int64](in, lo, hi)
	case F32:
		return clampElems[float32](in, lo, hi)
	case F64:
		return clampElems[float64](in, lo, hi)
	}
	var bounds [2]float32
	widen(bounds[:1], lo.store.(*hostStorage).data, lo.dtype)
	widen(bounds[1:], hi.store.(*hostStorage).data, hi.dtype)
	return mapSmall(in, clampRow(bounds[0], bounds[1], chunk))
}

func clampElems[T element](in, lo, hi operand) storage {
	return mapElems(in, clampRow(elems[T](lo)[0], elems[T](hi)[0], streamable(kernelSize[T](), in)))
}

func clampRow[T element](lo, hi T, n int) func(out, x []T) {
	if f, ok := any(vectorClamp(float32(lo), float32(hi), n)).(func(out, x []T)); ok && f != nil {
		return f
	}
	greater, lesser := binaryRow[T](binaryOps["maximum"], 0), binaryRow[T](binaryOps["minimum"], 0)
	los, his := make([]T, chunk), make([]T, chunk)
	fillAll(los, lo)
	fillAll(his, hi)
	return func(out, x []T) {
		for at := 0; at < len(out); at += chunk {
			part := out[at:min(at+chunk, len(out))]
			greater(part, x[at:at+len(part)], los[:len(part)])
			lesser(part, part, his[:len(part)])
		}
	}
}

// vectorClamp is clampRow for float32, or nil where there are no vector loops and for bounds that are NaN.
func vectorClamp(lo, hi float32, n int) func(out, x []float32) {
	plain, stream := simd.Fast.Clamp, simd.Stream.Clamp
	if plain == nil || lo != lo || hi != hi {
		return nil
	}
	// -0 is less than 0.
	keep, set := uint32(math.MaxUint32), uint32(0)
	if math.Float32bits(lo) == 0 {
		keep = math.MaxInt32
	}
	if math.Float32bits(hi) == 1<<31 {
		set = 1 << 31
	}
	return streaming(n, func(out, x []float32) { plain(out, x, lo, hi, keep, set) }, func(out, x []float32) { stream(out, x, lo, hi, keep, set) })
}
