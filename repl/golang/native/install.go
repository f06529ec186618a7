package native

import (
	"go/types"
	"runtime"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/amd64"
	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"github.com/gorocm/gorocm/repl/golang/native/regalloc"
)

// install makes machine code of functions, and has calls run it.
func (p *Program) install(list []*work) error {
	b := &blob{p: p}
	for _, w := range list {
		b.add(w)
	}
	if len(b.bytes) == 0 {
		return nil
	}
	if err := openGate(); err != nil {
		return err
	}
	base, err := enter.Map(b.bytes)
	if err != nil {
		return err
	}
	b.install(base)
	return nil
}

// blob is code on its way into memory.
type blob struct {
	p           *Program
	bytes       []byte
	done, forms []placed // functions, and what byAddress makes
	stubs       []stubbed
}

// placed is a function at an offset.
type placed struct {
	w    *work
	code *amd64.Code
	at   int
}

type stubbed struct {
	w        *work
	proc     *Proc
	at, stop int
}

// put adds code and returns where it is.
func (b *blob) put(code []byte) int {
	for len(b.bytes)%16 != 0 {
		b.bytes = append(b.bytes, 0xCC)
	}
	at := len(b.bytes)
	b.bytes = append(b.bytes, code...)
	return at
}

// add makes the code of a function, with those compiled with it, and the stub that stands for it where it is
// interpreted.
func (b *blob) add(w *work) {
	if w.literal != nil {
		for _, x := range w.literals {
			if w.why == nil {
				b.done = append(b.done, placed{x, x.code, b.put(x.code.Bytes)})
			}
		}
		return
	}
	if w.proc != nil && w.proc.stub == 0 && !w.u.Once {
		code, stop := amd64.Stub()
		b.stubs = append(b.stubs, stubbed{w, w.proc, b.put(code), stop})
	}
	if w.why != nil {
		return
	}
	family := append([]*work{w}, w.literals...)
	for _, x := range family {
		if x.code, w.why = b.p.emit(x); w.why != nil {
			return
		}
	}
	for _, x := range family {
		b.done = append(b.done, placed{x, x.code, b.put(x.code.Bytes)})
	}
	if form := b.p.byAddress(w); form != nil {
		b.forms = append(b.forms, placed{form, form.code, b.put(form.code.Bytes)})
	}
}

// install has calls run the code, which is at base.
func (b *blob) install(base uintptr) {
	at := map[uintptr]*stop{}
	for _, s := range b.stubs {
		at[base+uintptr(s.at+s.stop)] = &stop{code: leaveStub, aux: s.proc.id}
	}
	for _, d := range slices.Concat(b.done, b.forms) {
		noteStops(at, base+uintptr(d.at), d.w, d.code)
	}
	addStops(at) // before anything runs the code
	b.share(base)
	for _, s := range b.stubs {
		s.proc.stub = base + uintptr(s.at)
		atomic.StoreUint64(&s.proc.entry, uint64(s.proc.stub))
	}
	for _, d := range b.done {
		at := base + uintptr(d.at)
		proc, c := d.w.proc, &Compiled{version: d.w.version, thunk: at + uintptr(d.code.Thunk),
			done: at + uintptr(d.code.Done), Bytes: len(d.code.Bytes),
			Worth: b.p.always || d.w.values || isWorth(d.w.f), Calls: callsOthers(d.w.f, d.w.proc.id)}
		c.Run = func(h *Host, used uintptr, params, results []unsafe.Pointer) {
			proc.call(c, h, used, params, results)
		}
		older := proc.code.Swap(c)
		proc.replace(d.w.body)
		atomic.StoreUint64(&proc.entry, uint64(at)+uint64(d.code.Entry))
		runtime.KeepAlive(older) // as long as generated code can load its address
	}
	for _, d := range b.forms {
		atomic.StoreUint64(&d.w.proc.byAddress, uint64(base)+uint64(d.at)+uint64(d.code.Entry))
	}
}

// share notes whose code the memory at base has.
func (b *blob) share(base uintptr) {
	if len(b.stubs)+len(b.forms) > 0 {
		return
	}
	c := &piece{at: base, size: len(b.bytes)}
	for _, d := range b.done {
		if r := d.w.version.remains; r.code == nil {
			r.code = c
			c.users++
		}
	}
}

// byAddress makes the code of a method that takes its receiver by its address, nil where there is none to make.
func (p *Program) byAddress(w *work) *work {
	recv := w.u.Called.Signature().Recv()
	if recv == nil || w.proc.byAddress != 0 || len(w.u.Args) > 0 {
		return nil
	}
	if _, isPointer := types.Unalias(recv.Type()).(*types.Pointer); isPointer {
		return nil
	}
	form := &work{proc: w.proc, f: addressForm(w, recv.Type())}
	form.u.Syntax, form.u.Stack = w.u.Syntax, w.u.Stack
	if w.body != nil {
		w.proc.keep = append(w.proc.keep, w.body.older)
	}
	if !fits(form.f.Params) {
		return nil
	}
	form.f.Order()
	if finish(form.f) != "" {
		return nil
	}
	code, why := p.emit(form)
	if why != nil {
		return nil
	}
	form.code = code
	return form
}

// fewValues is how many operations are not worth entering machine code for.
const fewValues = 40

// isWorth reports whether a function loops, calls another one or is long.
func isWorth(f *ir.Func) bool {
	n := 0
	for _, b := range f.Blocks {
		n += len(b.Values)
		for _, v := range b.Values {
			if v.Op == ir.Poll {
				return true
			}
		}
	}
	return n > fewValues
}

// callsOthers reports whether a function calls functions of cells but itself.
func callsOthers(f *ir.Func, own int) bool {
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == ir.Call && v.Proc != own {
				return true
			}
		}
	}
	return false
}

// emit makes instructions of a function.
func (p *Program) emit(w *work) (code *amd64.Code, why *Reason) {
	defer func() {
		if r := recover(); r != nil {
			why = refuse(w.u.Syntax.Pos(), "the compiler failed: %v", r)
		}
	}()
	r := regalloc.Allocate(w.f, amd64.Machine)
	if 8*r.Slots+w.f.Memory > amd64.MaxFrame {
		return nil, refuse(w.u.Syntax.Pos(), "it has too many variables")
	}
	return amd64.Emit(w.f, r, func(id int) uintptr { return p.procs[id].entryAddress() }), nil
}
