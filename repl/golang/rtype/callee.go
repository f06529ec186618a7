package rtype

import (
	"fmt"
	"go/types"
	"reflect"
	"slices"
	"unsafe"
)

// callee is what a method of a type runs: the way from the receiver to the embedded field that has the method (none for
// a method of its own), and the method there. It refers to no Outer form of the type, so it serves every version.
type callee struct {
	of    types.Type // the type in whose method set it is, without pointer
	in    reflect.Type
	m     *types.Func
	typ   reflect.Type // func type without receiver, as method tables give it
	runs  reflect.Type // the same in the types that the method itself takes
	path  []hop
	final reflect.Type // Inner type of what has the method, without pointer
	byPtr bool         // the method has a pointer receiver
	// for a method that is compiled or an interface's: an interface type that has it, to call it through
	inter reflect.Type
	index int // where inter has it
}

// hop leads from a struct to one of its fields, and if that is an embedded pointer, to what it points to.
type hop struct {
	offset uintptr
	load   bool
}

func (w *World) callee(of types.Type, sel *types.Selection) callee {
	m := sel.Obj().(*types.Func)
	c := callee{of: of, in: w.typ(of, inner)}
	at := of
	for _, i := range sel.Index()[:len(sel.Index())-1] {
		st := at.Underlying().(*types.Struct)
		field := types.Unalias(st.Field(i).Type())
		h := hop{offset: w.standIn(st).Field(i).Offset}
		if p, ok := field.Underlying().(*types.Pointer); ok {
			h.load, field = true, types.Unalias(p.Elem())
		}
		c.path = append(c.path, h)
		if at = w.canonical(field); at != field {
			if same, _, _ := types.LookupFieldOrMethod(at, true, m.Pkg(), m.Name()); same != nil {
				m, _ = same.(*types.Func)
			}
		}
	}
	c.m, c.final = m, w.typ(at, inner)
	_, c.byPtr = types.Unalias(m.Signature().Recv().Type()).(*types.Pointer)
	switch {
	case types.IsInterface(at):
		c.inter = c.final
		c.index, c.typ = w.interfaceMethod(at, m, c.final)
		c.runs = c.typ
	case w.foreign(at):
		c.typ = w.foreignType(m, c.final)
		c.runs = c.typ
		c.inter = w.single(m, c.typ)
	default:
		c.typ = w.funcOf(m.Signature(), signature)
		c.runs = w.funcOf(m.Signature(), inner)
	}
	return c
}

// interfaceMethod returns where the run-time type r of interface t has a method, and the method's type. An interface
// that is being built has a method that mentions a struct in which the interface is embedded: so what r has is not
// asked.
func (w *World) interfaceMethod(t types.Type, m *types.Func, r reflect.Type) (index int, typ reflect.Type) {
	if w.foreign(t) {
		rm, _ := r.MethodByName(m.Name())
		return rm.Index, rm.Type
	}
	methods := orderedMethods(t.Underlying().(*types.Interface))
	return slices.IndexFunc(methods, func(o *types.Func) bool { return o.Id() == m.Id() }),
		w.funcOf(m.Signature(), signature)
}

// foreign reports whether t is a defined type that is compiled.
func (w *World) foreign(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && w.compiled(n) != nil
}

// callable reports whether method m can be in a table. Of a compiled type's methods that are not exported only those
// are that mark it for an interface of its package (func (*Ident) exprNode()): what others take and return may be out
// of reach.
func (w *World) callable(m *types.Func) bool {
	sig := m.Signature()
	recv := types.Unalias(sig.Recv().Type())
	if p, ok := recv.(*types.Pointer); ok {
		recv = p.Elem()
	}
	mark := sig.Params().Len() == 0 && sig.Results().Len() == 0
	return m.Name() != "_" && (m.Exported() || mark || types.IsInterface(recv) || !w.foreign(recv))
}

// foreignType returns the type of method m of r as the compiled type has it: it may mention types that only the
// compiler can make, such as an interface without a name.
func (w *World) foreignType(m *types.Func, r reflect.Type) reflect.Type {
	if m.Exported() {
		if rm := reflect.Zero(reflect.PointerTo(r)).MethodByName(m.Name()); rm.IsValid() {
			return rm.Type()
		}
	}
	return w.funcOf(m.Signature(), signature)
}

