package run

import (
	"errors"
	"fmt"
	"go/token"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/machine"
)

// This file holds what relies on yaegi's private data, whose layouts package machine declares and checks. It was
// written against v0.16.1, the last release; selfTest runs when the first engine starts and fails when a stop does not
// end what it must.
//
// yaegi runs a function by calling the exec of its first node with the call's frame, then what that returns, until it
// returns nil:
//
//	for exec := n.exec; exec != nil && f.runid() == n.interp.runid(); {
//		exec = exec(f)
//	}
//
// Its own way to stop is the run id: changing it ends every function of the interpreter, the ones of other goroutines
// among them, and leaves closures that do nothing (yaegi #1686). So the first node of every function gets an exec that
// runs the whole loop, and looks at the session's stops instead.

// GuardFunctions gives the functions of what yaegi has evaluated since the last call an exec that obeys the session's
// stops, and lets go of the trees and of the symbols that only they mention.
func (rt *Runtime) GuardFunctions() {
	roots := machine.Roots(rt.interp)
	for _, n := range *roots {
		rt.guardTree(n)
	}
	*roots = nil
	known := machine.Symbols(rt.interp)[cellPath]
	for _, n := range rt.passing {
		if rt.cellMark == nil || cellPkg+"."+n != rt.cellMark.Symbol {
			delete(known, n)
		}
	}
	rt.passing = nil
}

func (rt *Runtime) guardTree(n *machine.Node) {
	if n == nil {
		return
	}
	for _, c := range n.Child {
		rt.guardTree(c)
	}
	if !n.IsFunction() {
		return
	}
	if start := n.Child[3].Start; start.Exec != nil && !isGuard(start.Exec) && !isFramed(start.Exec) {
		name := n.Child[1].Ident
		start.Exec = rt.guard(start.Exec, n, rt.redirects[name])
		if p := rt.natives[name]; p != nil && n.IsDeclared() {
			start.Exec = rt.native(p, n, start.Exec)
			delete(rt.natives, name)
		}
		if rt.Debugger.On() {
			start.Exec = withFrames(rt, start.Exec)
		}
		shorten(start)
	}
}

// shorten lets a node's ancestors end with its parent. A panic that leaves a function makes yaegi search all that lies
// under the first node's ancestors, in vain, which takes a millisecond in a large cell.
func shorten(start *machine.Node) {
	if start.Anc == nil {
		return
	}
	parent := *start.Anc
	parent.Anc = nil
	start.Anc = &parent
}

// guard makes the exec of a function's first node. It is not inlined: see isGuard.
//
//go:noinline
func (rt *Runtime) guard(body machine.Step, fn *machine.Node, fw *Redirect) machine.Step {
	s, any := &rt.stops, &rt.stops.any
	return func(f *machine.Frame) machine.Step {
		if f.Debug != nil { // a loop that the function begins with has come back to the node
			return body(f)
		}
		if p := rt.profile.Load(); p != nil {
			defer p.enter(fn)()
		}
		machine.RestoreSigns(fn, f)
		if fw != nil {
			if to := fw.to.Load(); to != nil {
				rt.redirect(f, *to)
				return nil
			}
		}
		f.Debug = unsafe.Pointer(fn)
		g, used := goroutine()
		if used > StackLimit.Load() {
			s.overflow(g)
		}
		// The frame has it from where the function was written, which may be another goroutine.
		if to := s.channel(g); !sameCase(&f.Done, to) {
			f.Done = *to
		}
		a := activation{magic: activationMagic, fn: fn, frame: f, next: body}
		defer func() {
			if a.next == nil {
				return
			}
			if v := recover(); v != nil {
				if rt.panics.add(g, used, v, a.point()) && rt.Debugger.On() {
					panicking(rt, v)
				}
				panic(v)
			}
		}()
		for ; a.next != nil; a.next = a.next(f) {
			if any.Load() != 0 && s.stopped(g) {
				a.next = nil
				return nil
			}
		}
		if any.Load() != 0 {
			s.stopped(g)
		}
		return nil
	}
}

// sameCase compares what says which channel it is, without the cost of comparing values.
func sameCase(a, b *reflect.SelectCase) bool {
	type words = [unsafe.Sizeof(reflect.SelectCase{}) / unsafe.Sizeof(uintptr(0)) / 2]uintptr
	return *(*words)(unsafe.Pointer(a)) == *(*words)(unsafe.Pointer(b))
}

// isGuard reports whether an exec is one that guard has made: closures of one function literal share their code.
func isGuard(x machine.Step) bool { return **(**uintptr)(unsafe.Pointer(&x)) == guardCode }

var guardCode = func() uintptr {
	x := new(Runtime).guard(nil, nil, nil)
	return **(**uintptr)(unsafe.Pointer(&x))
}()

// tracePoint is where a function was when a panic left it: the function's node, the node that is to blame, which is the
// function's own where that is not known, and the exec that it ran.
type tracePoint struct {
	fn, blamed *machine.Node
	exec       unsafe.Pointer

	source token.Pos // of machine code: the place in the cell, and the function; else not valid
	name   string
	ends   bool // see native.Frame
}

