package host

import (
	"math"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// Clamp limits the elements of in to the range of two operands of one element each.
func (Backend) Clamp(in, lo, hi backend.Operand) backend.Storage {
	defer timed("clamp", in.DType, sizeFor(in, in.DType), in, lo, hi)()
	switch in.DType {
	case kernels.U8:
		return clampElems[uint8](in, lo, hi)
	case kernels.U32:
		return clampElems[uint32](in, lo, hi)
	case kernels.I16:
		return clampElems[int16](in, lo, hi)
	case kernels.I8:
		return clampElems[int8](in, lo, hi)
	case kernels.U16:
		return clampElems[uint16](in, lo, hi)
	case kernels.U64:
		return clampElems[uint64](in, lo, hi)
	case kernels.I32:
		return clampElems[int32](in, lo, hi)
	case kernels.I64:
		return clampElems[int64](in, lo, hi)
	case kernels.F32:
		return clampElems[float32](in, lo, hi)
	case kernels.F64:
		return clampElems[float64](in, lo, hi)
	}
	var bounds [2]float32
	Widen(bounds[:1], lo.Store.(*Storage).Data, lo.DType)
	Widen(bounds[1:], hi.Store.(*Storage).Data, hi.DType)
	return mapSmall(in, clampRow(bounds[0], bounds[1], chunk))
}

func clampElems[T element](in, lo, hi backend.Operand) backend.Storage {
	return mapElems(in, clampRow(elems[T](lo)[0], elems[T](hi)[0], streamable(sizeOf[T](), in)))
}

func clampRow[T element](lo, hi T, n int) func(out, x []T) {
	if f, ok := any(vectorClamp(float32(lo), float32(hi), n)).(func(out, x []T)); ok && f != nil {
		return f
	}
	greater, lesser := binaryRow[T](backend.BinaryOps["maximum"], 0), binaryRow[T](backend.BinaryOps["minimum"], 0)
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
	return streaming(n, func(out, x []float32) { plain(out, x, lo, hi, keep, set) },
		func(out, x []float32) { stream(out, x, lo, hi, keep, set) })
}
