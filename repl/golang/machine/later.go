package machine

import (
	"fmt"
	"reflect"
	"sync/atomic"

	"github.com/traefik/yaegi/interp"
)

// A function may be declared before it is compiled: with its parameters and results, and an empty body. What calls it
// is compiled against that declaration, and runs the function that takes its place, which is compiled at the first
// call.

// later is how a function is found that has been declared only. Nothing but found changes once anything can call it.
type later struct {
	compile func() *Function
	found   atomic.Pointer[function]
}

// Function is a function that has been compiled.
type Function struct{ d *function }

// Find returns a declared function, nil for a name without one.
func Find(in *interp.Interpreter, name string) *Function {
	if n := declaration(in, name); n != nil {
		if d, ok := n.meta.(*function); ok {
			return &Function{d}
		}
	}
	return nil
}

// declaration is the node of a declared function, nil for a name without one.
func declaration(in *interp.Interpreter, name string) *Node {
	s := Scopes(in)["main"]
	if s == nil || s.Sym[name] == nil {
		return nil
	}
	return s.Sym[name].Node
}

// Later has calls of the declared function of that name run what compile returns, which is called at the first of them,
// by several goroutines perhaps, and may panic. Both functions have the same parameters and results. Nothing has called
// the function yet.
func Later(in *interp.Interpreter, name string, compile func() *Function) error {
	fn := Find(in, name)
	if fn == nil || fn.d.def.Child[3].Start == nil {
		return fmt.Errorf("no function %s has been declared", name)
	}
	d := fn.d
	d.later = &later{compile: compile}
	d.def.Child[3].Start.Exec = func(f *Frame) Step { // in a frame that yaegi has made for the declaration
		r := d.now()
		RestoreSigns(d.def, f)
		for _, t := range r.def.Types[min(len(f.Data), len(r.def.Types)):] {
			f.Data = append(f.Data, reflect.New(t).Elem())
		}
		if body := r.def.Child[3].Start.Exec; body != nil {
			return body(f)
		}
		return nil
	}
	return nil
}

// Anew has the declared function of that name, of which Later has been called, be compiled again at its next call.
func Anew(in *interp.Interpreter, name string) {
	if fn := Find(in, name); fn != nil && fn.d.later != nil {
		fn.d.later.found.Store(nil)
	}
}

// now is the function that a call of d runs.
func (d *function) now() *function {
	l := d.later
	if l == nil {
		return d
	}
	if r := l.found.Load(); r != nil {
		return r
	}
	r := l.compile().d
	l.found.Store(r)
	return r
}
