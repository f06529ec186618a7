package rocm

import (
	"runtime"

	"github.com/gorocm/gorocm/rocm/internal/mathlib"
)

// ConvPass says which operand of a convolution is computed from the other two.
type ConvPass int

// The passes.
const (
	ConvForward = ConvPass(mathlib.ConvForward) // Y of X and Weights
	ConvData    = ConvPass(mathlib.ConvData)    // X of Y and Weights: the images' gradient, or a transposed convolution
	ConvWeights = ConvPass(mathlib.ConvWeights) // Weights of X and Y: the gradient of the weights
)

// String names the pass.
func (p ConvPass) String() string { return mathlib.ConvPass(p).String() }

// Conv is a convolution of images with weights, or one of the two passes back. All operands are dense, in one of two
// orders.
type Conv struct {
	Pass                ConvPass
	Elem                string // the type of all elements: f16, bf16 or f32, whose products are added in f32, or f64
	Images              int
	Channels, H, W      int // of X, [Images Channels H W]
	Outs, OH, OW        int // of Y, [Images Outs OH OW]
	KH, KW              int // of Weights, [Outs Channels/Groups KH KW]
	Groups              int
	Pad, Step, Dilation [2]int // of rows and of columns: padding with zeros before and after, stride, dilation
	// X is in the order [Images H W Channels], Y [Images OH OW Outs], Weights [Outs KH KW Channels/Groups]
	ChannelsLast  bool
	X, Weights, Y Place
}

// Convolve puts a convolution on the device's stream if the device has a library that takes it, and reports whether it
// did. Where it did not, the caller's own kernels have to compute; DNN says why. It is an error, of kind ErrInvalid,
// when elements are outside of a buffer, or a buffer was freed or is on another device.
func (d *Device) Convolve(c *Conv) (bool, error) {
	shape := c.shape()
	if !takesConvolution(d, &shape) {
		return false, nil
	}
	for _, o := range []struct {
		Place
		n int
	}{{c.X, c.Images * c.Channels * c.H * c.W}, {c.Weights, c.Outs * c.Channels / c.Groups * c.KH * c.KW},
		{c.Y, c.Images * c.Outs * c.OH * c.OW}} {
		if err := o.check("convolve", d, o.n, mathlib.ElemSize(c.Elem)); err != nil {
			return false, err
		}
	}
	done, err := d.dnn.Convolve(libraryHost{d},
		&mathlib.Conv{ConvShape: shape, X: c.X.pointer(), Weights: c.Weights.pointer(), Y: c.Y.pointer()})
	if capturing := d.recording(); done && capturing != nil {
		capturing.addLibrary("a convolution of a library", c.X.Buffer, c.Weights.Buffer, c.Y.Buffer)
	}
	runtime.KeepAlive(c)
	return done, err
}

// MayConvolve reports whether the library may take c, as far as is known before it tries. A caller that has to copy the
// operands to reorder them asks first. The operands themselves are not used.
func (d *Device) MayConvolve(c *Conv) bool {
	shape := c.shape()
	return takesConvolution(d, &shape) && d.dnn.MayConvolve(libraryHost{d}, shape)
}

// takesConvolution reports whether the device's library has the type, and the sizes are such that it may take them.
func takesConvolution(d *Device, c *mathlib.ConvShape) bool {
	if mathlib.ElemSize(c.Elem) == 0 || !c.Regular() || d.recording() != nil && !d.dnn.Recordable() {
		return false
	}
	return d.HasDNN() && d.dnn.Takes(c.Elem)
}

// shape converts c for a library, without its operands.
func (c *Conv) shape() mathlib.ConvShape {
	return mathlib.ConvShape{
		Pass: mathlib.ConvPass(c.Pass), Elem: c.Elem, Images: c.Images, Channels: c.Channels, H: c.H, W: c.W,
		Outs: c.Outs, OH: c.OH, OW: c.OW,
		KH: c.KH, KW: c.KW, Groups: c.Groups, Pad: c.Pad, Stride: c.Step, Dilation: c.Dilation,
		ChannelsLast: c.ChannelsLast,
	}
}

// Pooling is average or max pooling of images, or the backward pass of average pooling.
type Pooling struct {
	Elem           string // the type of all elements: f16, bf16, f32 or f64
	Planes, H, W   int    // of X, [Planes H W]
	OH, OW         int    // of Y, [Planes OH OW]
	KH, KW, SH, SW int    // sizes and strides of windows
	Max            bool   // max pooling
	Backward       bool   // X, the gradient of images, of Y, that of averages
	X, Y           Place
}

// Pool puts a Pooling on the device's stream if the device has a library that takes it and computes what gorocm's
// kernels do, and reports whether it did. The maximum of a window with a NaN is NaN, which MIOpen's is not. Errors are
// as those of Convolve.
func (d *Device) Pool(l *Pooling) (bool, error) {
	size := mathlib.ElemSize(l.Elem)
	p := l.shape()
	if size == 0 || !p.Regular() || d.recording() != nil || !d.HasDNN() || !d.dnn.Takes(l.Elem) {
		return false, nil
	}
	if err := l.X.check("pool", d, l.Planes*l.H*l.W, size); err != nil {
		return false, err
	}
	if err := l.Y.check("pool", d, l.Planes*l.OH*l.OW, size); err != nil {
		return false, err
	}
	p.X, p.Y = l.X.pointer(), l.Y.pointer()
	done, err := d.dnn.Pool(libraryHost{d}, &p)
	runtime.KeepAlive(l)
	return done, err
}

// shape converts l for a library, without its operands.
func (l *Pooling) shape() mathlib.Pooling {
	return mathlib.Pooling{
		Elem: l.Elem, Planes: l.Planes, H: l.H, W: l.W, OH: l.OH, OW: l.OW, KH: l.KH, KW: l.KW, SH: l.SH, SW: l.SW,
		Max: l.Max, Backward: l.Backward,
	}
}

// Place is the position of contiguous elements in device memory.
type Place struct {
	Buffer *Buffer
	Offset int // in bytes
}

// pointer is the address, 0 where there is no buffer.
func (p Place) pointer() uintptr {
	if p.Buffer == nil {
		return 0
	}
	return p.Buffer.Ptr() + uintptr(p.Offset)
}

// check says whether n elements of so many bytes are in a live buffer of the device.
func (p Place) check(op string, d *Device, n, size int) error {
	if p.Buffer == nil || p.Buffer.device != d {
		return invalid(op, "an operand is not on %v", d)
	}
	return p.Buffer.check(op, p.Offset, n*size)
}

// HasDNN reports whether the device has a library for Convolve and Pool. It loads it.
func (d *Device) HasDNN() bool { return d.dnn.Open(libraryHost{d}) }

// DNN says which library computes convolutions and pools on the device. It loads it.
func (d *Device) DNN() LibraryInfo {
	d.dnn.Open(libraryHost{d})
	return LibraryInfo(d.dnn.Info())
}
