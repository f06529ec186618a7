package native

import (
	"go/ast"
	"go/types"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/ahead"
	"github.com/gorocm/gorocm/repl/golang/native/defers"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"golang.org/x/tools/go/ssa"
)

// A short function that is given a function literal, or that has one as its result, is compiled in the place of the
// call, and the literal in the place of its calls: a loop over an iterator is a loop, and Map(xs, f) one with f in it.
// What the literal captures are variables of the frame.
//
// This code runs while no newer version of the function is installed. Otherwise the newest one is called, with closures
// that are made there: then variables that they capture are moved to the heap, and stay there. Each such variable has a
// word with its address there, which is 0 before; ir.Improve finds where that is known.

// mostGiven is how many instructions such a function has, with those of its literals, and mostGivenInAll how many a
// function gets so.
const mostGiven, mostGivenInAll = 100, 500

// given is a function that takes functions, or has one as its result, for the place of its calls.
type given struct {
	form   *ssa.Function
	origin *origin
	size   int // instructions
}

// known is a function value whose code is known.
type known struct {
	fn    *ssa.Function // a literal, or a function of the session
	bound []ssa.Value   // what it captures
	at    *scope        // of what makes it
	value *ir.Value     // the closure where the code is another one, else 0; nil where it never is
	home  *scope        // where that is computed
}

// moved is what tells where a variable is.
type moved struct {
	at  address // of the word in the frame
	typ types.Type
}

// given gives the form of a function, nil for one that is only called. Its work has a form.
func (w *work) given() *given {
	if w.body != nil && w.body.given != nil {
		return w.body.given
	}
	if w.u.Loop != nil || w.literal != nil || w.proc.literal || w.u.Once || !hasFunctions(w.u.signature()) {
		return nil
	}
	fn, why := w.form()
	if why != nil {
		return nil
	}
	size, ok := sizeOf(fn)
	if !ok || size > mostGiven {
		return nil
	}
	s := w.u.Source
	o := &origin{&s, s.places(), s.calledAt(), s.literalNames()}
	s.Info, s.Packages, s.Variable = nil, Packages{}, nil // of the function that it is in
	b := w.makeBody()
	b.given = &given{fn, o, size}
	return b.given
}

// makeBody is what others may have in the place of calls.
func (w *work) makeBody() *body {
	if w.body == nil {
		w.body = &body{stack: w.u.Stack, older: new(uint64)}
	}
	return w.body
}

// form is the function in package ssa's form.
func (w *work) form() (*ssa.Function, *Reason) {
	if w.fn == nil && w.noForm == nil {
		w.fn, w.noForm = w.u.form()
	}
	return w.fn, w.noForm
}

// hasFunctions reports whether a function takes functions or has one as its result.
func hasFunctions(sig *types.Signature) bool {
	for _, list := range []*types.Tuple{sig.Params(), sig.Results()} {
		for v := range list.Variables() {
			if isFunction(v.Type()) {
				return true
			}
		}
	}
	return false
}

