// Package graph has the nodes of gradient graphs. A result that depends on variables has a node, which knows the nodes
// of its operands and the function from the gradient of the result to those of the operands. T is a tensor.
package graph

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/scope"
)

// Node is a tensor in the gradient graph. It keeps no elements but those that its function needs.
type Node[T comparable] struct {
	ID       uint64 // of the tensor
	Number   uint64 // when the node was made: after its operands' nodes, and after what Back uses
	Op       string
	DType    kernels.DType
	Shape    []int
	From     []Link[T]
	Back     func(g T) ([]T, error) // from the gradient of the result to those of From, zero for none
	Variable *Variable              // set for a variable, which is a leaf
	// Back does more than operations of tensors: its results have no gradients
	Once bool
	// memory that only the graph can reach: what a scope has made whose result the tensor is
	Owned []scope.Item

	keeping atomic.Int32 // calls of BackwardGraph under way that pass the node
	used    atomic.Bool  // Backward has passed the node, and has freed what it needs
}

// Link leads from a result to an operand.
type Link[T comparable] struct {
	To      *Node[T]
	Version uint64 // of the operand when it was used, where that is a variable
}

// Variable is what a tensor made by NewVar has besides its elements.
type Variable struct{ Version atomic.Uint64 } // how often the elements were written to

// LinkTo returns the link to an operand as it is now.
func LinkTo[T comparable](n *Node[T]) Link[T] {
	l := Link[T]{To: n}
	if n.Variable != nil {
		l.Version = n.Variable.Version.Load()
	}
	return l
}

// Changed reports whether the operand is a variable that was written to since it was used.
func (l Link[T]) Changed() bool {
	return l.To.Variable != nil && l.To.Variable.Version.Load() != l.Version
}

// Kept reports whether gradients with gradients are computed through n, or an operand of it: the result of an operation
// that has several may be used by the gradients of the others alone.
func (n *Node[T]) Kept() bool {
	return n.keeping.Load() > 0 || slices.ContainsFunc(n.From, func(l Link[T]) bool { return l.To.keeping.Load() > 0 })
}

// Sorted returns the nodes that lead to n, each before its operands: the last one made first. Nodes with a number of
// at most first are leaves.
func (n *Node[T]) Sorted(first uint64) []*Node[T] {
	order := []*Node[T]{n}
	seen := map[*Node[T]]bool{n: true}
	for i := 0; i < len(order); i++ {
		if order[i].Number <= first {
			continue
		}
		for _, l := range order[i].From {
			if !seen[l.To] {
				seen[l.To] = true
				order = append(order, l.To)
			}
		}
	}
	slices.SortFunc(order, func(a, b *Node[T]) int { return cmp.Compare(b.Number, a.Number) })
	return order
}
