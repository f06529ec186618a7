package native

import (
	"go/token"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/amd64"
	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/layouts"
)

// Host is what running code needs of the session.
type Host struct {
	// Stopped ends the calling goroutine by a panic where it is to stop, or reports that its functions are to return at
	// once.
	Stopped func() bool
	// Stops is not 0 while any goroutine is to stop.
	Stops *atomic.Int32
	// StackLimit is how many bytes of stack a goroutine may use, and TooDeep is told of one that uses more; it reports
	// what Stopped does.
	StackLimit func() uintptr
	TooDeep    func() bool
	// CheckMake panics where a slice must not be made.
	CheckMake func(n, room, size int)
	// Func is the newest version of a function, as what compiled code calls.
	Func func(name string, t reflect.Type) reflect.Value
	// Panicking is told of the functions that a panic leaves, the innermost first. used is what Run was given.
	Panicking func(v any, frames []Frame, used uintptr)
	// Deferred makes deferred calls, the last first, that cannot recover: while a panic with the value v is on its way, or
	// when their function does not go on for another reason, where v is nil. It panics where one of them does, and with v.
	Deferred func(calls []func(int), v any)
}

// Frame is a function of generated code that a panic has left, and where it was.
type Frame struct {
	Pos  token.Pos
	Fn   string
	Ends bool // it has run what the function has deferred, and before that its body, which is told by itself
}

// gate is the code that enters and leaves generated code.
var gate struct {
	sync.Once
	enter, leave, resume, compare uintptr
	request, fewer                uintptr // see amd64.Request
	err                           error
}

func openGate() error {
	gate.Do(func() {
		code, leave, resume := amd64.Gate(enter.Locks())
		gate.enter, gate.err = enter.Map(code)
		gate.leave, gate.resume = gate.enter+uintptr(leave), gate.enter+uintptr(resume)
		for _, more := range []struct {
			at   *uintptr
			code []byte
		}{{&gate.compare, amd64.Compare()}, {&gate.request, amd64.Request(0)},
			{&gate.fewer, amd64.Request(enter.NumFloats - enter.KeptFloats)}} {
			if gate.err == nil {
				*more.at, gate.err = enter.Map(more.code)
			}
		}
	})
	return gate.err
}

// running is a call of generated code from Go code.
type running struct {
	*enter.Context
	keep     []unsafe.Pointer // what generated code holds while Go code runs unpinned
	memories [8]memory
	place    int              // where it has waited for a call of a function value, from 1 on; 0 for nowhere
	forms    []unsafe.Pointer // closures that resume, by the form of the results
	waits    atomic.Uint32    // how often it has begun to wait
}

// memory is for foreign calls of one kind.
type memory struct {
	of *foreign
	at unsafe.Pointer
}

// memory is for a foreign call, while the goroutine is pinned.
func (r *running) memory(f *foreign) unsafe.Pointer {
	m := &r.memories[f.id%uint32(len(r.memories))]
	if m.of != f {
		*m = memory{f, reflect.New(f.memory).UnsafePointer()}
	}
	return m.at
}

// idle are those of calls that have returned.
var idle = sync.Pool{New: func() any { return &running{Context: newContext()} }}

func newContext() *enter.Context {
	c := enter.NewContext(gate.compare)
	c.LeaveBy(gate.leave, gate.request, gate.fewer)
	return c
}

// end gives back what another call can use.
func (r *running) end() {
	if r.Large() {
		return
	}
	clear(r.keep[:cap(r.keep)])
	clear(r.memories[:])
	idle.Put(r)
}

// entryAddress is where the address of the newest code is.
func (p *Proc) entryAddress() uintptr { return uintptr(unsafe.Pointer(&p.entry)) }

// interpret has calls run the interpreted function.
func (p *Proc) interpret() {
	older := p.code.Swap(nil)
	p.replace(nil)
	if p.stub != 0 {
		atomic.StoreUint64(&p.entry, uint64(p.stub))
	}
	runtime.KeepAlive(older) // as long as generated code can load its address
}

// Code is the compiled function, nil where there is none.
func (p *Proc) Code() *Compiled { return p.code.Load() }

