package host

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

func (b Backend) Upsample(in backend.Operand, p kernels.Resize, bilinear bool) (backend.Storage, error) {
	defer timed("upsample", in.DType, int(p.Planes*p.OH*p.OW)*in.DType.Size(), in)()
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