// position is a place in what yaegi was given.
func (l tracePoint) position() token.Pos {
	seen := map[*machine.Node]bool{}
	var find func(n *machine.Node) *machine.Node
	find = func(n *machine.Node) *machine.Node {
		if n == nil || seen[n] {
			return nil
		}
		seen[n] = true
		if *(*unsafe.Pointer)(unsafe.Pointer(&n.Exec)) == l.exec {
			return n
		}
		for _, c := range n.Child {
			if r := find(c); r != nil {
				return r
			}
		}
		return nil
	}
	n := l.blamed
	if n == l.fn {
		n = find(l.fn)
	}
	if n == nil { // the exec of the first node, in whose place the guard is
		n = l.fn
		if len(n.Child) > 3 {
			n = n.Child[3].Start
		}
	}
	return n.Pos
}

// redirect has a call of an older version of a function, which has this frame, run f instead.
func (rt *Runtime) redirect(frame *machine.Frame, f reflect.Value) {
	t := f.Type()
	in := frame.Data[t.NumOut():][:t.NumIn()]
	var out []reflect.Value
	if t.IsVariadic() {
		out = f.CallSlice(in)
	} else {
		out = f.Call(in)
	}
	for i, v := range out {
		frame.Data[i].Set(v)
	}
}

// forget removes functions that nothing will call again, so that their code can be collected: yaegi keeps every symbol,
// and every scope that it has ever opened. Closures that they have made go on.
func (rt *Runtime) Forget(names ...string) {
	scopes := machine.Scopes(rt.interp)
	for _, s := range scopes {
		s.Child = nil
	}
	if s := scopes["main"]; s != nil {
		for _, n := range names {
			delete(s.Sym, n)
		}
	}
}

// selfTestCode has what a stop must end. stop is called by each of them.
var selfTestCode = strings.ReplaceAll(`
func self#0(stop func()) { for { stop() } }
func self#1(stop func()) { f := func(n int) { for i := n; ; i++ { stop() } }; f(0) }
func self#2(stop func()) { stop(); self#2(stop) }
func self#3(stop func()) { c := make(chan int); stop(); <-c }
func self#4(stop func()) { c := make(chan int); stop(); c <- 1 }
func self#5(stop func()) { c := make(chan int); stop(); for range c { } }
func self#6(stop func()) { c := make(chan int); stop(); select { case <-c: case c <- 1: } }
func self#7(stop func()) { c := make(chan int); stop(); v, ok := <-c; _, _ = v, ok }
func self#8() func(...int) { return func(...int) {} }
`, "#", Tick)

// Of the functions in selfTestCode, those from selfTestChannels on block.
const (
	selfTests        = 8
	selfTestChannels = 3
	selfTestSteps    = 50
	selfTestPatience = 10 * time.Second
)

// selfTested is set once a process has passed the self-test, which takes a millisecond.
var selfTested atomic.Bool

// selfTest checks that interpreted functions obey stops, in loops, calls, closures and channel operations.
func (rt *Runtime) selfTest() error {
	if selfTested.Load() {
		return nil
	}
	if _, err := rt.Declare(selfTestCode); err != nil {
		return fmt.Errorf("golang: self-test: %w", err)
	}
	rt.GuardFunctions()
	for i := range selfTests {
		name := "self" + Tick + strconv.Itoa(i)
		v, err := rt.valueOf(name)
		rt.Forget(name)
		if err != nil {
			return fmt.Errorf("golang: self-test: %w", err)
		}
		f, ok := v.Interface().(func(func()))
		if !ok {
			return fmt.Errorf("golang: self-test: %s is a %s", name, v.Type())
		}
		if err := rt.selfTestOne(f, i >= selfTestChannels); err != nil {
			return fmt.Errorf("golang: self-test of yaegi v0.16.1 failed, this program cannot interrupt cells: %s: %w",
				name, err)
		}
	}
	learnWrappers(rt, "self"+Tick+strconv.Itoa(selfTests))
	selfTested.Store(true)
	return nil
}

// learnWrappers has package machine learn from a function that returns a literal which only yaegi can make.
func learnWrappers(rt *Runtime, name string) {
	v, err := rt.valueOf(name)
	if err == nil {
		if f, ok := v.Interface().(func() func(...int)); ok {
			machine.LearnWrappers(rt.interp, name, v, reflect.ValueOf(f()))
		}
	}
	rt.Forget(name)
}

// selfTestOne runs one of the functions. A stop may make it panic, or, in a channel operation, return.
func (rt *Runtime) selfTestOne(f func(func()), channel bool) error {
	r := newRunner("self-test")
	var least, most uintptr
	calls := 0
	stop := func() {
		_, used := goroutine()
		if calls++; calls == 1 || used < least {
			least = used
		}
		most = max(most, used)
		switch {
		case channel:
			close(r.wake) // what ends the channel operation by itself
		case calls == selfTestSteps:
			rt.stops.add(r)
		}
	}
	go func() {
		defer close(r.done)
		rt.stops.begin(r)
		defer rt.stops.end(r)
		defer func() {
			switch v := recover(); Unwrap(v).(type) {
			case nil, interrupted:
			default:
				r.err = fmt.Errorf("panic: %v", v)
			}
		}()
		f(stop)
	}()
	select {
	case <-r.done:
	case <-time.After(selfTestPatience):
		return errors.New("it does not end")
	}
	switch {
	case r.err != nil:
		return r.err
	case !channel && calls != selfTestSteps:
		return fmt.Errorf("it ended after %d steps", calls)
	case KnowsStack && (least < 64 || most > 1<<20):
		return fmt.Errorf("its stack is between %d and %d bytes", least, most)
	}
	return nil
}
