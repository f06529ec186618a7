package native

import (
	"golang.org/x/tools/go/ssa"
)

// look looks ahead at what becomes of function values: whether all that is done with one is known beforehand, so that
// no closure is needed. Where it is wrong about that, a closure is made where one is needed.
type look struct {
	t       functions
	depth   int
	returns map[*ssa.Function]bool // functions ahead whose results are wanted
}

// deepest is how far it looks.
const deepest = 12

// uses reports whether a function value, or a variable with one whose address is given, is only called and given to
// functions in the place of calls, and whether there is any of these.
func (l *look) uses(v ssa.Value) (ok, gains bool) {
	if l.depth++; l.depth > deepest {
		l.depth--
		return false, false
	}
	defer func() { l.depth-- }()
	if v.Referrers() == nil {
		return false, false
	}
	for _, r := range *v.Referrers() {
		ok, more := l.use(v, r)
		if !ok {
			return false, false
		}
		gains = gains || more
	}
	return true, gains
}

func (l *look) use(v ssa.Value, r ssa.Instruction) (ok, gains bool) {
	switch r := r.(type) {
	case *ssa.DebugRef:
		return true, false
	case *ssa.ChangeType:
		return l.uses(r)
	case *ssa.UnOp:
		return l.uses(r)
	case *ssa.Store:
		if r.Addr == v {
			return true, false
		}
		a, isVar := r.Addr.(*ssa.Alloc)
		if !isVar || !setOnce(a) {
			return false, false
		}
		return l.uses(a)
	case *ssa.MakeClosure:
		return l.uses(captured(r, v))
	case *ssa.Return:
		return l.wanted(r.Parent()), true
	case *ssa.Call:
		if r.Call.IsInvoke() {
			return false, false
		}
		gains = r.Call.Value == v
		for i, a := range r.Call.Args {
			if a != v {
				continue
			}
			if !l.takes(r, i) {
				return false, false
			}
			gains = true
		}
		return true, gains
	}
	return false, false
}

// takes reports whether a call is in the place of the function, which only calls a parameter.
func (l *look) takes(in *ssa.Call, i int) bool {
	if _, builtin := in.Call.Value.(*ssa.Builtin); builtin {
		return false
	}
	if fn := l.literal(in.Call.Value); fn != nil {
		if fn.Signature.Recv() != nil || i >= len(fn.Params) {
			return false
		}
		ok, _ := l.uses(fn.Params[i])
		return ok
	}
	_, x := l.t.inlinee(in)
	if x == nil || i >= len(x.given.form.Params) {
		return false
	}
	l.wants(in, x.given.form)
	ok, calls := l.uses(x.given.form.Params[i])
	return ok && calls
}

// wants reports whether the function that a function has as its result is wanted, by what calls it.
func (l *look) wants(in *ssa.Call, form *ssa.Function) bool {
	results := form.Signature.Results()
	if results.Len() != 1 || !isFunction(results.At(0).Type()) || l.returned(form) == nil {
		return false
	}
	ok, calls := l.uses(in)
	if ok && calls {
		if l.returns == nil {
			l.returns = map[*ssa.Function]bool{}
		}
		l.returns[form] = true
	}
	return ok && calls
}

// returned is the literal that a function returns, nil for none or several.
func (l *look) returned(form *ssa.Function) *ssa.Function {
	var ret *ssa.Return
	for _, b := range form.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			if ret != nil {
				return nil
			}
			ret = r
		}
	}
	if ret == nil {
		return nil
	}
	return l.literal(ret.Results[0])
}

// wanted reports whether the result of a function is wanted that is in the place of a call.
func (l *look) wanted(fn *ssa.Function) bool {
	for s := l.t.scope; s != nil; s = s.from {
		if s.fn == fn {
			return s.wanted
		}
	}
	return l.returns[fn]
}

// literal is the literal that a function value is, nil where that is not known.
func (l *look) literal(v ssa.Value) *ssa.Function {
	if l.depth++; l.depth > deepest {
		l.depth--
		return nil
	}
	defer func() { l.depth-- }()
	switch v := v.(type) {
	case *ssa.Function:
		if v.Parent() != nil {
			return v
		}
	case *ssa.MakeClosure:
		if fn := v.Fn.(*ssa.Function); fn.Parent() != nil {
			return fn
		}
	case *ssa.ChangeType:
		return l.literal(v.X)
	case *ssa.Call:
		if _, x := l.t.inlinee(v); x != nil {
			return l.returned(x.given.form)
		}
	case *ssa.Parameter:
		for s := l.t.scope; s != nil; s = s.from {
			if k := s.known[v]; k != nil {
				return k.fn
			}
		}
	case *ssa.UnOp:
		return l.stored(v.X)
	}
	return nil
}

// stored is the literal that a variable has, whose address is given.
func (l *look) stored(v ssa.Value) *ssa.Function {
	switch v := v.(type) {
	case *ssa.FreeVar:
		refs := v.Parent().Referrers()
		if refs == nil {
			return nil
		}
		for _, r := range *refs {
			if m, ok := r.(*ssa.MakeClosure); ok {
				for i, x := range v.Parent().FreeVars {
					if x == v {
						return l.stored(m.Bindings[i])
					}
				}
			}
		}
	case *ssa.Alloc:
		if !setOnce(v) {
			return nil
		}
		for _, r := range *v.Referrers() {
			if s, ok := r.(*ssa.Store); ok && s.Addr == v {
				return l.literal(s.Val)
			}
		}
	}
	return nil
}

// isGiven reports whether a literal is given to functions in the place of calls alone, so that its closure is only made
// where there is none of these.
func (t functions) isGiven(m *ssa.MakeClosure) bool {
	if m.Fn.(*ssa.Function).Parent() == nil || !t.gives || t.device != nil {
		return false
	}
	ok, gains := (&look{t: t}).uses(m)
	return ok && gains
}
