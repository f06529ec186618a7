package native

import (
	"go/types"

	"github.com/gorocm/gorocm/repl/golang/native/defers"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"github.com/gorocm/gorocm/repl/golang/native/quick"
	"golang.org/x/tools/go/ssa"
)

// call translates a call of a function of the session, of a builtin, or of one that Go code or an operation stands for.
func (t *translator) call(in *ssa.Call) {
	if b, ok := in.Call.Value.(*ssa.Builtin); ok {
		t.builtin(in, b.Name())
		return
	}
	if in.Call.IsInvoke() {
		t.inGo().invoke(in)
		return
	}
	callee := in.Call.StaticCallee()
	if k := t.functions().known(in.Call.Value); k != nil && (callee == nil || callee.Parent() != nil) {
		t.functions().callKnown(in, k)
		return
	}
	if callee == nil || isMethodFunction(callee) && len(callee.FreeVars) > 0 {
		t.values[in] = t.inGo().callValue(in, t.one(in.Call.Value))
		return
	}
	if isMethodFunction(callee) && t.device == nil {
		t.functions().onlyCalls(callee)
		t.functions().callKnown(in, &known{fn: callee, at: t.scope})
		return
	}
	f, _ := callee.Object().(*types.Func)
	if f == nil {
		t.no("it calls %s", callee.Name())
	}
	name := f.Pkg().Path() + "." + f.Name()
	results, _, bad := tupleWords(callee.Signature.Results())
	if bad != nil {
		t.no("it calls %s, which has a result of type %s", f.Name(), bad)
	}
	if len(callee.FreeVars) > 0 || len(in.Call.Args) != callee.Signature.Params().Len()+receivers(callee.Signature) {
		t.no("it calls %s", callee.Name())
	}
	if t.functions().inPlace(in, f) {
		return
	}
	var args []*ir.Value
	for _, a := range in.Call.Args {
		args = append(args, t.value(a)...)
	}
	if op, ok := intrinsics[name]; ok {
		t.values[in] = []*ir.Value{t.add(op, results[0], args...)}
		return
	}
	if (name == "cmp.Compare" || name == "strings.Compare") && t.device == nil {
		t.values[in] = []*ir.Value{t.functions().order(args)}
		return
	}
	if t.device != nil {
		if len(callee.TypeArgs()) > 0 {
			t.no("it calls the generic function %s", f.Name())
		}
		t.deviceCall(in, f, args, results)
		return
	}
	if do := quick.Pure(f); do != nil {
		t.values[in] = t.leave(site{code: leaveQuick, aux: do}, results, args...)
		return
	}
	if t.functions().isForeign(callee, f) {
		t.inGo().foreignCall(in, callee, f, args)
		return
	}
	n, why := t.functions().target(callee, f)
	if why != nil {
		t.no("it calls %s, which is not compiled", f.Name())
	}
	if !fits(results) {
		t.no("it calls %s, which has too many results", f.Name())
	}
	at := t.at
	if t.functions().isHidden(f) { // a panic in it is one of the call, as of any function of a compiled package
		t.at = t.called[at]
	}
	t.values[in] = t.sessionCall(n, args, results)
	t.at = at
}

// deferring calls a function of package defers that keeps deferred calls in the context. It reports false for others.
func (t functions) deferring(in *ssa.Call, f *types.Func, args []*ir.Value) bool {
	do := quick.Deferring[f.Name()]
	if f.Pkg() != defers.Package || do == nil {
		return false
	}
	results, _, _ := tupleWords(f.Signature().Results())
	if len(args) == 0 {
		args = []*ir.Value{t.f.Int(ir.Ptr, 0)} // see request.begin
	}
	t.values[in] = t.leave(site{code: leaveDefer, aux: do}, results, args...)
	return true
}

// sessionCall calls a function of the session by its number.
func (t *translator) sessionCall(n int, args []*ir.Value, results []ir.Kind) []*ir.Value {
	return t.functions().pasted(t.p.procs[n], args, func() []*ir.Value {
		v := t.add(ir.Call, ir.None, args...)
		v.Proc, v.Site = n, t.newSite(site{code: leaveCall})
		return resultsOf(t.f, t.b, v, results)
	})
}

func (t *translator) builtin(in *ssa.Call, name string) {
	args := in.Call.Args
	switch name {
	case "len", "cap":
		switch args[0].Type().Underlying().(type) {
		case *types.Slice:
			t.values[in] = t.value(args[0])[1:2]
			if name == "cap" {
				t.values[in] = t.value(args[0])[2:3]
			}
			return
		case *types.Map:
			t.values[in] = []*ir.Value{t.inGo().mapLen(t.one(args[0]))}
			return
		case *types.Chan:
			t.inGo().lenChan(in, name)
			return
		case *types.Basic:
			t.values[in] = t.value(args[0])[1:2]
			return
		}
	}
	switch name {
	case "real":
		t.values[in] = t.value(args[0])[:1]
		return
	case "imag":
		t.values[in] = t.value(args[0])[1:]
		return
	case "complex":
		t.values[in] = []*ir.Value{t.one(args[0]), t.one(args[1])}
		return
	}
	t.moreBuiltins(in, name)
}

// receivers is how many arguments come before the parameters.
func receivers(sig *types.Signature) int {
	if sig.Recv() != nil {
		return 1
	}
	return 0
}

// order translates cmp.Compare: a NaN is less than any number and equal to itself.
func (t functions) order(args []*ir.Value) *ir.Value {
	if len(args) == 4 {
		return t.compareStrings(args[:2], args[2:])
	}
	x, y := args[0], args[1]
	choose := func(cond *ir.Value, n int64, other *ir.Value) *ir.Value {
		then := func() []*ir.Value { return []*ir.Value{t.int(n)} }
		return t.branch(cond, []ir.Kind{ir.Int64}, []*ir.Value{other}, then)[0]
	}
	r := choose(t.add(ir.Gt, ir.Bool, x, y), 1, t.int(0))
	r = choose(t.add(ir.Lt, ir.Bool, x, y), -1, r)
	if !x.Kind.IsFloat() {
		return r
	}
	none, other := t.add(ir.Ne, ir.Bool, x, x), t.add(ir.Ne, ir.Bool, y, y)
	r = choose(other, 1, r)
	both := t.add(ir.And, ir.Bool, none, other)
	r = choose(none, -1, r)
	return choose(both, 0, r)
}
