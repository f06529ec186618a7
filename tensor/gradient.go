package tensor

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// Gradients by reverse accumulation. An operation on a tensor that depends on a variable records how its result was
// made: the operands that depend on variables, and a function from the gradient of the result to those of the
// operands. Backward walks this gradient graph from the result to the variables. A tensor that depends on no variable
// records nothing.

// node is a tensor in the gradient graph. It keeps no elements but those that its function needs.
type node struct {
	id       uint64 // of the tensor
	op       string
	dtype    DType
	shape    []int
	from     []link
	back     func(g *Tensor) ([]*Tensor, error) // from the gradient of the result to those of from, nil for none
	variable *variable                          // set for a variable, which is a leaf
	// back does more than operations of tensors: its results have no gradients
	once    bool
	keeping atomic.Int32 // calls of BackwardGraph under way that pass the node
}

// link leads from a result to an operand.
type link struct {
	to      *node
	version uint64 // of the operand when it was used, where that is a variable
}

// via is an operand of a result, with the function from the gradient of the result to the operand's.
type via struct {
	operand *Tensor
	back    func(g *Tensor) *Tensor
}

// same is the gradient of an operand that is the result.
func same(g *Tensor) *Tensor { return g }

// tracked reports whether one of the tensors depends on a variable.
func tracked(ts ...*Tensor) bool {
	return slices.ContainsFunc(ts, func(t *Tensor) bool { return t != nil && t.node() != nil })
}

// node is the node of t. A plain tensor has the one of its origin while gradients are computed that have gradients.
func (t *Tensor) node() *node {
	if t.made == nil && t.origin != nil && t.origin.kept() {
		return t.origin
	}
	return t.made
}

// kept reports whether BackwardGraph passes n, or an operand of it: the result of an operation that has several may be
// used by the gradients of the others alone.
func (n *node) kept() bool {
	return n.keeping.Load() > 0 || slices.ContainsFunc(n.from, func(l link) bool { return l.to.keeping.Load() > 0 })
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
	n := &node{id: t.id, op: op, dtype: t.dtype, shape: t.layout.Shape, back: back}
	for _, x := range from {
		l := link{to: x.node()}
		if v := l.to.variable; v != nil {
			l.version = v.version.Load()
		}
		n.from = append(n.from, l)
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
type GradStore struct {
	byID  map[uint64]*Tensor
	order []uint64 // the order in which variables were reached, so that sums over them always have the same bits
}

// Get returns the gradient of a variable, with its shape, dtype and device, or nil when the loss does not depend on it.
func (g *GradStore) Get(v *Tensor) *Tensor { return g.byID[v.id] }

// GetID returns the gradient of the variable with that ID, or nil. See Get.
func (g *GradStore) GetID(id uint64) *Tensor { return g.byID[id] }

// Insert sets the gradient of a variable, and returns the previous one, or nil. It panics with ErrShape, ErrDType or
// ErrDevice when grad does not fit v.
func (g *GradStore) Insert(v, grad *Tensor) *Tensor {
	check(fitsGradient("insert", v.made, v.layout.Shape, v, grad))
	old := g.byID[v.id]
	if old == nil {
		g.order = append(g.order, v.id)
	}
	g.byID[v.id] = grad.Detach()
	return old
}

// Remove removes the gradient of a variable and returns it, or nil.
func (g *GradStore) Remove(v *Tensor) *Tensor {
	old := g.byID[v.id]
	if old != nil {
		delete(g.byID, v.id)
		g.order = slices.DeleteFunc(g.order, func(id uint64) bool { return id == v.id })
	}
	return old
}

// Len returns how many variables have a gradient.
func (g *GradStore) Len() int { return len(g.byID) }

// IDs returns the IDs of the variables that have a gradient, in a stable order.
func (g *GradStore) IDs() []uint64 { return slices.Clone(g.order) }

// Backward returns the gradients of t with respect to the variables that it depends on (see NewVar): for each, the
// derivative of the sum of the elements of t. It panics with ErrGradient when t depends on none or is complex, when a
// variable has been changed since it was used, and when an operation on the way has no gradient.
//
// The gradient of a complex variable has the derivatives by the real and imaginary parts as its parts, as in PyTorch: a
// step against it reduces t.
//
//	x := tensor.NewVar(tensor.Of(1, 2, 3))
//	grads := x.Sqr().Sum().Backward()
//	grads.Get(x) // [2, 4, 6] f32
func (t *Tensor) Backward() *GradStore {
	if t.dtype.IsComplex() {
		check(fault("backward", ErrGradient, []*Tensor{t}, "the elements are complex, and a loss is real").
			note("x.Abs() and x.Real() are real; x.BackwardWith(g) takes a gradient of x"))
	}
	return t.BackwardWith(t.plain().OnesLike())
}

// BackwardWith is Backward from a given gradient of t, which has the shape, dtype and device of t: the product of a
// vector with the Jacobian.
func (t *Tensor) BackwardWith(grad *Tensor) *GradStore { return must2(t.gradients(grad, nil, false)) }

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
		grad = t.plain().OnesLike()
	}
	return must2(t.gradients(grad, nil, true))
}

