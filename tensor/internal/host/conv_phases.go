package host

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// A transposed convolution of stride s inserts s-1 zeros between input elements. Outputs whose indices are equal
// modulo s use the same taps, and are an ordinary convolution with these: a phase.

// phase is the outputs first, first + step, … along one dim.
type phase struct {
	first  int
	taps   []int
	window kernels.Window
}

// phases divides a window into those whose InStep is 1.
func phases(w kernels.Window) []phase {
	step := int(w.InStep)
	list := make([]phase, 0, step)
	for first := range min(step, int(w.Out)) {
		if step == 1 {
			taps := make([]int, w.Taps)
			for k := range taps {
				taps[k] = k
			}
			return []phase{{0, taps, w}}
		}
		p := phase{first: first, window: kernels.Window{In: w.In, Out: (w.Out - int64(first) + int64(step) - 1) /
			int64(step), OutStep: 1, InStep: 1}}
		for k := range int(w.Taps) {
			at := first*int(w.OutStep) + int(w.Offset) + k*int(w.TapStep)
			if at%step != 0 {
				continue
			}
			switch len(p.taps) {
			case 0:
				p.window.Offset = int64(at / step)
			case 1:
				p.window.TapStep = int64(at/step) - p.window.Offset
			}
			p.taps = append(p.taps, k)
		}
		p.window.Taps = int64(len(p.taps))
		list = append(list, p)
	}
	return list
}

// convolvePhases is ConvolveTiles for transposed convolutions.
func (b Backend) convolvePhases(
	in, weights backend.Operand, n, groups, outs, depth int, p kernels.Conv,
) backend.Storage {
	oy, ox := int(p.Y.Out), int(p.X.Out)
	images := n * groups * outs
	h, _ := newElems[float32](images*oy*ox, 4)
	w := elems[float32](weights)
	taps := int(p.Y.Taps * p.X.Taps)
	for _, y := range phases(p.Y) {
		for _, x := range phases(p.X) {
			count := len(y.taps) * len(x.taps)
			if count == 0 {
				continue // no taps: zeros
			}
			part := make([]float32, groups*outs*depth/taps*count)
			Parallel(groups*outs*depth/taps, 4*count, func(lo, hi int) {
				to := part[lo*count : hi*count]
				for k := lo; k < hi; k++ {
					from := w[k*taps:][:taps]
					for _, j := range y.taps {
						for _, i := range x.taps {
							to[0] = from[j*int(p.X.Taps)+i]
							to = to[1:]
						}
					}
				}
			})
			q := p
			q.Y, q.X = y.window, x.window
			store := &Storage{Data: BytesOf(part)}
			each := b.ConvolveTiles(in, backend.Operand{Store: store, DType: kernels.F32,
				Layout: backend.Dense([]int{len(part)})}, n, groups, outs, depth/taps*count, q)
			shape := []int{images, int(q.Y.Out), int(q.X.Out)}
			to := backend.Layout{Shape: shape, Strides: []int{oy * ox, int(p.Y.InStep) * ox, int(p.X.InStep)},
				Offset: y.first*ox + x.first}
			copyElems[float32](backend.Operand{Store: each, DType: kernels.F32, Layout: backend.Dense(shape)},
				backend.Operand{Store: h, DType: kernels.F32, Layout: to})
			each.(*Storage).free()
		}
	}
	return h
}
