package rtype

import (
	"go/types"
	"reflect"
	"unsafe"
)

// callee is what a method of a type runs: the way from the receiver to the embedded field that has the method (none for
// a method of its own), and the method there. It holds Inner types throughout, so it serves every version of the type.
type callee struct {
	of     types.Type // the type in whose method set it is, without pointer
	in     reflect.Type
	m      *types.Func
	typ    reflect.Type // func type in signature form, without receiver
	path   []hop
	final  reflect.Type // Inner type of what has the method, without pointer
	byPtr  bool         // the method has a pointer receiver
	single *single      // set when the method is compiled or an interface's
}

// hop leads from a struct to one of its fields, and if that is an embedded pointer, to what it points to.
type hop struct {
	offset uintptr
	load   bool
}

// single is an interface type with one method, through which a method that is no session's is called.
type single struct {
	inter reflect.Type
	call  reflect.Type // func(receiver word, parameters...) results in Inner types
}

func (w *World) callee(of types.Type, sel *types.Selection) callee {
	m := sel.Obj().(*types.Func)
	c := callee{of: of, in: w.typ(of, inner), m: m}
	at := of
	for _, i := range sel.Index()[:len(sel.Index())-1] {
		st := at.Underlying().(*types.Struct)
		at = types.Unalias(st.Field(i).Type())
		h := hop{offset: w.standIn(st).Field(i).Offset}
		if p, ok := at.Underlying().(*types.Pointer); ok {
			h.load, at = true, types.Unalias(p.Elem())
		}
		c.path = append(c.path, h)
	}
	c.final = w.typ(at, inner)
	_, c.byPtr = types.Unalias(m.Signature().Recv().Type()).(*types.Pointer)
	if types.IsInterface(at) || w.foreign(at) {
		s := w.single(m, at)
		c.single, c.typ = &s, s.inter.Method(0).Type
	} else {
		c.typ = w.funcOf(nil, m.Signature(), signature)
	}
	return c
}

func (w *World) foreign(t types.Type) bool {
	n, ok := t.(*types.Named)
	return ok && w.compiled(n) != nil
}

// single returns the interface type for method m of at.
func (w *World) single(m *types.Func, at types.Type) single {
	if s, ok := w.singles[m]; ok {
		return s
	}
	typ := w.foreignType(m, at)
	sh := newShell(blueprint{like: reflect.TypeFor[error](), text: "interface { " + m.Name() + typ.String()[len("func"):] + " }"})
	it := (*interfaceType)(unsafe.Pointer(sh.header))
	it.pkgPath = nil
	it.methods = []imethod{{nameOffset(methodName(m, 0)), typeOffset(typ)}}
	s := single{inter: sh.typ(), call: w.funcOf(unsafePointer, m.Signature(), inner)}
	w.singles[m] = s
	return s
}

// foreignType returns the type of method m of at as the compiled type has it: it may mention types that only the compiler can
// make, such as an interface without a name.
func (w *World) foreignType(m *types.Func, at types.Type) reflect.Type {
	r := w.typ(at, inner)
	if types.IsInterface(at) {
		if rm, ok := r.MethodByName(m.Name()); ok {
			return rm.Type
		}
	} else if m.Exported() {
		if rm := reflect.Zero(reflect.PointerTo(r)).MethodByName(m.Name()); rm.IsValid() {
			return rm.Type()
		}
	}
	return w.funcOf(nil, m.Signature(), signature)
}

// function returns the type and body of the code in a method table. With word, the receiver is a pointer to a c.of,
// else a c.of.
func (w *World) function(c callee, word bool) (reflect.Type, func([]reflect.Value) []reflect.Value) {
	receiver := c.in
	if word {
		receiver = reflect.PointerTo(c.in)
	}
	return w.funcOf(receiver, c.m.Signature(), inner), func(args []reflect.Value) []reflect.Value {
		if len(c.path) == 0 && !word {
			return w.run(c, args[0], args[1:])
		}
		var p unsafe.Pointer
		if word {
			p = args[0].UnsafePointer()
			if p == nil && len(c.path) == 0 && !c.byPtr {
				nilReceiver(c)
			}
		} else {
			v := reflect.New(c.in)
			v.Elem().Set(args[0])
			p = v.UnsafePointer()
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
		if !c.byPtr {
			if p == nil {
				nilPointer()
			}
			v = v.Elem()
		}
		return w.run(c, v, args[1:])
	}
}

// run calls the method itself.
func (w *World) run(c callee, receiver reflect.Value, params []reflect.Value) []reflect.Value {
	var fn reflect.Value
	if c.single == nil {
		fn = w.cfg.Method(c.m)
	} else {
		i := reflect.New(c.single.inter)
		i.Elem().Set(receiver)
		words := (*[2]unsafe.Pointer)(i.UnsafePointer())
		if words[0] == nil {
			nilPointer()
		}
		code := &struct{ entry unsafe.Pointer }{(*itab)(words[0]).fun[0]}
		fn = reflect.NewAt(c.single.call, unsafe.Pointer(&code)).Elem()
		receiver = reflect.ValueOf(words[1])
	}
	args := append([]reflect.Value{receiver}, params...)
	if c.m.Signature().Variadic() {
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
func nilReceiver(c callee) {
	name := typeText(c.of)
	panic(runtimeError("value method " + name + "." + c.m.Name() + " called using nil *" + name[len(c.m.Pkg().Name())+1:] + " pointer"))
}

// runtimeError is a runtime.Error.
type runtimeError string

func (e runtimeError) Error() string { return string(e) }

// RuntimeError marks a runtime.Error.
func (e runtimeError) RuntimeError() {}
