package onnx

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/nn"
)

var resizeOps = []operator{
	{name: "AffineGrid", attrs: "align_corners", in: [2]int{2, 2}, unfolded: true, run: func(c *call) tensors {
		sizes := c.ints(1)
		if n := c.elements(sizes); n > maxMade {
			c.fail("a grid of %d positions is not supported", n)
		}
		return one(nn.AffineGrid(c.x(0), sizes[min(2, len(sizes)):], c.int("align_corners", 0) != 0))
	}},
	{name: "Resize", attrs: "antialias axes coordinate_transformation_mode cubic_coeff_a exclude_outside extrapolation_value keep_aspect_ratio_policy mode nearest_mode", in: [2]int{1, 4}, unfolded: true, run: resize},
	{name: "Upsample", attrs: "height_scale mode scales width_scale", in: [2]int{1, 2}, unfolded: true, run: resize},
}

// resizing is how one axis gets another size.
type resizing struct {
	c          *call
	in, out    int
	scale      float64
	start, end float64 // of the region, of tf_crop_and_resize
}

// tap is one of the elements that a new element is a sum of: which one, and how much of it, for each new element.
type tap struct {
	ids     []int64
	weights []float64
}

func resize(c *call) tensors {
	x := c.x(0)
	rank := x.Rank()
	axes := from(0, rank)
	if list := c.list("axes"); list != nil {
		axes = c.axes(list, rank)
	}
	scales, sizes := c.resizeTo(axes)
	roi := make([]float64, 2*len(axes))
	if c.crops() && c.version >= 11 && c.has(1) {
		if roi = c.host(1).Float64s(); len(roi) != 2*len(axes) {
			c.fail("roi has %d numbers for %d axes", len(roi), len(axes))
		}
	}
	shape := x.Dims()
	for i, axis := range axes {
		shape[axis] = sizes[i]
	}
	c.elements(shape)
	y, dt := x, x.DType()
	if c.text("mode", "nearest") != "nearest" {
		y = extend.Wide(x)
		if dt.IsInt() {
			y = x.ToDType(tensor.F32)
		}
	}
	var outside *tensor.Tensor
	for i, axis := range axes {
		r := resizing{c: c, in: x.Dim(axis), out: sizes[i], scale: scales[i], start: roi[i], end: roi[len(axes)+i]}
		if r.in == r.out && r.scale == 1 && !c.crops() {
			continue
		}
		if r.in == 0 || r.out == 0 || r.out > maxTaps {
			c.fail("axis %d has %d elements, and is to have %d", axis, r.in, r.out)
		}
		y = r.apply(y, axis)
		if mask := r.outside(); mask != nil {
			m := c.dev.FromSlice(mask, shapeAlong(len(mask), rank, axis)...)
			if outside == nil {
				outside = m
			} else {
				outside = outside.Or(m)
			}
		}
	}
	if outside != nil {
		y = outside.WhereCond(c.float("extrapolation_value", 0), y)
	}
	if dt.IsInt() && y.DType() != dt {
		y = roundEven(y)
	}
	return one(y.ToDType(dt))
}

// crops reports whether a region of the input is resized.
func (c *call) crops() bool {
	return c.text("coordinate_transformation_mode", "") == "tf_crop_and_resize"
}

// resizeTo returns the scale and the new size of each axis, from whichever of them is there.
func (c *call) resizeTo(axes []int) (scales []float64, sizes []int) {
	dims := c.dims(0)
	at, sizesAt := 1, -1
	if c.op == "Resize" && c.version >= 11 {
		at, sizesAt = 2, 3
	}
	switch {
	case sizesAt > 0 && c.has(sizesAt) && product(c.dims(sizesAt)) > 0:
		if sizes = c.ints(sizesAt); len(sizes) != len(axes) {
			c.fail("there are %d sizes for %d axes", len(sizes), len(axes))
		}
		for i, axis := range axes {
			scales = append(scales, float64(sizes[i])/float64(dims[axis]))
		}
		return c.aspect(scales, sizes, axes)
	case c.has(at):
		scales = c.host(at).Float64s()
	case c.attrs["scales"] != nil:
		for _, v := range c.attrs["scales"].floats {
			scales = append(scales, float64(v))
		}
	}
	if len(scales) != len(axes) {
		c.fail("there are %d scales for %d axes", len(scales), len(axes))
	}
	for i, axis := range axes {
		size := math.Floor(scales[i] * float64(dims[axis]))
		if !(scales[i] > 0) || size > maxElements {
			c.fail("a scale of %g is not possible", scales[i])
		}
		if c.crops() && c.has(1) {
			roi := c.host(1).Float64s()
			if len(roi) == 2*len(axes) {
				size = math.Floor(float64(dims[axis]) * (roi[len(axes)+i] - roi[i]) * scales[i])
			}
		}
		sizes = append(sizes, int(max(size, 0)))
	}
	return scales, sizes
}

// aspect makes the scales of axes equal, where keep_aspect_ratio_policy says so.
func (c *call) aspect(scales []float64, sizes, axes []int) ([]float64, []int) {
	var s float64
	switch policy := c.text("keep_aspect_ratio_policy", "stretch"); policy {
	case "stretch":
		return scales, sizes
	case "not_larger":
		s = slices.Min(scales)
	case "not_smaller":
		s = slices.Max(scales)
	default:
		c.fail("there is no policy %q", policy)
	}
	dims := c.dims(0)
	for i, axis := range axes {
		scales[i] = s
		sizes[i] = int(math.Floor(s*float64(dims[axis]) + 0.5))
	}
	return scales, sizes
}

