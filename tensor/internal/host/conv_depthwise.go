package host

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// depthwiseRows convolves each channel of dense images with weights of its own, on the padded planes of
// ConvolveTiles: the result is a sum of shifted planes, each times a weight. Columns beyond the width of the result
// are dropped. Planes are made for one channel at a time, which stays in the nearest cache. It returns nil where it
// cannot be used.
func depthwiseRows(in, weight backend.Operand, p kernels.Conv) backend.Storage {
	if simd.Fast.SumRows == nil || isSpread(p) {
		return nil
	}
	ty, tx, oy, ox, many := int(p.Y.Taps), int(p.X.Taps), int(p.Y.Out), int(p.X.Out), int(p.Multiplier)
	pl := newPlanes(p)
	spans, phase, size := pl.spans(), pl.each/pl.y.phases, int(p.Y.In*p.X.In)
	src := elems[float32](in)
	at := make([]int32, ty*tx)
	for k := range at {
		at[k] = int32(pl.tap(k/tx, k%tx))
	}
	h, out := uninitElems[float32](int(p.Planes)*many*oy*ox, 4)
	w := elems[float32](weight)
	Parallel(int(p.Planes)*many, oy*ox*len(at)/4, func(lo, hi int) {
		room := pl.each + pl.x.length // the last row reaches beyond the planes; those columns are dropped
		both, buffer := scratchFloats(room + pl.columns())
		defer scratch.Put(buffer)
		channel, sums := both[:room], both[room:]
		clear(channel[pl.each:])
		for i := lo; i < hi; i++ {
			if i == lo || i%many == 0 {
				image := src[i/many*size:][:size]
				for fy := range pl.y.phases {
					pl.copyPhase(channel[fy*phase:(fy+1)*phase], image, fy, spans)
				}
			}
			taps := w[i%(int(p.Channels)*many)*len(at):][:len(at)]
			simd.Fast.SumRows(sums, channel, at, taps)
			for r := range oy {
				copy(out[(i*oy+r)*ox:][:ox], sums[r*pl.x.length:])
			}
		}
	})
	return h
}
