package onnx

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

var shapeOps = []operator{
	{name: "CenterCropPad", attrs: "axes", in: [2]int{2, 2}, run: centerCropPad},
	{name: "Concat", attrs: "axis", in: [2]int{1, -1}, run: concat},
	{name: "DepthToSpace", attrs: "blocksize mode", in: [2]int{1, 1}, run: by(depthToSpace)},
	{name: "Expand", in: [2]int{2, 2}, run: expand},
	{name: "Flatten", attrs: "axis", in: [2]int{1, 1}, run: by(func(c *call, x *tensor.Tensor) *tensor.Tensor { return c.rows(x) })},
	{name: "Pad", attrs: "mode pads value", in: [2]int{1, 4}, run: pad},
	{name: "Reshape", attrs: "allowzero", in: [2]int{2, 2}, run: reshape},
	{name: "ReverseSequence", attrs: "batch_axis time_axis", in: [2]int{2, 2}, run: reverseSequence},
	{name: "Shape", attrs: "end start", in: [2]int{1, 1}, run: shapeOf},
	{name: "Size", in: [2]int{1, 1}, run: func(c *call) tensors {
		return one(tensor.CPU().FromSlice([]int64{int64(product(c.dims(0)))}).Reshape())
	}},
	{name: "Slice", attrs: "axes ends starts", in: [2]int{1, 5}, run: slice},
	{name: "SpaceToDepth", attrs: "blocksize mode", in: [2]int{1, 1}, run: by(spaceToDepth)},
	{name: "Split", attrs: "axis num_outputs split", in: [2]int{1, 2}, run: split},
	{name: "Squeeze", attrs: "axes", in: [2]int{1, 2}, run: squeeze},
	{name: "Tile", in: [2]int{2, 2}, run: tile},
	{name: "Transpose", attrs: "perm", in: [2]int{1, 1}, run: by(transpose)},
	{name: "Trilu", attrs: "upper", in: [2]int{1, 2}, run: trilu},
	{name: "Unsqueeze", attrs: "axes", in: [2]int{1, 2}, run: unsqueeze},
}

// dims is the shape of an input, for which its elements are not needed.
func (c *call) dims(i int) []int {
	if !c.has(i) || c.in[i].sequence {
		c.fail("input %d is not a tensor", i)
	}
	return c.in[i].t.Dims()
}

// shapeOf gives a shape, or a part of it, on the host.
func shapeOf(c *call) tensors {
	dims := c.dims(0)
	n := len(dims)
	bound := func(name string, other int) int {
		v := c.int(name, other)
		if v < 0 {
			v += n
		}
		return min(max(v, 0), n)
	}
	start, end := bound("start", 0), bound("end", math.MaxInt)
	out := []int64{}
	for d := start; d < end; d++ {
		out = append(out, int64(dims[d]))
	}
	return one(tensor.CPU().FromSlice(out, len(out)))
}

// reshape takes a size of 0 from the input, unless allowzero says otherwise, and computes one of -1.
func reshape(c *call) tensors {
	x, shape := c.x(0), c.ints(1)
	if len(shape) > maxRank {
		c.fail("a shape with %d dims is not supported", len(shape))
	}
	unknown, known := -1, 1
	for i, size := range shape {
		switch {
		case size == 0 && c.int("allowzero", 0) == 0:
			if i >= x.Rank() {
				c.fail("size 0 of dim %d stands for that of the input, which has %d dims", i, x.Rank())
			}
			shape[i] = x.Dim(i)
		case size == -1 && unknown < 0:
			unknown = i
			continue
		case size < 0:
			c.fail("a shape of %s is not possible", shapeText(shape))
		}
		known *= shape[i]
	}
	if unknown >= 0 {
		if known == 0 || x.ElemCount()%known != 0 {
			c.fail("%d elements do not fit the shape %s", x.ElemCount(), shapeText(shape))
		}
		shape[unknown] = x.ElemCount() / known
	}
	return one(x.Reshape(shape...))
}

// parameter returns the integers of an input or, in older opsets, of an attribute.
func (c *call) parameter(i int, attr string) []int {
	if c.has(i) {
		return c.ints(i)
	}
	return c.list(attr)
}

