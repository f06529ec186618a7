package tensor

import (
	"slices"

	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/shapes"
)

// Reshape returns the same elements in row-major order with another shape. One size may be -1 and is then computed.
// The result shares the elements where strides can express it, and is a copy otherwise. It panics with ErrShape when
// the element counts differ.
func (t *Tensor) Reshape(shape ...int) *Tensor { return must(t.reshape("reshape", shape)) }

func (t *Tensor) reshape(op string, shape []int) (*Tensor, error) {
	want, err := inferShape(op, shape, t.ElemCount())
	if err != nil {
		e := asError(err)
		return nil, fault(op, ErrShape, []*Tensor{t}, "%v to %v: %s", t.layout.Shape, shape, e.Message)
	}
	if l, ok := t.layout.Reshape(want); ok {
		return t.reshaped(l), nil
	}
	c, err := t.copied(op)
	if err != nil {
		return nil, err
	}
	return c.reshaped(backend.Dense(want)), nil
}

// Flatten merges the dims from start to end into one, as a view where strides can express it; a scalar's shape is [1].
func (t *Tensor) Flatten(start, end int) *Tensor { return must(t.flatten("flatten", start, end)) }

func (t *Tensor) flatten(op string, start, end int) (*Tensor, error) {
	if t.Rank() == 0 {
		return t.reshape(op, []int{1})
	}
	a, err := t.axis(op, start)
	if err != nil {
		return nil, err
	}
	b, err := t.axis(op, end)
	if err != nil {
		return nil, err
	}
	if a > b {
		return nil, fault(op, ErrShape, []*Tensor{t}, "start dim %d comes after end dim %d", start, end)
	}
	s := t.layout.Shape
	return t.reshape(op, slices.Concat(s[:a], []int{backend.Product(s[a : b+1])}, s[b+1:]))
}

// FlattenAll returns all elements in row-major order as a tensor of rank 1, which shares those of a contiguous one.
func (t *Tensor) FlattenAll() *Tensor { return must(t.reshape("flatten", []int{t.ElemCount()})) }

// T swaps the last two dims; the elements are shared. It panics with ErrShape below rank 2.
func (t *Tensor) T() *Tensor {
	r := t.Rank()
	if r < 2 {
		check(fault("t", ErrShape, []*Tensor{t}, "want rank 2 or more, not shape %v", t.layout.Shape))
	}
	return t.swapped(r-2, r-1)
}

// Transpose swaps two dims; the elements are shared.
func (t *Tensor) Transpose(dim0, dim1 int) *Tensor {
	a, err := t.axis("transpose", dim0)
	check(err)
	b, err := t.axis("transpose", dim1)
	check(err)
	return t.swapped(a, b)
}

// Permute puts the dims in the given order, which names each dim once; the elements are shared.
func (t *Tensor) Permute(dims ...int) *Tensor {
	if len(dims) != t.Rank() {
		check(fault("permute", ErrShape, []*Tensor{t}, "%d dims given for shape %v", len(dims), t.layout.Shape))
	}
	order, err := t.axes("permute", dims)
	check(err)
	v := t.view(t.layout.Permute(order))
	if tracked(t) {
		v.by("permute", via{t, func(g *Tensor) *Tensor { return g.Permute(shapes.Inverse(order)...) }})
	}
	return v
}

// Narrow keeps n elements of a dim, beginning with start; the elements are shared.
// It panics with ErrIndex when they are not all there.
func (t *Tensor) Narrow(dim, start, n int) *Tensor { return must(t.narrow("narrow", dim, start, n)) }

func (t *Tensor) narrow(op string, dim, start, n int) (*Tensor, error) {
	d, err := t.axis(op, dim)
	if err != nil {
		return nil, err
	}
	if start < 0 || n < 0 || start > t.layout.Shape[d]-n {
		return nil, fault(op, ErrIndex, []*Tensor{t}, "elements %d to %d of dim %d, which has %d, in shape %v", start,
			start+n-1, dim, t.layout.Shape[d], t.layout.Shape)
	}
	return t.part(d, start, n, 1), nil
}

// Get returns element i of the first dim, which is dropped; negative i count from the end. The elements are shared.
func (t *Tensor) Get(i int) *Tensor { return t.GetOnDim(0, i) }

// GetOnDim returns element i of a dim, which is dropped; negative i count from the end. The elements are shared.
func (t *Tensor) GetOnDim(dim, i int) *Tensor {
	d, err := t.axis("get", dim)
	check(err)
	return must(t.picked("get", t, dim, d, i))
}

// Squeeze drops a dim of size 1; a dim of another size stays. The elements are shared.
func (t *Tensor) Squeeze(dim int) *Tensor {
	d, err := t.axis("squeeze", dim)
	check(err)
	if t.layout.Shape[d] != 1 {
		return t
	}
	return t.reshaped(t.layout.DropDim(d))
}