// apply resizes one axis: a sum of selected elements, weighted.
func (r resizing) apply(x *tensor.Tensor, axis int) *tensor.Tensor {
	if r.c.text("mode", "nearest") == "nearest" {
		return x.IndexSelect(r.c.dev.FromSlice(r.nearest(), r.out), axis)
	}
	var sum *tensor.Tensor
	for _, t := range r.taps() {
		part := x.IndexSelect(r.c.dev.FromSlice(t.ids, r.out), axis)
		weights := r.c.dev.FromSlice(t.weights, shapeAlong(r.out, x.Rank(), axis)...).ToDType(x.DType())
		if part = part.Mul(weights); sum == nil {
			sum = part
		} else {
			sum = sum.Add(part)
		}
	}
	return sum
}

// at returns the position in the input of a new element.
func (r resizing) at(i int) float64 {
	x, in, out := float64(i), float64(r.in), float64(r.out)
	exact := r.scale * in // the size before it was rounded
	mode := r.c.text("coordinate_transformation_mode", "half_pixel")
	if r.c.op == "Upsample" || r.c.version < 11 {
		mode = "asymmetric"
	}
	switch mode {
	case "half_pixel":
		return (x+0.5)/r.scale - 0.5
	case "half_pixel_symmetric":
		return in/2*(1-out/exact) + (x+0.5)/r.scale - 0.5
	case "pytorch_half_pixel":
		if exact <= 1 {
			return -0.5
		}
		return (x+0.5)/r.scale - 0.5
	case "align_corners":
		if exact <= 1 {
			return 0
		}
		return x * (in - 1) / (exact - 1)
	case "asymmetric":
		return x / r.scale
	case "tf_half_pixel_for_nn":
		return (x + 0.5) / r.scale
	case "tf_crop_and_resize":
		if out > 1 {
			return r.start*(in-1) + x*(r.end-r.start)*(in-1)/(out-1)
		}
		return 0.5 * (r.start + r.end) * (in - 1)
	}
	r.c.fail("there is no coordinate_transformation_mode %q", mode)
	return 0
}

// outside says which new elements lie beyond the input, of tf_crop_and_resize.
func (r resizing) outside() []bool {
	if !r.c.crops() {
		return nil
	}
	mask := make([]bool, r.out)
	for i := range mask {
		at := r.at(i)
		mask[i] = at < 0 || at > float64(r.in-1)
	}
	return mask
}

// nearest returns which element each new one is.
func (r resizing) nearest() []int64 {
	round := map[string]func(float64) float64{
		"round_prefer_floor": func(v float64) float64 { return math.Ceil(v - 0.5) },
		"round_prefer_ceil":  func(v float64) float64 { return math.Floor(v + 0.5) },
		"floor":              math.Floor,
		"ceil":               math.Ceil,
	}
	mode := r.c.text("nearest_mode", "round_prefer_floor")
	if r.c.op == "Upsample" || r.c.version < 11 {
		mode = "floor"
	}
	f := round[mode]
	if f == nil {
		r.c.fail("there is no nearest_mode %q", mode)
	}
	ids := make([]int64, r.out)
	for i := range ids {
		ids[i] = int64(min(max(f(r.at(i)), 0), float64(r.in-1)))
	}
	return ids
}

// taps returns what new elements are sums of. With antialias the kernel is as wide as the step between new elements.
func (r resizing) taps() []tap {
	kernel, reach := triangle, 1.0
	switch mode := r.c.text("mode", "nearest"); mode {
	case "linear", "bilinear", "trilinear":
	case "cubic":
		a := r.c.float("cubic_coeff_a", -0.75)
		kernel, reach = func(v float64) float64 { return keys(v, a) }, 2
	default:
		r.c.fail("there is no mode %q", mode)
	}
	wide := 1.0
	if r.c.int("antialias", 0) != 0 && r.scale < 1 {
		wide = 1 / r.scale
	}
	n := 2 * int(math.Ceil(reach*wide))
	if float64(n)*float64(r.out) > maxTaps {
		r.c.fail("a scale of %g with antialias is not supported", r.scale)
	}
	out := make([]tap, n)
	for k := range out {
		out[k] = tap{make([]int64, r.out), make([]float64, r.out)}
	}
	exclude := r.c.int("exclude_outside", 0) != 0
	for i := range r.out {
		at := r.at(i)
		first := int(math.Floor(at)) - n/2 + 1
		var sum float64
		for k := range out {
			id := first + k
			w := kernel((at - float64(id)) / wide)
			if exclude && (id < 0 || id >= r.in) {
				w = 0
			}
			out[k].ids[i], out[k].weights[i] = int64(min(max(id, 0), r.in-1)), w
			sum += w
		}
		if (exclude || wide > 1) && sum != 0 {
			for k := range out {
				out[k].weights[i] /= sum
			}
		}
	}
	return out
}

// maxTaps bounds the numbers that the weights of an axis take.
const maxTaps = 1 << 26

func triangle(v float64) float64 { return max(1-math.Abs(v), 0) }

// keys is the cubic convolution kernel of R. Keys (1981), with the coefficient a.
func keys(v, a float64) float64 {
	v = math.Abs(v)
	switch {
	case v <= 1:
		return ((a+2)*v-(a+3))*v*v + 1
	case v < 2:
		return ((v-5)*v+8)*v*a - 4*a
	}
	return 0
}
