package golang

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

	"github.com/traefik/yaegi/interp"
)

// This file holds everything that reaches into yaegi's private data. It was written against v0.16.1, the last release;
// selfTest runs when the first engine starts and fails when a field is missing or does not do what is told here.
//
// yaegi runs a function by calling the exec of its first node with the call's frame, then what that returns, until it
// returns nil:
//
//	for exec := n.exec; exec != nil && f.runid() == n.interp.runid(); {
//		exec = exec(f)
//	}
//
// Its own way to stop is the run id: changing it ends every function of the interpreter, the ones of other goroutines
// among them, and leaves closures that do nothing (yaegi #1686). So the first node of every function gets an exec that runs
// the whole loop, and looks at the session's stops instead.

// step is yaegi's bltn: it runs a node in a frame and returns the next one.
type step func(frame unsafe.Pointer) step

// private is where yaegi keeps what is needed.
type private struct {
	roots     uintptr // Interpreter.roots []*node: the trees of everything evaluated; only yaegi's debugger reads them
	kind      uintptr // node.kind
	child     uintptr // node.child []*node
	start     uintptr // node.start *node: the first to run
	exec      uintptr // node.exec bltn
	pos       uintptr // node.pos token.Pos
	ident     uintptr // node.ident string
	anc       uintptr // node.anc *node
	nodeType  reflect.Type
	data      uintptr // frame.data []reflect.Value: results, then parameters, then what else a function needs
	done      uintptr // frame.done reflect.SelectCase: what ends channel operations
	debug     uintptr // frame.debug: nil without yaegi's debugger; here it says that the frame's loop runs
	binPkg    uintptr // Interpreter.binPkg Exports: the symbols that Use has given it, by path
	scopes    uintptr // Interpreter.scopes map[string]*scope, by package
	sym       uintptr // scope.sym map[string]*symbol
	symType   reflect.Type
	scopeType reflect.Type
	children  uintptr // scope.child []*scope: every scope that was ever opened in it; nothing reads them

	funcDecl, funcLit uint // of node.kind
}

// privates finds the fields, or says what is not as it was.
func privates() (p private, err error) {
	t := reflect.TypeFor[interp.Interpreter]()
	field := func(t reflect.Type, name, typ string) reflect.StructField {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		f, ok := t.FieldByName(name)
		if got := fmt.Sprint(f.Type); err == nil && (!ok || got != typ) {
			err = fmt.Errorf("%s.%s is of type %s, not %s", t, name, got, typ)
		}
		return f
	}
	roots := field(t, "roots", "[]*interp.node")
	frame := field(t, "frame", "*interp.frame")
	scopes := field(t, "scopes", "map[string]*interp.scope")
	binPkg := field(t, "binPkg", "interp.Exports")
	if err != nil {
		return p, err
	}
	node := roots.Type.Elem()
	kind := field(node, "kind", "interp.nkind")
	sym := field(scopes.Type.Elem(), "sym", "map[string]*interp.symbol")
	p = private{
		roots:  roots.Offset,
		kind:   kind.Offset,
		child:  field(node, "child", "[]*interp.node").Offset,
		start:  field(node, "start", "*interp.node").Offset,
		exec:   field(node, "exec", "interp.bltn").Offset,
		pos:    field(node, "pos", "token.Pos").Offset,
		ident:  field(node, "ident", "string").Offset,
		anc:    field(node, "anc", "*interp.node").Offset,
		data:   field(frame.Type, "data", "[]reflect.Value").Offset,
		done:   field(frame.Type, "done", "reflect.SelectCase").Offset,
		debug:  field(frame.Type, "debug", "*interp.frameDebugData").Offset,
		binPkg: binPkg.Offset, scopes: scopes.Offset, scopeType: scopes.Type, sym: sym.Offset, symType: sym.Type,
		children: field(scopes.Type.Elem(), "child", "[]*interp.scope").Offset,
	}
	p.nodeType = node.Elem()
	if err != nil {
		return p, err
	}
	if kind.Type.Kind() != reflect.Uint {
		return p, fmt.Errorf("interp.nkind is of kind %s", kind.Type.Kind())
	}
	for k := range uint64(200) {
		v := reflect.New(kind.Type).Elem()
		v.SetUint(k)
		switch fmt.Sprint(v.Interface()) {
		case "funcDecl":
			p.funcDecl = uint(k)
		case "funcLit":
			p.funcLit = uint(k)
		}
	}
	if p.funcDecl == 0 || p.funcLit == 0 {
		return p, errors.New("interp.nkind has no funcDecl or no funcLit")
	}
	return p, nil
}

