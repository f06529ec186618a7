package native

import (
	"fmt"
	"go/token"
	"go/types"
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/channels"
	"github.com/gorocm/gorocm/repl/golang/native/defers"
	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"github.com/gorocm/gorocm/repl/golang/native/layouts"
	"github.com/gorocm/gorocm/repl/golang/native/quick"
	"golang.org/x/tools/go/ssa"
)

// Packages is what generated code needs of compiled packages and of interfaces. Any of the functions may be nil.
type Packages struct {
	// Func is a function of a compiled package, or a method with its receiver as the first parameter. It is not valid
	// for one that generated code must not call.
	Func func(*types.Func) reflect.Value
	// Waiting is one of these that may wait for other goroutines, and notes that it does, at a place of a function; it is
	// not valid for any other. It may be nil.
	Waiting func(f *types.Func, at token.Pos, in string) reflect.Value
	// Defers are the functions of package defers, by their names. A *byte stands for what New makes.
	Defers func(name string) reflect.Value
	// Caller returns what calls a function whose parameters and results are in one piece of memory, at the given
	// offsets.
	Caller func(fn reflect.Value, params, results []uintptr) func(memory unsafe.Pointer)
	// CallValue is Caller for function values of a type: the value is the first parameter, and not nil.
	CallValue func(t reflect.Type, params, results []uintptr) func(memory unsafe.Pointer)
	// Instance is an instance of a generic function of a compiled package, not valid for one that generated code must
	// not call, as Func. Without type arguments it is valid where there are instances.
	Instance func(f *types.Func, args []types.Type) reflect.Value
	// Generic is the source of a generic function of the session, or of a method of a generic type.
	Generic func(*types.Func) (Source, bool)
	// Compiled is the source of a function of a compiled package that is compiled as those of the session are, since it
	// calls methods of its arguments. Traces do not show it.
	Compiled func(*types.Func) (Source, bool)
	// MayInvoke reports whether generated code may call a method of an interface.
	MayInvoke func(*types.Func) bool
	Channels  *channels.Session
	// Maps gives the operations on maps of a run-time type.
	Maps func(reflect.Type) *Maps
	// Invoker is Caller for a method of an interface, which is the first parameter and not nil.
	Invoker func(iface reflect.Type, method string, params, results []uintptr) func(memory unsafe.Pointer)
	// Method finds the method of a value whose run-time type is given, and tells whether the value is a pointer; nil is
	// for none. do is called while nothing is compiled.
	Method func(dynamic reflect.Type, name string, do func(fn *types.Func, pointer bool))
	// Box returns what makes an interface of the first type of a value of the second: it is called with the memory of
	// both. While current points to the same, all values get the same run-time type; nil is for values of other types.
	Box func(to, from types.Type) (box func(to, from unsafe.Pointer), current *unsafe.Pointer)
	// Assert returns what takes a value of the second type out of an interface of the first: it is called with the
	// memory of the value, of whether there is one, and of the interface. It panics unless commaOk is set.
	Assert func(from, to types.Type, commaOk bool) func(to, ok, from unsafe.Pointer)
}

// waiting is a function that may wait for other goroutines, not valid for any other.
func (t goCalls) waiting(f *types.Func) (v reflect.Value) {
	if t.s.Packages.Waiting == nil {
		return v
	}
	return t.s.Packages.Waiting(f, t.place(), t.name())
}

// name is what traces call the function in work.
func (t goCalls) name() string {
	if t.in != nil {
		return t.in.Name
	}
	return t.s.Stack
}

// function is a function or method of a compiled package that generated code may call.
func (p *Packages) function(f *types.Func) reflect.Value {
	if f.Pkg() == defers.Package {
		if do := quick.Deferring[f.Name()]; do != nil {
			return reflect.ValueOf(do)
		}
		return p.Defers(f.Name())
	}
	if p.Func == nil {
		return reflect.Value{}
	}
	return p.Func(f)
}

// goCalls translates what Go code does for generated code with values in memory.
type goCalls struct{ *translator }

func (t *translator) inGo() goCalls { return goCalls{t} }

// instruction translates one that Go code does.
func (t goCalls) instruction(in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.Range:
		if isString(in.X.Type()) {
			t.rangeText(in)
		} else {
			t.rangeMap(in)
		}
	case *ssa.Next:
		if in.IsString {
			t.nextText(in)
		} else {
			t.nextOfMap(in)
		}
	case *ssa.Lookup:
		t.lookup(in)
	case *ssa.MapUpdate:
		t.mapUpdate(in)
	case *ssa.MakeMap:
		t.makeMap(in)
	case *ssa.MakeInterface:
		if !onlyPanics(in) {
			t.box(in, in.X)
		}
	case *ssa.TypeAssert:
		t.assert(in)
	case *ssa.ChangeInterface:
		t.box(in, in.X)
	case *ssa.MakeChan:
		t.makeChan(in)
	case *ssa.Send:
		t.send(in)
	case *ssa.Select:
		t.selects(in)
	default:
		t.no("it has an operation that is not compiled: %s", in)
	}
}

