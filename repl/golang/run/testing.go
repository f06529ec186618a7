package run

import (
	"fmt"
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

func (ts *tests) guardTest(f func(*testing.T)) func(*testing.T) {
	return func(t *testing.T) { ts.guard(t, func() { f(t) }) }
}

func (ts *tests) guardBenchmark(f func(*testing.B)) func(*testing.B) {
	return func(b *testing.B) { ts.guard(b, func() { f(b) }) }
}

func (ts *tests) guard(t testing.TB, f func()) {
	machine.Enter()
	defer machine.Leave()
	defer func() {
		if v := recover(); v != nil {
			fmt.Fprintln(t.Output(), ts.panicText(v))
			t.Fail()
		}
	}()
	f()
}

// tests stand in for what package testing finds out about its callers.
type tests struct {
	*Traces
	helpers   sync.Map         // names of functions that tests have marked as helpers
	panicText func(any) string // tells of a panic, and where it was
}