func must2(g *GradStore, err error) *GradStore {
	check(err)
	return g
}

// gradients computes those of all variables, and of the tensors at. With keep, they have gradients.
func (t *Tensor) gradients(grad *Tensor, at []*Tensor, keep bool) (*GradStore, error) {
	const op = "backward"
	if t.node() == nil {
		return nil, fault(op, ErrGradient, []*Tensor{t}, "the tensor depends on no variable").
			note("gradients are computed for variables: w := tensor.NewVar(w) makes one, before it is used")
	}
	if err := fitsGradient(op, t.node(), t.layout.Shape, t, grad); err != nil {
		return nil, err
	}
	if !keep {
		grad = grad.Detach()
	}
	wanted := map[*node]bool{}
	for _, x := range at {
		wanted[x.node()] = true
	}
	return backward(t.node(), grad, wanted, keep)
}

// fitsGradient checks the gradient of a node's result; t is a tensor on its device.
func fitsGradient(op string, n *node, shape []int, t, grad *Tensor) error {
	switch {
	case grad == nil:
		return fault(op, ErrShape, []*Tensor{t}, "the gradient is nil")
	case !slices.Equal(grad.layout.Shape, shape):
		return fault(op, ErrShape, []*Tensor{t, grad}, "a gradient of shape %v for a tensor of shape %v",
			grad.layout.Shape, shape)
	case n != nil && grad.dtype != n.dtype, n == nil && grad.dtype != t.dtype:
		return fault(op, ErrDType, []*Tensor{t, grad}, "a gradient of %v for a tensor of %v", grad.dtype, t.dtype)
	case grad.dev != t.dev:
		return fault(op, ErrDevice, []*Tensor{t, grad}, "a gradient on %s for a tensor on %s", grad.dev.Location(),
			t.dev.Location())
	}
	return nil
}

// backward passes the graph from last to the variables. It keeps the gradients of variables and of wanted nodes.
func backward(last *node, seed *Tensor, wanted map[*node]bool, keep bool) (*GradStore, error) {
	store := &GradStore{byID: map[uint64]*Tensor{}}
	grads := map[*node]*Tensor{last: seed}
	order := last.sorted()
	if keep {
		for _, n := range order {
			n.keeping.Add(1)
			defer n.keeping.Add(-1)
		}
	}
	for _, n := range order {
		g := grads[n]
		if g == nil {
			continue // an operand that gets no gradient
		}
		delete(grads, n)
		if n.variable != nil || wanted[n] {
			store.byID[n.id] = g
			store.order = append(store.order, n.id)
		}
		if len(n.from) == 0 {
			continue
		}
		ds, err := n.operandGradients(g, keep)
		if err != nil {
			return nil, err
		}
		for i, d := range ds {
			if d == nil {
				continue
			}
			if !keep {
				d = d.Detach()
			}
			to := n.from[i].to
			if sum := grads[to]; sum != nil {
				d = sum.Add(d)
			}
			grads[to] = d
		}
	}
	return store, nil
}