// foreign is a call of a compiled function, or the making of an interface: of words to words, in memory that lives for
// the call.
type foreign struct {
	id      uint32
	memory  reflect.Type // of all parameters and results
	in, out []part       // the value of a part is not used
	do      func(unsafe.Pointer)
	// try does the same while the goroutine is pinned, if it can be, and quick does it without memory; nil: never.
	try   func(unsafe.Pointer) bool
	quick quick.Func
	room  int  // how many bytes try takes as a rule
	runs  bool // it runs the body of a function that defers
}

var foreigns atomic.Uint32

// newForeign lays out parameters and results. have are the run-time types of the memory, which are to be like those
// that generated code has.
func (t goCalls) newForeign(params, results []types.Type, have []reflect.Type) (*foreign, []uintptr) {
	for i, typ := range append(params[:len(params):len(params)], results...) {
		if sameLayout(typ, have[i]) != nil {
			t.no("it has a value of type %s", typ)
		}
		t.words(typ)
	}
	return memoryOf(params, results, have)
}

// memoryOf lays out values one behind the other. fields are their run-time types, in and out the types of the
// parameters and results as generated code has them; nil stands for a pointer.
func memoryOf(in, out []types.Type, fields []reflect.Type) (*foreign, []uintptr) {
	f := &foreign{id: foreigns.Add(1)}
	var list []reflect.StructField
	for i, r := range fields {
		list = append(list, reflect.StructField{Name: fmt.Sprint("X", i), Type: r})
	}
	f.memory = reflect.StructOf(list)
	reflect.PointerTo(f.memory) // so that reflect takes no lock when it looks for this type: see newCallOut
	var offsets []uintptr
	for i, typ := range append(in[:len(in):len(in)], out...) {
		offset := f.memory.Field(i).Offset
		offsets = append(offsets, offset)
		slots := []layouts.Slot{{Kind: ir.Ptr}}
		if typ != nil {
			slots = layout(typ)
		}
		for _, s := range slots {
			w := part{offset: offset + uintptr(s.At), kind: s.Kind}
			if i < len(in) {
				f.in = append(f.in, w)
			} else {
				f.out = append(f.out, w)
			}
		}
	}
	return f, offsets
}

// foreignID is the number of a foreign call in its program. What is known of places in code lives for ever, and must
// not keep a session.
type foreignID int

// addForeign numbers a foreign call of a version.
func (p *Program) addForeign(f *foreign, r *remains) foreignID {
	var id foreignID
	if last := len(p.freeForeigns) - 1; last >= 0 {
		id, p.freeForeigns = p.freeForeigns[last], p.freeForeigns[:last]
		p.foreignList[id] = f
	} else {
		id = foreignID(len(p.foreignList))
		list := append(p.foreignList, f)
		p.foreignList = list
		p.foreigns.Store(&list)
	}
	r.foreigns = append(r.foreigns, id)
	return id
}

// foreign is the foreign call that generated code was left for, nil for any other place.
func (p *Program) foreign(s *stop) *foreign {
	id, ok := s.aux.(foreignID)
	if !ok {
		return nil
	}
	return (*p.foreigns.Load())[id]
}

// callForeign has Go code do it.
func (t goCalls) callForeign(f *foreign, args []*ir.Value) []*ir.Value {
	var kinds []ir.Kind
	for _, w := range f.out {
		kinds = append(kinds, w.kind)
	}
	if len(args) > maxWords || len(kinds) > maxWords {
		t.no("it has a call with too many arguments or results")
	}
	code := leaveForeign
	if f.runs {
		code = leaveRun
	}
	return t.leave(site{code: code, aux: t.p.addForeign(f, t.work.version.remains), do: f.quick}, kinds, args...)
}

// foreignCall translates a call of a function of a compiled package.
func (t goCalls) foreignCall(in *ssa.Call, callee *ssa.Function, fn *types.Func, args []*ir.Value) {
	if t.functions().deferring(in, fn, args) {
		return
	}
	p := t.s.Packages
	var v reflect.Value
	sig := fn.Signature()
	if len(callee.TypeArgs()) > 0 {
		if sig = callee.Signature; p.Instance != nil {
			v = p.Instance(fn.Origin(), callee.TypeArgs())
		}
	} else if v = t.waiting(fn); !v.IsValid() {
		v = p.function(fn)
	}
	if fn.Pkg() == defers.Package && !in.Pos().IsValid() {
		t.at = token.NoPos // it has no place in traces
	}
	if !v.IsValid() {
		t.no("it calls %s", fn.Name())
	}
	var params, results []types.Type
	if sig.Recv() != nil {
		params = append(params, sig.Recv().Type())
	}
	for x := range sig.Params().Variables() {
		params = append(params, x.Type())
	}
	for x := range sig.Results().Variables() {
		results = append(results, x.Type())
	}
	typ := v.Type()
	if typ.NumIn() != len(params) || typ.NumOut() != len(results) {
		t.no("it calls %s", fn.Name())
	}
	var have []reflect.Type
	for i := range params {
		have = append(have, typ.In(i))
	}
	for i := range results {
		have = append(have, typ.Out(i))
	}
	f, offsets := t.newForeign(params, results, have)
	f.quick = quick.Of(fn, v.Interface())
	switch run := v.Interface().(type) {
	case func(*byte, func()): // of package defers
		f.runs = fn.Name() == "Run"
		f.do = func(m unsafe.Pointer) {
			run(*(**byte)(unsafe.Add(m, offsets[0])), *(*func())(unsafe.Add(m, offsets[1])))
		}
	case func(func()):
		f.do = func(m unsafe.Pointer) { run(*(*func())(unsafe.Add(m, offsets[0]))) }
	default:
		f.do = p.Caller(v, offsets[:len(params)], offsets[len(params):])
	}
	list, ok := t.writes(fn, f, args)
	if !ok {
		call := func() []*ir.Value { return t.callForeign(f, args) }
		if list = t.ofCharacter(fn, args, call); list == nil {
			list = t.ofBenchmark(fn, args, call)
		}
		if list == nil {
			list = call()
		}
	}
	t.values[in] = list
}

