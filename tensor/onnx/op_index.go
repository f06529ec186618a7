package onnx

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

var indexOps = []operator{
	{name: "Compress", attrs: "axis", in: [2]int{2, 2}, run: compress},
	{name: "Gather", attrs: "axis", in: [2]int{2, 2}, run: gather},
	{name: "GatherElements", attrs: "axis", in: [2]int{2, 2}, run: gatherElements},
	{name: "GatherND", attrs: "batch_dims", in: [2]int{2, 2}, run: gatherND},
	{name: "NonZero", in: [2]int{1, 1}, run: by(func(c *call, x *tensor.Tensor) *tensor.Tensor {
		if x.Rank() == 0 { // the index of a scalar has no dims
			n := x.Reshape(1).Nonzero().Dim(0)
			return c.dev.Zeros(tensor.I64, 0, n)
		}
		return x.Nonzero().ToDType(tensor.I64).T()
	})},
	{name: "Unique", attrs: "axis sorted", in: [2]int{1, 1}, run: unique},
}

// positive makes negative indices count from the end. Those that the host knows are checked.
func (c *call) positive(i, size int) *tensor.Tensor {
	v := c.in[i]
	t := c.x(i)
	if !t.DType().IsInt() {
		c.fail("indices are of %v", t.DType())
	}
	if v.onHost() && small(v.t) {
		ids := c.ints(i)
		for k, id := range ids {
			if id < -size || id >= size {
				c.fail("index %d is outside of %d elements", id, size)
			}
			if id < 0 {
				ids[k] = id + size
			}
		}
		return c.dev.FromSlice(ids, t.Dims()...)
	}
	if t.DType() == tensor.U8 || t.DType() == tensor.U32 || t.DType() == tensor.U64 || t.DType() == tensor.U16 {
		return t
	}
	return t.Lt(0).WhereCond(t.Add(size), t)
}

func gather(c *call) tensors {
	x := c.x(0)
	axis := c.axis(c.int("axis", 0), x.Rank())
	shape := c.dims(1)
	ids := c.positive(1, x.Dim(axis))
	dims := x.Dims()
	if len(shape) == 0 && c.in[1].onHost() {
		return one(x.Narrow(axis, toInts(ids.To("cpu"))[0], 1).Squeeze(axis))
	}
	out := slices.Concat(dims[:axis], shape, dims[axis+1:])
	c.bound(out)
	return one(x.IndexSelect(ids.FlattenAll(), axis).Reshape(out...))
}

func gatherElements(c *call) tensors {
	x := c.x(0)
	axis := c.axis(c.int("axis", 0), x.Rank())
	return one(x.Gather(c.positive(1, x.Dim(axis)), axis))
}

// places makes of rows of indices, of the first dims of a shape, the positions in these dims as if they were one.
func (c *call) places(ids *tensor.Tensor, sizes []int) *tensor.Tensor {
	ids = ids.ToDType(tensor.I64)
	if ids.Device().IsCPU() { // a wrong index may lead to an element of another row, which no later check finds
		list := toInts(ids)
		for i, id := range list {
			if size := sizes[i%len(sizes)]; id < -size || id >= size {
				c.fail("index %d is outside of %d elements", id, size)
			}
		}
	}
	flat := c.dev.Zeros(tensor.I64, ids.Dims()[:ids.Rank()-1]...)
	bad := c.dev.Zeros(tensor.Bool, ids.Dims()[:ids.Rank()-1]...)
	for k, size := range sizes {
		id := ids.Narrow(-1, k, 1).Squeeze(-1)
		bad = bad.Or(id.Lt(-size)).Or(id.Ge(size))
		flat = flat.Mul(size).Add(id.Lt(0).WhereCond(id.Add(size), id))
	}
	return bad.WhereCond(product(sizes), flat) // beyond the end, where the device finds it
}

