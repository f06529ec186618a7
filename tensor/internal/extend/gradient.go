package extend

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/access"
)

// Tracked reports whether a tensor depends on a variable, so that operations on it are recorded for gradients.
func Tracked(t *tensor.Tensor) bool { return access.Tracked(t) }

// By returns the result y of an operation with the way to its gradients: back returns, from the gradient of y, those of
// the operands, and nil for none. It is called only if an operand depends on a variable, and uses plain tensors. An
// operation with several results has a call of By for each: gradients are sums. The gradients have none themselves.
func By(
	y *tensor.Tensor, op string, operands []*tensor.Tensor, back func(g *tensor.Tensor) []*tensor.Tensor,
) *tensor.Tensor {
	return by(y, op, operands, true, back)
}

// ByOperations is By for a function that does nothing but operations of tensors on what it is given: the gradient g of
// the result y, y and the operands. The gradients have gradients then: those of the operations.
func ByOperations(
	y *tensor.Tensor, op string, operands []*tensor.Tensor,
	back func(g, y *tensor.Tensor, operands []*tensor.Tensor) []*tensor.Tensor,
) *tensor.Tensor {
	var out *tensor.Tensor
	out = by(y, op, operands, false, func(g *tensor.Tensor) []*tensor.Tensor {
		plain := make([]*tensor.Tensor, len(operands))
		for i, x := range operands {
			plain[i] = access.Plain(x).(*tensor.Tensor)
		}
		return back(g, access.Plain(out).(*tensor.Tensor), plain)
	})
	return out
}

func by(
	y *tensor.Tensor, op string, operands []*tensor.Tensor, once bool,
	back func(g *tensor.Tensor) []*tensor.Tensor,
) *tensor.Tensor {
	return access.By(y, op, anys(operands), once, func(g any) []any {
		ds := make([]any, len(operands))
		for i, d := range back(g.(*tensor.Tensor)) {
			if d != nil {
				ds[i] = d
			}
		}
		return ds
	}).(*tensor.Tensor)
}

// Gradients returns those of a tensor by the tensors at, from its own: nil for one on which it does not depend. With
// keep they depend on variables as any results do.
func Gradients(t, grad *tensor.Tensor, at []*tensor.Tensor, keep bool) []*tensor.Tensor {
	out := make([]*tensor.Tensor, len(at))
	for i, g := range access.Gradients(t, grad, anys(at), keep) {
		out[i], _ = g.(*tensor.Tensor)
	}
	return out
}

// Backward is loss.Backward, which calls ready with the gradient of each variable, by its ID, as soon as it is
// complete, while the gradients of what came before it are still to be computed.
func Backward(loss *tensor.Tensor, ready func(id uint64, grad *tensor.Tensor)) *tensor.GradStore {
	return access.Backward(loss, func(id uint64, grad any) { ready(id, grad.(*tensor.Tensor)) }).(*tensor.GradStore)
}

// Checkpoint returns f(), of which nothing is kept for gradients: they call f once more.
func Checkpoint(op string, f func() *tensor.Tensor) *tensor.Tensor {
	return access.Checkpoint(op, func() any { return f() }).(*tensor.Tensor)
}

// FreeGradients frees the gradients that a call of Backward has computed, as far as nothing else has their memory.
// They cannot be used any more.
func FreeGradients(grads *tensor.GradStore) { access.FreeGradients(grads) }

// OwnGradients has FreeGradients free the memory of t, too: of gradients that were inserted.
func OwnGradients(grads *tensor.GradStore, t *tensor.Tensor) { access.OwnGradients(grads, t) }

func anys(ts []*tensor.Tensor) []any {
	list := make([]any, len(ts))
	for i, t := range ts {
		list[i] = t
	}
	return list
}