// call runs a compiled function with parameters and results in memory: one address for each.
func (p *Proc) call(c *Compiled, h *Host, used uintptr, params, results []unsafe.Pointer) {
	r := idle.Get().(*running)
	ctx := r.Context
	ctx.Reset()
	ctx.Push(c.thunk)
	enter.Pin()
	for i := range p.in {
		w := &p.in[i]
		*ctx.Word(enter.ArgsAt + 8*i) = layouts.Read(w.kind, unsafe.Add(params[w.value], w.offset))
	}
	ctx.Enter(gate.enter)
	if !r.serve(p, c.done, h, used) {
		return
	}
	for i := range p.out {
		w := &p.out[i]
		layouts.Write(w.kind, unsafe.Add(results[w.value], w.offset), unsafe.Pointer(ctx.Word(enter.ResultsAt+8*i)))
	}
	enter.Unpin()
	runtime.KeepAlive(params)
	runtime.KeepAlive(p) // and so its program
	runtime.KeepAlive(c)
	r.end()
}

// serve does what generated code leaves for until it has left for good, at the address done. It reports whether it has;
// then the goroutine is pinned, as before.
func (r *running) serve(p *Proc, done uintptr, h *Host, used uintptr) bool {
	ctx := r.Context
	for {
		at := ctx.At()
		if at == done {
			return true
		}
		if s := stopAt(at); !p.quickly(s, r) {
			ctx.Pause()
			if !p.unpinned(s, r, h, used) {
				return false
			}
		}
		ctx.Enter(gate.enter)
	}
}

// quickly does what generated code was left for while the goroutine is pinned, if it can.
func (p *Proc) quickly(s *stop, r *running) bool {
	if s.quick != nil {
		return s.quick(r.Context)
	}
	f := p.of.foreign(s)
	return f != nil && (f.quick != nil && f.quick(r.Context) ||
		f.try != nil && r.Spend(f.room) && f.attempt(r.Context, r))
}

// unpinned does what generated code was left for while other goroutines and the collector may run. It reports whether
// the code goes on.
func (p *Proc) unpinned(s *stop, r *running, h *Host, used uintptr) bool {
	ctx := r.Context
	r.keep = gather(ctx, r.keep[:0])
	if f := p.of.foreign(s); f != nil {
		m := r.memory(f)
		f.begin(ctx, m)
		enter.Unpin()
		r.leavePlace()
		contexts.openThread()
		if !p.foreign(f, m, r, h, used) {
			return false
		}
		enter.Pin()
		f.end(ctx, m)
		runtime.KeepAlive(r)
		return true
	}
	w := request{s: s, h: h, p: p.of}
	w.begin(ctx)
	enter.Unpin()
	r.leavePlace()
	finished := false
	defer func() {
		if !finished {
			r.leave(h, recover(), used)
		}
	}()
	goesOn := true
	switch s.code {
	case leavePoll:
		goesOn = poll(ctx, h)
	case leaveAsk:
		goesOn = (stackUsed() <= h.StackLimit() || !h.TooDeep()) && !h.Stopped()
	case leaveStub:
		out := w.out
		calling(r, func(unsafe.Pointer) { out.call(h) }, nil)
		goesOn = !h.stops()
	default:
		w.do(ctx)
		goesOn = !h.stops()
	}
	finished = true
	if !goesOn {
		r.leave(h, nil, used)
		return false
	}
	enter.Pin()
	w.end(ctx)
	runtime.KeepAlive(r)
	runtime.KeepAlive(&w)
	return true
}

// stops ends the calling goroutine if it is to stop, or reports that its functions are to return at once. Code that
// leaves again and again may never see what polls look at: the runtime interrupts the Go code that it leaves for.
func (h *Host) stops() bool { return h.Stops.Load() != 0 && h.Stopped() }

// foreign calls a compiled function. It reports whether the code goes on.
func (p *Proc) foreign(f *foreign, memory unsafe.Pointer, r *running, h *Host, used uintptr) bool {
	finished := false
	defer func() {
		if !finished {
			r.leave(h, recover(), used)
		}
	}()
	calling(r, f.do, memory)
	goesOn := !h.stops()
	if finished = true; !goesOn {
		r.leave(h, nil, used)
	}
	return goesOn
}

// poll gives way to other goroutines, or makes the stack larger. It reports whether the code goes on.
func poll(ctx *enter.Context, h *Host) bool {
	if !ctx.NeedsStack() {
		yield()
		return !h.Stopped()
	}
	if uintptr(ctx.Used()) > h.StackLimit()/frameRatio && h.TooDeep() {
		return false
	}
	ctx.Grow()
	return true
}

// frameRatio is how much less stack generated code may use than interpreted code, whose frames are larger than that.
const frameRatio = 4

// Interrupt has generated code look soon whether it is to stop that runs in a goroutine, whose address is given.
func Interrupt(goroutine uintptr) { enter.Poke(goroutine) }