// invoke translates a call of a method of an interface.
func (t goCalls) invoke(in *ssa.Call) {
	p, fn := t.s.Packages, in.Call.Method
	iface := t.typeOf(in.Call.Value.Type())
	if p.Invoker == nil || iface == nil || iface.Kind() != reflect.Interface {
		t.no("it calls a method of an interface")
	}
	m, ok := iface.MethodByName(fn.Name())
	if !ok || !p.MayInvoke(fn) {
		t.no("it calls a method of an interface")
	}
	params, have := []types.Type{in.Call.Value.Type()}, []reflect.Type{iface}
	var results []types.Type
	for x := range fn.Signature().Params().Variables() {
		have = append(have, m.Type.In(len(params)-1))
		params = append(params, x.Type())
	}
	for x := range fn.Signature().Results().Variables() {
		have = append(have, m.Type.Out(len(results)))
		results = append(results, x.Type())
	}
	f, offsets := t.newForeign(params, results, have)
	if f.do = p.Invoker(iface, fn.Name(), offsets[:len(params)], offsets[len(params):]); f.do == nil {
		t.no("it calls a method of an interface that is not exported")
	}
	args := t.value(in.Call.Value)
	for _, a := range in.Call.Args {
		args = append(args[:len(args):len(args)], t.value(a)...)
	}
	check := func() { // a nil interface is blamed itself
		at := t.at
		t.at = t.called[at]
		t.check(ir.NilTest, site{code: leaveNil}, args[0])
		t.at = at
	}
	kinds, words := []ir.Kind{}, []ir.Kind{ir.Ptr} // the receiver
	for _, w := range f.out {
		kinds = append(kinds, w.kind)
	}
	for _, a := range args[2:] {
		words = append(words, a.Kind)
	}
	if p.Method == nil || !fits(words) || !fits(kinds) {
		check()
		t.values[in] = t.callForeign(f, args)
		return
	}
	c, program, call := t.newInterfaceCall(args[:2], args[2:], kinds), t.p, f.do
	d := c.dispatch
	f.do = func(m unsafe.Pointer) {
		call(m)
		program.remember(d, &p, iface, fn.Name(), m)
	}
	c.paste(t.pasteable(fn, in.Call.Value.Type(), words[1:], kinds))
	check()
	t.values[in] = c.remembered(func() []*ir.Value { return t.callForeign(f, args) })
}

// sameInterfaces compares interfaces.
func (t goCalls) sameInterfaces(typ types.Type, x, y []*ir.Value) *ir.Value {
	r := t.typeOf(typ)
	if r == nil {
		t.no("it compares interfaces")
	}
	f, offsets := t.newForeign([]types.Type{typ, typ}, []types.Type{types.Typ[types.Bool]},
		[]reflect.Type{r, r, reflect.TypeFor[bool]()})
	f.do = func(m unsafe.Pointer) {
		at := func(i int) any { return reflect.NewAt(r, unsafe.Add(m, offsets[i])).Elem().Interface() }
		*(*bool)(unsafe.Add(m, offsets[2])) = at(0) == at(1)
	}
	return t.callForeign(f, append(x[:2:2], y...))[0]
}

// begin takes the arguments from the context, while the goroutine is pinned.
func (f *foreign) begin(c *enter.Context, memory unsafe.Pointer) {
	for i := range f.in {
		w := &f.in[i]
		layouts.Write(w.kind, unsafe.Add(memory, w.offset), unsafe.Pointer(c.Word(enter.ArgsAt+8*i)))
	}
}

// end puts the results into the context, while the goroutine is pinned.
func (f *foreign) end(c *enter.Context, memory unsafe.Pointer) {
	for i := range f.out {
		w := &f.out[i]
		*c.Word(enter.ResultsAt + 8*i) = layouts.Read(w.kind, unsafe.Add(memory, w.offset))
	}
}
