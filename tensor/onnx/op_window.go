package onnx

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

var windowOps = []operator{
	{name: "AveragePool", attrs: "auto_pad ceil_mode count_include_pad dilations kernel_shape pads strides", in: [2]int{1, 1}, run: averagePool},
	{name: "Col2Im", attrs: "dilations pads strides", in: [2]int{3, 3}, unfolded: true, run: columnsToImage},
	{name: "Conv", attrs: "auto_pad dilations group kernel_shape pads strides", in: [2]int{2, 3}, unfolded: true, run: conv},
	{name: "ConvInteger", attrs: "auto_pad dilations group kernel_shape pads strides", in: [2]int{2, 4}, unfolded: true, run: convInteger},
	{name: "ConvTranspose", attrs: "auto_pad dilations group kernel_shape output_padding output_shape pads strides", in: [2]int{2, 3}, unfolded: true, run: convTranspose},
	{name: "GlobalAveragePool", in: [2]int{1, 1}, run: by(func(c *call, x *tensor.Tensor) *tensor.Tensor { return x.MeanKeepDim(c.spatial(x)...) })},
	{name: "GlobalLpPool", attrs: "p", in: [2]int{1, 1}, run: by(func(c *call, x *tensor.Tensor) *tensor.Tensor {
		return x.NormPKeepDim(float64(c.int("p", 2)), c.spatial(x)...)
	})},
	{name: "GlobalMaxPool", in: [2]int{1, 1}, run: by(func(c *call, x *tensor.Tensor) *tensor.Tensor { return x.MaxKeepDim(c.spatial(x)...) })},
	{name: "LpPool", attrs: "auto_pad ceil_mode dilations kernel_shape p pads strides", in: [2]int{1, 1}, run: lpPool},
	{name: "MaxPool", attrs: "auto_pad ceil_mode dilations kernel_shape pads storage_order strides", in: [2]int{1, 1}, run: maxPool},
	{name: "MaxUnpool", attrs: "kernel_shape pads strides", in: [2]int{2, 3}, unfolded: true, run: maxUnpool},
}

// spatial are the dims of images: all but those of batch and channels.
func (c *call) spatial(x *tensor.Tensor) (dims []int) {
	if x.Rank() < 3 {
		c.fail("the input has %d dims: batch, channels and at least one more are needed", x.Rank())
	}
	for d := 2; d < x.Rank(); d++ {
		dims = append(dims, d)
	}
	return dims
}

// windows are the positions of a kernel in spatial dims.
type windows struct {
	kernel, strides, dilations []int
	before, after              []int // the padding of each dim
	out                        []int // how many windows there are
}

// windows reads the attributes of a convolution or pool.
func (c *call) windows(x *tensor.Tensor, kernel []int) windows {
	n := len(c.spatial(x))
	if kernel == nil {
		kernel = c.listOf("kernel_shape", n, 0)
	} else if given := c.list("kernel_shape"); given != nil && !slices.Equal(given, kernel) {
		c.fail("kernel_shape is %v, and the kernel %v", given, kernel)
	}
	if len(kernel) != n {
		c.fail("the kernel has %d dims, and the input %d", len(kernel), n)
	}
	w := windows{kernel: kernel, strides: c.listOf("strides", n, 1), dilations: c.listOf("dilations", n, 1)}
	pads := c.listOf("pads", 2*n, 0)
	w.before, w.after = pads[:n:n], pads[n:]
	w.out = make([]int, n)
	for i := range n {
		if min(kernel[i], w.strides[i], w.dilations[i]) < 1 || max(kernel[i], w.dilations[i]) > math.MaxInt32 {
			c.fail("kernel %v, strides %v and dilations %v have to be positive", kernel, w.strides, w.dilations)
		}
		if min(w.before[i], w.after[i]) < -math.MaxInt32 || max(w.before[i], w.after[i]) > math.MaxInt32 {
			c.fail("pads %v are not possible", pads)
		}
		size, span := x.Dim(2+i), (kernel[i]-1)*w.dilations[i]+1
		c.autoPad(&w, i, size, span)
		room := size + w.before[i] + w.after[i] - span
		if room < 0 {
			c.fail("a kernel of %d does not fit in %d elements with %d of padding", span, size, w.before[i]+w.after[i])
		}
		w.out[i] = room/w.strides[i] + 1
		if c.int("ceil_mode", 0) != 0 && room%w.strides[i] > 0 && w.out[i]*w.strides[i] < size+w.before[i] {
			w.out[i]++ // the last window begins at an element or before
		}
	}
	return w
}

