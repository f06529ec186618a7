package native

import (
	"reflect"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/layouts"
)

// callOut is a call of a function of the session that is not compiled, by generated code.
type callOut struct {
	p       *Proc
	in, out []reflect.Value
}

// proc finds a function of a program by its number.
func (p *Program) proc(id int) *Proc {
	return (*p.byID.Load())[id]
}

// newCallOut takes the arguments from the saved registers, while the goroutine is pinned. Package reflect finds the
// types of pointers to them without a lock, since procOf has asked for these before.
func newCallOut(p *Proc, ctx *enter.Context) *callOut {
	c := &callOut{p: p}
	for _, t := range p.params {
		c.in = append(c.in, reflect.New(t).Elem())
	}
	c.words(ctx, p.in, func(w *part, register unsafe.Pointer) {
		layouts.Write(w.kind, unsafe.Add(c.in[w.value].Addr().UnsafePointer(), w.offset), register)
	})
	return c
}

// words calls do with each word and the register that has it.
func (c *callOut) words(ctx *enter.Context, list []part, do func(w *part, register unsafe.Pointer)) {
	ints, floats := 0, 0
	for i := range list {
		at := enter.IntsAt + 8*ints
		if list[i].kind.IsFloat() {
			at = enter.FloatsAt + 8*floats
			floats++
		} else {
			ints++
		}
		do(&list[i], unsafe.Pointer(ctx.Word(at)))
	}
}

// call calls the newest version of the function.
func (c *callOut) call(h *Host) {
	variadic := c.p.sig.Variadic()
	fn := h.Func(*c.p.name.Load(), reflect.FuncOf(c.p.params, c.p.results, variadic))
	call := fn.Call
	if variadic {
		call = fn.CallSlice
	}
	for _, v := range call(c.in) {
		r := reflect.New(v.Type()).Elem()
		r.Set(v)
		c.out = append(c.out, r)
	}
}

// finish puts the results into the saved registers, while the goroutine is pinned.
func (c *callOut) finish(ctx *enter.Context) {
	c.words(ctx, c.p.out, func(w *part, register unsafe.Pointer) {
		*(*uint64)(register) = layouts.Read(w.kind, unsafe.Add(c.out[w.value].Addr().UnsafePointer(), w.offset))
	})
}
