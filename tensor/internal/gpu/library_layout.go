package gpu

import (
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Images lie as [images channels rows columns], or with the channels last, which users choose by permuting them. The library computes either as they lie.

// DNNLibrary is what a device does with its library for convolutions and pools.
type DNNLibrary interface {
	HasDNN() bool
	MayConvolve(c *rocm.Conv) bool
	Convolve(c *rocm.Conv) (bool, error)
	Pool(l *rocm.Pooling) (bool, error)
}

// ChannelsLastOn is the platform on which libraries get images as they lie where the channels are last. MIOpen takes them, too, but nobody has measured
// whether that is faster than the copies.
var ChannelsLastOn = rocm.CUDA

// convolved is what a convolution makes of two operands, in the order of elements that the first has. It reports false where the library does not take it.
func (a *Backend) convolved(c *rocm.Conv, ins [2]backend.Operand, shape []int) (out backend.Operand, ok bool, err error) {
	if a.dev.Info().Platform == ChannelsLastOn && isChannelsLast(ins[0].Layout) {
		out, ok, err = a.convolvedIn(true, c, ins, shape)
		if ok || err != nil && !backend.IsOutOfMemory(err) { // a copy of the other operand may be too much
			return out, ok, err
		}
	}
	return a.convolvedIn(false, c, ins, shape)
}

// toChannelsLast puts the channels last, toChannelsFirst back.
var toChannelsLast, toChannelsFirst = []int{0, 2, 3, 1}, []int{0, 3, 1, 2}

// convolvedIn is convolved in one order. Images that come with the channels last leave so; all other results are in row-major order.
func (a *Backend) convolvedIn(last bool, c *rocm.Conv, ins [2]backend.Operand, shape []int) (out backend.Operand, ok bool, err error) {
	conv := *c
	conv.ChannelsLast = last
	if !a.DNN.MayConvolve(&conv) { // before anything is copied
		return out, false, nil
	}
	work := "convolution " + c.Pass.String()
	if last {
		for i, x := range ins {
			v := backend.Operand{Store: x.Store, DType: x.DType, Layout: x.Layout.Permute(toChannelsLast)}
			if v.Layout.Offset*v.DType.Size()%ChannelsLastAlignment != 0 {
				if err := v.Store.Materialize(); err != nil {
					return out, false, err
				}
				if v, err = a.makeDense(v); err != nil {
					return out, false, err
				}
				defer v.Store.Release()
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
		return a.DNN.Convolve(&conv)
	})
	if !ok || !last {
		return out, ok, err
	}
	out.Layout = out.Layout.Permute(toChannelsFirst)
	if c.Pass != rocm.ConvWeights || out.Layout.IsContiguous() {
		return out, true, nil
	}
	defer out.Store.Release()
	out, err = a.makeDense(out)
	return out, err == nil, err
}

// isChannelsLast reports whether images lie densely with the channels last, and not in row-major order, too.
func isChannelsLast(l backend.Layout) bool {
	return !l.IsContiguous() && l.Permute(toChannelsLast).IsContiguous()
}

// ChannelsLastAlignment is how operands with the channels last must lie: matrix cores load 16 bytes at a time.
const ChannelsLastAlignment = 16
