package tensor

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Convolutions and pools by the vendor's library, where there is one.

// convLibrary convolves with the device's library. It returns nil where there is none, where the library does not
// take the sizes, and for a kernel of one element, which is a product of matrices without columns.
func (t *Tensor) convLibrary(op string, kernel *Tensor, shape []int, groups int, py, px convParams) (*Tensor, error) {
	b, ok := t.dev.backend.(backend.DNN)
	if !ok {
		return nil, nil
	}
	taps := kernel.layout.Shape[2:]
	plain := func(p convParams) bool { return p.Padding == 0 && p.Stride == 1 }
	if backend.Product(taps) == 1 && plain(py) && plain(px) {
		return nil, nil
	}
	in, k := t.layout.Shape, kernel.layout.Shape
	c := rocm.Conv{
		Images: in[0], Channels: in[1], H: in[2], W: in[3], Outs: shape[1], OH: shape[2], OW: shape[3], KH: k[2],
		KW: k[3], Groups: groups,
	}
	if px.Transposed { // from the results of a convolution back to its images
		c.Pass = rocm.ConvData
		c.Channels, c.H, c.W, c.Outs, c.OH, c.OW = shape[1], shape[2], shape[3], in[1], in[2], in[3]
	}
	return t.convolvedBy(op, b, &c, kernel, shape, py, px)
}

// kernelGradientLibrary is kernelGradient by the device's library, or nil.
func (t *Tensor) kernelGradientLibrary(
	op string, g *Tensor, kernel []int, groups int, py, px convParams,
) (*Tensor, error) {
	b, ok := t.dev.backend.(backend.DNN)
	if !ok || tracked(t, g) { // a gradient of gradients is made of operations that have them
		return nil, nil
	}
	in, out := t.layout.Shape, g.layout.Shape
	c := rocm.Conv{
		Pass: rocm.ConvWeights, Images: in[0], Channels: in[1], H: in[2], W: in[3],
		Outs: out[1], OH: out[2], OW: out[3], KH: kernel[2], KW: kernel[3], Groups: groups,
	}
	return t.convolvedBy(op, b, &c, g, kernel, py, px)
}

// convolvedBy runs a pass with the operands t and other, in the order of rocm.Conv, to a result of the given shape.
func (t *Tensor) convolvedBy(
	op string, b backend.DNN, c *rocm.Conv, other *Tensor, shape []int, py, px convParams,
) (*Tensor, error) {
	if t.dtype != other.dtype {
		return nil, nil
	}
	c.Elem = t.dtype.String()
	c.Pad, c.Step, c.Dilation = [2]int{py.Padding, px.Padding}, [2]int{py.Stride, px.Stride},
		[2]int{py.Dilation, px.Dilation}
	out, ok, err := b.ConvolveByLibrary(c, t.deferrable(), other.deferrable(), shape)
	return t.fromLibrary(op, out, ok, err)
}

// poolLibrary is pooled by the device's library. It returns nil where the library does not compute the same as the
// kernels: MIOpen's maxima ignore NaN, and cuDNN's take four times as long as the kernel's.
func (t *Tensor) poolLibrary(op string, shape []int, p kernels.Pool, what backend.Pooled) (*Tensor, error) {
	b, ok := t.dev.backend.(backend.DNN)
	if !ok || what != backend.Means {
		return nil, nil
	}
	p.Planes = int64(backend.Product(shape[:len(shape)-2]))
	out, ok, err := b.PoolByLibrary(p, t.deferrable(), shape)
	return t.fromLibrary(op, out, ok, err)
}

// fromLibrary wraps a library's result on the device of t. It returns nil if there is none.
func (t *Tensor) fromLibrary(op string, out backend.Operand, ok bool, err error) (*Tensor, error) {
	if !ok || err != nil {
		return nil, failure(op, t.dev, err)
	}
	return result(t.dev, out.DType, out.Layout, out.Store), nil
}