// operandGradients returns the gradients of the operands of n, nil for none, from that of its result.
func (n *node) operandGradients(g *Tensor, keep bool) ([]*Tensor, error) {
	for _, l := range n.from {
		if v := l.to.variable; v != nil && v.version.Load() != l.version {
			return nil, fault("backward", ErrGradient, nil,
				"a variable of shape %v was changed after %s had used it", l.to.shape, n.op).
				note("compute the loss again, then its gradients, before the variable is set")
		}
	}
	from := g
	if n.once {
		from = g.Detach()
	}
	ds, err := n.back(from)
	if err != nil {
		return nil, inGradient(n, err)
	}
	for i, d := range ds {
		if d == nil {
			continue
		}
		to := n.from[i].to
		if d.dtype != to.dtype || !slices.Equal(d.layout.Shape, to.shape) {
			return nil, fault("backward", ErrShape, []*Tensor{d},
				"the gradient of %s for an operand of shape %v and %v has shape %v and %v",
				n.op, to.shape, to.dtype, d.layout.Shape, d.dtype)
		}
		if keep && n.once {
			ds[i] = d.withoutGradient(n, g)
		}
	}
	return ds, nil
}

// withoutGradient returns d, a gradient that n has computed from g, as a tensor whose own gradient is an error.
func (t *Tensor) withoutGradient(n *node, g *Tensor) *Tensor {
	d := t.Detach()
	d.made = &node{id: d.id, op: "gradient of " + n.op, dtype: d.dtype, shape: d.layout.Shape,
		from: slices.Clone(n.from)}
	if to := g.node(); to != nil {
		d.made.from = append(d.made.from, link{to: to})
	}
	d.made.back = func(*Tensor) ([]*Tensor, error) {
		return nil, fault("backward", ErrGradient, []*Tensor{t}, "the gradient of %s has no gradient", n.op)
	}
	return d
}

// inGradient adds to an error that it happened in the gradient of an operation.
func inGradient(n *node, err error) error {
	if e, ok := err.(*Error); ok {
		return e.note("in the gradient of %s, whose result has shape %v and dtype %v", n.op, n.shape, n.dtype)
	}
	return err
}

// sorted returns the nodes that lead to n, each before its operands.
func (n *node) sorted() []*node {
	type visit struct {
		n    *node
		next int
	}
	var order []*node
	seen := map[*node]bool{n: true}
	for stack := []visit{{n: n}}; len(stack) > 0; {
		top := &stack[len(stack)-1]
		if top.next == len(top.n.from) {
			order = append(order, top.n)
			stack = stack[:len(stack)-1]
			continue
		}
		to := top.n.from[top.next].to
		top.next++
		if !seen[to] {
			seen[to] = true
			stack = append(stack, visit{n: to})
		}
	}
	slices.Reverse(order)
	return order
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
	return fmt.Sprintf("%d %s %v %v of %v", n.ID, n.Op, commas(n.Shape), n.DType, n.From)
}

// SortedNodes returns the tensors that Backward passes, each before its operands: t first, variables late. There are
// none when t depends on no variable.
func (t *Tensor) SortedNodes() []GradNode {
	if t.made == nil {
		return nil
	}
	var out []GradNode
	for _, n := range t.made.sorted() {
		g := GradNode{ID: n.id, Op: n.op, Shape: slices.Clone(n.shape), DType: n.dtype}
		for _, e := range n.from {
			g.From = append(g.From, e.to.id)
		}
		out = append(out, g)
	}
	return out
}
