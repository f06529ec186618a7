package machine

import (
	"reflect"
	"sync/atomic"
	"unsafe"
	"weak"
)

// Methods are entered as function literals are: see trampoline.go. What a method table has is a closure that asks for
// the function of the method at every call, for a session may give the method another one.

// Target is the function that runs a method. The session keeps it; a method's closure, which lives for ever, does not.
type Target struct{ now atomic.Pointer[targetNow] }

type targetNow struct {
	fn reflect.Value
	l  *literal // that it is, or nil
}

// Set gives the method another function.
func (t *Target) Set(fn reflect.Value) {
	h := asHeader(fn)
	t.now.Store(&targetNow{fn, known(*word(&h))})
	release()
}

// Clear leaves the method without a function.
func (t *Target) Clear() {
	t.now.Store(nil)
	release()
}

// Func is the function, not valid for none.
func (t *Target) Func() reflect.Value {
	if n := t.now.Load(); n != nil {
		return n.fn
	}
	return reflect.Value{}
}

// method is a method of a type that the session has made.
type method struct {
	find    func() *Target                       // which has a function
	found   atomic.Pointer[weak.Pointer[Target]] // what it has found
	pointer bool                                 // its receiver is a pointer; else the table's is the address of the receiver
	in, out [maxResults]byte
	slow    unsafe.Pointer  // a closure that does the same by reflection
	entry   unsafe.Pointer  // the trampoline
	place   *unsafe.Pointer // in the table: see hold
}

// methods has the function that makes closures by the patterns of arguments, with the receiver's address, and results.
var methods = map[[2]string]func(*method) unsafe.Pointer{}

// literal is what runs the method now, nil where only package reflect can call it. What it refers to is not kept.
func (m *method) literal() *literal {
	var t *Target
	if w := m.found.Load(); w != nil {
		t = w.Value()
	}
	if t == nil {
		t = m.find()
		w := weak.Make(t)
		m.found.Store(&w)
	}
	if n := t.now.Load(); n != nil {
		return n.l
	}
	return nil
}

// Method returns a closure for a method table: of type t, whose first parameter is the address of the receiver. find
// finds the function that runs the method, with a receiver that is that pointer, or what it points to. slow does the
// same. place is where the table has the closure. The result is nil where only slow can.
func Method(t reflect.Type, pointer bool, find func() *Target, slow unsafe.Pointer,
	place *unsafe.Pointer) unsafe.Pointer {
	if !nativeWorks || t.IsVariadic() {
		return nil
	}
	var in, out []part
	for p := range t.Ins() {
		ps, ok := parts(p, 0)
		if !ok {
			return nil
		}
		in = append(in, ps...)
	}
	for p := range t.Outs() {
		ps, ok := parts(p, 0)
		if !ok {
			return nil
		}
		out = append(out, ps...)
	}
	enter := methods[[2]string{pattern(in), pattern(out)}]
	if enter == nil {
		return nil
	}
	m := &method{find: find, pointer: pointer, slow: slow, place: place}
	copy(m.in[:], pattern(in))
	copy(m.out[:], pattern(out))
	m.entry = enter(m)
	return m.entry
}

// enterMethod makes the closure.
func makeMethodTrampoline[A, R any](m *method) unsafe.Pointer {
	fn := func(a A) (r R) {
		var l *literal
		if m.pointer || *(*unsafe.Pointer)(unsafe.Pointer(&a)) != nil {
			l = m.literal()
		}
		if l != nil {
			if fast := l.d.now().directly(m.pointer); fast != nil {
				m.hold(fast)
				return (*(*func(A) R)(unsafe.Pointer(&fast)))(a)
			}
		}
		if l == nil || l.d.methodEntrance(m.pointer) == nil {
			return (*(*func(A) R)(unsafe.Pointer(&m.slow)))(a)
		}
		in := taken(unsafe.Pointer(&a), unsafe.Sizeof(a), &m.in)
		out := l.callWith(l.d.methodEntrance(m.pointer), in)
		given(unsafe.Pointer(&r), unsafe.Sizeof(r), &m.out, &out)
		return r
	}
	return *(*unsafe.Pointer)(unsafe.Pointer(&fn))
}

// SetDirect gives a declared function what compiled code calls in place of its interpreted form: a function value, and
// one of a method that takes the address of the receiver. Either may be nil.
func SetDirect(fn *Node, value, byAddress unsafe.Pointer) {
	if d, ok := fn.meta.(*function); ok {
		d.direct.Store((*byte)(value))
		d.byAddress.Store((*byte)(byAddress))
		release()
	}
}

// directly is that function value, nil for none. Whether it is a method's that takes a pointer as it is declared is
// given, or that it is no method.
func (d *function) directly(asDeclared bool) *byte {
	if asDeclared {
		return d.direct.Load()
	}
	return d.byAddress.Load()
}

// methodEntrance is how a method's table enters the function, nil where only package reflect can. Whether the receiver
// is a pointer is the same at every call.
func (d *function) methodEntrance(pointer bool) *trampoline {
	d.enteredAs.Do(func() { d.methodWay = d.newTrampoline(!pointer) })
	return d.methodWay
}

// receive puts what the first word points to in the place of the receiver.
func receive(index int, t reflect.Type) func(*Frame, resultRegisters) {
	ps, ok := parts(t, 0)
	if !ok || !indirect(t) {
		return func(f *Frame, in resultRegisters) { f.Data[index].Set(reflect.NewAt(t, in.p[0]).Elem()) }
	}
	return func(f *Frame, in resultRegisters) {
		to := headerAt(f, index).ptr
		for _, p := range ps {
			v, n := p.load(in.p[0])
			p.store(to, v, n)
		}
	}
}

// table is the memory of an itab: the first word of an interface with methods.
type table struct {
	_   [3]uintptr
	fun [1]uintptr // code
}

// iface is an interface with methods.
type iface struct {
	tab  *table
	data unsafe.Pointer
}

// dynamic compiles the finding of a method of what an interface holds: the closure, and the word that is its receiver.
func (c *code) dynamic(n, x *Node, index int) func(*Frame) (fn, receiver unsafe.Pointer) {
	var from func(*Frame) unsafe.Pointer
	if from = c.address(x); from == nil {
		if leaf[struct{}](c, x) == nil {
			return nil
		}
		i := x.Findex
		from = func(f *Frame) unsafe.Pointer { return headerAt(f, i).ptr }
	}
	return func(f *Frame) (fn, receiver unsafe.Pointer) {
		v := *(*iface)(from(f))
		if v.tab == nil {
			blame(f, n)
		}
		return unsafe.Add(unsafe.Pointer(&v.tab.fun), uintptr(index)*unsafe.Sizeof(uintptr(0))), v.data
	}
}