// instrument gives the functions of what yaegi has evaluated since the last call an exec that obeys the session's stops, and
// lets go of the trees and of the symbols that only they mention.
func (e *Engine) instrument() {
	roots := (*[]unsafe.Pointer)(unsafe.Add(unsafe.Pointer(e.in), e.private.roots))
	for _, n := range *roots {
		e.instrumentTree(n)
	}
	*roots = nil
	known := (*(*interp.Exports)(unsafe.Add(unsafe.Pointer(e.in), e.private.binPkg)))[cellPath]
	for _, n := range e.passing {
		if e.cellMark == nil || cellPkg+"."+n != e.cellMark.symbol {
			delete(known, n)
		}
	}
	e.passing = nil
}

func (e *Engine) instrumentTree(n unsafe.Pointer) {
	if n == nil {
		return
	}
	p := &e.private
	child := *(*[]unsafe.Pointer)(unsafe.Add(n, p.child))
	for _, c := range child {
		e.instrumentTree(c)
	}
	if k := *(*uint)(unsafe.Add(n, p.kind)); k != p.funcDecl && k != p.funcLit || len(child) < 4 {
		return
	}
	start := *(*unsafe.Pointer)(unsafe.Add(child[3], p.start))
	if start == nil {
		return
	}
	if exec := (*step)(unsafe.Add(start, p.exec)); *exec != nil && !isGuard(*exec) {
		*exec = e.guard(*exec, n, e.forwards[*(*string)(unsafe.Add(child[1], p.ident))])
		e.shorten(start)
	}
}

// shorten lets a node's ancestors end with its parent. A panic that leaves a function makes yaegi search all that lies under
// the first node's ancestors, in vain, which takes a millisecond in a large cell.
func (e *Engine) shorten(start unsafe.Pointer) {
	p := &e.private
	anc := (*unsafe.Pointer)(unsafe.Add(start, p.anc))
	if *anc == nil {
		return
	}
	parent := reflect.New(p.nodeType)
	parent.Elem().Set(reflect.NewAt(p.nodeType, *anc).Elem())
	*(*unsafe.Pointer)(unsafe.Add(parent.UnsafePointer(), p.anc)) = nil
	*anc = parent.UnsafePointer()
}

// guard makes the exec of a function's first node. It is not inlined: see isGuard.
//
//go:noinline
func (e *Engine) guard(body step, fn unsafe.Pointer, fw *forward) step {
	s, any, done, debug := &e.stops, &e.stops.any, e.private.done, e.private.debug
	return func(f unsafe.Pointer) step {
		running := (*unsafe.Pointer)(unsafe.Add(f, debug))
		if *running != nil { // a loop that the function begins with has come back to the node
			return body(f)
		}
		if fw != nil {
			if to := fw.to.Load(); to != nil {
				e.forward(f, *to)
				return nil
			}
		}
		*running = unsafe.Pointer(&entered)
		g, used := goroutine()
		if used > stackLimit {
			s.overflow(g)
		}
		// The frame has it from where the function was written, which may be another goroutine.
		if d, to := (*reflect.SelectCase)(unsafe.Add(f, done)), s.channel(g); !sameCase(d, to) {
			*d = *to
		}
		next := body
		defer func() {
			if next == nil {
				return
			}
			if v := recover(); v != nil {
				e.trails.leave(g, used, v, left{fn, *(*unsafe.Pointer)(unsafe.Pointer(&next))})
				panic(v)
			}
		}()
		for ; next != nil; next = next(f) {
			if any.Load() != 0 && s.stopped(g) {
				next = nil
				return nil
			}
		}
		if any.Load() != 0 {
			s.stopped(g)
		}
		return nil
	}
}

// entered is what frame.debug points to; nothing reads it.
var entered byte

// sameCase compares what says which channel it is, without the cost of comparing values.
func sameCase(a, b *reflect.SelectCase) bool {
	type words = [unsafe.Sizeof(reflect.SelectCase{}) / unsafe.Sizeof(uintptr(0)) / 2]uintptr
	return *(*words)(unsafe.Pointer(a)) == *(*words)(unsafe.Pointer(b))
}

// isGuard reports whether an exec is one that guard has made: closures of one function literal share their code.
func isGuard(x step) bool { return **(**uintptr)(unsafe.Pointer(&x)) == guardCode }

var guardCode = func() uintptr {
	x := new(Engine).guard(nil, nil, nil)
	return **(**uintptr)(unsafe.Pointer(&x))
}()

