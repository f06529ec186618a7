package tensor

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

// leastLibraryWork is how many products, or elements of windows, there must be for the library: MIOpen compiles kernels when it first sees a shape, which
// takes seconds, and what is small takes microseconds either way.
var leastLibraryWork = 1 << 20

// library is the device behind a tensor where it has a library for convolutions and pools of the dtype; nil elsewhere.
func (t *Tensor) library() *accelerator {
	a, ok := t.dev.backend.(*accelerator)
	if !ok || !t.dtype.IsFloat() || t.dtype == F8E4M3 || !a.dnn.HasDNN() {
		return nil
	}
	return a
}

// convLibrary convolves with the device's library. It gives nil where there is none, where the library does not take the sizes, and for a kernel of
// one element: that is a product of matrices as the images lie.
func (t *Tensor) convLibrary(op string, kernel *Tensor, shape []int, groups int, py, px convParams) (*Tensor, error) {
	taps := kernel.layout.Shape[2:]
	plain := func(p convParams) bool { return p.padding == 0 && p.stride == 1 }
	if product(taps) == 1 && plain(py) && plain(px) {
		return nil, nil
	}
	in, k := t.layout.Shape, kernel.layout.Shape
	c := rocm.Conv{
		Images: in[0], Channels: in[1], H: in[2], W: in[3], Outs: shape[1], OH: shape[2], OW: shape[3], KH: k[2], KW: k[3], Groups: groups,
	}
	if px.transposed { // from the results of a convolution back to its images
		c.Pass = rocm.ConvData
		c.Channels, c.H, c.W, c.Outs, c.OH, c.OW = shape[1], shape[2], shape[3], in[1], in[2], in[3]
	}
	return t.convolvedBy(op, &c, kernel, shape, py, px)
}

// kernelGradientLibrary is kernelGradient by the device's library, or nil.
func (t *Tensor) kernelGradientLibrary(op string, g *Tensor, kernel []int, groups int, py, px convParams) (*Tensor, error) {
	if tracked(t, g) { // a gradient of gradients is made of operations that have them
		return nil, nil
	}
	in, out := t.layout.Shape, g.layout.Shape
	c := rocm.Conv{
		Pass: rocm.ConvWeights, Images: in[0], Channels: in[1], H: in[2], W: in[3],
		Outs: out[1], OH: out[2], OW: out[3], KH: kernel[2], KW: kernel[3], Groups: groups,
	}
	return t.convolvedBy(op, &c, g, kernel, py, px)
}

// convolvedBy runs a pass with the operands t and other, in the order of rocm.Conv, to a result of the given shape.
func (t *Tensor) convolvedBy(op string, c *rocm.Conv, other *Tensor, shape []int, py, px convParams) (*Tensor, error) {
	if c.Images*c.Outs*c.OH*c.OW*c.Channels/c.Groups*c.KH*c.KW < leastLibraryWork || t.dtype != other.dtype {
		return nil, nil
	}
	a := t.library()
	if a == nil {
		return nil, nil
	}
	c.Elem = t.dtype.String()
	c.Pad, c.Step, c.Dilation = [2]int{py.padding, px.padding}, [2]int{py.stride, px.stride}, [2]int{py.dilation, px.dilation}
	return a.convolved(op, c, [2]*Tensor{t, other}, shape)
}

// poolLibrary is pool2d by the device's library or, backward, the gradient of averages t for images of the given shape; nil where the library does
// not compute what the kernels do.
func (t *Tensor) poolLibrary(op string, shape []int, p kernels.Pool, greatest, backward bool) (*Tensor, error) {
	planes := product(shape[:len(shape)-2])
	if greatest || planes*int(p.OH*p.OW*p.KH*p.KW) < leastLibraryWork || backward && tracked(t) {
		return nil, nil // MIOpen's greatest elements are not NaN where one is, and cuDNN's take four times as long as the kernel's
	}
	a := t.library()
	if a == nil {
		return nil, nil
	}
	l := rocm.Pooling{
		Elem: t.dtype.String(), Planes: planes, H: int(p.H), W: int(p.W), OH: int(p.OH), OW: int(p.OW),
		KH: int(p.KH), KW: int(p.KW), SH: int(p.SH), SW: int(p.SW), Backward: backward,
	}
	return a.byLibrary(op, "pool", shape, []*Tensor{t}, func(places []rocm.Place, to rocm.Place) (bool, error) {
		l.X, l.Y = places[0], to
		if backward {
			l.X, l.Y = to, places[0]
		}
		return a.dnn.Pool(&l)
	})
}

// byLibrary gives run dense operands and a place for the result. It returns nil when run did nothing.
func (a *accelerator) byLibrary(op, work string, shape []int, ins []*Tensor, run func(places []rocm.Place, to rocm.Place) (bool, error)) (*Tensor, error) {
	first := ins[0]
	if err := room(op, shape, first.dtype, first.dev); err != nil {
		return nil, err
	}
	var places []rocm.Place
	for i, x := range ins {
		d, err := x.plain().contiguous(op)
		if err != nil {
			return nil, err
		}
		if d.store != x.store {
			defer d.Free() // when the work is on the stream
		}
		ins[i] = d // alive until then
		places = append(places, placeOf(d))
	}
	s, err := a.alloc(product(shape) * first.dtype.Size())
	if err != nil {
		return nil, failure(op, first.dev, err)
	}
	done, err := run(places, rocm.Place{Buffer: buffer(s)})
	if err != nil {
		return nil, failure(op, first.dev, err)
	}
	if !done {
		buffer(s).Free()
		return nil, nil
	}
	if a.launched != nil {
		a.launched(work + " " + first.dtype.String())
	}
	return dense(first.dev, first.dtype, shape, s), nil
}
