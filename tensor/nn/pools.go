package nn

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
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

// pooling is what MaxPool and AvgPool do with their windows.
type pooling struct {
	all []axis
	// inside and counted are the elements of x in each window of a dim, and with those of its padding.
	inside, counted [][]float64
}

// axes returns how the windows of a pool move over x. The padding after a dim is that which the windows of CeilMode
// want. It panics with ErrShape for windows that would have elements of the padding only.
func (o PoolOptions) axes(op string, x *tensor.Tensor, window []int) pooling {
	stride := o.Stride
	if stride == nil {
		stride = window
	}
	p := pooling{all: axes(op, x, window, stride, o.Padding, o.Dilation)}
	fits(op, x, p.all)
	for i, a := range p.all {
		n := x.Dim(2 + i)
		padded, windows := n+a.before+a.after, a.windows(n)
		if next := windows * a.stride; o.CeilMode && next < n+a.before && (windows-1)*a.stride+a.extent() < padded {
			windows++
			p.all[i].after = max(a.after, next+a.extent()-n-a.before)
		}
		inside, counted := make([]float64, windows), make([]float64, windows)
		for w := range windows {
			counted[w] = float64(a.below(n+a.after, w))
			inside[w] = float64(a.below(n, w) - a.below(0, w))
			if inside[w] == 0 {
				extend.Shape(op, []*tensor.Tensor{x},
					"window %d of dim %d has elements of the padding only: want a padding of at most half a window", w, 2+i)
			}
		}
		p.inside, p.counted = append(p.inside, inside), append(p.counted, counted)
	}
	return p
}

// below is how many elements of window w are at positions less than end.
func (a axis) below(end, w int) int {
	room := end - (w*a.stride - a.before)
	return min(max((room+a.dilation-1)/a.dilation, 0), a.size)
}

// MaxPool returns the maximum of each window of x [batch channels …], whose sizes are given, one for each spatial dim:
// one for signals, two for images, three for volumes. n elements of a dim become (n + padding - dilation·(size-1) -
// 1)/stride + 1. NaN propagates. The gradient goes to the first maximum of a window. It panics with ErrShape for sizes
// that do not fit.
//
//	nn.MaxPool(x, []int{3, 3}, nn.PoolOptions{Stride: []int{2}, Padding: []int{1}}) // F.max_pool2d(x, 3, 2, 1)
func MaxPool(x *tensor.Tensor, window []int, o PoolOptions) *tensor.Tensor {
	const op = "max pool"
	p := o.axes(op, x, window)
	if dilated(p.all) {
		values, _ := maxima(x, p.windows)
		return values
	}
	wide := paddable(x)
	y := pooled(padded(wide, p.all, lowest(wide.DType())), p.all, (*tensor.Tensor).MaxPool2dWithStride)
	return y.ToDType(x.DType())
}

// MaxPoolIndices returns the maxima of MaxPool and their positions, I64: the index of the first maximum of a window, as
// if the spatial dims of x were one, which is what MaxUnpool takes.
func MaxPoolIndices(x *tensor.Tensor, window []int, o PoolOptions) (values, indices *tensor.Tensor) {
	return maxima(x, o.axes("max pool", x, window).windows)
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
	return flat.Scatter(indices.FlattenFrom(2), x.FlattenFrom(2), 2).Reshape(join(x.Dims()[:2], sizes)...)
}

// AvgPool returns the mean of each window of x [batch channels …], with sizes and options as for MaxPool. The elements
// of the padding are zeros that count, unless ExcludePadding says otherwise; windows of CeilMode count what lies within
// the padding. F16, BF16 and F8E4M3 are added in F32; integers are converted to F64, with results of DefaultDType. It
// panics with ErrShape for sizes that do not fit.
func AvgPool(x *tensor.Tensor, window []int, o PoolOptions) *tensor.Tensor {
	p := o.axes("avg pool", x, window)
	counts := p.counted
	if o.ExcludePadding {
		counts = p.inside
	}
	dt, full := x.DType(), p.full(counts)
	if !full || len(p.all) > 2 || !dt.IsFloat() { // the method rounds once
		x, dt = extend.Precise(x)
	}
	y := means(padded(x, p.all, 0), p.all)
	if full {
		return y.ToDType(dt)
	}
	for i, n := range counts {
		shape := append([]int{len(n)}, slices.Repeat([]int{1}, len(counts)-1-i)...)
		divisors := x.Device().FromSlice(n, shape...).ToDType(y.DType())
		y = y.Mul(divisors.Recip().Mul(p.all[i].size))
	}
	return y.ToDType(dt)
}

// full reports whether all elements of all windows count.
func (p pooling) full(counts [][]float64) bool {
	for i, a := range p.all {
		if slices.Min(counts[i]) < float64(a.size) {
			return false
		}
	}
	return true
}

// means returns those of the windows of x, which has its padding.
func means(x *tensor.Tensor, all []axis) *tensor.Tensor {
	if !dilated(all) {
		return pooled(x, all, (*tensor.Tensor).AvgPool2dWithStride)
	}
	for i, a := range all {
		x = windowsOf(x, 2+i, a).Mean(-1)
	}
	return x
}

// dilated reports whether the elements of a window are apart in a dim.
func dilated(all []axis) bool {
	return slices.ContainsFunc(all, func(a axis) bool { return a.dilation > 1 })
}

// pooled applies a pool of images to the last two dims of x, which has its padding, and then to each one before them.
func pooled(
	x *tensor.Tensor, all []axis, pool func(x *tensor.Tensor, kh, kw, sh, sw int) *tensor.Tensor,
) *tensor.Tensor {
	n := len(all)
	b := all[n-1]
	if n == 1 {
		return pool(x.Unsqueeze(2), 1, b.size, 1, b.stride).Squeeze(2)
	}
	a := all[n-2]
	y := pool(x, a.size, b.size, a.stride, b.stride)
	for i := n - 3; i >= 0; i-- {
		shape := y.Dims()
		y = pool(y.FlattenFrom(3+i), all[i].size, 1, all[i].stride, 1)
		shape[2+i] = y.Dim(2 + i)
		y = y.Reshape(shape...)
	}
	return y
}
