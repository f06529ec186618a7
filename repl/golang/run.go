package golang

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"reflect"
	"regexp"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/traefik/yaegi/interp"
)

// How long an interrupted cell may take to end before it is abandoned, and the stack that a cell may use: the
// runtime ends the process at 1 GB.
const (
	patience   = 60 * time.Millisecond
	stackLimit = 256 << 20
	stackEvery = 5 * time.Millisecond
)

var errStack = errors.New("stack overflow")

// privates are the fields of yaegi's Interpreter that interrupting needs: v0.16.1, the last release, has no other way
// to stop a cell that keeps the closures of earlier cells alive (yaegi #1686).
type privates struct {
	id   *uint64        // frames with another id stop
	done *chan struct{} // closing it ends channel operations
}

func (e *Engine) privates() privates {
	t := reflect.TypeFor[interp.Interpreter]()
	id, ok1 := t.FieldByName("id")
	done, ok2 := t.FieldByName("done")
	if !ok1 || !ok2 || id.Type.Kind() != reflect.Uint64 || done.Type != reflect.TypeFor[chan struct{}]() {
		panic("golang: this yaegi is not v0.16.1")
	}
	p := unsafe.Pointer(e.in)
	return privates{(*uint64)(unsafe.Add(p, id.Offset)), (*chan struct{})(unsafe.Add(p, done.Offset))}
}

// start makes channel operations of cells cancellable, and the flag that stops abandoned goroutines.
func (e *Engine) start() error {
	for _, code := range []string{"import " + runtimePkg + ` "gorocm/session"`, "var " + abandonedVar + " bool", "var " + cellMark + " int", "func bind" + tick + "() { " + runtimePkg + ".Bind(&" + abandonedVar + ") }", "bind" + tick + "()"} {
		if _, err := e.in.EvalWithContext(context.Background(), code); err != nil {
			return fmt.Errorf("golang: %s: %w", code, err)
		}
	}
	if e.abandonedFlag == nil {
		return errors.New("golang: yaegi did not run the start code")
	}
	e.privates()
	return nil
}

// callPlain calls a function that lowering has made and that cannot block.
func (e *Engine) callPlain(fn string) *Failure {
	if err := e.eval(fn + "()"); err != nil {
		return e.internal(err, fn)
	}
	return nil
}

// wake is closed when the running cell is interrupted.
func (e *Engine) wake() <-chan struct{} {
	e.wakeMu.Lock()
	defer e.wakeMu.Unlock()
	return e.wakeCh
}

// Interrupt stops the running cell, if one runs.
func (e *Engine) Interrupt() {
	if c := e.cancel.Load(); c != nil {
		(*c)(context.Canceled)
	}
}

// run calls the function that holds a cell's statements.
func (e *Engine) run(ctx context.Context, lw *lowered) *Failure {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	e.cancel.Store(&cancel)
	defer e.cancel.Store(nil)
	pr := e.privates()
	*pr.done = make(chan struct{})
	e.yerr.take()
	e.abandonedMu.Lock()
	if some := len(e.abandoned) > 0; *e.abandonedFlag != some {
		*e.abandonedFlag = some
	}
	e.abandonedMu.Unlock()

	var err error
	var id atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		id.Store(goroutineID())
		err = e.eval(lw.run + "()")
	}()
	stop := make(chan struct{})
	defer close(stop)
	go watchStack(stop, cancel)

	var goFailure *Failure
	select {
	case <-done:
	case <-ctx.Done():
	case <-e.goFailed:
		goFailure = e.pendingGoFailure()
		cancel(context.Canceled)
	}
	if ctx.Err() == nil {
		return e.ended(err)
	}
	ended := e.stop(pr, done, &id)
	switch {
	case goFailure != nil:
		return goFailure
	case errors.Is(context.Cause(ctx), errStack):
		f := &Failure{Name: "RuntimeError", Message: "stack overflow: the cell used more than " + strconv.Itoa(stackLimit>>20) + " MB of stack", Notes: []string{"a function that calls itself without an end?"}}
		f.Frames = e.where(lw)
		return f
	}
	f := &Failure{Name: "Interrupted", Message: "interrupted", Frames: e.where(lw)}
	if !ended {
		f.Notes = []string{"a compiled call goes on in the background; its goroutine ends when the call returns"}
	}
	return f
}

