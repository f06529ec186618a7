package ir

// holds reports whether a check cannot fail.
func (p *improver) holds(v *Value) bool {
	x := v.Args[0]
	switch v.Test {
	case NilTest:
		return false
	case DivideTest:
		return x.Op == Const && x.Imm != 0
	case ShiftTest:
		return p.atLeast(x, 0, 0)
	case IndexTest, UpToTest:
		y := v.Args[1]
		if x.Op == Const && y.Op == Const {
			return uint64(x.Imm) < uint64(y.Imm) || v.Test == UpToTest && x.Imm == y.Imm
		}
		if v.Test == UpToTest && (x == y || x.Op == Const && x.Imm == 0) {
			return true // lengths and capacities are not negative
		}
		return p.atLeast(x, 0, 0) && p.below(x, y, v.Block)
	}
	return false
}

// atLeast reports whether an integer is known to be at least n. A variable that counts up from such a number stays so:
// before it could wrap around, the test of its loop ends the loop, which below has found for checks of indices.
func (p *improver) atLeast(x *Value, n int64, depth int) bool {
	if depth > 4 {
		return false
	}
	switch {
	case x.Op == Const:
		return x.Imm >= n
	case x.Kind == Uint8 || x.Kind == Uint16 || x.Kind == Uint32 || x.Kind == Bool:
		return n <= 0
	case x.Op == Convert && x.Kind == Int64 && !x.Args[0].Kind.IsFloat():
		return p.atLeast(x.Args[0], n, depth+1)
	case x.Op == And && x.Args[1].Op == Const && x.Args[1].Imm >= 0 && x.Kind.Signed():
		return n <= 0
	case x.Op == Rem && x.Kind.Signed():
		return n <= 0 && p.atLeast(x.Args[0], 0, depth+1)
	case x.Op == Phi:
		init, step, _ := counter(x)
		return init != nil && step > 0 && p.bounded(x, step) && p.atLeast(p.final(init), n, depth+1)
	case x.Op == Add && x.Args[1].Op == Const:
		phi, c := x.Args[0], x.Args[1].Imm
		if phi.Op != Phi {
			return false
		}
		init, step, next := counter(phi)
		return init != nil && step > 0 && next == x && p.boundedNext(x) && p.atLeast(p.final(init), n-c, depth+1)
	}
	return false
}

// counter takes a variable apart that a loop begins with init and adds a constant step to, by the value next.
func counter(phi *Value) (init *Value, step int64, next *Value) {
	if len(phi.Args) != 2 || phi.Kind != Int64 {
		return nil, 0, nil
	}
	for i, a := range phi.Args {
		if a.Op == Add && a.Args[0] == phi && a.Args[1].Op == Const {
			return phi.Args[1-i], a.Args[1].Imm, a
		}
	}
	return nil, 0, nil
}

// bounded reports whether the head of a counter's loop leaves it unless the counter is below some number, so that
// adding a small step does not wrap around.
func (p *improver) bounded(phi *Value, step int64) bool {
	b := phi.Block
	return step == 1 && b.Kind == If && isLess(b.Control, phi) && inLoop(b) && countsInside(phi)
}

// countsInside reports whether the step of a counter is behind the test of its loop's head.
func countsInside(phi *Value) bool {
	_, _, next := counter(phi)
	inside := phi.Block.Succs[0]
	return next != nil && len(inside.Preds) == 1 && inside.Dominates(next.Block)
}

// boundedNext is bounded for a counter that is tested after the step, as the loops of range are.
func (p *improver) boundedNext(next *Value) bool {
	b := next.Block
	return next.Args[1].Imm == 1 && b.Kind == If && isLess(b.Control, next) && b == next.Args[0].Block && inLoop(b)
}

func isLess(control, x *Value) bool {
	return control.Op == Lt && control.Kind == Bool && control.Args[0] == x
}

// inLoop reports whether only the first way out of a loop's head stays in the loop.
func inLoop(head *Block) bool {
	if len(head.Succs[0].Preds) != 1 {
		return false
	}
	for _, p := range head.Preds {
		if p.order >= head.order && !head.Succs[0].Dominates(p) {
			return false
		}
	}
	return true
}

// below reports whether a test that was passed on every way to the block says x < y.
func (p *improver) below(x, y *Value, at *Block) bool {
	for b := at; b.Dom != nil; b = b.Dom {
		d := b.Dom
		if d.Kind != If || len(b.Preds) != 1 || b.Preds[0] != d || d.Succs[0] == d.Succs[1] {
			continue
		}
		c := p.final(d.Control)
		switch {
		case d.Succs[0] == b && c.Op == Lt && equal(c.Args[0], x) && equal(c.Args[1], y),
			d.Succs[0] == b && c.Op == Gt && equal(c.Args[0], y) && equal(c.Args[1], x),
			d.Succs[1] == b && c.Op == Ge && equal(c.Args[0], x) && equal(c.Args[1], y),
			d.Succs[1] == b && c.Op == Le && equal(c.Args[0], y) && equal(c.Args[1], x):
			return c.Args[0].Kind == Int64
		}
	}
	return false
}

func equal(a, b *Value) bool {
	return a == b || a.Op == Const && b.Op == Const && a.Imm == b.Imm
}