// autoPad sets the padding of a dim by auto_pad.
func (c *call) autoPad(w *windows, i, size, span int) {
	switch kind := c.text("auto_pad", "NOTSET"); kind {
	case "NOTSET", "":
	case "VALID":
		w.before[i], w.after[i] = 0, 0
	case "SAME_UPPER", "SAME_LOWER":
		out := (size + w.strides[i] - 1) / w.strides[i]
		total := max((out-1)*w.strides[i]+span-size, 0)
		w.before[i], w.after[i] = total/2, total-total/2
		if kind == "SAME_LOWER" {
			w.before[i], w.after[i] = w.after[i], w.before[i]
		}
	default:
		c.fail("there is no auto_pad %q", kind)
	}
}

// padding has two numbers for each dim, as package nn takes them.
func (w windows) padding() []int {
	var p []int
	for i := range w.before {
		p = append(p, w.before[i], w.after[i])
	}
	return p
}

// padded pads the spatial dims so that all windows fill, those of ceil_mode too. Padding may be negative.
func (c *call) padded(x *tensor.Tensor, w windows, value any) *tensor.Tensor {
	for i := range w.out {
		before, span := w.before[i], (w.kernel[i]-1)*w.dilations[i]+1
		after := (w.out[i]-1)*w.strides[i] + span - x.Dim(2+i) - before
		x = c.padDim(x, 2+i, before, after, value)
	}
	return x
}

// padDim is Pad of one dim, with paddings that may be negative.
func (c *call) padDim(x *tensor.Tensor, dim, before, after int, mode any) *tensor.Tensor {
	size := x.Dim(dim)
	first, last := max(-before, 0), size-max(-after, 0)
	if first > last || last < 0 {
		c.fail("pads of %d and %d leave nothing of dim %d, which has %d", before, after, dim, size)
	}
	if first > 0 || last < size {
		x = x.Narrow(dim, first, last-first)
	}
	if before > 0 || after > 0 {
		shape := x.Dims()
		shape[dim] += max(before, 0) + max(after, 0)
		c.bound(shape)
		if _, repeated := mode.(tensor.PadMode); repeated && shape[dim] > maxTaps {
			c.fail("pads of %d and %d are not supported", before, after)
		}
		x = x.Pad(dim, max(before, 0), max(after, 0), mode)
	}
	return x
}

func (c *call) convolve(x, kernel, bias *tensor.Tensor) *tensor.Tensor {
	if kernel.Rank() != x.Rank() {
		c.fail("the kernel has %d dims, and the input %d", kernel.Rank(), x.Rank())
	}
	w := c.windows(x, kernel.Dims()[2:])
	padding := w.padding()
	if slices.Min(padding) < 0 {
		x, padding = c.padded(x, w, 0), nil
	}
	return nn.Conv(x, kernel, bias, nn.ConvOptions{Stride: w.strides, Padding: padding, Dilation: w.dilations,
		Groups: c.int("group", 1)})
}

func conv(c *call) tensors { return one(c.convolve(c.x(0), c.x(1), c.opt(2))) }

// convInteger convolves bytes, whose zero points are taken away, in I32.
func convInteger(c *call) tensors {
	return one(c.convolve(c.centred(0, 2, 0), c.centred(1, 3, 0), nil))
}

