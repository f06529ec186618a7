package run

import (
	"context"
	"io"
	"log"
	"maps"
	"reflect"
	"runtime/debug"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gorocm/gorocm/internal/interrupt"
	"github.com/gorocm/gorocm/repl/golang/included"
	"github.com/gorocm/gorocm/repl/golang/included/drivers"
	"github.com/gorocm/gorocm/repl/golang/machine"
	"github.com/traefik/yaegi/interp"
	stdsyscall "github.com/traefik/yaegi/stdlib/syscall"
	"github.com/traefik/yaegi/stdlib/unrestricted"
	stdunsafe "github.com/traefik/yaegi/stdlib/unsafe"
)

// RuntimePkg is the name under which lowered code reaches the functions in this file. No package of a cell has it.
const RuntimePkg = "gorocm" + Tick

// What a cell's goroutine panics with to end itself.
type (
	interrupted struct{}            // Interrupt, in a call that can be woken
	exited      struct{ code int }  // os.Exit
	failed      struct{ err error } // an error that nobody took
)

// exports are the functions that lowered code calls.
func (rt *Runtime) exports() interp.Exports {
	r := map[string]reflect.Value{
		"Out":       reflect.ValueOf(func(v ...any) { takeOut(rt, v) }),
		"Check":     reflect.ValueOf(failOn),
		"Panic":     reflect.ValueOf(func(v any) { panic(Unwrap(v)) }),
		"Recover":   reflect.ValueOf(rt.recoverCurrent),
		"Recoverer": reflect.ValueOf(rt.recoverer),
		"Defers":    reflect.ValueOf(rt.newDefers),
		"Rune":      reflect.ValueOf(runeAt),
		"Guard":     reflect.ValueOf(rt.guarded),
		"Late":      reflect.ValueOf(lateYield),
		"MakeSlice": reflect.ValueOf(rt.Memory.makeSlice),
		"MakeLen":   reflect.ValueOf(makeLen),
		"MakeCap":   reflect.ValueOf(rt.Memory.makeCap),
		"MakeMap":   reflect.ValueOf(rt.Memory.makeMap),
		"MakeChan":  reflect.ValueOf(rt.Memory.makeChan),
		"Same":      reflect.ValueOf(func(a, b any) bool { return a == b }),
		"NoRecover": reflect.ValueOf(func() any { return nil }),
		"Hash":      reflect.ValueOf(func(v any) { _ = map[any]struct{}{v: {}} }),
		"NilMethod": reflect.ValueOf(func() { var e error; _ = e.Error() }),
		"Select":    reflect.ValueOf(rt.selects),
		"Redirect":  reflect.ValueOf(rt.redirectTo),
		"GoBegin":   reflect.ValueOf(rt.goBegin),
		"GoEnd":     reflect.ValueOf(rt.goEnd),
		"Debug":     reflect.ValueOf(rt.Debugger.Enter),
		"Min":       reflect.ValueOf(func(x, y float64) float64 { return min(x, y) }),
		"Max":       reflect.ValueOf(func(x, y float64) float64 { return max(x, y) }),
		"Print":     reflect.ValueOf(func(v ...any) { printTo(rt.output.stderr, "", "", v) }),
		"Println":   reflect.ValueOf(func(v ...any) { printTo(rt.output.stderr, " ", "\n", v) }),
		"Words":     reflect.ValueOf(printedWords),

		"FileWrite":       reflect.ValueOf(rt.output.fileWrite),
		"FileWriteString": reflect.ValueOf(rt.output.fileWriteString),
		"LoggerOutput":    reflect.ValueOf(rt.logs.loggerOutput),
		"LoggerSetOutput": reflect.ValueOf(func(l *log.Logger, w io.Writer) { l.SetOutput(rt.logs.logWriter(w)) }),
		"RecordSource":    reflect.ValueOf(rt.logs.recordSource),
		"FuncPointer":     reflect.ValueOf(rt.Traces.funcPointer),
		"FuncUnsafe":      reflect.ValueOf(rt.Traces.funcUnsafePointer),
		"LogFatal":        reflect.ValueOf(rt.logs.logFatal),
		"LogFatalf":       reflect.ValueOf(rt.logs.logFatalf),
		"LogFatalln":      reflect.ValueOf(rt.logs.logFatalln),
		"FlagParse":       reflect.ValueOf(rt.exits.flagParse),

		"CmdStart":          reflect.ValueOf(rt.commands.cmdStart),
		"CmdRun":            reflect.ValueOf(rt.commands.cmdRun),
		"CmdOutput":         reflect.ValueOf(rt.commands.cmdOutput),
		"CmdCombinedOutput": reflect.ValueOf(rt.commands.cmdCombinedOutput),
		"Release":           reflect.ValueOf(rt.commands.releaseProcess),
	}
	maps.Copy(r, rt.tests.testing())
	return interp.Exports{"gorocm/session/session": r}
}