// stop ends the cell's goroutine and reports whether it did. Every other closure keeps working afterwards.
func (e *Engine) stop(pr privates, done chan struct{}, id *atomic.Int64) bool {
	select {
	case <-done:
		return true // it ended by itself just now
	default:
	}
	old := atomic.AddUint64(pr.id, 1) - 1
	close(*pr.done)
	e.wakeMu.Lock()
	close(e.wakeCh)
	e.wakeCh = make(chan struct{})
	e.wakeMu.Unlock()
	if e.opt.Interrupt != nil {
		e.opt.Interrupt()
	}
	defer func() {
		*pr.done = make(chan struct{})
		atomic.StoreUint64(pr.id, old)
	}()
	select {
	case <-done:
		return true
	case <-time.After(patience):
	}
	// It is inside a compiled call that cannot be woken. The interpreter goes on without it; lowered code ends the
	// goroutine as soon as the call returns.
	g := id.Load()
	e.abandonedMu.Lock()
	e.abandoned[g] = true
	*e.abandonedFlag = true
	e.abandonedMu.Unlock()
	go func() {
		<-done
		e.abandonedMu.Lock()
		delete(e.abandoned, g) // the next cell takes the flag back
		e.abandonedMu.Unlock()
	}()
	return false
}

// abandonedStop ends an abandoned goroutine.
type abandonedStop struct{}

func (e *Engine) stopAbandoned() {
	e.abandonedMu.Lock()
	gone := e.abandoned[goroutineID()]
	e.abandonedMu.Unlock()
	if gone {
		panic(abandonedStop{})
	}
}

// watchStack interrupts a cell whose recursion does not end, before the runtime ends the process.
func watchStack(stop chan struct{}, cancel context.CancelCauseFunc) {
	t := time.NewTicker(stackEvery)
	defer t.Stop()
	s := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(s)
	least := s[0].Value.Uint64() // an earlier cell's stack may not have been given back yet
	for {
		select {
		case <-stop:
			return
		case <-t.C:
			metrics.Read(s)
			now := s[0].Value.Uint64()
			if least = min(least, now); now-least > stackLimit {
				cancel(errStack)
				return
			}
		}
	}
}

func stack() string { return string(debug.Stack()) }

func (e *Engine) pendingGoFailure() *Failure {
	e.goMu.Lock()
	defer e.goMu.Unlock()
	select {
	case <-e.goFailed:
	default:
	}
	if len(e.goFailures) == 0 {
		return nil
	}
	f := e.goFailures[0]
	e.goFailures = nil
	return f
}

// ended makes a failure of what a cell's call returned.
func (e *Engine) ended(err error) *Failure {
	if err == nil {
		if f := e.pendingGoFailure(); f != nil {
			return f
		}
		return nil
	}
	var p interp.Panic
	if !errors.As(err, &p) {
		return e.internal(err, "")
	}
	return e.panicFailure(plain(p.Value), string(p.Stack))
}

// panicFailure makes a failure of a panic's value.
func (e *Engine) panicFailure(v any, stack string) *Failure {
	f := &Failure{Name: "Panic", Trace: stack}
	switch v := v.(type) {
	case exited:
		return &Failure{Name: "Exit", Message: strconv.Itoa(v.code)}
	case interrupted:
		f.Name, f.Message = "Interrupted", "interrupted"
	case failed:
		f.Name, f.Message = "Error", v.err.Error()
		e.describe(f, v.err)
	case error:
		f.Message = v.Error()
		if t := runtimeText(f.Message); t != f.Message || isRuntime(v) {
			f.Name, f.Message = "RuntimeError", t
		} else if !e.describe(f, v) {
			f.Message = v.Error()
		}
	case string:
		f.Message = v
		if t := runtimeText(v); t != v {
			f.Name, f.Message = "RuntimeError", t
		}
	case fmt.Stringer:
		f.Message = v.String()
	default:
		f.Message = fmt.Sprintf("%v (%T)", v, v)
	}
	f.Frames = e.frames(stack)
	if len(f.Frames) > 0 {
		e.pointAtCall(&f.Frames[0], stack)
	}
	return f
}

// describe lets the owner of the engine name an error, and reports whether it did.
func (e *Engine) describe(f *Failure, err error) bool {
	if e.opt.Describe == nil {
		return false
	}
	name, message, notes, ok := e.opt.Describe(err)
	if ok {
		f.Name, f.Message, f.Notes = name, message, notes
	}
	return ok
}

func isRuntime(err error) bool {
	r, ok := err.(interface{ RuntimeError() })
	return ok && r != nil
}

// reflectTexts are what package reflect says where compiled code would have had a runtime error.
var reflectTexts = []struct{ has, text string }{
	{"slice index out of range", "index out of range"},
	{"array index out of range", "index out of range"},
	{"string index out of range", "index out of range"},
	{"slice index out of bounds", "slice bounds out of range"},
	{"call of nil function", "invalid memory address or nil pointer dereference"},
	{"Method on nil interface value", "invalid memory address or nil pointer dereference"},
	{"negative len", "makeslice: len out of range"},
	{"negative cap", "makeslice: cap out of range"},
	{"on zero Value", "invalid memory address or nil pointer dereference"},
	{"value obtained using unexported field", "invalid use of an unexported field"},
}

