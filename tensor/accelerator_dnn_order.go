package tensor

import (
	"math"
	"time"

	"github.com/gorocm/gorocm/rocm"
)

// Images lie as [images channels rows columns], and libraries convolve them so. Matrix cores add over channels: those of f16 and bf16 are fast where the
// channels lie side by side. Operands that do not are copied into that order, and the result back.

// dnnLibrary is what a device does with its library for convolutions and pools.
type dnnLibrary interface {
	HasDNN() bool
	MeasuresDNN() bool
	MayConvolve(c *rocm.Conv) bool
	Convolve(c *rocm.Conv) (bool, error)
	Pool(l *rocm.Pooling) (bool, error)
}

// channelsLastOn is the platform on which libraries get operands with the channels last. MIOpen takes them, too, but nobody has measured whether
// that is faster.
var channelsLastOn = rocm.CUDA

// channelsLast reports whether a convolution may be computed with the channels last, and whether it is unless both orders are measured: the one
// rule, from what cuDNN's documentation says of its older calls. They have tensor cores add 8 channels of a group at a time, and channels that are no
// multiple of 8 would be filled up, in copies of their own. Groups are not expected to win: each is too narrow for the tiles of large products.
func channelsLast(p rocm.Platform, c *rocm.Conv) (may, does bool) {
	const together = 8
	may = p == channelsLastOn && (c.Elem == "f16" || c.Elem == "bf16") && c.Channels/c.Groups%together == 0 && c.Outs/c.Groups%together == 0
	return may, may && c.Groups == 1
}

// convolved is what a convolution makes of two operands, in the order of elements that is best; nil where the library does not take it.
func (a *accelerator) convolved(op string, c *rocm.Conv, ins [2]*Tensor, shape []int) (*Tensor, error) {
	last, err := a.bestOrder(op, c, ins, shape)
	if err != nil {
		return nil, err
	}
	if last {
		y, err := a.convolvedIn(op, true, c, ins, shape)
		if y != nil || err != nil && !isOutOfMemory(err) { // copies may be too much where the convolution alone is not
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
	lies := liesLast(ins[0])
	if last {
		for i, x := range ins {
			v := x.plain().view(x.layout.permute(lastDims))
			if v.layout.offset*v.dtype.Size()%lastAlignment != 0 {
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
	if lies && c.Pass != rocm.ConvWeights || v.IsContiguous() {
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

// orderKey tells apart what was measured: images that lie with the channels last need no copy.
type orderKey struct {
	conv rocm.Conv
	lies bool
}

// bestOrder reports whether to compute with the channels last. With GOROCM_DNN=find it measures both orders when it first sees a shape.
func (a *accelerator) bestOrder(op string, c *rocm.Conv, ins [2]*Tensor, shape []int) (last bool, err error) {
	may, does := channelsLast(a.dev.Info().Platform, c)
	if !may || !a.dnn.MeasuresDNN() || a.dev.Capturing() {
		return does, nil
	}
	key := orderKey{*c, liesLast(ins[0])}
	if known, ok := a.orders.Load(key); ok {
		return known.(bool), nil
	}
	var times [2]time.Duration
	for i, last := range []bool{false, true} {
		if times[i], err = a.convolutionTime(op, last, c, ins, shape); err != nil {
			return false, err
		}
	}
	a.orders.Store(key, times[1] < times[0])
	return times[1] < times[0], nil
}

// convolutionTime is how long a convolution takes in one order, with the copies: the least of a few times, after one in which kernels are loaded. It is
// the longest there is where the library does not take that order.
func (a *accelerator) convolutionTime(op string, last bool, c *rocm.Conv, ins [2]*Tensor, shape []int) (time.Duration, error) {
	const rounds, each = 4, 5
	least := time.Duration(math.MaxInt64)
	for round := range rounds {
		start := time.Now()
		for range each {
			y, err := a.convolvedIn(op, last, c, ins, shape)
			if isOutOfMemory(err) && last || y == nil && err == nil {
				return math.MaxInt64, nil
			}
			if err != nil {
				return 0, err
			}
			y.Free()
		}
		if err := a.synchronize(); err != nil {
			return 0, failure(op, ins[0].dev, err)
		}
		if round > 0 {
			least = min(least, time.Since(start))
		}
	}
	return least, nil
}