func isFunction(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// sizeOf counts the instructions of a function and of its literals. It reports false where it defers calls.
func sizeOf(fn *ssa.Function) (n int, ok bool) {
	for _, b := range fn.Blocks {
		n += len(b.Instrs)
		for _, in := range b.Instrs {
			c, isCall := in.(*ssa.Call)
			if !isCall || c.Call.StaticCallee() == nil {
				continue
			}
			if o := c.Call.StaticCallee().Object(); o != nil && o.Pkg() == defers.Package {
				return n, false
			}
		}
	}
	for _, x := range fn.AnonFuncs {
		m, ok := sizeOf(x)
		if n += m; !ok {
			return n, false
		}
	}
	return n, fn.Recover == nil
}

// inlinee is the function of a call that may be in its place, nil for any other.
func (t functions) inlinee(in *ssa.Call) (*Proc, *body) {
	callee := in.Call.StaticCallee()
	if !t.gives || t.device != nil || callee == nil || callee.Parent() != nil || isMethodFunction(callee) ||
		len(callee.FreeVars) > 0 || !hasFunctions(callee.Signature) {
		return nil, nil
	}
	f, _ := callee.Object().(*types.Func)
	if f == nil || t.isForeign(callee, f) {
		return nil, nil
	}
	n, why := t.target(callee, f)
	if why != nil {
		return nil, nil
	}
	p := t.p.procs[n]
	x := p.body
	if w := t.batch[p]; w != nil {
		w.given()
		x = w.body
	}
	if x == nil || x.given == nil || t.givenSize+x.given.size > mostGivenInAll ||
		len(in.Call.Args) != len(x.given.form.Params) {
		return nil, nil
	}
	for s := t.scope; s != nil; s = s.from { // a recursion
		if s.fn == x.given.form {
			return nil, nil
		}
	}
	return p, x
}

// inPlace translates a call of a function that is given literals, or has one as its result. It reports false for any
// other call.
func (t functions) inPlace(in *ssa.Call, f *types.Func) bool {
	p, x := t.inlinee(in)
	if x == nil {
		return false
	}
	l := t.look()
	wanted := l.Wants(in, x.given.form)
	gains := wanted
	for i, a := range in.Call.Args {
		if k := t.known(a); k != nil {
			ok, calls := l.Uses(x.given.form.Params[i])
			gains = gains || ok && calls
		}
	}
	if !gains {
		return false
	}
	t.givenSize += x.given.size
	results, _, bad := tupleWords(in.Call.Signature().Results())
	if bad != nil || !fits(results) {
		return false
	}
	var k *known
	code := func() []*ir.Value {
		o, s := *x.given.origin, *x.given.origin.s
		s.Packages, s.Variable, o.s = t.s.Packages, t.s.Variable, &s
		c := newScope(x.given.form, &ir.Inlined{Name: x.stack, Call: t.place(), In: t.in}, &o)
		c.wanted = wanted
		list := t.inline(in, c)
		k = c.result
		return list
	}
	if f.Pkg() != t.session() { // it has no newer version
		t.values[in] = code()
		if k != nil {
			t.scope.known[in] = k
			delete(t.values, in)
		}
		return true
	}
	*t.keep = append(*t.keep, x.older)
	older := t.memory(ir.Load, ir.Uint64, address{base: t.fixedAddress(x.older)}, 0, nil)
	newest := t.add(ir.Eq, ir.Bool, older, t.f.Int(ir.Uint64, 0))
	t.values[in] = t.inGo().either(newest, results, code, t.rarely(func() []*ir.Value {
		var args []*ir.Value
		for _, a := range in.Call.Args {
			args = append(args, t.value(a)...)
		}
		return t.sessionCall(p.id, args, results)
	}))
	if k != nil {
		t.scope.known[in] = &known{k.fn, k.bound, k.at, t.values[in][0], t.scope}
		delete(t.values, in)
	}
	return true
}

// session is the package of the session's functions: of the function that is compiled, or where that is of another
// package, none.
func (t functions) session() *types.Package { return t.work.u.Object.Pkg() }

func (t functions) fixedAddress(p *uint64) *ir.Value {
	return t.f.Int(ir.Ptr, int64(uintptr(unsafe.Pointer(p))))
}

// rarely has the code of do come last, and its calls save the registers.
func (t functions) rarely(do func() []*ir.Value) func() []*ir.Value {
	return func() []*ir.Value {
		first := t.b
		n := len(t.f.Blocks)
		list := do()
		for _, b := range append([]*ir.Block{first}, t.f.Blocks[n:]...) {
			b.Cold = true
			for _, v := range b.Values {
				v.Cold = v.Op == ir.Call
			}
		}
		return list
	}
}

// known is what is known of a function value, nil for nothing.
func (t functions) known(v ssa.Value) *known {
	if !isFunction(v.Type()) {
		return nil
	}
	if k := t.scope.known[v]; k != nil {
		return k
	}
	switch v := v.(type) {
	case *ssa.Function:
		if v.Parent() != nil || t.gives && t.ofSession(v) != nil {
			return &known{fn: v, at: t.scope}
		}
	case *ssa.ChangeType:
		return t.known(v.X)
	}
	return nil
}

// ofSession is a function of the session, which is called as such, nil for any other.
func (t functions) ofSession(fn *ssa.Function) *types.Func {
	f, _ := fn.Object().(*types.Func)
	if f == nil || fn.Parent() != nil || fn.Synthetic != "" || fn.Signature.Recv() != nil || len(fn.TypeArgs()) > 0 ||
		t.isForeign(fn, f) {
		return nil
	}
	return f
}

// callKnown translates a call of a function value whose code is known.
func (t functions) callKnown(in *ssa.Call, k *known) {
	do := func() []*ir.Value { return t.inline(in, t.literalScope(in, k)) }
	caller := t.scope
	t.scope = k.at
	f := t.ofSession(k.fn)
	t.scope = caller
	if f != nil {
		n, why := t.proc(f)
		results, _, bad := tupleWords(k.fn.Signature.Results())
		if why != nil || bad != nil || !fits(results) {
			t.no("it calls %s, which is not compiled", f.Name())
		}
		var args []*ir.Value
		for _, a := range in.Call.Args {
			args = append(args, t.value(a)...)
		}
		t.values[in] = t.sessionCall(n, args, results)
		return
	}
	if k.value == nil {
		t.values[in] = do()
		return
	}
	results, _, bad := tupleWords(in.Call.Signature().Results())
	if bad != nil {
		t.no("it has a result of type %s", bad)
	}
	none := t.add(ir.Eq, ir.Bool, k.value, t.f.Int(ir.Ptr, 0))
	t.values[in] = t.inGo().either(none, results, do, t.rarely(func() []*ir.Value {
		return t.inGo().callValue(in, k.value)
	}))
}

// literalScope is that of a literal in the place of a call.
func (t functions) literalScope(in *ssa.Call, k *known) *scope {
	within := t.in
	name := ""
	if lit, ok := k.fn.Syntax().(*ast.FuncLit); ok {
		name = k.at.literals[lit]
	} else if loopOf(k.fn) != nil { // a part of the function
		if name = k.at.s.Stack; k.at.in != nil {
			name = k.at.in.Name
		}
	}
	if !isMethodFunction(k.fn) {
		within = &ir.Inlined{Name: name, Call: t.place(), In: t.in}
	}
	s := newScope(k.fn, within, k.at.origin)
	for i, v := range k.fn.FreeVars {
		b := k.bound[i]
		if a, ok := k.at.addrs[b]; ok {
			s.addrs[v] = a
		}
		if list, ok := k.at.values[b]; ok {
			s.values[v] = list
		}
		if x := k.at.known[b]; x != nil {
			s.known[v] = x
		}
	}
	return s
}

// closure makes the function value of a known function.
func (t functions) closure(k *known) *ir.Value {
	if k.value == nil {
		return t.closureIn(k)
	}
	some := t.add(ir.Ne, ir.Bool, k.value, t.f.Int(ir.Ptr, 0))
	return t.inGo().either(some, []ir.Kind{ir.Ptr}, func() []*ir.Value { return []*ir.Value{k.value} },
		func() []*ir.Value { return []*ir.Value{t.closureIn(k)} })[0]
}

// closureIn makes it where its code is known. There are no literals in the place of calls in that code.
func (t functions) closureIn(k *known) *ir.Value {
	caller, gives := t.scope, t.gives
	t.scope, t.gives = k.at, false
	var v *ir.Value
	if k.fn.Parent() == nil {
		v = t.functionValue(k.fn)
	} else {
		v = t.closureOf(k.fn, k.bound)
	}
	t.scope, t.gives = caller, gives
	return v
}

// move has a variable of the frame be on the heap from now on, and gives its address there.
func (t functions) move(a address, m moved) *ir.Value {
	p := t.memory(ir.Load, ir.Ptr, m.at, 0, nil)
	there := t.add(ir.Ne, ir.Bool, p, t.f.Int(ir.Ptr, 0))
	return t.inGo().either(there, []ir.Kind{ir.Ptr}, func() []*ir.Value { return []*ir.Value{p} },
		func() []*ir.Value {
			to := t.leave(site{code: leaveNew, aux: t.memoryType(m.typ)}, []ir.Kind{ir.Ptr})
			var list []*ir.Value
			for _, s := range layout(m.typ) {
				list = append(list, t.memory(ir.Load, s.Kind, a, s.At, nil))
			}
			t.store(address{base: to[0]}, m.typ, list)
			t.memory(ir.Store, ir.Ptr, m.at, 0, to[0])
			return to
		})[0]
}

// whereMoved does one of two things with a variable: in the frame, or on the heap.
func (t functions) whereMoved(a address, m moved, kinds []ir.Kind, do func(address) []*ir.Value) []*ir.Value {
	p := t.memory(ir.Load, ir.Ptr, m.at, 0, nil)
	here := t.add(ir.Eq, ir.Bool, p, t.f.Int(ir.Ptr, 0))
	return t.inGo().either(here, kinds, func() []*ir.Value { return do(a) }, t.rarely(func() []*ir.Value {
		there := a
		there.base = p
		return do(there)
	}))
}

// isPortable reports whether a literal that a function in the place of a call returns can be called where the
// function has returned: all that it captures is in the frame.
func (k *known) isPortable(s *scope) bool {
	if !k.at.isIn(s) {
		return !k.home.isIn(s)
	}
	if k.at != s || k.value != nil {
		return false
	}
	for _, b := range k.bound {
		if x := s.known[b]; x != nil {
			if !x.isPortable(s) {
				return false
			}
			continue
		}
		if a, ok := s.addrs[b]; !ok || a.base.Op != ir.Frame || a.index != nil {
			return false
		}
	}
	return true
}

// isIn reports whether a scope is one, or in the place of a call within it.
func (s *scope) isIn(other *scope) bool {
	for ; s != nil; s = s.from {
		if s == other {
			return true
		}
	}
	return false
}

// look looks ahead from what is in work.
func (t functions) look() *ahead.Look {
	return &ahead.Look{SetOnce: setOnce,
		Callee: func(in *ssa.Call) *ssa.Function {
			if _, x := t.inlinee(in); x != nil {
				return x.given.form
			}
			return nil
		},
		Passed: func(p *ssa.Parameter) *ssa.Function {
			for s := t.scope; s != nil; s = s.from {
				if k := s.known[p]; k != nil {
					return k.fn
				}
			}
			return nil
		},
		Wanted: func(fn *ssa.Function) (wanted, inWork bool) {
			for s := t.scope; s != nil; s = s.from {
				if s.fn == fn {
					return s.wanted, true
				}
			}
			return false, false
		}}
}

// isGiven reports whether a literal is given to functions in the place of calls alone, so that its closure is only made
// where there is none of these.
func (t functions) isGiven(m *ssa.MakeClosure) bool {
	if m.Fn.(*ssa.Function).Parent() == nil || !t.gives || t.device != nil {
		return false
	}
	ok, gains := t.look().Uses(m)
	return ok && gains
}

// give has a parameter of a function in the place of a call be an argument.
func (t functions) give(s *scope, p *ssa.Parameter, arg ssa.Value) {
	k := t.known(arg)
	if k != nil {
		caller := t.scope
		t.scope = s
		ok, _ := t.look().Uses(p)
		t.scope = caller
		if s.known[p] = k; ok && t.values[arg] == nil {
			return
		}
	}
	s.values[p] = t.value(arg)
}

// keeps notes that a variable has a known function value. It reports false for any other store.
func (t functions) keeps(in *ssa.Store) bool {
	a, ok := in.Addr.(*ssa.Alloc)
	k := t.known(in.Val)
	if !ok || k == nil || !t.gives || !setOnce(a) {
		return false
	}
	if ok, _ := t.look().Uses(a); !ok {
		return false
	}
	t.scope.known[a] = k
	return true
}

// returns is the known function that a function in the place of a call returns, nil for any other result.
func (t functions) returns(in *ssa.Return) *known {
	if !t.inlined || !t.wanted || len(in.Results) != 1 {
		return nil
	}
	if k := t.known(in.Results[0]); k != nil && t.values[in.Results[0]] == nil && k.isPortable(t.scope) {
		return k
	}
	return nil
}