// left is where a function was when a panic left it: the function's node, and the exec that it ran.
type left struct{ fn, exec unsafe.Pointer }

// position is a place in what yaegi was given.
func (e *Engine) position(at left) token.Position {
	p := &e.private
	seen := map[unsafe.Pointer]bool{}
	var find func(n unsafe.Pointer) unsafe.Pointer
	find = func(n unsafe.Pointer) unsafe.Pointer {
		if n == nil || seen[n] {
			return nil
		}
		seen[n] = true
		if *(*unsafe.Pointer)(unsafe.Add(n, p.exec)) == at.exec {
			return n
		}
		for _, c := range *(*[]unsafe.Pointer)(unsafe.Add(n, p.child)) {
			if r := find(c); r != nil {
				return r
			}
		}
		return nil
	}
	n := find(at.fn)
	if n == nil { // the exec of the first node, in whose place the guard is
		n = at.fn
		if child := *(*[]unsafe.Pointer)(unsafe.Add(n, p.child)); len(child) > 3 {
			n = *(*unsafe.Pointer)(unsafe.Add(child[3], p.start))
		}
	}
	return e.in.FileSet().Position(*(*token.Pos)(unsafe.Add(n, p.pos)))
}

// forward has a call of an older version of a function, which has this frame, run f instead.
func (e *Engine) forward(frame unsafe.Pointer, f reflect.Value) {
	t := f.Type()
	values := *(*[]reflect.Value)(unsafe.Add(frame, e.private.data))
	in := values[t.NumOut():][:t.NumIn()]
	var out []reflect.Value
	if t.IsVariadic() {
		out = f.CallSlice(in)
	} else {
		out = f.Call(in)
	}
	for i, v := range out {
		values[i].Set(v)
	}
}

// forget removes functions that nothing will call again, so that their code can be collected: yaegi keeps every symbol, and
// every scope that it has ever opened. Closures that they have made go on.
func (e *Engine) forget(names ...string) {
	p := &e.private
	scopes := reflect.NewAt(p.scopeType, unsafe.Add(unsafe.Pointer(e.in), p.scopes)).Elem()
	for _, scope := range scopes.Seq2() {
		*(*[]unsafe.Pointer)(unsafe.Add(scope.UnsafePointer(), p.children)) = nil
	}
	scope := scopes.MapIndex(reflect.ValueOf("main"))
	if !scope.IsValid() {
		return
	}
	sym := reflect.NewAt(p.symType, unsafe.Add(scope.UnsafePointer(), p.sym)).Elem()
	for _, n := range names {
		sym.SetMapIndex(reflect.ValueOf(n), reflect.Value{})
	}
}

// evalOnce evaluates an expression whose position nothing will ask for.
func (e *Engine) evalOnce(code string) error {
	fset := e.in.FileSet()
	base := fset.Base()
	err := e.eval(code)
	if f := fset.File(token.Pos(base)); f != nil {
		fset.RemoveFile(f)
	}
	return err
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
`, "#", tick)

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
func (e *Engine) selfTest() error {
	if selfTested.Load() {
		return nil
	}
	if _, err := e.in.Eval(selfTestCode); err != nil {
		return fmt.Errorf("golang: self-test: %w", err)
	}
	e.instrument()
	for i := range selfTests {
		name := "self" + tick + strconv.Itoa(i)
		v, err := e.in.Eval(name)
		if err != nil {
			return fmt.Errorf("golang: self-test: %w", err)
		}
		f, ok := v.Interface().(func(func()))
		if !ok {
			return fmt.Errorf("golang: self-test: %s is a %s", name, v.Type())
		}
		if err := e.selfTestOne(f, i >= selfTestChannels); err != nil {
			return fmt.Errorf("golang: self-test of yaegi v0.16.1 failed, this program cannot interrupt cells: %s: %w", name, err)
		}
	}
	selfTested.Store(true)
	return nil
}

// selfTestOne runs one of the functions. A stop may make it panic, or, in a channel operation, return.
func (e *Engine) selfTestOne(f func(func()), channel bool) error {
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
			e.stops.add(r)
		}
	}
	go func() {
		defer close(r.done)
		e.stops.begin(r)
		defer e.stops.end(r)
		defer func() {
			switch v := recover(); plain(v).(type) {
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
	case knowsStack && (least < 64 || most > 1<<20):
		return fmt.Errorf("its stack is between %d and %d bytes", least, most)
	}
	return nil
}
