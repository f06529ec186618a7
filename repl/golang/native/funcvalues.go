package native

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strings"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/ahead"
	"github.com/gorocm/gorocm/repl/golang/native/defers"
	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"github.com/gorocm/gorocm/repl/golang/native/layouts"
	"github.com/gorocm/gorocm/repl/golang/native/quick"
	"golang.org/x/tools/go/ssa"
)

// A function literal that is used as a value is compiled as a function of its own, whose last parameter is its closure.
// That has the addresses of the variables that it captures, which Go code has allocated, or their values where they are
// set once, before. A named function has a closure without variables, and does not look at it.

// functions translates function values.
type functions struct{ *translator }

func (t *translator) functions() functions { return functions{t} }

// signature is how a function value of a type is called. It panics with a *Reason where that is not supported.
func (t functions) signature(typ types.Type) *signature {
	if t.device != nil || t.p.host == nil {
		t.no("it uses a function as a value")
	}
	t.work.values = true
	s := signatureOf(typ.Underlying().(*types.Signature))
	if s == nil {
		name := func(p *types.Package) string { return p.Name() }
		t.no("it uses a function value of type %s", types.TypeString(typ, name))
	}
	return s
}

// functionValue is a function that is used as a value.
func (t functions) functionValue(fn *ssa.Function) *ir.Value {
	if fn.Parent() != nil || isMethodFunction(fn) {
		return t.closureOf(fn, nil)
	}
	f, _ := fn.Object().(*types.Func)
	if f == nil || fn.Signature.Recv() != nil || f.Signature().Recv() != nil || len(fn.FreeVars) > 0 ||
		strings.Contains(fn.Synthetic, "wrapper") {
		t.no("it uses a method as a value")
	}
	if f.Pkg() != t.s.Object.Pkg() {
		return t.foreignValue(f)
	}
	s := t.signature(fn.Signature)
	n, why := t.target(fn, f)
	if why != nil {
		t.no("it uses %s as a value, which is not compiled", f.Name())
	}
	return t.fixed(t.p.procs[n].value(s))
}

// fixed is a function value that is always the same.
func (t functions) fixed(p unsafe.Pointer) *ir.Value {
	*t.keep = append(*t.keep, p)
	return t.f.Int(ir.Ptr, int64(uintptr(p)))
}

// foreignValue is a function of a compiled package.
func (t functions) foreignValue(f *types.Func) *ir.Value {
	if t.s.Packages.Func == nil {
		t.no("it uses %s as a value", f.Name())
	}
	v := t.s.Packages.Func(f)
	if !v.IsValid() || v.Kind() != reflect.Func || v.IsNil() {
		t.no("it uses %s as a value", f.Name())
	}
	at := reflect.New(v.Type())
	at.Elem().Set(v)
	return t.fixed(*(*unsafe.Pointer)(at.UnsafePointer()))
}

// value is the function value of a function without variables around it.
func (p *Proc) value(s *signature) unsafe.Pointer {
	if p.closure == nil {
		c := p.closureOf(s, &p.entry)
		p.closure = unsafe.Pointer(c)
		if s.wrapped {
			p.closure = wrap(c)
		}
	}
	return p.closure
}

// makeClosure makes the function value of a literal or a method of a value, where that may be needed.
func (t functions) makeClosure(in *ssa.MakeClosure) {
	fn := in.Fn.(*ssa.Function)
	if fn.Parent() != nil {
		t.scope.known[in] = &known{fn: fn, bound: in.Bindings, at: t.scope}
	}
	if onlyCalled(in) || t.isGiven(in) {
		return
	}
	if fn.Parent() == nil && !isMethodFunction(fn) {
		t.no("it uses a method as a value")
	}
	t.values[in] = []*ir.Value{t.closureOf(fn, in.Bindings)}
}

