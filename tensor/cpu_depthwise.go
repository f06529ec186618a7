package tensor

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// depthwiseRows convolves each channel of dense images with kernels of its own, on the padded planes of convolveTiles: the result is
// a sum of planes that are shifted, each times a tap. What lies beyond the width of the result is dropped. It returns nil where it
// cannot be used.
func depthwiseRows(in, weight operand, p kernels.Conv) storage {
	if simd.Fast.SumRows == nil || p.Y.InStep != 1 || p.X.InStep != 1 {
		return nil
	}
	ty, tx, oy, ox, many := int(p.Y.Taps), int(p.X.Taps), int(p.Y.Out), int(p.X.Out), int(p.Multiplier)
	pl := newPlanes(p)
	pl.copyFrom(elems[float32](in), int(p.Planes))
	at := make([]int32, ty*tx)
	for k := range at {
		at[k] = int32(pl.tap(k/tx, k%tx))
	}
	h, out := unclearedElems[float32](int(p.Planes)*many*oy*ox, 4)
	w := elems[float32](weight)
	parallel(int(p.Planes)*many, oy*ox*len(at)/4, func(lo, hi int) {
		sums, buffer := scratchFloats(pl.columns())
		defer scratch.Put(buffer)
		for i := lo; i < hi; i++ {
			taps := w[i%(int(p.Channels)*many)*len(at):][:len(at)]
			simd.Fast.SumRows(sums, pl.data[i/many*pl.each:], at, taps)
			for r := range oy {
				copy(out[(i*oy+r)*ox:][:ox], sums[r*pl.x.length:])
			}
		}
	})
	pl.store.free()
	return h
}
