// Package ahead looks at what becomes of function values, before code is made of the functions that use them: whether
// all that is done with one is known beforehand, so that no closure is needed. Where it is wrong about that, a closure
// is made where one is needed.
package ahead

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Look is what it needs of the function in work.
type Look struct {
	Callee  func(*ssa.Call) *ssa.Function             // the function that may be in the place of a call; nil for none
	Passed  func(*ssa.Parameter) *ssa.Function        // the literal that a parameter is, nil where that is not known
	Wanted  func(*ssa.Function) (wanted, inWork bool) // whether the literal that a function returns is to be known
	SetOnce func(*ssa.Alloc) bool                     // whether a variable is set once, before anything reads it

	depth   int
	returns map[*ssa.Function]bool // functions ahead whose results are wanted
}

// deepest is how far it looks.
const deepest = 12

// Uses reports whether a function value, or a variable with one whose address is given, is only called and given to
// functions in the place of calls, and whether there is any of these.
func (l *Look) Uses(v ssa.Value) (ok, gains bool) {
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

func (l *Look) use(v ssa.Value, r ssa.Instruction) (ok, gains bool) {
	switch r := r.(type) {
	case *ssa.DebugRef:
		return true, false
	case *ssa.ChangeType:
		return l.Uses(r)
	case *ssa.UnOp:
		return l.Uses(r)
	case *ssa.Store:
		if r.Addr == v {
			return true, false
		}
		a, isVar := r.Addr.(*ssa.Alloc)
		if !isVar || !l.SetOnce(a) {
			return false, false
		}
		return l.Uses(a)
	case *ssa.MakeClosure:
		return l.Uses(Captured(r, v))
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
func (l *Look) takes(in *ssa.Call, i int) bool {
	if _, builtin := in.Call.Value.(*ssa.Builtin); builtin {
		return false
	}
	if fn := l.literal(in.Call.Value); fn != nil {
		if fn.Signature.Recv() != nil || i >= len(fn.Params) {
			return false
		}
		ok, _ := l.Uses(fn.Params[i])
		return ok
	}
	form := l.Callee(in)
	if form == nil || i >= len(form.Params) {
		return false
	}
	l.Wants(in, form)
	ok, calls := l.Uses(form.Params[i])
	return ok && calls
}

// Wants reports whether the callers of a function are to know the literal that it returns.
func (l *Look) Wants(in *ssa.Call, form *ssa.Function) bool {
	results := form.Signature.Results()
	if results.Len() != 1 || !isFunction(results.At(0).Type()) || l.returned(form) == nil {
		return false
	}
	ok, calls := l.Uses(in)
	if ok && calls {
		if l.returns == nil {
			l.returns = map[*ssa.Function]bool{}
		}
		l.returns[form] = true
	}
	return ok && calls
}

// returned is the literal that a function returns, nil for none or several.
func (l *Look) returned(form *ssa.Function) *ssa.Function {
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
func (l *Look) wanted(fn *ssa.Function) bool {
	if wanted, inWork := l.Wanted(fn); inWork {
		return wanted
	}
	return l.returns[fn]
}

// literal is the literal that a function value is, nil where that is not known.
func (l *Look) literal(v ssa.Value) *ssa.Function {
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
		if form := l.Callee(v); form != nil {
			return l.returned(form)
		}
	case *ssa.Parameter:
		return l.Passed(v)
	case *ssa.UnOp:
		return l.stored(v.X)
	}
	return nil
}

// stored is the literal that a variable has, whose address is given.
func (l *Look) stored(v ssa.Value) *ssa.Function {
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
		if !l.SetOnce(v) {
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

// Captured is what a literal calls a variable that it captures.
func Captured(m *ssa.MakeClosure, v ssa.Value) ssa.Value {
	for i, b := range m.Bindings {
		if b == v {
			return m.Fn.(*ssa.Function).FreeVars[i]
		}
	}
	panic("native: a literal does not capture what it captures") // cannot happen
}

func isFunction(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}