// closureOf is the function value of a literal.
func (t functions) closureOf(fn *ssa.Function, bindings []ssa.Value) *ir.Value {
	s := t.signature(fn.Signature)
	var list []capturedVar
	for i, b := range bindings {
		if isMethodFunction(fn) {
			list = append(list, t.boundReceiver(fn.FreeVars[i], b))
		} else {
			list = append(list, t.capture(fn.FreeVars[i], b))
		}
	}
	p := t.scope.compiled[fn]
	first := p == nil
	if first {
		p = t.compileLiteral(fn, list)
		t.scope.compiled[fn] = p
	}
	n := 0
	for _, c := range list {
		n += len(c.words)
	}
	if n >= maxWords {
		t.no("it has a function literal that captures too many variables")
	}
	if len(list) == 0 {
		return t.fixed(p.value(s))
	}
	var in []types.Type
	var have []reflect.Type
	var args []*ir.Value
	for i := range list {
		c := &list[i]
		in, have, args = append(in, c.typ), append(have, c.run), append(args, c.words...)
	}
	if first {
		p.capture(list)
	}
	// The code has the maker: a foreign call lives as long as the program, and must not keep the literal.
	maker := &closureMaker{p.object, enter.TypeOf(p.object), p, s}
	in, have, args = append(in, nil), append(have, pointerType), append(args, t.fixed(unsafe.Pointer(maker)))
	f, offsets := memoryOf(in, []types.Type{nil}, append(have, pointerType))
	f.quick = maker.quick(f, offsets)
	f.do = func(m unsafe.Pointer) {
		k := *(**closureMaker)(unsafe.Add(m, offsets[len(have)-1]))
		at := k.new()
		for i, run := range have[:len(have)-1] {
			to, from := unsafe.Add(at, k.p.captured[i]), unsafe.Add(m, offsets[i])
			reflect.NewAt(run, to).Elem().Set(reflect.NewAt(run, from).Elem())
		}
		*(*unsafe.Pointer)(unsafe.Add(m, offsets[len(have)])) = k.value(at)
	}
	return t.inGo().callForeign(f, args)[0]
}

// capture lays out the closures of a literal.
func (p *Proc) capture(list []capturedVar) {
	fields := []reflect.StructField{{Name: "Header", Type: reflect.TypeFor[closure]()}}
	for i, c := range list {
		fields = append(fields, reflect.StructField{Name: fmt.Sprint("X", i), Type: c.run})
	}
	p.object = reflect.StructOf(fields)
	reflect.PointerTo(p.object) // so that reflect takes no lock when it looks for this type: see newCallOut
	for i := range list {
		p.captured = append(p.captured, p.object.Field(i+1).Offset)
	}
}

// closureMaker makes the closures of a literal.
type closureMaker struct {
	object reflect.Type
	memory enter.Type
	p      *Proc
	s      *signature
}

// new allocates one.
func (k *closureMaker) new() unsafe.Pointer {
	at := k.memory.New()
	*(*closure)(at) = *k.p.closureOf(k.s, &k.p.entry)
	return at
}

// value is the function value for a closure.
func (k *closureMaker) value(at unsafe.Pointer) unsafe.Pointer {
	if k.s.wrapped {
		return wrap((*closure)(at))
	}
	return at
}

// quick makes a closure while the goroutine is pinned. What it returns does not have the maker, which the code passes
// as the last word.
func (k *closureMaker) quick(f *foreign, offsets []uintptr) quick.Func {
	if k.object.Size() > quick.Most {
		return nil
	}
	to := make([]part, len(f.in)-1) // the words in the closure
	for i, w := range f.in[:len(to)] {
		field := len(offsets) - 3
		for offsets[field] > w.offset {
			field--
		}
		to[i] = part{offset: k.p.captured[field] + w.offset - offsets[field], kind: w.kind}
	}
	size := int(k.object.Size())
	return func(c *enter.Context) bool {
		if !c.Spend(size) {
			return false
		}
		k := (*closureMaker)(*c.Pointer(enter.ArgsAt + 8*len(to)))
		at := k.new()
		for i := range to {
			w := &to[i]
			layouts.Write(w.kind, unsafe.Add(at, w.offset), unsafe.Pointer(c.Word(enter.ArgsAt+8*i)))
		}
		*c.Word(enter.ResultsAt) = uint64(uintptr(k.value(at)))
		return true
	}
}

// capturedVar is what a closure has of a variable.
type capturedVar struct {
	v     *ssa.FreeVar
	typ   types.Type   // of the value; nil for the address of a variable
	run   reflect.Type // in the closure
	words []*ir.Value
	bound bool // it is not a variable, but the receiver of a method value
}

func (t functions) capture(v *ssa.FreeVar, b ssa.Value) capturedVar {
	if k := t.scope.known[b]; k != nil {
		elem := b.Type().Underlying().(*types.Pointer).Elem()
		return capturedVar{v: v, typ: elem, run: t.memoryType(elem), words: []*ir.Value{t.closure(k)}}
	}
	if a, ok := t.addrs[b]; ok && a.base.Op == ir.Frame {
		elem := b.Type().Underlying().(*types.Pointer).Elem()
		if m, ok := t.moved[a.base]; ok {
			return capturedVar{v: v, run: reflect.PointerTo(t.memoryType(elem)), words: []*ir.Value{t.move(a, m)}}
		}
		return capturedVar{v: v, typ: elem, run: t.memoryType(elem), words: t.load(a, elem)}
	}
	list := t.value(b)
	if len(list) != 1 || list[0].Kind != ir.Ptr {
		t.no("it captures %s", v.Name())
	}
	elem := b.Type().Underlying().(*types.Pointer).Elem()
	return capturedVar{v: v, run: reflect.PointerTo(t.memoryType(elem)), words: list}
}

