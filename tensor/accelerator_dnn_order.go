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

// convolved is what a convolution makes of two operands, in the order of elements that the first has; nil where the library does not take it.
func (a *accelerator) convolved(op string, c *rocm.Conv, ins [2]*Tensor, shape []int) (*Tensor, error) {
	if a.dev.Info().Platform == channelsLastOn && liesLast(ins[0]) {
		y, err := a.convolvedIn(op, true, c, ins, shape)
		if y != nil || err != nil && !isOutOfMemory(err) { // a copy of the other operand may be too much
			return y, err
		}
	}
	return a.convolvedIn(op, false, c, ins, shape)
}

// lastDims puts the channels last, firstDims back.
var lastDims, firstDims = []int{0, 2, 3, 1}, []int{0, 3, 1, 2}

// convolvedIn is convolved in one order. Images that come with the channels last leave so; all other results are in row-major order.
func (a *accelerator) convolvedIn(op string, last bool, c *rocm.Conv, ins [2]*Tensor, shape []int) (*Tensor, error) {
	conv := *c
	conv.ChannelsLast = last
	if !a.dnn.MayConvolve(&conv) { // before anything is copied
		return nil, nil
	}
	work := "convolution " + c.Pass.String()
	if last {
		for i, x := range ins {
			v := x.plain().view(x.layout.permute(lastDims))
			if v.layout.Offset*v.dtype.Size()%lastAlignment != 0 {
				var err error
				if v, err = v.copied(op); err != nil {
					return nil, err
				}
				defer v.Free()
			}
			ins[i] = v
		}
		work += " with channels last"
		shape = []int{shape[0], shape[2], shape[3], shape[1]}
	}
	y, err := a.byLibrary(op, work, shape, ins[:], func(places []rocm.Place, to rocm.Place) (bool, error) {
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
	if y == nil || !last {
		return y, err
	}
	v := y.view(y.layout.permute(firstDims))
	if c.Pass != rocm.ConvWeights || v.IsContiguous() {
		return v, nil
	}
	defer y.Free()
	return v.copied(op)
}

// liesLast reports whether images lie densely with the channels last, and not in row-major order, too.
func liesLast(t *Tensor) bool {
	return !t.IsContiguous() && t.layout.permute(lastDims).IsContiguous()
}

// lastAlignment is how operands with the channels last must lie: matrix cores load 16 bytes at a time.
const lastAlignment = 16