func runtimeText(s string) string {
	s = strings.TrimPrefix(s, "runtime error: ")
	if m := conversionRE.FindStringSubmatch(s); m != nil {
		return m[1] // without yaegi's own position
	}
	if strings.HasPrefix(s, "reflect") {
		for _, t := range reflectTexts {
			if strings.Contains(s, t.has) {
				return t.text
			}
		}
	}
	return s
}

// markAt is where the first assignment to a mark stands in a line that yaegi was given.
type markAt struct {
	col int
	m   *mark
}

// locate notes where the functions of a chunk of lowered code begin. Every chunk has lines of its own (the numbers go on
// from chunk to chunk), because yaegi names the place of a panic by the position of the function's first statement.
func (e *Engine) locate(code string, first int, marks []*mark) {
	byName := map[string]*mark{}
	for _, m := range marks {
		byName[m.name] = m
	}
	for i, line := range strings.Split(code, "\n") {
		for _, at := range markRE.FindAllStringSubmatchIndex(line, -1) {
			name := line[at[2]:at[3]]
			if m := byName[name]; m != nil {
				e.lines[first+i] = append(e.lines[first+i], markAt{at[0] + 1, m})
				delete(byName, name)
			}
		}
	}
}

var (
	markRE  = regexp.MustCompile(`(at` + tick + `\d+) = \d`)
	panicRE = regexp.MustCompile(`^(\d+):(\d+): panic: `)
)

// find returns the function whose first statement is at a place that yaegi gave.
func (e *Engine) find(line, col int) *mark {
	var r *mark
	for _, m := range e.lines[line] {
		if m.col <= col || r == nil {
			r = m.m
		}
	}
	// The statement that forwards to newer versions stands before the first mark.
	for l := line + 1; l < line+6 && r == nil; l++ {
		for _, m := range e.lines[l] {
			r = m.m
			break
		}
	}
	return r
}

func (e *Engine) markValue(m *mark) (line, col int) {
	v, err := e.in.Eval(m.name)
	if err != nil || !v.IsValid() || !v.CanInt() {
		return 0, 0
	}
	return int(v.Int()) / markColumns, int(v.Int()) % markColumns
}

// where is the place of the last statement that the cell began.
func (e *Engine) where(lw *lowered) []Frame {
	for _, m := range lw.marks {
		if m.fn == "" {
			return []Frame{e.markFrame(m)}
		}
	}
	return nil
}

func (e *Engine) markFrame(m *mark) Frame {
	line, col := e.markValue(m)
	return e.frame(position(m.cell, line, col), m.fn)
}

// maxFrames is how many frames of a failure are told.
const maxFrames = 12

// frames tells where a panic came from: yaegi has named each function that it unwound.
func (e *Engine) frames(stack string) []Frame {
	lines := e.yerr.take()
	// A panic that was recovered earlier in the cell has left lines too: the Go stack knows how many belong to this one.
	last := stack
	if i := strings.LastIndex(stack, "\npanic("); i >= 0 {
		last = stack[i:]
	}
	depth := strings.Count(last, "/interp.runCfg(")
	if strings.Contains(stack, "frames elided") {
		depth = len(lines)
	}
	if depth < len(lines) {
		lines = lines[len(lines)-depth:]
	}
	var fs []Frame
	for _, s := range lines {
		m := panicRE.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		line, _ := strconv.Atoi(m[1])
		col, _ := strconv.Atoi(m[2])
		if mk := e.find(line, col); mk != nil {
			f := e.markFrame(mk)
			if n := len(fs); f.Line == 0 || n > 0 && fs[n-1] == f {
				continue
			}
			if fs = append(fs, f); len(fs) == maxFrames {
				break
			}
		}
	}
	return fs
}

var conversionRE = regexp.MustCompile(`^(?:\d+:\d+: )?(interface conversion: .*)$`)

var compiledRE = regexp.MustCompile(`\n(\S+)\(.*\)\n\t[^\n]*\nreflect\.Value\.call\(`)

// pointAtCall moves the caret to the compiled call that panicked: the Go stack names it, and the line of the cell has it.
func (e *Engine) pointAtCall(f *Frame, stack string) {
	if i := strings.LastIndex(stack, "\npanic("); i >= 0 {
		stack = stack[i:]
	}
	m := compiledRE.FindStringSubmatch(stack)
	if m == nil || f.Source == "" {
		return
	}
	name := m[1][strings.LastIndexByte(m[1], '.')+1:]
	if !ast.IsExported(name) {
		return
	}
	lines := e.sources[f.Cell]
	for line, from := f.Line, max(f.Column-1, 0); line <= len(lines) && line < f.Line+callLines; line, from = line+1, 0 {
		src := lines[line-1]
		if from > len(src) {
			continue
		}
		if i := strings.Index(src[from:], name+"("); i >= 0 && (from+i == 0 || !isIdentByte(src[from+i-1])) {
			f.Line, f.Column, f.Source = line, from+i+1, src
			return
		}
	}
}

// callLines is how many lines of a statement are searched for the call that failed.
const callLines = 20
