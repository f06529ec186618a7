package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/scope"
)

// Passing says what becomes of a graph that is passed.
type Passing int

const (
	Spend  Passing = iota // what it needs is freed as soon as nothing needs it any more
	Retain                // it can be passed again
	Keep                  // it can be passed again, and the gradients have gradients
)

// Way says how far a pass goes, and what becomes of the graph. The zero value goes to the variables, and spends it.
type Way[T comparable] struct {
	How    Passing
	Wanted map[*Node[T]]bool // nodes whose gradients are kept, besides those of variables
	First  uint64            // nodes with a number of at most First are leaves
	// Ready is called with the gradient of each variable when no operation adds to it any more, in the frame around
	// that of the pass. It may be nil, and is with Keep.
	Ready func(id uint64, g T)
}

// Tensors is what a pass does with tensors.
type Tensors[T comparable] struct {
	Memory func(t T) backend.Storage
	// Sum adds a gradient to a sum, the zero T if there is none yet.
	Sum func(sum, d T, how Passing) T
	// Whole returns a sum as a gradient with all elements: sums may leave out what is 0.
	Whole func(sum T) T
	// Tracked reports whether a tensor depends on variables.
	Tracked func(t T) bool
	// Operands returns the gradients of the operands of n from that of its result.
	Operands func(n *Node[T], g T, how Passing) ([]T, error)
	UsedUp   func(n *Node[T]) error // for a node that another pass has spent
}

// Gradients are what a pass has computed: those of variables and of wanted nodes.
type Gradients[T comparable] struct {
	ByID  map[uint64]T
	Order []uint64          // in which they were reached
	Owned []backend.Storage // memory that nothing else has
}

// Text says how many gradients there are and what they take in all, as written by size, and the shape and the dtype of
// each of the first.
func (g *Gradients[T]) Text(facts func(T) (shape, dtype any, bytes int), size func(int) string) string {
	const most = 8
	var b strings.Builder
	n, s := len(g.ByID), "s"
	if n == 1 {
		s = ""
	}
	total := 0
	for _, x := range g.ByID {
		_, _, bytes := facts(x)
		total += bytes
	}
	fmt.Fprintf(&b, "tensor.GradStore: gradient%s of %d variable%s, %s", s, n, s, size(total))
	for i, id := range g.Order {
		if i == most {
			fmt.Fprintf(&b, "\n  … %d more", n-most)
			break
		}
		shape, dtype, _ := facts(g.ByID[id])
		fmt.Fprintf(&b, "\n  ID %d  %v %v", id, shape, dtype)
	}
	return b.String()
}

// pass is one way through a graph, from a result to the variables. It goes from the node made last to the one made
// first, so that each comes before its operands. Memory is freed as soon as the pass does not need it any more:
// gradients of intermediate results, what their computation has made, and, with Spend, what scopes have left to the
// graph. A node uses no memory that was made after it: what has a higher number than the next node is free.
type pass[T comparable] struct {
	Way[T]
	do    *Tensors[T]
	frame *scope.Frame
	found *Gradients[T]
	grads map[*Node[T]]T   // of nodes that are to come
	users map[*Node[T]]int // operations to come that use a variable; nil if nobody wants to know

	made  scope.Made               // what was made for the last node
	uses  map[backend.Storage]int  // how many gradients have the memory
	owned map[backend.Storage]bool // memory that only gradients have
	left  []scope.Item             // memory of the graph, the last made at the end
}

// Pass passes the graph from last, with the gradient seed, to the variables, or as far as the way goes.
func Pass[T comparable](do *Tensors[T], last *Node[T], seed T, way Way[T]) (*Gradients[T], error) {
	order := last.Sorted(way.First)
	p := &pass[T]{Way: way, do: do, found: &Gradients[T]{ByID: map[uint64]T{}}, grads: map[*Node[T]]T{},
		uses: map[backend.Storage]int{}, owned: map[backend.Storage]bool{}}
	if p.Ready != nil {
		p.users = users(order)
	}
	for _, n := range order {
		if n.Number <= way.First {
			break
		}
		if n.used.Load() || way.How == Spend && !n.claim() {
			return nil, do.UsedUp(n)
		}
		switch way.How {
		case Keep:
			defer n.keep()()
		case Spend:
			p.left, n.Owned = append(p.left, n.Owned...), nil
		}
	}
	slices.SortFunc(p.left, func(a, b scope.Item) int { return cmp.Compare(a.Number, b.Number) })
	defer scope.Enter(func(f *scope.Frame) {
		p.frame = f
		if way.How != Keep {
			f.Made = &p.made
		}
	})()
	p.add(last, seed)
	for i, n := range order {
		if err := p.step(n); err != nil {
			return nil, err
		}
		p.usedBy(n)
		next := uint64(0)
		if i+1 < len(order) {
			next = order[i+1].Number
		}
		p.release(next)
	}
	for _, g := range p.found.ByID {
		if s := do.Memory(g); p.owned[s] {
			delete(p.owned, s) // once
			p.found.Owned = append(p.found.Owned, s)
		}
	}
	return p.found, nil
}