func squeeze(c *call) tensors {
	x, axes := c.x(0), c.parameter(1, "axes")
	shape := x.Dims()
	if len(axes) == 0 {
		return one(x.Reshape(slices.DeleteFunc(shape, func(size int) bool { return size == 1 })...))
	}
	axes = c.axes(axes, x.Rank())
	var out []int
	for d, size := range shape {
		switch {
		case !slices.Contains(axes, d):
			out = append(out, size)
		case size != 1:
			c.fail("dim %d of shape %s is not 1", d, shapeText(shape))
		}
	}
	return one(x.Reshape(out...))
}

func unsqueeze(c *call) tensors {
	x := c.x(0)
	list := c.parameter(1, "axes")
	n := x.Rank() + len(list)
	if n > maxRank {
		c.fail("a tensor with %d dims is not supported", n)
	}
	axes := c.axes(list, n)
	var shape []int
	rest := x.Dims()
	for d := range n {
		if slices.Contains(axes, d) {
			shape = append(shape, 1)
		} else {
			shape, rest = append(shape, rest[0]), rest[1:]
		}
	}
	return one(x.Reshape(shape...))
}

func transpose(c *call, x *tensor.Tensor) *tensor.Tensor {
	perm := c.list("perm")
	if perm == nil {
		perm = from(0, x.Rank())
		slices.Reverse(perm)
	}
	if len(perm) != x.Rank() {
		c.fail("perm has %d numbers for a tensor of %d dims", len(perm), x.Rank())
	}
	return x.Permute(c.axes(perm, x.Rank())...)
}

func concat(c *call) tensors {
	ts, n := make(tensors, len(c.in)), 0
	for i := range ts {
		ts[i] = c.x(i)
		n += ts[i].ElemCount()
	}
	c.bound([]int{n})
	return one(tensor.Cat(ts, c.axis(c.int("axis", 1), ts[0].Rank())))
}

// split divides a dim in parts of given sizes, or in equal ones, of which the last may be smaller.
func split(c *call) tensors {
	x := c.x(0)
	axis := c.axis(c.int("axis", 0), x.Rank())
	size := x.Dim(axis)
	parts := c.parameter(1, "split")
	if len(parts) == 0 {
		n := c.int("num_outputs", c.outputs)
		if n < 1 || n > maxOutputs || c.version < 18 && size%n != 0 {
			c.fail("dim %d of %d elements is not to be split in %d", axis, size, n)
		}
		each := (size + n - 1) / n
		for i := range n {
			parts = append(parts, min(each, max(size-i*each, 0)))
		}
	}
	var out tensors
	at := 0
	for _, n := range parts {
		if n < 0 || n > size-at {
			c.fail("parts of %v do not fit dim %d, which has %d", parts, axis, size)
		}
		out = append(out, x.Narrow(axis, at, n))
		at += n
	}
	if at != size || len(out) != c.outputs {
		c.fail("parts of %v are not the %d outputs of dim %d, which has %d", parts, c.outputs, axis, size)
	}
	return out
}

// slice selects ranges as Python does, negative steps too.
func slice(c *call) tensors {
	x := c.x(0)
	starts, ends := c.parameter(1, "starts"), c.parameter(2, "ends")
	axes, steps := c.parameter(3, "axes"), []int(nil)
	if c.has(4) {
		steps = c.ints(4)
	}
	if axes == nil {
		axes = from(0, len(starts))
	}
	axes = c.axes(axes, x.Rank())
	if len(ends) != len(starts) || len(axes) != len(starts) || steps != nil && len(steps) != len(starts) {
		c.fail("starts %v, ends %v, axes %v and steps %v differ in number", starts, ends, axes, steps)
	}
	for i, axis := range axes {
		step := 1
		if steps != nil {
			step = steps[i]
		}
		if step == 0 {
			c.fail("a step of 0 is not possible")
		}
		x = sliced(x, axis, starts[i], ends[i], step)
	}
	return one(x)
}

