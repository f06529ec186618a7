package extend

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/access"
)

// Tracked reports whether a tensor depends on a variable, so that operations on it are recorded for gradients.
func Tracked(t *tensor.Tensor) bool { return access.Tracked(t) }

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