// convTranspose is the transposed convolution without padding, of which the padding is cut off; where output_padding
// or output_shape reach beyond it, there are zeros.
func convTranspose(c *call) tensors {
	x, kernel, bias := c.x(0), c.x(1), c.opt(2)
	n := len(c.spatial(x))
	if kernel.Rank() != x.Rank() {
		c.fail("the kernel has %d dims, and the input %d", kernel.Rank(), x.Rank())
	}
	strides, dilations := c.listOf("strides", n, 1), c.listOf("dilations", n, 1)
	extra, pads := c.listOf("output_padding", n, 0), c.listOf("pads", 2*n, 0)
	sizes := c.list("output_shape")
	if sizes != nil {
		sizes = sizes[max(len(sizes)-n, 0):] // older files have batch and channels, too
	}
	y := nn.ConvTranspose(x, kernel, nil, nn.ConvOptions{Stride: strides, Dilation: dilations,
		Groups: c.int("group", 1)})
	kind := c.text("auto_pad", "NOTSET")
	for i := range n {
		full, before, after := y.Dim(2+i), pads[i], pads[n+i]
		size := full + extra[i] - before - after
		same := kind == "SAME_UPPER" || kind == "SAME_LOWER"
		if len(sizes) == n || same {
			if size = x.Dim(2+i) * strides[i]; len(sizes) == n {
				size = sizes[i]
			}
			total := full + extra[i] - size
			before, after = total/2, total-total/2
			if kind != "SAME_UPPER" {
				before, after = after, before
			}
			if total < 0 {
				before, after = 0, total
			}
		}
		y = c.padDim(y, 2+i, -before, size-(full-before), 0)
	}
	if bias != nil {
		y = y.Add(along(bias.Reshape(bias.ElemCount()), y.Rank(), 1))
	}
	return one(y)
}

// pooled computes a sum in windows: a convolution of each channel with ones.
func pooled(x *tensor.Tensor, w windows) *tensor.Tensor {
	shape := x.Dims()
	flat := slices.Concat([]int{shape[0] * shape[1], 1}, shape[2:])
	ones := x.Device().Ones(x.DType(), slices.Concat([]int{1, 1}, w.kernel)...)
	y := nn.Conv(x.Reshape(flat...), ones, nil, nn.ConvOptions{Stride: w.strides, Dilation: w.dilations})
	return y.Reshape(slices.Concat(shape[:2], y.Dims()[2:])...)
}

// averagePool divides sums by the numbers of elements in windows; with count_include_pad the padding counts, but not
// what ceil_mode adds after it.
func averagePool(c *call) tensors {
	x := c.x(0)
	w := c.windows(x, nil)
	counted := x.FullLike(1).Narrow(0, 0, min(1, x.Dim(0))).Narrow(1, 0, min(1, x.Dim(1)))
	if c.int("count_include_pad", 0) != 0 {
		for i := range w.out {
			counted = c.padDim(counted, 2+i, w.before[i], w.after[i], 1)
		}
		whole := w
		whole.before, whole.after = make([]int, len(w.out)), make([]int, len(w.out))
		counted = c.padded(counted, whole, 0)
	} else {
		counted = c.padded(counted, w, 0)
	}
	return one(pooled(c.padded(x, w, 0), w).Div(pooled(counted, w)))
}

// lpPool is the p-norm of windows.
func lpPool(c *call) tensors {
	x, p := c.x(0), float64(c.int("p", 2))
	w := c.windows(x, nil)
	return one(pooled(c.padded(x.Abs().Powf(p), w, 0), w).Powf(1 / p))
}

// maxPool also gives the indices of the maxima in the whole input, as if it had one dim.
func maxPool(c *call) tensors {
	x := c.x(0)
	w := c.windows(x, nil)
	padded, o := c.padded(x, w, lowest(x.DType())), nn.PoolOptions{Stride: w.strides, Dilation: w.dilations}
	if c.outputs < 2 {
		return one(nn.MaxPool(padded, w.kernel, o))
	}
	values, at := nn.MaxPoolIndices(padded, w.kernel, o)
	return tensors{values, c.wholeIndices(x, at, w)}
}

