package run

import (
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/repl/golang/machine"
)

// Package testing writes the line of its caller before a message, which it takes from the stack of compiled code. So
// the methods of tests that write messages are the session's own where cells call them. Where a package calls them
// through an interface of its own, the line stays that of the interpreter.

// TestingStandIns are the stand-ins of those methods; see StandIns.
var TestingStandIns = func() map[string]string {
	r := map[string]string{}
	for _, m := range []string{"Log", "Logf", "Error", "Errorf", "Fatal", "Fatalf", "Skip", "Skipf", "Helper"} {
		r["(*testing.common)."+m] = "Test" + m
		r["(testing.TB)."+m] = "Test" + m
	}
	r["(*testing.T).Run"], r["(*testing.B).Run"] = "TestRun", "BenchmarkRun"
	r["(*testing.common).Cleanup"], r["(testing.TB).Cleanup"] = "TestCleanup", "TestCleanup"
	r["(*testing.F).Fuzz"] = "TestFuzz"
	return r
}()

// TestingTypes embed the type that has the methods.
var TestingTypes = map[string]bool{"*testing.T": true, "*testing.B": true, "*testing.F": true}

// testing are the functions that stand for them.
func (ts *tests) testing() map[string]reflect.Value {
	message := func(then func(testing.TB)) (print, format reflect.Value) {
		return reflect.ValueOf(func(t testing.TB, v ...any) {
				ts.testMessage(t, fmt.Sprintln(v...))
				then(t)
			}), reflect.ValueOf(func(t testing.TB, f string, v ...any) {
				ts.testMessage(t, fmt.Sprintf(f, v...))
				then(t)
			})
	}
	r := map[string]reflect.Value{
		"TestRun": reflect.ValueOf(func(t *testing.T, name string, f func(*testing.T)) bool {
			return t.Run(name, ts.guardTest(f))
		}),
		"BenchmarkRun": reflect.ValueOf(func(b *testing.B, name string, f func(*testing.B)) bool {
			return b.Run(name, ts.guardBenchmark(f))
		}),
		"TestCleanup": reflect.ValueOf(func(t testing.TB, f func()) { t.Cleanup(func() { ts.guard(t, f) }) }),
		"TestFuzz":    reflect.ValueOf(func(f *testing.F, target any) { f.Fuzz(ts.guardTarget(target)) }),
		"TestHelper": reflect.ValueOf(func(t testing.TB) {
			if s := ts.callStack(); len(s) > 0 {
				ts.helpers.Store(s[0].site.fn, true)
			}
		})}
	for name, then := range map[string]func(testing.TB){"Log": func(testing.TB) {}, "Error": testing.TB.Fail,
		"Fatal": testing.TB.FailNow, "Skip": testing.TB.SkipNow} {
		r["Test"+name], r["Test"+name+"f"] = message(then)
	}
	return r
}

// testMessage writes what a test says, with the line that says it: the caller's of a function that is marked as a
// helper.
func (ts *tests) testMessage(t testing.TB, s string) {
	for _, c := range ts.callStack() {
		fn, file, line := c.fileLine()
		if _, helper := ts.helpers.Load(fn); helper {
			continue
		}
		s = strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n    ")
		fmt.Fprintf(t.Output(), "%s:%d: %s\n", filepath.Base(file), line, s)
		return
	}
	t.Log(s)
}

// GuardTest makes a test fail that panics. Package testing runs it in a goroutine of its own, whose panics end the
// process.
func (rt *Runtime) GuardTest(f func(*testing.T)) func(*testing.T) { return rt.tests.guardTest(f) }

// GuardBenchmark does the same for a benchmark.
func (rt *Runtime) GuardBenchmark(f func(*testing.B)) func(*testing.B) {
	return rt.tests.guardBenchmark(f)
}

// GuardFuzz does the same for a fuzz test.
func GuardFuzz(rt *Runtime, f func(*testing.F)) func(*testing.F) {
	return func(t *testing.F) { rt.tests.guard(t, func() { f(t) }) }
}

// GuardMain has a TestMain return the status that it ends with: by os.Exit, or 2 where it panics, which is told on w.
// ended is false where it returns, and the status is that of the tests.
func GuardMain(rt *Runtime, f func(*testing.M), w io.Writer) func(*testing.M) (code int, ended bool) {
	return func(m *testing.M) (code int, ended bool) {
		defer func() {
			v := recover()
			if x, ok := Unwrap(v).(exited); ok {
				code, ended = x.code, true
			} else if v != nil {
				fmt.Fprintln(w, rt.tests.panicText(v))
				code, ended = 2, true
			}
		}()
		f(m)
		return 0, false
	}
}

// guardTarget guards what a fuzz test calls with each input. What is no such function is package testing's to refuse.
func (ts *tests) guardTarget(target any) any {
	f := reflect.ValueOf(target)
	if f.Kind() != reflect.Func || f.IsNil() || f.Type().NumIn() == 0 || f.Type().NumOut() > 0 ||
		f.Type().In(0) != reflect.TypeFor[*testing.T]() {
		return target
	}
	return reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
		ts.guard(args[0].Interface().(*testing.T), func() { f.Call(args) })
		return nil
	}).Interface()
}

func (ts *tests) guardTest(f func(*testing.T)) func(*testing.T) {
	return func(t *testing.T) { ts.guard(t, func() { f(t) }) }
}

func (ts *tests) guardBenchmark(f func(*testing.B)) func(*testing.B) {
	return func(b *testing.B) { ts.guard(b, func() { f(b) }) }
}

func (ts *tests) guard(t testing.TB, f func()) {
	machine.Enter()
	defer machine.Leave()
	returned := false
	defer func() {
		switch v := recover(); {
		case v != nil:
			fmt.Fprintln(t.Output(), ts.panicText(v))
			t.Fail()
		case !returned && !finished(t):
			fmt.Fprintln(t.Output(), "the test has called runtime.Goexit, which ends its goroutine")
			t.FailNow() // package testing takes what ends otherwise for a panic
		}
	}()
	f()
	returned = true
}

// finished reports whether FailNow or SkipNow of a test has been called, or of one that waits for it.
func finished(t testing.TB) bool {
	c := reflect.ValueOf(t).Elem()
	parallel := c.FieldByName("isParallel")
	for above := false; ; above = true {
		f, parent := c.FieldByName("finished"), c.FieldByName("parent")
		if above && parallel.IsValid() && parallel.Bool() {
			return false // those above have ended before it
		}
		if !f.IsValid() || f.Bool() {
			return true
		}
		if !parent.IsValid() || parent.IsNil() {
			return false
		}
		c = parent.Elem()
	}
}

// tests stand in for what package testing finds out about its callers.
type tests struct {
	*Traces
	helpers   sync.Map         // names of functions that tests have marked as helpers
	panicText func(any) string // tells of a panic, and where it was
}
