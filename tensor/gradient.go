package tensor

import (
	"fmt"
	"slices"

	"github.com/gorocm/gorocm/tensor/internal/graph"
	"github.com/gorocm/gorocm/tensor/internal/scope"
	"github.com/gorocm/gorocm/tensor/internal/shapes"
)

// Gradients by reverse accumulation. An operation on a tensor that depends on a variable records how its result was
// made: the operands that depend on variables, and a function from the gradient of the result to those of the
// operands. Backward walks this gradient graph from the result to the variables. Other tensors record nothing.

type node = graph.Node[*Tensor]

// via is an operand of a result, with the function from the gradient of the result to the operand's.
type via struct {
	operand *Tensor
	back    func(g *Tensor) *Tensor
}

// same is the gradient of an operand that is the result.
func same(g *Tensor) *Tensor { return g }

// tracked reports whether one of the tensors depends on a variable, and the goroutine records that.
func tracked(ts ...*Tensor) bool {
	return slices.ContainsFunc(ts, func(t *Tensor) bool { return t != nil && t.node() != nil }) && scope.Records()
}

// node is the node of t. A plain tensor has the one of its origin while gradients are computed that have gradients.
func (t *Tensor) node() *node {
	if t.made == nil && t.origin != nil && t.origin.Kept() {
		return t.origin
	}
	return t.made
}

// by records that t, the result of an operation, was made of these operands, and returns t. Operands that depend on
// no variable are left out, with everything that only their functions need.
func (t *Tensor) by(op string, operands ...via) *Tensor {
	var from []*Tensor
	var backs []func(g *Tensor) *Tensor
	for _, v := range operands {
		if tracked(v.operand) {
			from, backs = append(from, v.operand), append(backs, v.back)
		}
	}
	return t.note(op, from, func(g *Tensor) (ds []*Tensor, err error) {
		_, err = Try(func() *Tensor {
			for _, back := range backs {
				ds = append(ds, back(g))
			}
			return nil
		})
		return ds, err
	})
}

// note is by with one function for all operands, which must depend on variables.
func (t *Tensor) note(op string, from []*Tensor, back func(g *Tensor) ([]*Tensor, error)) *Tensor {
	if len(from) == 0 || !t.dtype.IsFloat() && !t.dtype.IsComplex() {
		return t
	}
	n := &node{ID: t.id, Number: lastID.Add(1), Op: op, DType: t.dtype, Shape: t.layout.Shape, Back: back}
	for _, x := range from {
		n.From = append(n.From, graph.LinkTo(x.node()))
	}
	t.made = n
	return t
}

// plain returns t without its node of the gradient graph: operations on it record nothing. Functions of nodes use plain
// tensors. While BackwardGraph calls them, these are what they were made of, so that their results have gradients.
func (t *Tensor) plain() *Tensor {
	if t == nil || t.made == nil {
		return t
	}
	v := t.view(t.layout)
	v.origin = t.made
	return v
}

// GradStore holds the gradients of variables that a call of Backward has computed. See Tensor.Backward.
type GradStore struct{ found graph.Gradients[*Tensor] }

// Get returns the gradient of a variable, with its shape, dtype and device, or nil when the loss does not depend on it.
func (g *GradStore) Get(v *Tensor) *Tensor { return g.found.ByID[v.id] }

// GetID returns the gradient of the variable with that ID, or nil. See Get.
func (g *GradStore) GetID(id uint64) *Tensor { return g.found.ByID[id] }

// Insert sets the gradient of a variable, and returns the previous one, or nil. It panics with ErrShape, ErrDType or
// ErrDevice when grad does not fit v.
func (g *GradStore) Insert(v, grad *Tensor) *Tensor {
	check(fitsGradient("insert", v.made, v.layout.Shape, v, grad))
	old := g.found.ByID[v.id]
	if old == nil {
		g.found.Order = append(g.found.Order, v.id)
	}
	g.found.ByID[v.id] = grad.Detach()
	return old
}

// Remove removes the gradient of a variable and returns it, or nil.
func (g *GradStore) Remove(v *Tensor) *Tensor {
	old := g.found.ByID[v.id]
	if old != nil {
		delete(g.found.ByID, v.id)
		g.found.Order = slices.DeleteFunc(g.found.Order, func(id uint64) bool { return id == v.id })
	}
	return old
}

// Len returns how many variables have a gradient.
func (g *GradStore) Len() int { return len(g.found.ByID) }

// free frees the gradients whose memory nothing else has.
func (g *GradStore) free() {
	for _, s := range g.found.Owned {
		scope.Drop(s)
	}
	g.found.Owned = nil
}

// IDs returns the IDs of the variables that have a gradient, in a stable order.
func (g *GradStore) IDs() []uint64 { return slices.Clone(g.found.Order) }