// sliced selects a range of one dim.
func sliced(x *tensor.Tensor, axis, start, end, step int) *tensor.Tensor {
	size := x.Dim(axis)
	wrap := func(v, low, high int) int {
		if v < 0 {
			v += size
		}
		return min(max(v, low), high)
	}
	if step > 0 {
		start, end = wrap(start, 0, size), wrap(end, 0, size)
		return every(x.Narrow(axis, start, max(end-start, 0)), axis, step)
	}
	start, end = wrap(start, -1, size-1), wrap(end, -1, size-1)
	n := max(start-end, 0)
	y := x.Narrow(axis, end+1, n)
	if n == 0 {
		return x.Narrow(axis, 0, 0)
	}
	return every(y.Flip(axis), axis, max(-step, 1))
}

// every selects every step-th element of a dim.
func every(x *tensor.Tensor, axis, step int) *tensor.Tensor {
	if step == 1 || x.Dim(axis) == 0 {
		return x
	}
	index := make([]any, axis+1)
	for i := range index {
		index[i] = tensor.All
	}
	index[axis] = tensor.All.By(min(step, x.Dim(axis)))
	return x.I(index...)
}

// expand broadcasts both ways: sizes of 1 in the shape leave those of the input.
func expand(c *call) tensors {
	shape := c.ints(1)
	dims := c.dims(0)
	if len(shape) > maxRank {
		c.fail("a shape with %d dims is not supported", len(shape))
	}
	for len(shape) < len(dims) {
		shape = slices.Insert(shape, 0, 1)
	}
	for i, size := range dims {
		at := len(shape) - len(dims) + i
		switch {
		case shape[at] == 1:
			shape[at] = size
		case size != 1 && size != shape[at]:
			c.fail("the shape %s is not to be expanded to %s", shapeText(dims), shapeText(shape))
		}
	}
	c.elements(shape)
	c.room(shape...)
	return one(c.x(0).BroadcastAs(shape...))
}

func tile(c *call) tensors {
	counts, dims := c.ints(1), c.dims(0)
	if len(counts) != len(dims) {
		c.fail("%d repeats for a tensor of %d dims", len(counts), len(dims))
	}
	for i, n := range counts {
		if n < 0 || n > maxElements || n > 0 && dims[i] > maxElements/n {
			c.fail("repeats of %v are not possible", counts)
		}
		dims[i] *= n
	}
	c.elements(dims)
	c.room(dims...)
	if slices.Contains(counts, 0) {
		return one(c.dev.Zeros(c.x(0).DType(), dims...))
	}
	return one(c.x(0).Repeat(counts...))
}

func trilu(c *call) tensors {
	x, k := c.x(0), c.integer(1, 0)
	if x.Rank() < 2 {
		c.fail("Trilu takes matrices")
	}
	k = min(max(k, -x.Dim(-2)-1), x.Dim(-1)+1)
	if c.int("upper", 1) != 0 {
		return one(x.Triu(k))
	}
	return one(x.Tril(k))
}

// pad has paddings before and after the dims, which may be negative, of all axes or of some.
func pad(c *call) tensors {
	x := c.x(0)
	pads := c.parameter(1, "pads")
	axes := from(0, x.Rank())
	if c.has(3) {
		axes = c.axes(c.ints(3), x.Rank())
	}
	if len(pads) != 2*len(axes) {
		c.fail("pads has %d numbers for %d axes", len(pads), len(axes))
	}
	var mode any
	switch kind := c.text("mode", "constant"); kind {
	case "constant":
		mode = c.fill(x.DType(), c.float("value", 0))
	case "reflect":
		mode = tensor.Reflect
	case "edge":
		mode = tensor.Replicate
	case "wrap":
		mode = tensor.Circular
	default:
		c.fail("there is no mode %q", kind)
	}
	for i, axis := range axes {
		before, after := pads[i], pads[len(axes)+i]
		if max(before, after) > maxElements || min(before, after) < -maxElements {
			c.fail("pads %v are not possible", pads)
		}
		x = c.padDim(x, axis, before, after, mode)
	}
	return one(x)
}