// claim makes the pass the only one that may spend n. Variables are never spent.
func (n *Node[T]) claim() bool { return n.Variable != nil || !n.used.Swap(true) }

// keep says that gradients with gradients are computed through n, until done is called.
func (n *Node[T]) keep() (done func()) {
	n.keeping.Add(1)
	return func() { n.keeping.Add(-1) }
}

// users counts the operations that use each variable.
func users[T comparable](order []*Node[T]) map[*Node[T]]int {
	count := map[*Node[T]]int{}
	for _, n := range order {
		for _, l := range n.From {
			if l.To.Variable != nil {
				count[l.To]++
			}
		}
	}
	return count
}

// usedBy passes the variables on to Ready that n was the last to use.
func (p *pass[T]) usedBy(n *Node[T]) {
	if p.users == nil {
		return
	}
	for _, l := range n.From {
		if p.users[l.To]--; p.users[l.To] != 0 || l.To.Variable == nil {
			continue
		}
		if g, ok := p.take(l.To); ok {
			scope.Around(func() { p.Ready(l.To.ID, g) })
			p.drop(g)
		}
	}
}

// take returns the gradient of n, which is complete, and false if it has none. It is kept for a variable, and for a
// node that is wanted.
func (p *pass[T]) take(n *Node[T]) (g T, ok bool) {
	sum, ok := p.grads[n]
	if !ok {
		return sum, false
	}
	delete(p.grads, n)
	g = p.do.Whole(sum)
	p.hold(g)
	p.drop(sum)
	if n.Variable != nil || p.Wanted[n] {
		p.found.ByID[n.ID] = g
		p.found.Order = append(p.found.Order, n.ID)
		p.hold(g)
	}
	return g, true
}

// step computes the gradients of the operands of n.
func (p *pass[T]) step(n *Node[T]) error {
	g, ok := p.take(n)
	leaf := n.Number <= p.First
	if ok && len(n.From) > 0 && !leaf {
		outer := p.frame.Passed
		p.frame.Passed = n.Number
		ds, err := p.do.Operands(n, g, p.How)
		p.frame.Passed = outer
		if err != nil {
			return err
		}
		var none T
		for i, d := range ds {
			if d != none {
				p.add(n.From[i].To, d)
			}
		}
	}
	if p.How == Spend && n.Variable == nil && !leaf {
		n.Back = nil
	}
	if ok {
		p.drop(g)
	}
	return nil
}

// add adds a gradient to that of a node.
func (p *pass[T]) add(to *Node[T], d T) {
	old, ok := p.grads[to]
	sum := p.do.Sum(old, d, p.How)
	p.hold(sum)
	if ok {
		p.drop(old)
	}
	p.grads[to] = sum
}

func (p *pass[T]) hold(g T) { p.uses[p.do.Memory(g)]++ }

func (p *pass[T]) drop(g T) {
	s := p.do.Memory(g)
	if p.uses[s]--; p.uses[s] == 0 {
		delete(p.uses, s)
		if p.owned[s] {
			delete(p.owned, s)
			scope.Drop(s)
		}
	}
}

// release frees what was made for the last node and is no gradient, and memory of the graph that was made after the
// next node.
func (p *pass[T]) release(next uint64) {
	for _, item := range p.made.Items {
		p.free(item.Store)
	}
	p.made.Items = p.made.Items[:0]
	for n := len(p.left) - 1; n >= 0 && p.left[n].Number > next; n-- {
		p.free(p.left[n].Store)
		p.left = p.left[:n]
	}
}

func (p *pass[T]) free(s backend.Storage) {
	if p.uses[s] > 0 {
		p.owned[s] = true
	} else {
		scope.Drop(s)
	}
}