// compileLiteral makes the typed code of a literal, as a function of its own.
func (t functions) compileLiteral(fn *ssa.Function, list []capturedVar) *Proc {
	if fn.Recover != nil {
		t.no("it defers a call")
	}
	if len(fn.Blocks) == 0 {
		t.no("its form is not known")
	}
	p := &Proc{of: t.p, id: -1, sig: fn.Signature, literal: true}
	n := fn.Signature.Params().Len()
	var bad types.Type
	if p.in, bad = parts(fn.Signature.Params()); bad == nil {
		p.out, bad = parts(fn.Signature.Results())
	}
	if bad != nil {
		t.no("it has a value of type %s", bad)
	}
	passed := t.work.literal != nil && t.work.literal.passed
	if passed {
		for range list {
			p.in = append(p.in, part{n, 0, ir.Ptr})
			n++
		}
	}
	p.in = append(p.in, part{n, 0, ir.Ptr})
	source := *t.s
	source.Stack = LiteralFn
	if lit, ok := fn.Syntax().(*ast.FuncLit); ok {
		if source.Stack, ok = t.literals[lit]; !ok { // the body of a function that defers
			if source.Stack = t.s.Stack; t.in != nil {
				source.Stack = t.in.Name
			}
		}
	}
	if loopOf(fn) != nil { // it is a part of the function
		source.Stack = t.s.Stack
	}
	c := &translator{p: t.p, typeOf: t.typeOf, keep: t.keep, resolve: t.resolve,
		resolveInstance: t.resolveInstance, batch: t.batch, left: t.left, at: fn.Pos(),
		gives: t.gives && t.scope.from == nil, givenSize: t.givenSize, moved: map[*ir.Value]moved{},
		f: &ir.Func{Name: source.Stack}}
	if isMethodFunction(fn) {
		t.onlyCalls(fn)
		c.at = token.NoPos
	}
	p.begins.Store(t.beginning(fn, source.Stack))
	c.work = &work{u: t.work.u, proc: p, f: c.f, version: t.work.version}
	if passed {
		c.work.passed = len(list)
	}
	c.work.u.Source = source
	c.scope = newScope(fn, nil, &origin{&source, t.places, t.called, t.literals})
	c.body(func() {
		c.parameters()
		c.functions().captures(list)
	})
	c.work.gave, t.givenSize = c.givenSize > t.givenSize, c.givenSize
	if why := t.p.complete(c.work); why != nil {
		panic(why)
	}
	t.left = c.left
	t.work.literals = append(append(t.work.literals, c.work.literals...), c.work)
	return p
}

// captures finds the variables of a literal in its closure.
func (t functions) captures(list []capturedVar) {
	if t.work.passed > 0 {
		for i, c := range list {
			t.values[c.v] = t.f.Blocks[0].Values[i : i+1 : i+1]
			t.addrs[c.v] = address{base: t.values[c.v][0]}
		}
		return
	}
	self := t.f.Blocks[0].Values[len(t.f.Params)-1]
	offset := int64(closureSize)
	for _, c := range list {
		align := int64(c.run.Align())
		offset = (offset + align - 1) / align * align
		at := address{base: self, offset: offset}
		offset += int64(c.run.Size())
		if c.typ == nil {
			t.values[c.v] = []*ir.Value{t.memory(ir.Load, ir.Ptr, at, 0, nil)}
			t.addrs[c.v] = address{base: t.values[c.v][0]}
			continue
		}
		if c.bound {
			t.values[c.v] = t.load(at, c.typ)
			continue
		}
		a := t.frame(sizes.Sizeof(c.typ))
		if hasPointers(c.typ) {
			a.base.Size = 1
		}
		t.addrs[c.v] = a
		t.store(a, c.typ, t.load(at, c.typ))
	}
}

