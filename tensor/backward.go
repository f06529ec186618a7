package tensor

import (
	"slices"

	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/graph"
)

var passes graph.Tensors[*Tensor]

func init() { // operandGradients needs what passes
	passes = graph.Tensors[*Tensor]{
		Memory:   func(t *Tensor) backend.Storage { return t.store },
		Sum:      func(sum, d *Tensor, how graph.Passing) *Tensor { return accumulated(sum, d, how == graph.Keep) },
		Whole:    (*Tensor).whole,
		Tracked:  func(t *Tensor) bool { return tracked(t) },
		Operands: operandGradients,
		UsedUp:   usedUp,
	}
}

// usedUp is the error for a graph that has been passed.
func usedUp(n *node) error {
	return fault("backward", ErrGradient, nil,
		"Backward has passed %s, of shape %v, before, and has freed what its gradient needs", n.Op, n.Shape).
		note("compute the loss again; or first y.BackwardRetain(nil), which frees nothing, then y.Backward()")
}

// operandGradients returns the gradients of the operands of n, nil for none, from that of its result.
func operandGradients(n *node, g *Tensor, how graph.Passing) ([]*Tensor, error) {
	for _, l := range n.From {
		if l.Changed() {
			return nil, fault("backward", ErrGradient, nil,
				"a variable of shape %v was changed after %s had used it", l.To.Shape, n.Op).
				note("compute the loss again, then its gradients, before the variable is set")
		}
	}
	from := g
	if n.Once {
		from = g.Detach()
	}
	ds, err := n.Back(from)
	if err != nil {
		return nil, inGradient(n, err)
	}
	for i, d := range ds {
		if d == nil {
			continue
		}
		to := n.From[i].To
		if d.dtype != to.DType || !slices.Equal(d.gradientShape(), to.Shape) {
			return nil, fault("backward", ErrShape, []*Tensor{d},
				"the gradient of %s for an operand of shape %v and %v has shape %v and %v",
				n.Op, to.Shape, to.DType, d.layout.Shape, d.dtype)
		}
		if how == graph.Keep && n.Once {
			ds[i] = d.withoutGradient(n, g)
		}
	}
	return ds, nil
}

// withoutGradient returns d, a gradient that n has computed from g, as a tensor whose own gradient is an error.
func (t *Tensor) withoutGradient(n *node, g *Tensor) *Tensor {
	d := t.Detach()
	d.made = &node{ID: d.id, Number: lastID.Add(1), Op: "gradient of " + n.Op, DType: d.dtype, Shape: d.layout.Shape,
		From: slices.Clone(n.From)}
	if to := g.node(); to != nil {
		d.made.From = append(d.made.From, graph.Link[*Tensor]{To: to})
	}
	d.made.Back = func(*Tensor) ([]*Tensor, error) {
		return nil, fault("backward", ErrGradient, []*Tensor{t}, "the gradient of %s has no gradient", n.Op)
	}
	return d
}

// inGradient adds to an error that it happened in the gradient of an operation.
func inGradient(n *node, err error) error {
	if e, ok := err.(*Error); ok {
		return e.note("in the gradient of %s, whose result has shape %v and dtype %v", n.Op, n.Shape, n.DType)
	}
	return err
}
