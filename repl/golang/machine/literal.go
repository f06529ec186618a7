package machine

import (
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/traefik/yaegi/interp"
)

// A literal is the value of a function literal: the function, and the variables around it. A declared function that is
// used as a value has nothing around it.
type literal struct {
	d     *function
	from  *Frame
	spare atomic.Pointer[frame] // of the last call, to be used again
}

// of makes what a variable of a function's type holds.
//
//go:noinline
func (l *literal) of(t reflect.Type) reflect.Value {
	if v := l.trampolineValue(t); v.IsValid() {
		return v
	}
	return reflect.MakeFunc(t, l.body())
}

// body is what runs when something calls the function that is not interpreted. It holds the literal and nothing else:
// see known.
//
//go:noinline
func (l *literal) body() func([]reflect.Value) []reflect.Value {
	return func(in []reflect.Value) []reflect.Value { return l.call(in) }
}

func (l *literal) call(in []reflect.Value) []reflect.Value {
	d := l.d.now()
	f := l.spare.Swap(nil)
	if f == nil {
		f = d.frame(l.from)
	}
	for i, v := range in {
		f.Data[d.results+i].Set(v)
	}
	var out []reflect.Value
	if d.results > 0 { // which the caller keeps
		out = make([]reflect.Value, d.results)
		for i := range out {
			out[i] = reflect.New(d.def.Types[i]).Elem()
		}
		copy(f.Data, out)
	}
	d.run(&f.Frame)
	if d.reusable {
		f.reset()
		l.spare.Store(f)
	} else {
		copy(out, f.Data)
	}
	return out
}

// Value makes a function value of a declared function, which Call calls without reflection. It is not valid when the
// function is not known.
func Value(in *interp.Interpreter, name string, t reflect.Type) reflect.Value {
	fn := Find(in, name)
	if fn == nil || !fn.d.is(t) {
		return reflect.Value{}
	}
	root := *(**Frame)(unsafe.Add(unsafe.Pointer(in), offsets.frame))
	return (&literal{d: fn.d, from: &Frame{ID: root.ID, Root: root}}).of(t)
}

// Closure is what a function value points to, nil for a method of a value that package reflect has made.
func Closure(fn reflect.Value) unsafe.Pointer {
	h := asHeader(fn)
	if h.flag&flagMethod != 0 {
		return nil
	}
	return *word(&h)
}

// FunctionOf is the node of the function that a function value calls, nil where it is not known.
func FunctionOf(fn unsafe.Pointer) *Node {
	if l := known(fn); l != nil {
		return l.d.def
	}
	if made.at == 0 || *(*uintptr)(fn) != made.stub {
		return nil
	}
	closure := *(*unsafe.Pointer)(unsafe.Add(fn, made.at))
	for _, w := range wrappers {
		if w.at > 0 && *(*uintptr)(closure) == w.code {
			return *(**Node)(unsafe.Add(closure, w.at))
		}
	}
	return nil
}

// wrappers says how the functions that yaegi has package reflect make, of declared functions and of literals, hold the
// node of the one that they call.
var wrappers [2]struct{ code, at uintptr }

// LearnWrappers finds out about wrappers from such functions: of the declared function of a name, and of the literal in
// it.
func LearnWrappers(in *interp.Interpreter, name string, declared, literal reflect.Value) {
	def := declaration(in, name)
	if def == nil || made.at == 0 {
		return
	}
	for i, fn := range []reflect.Value{declared, literal} {
		p := Closure(fn)
		if *(*uintptr)(p) != made.stub {
			continue
		}
		closure := *(*unsafe.Pointer)(unsafe.Add(p, made.at))
		want := def
		if i == 1 {
			want = firstLiteral(def)
		}
		for at := unsafe.Sizeof(p); at <= 6*unsafe.Sizeof(p) && want != nil; at += unsafe.Sizeof(p) {
			if *(**Node)(unsafe.Add(closure, at)) == want {
				wrappers[i].code, wrappers[i].at = *(*uintptr)(closure), at
				break
			}
		}
	}
}

// firstLiteral is the first function literal in a node, or nil.
func firstLiteral(n *Node) *Node {
	if n.Kind == kinds.funcLit {
		return n
	}
	for _, c := range n.Child {
		if l := firstLiteral(c); l != nil {
			return l
		}
	}
	return nil
}

// Call calls a function.
func Call(fn reflect.Value, args []reflect.Value) []reflect.Value {
	h := asHeader(fn)
	if l := known(*word(&h)); l != nil {
		return l.call(args)
	}
	if fn.Type().IsVariadic() {
		return fn.CallSlice(args)
	}
	return fn.Call(args)
}

// made says how a function that reflect has made holds the one that it calls.
var made struct {
	stub, body uintptr // the code of all that reflect makes, and of all that body does
	at         uintptr // where what it calls is; 0 when this is not known
}

// learn finds out about made.
func (l *literal) learn() {
	fn := l.body()
	v := reflect.MakeFunc(reflect.TypeFor[func()](), fn)
	h := asHeader(v)
	p := *word(&h)
	nth := func(p unsafe.Pointer, i uintptr) unsafe.Pointer {
		return *(*unsafe.Pointer)(unsafe.Add(p, i*unsafe.Sizeof(p)))
	}
	closure := *(*unsafe.Pointer)(unsafe.Pointer(&fn))
	for i := range uintptr(6) {
		if nth(p, i) == closure && nth(closure, 1) == unsafe.Pointer(l) {
			made.stub, made.body, made.at = uintptr(nth(p, 0)), uintptr(nth(closure, 0)), i*unsafe.Sizeof(p)
		}
	}
}

