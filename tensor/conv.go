package tensor

import (
	"cmp"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/shapes"
)

type convParams = shapes.Conv // along one dim

func (t *Tensor) conv1d(kernel *Tensor, padding, stride, dilation, groups int) (*Tensor, error) {
	return t.convAsImages("conv1d", kernel, groups, convParams{Padding: padding, Stride: stride, Dilation: dilation})
}

func (t *Tensor) conv2d(kernel *Tensor, padding, stride, dilation, groups int) (*Tensor, error) {
	p := convParams{Padding: padding, Stride: stride, Dilation: dilation}
	return t.convolve("conv2d", 4, kernel, groups, p, p)
}

func (t *Tensor) convTranspose1d(
	kernel *Tensor, padding, outputPadding, stride, dilation, groups int,
) (*Tensor, error) {
	return t.convAsImages("conv transpose 1d", kernel, groups,
		convParams{Padding: padding, Stride: stride, Dilation: dilation, Extra: outputPadding, Transposed: true})
}

func (t *Tensor) convTranspose2d(kernel *Tensor, padding, outputPadding, stride, dilation int) (*Tensor, error) {
	p := convParams{Padding: padding, Stride: stride, Dilation: dilation, Extra: outputPadding, Transposed: true}
	return t.convolve("conv transpose 2d", 4, kernel, 1, p, p)
}

// convAsImages convolves vectors as images of height 1.
func (t *Tensor) convAsImages(op string, kernel *Tensor, groups int, p convParams) (*Tensor, error) {
	if kernel == nil || t.Rank() != 3 || kernel.Rank() != 3 {
		return nil, convShapes(op, t, kernel, 3)
	}
	high := func(x *Tensor) *Tensor { return x.reshaped(x.layout.InsertDim(2)) }
	out, err := high(t).convolve(op, 3, high(kernel), groups,
		convParams{Stride: 1, Dilation: 1, Transposed: p.Transposed}, p)
	if err != nil {
		return nil, err
	}
	return out.reshaped(out.layout.DropDim(2)), nil
}

func convShapes(op string, t, kernel *Tensor, rank int) error {
	if kernel == nil {
		return fault(op, ErrShape, []*Tensor{t}, "the kernel is nil")
	}
	e := fault(op, ErrShape, []*Tensor{t, kernel}, "want a tensor and a kernel of rank %d, not shapes %v and %v", rank,
		t.layout.Shape, kernel.layout.Shape)
	switch { // what layers of other libraries take without a batch
	case t.Rank() == rank-1 && kernel.Rank() == rank:
		e.note("x.Unsqueeze(0) is a batch of one")
	case t.Rank() == rank && kernel.Rank() == rank-1:
		e.note("kernel.Unsqueeze(1) has one channel")
	}
	return e
}

// columnBytes is how much memory the columns of images (im2col) may take at once.
const columnBytes = 256 << 20

// convolve convolves images with a kernel. The user sees tensors of the given rank.
func (t *Tensor) convolve(op string, rank int, kernel *Tensor, groups int, py, px convParams) (*Tensor, error) {
	t, kernel = t.inAutocast(op), kernel.inAutocast(op)
	y, err := t.plain().convolved(op, rank, kernel.plain(), groups, py, px)
	if err == nil && tracked(t, kernel) {
		y.by(op, convGradients(op, t, kernel, groups, py, px)...)
	}
	return y, err
}

