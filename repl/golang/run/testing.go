package run

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
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
	r["(*testing.T).Deadline"] = "TestDeadline"
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
		"TestCleanup": reflect.ValueOf(func(t testing.TB, f func()) { t.Cleanup(func() { ts.guardCleanup(t, f) }) }),
		"TestFuzz":    reflect.ValueOf(func(f *testing.F, target any) { f.Fuzz(ts.guardTarget(target)) }),
		"TestDeadline": reflect.ValueOf(func(t *testing.T) (time.Time, bool) {
			if _, ok := t.Deadline(); ok { // not one of %test's
				return t.Deadline()
			}
			return ts.deadline()
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

// guardTarget guards what a fuzz test calls with each input. What is no such function is package testing's to refuse.
func (ts *tests) guardTarget(target any) any {
	f := reflect.ValueOf(target)
	if f.Kind() != reflect.Func || f.IsNil() || f.Type().NumIn() == 0 || f.Type().NumOut() > 0 ||
		f.Type().In(0) != reflect.TypeFor[*testing.T]() {
		return target
	}
	return reflect.MakeFunc(f.Type(), func(args []reflect.Value) []reflect.Value {
		t := args[0].Interface().(*testing.T)
		if ts.failedFast() {
			t.SkipNow()
		}
		ts.guard(t, func() { f.Call(args) })
		return nil
	}).Interface()
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
