package tensor

import (
	"fmt"
	"slices"

	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Cat joins tensors along a dim. Rank, device and all other sizes must be equal. Elements are converted to the type
// that Promote gives for all of them.
func Cat(ts []*Tensor, dim int) *Tensor { return must(cat("cat", ts, dim)) }

func cat(op string, ts []*Tensor, dim int) (*Tensor, error) {
	if len(ts) == 0 {
		return nil, &Error{Op: op, Kind: ErrShape, Message: "no tensors to join"}
	}
	if i := slices.Index(ts, nil); i >= 0 {
		return nil, &Error{Op: op, Kind: ErrShape, Message: fmt.Sprintf("tensor %d is nil", i)}
	}
	d, err := ts[0].axis(op, dim)
	if err != nil {
		return nil, err
	}
	if err := sameDevice(op, ts...); err != nil {
		return nil, err
	}
	if ts, err = promoteAll(op, ts, func(i int) string { return fmt.Sprintf("ts[%d]", i) }); err != nil {
		return nil, err
	}
	shape, total := ts[0].Dims(), 0
	for i, t := range ts {
		same := t.Rank() == len(shape)
		for k := 0; same && k < len(shape); k++ {
			same = k == d || t.layout.Shape[k] == shape[k]
		}
		if !same {
			return nil, fault(op, ErrShape, []*Tensor{ts[0], t},
				"shapes differ outside of dim %d: %v and %v (tensor %d)", dim, shape, t.layout.Shape, i)
		}
		total += t.layout.Shape[d]
	}
	shape[d] = total
	out, err := empty(op, shape, ts[0].dtype, ts[0].dev)
	if err != nil {
		return nil, err
	}
	start := 0
	joined := false
	if b, ok := out.dev.backend.(backend.Joiner); ok && total > 0 {
		parts := make([]backend.Operand, len(ts))
		for i, t := range ts {
			parts[i] = t.operand()
		}
		joined = b.JoinRows(parts, out.operand(), backend.Product(shape[:d]))
	}
	var made []via
	for _, t := range ts {
		from, n := start, t.layout.Shape[d]
		if t.ElemCount() > 0 && !joined {
			part := out.view(out.layout.Narrow(d, start, n))
			if err := out.dev.backend.Copy(t.operand(), part.operand()); err != nil {
				return nil, failure(op, out.dev, err)
			}
		}
		if tracked(t) {
			made = append(made, via{t, func(g *Tensor) *Tensor { return g.Narrow(d, from, n) }})
		}
		start += n
	}
	return out.by(op, made...), nil
}

// Stack joins tensors of equal shape along a new dim.
func Stack(ts []*Tensor, dim int) *Tensor {
	if len(ts) == 0 || slices.Contains(ts, nil) {
		check(&Error{Op: "stack", Kind: ErrShape, Message: "no tensors to join, or a nil one"})
	}
	if dim < 0 {
		dim += ts[0].Rank() + 1
	}
	parts := make([]*Tensor, len(ts))
	for i, t := range ts {
		if !slices.Equal(t.layout.Shape, ts[0].layout.Shape) {
			check(fault("stack", ErrShape, []*Tensor{ts[0], t}, "shapes differ: %v and %v (tensor %d)",
				ts[0].layout.Shape, t.layout.Shape, i))
		}
		parts[i] = must(t.unsqueeze("stack", dim))
	}
	return must(cat("stack", parts, dim))
}

// Repeat repeats the whole tensor along every dim: counts[i] times along dim i. More counts than dims add dims on the
// left.
func (t *Tensor) Repeat(counts ...int) *Tensor {
	const op = "repeat"
	lead := len(counts) - t.Rank()
	if lead < 0 {
		check(fault(op, ErrShape, []*Tensor{t}, "%d counts for shape %v", len(counts), t.layout.Shape))
	}
	padded := slices.Concat(slices.Repeat([]int{1}, lead), t.layout.Shape)
	// Each dim becomes [count size], and the count is broadcast.
	var split, stretched, final []int
	for i, n := range counts {
		if n < 0 {
			check(fault(op, ErrShape, []*Tensor{t}, "a negative count in %v", counts))
		}
		split = append(split, 1, padded[i])
		stretched = append(stretched, n, padded[i])
		final = append(final, n*padded[i])
	}
	return must(must(must(t.reshape(op, split)).broadcastAs(op, stretched)).copied(op)).Reshape(final...)
}

// Roll shifts the elements along a dim; those that leave at one end enter at the other. A negative shift goes to the
// front.
func (t *Tensor) Roll(shift, dim int) *Tensor {
	const op = "roll"
	d, err := t.axis(op, dim)
	check(err)
	n := t.layout.Shape[d]
	if n == 0 || shift%n == 0 {
		return t.Copy()
	}
	cut := ((-shift)%n + n) % n
	return must(cat(op, []*Tensor{must(t.narrow(op, d, cut, n-cut)), must(t.narrow(op, d, 0, cut))}, d))
}

// Meshgrid broadcasts vectors to the grid that they span: for vectors of lengths n and m two tensors of shape [n m],
// of which the first varies along dim 0 and the second along dim 1. With xy the first two dims are swapped, as for
// images. The elements are shared.
func Meshgrid(vectors []*Tensor, xy bool) []*Tensor {
	const op = "meshgrid"
	if len(vectors) < 2 {
		check(&Error{Op: op, Kind: ErrShape, Message: "want at least two vectors"})
	}
	shape := make([]int, len(vectors))
	for i, v := range vectors {
		if v.Rank() != 1 {
			check(fault(op, ErrShape, vectors, "want vectors, not shape %v (tensor %d)", v.layout.Shape, i))
		}
		shape[i] = v.layout.Shape[0]
	}
	out := make([]*Tensor, len(vectors))
	for i, v := range vectors {
		line := slices.Repeat([]int{1}, len(shape))
		line[i] = shape[i]
		out[i] = must(must(v.reshape(op, line)).broadcastAs(op, shape))
		if xy {
			out[i] = out[i].Transpose(0, 1)
		}
	}
	return out
}
