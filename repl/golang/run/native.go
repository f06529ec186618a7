package run

import (
	"go/token"
	"reflect"
	"strings"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/machine"
	"github.com/gorocm/gorocm/repl/golang/native"
)

// A function that has been compiled to machine code is called as any other: the first node of its interpreted form runs
// the code in the frame of the call. Where a newer version is not compiled, it runs what is interpreted.

// AddNative has the declared function of that name run machine code, once GuardFunctions has been called.
func (rt *Runtime) AddNative(name string, p *native.Proc) { rt.natives[name] = p }

// Symbol is what interpreted code calls by the name of a function of a compiled package, not valid for none.
func Symbol(rt *Runtime, path, name string) reflect.Value {
	return machine.Symbols(rt.interp)[path][name]
}

// WaitingMethod is machine.WaitingMethod for the session's interpreter.
func WaitingMethod(rt *Runtime, name string, at token.Pos, fn string) any {
	return machine.WaitingMethod(rt.interp, name, at, strings.TrimPrefix(fn, native.Piece))
}

// native makes the exec of the first node of a function that has machine code. guard is that of the interpreted form.
func (rt *Runtime) native(p *native.Proc, fn *machine.Node, guard machine.Step) machine.Step {
	results, params, ok := machine.Signature(fn)
	if !ok || !p.Has(results, params) {
		return guard
	}
	if p.Code() != nil && !rt.Debugger.On() {
		value, byAddress := p.Direct()
		machine.SetDirect(fn, value, byAddress)
	}
	s, h := &rt.stops, &rt.host
	n := len(results)
	return func(f *machine.Frame) machine.Step {
		c := p.Code()
		if c == nil || !c.Worth || f.Debug != nil {
			return guard(f)
		}
		if p := rt.profile.Load(); p != nil {
			defer p.enter(fn)()
			if c.Calls {
				p.holdsOthers()
			}
		}
		machine.RestoreSigns(fn, f)
		g, used := goroutine()
		if used > StackLimit.Load() {
			s.overflow(g)
		}
		if s.any.Load() != 0 && s.stopped(g) {
			return nil
		}
		var at [maxNativeValues]unsafe.Pointer
		for i, v := range f.Data[:n+len(params)] {
			if !v.CanAddr() {
				w := reflect.New(v.Type()).Elem()
				w.Set(v)
				f.Data[i], v = w, w
			}
			at[i] = v.Addr().UnsafePointer()
		}
		c.Run(h, used, at[n:n+len(params)], at[:n])
		if s.any.Load() != 0 {
			s.stopIn(fn, g, used)
		}
		return nil
	}
}

// stopIn stops the goroutine if it is to stop, after the machine code of a function has returned for that. Where it
// stops because it has used too much stack, the calls that used it have returned: the trace has the function in their
// place.
func (s *stops) stopIn(fn *machine.Node, g, used uintptr) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		if _, ok := v.(runtimeError); ok {
			s.rt.panics.add(g, used, v, tracePoint{fn: fn, blamed: fn, exec: unsafe.Pointer(fn)}) // at its beginning
		}
		panic(v)
	}()
	s.stopped(g)
}

// maxNativeValues is more than the parameters and results of a function that is compiled.
const maxNativeValues = 32

// Host is what function values of machine code need of a session.
func Host(rt *Runtime) *native.Host { return &rt.host }

// Profiling reports whether a CPU profile is being taken.
func Profiling(rt *Runtime) bool { return rt.profile.Load() != nil }

// newHost is what machine code needs of the session.
func newHost(rt *Runtime) native.Host {
	s := &rt.stops
	return native.Host{
		Stops: &s.any,
		Stopped: func() bool {
			if s.any.Load() == 0 {
				return false
			}
			g, _ := goroutine()
			return s.stopped(g)
		},
		StackLimit: StackLimit.Load,
		TooDeep: func() bool {
			g, _ := goroutine()
			s.overflow(g)
			return s.stopped(g)
		},
		CheckMake: func(n, room, size int) {
			if n != room && makeLen(n, room) < room { // which panics unless n is that
				rt.Memory.makeCap(room, size)
				return
			}
			rt.Memory.makeSlice(n, size)
		},
		Func: func(name string, t reflect.Type) reflect.Value {
			rt.scope.Mu.Lock()
			defer rt.scope.Mu.Unlock()
			return rt.FuncOf(name, t)
		},
		Deferred: func(calls []func(int), v any) { runDeferred(rt, calls, v) },
		Panicking: func(v any, frames []native.Frame, used uintptr) {
			g, _ := goroutine()
			for _, f := range frames {
				rt.panics.add(g, used, v, tracePoint{source: f.Pos, name: f.Fn, ends: f.Ends})
			}
		},
	}
}