// Backward returns the gradients of t with respect to the variables that it depends on (see NewVar): for each, the
// derivative of the sum of the elements of t. It panics with ErrGradient when t depends on none or is complex, when a
// variable has been changed since it was used, and when an operation on the way has no gradient.
//
// It frees what the gradient graph needs on its way: a second call is an error of kind ErrGradient. BackwardRetain
// frees nothing of it.
//
// The gradient of a complex variable has the derivatives by the real and imaginary parts as its parts, as in PyTorch: a
// step against it reduces t.
//
//	x := tensor.NewVar(tensor.Of(1, 2, 3))
//	grads := x.Sqr().Sum().Backward()
//	grads.Get(x) // [2, 4, 6] f32
func (t *Tensor) Backward() *GradStore { return t.BackwardWith(t.ones()) }

// ones is the gradient with which Backward begins.
func (t *Tensor) ones() *Tensor {
	if t.dtype.IsComplex() {
		check(fault("backward", ErrGradient, []*Tensor{t}, "the elements are complex, and a loss is real").
			note("x.Abs() and x.Real() are real; x.BackwardWith(g) takes a gradient of x"))
	}
	return t.plain().OnesLike()
}

// BackwardWith is Backward from a given gradient of t, which has the shape, dtype and device of t: the product of a
// vector with the Jacobian.
func (t *Tensor) BackwardWith(grad *Tensor) *GradStore {
	return t.gradients(grad, nil, graph.Way[*Tensor]{})
}

// BackwardRetain is BackwardWith after which gradients can be computed once more, by t or by another result of the same
// operations: PyTorch's retain_graph. Without grad, which is nil then, it begins as Backward does.
func (t *Tensor) BackwardRetain(grad *Tensor) *GradStore {
	if grad == nil {
		grad = t.ones()
	}
	return t.gradients(grad, nil, graph.Way[*Tensor]{How: graph.Retain})
}

// BackwardGraph is BackwardWith whose gradients depend on the variables, and on grad, as any results do: a loss of
// gradients has gradients, too. Package autograd has derivatives of functions that are made of it. An operation whose
// gradient has no gradient is an error of kind ErrGradient when that is asked for. Without grad, which is nil then, it
// begins as Backward does.
//
//	x := tensor.NewVar(tensor.Of(1, 2, 3))
//	g := x.Powf(3).Sum().BackwardGraph(nil).Get(x) // 3·x²
//	g.Sum().Backward().Get(x)                      // [6, 12, 18] f32
func (t *Tensor) BackwardGraph(grad *Tensor) *GradStore {
	if grad == nil {
		grad = t.ones()
	}
	return t.gradients(grad, nil, graph.Way[*Tensor]{How: graph.Keep})
}

// gradients computes those of all variables, and of the tensors at.
func (t *Tensor) gradients(grad *Tensor, at []*Tensor, way graph.Way[*Tensor]) *GradStore {
	const op = "backward"
	if t.node() == nil {
		check(fault(op, ErrGradient, []*Tensor{t}, "the tensor depends on no variable").
			note("gradients are computed for variables: w := tensor.NewVar(w) makes one, before it is used"))
	}
	defer scope.Uncast()()
	check(fitsGradient(op, t.node(), t.layout.Shape, t, grad))
	if way.How != graph.Keep {
		grad = grad.Detach()
	}
	way.Wanted = map[*node]bool{}
	for _, x := range at {
		way.Wanted[x.node()] = true
	}
	found, err := graph.Pass(&passes, t.node(), grad, way)
	check(err)
	return &GradStore{*found}
}

// fitsGradient checks the gradient of a node's result; t is a tensor on its device.
func fitsGradient(op string, n *node, shape []int, t, grad *Tensor) error {
	switch {
	case grad == nil:
		return fault(op, ErrShape, []*Tensor{t}, "the gradient is nil")
	case !slices.Equal(grad.layout.Shape, shape):
		return fault(op, ErrShape, []*Tensor{t, grad}, "a gradient of shape %v for a tensor of shape %v",
			grad.layout.Shape, shape)
	case n != nil && grad.dtype != n.DType, n == nil && grad.dtype != t.dtype:
		return fault(op, ErrDType, []*Tensor{t, grad}, "a gradient of %v for a tensor of %v", grad.dtype, t.dtype)
	case grad.dev != t.dev:
		return fault(op, ErrDevice, []*Tensor{t, grad}, "a gradient on %s for a tensor on %s", grad.dev.Location(),
			t.dev.Location())
	}
	return nil
}

// GradNode is a tensor of the gradient graph: see Tensor.SortedNodes.
type GradNode struct {
	ID    uint64 // of the tensor
	Op    string // that made it; "variable" for a variable
	Shape []int
	DType DType
	From  []uint64 // the operands that depend on variables
}

// String returns the node on one line.
func (n GradNode) String() string {
	return fmt.Sprintf("%d %s %v %v of %v", n.ID, n.Op, shapes.Commas(n.Shape), n.DType, n.From)
}

// SortedNodes returns the tensors that Backward passes, each before its operands: t first, variables late. There are
// none when t depends on no variable.
func (t *Tensor) SortedNodes() []GradNode {
	if t.made == nil {
		return nil
	}
	var out []GradNode
	for _, n := range t.made.Sorted(0) {
		g := GradNode{ID: n.ID, Op: n.Op, Shape: slices.Clone(n.Shape), DType: n.DType}
		for _, l := range n.From {
			g.From = append(g.From, l.To.ID)
		}
		out = append(out, g)
	}
	return out
}