// wholeIndices makes of the positions of maxima in padded channels those in the whole input.
func (c *call) wholeIndices(x, at *tensor.Tensor, w windows) *tensor.Tensor {
	n := len(w.out)
	position := make(tensors, n)
	for i := n - 1; i >= 0; i-- {
		span := (w.out[i]-1)*w.strides[i] + (w.kernel[i]-1)*w.dilations[i] + 1
		position[i] = at.Mod(span).Sub(w.before[i])
		at = at.FloorDiv(span)
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	if c.int("storage_order", 0) != 0 {
		slices.Reverse(order)
	}
	batch, channels := x.Dim(0), x.Dim(1)
	ids := c.dev.Arange(tensor.I64, float64(batch*channels)).Reshape(slices.Concat([]int{batch, channels}, ones(n))...)
	for _, i := range order {
		ids = ids.Mul(x.Dim(2 + i)).Add(position[i])
	}
	return ids
}

func ones(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = 1
	}
	return list
}

// lowest is the padding of maxima: no element is less.
func lowest(dt tensor.DType) any {
	switch {
	case dt == tensor.F8E4M3:
		return -448.0
	case dt.IsFloat():
		return math.Inf(-1)
	case dt == tensor.Bool, dt == tensor.U8, dt == tensor.U16, dt == tensor.U32, dt == tensor.U64:
		return 0
	}
	return -1 << (8*dt.Size() - 1)
}

// highest is lowest for minima.
func highest(dt tensor.DType) any {
	switch {
	case dt == tensor.F8E4M3:
		return 448.0
	case dt.IsFloat():
		return math.Inf(1)
	case dt == tensor.Bool:
		return 1
	case dt == tensor.U8, dt == tensor.U16, dt == tensor.U32, dt == tensor.U64:
		return uint64(math.MaxUint64) >> (64 - 8*dt.Size())
	}
	return 1<<(8*dt.Size()-1) - 1
}

// maxUnpool puts elements at the positions that MaxPool gave, into zeros.
func maxUnpool(c *call) tensors {
	x, ids := c.x(0), c.x(1)
	n := len(c.spatial(x))
	kernel, strides, pads := c.listOf("kernel_shape", n, 1), c.listOf("strides", n, 1), c.listOf("pads", 2*n, 0)
	inner := x.Dims()
	for i := range n {
		inner[2+i] = (inner[2+i]-1)*strides[i] - pads[i] - pads[n+i] + kernel[i]
	}
	shape := inner
	if c.has(2) {
		shape = c.ints(2)
	}
	if len(shape) != x.Rank() {
		c.fail("output_shape %v has other dims than the input", shape)
	}
	count := c.elements(inner)
	y := c.dev.Zeros(x.DType(), count).Scatter(ids.FlattenAll(), x.FlattenAll(), 0).Reshape(inner...)
	for d := range shape {
		y = c.padDim(y, d, 0, shape[d]-inner[d], 0)
	}
	return one(y)
}

// elements returns how many elements a shape has, which an input or attribute says.
func (c *call) elements(shape []int) int {
	n := 1
	for _, d := range shape {
		if d < 0 || d > maxElements || d > 0 && n > maxElements/d {
			c.fail("a tensor of shape %s is not possible", shapeText(shape))
		}
		n *= d
	}
	return n
}

// columnsToImage adds the elements of columns to where windows had them in an image.
func columnsToImage(c *call) tensors {
	sizes, window := c.ints(1), c.ints(2)
	n := len(sizes)
	if len(window) != n || n == 0 {
		c.fail("windows of %v do not fit images of %v", window, sizes)
	}
	c.elements(sizes)
	pads := c.listOf("pads", 2*n, 0)
	w := windows{before: pads[:n], after: pads[n:]}
	return one(nn.Fold(c.x(0), sizes, window, nn.ConvOptions{Stride: c.listOf("strides", n, 1), Padding: w.padding(),
		Dilation: c.listOf("dilations", n, 1)}))
}
