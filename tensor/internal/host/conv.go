package host

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// inputIndex returns the index of the input element that tap k reads for output o, or -1 for padding.
func inputIndex(w kernels.Window, o, k int) int {
	i := o*int(w.OutStep) + int(w.Offset) + k*int(w.TapStep)
	if i < 0 || i%int(w.InStep) != 0 || i/int(w.InStep) >= int(w.In) {
		return -1
	}
	return i / int(w.InStep)
}

func (Backend) Im2col(in backend.Operand, p kernels.Conv) (backend.Storage, error) {
	defer timed("im2col", in.DType, int(p.Planes*p.Y.Taps*p.X.Taps*p.Y.Out*p.X.Out)*in.DType.Size(), in)()
	switch in.DType.Size() {
	case 1:
		return im2colElems[uint8](in, p), nil
	case 2:
		return im2colElems[uint16](in, p), nil
	case 4:
		return im2colElems[uint32](in, p), nil
	}
	return im2colElems[uint64](in, p), nil
}

func im2colElems[B any](in backend.Operand, p kernels.Conv) backend.Storage {
	ty, tx, oy, ox := int(p.Y.Taps), int(p.X.Taps), int(p.Y.Out), int(p.X.Out)
	rows := int(p.Planes) * ty * tx * oy
	h, out := newElems[B](rows*ox, sizeOf[B]())
	src := elems[B](in)
	Parallel(rows, ox, func(lo, hi int) {
		for r := lo; r < hi; r++ {
			y := inputIndex(p.Y, r%oy, r/oy/tx%ty)
			if y < 0 {
				continue // new memory is zero
			}
			line := src[(r/oy/tx/ty*int(p.Y.In)+y)*int(p.X.In):]
			to, tap := out[r*ox:(r+1)*ox], r/oy%tx
			for c := range to {
				if x := inputIndex(p.X, c, tap); x >= 0 {
					to[c] = line[x]
				}
			}
		}
	})
	return h
}

// isSpread reports whether there are zeros between the elements of the input: a transposed convolution with a stride.
func isSpread(p kernels.Conv) bool { return p.Y.InStep != 1 || p.X.InStep != 1 }

// convFlops is how often a convolution multiplies and adds: each result has all taps, but for those in the padding.
// Where the input is spread, the taps of results differ, and are not counted.
func convFlops(p kernels.Conv, results, taps int) int {
	if isSpread(p) {
		return 0
	}
	return 2 * results * taps
}

func (b Backend) Depthwise(in, weight backend.Operand, p kernels.Conv) (backend.Storage, error) {
	results := int(p.Planes * p.Multiplier * p.Y.Out * p.X.Out)
	flops := convFlops(p, results, int(p.Y.Taps*p.X.Taps))
	defer timedProduct("depthwise", in.DType, flops, results*in.DType.Size(), in, weight)()
	switch in.DType {
	case kernels.U8:
		return depthwiseSums[uint8, int64](in, weight, p), nil
	case kernels.I16:
		return depthwiseSums[int16, int64](in, weight, p), nil
	case kernels.I8:
		return depthwiseSums[int8, int64](in, weight, p), nil
	case kernels.U16:
		return depthwiseSums[uint16, int64](in, weight, p), nil
	case kernels.U64:
		return depthwiseSums[uint64, int64](in, weight, p), nil
	case kernels.U32:
		return depthwiseSums[uint32, int64](in, weight, p), nil
	case kernels.I32:
		return depthwiseSums[int32, int64](in, weight, p), nil
	case kernels.I64:
		return depthwiseSums[int64, int64](in, weight, p), nil
	case kernels.F32:
		if s := depthwiseRows(in, weight, p); s != nil {
			return s, nil
		}
		return depthwiseSums[float32, float64](in, weight, p), nil
	case kernels.F64:
		return depthwiseSums[float64, float64](in, weight, p), nil
	}
	return b.viaF32(in.DType, false, []backend.Operand{in, weight},
		func(ins []backend.Operand) (backend.Storage, error) { return b.Depthwise(ins[0], ins[1], p) })
}
