package extend

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/access"
)

// Plain returns a tensor without what its gradients need: operations on it record nothing.
func Plain(t *tensor.Tensor) *tensor.Tensor { return t.Detach() }

// By returns the result y of an operation with the way to its gradients: back returns, from the gradient of y, those of
// the operands, and nil for none. It is called only if an operand depends on a variable, and uses plain operands. An
// operation with several results has a call of By for each: gradients are sums.
func By(
	y *tensor.Tensor, op string, operands []*tensor.Tensor, back func(g *tensor.Tensor) []*tensor.Tensor,
) *tensor.Tensor {
	list := make([]any, len(operands))
	for i, x := range operands {
		list[i] = x
	}
	return access.By(y, op, list, func(g any) []any {
		ds := make([]any, len(operands))
		for i, d := range back(g.(*tensor.Tensor)) {
			if d != nil {
				ds[i] = d
			}
		}
		return ds
	}).(*tensor.Tensor)
}
