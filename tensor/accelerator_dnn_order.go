package tensor

import (
	"github.com/gorocm/gorocm/rocm"
)

// Images lie as [images channels rows columns], or with the channels last, which users choose by permuting them. The library computes either as they lie.

// dnnLibrary is what a device does with its library for convolutions and pools.
type dnnLibrary interface {
	HasDNN() bool
	MayConvolve(c *rocm.Conv) bool
	Convolve(c *rocm.Conv) (bool, error)
	Pool(l *rocm.Pooling) (bool, error)
}

// channelsLastOn is the platform on which libraries get images as they lie where the channels are last. MIOpen takes them, too, but nobody has measured
// whether that is faster than the copies.
var channelsLastOn = rocm.CUDA

// convolved is what a convolution makes of two operands, in the order of elements that the first has. It reports false where the library does not take it.
func (a *accelerator) convolved(c *rocm.Conv, ins [2]operand, shape []int) (out operand, ok bool, err error) {
	if a.dev.Info().Platform == channelsLastOn && liesLast(ins[0].layout) {
		out, ok, err = a.convolvedIn(true, c, ins, shape)
		if ok || err != nil && !isOutOfMemory(err) { // a copy of the other operand may be too much
			return out, ok, err
		}
	}
	return a.convolvedIn(false, c, ins, shape)
}

// lastDims puts the channels last, firstDims back.
var lastDims, firstDims = []int{0, 2, 3, 1}, []int{0, 3, 1, 2}

// convolvedIn is convolved in one order. Images that come with the channels last leave so; all other results are in row-major order.
func (a *accelerator) convolvedIn(last bool, c *rocm.Conv, ins [2]operand, shape []int) (out operand, ok bool, err error) {
	conv := *c
	conv.ChannelsLast = last
	if !a.dnn.MayConvolve(&conv) { // before anything is copied
		return out, false, nil
	}
	work := "convolution " + c.Pass.String()
	if last {
		for i, x := range ins {
			v := operand{x.store, x.dtype, x.layout.permute(lastDims)}
			if v.layout.Offset*v.dtype.Size()%lastAlignment != 0 {
				if err := v.store.ready(); err != nil {
					return out, false, err
				}
				if v, err = a.densed(v); err != nil {
					return out, false, err
				}
				defer v.store.release()
			}
			ins[i] = v
		}
		work += " with channels last"
		shape = []int{shape[0], shape[2], shape[3], shape[1]}
	}
	out, ok, err = a.byLibrary(work, shape, ins[:], func(places []rocm.Place, to rocm.Place) (bool, error) {
		switch c.Pass {
		case rocm.ConvForward:
			conv.X, conv.Weights, conv.Y = places[0], places[1], to
		case rocm.ConvData:
			conv.Y, conv.Weights, conv.X = places[0], places[1], to
		default:
			conv.X, conv.Y, conv.Weights = places[0], places[1], to
		}
		return a.dnn.Convolve(&conv)
	})
	if !ok || !last {
		return out, ok, err
	}
	out.layout = out.layout.permute(firstDims)
	if c.Pass != rocm.ConvWeights || out.layout.IsContiguous() {
		return out, true, nil
	}
	defer out.store.release()
	out, err = a.densed(out)
	return out, err == nil, err
}

// liesLast reports whether images lie densely with the channels last, and not in row-major order, too.
func liesLast(l strided) bool {
	return !l.IsContiguous() && l.permute(lastDims).IsContiguous()
}

// lastAlignment is how operands with the channels last must lie: matrix cores load 16 bytes at a time.
const lastAlignment = 16