// convolved computes a convolution: by channels, by the vendor's library, or as a product of matrices.
func (t *Tensor) convolved(op string, rank int, kernel *Tensor, groups int, py, px convParams) (*Tensor, error) {
	if kernel == nil || t.Rank() != 4 || kernel.Rank() != 4 {
		return nil, convShapes(op, t, kernel, rank)
	}
	if err := sameDevice(op, t, kernel); err != nil {
		return nil, err
	}
	if kernel.dtype != t.dtype {
		return nil, dtypesDiffer(op, t, kernel, "x", "kernel")
	}
	if err := accepts(op, t, kernels.Numbers); err != nil {
		return nil, err
	}
	in, k := t.layout.Shape, kernel.layout.Shape
	if groups < 1 || in[1]%groups != 0 || k[0]%groups != 0 {
		return nil, fault(op, ErrShape, []*Tensor{t, kernel}, "%d groups do not divide %d channels and a kernel for %d",
			groups, in[1], k[0])
	}
	perGroup, outPerGroup := k[1], k[0]/groups // input channels of a group, and its output channels
	if px.Transposed {
		perGroup, outPerGroup = k[0]/groups, k[1]
	}
	if perGroup*groups != in[1] {
		return nil, fault(op, ErrShape, []*Tensor{t, kernel},
			"%d channels in %d groups, and a kernel for %d: shapes %v and %v", in[1], groups, perGroup*groups, in, k)
	}
	y, errY := py.Window(in[2], k[2])
	x, errX := px.Window(in[3], k[3])
	if err := cmp.Or(errY, errX); err != nil {
		return nil, fault(op, ErrShape, []*Tensor{t}, "%v", err)
	}
	shape := []int{in[0], outPerGroup * groups, int(y.Out), int(x.Out)}
	switch {
	case backend.Product(shape) == 0:
		return empty(op, shape, t.dtype, t.dev)
	case perGroup*k[2]*k[3] == 0 || backend.Product(in) == 0:
		return full(op, 0, shape, t.dtype, t.dev)
	}
	p := kernels.Conv{Planes: int64(in[0] * in[1]), Channels: int64(in[1]), Multiplier: int64(outPerGroup), Y: y, X: x}
	images, err := t.forKernel(op)
	if err != nil {
		return nil, err
	}
	if perGroup == 1 {
		return images.convDepthwise(op, kernel, shape, p)
	}
	if y, err := images.convLibrary(op, kernel, shape, groups, py, px); y != nil || err != nil {
		return y, err
	}
	if px.Transposed { // [groups channels out taps] to [groups out channels taps]
		kernel, err = kernel.reshape(op, []int{groups, perGroup, outPerGroup, k[2], k[3]})
		if err != nil {
			return nil, err
		}
		kernel = kernel.view(kernel.layout.Transpose(1, 2))
	}
	// A kernel that is not dense is copied: it becomes a matrix, and is small compared to the images.
	weights, err := kernel.reshape(op, []int{groups, outPerGroup, perGroup * k[2] * k[3]})
	if err != nil {
		return nil, err
	}
	return images.convProduct(op, weights, shape, p)
}

func (t *Tensor) convDepthwise(op string, kernel *Tensor, shape []int, p kernels.Conv) (*Tensor, error) {
	weight, err := kernel.forKernel(op)
	if err != nil {
		return nil, err
	}
	if err := checkMemory(op, shape, t.dtype, t.dev); err != nil {
		return nil, err
	}
	s, err := t.dev.backend.Depthwise(t.operand(), weight.operand(), p)
	if err != nil {
		return nil, failure(op, t.dev, err)
	}
	return dense(t.dev, t.dtype, shape, s), nil
}

// convProduct multiplies weights [groups out depth] by columns of images, of as many at once as memory allows.
func (t *Tensor) convProduct(op string, weights *Tensor, shape []int, p kernels.Conv) (*Tensor, error) {
	groups, depth := weights.layout.Shape[0], weights.layout.Shape[2]
	if b, ok := t.dev.backend.(backend.TileConvolver); ok && b.Convolves(p, t.dtype) {
		w, err := weights.contiguous(op)
		if err != nil {
			return nil, err
		}
		if err := checkMemory(op, shape, t.dtype, t.dev); err != nil {
			return nil, err
		}
		return dense(t.dev, t.dtype, shape, b.ConvolveTiles(t.operand(), w.operand(), shape[0], groups, shape[1]/groups,
			depth, p)), nil
	}
	places := shape[2] * shape[3]
	each := groups * depth * places * t.dtype.Size()
	step := max(1, columnBytes/each)
	var parts []*Tensor
	for first := 0; first < shape[0]; first += step {
		n := min(step, shape[0]-first)
		part := t.view(t.layout.Narrow(0, first, n))
		columns, err := part.columns(op, []int{n, groups, depth, places}, p)
		if err != nil {
			return nil, err
		}
		out, err := weights.matmul(op, columns)
		if err != nil {
			return nil, err
		}
		parts = append(parts, out.view(backend.Dense([]int{n, shape[1], shape[2], shape[3]})))
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return cat(op, parts, 0)
}

// columns returns the columns of images (im2col), in the given shape.
func (t *Tensor) columns(op string, shape []int, p kernels.Conv) (*Tensor, error) {
	plain := kernels.Window{In: p.X.In, Out: p.X.In, Taps: 1, OutStep: 1, InStep: 1}
	plain.TapStep = p.X.TapStep
	high := kernels.Window{In: p.Y.In, Out: p.Y.In, Taps: 1, OutStep: 1, TapStep: p.Y.TapStep, InStep: 1}
	if p.X == plain && p.Y == high { // each output has one tap, at its own index
		return t.reshape(op, shape)
	}
	if err := checkMemory(op, shape, t.dtype, t.dev); err != nil {
		return nil, err
	}
	p.Planes = int64(t.layout.Shape[0] * t.layout.Shape[1])
	s, err := t.dev.backend.Im2col(t.operand(), p)
	if err != nil {
		return nil, failure(op, t.dev, err)
	}
	return dense(t.dev, t.dtype, slices.Clone(shape), s), nil
}