// gatherND selects slices by rows of indices, in each of the batches that the first dims are.
func gatherND(c *call) tensors {
	x, ids := c.x(0), c.x(1)
	batch := c.int("batch_dims", 0)
	if batch < 0 || ids.Rank() < 1 || batch >= min(x.Rank(), ids.Rank()) || ids.Dim(-1) < 1 ||
		ids.Dim(-1) > x.Rank()-batch {
		c.fail("rows of %d indices with batch_dims %d do not fit", ids.Dims()[max(ids.Rank()-1, 0):], batch)
	}
	n := ids.Dim(-1)
	dims := x.Dims()
	if !slices.Equal(dims[:batch], ids.Dims()[:batch]) {
		c.fail("the first %d dims differ", batch)
	}
	sizes, rest := dims[batch:batch+n], dims[batch+n:]
	batches, count := product(dims[:batch]), product(sizes)
	at := c.places(ids, sizes).Reshape(batches, -1)
	if batch > 0 {
		begin := c.dev.Arange(tensor.I64, float64(batches)).Mul(count).Reshape(batches, 1)
		at = at.Ge(count).WhereCond(batches*count, at.Add(begin))
	}
	out := slices.Concat(ids.Dims()[:ids.Rank()-1], rest)
	c.bound(out)
	return one(x.Reshape(batches*count, product(rest)).IndexSelect(at.FlattenAll(), 0).Reshape(out...))
}

// compress selects the elements of an axis, or of all as if they were one, where a vector of Bool is true.
func compress(c *call) tensors {
	x := c.x(0)
	axis := 0
	if c.attrs["axis"] == nil {
		x = x.FlattenAll()
	} else {
		axis = c.axis(c.int("axis", 0), x.Rank())
	}
	var ids []int
	for i, v := range c.ints(1) {
		if v != 0 && i < x.Dim(axis) {
			ids = append(ids, i)
		}
	}
	return one(x.IndexSelect(c.dev.FromSlice(ids, len(ids)), axis))
}

// unique gives the distinct elements, or slices along an axis, in order, or as they come first; where each comes first;
// which of them each is; and how often it is there.
func unique(c *call) tensors {
	x := c.x(0)
	if c.attrs["axis"] != nil {
		return uniqueSlices(c)
	}
	values, inverse, counts := x.FlattenAll().Unique()
	inverse = inverse.FlattenAll().ToDType(tensor.I64)
	at := c.dev.Arange(tensor.I64, float64(x.ElemCount()))
	first := c.dev.Zeros(tensor.I64, values.Dim(0)).ScatterReduce(inverse, at, 0, "amin", false)
	if c.int("sorted", 1) == 0 {
		order := first.ArgSort(0, true).ToDType(tensor.I64)
		values, first, counts = values.IndexSelect(order, 0), first.IndexSelect(order, 0), counts.IndexSelect(order, 0)
		inverse = order.ArgSort(0, true).ToDType(tensor.I64).IndexSelect(inverse, 0)
	}
	return tensors{values, first, inverse, counts}
}

// uniqueSlices compares slices on the host.
func uniqueSlices(c *call) tensors {
	x := c.x(0)
	axis := c.axis(c.int("axis", 0), x.Rank())
	n := x.Dim(axis)
	flat := x.Transpose(0, axis).Reshape(n, -1).To("cpu")
	var rows [][]float64
	var exact [][]int64
	if flat.DType().IsInt() {
		exact = tensor.ToVec2[int64](flat.ToDType(tensor.I64))
	} else {
		rows = flat.ToVec2()
	}
	compare := func(i, j int) int {
		if exact != nil {
			return slices.Compare(exact[i], exact[j])
		}
		return slices.Compare(rows[i], rows[j])
	}
	order := from(0, n)
	slices.SortStableFunc(order, compare)
	var first, counts []int64
	groups := make([]int64, n)
	for i, k := range order {
		if i == 0 || compare(order[i-1], k) != 0 {
			first, counts = append(first, int64(k)), append(counts, 0)
		}
		groups[k] = int64(len(first) - 1)
		counts[len(counts)-1]++
	}
	if c.int("sorted", 1) == 0 {
		first, counts, groups = asTheyCome(first, counts, groups)
	}
	list := func(v []int64) *tensor.Tensor { return c.dev.FromSlice(v, len(v)) }
	return tensors{x.IndexSelect(list(first), axis), list(first), list(groups), list(counts)}
}

// asTheyCome orders groups by where they come first.
func asTheyCome(first, counts, groups []int64) (f, n, g []int64) {
	order := from(0, len(first))
	slices.SortFunc(order, func(i, j int) int { return int(first[i] - first[j]) })
	rank := make([]int64, len(first))
	for to, k := range order {
		rank[k] = int64(to)
		f, n = append(f, first[k]), append(n, counts[k])
	}
	g = make([]int64, len(groups))
	for i, k := range groups {
		g[i] = rank[k]
	}
	return f, n, g
}