// single returns an interface type that has method m alone, of the given type.
func (w *World) single(m *types.Func, typ reflect.Type) reflect.Type {
	if r, ok := w.singles[m]; ok {
		return r
	}
	s := newShell(blueprint{like: reflect.TypeFor[error](),
		text: "interface { " + m.Name() + typ.String()[len("func"):] + " }"})
	it := (*interfaceType)(unsafe.Pointer(s.header))
	it.pkgPath = nil
	it.methods = []imethod{{nameOffset(methodName(m, 0)), typeOffset(typ)}}
	w.singles[m] = s.typ()
	return s.typ()
}

// withReceiver returns func type t with one more parameter at the front. It knows those for the address of a receiver.
func (w *World) withReceiver(receiver, t reflect.Type) reflect.Type {
	if receiver == unsafePointer {
		if f, ok := w.methods[t]; ok {
			return f
		}
		f := withReceiver(receiver, t)
		w.methods[t] = f
		return f
	}
	return withReceiver(receiver, t)
}

func withReceiver(receiver, t reflect.Type) reflect.Type {
	return reflect.FuncOf(append([]reflect.Type{receiver}, slices.Collect(t.Ins())...), slices.Collect(t.Outs()),
		t.IsVariadic())
}

// function returns the type and body of the code in a method table. With word, the receiver is a pointer to a c.of,
// else a c.of.
func (w *World) function(c callee, word bool) (reflect.Type, func([]reflect.Value) []reflect.Value) {
	receiver := c.in
	if word {
		receiver = unsafePointer // of any type, so that methods have few types
	}
	var pass reflect.Type
	if c.inter != nil {
		pass = w.withReceiver(unsafePointer, c.runs)
	}
	return w.withReceiver(receiver, c.runs), func(args []reflect.Value) []reflect.Value {
		if word {
			args[0] = c.receiver(args[0].UnsafePointer())
		} else if len(c.path) > 0 {
			v := reflect.New(c.in)
			v.Elem().Set(args[0])
			args[0] = c.receiver(v.UnsafePointer())
		}
		if pass != nil {
			return c.pass(pass, args)
		}
		return w.session(c, args)
	}
}

// receiver returns the receiver of the method itself, given the address of a c.of.
func (c callee) receiver(p unsafe.Pointer) reflect.Value {
	if p == nil && len(c.path) == 0 && !c.byPtr {
		c.nilReceiver()
	}
	for _, h := range c.path {
		if p == nil {
			nilPointer()
		}
		if p = unsafe.Add(p, h.offset); h.load {
			p = *(*unsafe.Pointer)(p)
		}
	}
	v := reflect.NewAt(c.final, p)
	if c.byPtr {
		return v
	}
	if p == nil {
		nilPointer()
	}
	return v.Elem()
}

// session calls a method of the session.
func (w *World) session(c callee, args []reflect.Value) []reflect.Value {
	fn := w.cfg.Method(c.m)
	if !fn.IsValid() {
		panic(fmt.Sprintf("method %s.%s has no body", typeText(c.of), c.m.Name()))
	}
	return w.cfg.Call(fn, args)
}

// pass calls a compiled method, or what an embedded interface holds, by a function of type t on the receiver word.
func (c callee) pass(t reflect.Type, args []reflect.Value) []reflect.Value {
	if args[0].Type() != c.inter {
		i := reflect.New(c.inter).Elem()
		i.Set(args[0])
		args[0] = i
	}
	words := (*[2]unsafe.Pointer)(args[0].Addr().UnsafePointer())
	if words[0] == nil {
		nilPointer()
	}
	table := unsafe.Slice(&(*itab)(words[0]).fun[0], c.index+1)
	code := &struct{ entry unsafe.Pointer }{table[c.index]}
	args[0] = reflect.ValueOf(words[1])
	return call(reflect.NewAt(t, unsafe.Pointer(&code)).Elem(), args)
}

func call(fn reflect.Value, args []reflect.Value) []reflect.Value {
	if fn.Type().IsVariadic() {
		return fn.CallSlice(args)
	}
	return fn.Call(args)
}

// nilPointer panics as the use of a nil pointer does.
func nilPointer() {
	var p *byte
	*p = 0
}

// nilReceiver panics as the compiler's code does when a method that wants a value is called through a nil pointer.
func (c callee) nilReceiver() {
	t := c.of.(*types.Named)
	name := t.Obj().Name()
	if t.TypeArgs().Len() > 0 {
		name += "[...]"
	}
	panic(runtimeError(fmt.Sprintf("value method %s.%s.%s called using nil *%[2]s pointer", t.Obj().Pkg().Path(), name,
		c.m.Name())))
}

// runtimeError is a runtime.Error.
type runtimeError string

func (e runtimeError) Error() string { return string(e) }

// RuntimeError marks a runtime.Error.
func (e runtimeError) RuntimeError() {}