// Unsqueeze puts a dim of size 1 before dim; -1 appends one. The elements are shared.
func (t *Tensor) Unsqueeze(dim int) *Tensor { return must(t.unsqueeze("unsqueeze", dim)) }

func (t *Tensor) unsqueeze(op string, dim int) (*Tensor, error) {
	d := dim
	if d < 0 {
		d += t.Rank() + 1
	}
	if d < 0 || d > t.Rank() {
		return nil, fault(op, ErrShape, []*Tensor{t}, "no place %d for a dim in shape %v", dim, t.layout.Shape)
	}
	return t.reshaped(t.layout.InsertDim(d)), nil
}

// BroadcastAs repeats dims of size 1, and adds dims on the left, to get shape. The elements are shared.
func (t *Tensor) BroadcastAs(shape ...int) *Tensor { return must(t.broadcastAs("broadcast", shape)) }

// Expand is BroadcastAs in which -1 keeps the size of a dim, as in PyTorch. The elements are shared.
func (t *Tensor) Expand(shape ...int) *Tensor {
	want := slices.Clone(shape)
	lead := len(want) - t.Rank()
	for i, d := range want {
		if d == -1 && i >= lead && lead >= 0 {
			want[i] = t.layout.Shape[i-lead]
		}
	}
	return must(t.broadcastAs("expand", want))
}

func (t *Tensor) broadcastAs(op string, shape []int) (*Tensor, error) {
	if err := checkShape(op, shape, t.dtype); err != nil {
		return nil, err
	}
	l, ok := t.layout.Broadcast(shape)
	if !ok {
		return nil, fault(op, ErrShape, []*Tensor{t}, "%v does not broadcast to %v", t.layout.Shape, shape).
			note("dims are matched from the right; only a dim of size 1 is broadcast")
	}
	return t.broadcastView(l), nil
}

// BroadcastLeft adds dims of these sizes on the left. The elements are shared.
func (t *Tensor) BroadcastLeft(shape ...int) *Tensor {
	return must(t.broadcastAs("broadcast left", slices.Concat(shape, t.layout.Shape)))
}

// Chunk cuts a dim into n parts whose sizes differ by at most 1, larger ones first. A dim with fewer than n elements
// gives one part for each. The elements are shared.
func (t *Tensor) Chunk(n, dim int) []*Tensor {
	d, err := t.axis("chunk", dim)
	check(err)
	if n < 1 {
		check(fault("chunk", ErrShape, []*Tensor{t}, "cannot cut a dim into %d parts", n))
	}
	size := t.layout.Shape[d]
	n = max(1, min(n, size))
	parts, start := make([]*Tensor, n), 0
	for i := range parts {
		k := size / n
		if i < size%n {
			k++
		}
		parts[i] = t.part(d, start, k, 1)
		start += k
	}
	return parts
}

// Split cuts a dim into parts of that size; the last one may be smaller. The elements are shared.
func (t *Tensor) Split(size, dim int) []*Tensor {
	d, err := t.axis("split", dim)
	check(err)
	if size < 1 {
		check(fault("split", ErrShape, []*Tensor{t}, "cannot cut a dim into parts of size %d", size))
	}
	var parts []*Tensor
	for start := 0; start == 0 || start < t.layout.Shape[d]; start += size {
		parts = append(parts, t.part(d, start, min(size, t.layout.Shape[d]-start), 1))
	}
	return parts
}

// Contiguous returns t when its elements are in row-major order without gaps, otherwise a copy whose elements are.
func (t *Tensor) Contiguous() *Tensor { return must(t.contiguous("contiguous")) }

// Copy returns a tensor with its own elements, in row-major order.
func (t *Tensor) Copy() *Tensor { return must(t.copied("copy")) }

func (t *Tensor) contiguous(op string) (*Tensor, error) {
	if t.IsContiguous() {
		return t, nil
	}
	return t.copied(op)
}

// forKernel returns t with a layout that the backend takes: any layout if it reads strides, otherwise a dense one.
func (t *Tensor) forKernel(op string) (*Tensor, error) {
	if t.dev.backend.ReadsStrides() {
		return t, nil
	}
	return t.contiguous(op)
}

func (t *Tensor) copied(op string) (*Tensor, error) {
	c, err := empty(op, t.layout.Shape, t.dtype, t.dev)
	if err == nil && c.ElemCount() > 0 {
		err = failure(op, t.dev, t.dev.backend.Copy(t.operand(), c.operand()))
	}
	if err == nil && tracked(t) {
		c.by(op, via{t, func(g *Tensor) *Tensor { return g }})
	}
	return c, err
}
