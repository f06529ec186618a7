package tensor

import (
	"slices"

	"github.com/gorocm/gorocm/tensor/internal/graph"
	"github.com/gorocm/gorocm/tensor/internal/scope"
)

// checkpoint returns f() and keeps nothing for gradients: they compute it again, with the same random numbers.
func checkpoint(op string, f func() *Tensor) *Tensor {
	var made scope.Made
	draws, first := scope.NewDraws(), lastID.Add(1)
	y := within(func(frame *scope.Frame) { frame.Made, frame.Draws = &made, draws }, f)
	if y == nil {
		check(fault(op, ErrShape, nil, "the function returned nil"))
	}
	out := y
	if y.made != nil && y.made.Number > first {
		out = y.Detach()
		n := &node{ID: out.id, Op: op, DType: y.dtype, Shape: y.layout.Shape}
		n.Recompute(&passes, y.made, first, func() uint64 { return lastID.Add(1) },
			func(how graph.Passing) (*node, error) { return again(n, f, draws.Replay(), how) })
		if n.Number = lastID.Add(1); len(n.From) > 0 {
			out.made = n
		}
	}
	made.Leave(out.store, false)
	return out
}

// again computes the result of a node once more. With Spend its memory is that of the graph alone.
func again(n *node, f func() *Tensor, draws *scope.Draws, how graph.Passing) (*node, error) {
	made := &scope.Made{}
	if how == graph.Keep {
		made = nil
	}
	y, err := Try(func() *Tensor {
		return within(func(frame *scope.Frame) { frame.NoGrad, frame.Draws, frame.Made = false, draws, made }, f)
	})
	switch {
	case err != nil:
		return nil, err
	case y == nil || y.made == nil || y.dtype != n.DType || !slices.Equal(y.layout.Shape, n.Shape):
		return nil, fault(n.Op, ErrGradient, nil, "the function has returned %v of %v, and now something else", n.Shape,
			n.DType).note("it is called again for gradients, and must compute the same then")
	case made != nil:
		y.made.Owned = made.Items
	}
	return y.made, nil
}
