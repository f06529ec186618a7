package graph

import "github.com/gorocm/gorocm/tensor/internal/scope"

// Recompute makes n, whose result is that of `inner`, one that keeps nothing for gradients: its operands are the nodes
// that lead to inner and have a number of at most first, and their gradients call again, which returns inner once more.
// What nodes made before the call have a number of is what last returns.
func (n *Node[T]) Recompute(
	do *Tensors[T], inner *Node[T], first uint64, last func() uint64, again func(how Passing) (*Node[T], error),
) {
	wanted := map[*Node[T]]bool{}
	for _, leaf := range inner.Sorted(first) {
		if leaf.Number <= first {
			n.From = append(n.From, LinkTo(leaf))
			wanted[leaf] = true
		}
	}
	n.Back = func(g T) ([]T, error) {
		how, first := Spend, last()
		if n.Kept() || do.Tracked(g) {
			how = Keep
		}
		inner, err := again(how)
		if err != nil {
			return nil, err
		}
		found, err := Pass(do, inner, g, Way[T]{How: how, Wanted: wanted, First: first})
		if err != nil {
			return nil, err
		}
		for _, s := range found.Owned {
			scope.Record(s, 0) // it belongs to the pass around
		}
		ds := make([]T, len(n.From))
		for i, l := range n.From {
			ds[i] = found.ByID[l.To.ID]
		}
		return ds, nil
	}
}
