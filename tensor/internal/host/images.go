package host

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/simd"
)

func (b Backend) Pool(in backend.Operand, p kernels.Pool, maximum bool) (backend.Storage, error) {
	defer timed("pool", in.DType)()
	switch in.DType {
	case kernels.U8:
		return poolMax[uint8](in, p), nil
	case kernels.U32:
		return poolMax[uint32](in, p), nil
	case kernels.I16:
		return poolMax[int16](in, p), nil
	case kernels.I8:
		return poolMax[int8](in, p), nil
	case kernels.U16:
		return poolMax[uint16](in, p), nil
	case kernels.U64:
		return poolMax[uint64](in, p), nil
	case kernels.I32:
		return poolMax[int32](in, p), nil
	case kernels.I64:
		return poolMax[int64](in, p), nil
	case kernels.F32:
		if maximum {
			return poolMax[float32](in, p), nil
		}
		return poolMean[float32](in, p), nil
	case kernels.F64:
		if maximum {
			return poolMax[float64](in, p), nil
		}
		return poolMean[float64](in, p), nil
	}
	return b.viaF32(in.DType, false, []backend.Operand{in},
		func(ins []backend.Operand) (backend.Storage, error) { return b.Pool(ins[0], p, maximum) })
}

// eachWindow calls f for every output with the index of the first element of its window in dense images.
func eachWindow(p kernels.Pool, f func(to, from int)) {
	oh, ow := int(p.OH), int(p.OW)
	Parallel(int(p.Planes)*oh, ow*int(p.KH*p.KW), func(lo, hi int) {
		for r := lo; r < hi; r++ {
			for c := range ow {
				f(r*ow+c, (r/oh*int(p.H)+r%oh*int(p.SH))*int(p.W)+c*int(p.SW))
			}
		}
	})
}

func poolMax[T element](in backend.Operand, p kernels.Pool) backend.Storage {
	h, out := uninitElems[T](int(p.Planes*p.OH*p.OW), sizeOf[T]())
	src := elems[T](in)
	if f, ok := any(vectorPoolMax()).(func(out, src []T, p kernels.Pool)); ok && f != nil {
		f(out, src, p)
		return h
	}
	eachWindow(p, func(to, from int) {
		top := src[from]
		for j := range int(p.KH) {
			for _, v := range src[from+j*int(p.W):][:p.KW] {
				top = max(top, v) // NaN wins
			}
		}
		out[to] = top
	})
	return h
}

// vectorPoolMax returns a loop for a row of the result: the maxima of the columns of its windows, then of neighbours
// among these, of which it keeps every stride-th one.
func vectorPoolMax() func(out, src []float32, p kernels.Pool) {
	maximum := simd.Fast.Maximum
	if maximum == nil {
		return nil
	}
	return func(out, src []float32, p kernels.Pool) {
		oh, ow, w := int(p.OH), int(p.OW), int(p.W)
		Parallel(int(p.Planes)*oh, w*int(p.KH+p.KW), func(lo, hi int) {
			columns, windows := make([]float32, w), make([]float32, w)
			for r := lo; r < hi; r++ {
				lines := src[(r/oh*int(p.H)+r%oh*int(p.SH))*w:]
				copy(columns, lines)
				for j := 1; j < int(p.KH); j++ {
					maximum(columns, columns, lines[j*w:])
				}
				found := windows[:w-int(p.KW)+1]
				copy(found, columns)
				for k := 1; k < int(p.KW); k++ {
					maximum(found, found, columns[k:])
				}
				for c := range ow {
					out[r*ow+c] = found[c*int(p.SW)]
				}
			}
		})
	}
}

func poolMean[T float32 | float64](in backend.Operand, p kernels.Pool) backend.Storage {
	h, out := uninitElems[T](int(p.Planes*p.OH*p.OW), sizeOf[T]())
	src := elems[T](in)
	eachWindow(p, func(to, from int) {
		sum := 0.0
		for j := range int(p.KH) {
			for _, v := range src[from+j*int(p.W):][:p.KW] {
				sum += float64(v)
			}
		}
		out[to] = T(sum / float64(p.KH*p.KW))
	})
	return h
}

