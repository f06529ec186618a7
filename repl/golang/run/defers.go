package run

import (
	"reflect"
	"sync"
	"unsafe"
)

// Defers holds the deferred calls of one call of a function. yaegi keeps a function's frame locked while it runs them,
// so that a closure of the function which one of them calls would wait for ever, and it does not keep what they have
// captured apart; so lowered code uses these instead.
type Defers struct {
	rt        *Runtime
	calls     []func()
	panicking bool
	value     any
	trace     *panicTrace
	recovered *panicTrace // of the panic that the running deferred call has recovered, and its value
	taken     any
	direct    string // the function that is called as deferred, "" for any; see Direct
	isDirect  bool
	keeps     bool // no deferred call recovers
}

// DeferFunction gives the functions of package native/defers, which machine code calls.
func DeferFunction(rt *Runtime) func(name string) reflect.Value {
	of := func(d *byte) *Defers { return (*Defers)(unsafe.Pointer(d)) }
	list := map[string]reflect.Value{
		"New":     reflect.ValueOf(func() *byte { return (*byte)(unsafe.Pointer(rt.newDefers())) }),
		"Run":     reflect.ValueOf(func(d *byte, body func()) { of(d).Run(body) }),
		"Add":     reflect.ValueOf(func(d *byte, f func()) { of(d).Add(f) }),
		"Recover": reflect.ValueOf(func(d *byte) any { return of(d).Recover() }),
		"Direct":  reflect.ValueOf(func(d *byte, name string) { of(d).Direct(name) }),
		"Go":      reflect.ValueOf(func(f func()) { start(rt, f) }),
		"Nil":     reflect.ValueOf(func() { var e error; _ = e.Error() }),
	}
	return func(name string) reflect.Value { return list[name] }
}

// unwinding holds, for each goroutine, the panics whose deferred calls run: the innermost is the last.
type unwinding struct {
	mu sync.Mutex
	by map[uintptr][]*Defers
}

func (rt *Runtime) newDefers() *Defers { return &Defers{rt: rt} }

// Add defers a call.
func (d *Defers) Add(f func()) { d.calls = append(d.calls, f) }

// Run calls a function's body and then what it has deferred.
func (d *Defers) Run(body func()) {
	d.try(body)
	d.run()
	d.panicOn()
}

// panicOn lets the panic that no deferred call has recovered go on.
func (d *Defers) panicOn() {
	if d.panicking {
		g, used := goroutine()
		d.trace.used = used
		d.rt.panics.put(g, d.value, d.trace)
		panic(d.value)
	}
}

// try calls f and takes its panic, if it does. Where f ends its goroutine by runtime.Goexit, what is deferred runs now:
// nothing after the call will.
func (d *Defers) try(f func()) {
	a := activation{magic: activationMagic, defers: d}
	defer func() {
		d, r := a.defers, recover()
		switch {
		case d == nil: // f has returned
			return
		case r == nil:
			d.exit()
			return
		}
		before, value := d.trace, d.value
		d.panics(r)
		if d.keeps && before != nil && isInterrupted(value) && isInterrupted(d.value) {
			d.calls = nil // of thousands of functions: they have had their time, too
		}
		if before != nil { // a deferred call has panicked while another panic was on its way
			d.trace.points = append(d.trace.points, before.points...)
			d.trace.follows(before, earlierPanic{value, false})
		} else if d.recovered != nil {
			d.trace.follows(d.recovered, earlierPanic{d.taken, true})
		}
		if d.trace.stack == nil {
			d.trace.stack = takeGoStack()
		}
	}()
	f()
	a.defers = nil
}

func isInterrupted(v any) bool {
	_, ok := v.(interrupted)
	return ok
}

// panics notes a panic whose deferred calls are to run, and takes its trace.
func (d *Defers) panics(v any) {
	g, _ := goroutine()
	d.panicking, d.value, d.trace = true, Unwrap(v), d.rt.panics.take(g, v)
}

// runDeferred is native.Host.Deferred.
func runDeferred(rt *Runtime, calls []func(int), v any) {
	d := &Defers{rt: rt, keeps: true}
	for _, f := range calls {
		d.calls = append(d.calls, func() { f(0) })
	}
	if v != nil {
		d.panics(v)
		if d.trace.stack == nil {
			d.trace.stack = takeGoStack()
		}
	}
	d.run()
	d.panicOn()
}

// exit runs the deferred calls in a goroutine that ends. It takes the place of a panic, and a deferred call may panic
// in its turn.
func (d *Defers) exit() {
	d.panicking, d.value, d.trace = false, nil, nil
	d.run()
	d.panicOn()
}

// run runs the deferred calls, until a panic ends everything: that of the body, or of one of them.
func (d *Defers) run() {
	for len(d.calls) > 0 && !d.final() {
		f := d.calls[len(d.calls)-1]
		d.calls = d.calls[:len(d.calls)-1]
		d.isDirect, d.recovered, d.taken = false, nil, nil
		if d.panicking {
			d.tryUnwinding(f)
		} else {
			d.try(f)
		}
	}
}

// tryUnwinding calls what was deferred while a panic is on its way. It may end the goroutine by runtime.Goexit.
func (d *Defers) tryUnwinding(f func()) {
	d.rt.unwinding.push(d)
	defer d.rt.unwinding.pop()
	d.try(f)
}

// final reports whether the panic is one of the session's own that ends everything.
func (d *Defers) final() bool {
	_, exits := d.value.(exited)
	return exits && d.panicking
}

// Direct notes that the function of a name, or one that nobody knows the name of, is called now as what was deferred:
// recover in it, and in no other function, takes the panic.
func (d *Defers) Direct(name string) { d.direct, d.isDirect = name, true }

// recoverer is what recover asks in a function that begins to run: the Defers that call it directly, or one without a
// panic.
func (rt *Runtime) recoverer(name string) *Defers {
	rt.unwinding.mu.Lock()
	defer rt.unwinding.mu.Unlock()
	if len(rt.unwinding.by) > 0 {
		g, _ := goroutine()
		if ds := rt.unwinding.by[g]; len(ds) > 0 {
			if d := ds[len(ds)-1]; d.isDirect && (d.direct == name || d.direct == "") {
				d.isDirect = false
				return d
			}
		}
	}
	return &Defers{rt: rt}
}

// Recover is the built-in function recover in a function that was deferred here.
func (d *Defers) Recover() any {
	if isInterrupted(d.value) || !d.panicking || d.keeps {
		return nil
	}
	v := d.value
	d.recovered, d.taken = d.trace, v
	d.panicking, d.value, d.trace = false, nil, nil
	return recovered(v)
}

func (u *unwinding) push(d *Defers) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.by == nil {
		u.by = map[uintptr][]*Defers{}
	}
	g, _ := goroutine()
	u.by[g] = append(u.by[g], d)
}

func (u *unwinding) pop() {
	u.mu.Lock()
	defer u.mu.Unlock()
	g, _ := goroutine()
	if u.by[g] = u.by[g][:len(u.by[g])-1]; len(u.by[g]) == 0 {
		delete(u.by, g)
	}
}

// last is the innermost panic of this goroutine, nil without any.
func (u *unwinding) last() *Defers {
	u.mu.Lock()
	defer u.mu.Unlock()
	g, _ := goroutine()
	if ds := u.by[g]; len(ds) > 0 {
		return ds[len(ds)-1]
	}
	return nil
}

// recoverCurrent is recover in a function that lowering has not seen deferred.
func (rt *Runtime) recoverCurrent() any {
	if d := rt.unwinding.last(); d != nil {
		return d.Recover()
	}
	return nil
}
