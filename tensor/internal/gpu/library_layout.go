package gpu

import (
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Images are [images channels rows columns] in memory, or have their channels last, which users choose by permuting
// them. The library computes in either order.

// DNNLibrary is a device's library for convolutions and pools.
type DNNLibrary interface {
	HasDNN() bool
	MayConvolve(c *rocm.Conv) bool
	Convolve(c *rocm.Conv) (bool, error)
	Pool(l *rocm.Pooling) (bool, error)
}

// ChannelsLastOn is the platform whose library gets images with channels last as they are. MIOpen takes them, too,
// but nobody has measured whether that is faster than copying.
var ChannelsLastOn = rocm.CUDA

// convolved computes a convolution of two operands in the channel order of the first. It reports false where the
// library does not take it.
func convolved(
	b *Backend, c *rocm.Conv, ins [2]backend.Operand, shape []int,
) (out backend.Operand, ok bool, err error) {
	if b.dev.Info().Platform == ChannelsLastOn && isChannelsLast(ins[0].Layout) {
		out, ok, err = convolvedIn(b, true, c, ins, shape)
		if ok || err != nil && !backend.IsOutOfMemory(err) { // the copy of the other operand may not fit
			return out, ok, err
		}
	}
	return convolvedIn(b, false, c, ins, shape)
}

// Permutations of dims: from [images channels rows columns] to channels last, and back.
var toChannelsLast, toChannelsFirst = []int{0, 2, 3, 1}, []int{0, 3, 1, 2}

// convolvedIn is convolved in one order. Images with channels last stay so; all other results are in row-major order.
func convolvedIn(
	b *Backend, last bool, c *rocm.Conv, ins [2]backend.Operand, shape []int,
) (out backend.Operand, ok bool, err error) {
	conv := *c
	conv.ChannelsLast = last
	if !b.DNN.MayConvolve(&conv) { // before anything is copied
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
				if v, err = b.makeDense(v); err != nil {
					return out, false, err
				}
				defer v.Store.Release()
			}
			ins[i] = v
		}
		work += " with channels last"
		shape = []int{shape[0], shape[2], shape[3], shape[1]}
	}
	out, ok, err = byLibrary(b, work, shape, ins[:], func(places []rocm.Place, to rocm.Place) (bool, error) {
		switch c.Pass {
		case rocm.ConvForward:
			conv.X, conv.Weights, conv.Y = places[0], places[1], to
		case rocm.ConvData:
			conv.Y, conv.Weights, conv.X = places[0], places[1], to
		default:
			conv.X, conv.Y, conv.Weights = places[0], places[1], to
		}
		return b.DNN.Convolve(&conv)
	})
	if !ok || !last {
		return out, ok, err
	}
	out.Layout = out.Layout.Permute(toChannelsFirst)
	if c.Pass != rocm.ConvWeights || out.Layout.IsContiguous() {
		return out, true, nil
	}
	defer out.Store.Release()
	out, err = b.makeDense(out)
	return out, err == nil, err
}

// isChannelsLast reports whether images are dense with channels last, and not in row-major order as well.
func isChannelsLast(l backend.Layout) bool {
	return !l.IsContiguous() && l.Permute(toChannelsLast).IsContiguous()
}

// ChannelsLastAlignment is the alignment of operands with channels last, in bytes: matrix cores load so many at a
// time.
const ChannelsLastAlignment = 16