// fill is the value of constant padding: an input, or in older opsets an attribute.
func (c *call) fill(dt tensor.DType, other float64) any {
	if !c.has(2) {
		if !dt.IsFloat() {
			return int(other)
		}
		return other
	}
	if t := c.host(2); t.ElemCount() == 1 && !dt.IsFloat() {
		return toInts(t)[0]
	}
	return c.number(2, 0)
}

// depthToSpace makes blocks of pixels of channels: those of a block are side by side (DCR), or those of a channel.
func depthToSpace(c *call, x *tensor.Tensor) *tensor.Tensor {
	b := c.int("blocksize", 0)
	if x.Rank() != 4 || b < 1 || b > 1<<15 || x.Dim(1)%(b*b) != 0 {
		c.fail("blocks of %d do not fit the shape %s", b, shapeText(x.Dims()))
	}
	n, channels, h, w := x.Dim(0), x.Dim(1)/(b*b), x.Dim(2), x.Dim(3)
	if c.text("mode", "DCR") == "DCR" {
		x = x.Reshape(n, b, b, channels, h, w).Permute(0, 3, 4, 1, 5, 2)
	} else {
		x = x.Reshape(n, channels, b, b, h, w).Permute(0, 1, 4, 2, 5, 3)
	}
	return x.Reshape(n, channels, h*b, w*b)
}

func spaceToDepth(c *call, x *tensor.Tensor) *tensor.Tensor {
	b := c.int("blocksize", 0)
	if x.Rank() != 4 || b < 1 || x.Dim(2)%b != 0 || x.Dim(3)%b != 0 {
		c.fail("blocks of %d do not fit the shape %s", b, shapeText(x.Dims()))
	}
	n, channels, h, w := x.Dim(0), x.Dim(1), x.Dim(2)/b, x.Dim(3)/b
	x = x.Reshape(n, channels, h, b, w, b)
	if c.text("mode", "DCR") == "DCR" {
		x = x.Permute(0, 3, 5, 1, 2, 4)
	} else {
		x = x.Permute(0, 1, 3, 5, 2, 4)
	}
	return x.Reshape(n, channels*b*b, h, w)
}

// centerCropPad cuts or pads with zeros, at both ends, to given sizes.
func centerCropPad(c *call) tensors {
	x, sizes := c.x(0), c.ints(1)
	axes := c.list("axes")
	if axes == nil {
		axes = from(0, x.Rank())
	}
	axes = c.axes(axes, x.Rank())
	if len(sizes) != len(axes) {
		c.fail("there are %d sizes for %d axes", len(sizes), len(axes))
	}
	c.elements(sizes)
	for i, axis := range axes {
		more := sizes[i] - x.Dim(axis)
		if more < 0 {
			x = x.Narrow(axis, -more/2, sizes[i])
		} else {
			x = c.padDim(x, axis, more/2, more-more/2, 0)
		}
	}
	return one(x)
}

// reverseSequence reverses the first elements along the time axis, as many as the second input says for each batch.
func reverseSequence(c *call) tensors {
	x := c.x(0)
	batch, time := c.axis(c.int("batch_axis", 1), x.Rank()), c.axis(c.int("time_axis", 0), x.Rank())
	if batch == time || x.Rank() < 2 {
		c.fail("the axes of batch and time are both %d", batch)
	}
	return one(reversed(x, c.x(1), batch, time))
}

// reversed reverses the first elements along a dim, as many as lengths says for each element of batch.
func reversed(x, lengths *tensor.Tensor, batch, time int) *tensor.Tensor {
	n, rank := x.Dim(time), x.Rank()
	at := along(x.Device().Arange(tensor.I64, float64(n)), rank, time).Reshape(shapeAlong(n, rank, time)...)
	length := lengths.ToDType(tensor.I64).Reshape(shapeAlong(lengths.ElemCount(), rank, batch)...)
	ids := at.Lt(length).WhereCond(length.Sub(1).Sub(at), at)
	return x.Gather(ids.BroadcastAs(x.Dims()...).Contiguous(), time)
}

func shapeAlong(n, rank, axis int) []int {
	shape := ones(rank)
	shape[axis] = n
	return shape
}
