package nn

import (
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/nn/internal/windows"
)

// PoolOptions says how the windows of a pool move over the spatial dims of its input. Of Stride, Padding and Dilation
// there is one number for all dims, or one for each of them; of Padding there may be two for each dim, before and after
// its elements. The zero value is windows side by side, without padding.
type PoolOptions struct {
	Stride   []int // nil is the size of the window
	Padding  []int // elements that no maximum is, and zeros for AvgPool
	Dilation []int
	CeilMode bool // elements at the end that do not fill a window have one, too, if it begins at an element or before
	// ExcludePadding divides the sums of AvgPool by the number of elements of x in a window; otherwise those of the
	// padding count (count_include_pad in PyTorch).
	ExcludePadding bool
}

// pooling is how windows move over the spatial dims, and from where to where the elements of each dim count in a mean.
type pooling struct {
	all   []windows.Axis
	count [][2]int
}

// axes returns how the windows of a pool move over x. The padding after a dim is that which the windows of CeilMode
// want. It panics with ErrShape for windows that would have elements of the padding only.
func (o PoolOptions) axes(op string, x *tensor.Tensor, window []int) pooling {
	stride := o.Stride
	if stride == nil {
		stride = window
	}
	p := pooling{all: windows.Axes(op, x, window, stride, o.Padding, o.Dilation)}
	windows.Fits(op, x, p.all)
	for i, a := range p.all {
		n := x.Dim(2 + i)
		padded, count := n+a.Before+a.After, a.Count(n)
		if next := count * a.Stride; o.CeilMode && next < n+a.Before && (count-1)*a.Stride+a.Extent() < padded {
			count++
			p.all[i].After = max(a.After, next+a.Extent()-n-a.Before)
		}
		for w := range count {
			if a.Below(n, w) == a.Below(0, w) {
				extend.Shape(op, []*tensor.Tensor{x},
					"window %d of dim %d has elements of the padding only: want a padding of at most half a window", w, 2+i)
			}
		}
		counted := [2]int{-a.Before, n + a.After}
		if o.ExcludePadding {
			counted = [2]int{0, n}
		}
		p.count = append(p.count, counted)
	}
	return p
}

// MaxPool returns the maximum of each window of x [batch channels …], whose sizes are given, one for each spatial dim:
// one for signals, two for images, three for volumes. n elements of a dim become (n + padding - dilation·(size-1) -
// 1)/stride + 1. NaN propagates. The gradient goes to the first maximum of a window. It panics with ErrShape for sizes
// that do not fit.
//
//	nn.MaxPool(x, []int{3, 3}, nn.PoolOptions{Stride: []int{2}, Padding: []int{1}}) // F.max_pool2d(x, 3, 2, 1)
func MaxPool(x *tensor.Tensor, window []int, o PoolOptions) *tensor.Tensor {
	const op = "max pool"
	return o.axes(op, x, window).apply(op, x, backend.Maxima)
}

// MaxPoolIndices returns the maxima of MaxPool and their positions, I64: the index of the first maximum of a window, as
// if the spatial dims of x were one, which is what MaxUnpool takes.
func MaxPoolIndices(x *tensor.Tensor, window []int, o PoolOptions) (values, indices *tensor.Tensor) {
	const op = "max pool"
	p := o.axes(op, x, window)
	if len(p.all) > 2 {
		return maxima(x, p.windows)
	}
	flat, images := x.FlattenFrom(2), x
	if len(p.all) == 1 {
		images = x.Unsqueeze(2)
	}
	at := extend.Pool(op, images, p.images(images), backend.Indices)
	shape := slices.Concat(x.Dims()[:2], at.Dims()[4-len(p.all):])
	return flat.Gather(at.FlattenFrom(2), 2).Reshape(shape...), at.Reshape(shape...)
}

// MaxUnpool returns zeros of the given spatial sizes with the elements of x [batch channels …] at the indices, which
// are those of MaxPoolIndices: the gradient of the pool, but an element that is the maximum of several windows has one
// of their values only. It panics with ErrShape when x and indices have different shapes.
func MaxUnpool(x, indices *tensor.Tensor, sizes ...int) *tensor.Tensor {
	const op = "max unpool"
	extend.SameDevice(op, x, indices)
	if x.Rank() != len(sizes)+2 || !slices.Equal(x.Dims(), indices.Dims()) {
		extend.Shape(op, []*tensor.Tensor{x, indices}, "want x and indices [batch channels …] of one shape and sizes for rank %d, "+
			"not shapes %v and %v and sizes %v", x.Rank(), x.Dims(), indices.Dims(), sizes)
	}
	flat := x.Device().Zeros(x.DType(), x.Dim(0), x.Dim(1), count(sizes))
	return flat.Scatter(indices.FlattenFrom(2), x.FlattenFrom(2), 2).Reshape(slices.Concat(x.Dims()[:2], sizes)...)
}

// AvgPool returns the mean of each window of x [batch channels …], with sizes and options as for MaxPool. The elements
// of the padding are zeros that count, unless ExcludePadding says otherwise; windows of CeilMode count what lies within
// the padding. F16, BF16 and F8E4M3 are added in F32; integers are converted to F64, with results of DefaultDType. It
// panics with ErrShape for sizes that do not fit.
func AvgPool(x *tensor.Tensor, window []int, o PoolOptions) *tensor.Tensor {
	const op = "avg pool"
	p, dt := o.axes(op, x, window), x.DType()
	if len(p.all) > 2 || !dt.IsFloat() { // images are rounded once
		x, dt = extend.Precise(x)
	}
	return p.apply(op, x, backend.Means).ToDType(dt)
}

// apply pools x: its last two dims as images, then the spatial dims before them, one after another.
func (p pooling) apply(op string, x *tensor.Tensor, what backend.Pooled) *tensor.Tensor {
	n := len(p.all)
	if n == 1 {
		x = x.Unsqueeze(2)
		return extend.Pool(op, x, p.images(x), what).Squeeze(2)
	}
	y := extend.Pool(op, x, p.images(x), what)
	for i := n - 3; i >= 0; i-- {
		lines := y.FlattenFrom(3 + i)
		part := pooling{[]windows.Axis{p.all[i], single}, [][2]int{p.count[i], {0, lines.Dim(-1)}}}
		shape := y.Dims()
		y = extend.Pool(op, lines, part.images(lines), what)
		shape[2+i] = y.Dim(2 + i)
		y = y.Reshape(shape...)
	}
	return y
}

// single are windows of one element each.
var single = windows.Axis{Size: 1, Stride: 1, Dilation: 1}

// images returns the windows of the last two dims, or of images of one row, of x.
func (p pooling) images(x *tensor.Tensor) kernels.Pool {
	n, h, w := len(p.all), x.Dim(-2), x.Dim(-1)
	b, countW := p.all[n-1], p.count[n-1]
	a, countH := single, [2]int{0, h}
	if n > 1 {
		a, countH = p.all[n-2], p.count[n-2]
	}
	k := kernels.NewPool(h, w, a.Size, b.Size, a.Stride, b.Stride)
	k.OH, k.OW = int64(a.Count(h)), int64(b.Count(w))
	k.PH, k.PW, k.DH, k.DW = int64(a.Before), int64(b.Before), int64(a.Dilation), int64(b.Dilation)
	for i := range 2 {
		k.CountH[i], k.CountW[i] = int64(countH[i]), int64(countW[i])
	}
	return k
}