func (b Backend) Upsample(in backend.Operand, p kernels.Resize, bilinear bool) (backend.Storage, error) {
	defer timed("upsample", in.DType)()
	switch {
	case bilinear && in.DType == kernels.F32:
		return upsampleBilinear[float32](in, p), nil
	case bilinear && in.DType == kernels.F64:
		return upsampleBilinear[float64](in, p), nil
	case bilinear:
		return b.viaF32(in.DType, false, []backend.Operand{in},
			func(ins []backend.Operand) (backend.Storage, error) { return b.Upsample(ins[0], p, true) })
	}
	switch in.DType.Size() {
	case 1:
		return upsampleNearest[uint8](in, p), nil
	case 2:
		return upsampleNearest[uint16](in, p), nil
	case 4:
		return upsampleNearest[uint32](in, p), nil
	}
	return upsampleNearest[uint64](in, p), nil
}

func nearest(i int, scale float64, n int64) int { return min(int(float64(i)*scale), int(n)-1) }

func upsampleNearest[B any](in backend.Operand, p kernels.Resize) backend.Storage {
	oh, ow := int(p.OH), int(p.OW)
	h, out := uninitElems[B](int(p.Planes)*oh*ow, sizeOf[B]())
	src := elems[B](in)
	columns := make([]int32, ow)
	for c := range columns {
		columns[c] = int32(nearest(c, p.ScaleW, p.W))
	}
	twice := ow == 2*int(p.W)
	for c, x := range columns {
		twice = twice && int(x) == c/2
	}
	Parallel(int(p.Planes)*oh, ow, func(lo, hi int) {
		before := -1 // the input row of the previous output row
		for r := lo; r < hi; r++ {
			from, to := r/oh*int(p.H)+nearest(r%oh, p.ScaleH, p.H), out[r*ow:(r+1)*ow]
			if from == before {
				copy(to, out[(r-1)*ow:])
				continue
			}
			before = from
			line := src[from*int(p.W):][:p.W]
			if twice {
				for x, v := range line {
					pair := to[2*x:][:2]
					pair[0], pair[1] = v, v
				}
				continue
			}
			for c, x := range columns {
				to[c] = line[x]
			}
		}
	})
	return h
}

// bilinearWeights returns the input indices that output i is interpolated from, along a dim of n elements, and the
// weight of the second.
func bilinearWeights(i int, scale float64, aligned bool, n int64) (low, high int, weight float64) {
	at := float64(i) * scale
	if !aligned {
		at = max((float64(i)+0.5)*scale-0.5, 0)
	}
	low = min(int(at), int(n)-1)
	high = min(low+1, int(n)-1)
	return low, high, min(at-float64(low), 1)
}

func upsampleBilinear[T float32 | float64](in backend.Operand, p kernels.Resize) backend.Storage {
	oh, ow := int(p.OH), int(p.OW)
	h, out := uninitElems[T](int(p.Planes)*oh*ow, sizeOf[T]())
	src := elems[T](in)
	columns := make([]columnWeights, ow)
	for c := range columns {
		x0, x1, wx := bilinearWeights(c, p.ScaleW, p.Aligned != 0, p.W)
		columns[c] = columnWeights{int32(x0), int32(x1), 1 - wx, wx}
	}
	Parallel(int(p.Planes)*oh, ow*4, func(lo, hi int) {
		// Horizontally resized input rows by their index: neighbouring output rows use the same ones.
		rows, numbers := [2][]float64{make([]float64, ow), make([]float64, ow)}, [2]int{-1, -1}
		stretched := func(row, other int) (place int) {
			for i, n := range numbers {
				if n == row {
					return i
				}
			}
			if numbers[0] == other {
				place = 1
			}
			numbers[place] = row
			line, to := src[row*int(p.W):][:p.W], rows[place]
			for c, x := range columns {
				to[c] = float64(float64(line[x.low])*x.first) + float64(float64(line[x.high])*x.second)
			}
			return place
		}
		for r := lo; r < hi; r++ {
			y0, y1, wy := bilinearWeights(r%oh, p.ScaleH, p.Aligned != 0, p.H)
			y0, y1 = y0+r/oh*int(p.H), y1+r/oh*int(p.H)
			first := stretched(y0, y1)
			above, below := rows[first], rows[stretched(y1, y0)]
			to := out[r*ow : (r+1)*ow]
			for c, v := range above[:len(to)] {
				to[c] = T(float64(v*(1-wy)) + float64(below[c]*wy))
			}
		}
	})
	return h
}

// columnWeights is what an output column is interpolated from.
type columnWeights struct {
	low, high     int32
	first, second float64 // weights of the two
}