// callValue translates a call of a function value.
func (t goCalls) callValue(in *ssa.Call, self *ir.Value) []*ir.Value {
	fn := in.Call.Value
	sig := fn.Type().Underlying().(*types.Signature)
	s := t.functions().signature(fn.Type())
	r := t.typeOf(fn.Type())
	if r == nil || r.Kind() != reflect.Func || t.s.Packages.CallValue == nil {
		t.no("it calls a function value")
	}
	f, offsets := t.valueCall(fn.Type(), sig, r)
	f.do = t.s.Packages.CallValue(r, offsets[:1+r.NumIn()], offsets[1+r.NumIn():])
	var args []*ir.Value
	for _, a := range in.Call.Args {
		args = append(args, t.value(a)...)
	}
	t.check(ir.NilTest, site{code: leaveNil}, self)
	code := leaveCall
	if sig == defers.Later { // the function has ended, and has deferred this call
		code, f.runs = leaveRun, true
	}
	begins := t.memory(ir.Load, ir.Uint64, address{base: self}, 0, nil)
	same := t.add(ir.Eq, ir.Bool, begins, t.f.Int(ir.Uint64, int64(s.code)))
	return t.either(same, s.resultsOf, func() []*ir.Value {
		c := self
		if s.wrapped {
			c = t.memory(ir.Load, ir.Ptr, address{base: self}, wrappedAt, nil)
		}
		v := t.add(ir.Call, ir.None, append(args[:len(args):len(args)], c)...)
		v.Proc, v.Imm, v.Site = ir.OfClosure, int64(closureEntry), t.newSite(site{code: code})
		list := resultsOf(t.f, t.b, v, s.resultsOf)
		t.add(ir.Keep, ir.None, c) // what is called may be forgotten once nothing has its closure
		return list
	}, func() []*ir.Value { return t.callForeign(f, append([]*ir.Value{self}, args...)) })
}

// valueCall lays out the memory of a call of a function value by Go code: the value, its parameters and results.
func (t goCalls) valueCall(typ types.Type, sig *types.Signature, r reflect.Type) (*foreign, []uintptr) {
	params, have := []types.Type{typ}, []reflect.Type{r}
	var results []types.Type
	if r.NumIn() != sig.Params().Len() || r.NumOut() != sig.Results().Len() {
		t.no("it calls a function value of type %s", typ)
	}
	for v := range sig.Params().Variables() {
		have = append(have, r.In(len(params)-1))
		params = append(params, v.Type())
	}
	for v := range sig.Results().Variables() {
		have = append(have, r.Out(len(results)))
		results = append(results, v.Type())
	}
	return t.newForeign(params, results, have)
}

// either does one of two things and gives the results, of the given kinds.
func (t goCalls) either(cond *ir.Value, kinds []ir.Kind, yes, no func() []*ir.Value) (list []*ir.Value) {
	from, done := t.b, t.f.NewBlock()
	done.In = t.in
	for _, k := range kinds {
		v := t.f.New(done, ir.Phi, k)
		done.Values = append(done.Values, v)
		list = append(list, v)
	}
	from.Kind, from.Control, from.Succs = ir.If, cond, nil
	for _, do := range []func() []*ir.Value{yes, no} {
		t.b = t.f.NewBlock()
		t.b.In, t.b.Preds = t.in, []*ir.Block{from}
		from.Succs = append(from.Succs, t.b)
		results := do()
		t.b.Kind, t.b.Succs = ir.Jump, []*ir.Block{done}
		done.Preds = append(done.Preds, t.b)
		for i, r := range results {
			list[i].Args = append(list[i].Args, r)
		}
	}
	t.b = done
	return list
}

// maxCaptured is how many words of a variable a closure has itself: as many as a slice is.
const maxCaptured = 3

// setOnce reports whether a variable is set once, where it comes into being, and a literal that captures it only reads
// it: then the literal has its value.
func setOnce(v *ssa.Alloc) bool {
	var set *ssa.Store
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr != v || r.Val == v || set != nil || r.Block() != v.Block() {
				return false
			}
			set = r
		case *ssa.MakeClosure:
			if !onlyRead(ahead.Captured(r, v)) {
				return false
			}
		default:
			if !isRead(r) {
				return false
			}
		}
	}
	if set == nil {
		return false
	}
	if n := len(words(set.Val.Type())); n == 0 || n > maxCaptured {
		return false
	}
	for _, in := range v.Block().Instrs { // what comes before the store
		if in == set {
			return true
		}
		if m, ok := in.(*ssa.MakeClosure); ok {
			for _, b := range m.Bindings {
				if b == v {
					return false
				}
			}
		}
	}
	return false
}

func isRead(in ssa.Instruction) bool {
	switch in.(type) {
	case *ssa.UnOp, *ssa.DebugRef:
		return true
	}
	return false
}

// onlyRead reports whether a literal reads a variable that it captures, and those in it do no more.
func onlyRead(v ssa.Value) bool {
	for _, r := range *v.Referrers() {
		if m, ok := r.(*ssa.MakeClosure); ok && onlyRead(ahead.Captured(m, v)) || isRead(r) {
			continue
		}
		return false
	}
	return true
}