// redirectTo has an older version of a function call a newer one.
func (rt *Runtime) redirectTo(older string, f any) {
	if fw := rt.redirects[older]; fw != nil {
		v := reflect.ValueOf(f)
		fw.to.Store(&v)
	}
}

func failOn(err error) {
	if err != nil {
		panic(failed{err})
	}
}

// Unwrap takes a value out of the reflect.Value that yaegi may have put it in.
func Unwrap(v any) any {
	if r, ok := v.(reflect.Value); ok {
		if !r.IsValid() {
			return nil
		}
		if r.CanInterface() {
			return r.Interface()
		}
	}
	switch p := v.(type) {
	case interp.Panic:
		return Unwrap(p.Value)
	}
	return v
}

// runtimeError is a runtime error as compiled code would have had it.
type runtimeError string

func (e runtimeError) Error() string {
	if strings.HasPrefix(string(e), "interface conversion: ") {
		return string(e)
	}
	return "runtime error: " + string(e)
}

// RuntimeError makes it a runtime.Error.
func (runtimeError) RuntimeError() {}

// recovered is what recover returns to a cell.
func recovered(v any) any {
	v = Unwrap(v)
	text := ""
	switch v := v.(type) {
	case *reflect.ValueError:
		if v.Method != "reflect.TypeAssert" { // which yaegi does not call: it is the cell's own mistake
			text = v.Error()
		}
	case error:
		text = v.Error()
	case string:
		text = v
	}
	if t := runtimeText(text); t != text && !strings.HasPrefix(text, "runtime error") {
		if strings.HasPrefix(t, "interface conversion: ") {
			return runtimeError(t)
		}
		return reflect.ValueOf(t).Convert(errorString).Interface()
	}
	return v
}

// errorString is the runtime's own type of its errors.
var errorString = func() (t reflect.Type) {
	defer func() { t = reflect.TypeOf(recover()) }()
	var p *int
	return reflect.TypeOf(*p)
}()

func CloneMap(m any) any {
	v := reflect.ValueOf(m)
	if !v.IsValid() || v.IsNil() {
		return m
	}
	r := reflect.MakeMapWithSize(v.Type(), v.Len())
	for k, x := range v.Seq2() {
		r.SetMapIndex(k, x)
	}
	return r.Interface()
}

// ReportPanic reports the panic of a goroutine that a cell has started: the running cell fails, and without one
// Options.GoPanic is called.
func (rt *Runtime) ReportPanic(v any) {
	g, _ := goroutine()
	f := rt.panicFailure(v, string(debug.Stack()), rt.panics.take(g, nil))
	if f.Name != "Exit" {
		f.Notes = append(f.Notes, "in a goroutine that a cell started")
	}
	if f.Name != "Exit" && rt.opt.GoPanic != nil && rt.cancel.Load() == nil {
		rt.opt.GoPanic(f)
		return
	}
	rt.goMu.Lock()
	rt.goFailures = append(rt.goFailures, f)
	rt.goMu.Unlock()
	select {
	case rt.goFailed <- struct{}{}:
	default:
	}
}

// goEnd ends a goroutine that a cell has started, which has panicked with v unless that is nil.
func (rt *Runtime) goEnd(v any) {
	if v = Unwrap(v); v != nil {
		rt.ReportPanic(v)
	}
	machine.Leave()
	rt.goroutines.Add(-1)
}

// goBegin notes a goroutine that a cell starts, before it begins.
func (rt *Runtime) goBegin() {
	machine.Enter()
	rt.goroutines.Add(1)
}

// HasGoroutines reports whether goroutines of this session run, or have run, that may do so beside its cells.
func HasGoroutines(rt *Runtime) bool { return rt.goroutines.Load() > 0 || rt.foreign.Load() }

// start starts a goroutine that reports its panic.
func start(rt *Runtime, f func()) { go entered(rt, f)() }

// entered is a function that reports its panic, for a goroutine that is started now.
func entered(rt *Runtime, f func()) func() {
	rt.goBegin()
	return func() {
		defer func() { rt.goEnd(recover()) }()
		f()
	}
}

// Starts are functions of compiled packages that start goroutines, or have a timer do so, by their full names, as
// machine code calls them: the goroutines report their panics.
func Starts(rt *Runtime) map[string]any {
	after, _ := Symbol(rt, "time", "AfterFunc").Interface().(func(time.Duration, func()) *time.Timer)
	return map[string]any{
		"context.AfterFunc": func(c context.Context, f func()) (stop func() bool) {
			return context.AfterFunc(c, rt.guarded(f))
		},
		"(*sync.WaitGroup).Go": func(g *sync.WaitGroup, f func()) { g.Go(entered(rt, f)) },
		"time.AfterFunc":       func(d time.Duration, f func()) *time.Timer { return after(d, rt.guarded(f)) },
	}
}