// known is the literal that a function is, or nil.
func known(fn unsafe.Pointer) *literal {
	if fn == nil || made.at == 0 {
		return nil
	}
	if *(*uintptr)(fn) != made.stub {
		return literalIn(fn)
	}
	closure := *(*unsafe.Pointer)(unsafe.Add(fn, made.at))
	if *(*uintptr)(closure) != made.body {
		return nil
	}
	return *(**literal)(unsafe.Add(closure, unsafe.Sizeof(closure)))
}

// is reports whether a function has a type.
func (d *function) is(t reflect.Type) bool {
	if t == nil || t.Kind() != reflect.Func || d.params != t.NumIn() || d.results != t.NumOut() ||
		len(d.def.Types) < d.params+d.results {
		return false
	}
	for i, have := range d.def.Types[:d.params+d.results] {
		if i < d.results && have != t.Out(i) || i >= d.results && have != t.In(i-d.results) {
			return false
		}
	}
	return true
}

// literal gives a function literal a closure, for yaegi writes it into its place again at every call.
func (c *code) literal(n *Node) {
	d, ok := n.meta.(*function)
	t := c.slotType(n.Level, n.Findex)
	if !ok || n.Level != 0 || !d.is(t) {
		return
	}
	i := n.Findex
	n.Gen = func(n *Node) {
		next := exec(n.Tnext)
		n.Exec = func(f *Frame) Step {
			around := &Frame{ID: f.ID, Root: f.Root, Anc: f.Anc, Data: append([]reflect.Value(nil), f.Data...),
				recovered: f.recovered, Done: f.Done}
			f.Data[i] = (&literal{d: d, from: around}).of(t)
			return next
		}
	}
}

// callLiteral calls a function value without reflection where it is a literal. What it needs has been run and is in its
// place.
func (c *code) callLiteral(n *Node) {
	t := c.typeOf(n.Child[0])
	if t == nil || t.Kind() != reflect.Func || t.IsVariadic() || t.NumIn() != len(n.Child)-1 ||
		n.Anc.Kind == kinds.deferStmt || n.Anc.Kind == kinds.goStmt {
		return
	}
	function := functionValue(n.Child[0], t)
	to, level, ok := c.resultPlaces(n, t.NumOut(), t.Out)
	if function == nil || !ok {
		return
	}
	args := c.literalArguments(n, t)
	if args == nil {
		return
	}
	pass := passing{to, frameUp(level), args}
	cell := len(c.fn.Types)
	c.fn.Types = append(c.fn.Types[:cell:cell], cellType)
	generate := n.Gen
	n.Gen = func(n *Node) {
		generate(n)
		slow, next, other := n.Exec, exec(n.Tnext), exec(n.Fnext)
		branches := n.Fnext != nil
		n.Exec = func(f *Frame) Step {
			l := known(function(f))
			if l == nil {
				return slow(f)
			}
			d := l.d.now()
			place := at[*frame](f, cell)
			p := *place
			if p != nil && p.of == d {
				*place = nil
				p.Anc = l.from
			} else {
				p = d.frame(l.from)
			}
			if !sameCase(&p.Done, &f.Done) {
				p.Done = f.Done
			}
			pass.into(f, p)
			f.Debug = unsafe.Pointer(n)
			d.run(&p.Frame)
			f.Debug = unsafe.Pointer(c.fn)
			v := branches && *at[bool](&p.Frame, 0)
			if d.reusable {
				p.reset()
				p.Anc = nil
				*place = p
			}
			if branches && !v {
				return other
			}
			return next
		}
	}
}

// literalArguments move the arguments of a call into a frame of the literal; nil where one cannot be moved without
// reflection.
func (c *code) literalArguments(n *Node, t reflect.Type) []func(from, to *Frame) {
	args := make([]func(from, to *Frame), t.NumIn())
	for i := range args {
		x := n.Child[i+1]
		switch u := c.typeOf(x); {
		case isConstant(x):
			s, ok := shapes[kindIn(t.In(i))]
			if !ok {
				return nil
			}
			args[i] = s.argument(c, x, t.NumOut()+i)
		case u == t.In(i) && u.Kind() != reflect.Func:
			read, at := valueRead(x), t.NumOut()+i
			if read == nil {
				return nil
			}
			if s, ok := shapes[kindIn(u)]; ok && x.Level == 0 && !x.Rval.IsValid() {
				from := x.Findex
				if isVariable(x) {
					from = x.Sym.Index
				}
				args[i] = s.move(from, at)
			} else {
				args[i] = func(from, to *Frame) { to.Data[at].Set(read(from)) }
			}
		}
		if args[i] == nil {
			return nil
		}
	}
	return args
}

// functionValue reads a function value, nil where it is one of yaegi's own.
func functionValue(n *Node, t reflect.Type) func(*Frame) unsafe.Pointer {
	read := valueRead(n)
	if read == nil {
		return nil
	}
	typ := asHeader(reflect.Zero(t)).typ
	return func(f *Frame) unsafe.Pointer {
		v := read(f)
		h := (*header)(unsafe.Pointer(&v))
		if h.typ != typ {
			return nil
		}
		return *word(h)
	}
}

// resultPlaces tells where in the frame the results of a call go, -1 for nowhere.
func (ps *places) resultPlaces(n *Node, results int, typ func(int) reflect.Type) (to []int, level int, ok bool) {
	level = n.Level
	if n.Anc.Kind == kinds.returnStmt {
		level = 0
	}
	to = make([]int, results)
	for i := range to {
		to[i] = n.Findex + i
		if n.Anc.Kind == kinds.assignXStmt || n.Anc.Kind == kinds.defineXStmt {
			if n.Anc.Child[i].Ident == "_" {
				to[i] = -1
				continue
			}
		}
		if ps.slotType(level, to[i]) != typ(i) {
			return nil, 0, false
		}
	}
	return to, level, true
}
