package machine

import "reflect"

// resultsOf is how to call a function for its results, and what puts them where they belong.
func (c *code) resultsOf(n *Node, t reflect.Type) (call invoke, is [maxResults]byte,
	store []func(*Frame, resultRegisters), ok bool) {
	var all []part
	for i := range t.NumOut() {
		ps, ok := parts(t.Out(i), 0)
		if !ok {
			return nil, is, nil, false
		}
		first := len(all)
		all = append(all, ps...)
		level, index, wanted, ok := c.resultPlace(n, i)
		if !ok || wanted && c.slotType(level, index) != t.Out(i) {
			return nil, is, nil, false
		}
		if wanted {
			store = append(store, storeRegisters(level, index, t.Out(i), ps, first))
		}
	}
	copy(is[:], pattern(all))
	call, ok = invokes[pattern(all)]
	return call, is, store, ok
}

// resultPlace is where in which frame a result of a compiled function goes; wanted is false for one that nobody asks
// for.
func (c *code) resultPlace(n *Node, i int) (level, index int, wanted, ok bool) {
	switch n.Anc.Kind {
	case kinds.assignXStmt, kinds.defineXStmt:
		x := n.Anc.Child[i]
		switch {
		case x.Ident == "_":
			return 0, 0, false, true
		case !isVariable(x) || x.Level == 0 && c.captured[x.Sym.Index] || n.Anc.Kind == kinds.defineXStmt &&
			x.Level != 0:
			return 0, 0, false, false // a new variable each time, perhaps
		}
		return x.Level, x.Sym.Index, true, true
	case kinds.returnStmt:
		for at, x := range n.Anc.Child {
			if x == n {
				return 0, at + i, true, true
			}
		}
		return 0, 0, false, false
	}
	if n.Findex < 0 {
		return 0, 0, false, n.Findex == notInFrame && n.Fnext == nil
	}
	return n.Level, n.Findex + i, n.Level >= 0, n.Level >= 0
}

// storeRegisters puts a result in its place in a frame. Its words begin with the given one.
func storeRegisters(level, index int, t reflect.Type, ps []part, first int) func(*Frame, resultRegisters) {
	up := frameUp(level)
	switch {
	case !indirect(t):
		return func(f *Frame, r resultRegisters) { *word(headerAt(up(f), index)) = r.p[first] }
	case t.Kind() == reflect.Int && level == 0:
		return func(f *Frame, r resultRegisters) { *at[int](f, index) = int(r.n[first]) }
	}
	return func(f *Frame, r resultRegisters) {
		to := headerAt(up(f), index).ptr
		for i, p := range ps {
			p.store(to, r.p[first+i], r.n[first+i])
		}
	}
}