// guarded is a function that reports its panic, for compiled code that calls it in a goroutine of its own.
func (rt *Runtime) guarded(f func()) func() {
	if f == nil {
		return nil
	}
	return func() {
		rt.goBegin()
		defer func() { rt.goEnd(recover()) }()
		f()
	}
}

// makeSlice checks the length of a slice.
func (m *Memory) makeSlice(n, size int) int {
	if n < 0 || size > 0 && n > maxAlloc/size {
		_ = make([]struct{}, min(n, -1)) // panics
	}
	m.CheckMake(n, size)
	return n
}

// makeLen checks the length of a slice that gets a capacity too.
func makeLen(n, c int) int {
	return len(make([]struct{}, n, c))
}

func (m *Memory) makeCap(n, size int) int {
	if size > 0 && n > maxAlloc/size {
		_ = make([]struct{}, 0, min(n, -1)) // panics
	}
	m.CheckMake(n, size)
	return n
}

// makeMap checks the hint of a map, which Go ignores where it makes no sense.
func (m *Memory) makeMap(n, key, elem int) int {
	if n < 0 || n > maxAlloc/(key+elem+1) {
		return 0
	}
	m.checkAlloc(uint64(n) * uint64(key+elem+1))
	return n
}

func (m *Memory) makeChan(n, size int) int {
	if n < 0 || size > 0 && n > maxAlloc/size {
		_ = make(chan struct{}, min(n, -1)) // panics
	}
	m.checkAlloc(uint64(n) * uint64(size))
	return n
}

// runeAt is the rune of a string that begins at a byte, and where the next begins.
func runeAt(s string, at int) (r rune, next int) {
	r, n := utf8.DecodeRuneInString(s[at:])
	return r, at + n
}

// What a loop over a function is doing, as far as its body must not be called again.
const (
	LoopEnded     = 1 + iota // the body has returned false
	LoopPanics               // the body runs, or has panicked
	LoopLeft                 // the function has returned
	LoopRecovered            // the function has returned, and the body has panicked
)

// lateYield panics as a loop over a function does that goes on, or ends, where it must not.
func lateYield(state int) {
	panic(runtimeError("range function " + []string{
		LoopEnded:     "continued iteration after function for loop body returned false",
		LoopPanics:    "continued iteration after loop body panic",
		LoopLeft:      "continued iteration after whole loop exit",
		LoopRecovered: "recovered a loop body panic and did not resume panicking",
	}[state]))
}

// goroutineID is the number that the runtime prints for the calling goroutine.
func goroutineID() int64 { return interrupt.Goroutine() }

// overrides replace functions of the standard library that would end the process, block for longer than Interrupt
// waits, or must not be called twice.
func (rt *Runtime) overrides() interp.Exports {
	return interp.Exports{
		"os/os": {
			"Exit":         reflect.ValueOf(rt.exits.exit),
			"StartProcess": reflect.ValueOf(rt.commands.startProcess),
		},
		"syscall/syscall":  {"Exit": reflect.ValueOf(rt.exits.exit)},
		"flag/flag":        {"Parse": reflect.ValueOf(rt.exits.parseFlags)},
		"log/log":          rt.logs.logging(),
		"log/slog/slog":    rt.logs.structuredLogging(),
		"time/time":        {"Sleep": reflect.ValueOf(rt.sleep)},
		"database/sql/sql": {"Register": reflect.ValueOf(drivers.Register)},
	}
}

// sleep is time.Sleep that Interrupt ends.
func (rt *Runtime) sleep(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	g, _ := goroutine()
	select {
	case <-t.C:
	case <-rt.stops.waking(g):
		rt.stops.woken(g)
		panic(interrupted{})
	}
}

// UseSymbols are what yaegi knows of compiled packages.
func (rt *Runtime) UseSymbols(more map[string]map[string]reflect.Value) error {
	for _, x := range []interp.Exports{rt.output.standard(), stdsyscall.Symbols, stdunsafe.Symbols,
		unrestricted.Symbols, more, included.Symbols, rt.exports(), rt.overrides(), rt.callerInfo(),
		rt.wakers.exports(rt.opt.Signals)} {
		if err := rt.interp.Use(x); err != nil {
			return err
		}
		for k, names := range x {
			path := k[:max(strings.LastIndexByte(k, '/'), 0)]
			rt.scope.Compiled[path] = append(rt.scope.Compiled[path], names)
		}
	}
	return nil
}
