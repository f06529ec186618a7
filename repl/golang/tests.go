package golang

import (
	"context"
	"errors"
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/gotest"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// Test runs the tests, examples and benchmarks that cells have declared, and the seeds of their fuzz tests, as go test
// runs those of a package: see gotest.Run. A test that panics has failed. They run in TestMain, where cells have
// declared that. With -timeout they are stopped after that time, as an interrupt stops them.
func (e *Engine) Test(ctx context.Context, args []string, out *os.File) (code int, f *Failure, err error) {
	var s gotest.Suite
	if f = declaredTests(ctx, e, "Test", "T", &s.Tests); f == nil {
		f = declaredTests(ctx, e, "Benchmark", "B", &s.Benchmarks)
	}
	if f == nil {
		f = declaredTests(ctx, e, "Fuzz", "F", &s.Fuzz)
	}
	if f == nil {
		s.Examples, f = examples(ctx, e)
	}
	var mains []func(*testing.M)
	if f == nil {
		mains, f = testMain(ctx, e)
	}
	if f != nil {
		return 0, f, nil
	}
	for _, m := range mains {
		s.Main = run.GuardMain(e.rt, m, out)
	}
	for i, x := range s.Fuzz {
		s.Fuzz[i].Fn = run.GuardFuzz(e.rt, x.Fn)
	}
	for i, x := range s.Tests {
		s.Tests[i].F = e.rt.GuardTest(x.F)
	}
	for i, x := range s.Examples {
		s.Examples[i].F = run.GuardExample(e.rt, x.Name, x.F)
	}
	for i, x := range s.Benchmarks {
		s.Benchmarks[i].F = e.rt.GuardBenchmark(x.F)
	}
	s.FailFast = func() { run.FailFast(e.rt) }
	s.Failed = func() bool { return run.FailedFast(e.rt) }
	d, err := gotest.Timeout(args)
	if err != nil {
		return 2, nil, err
	}
	if late := (run.TestsTimedOut{After: d}); d > 0 {
		var cancel func()
		ctx, cancel = context.WithTimeoutCause(ctx, d, late)
		defer cancel()
	}
	f = run.CallTests(ctx, e.rt, func() { code, err = gotest.Run(s, "cells", args, out) })
	var late run.TestsTimedOut
	if f != nil && f.Name == check.InterruptedFailure().Name && errors.As(context.Cause(ctx), &late) {
		f = &Failure{Name: "TestError", Message: late.Error(), Notes: f.Notes}
	}
	return code, f, err
}

// testMain is the function TestMain of the cells, if they have declared one.
func testMain(ctx context.Context, e *Engine) (list []func(*testing.M), f *Failure) {
	for _, n := range e.Names() {
		if n.Name != "TestMain" || n.Kind != "function" || !isTest(n.Type, "M") {
			continue
		}
		out := e.Expr(ctx, "tests", "TestMain")
		if out.Failure != nil {
			return nil, out.Failure
		}
		list = append(list, out.Values[0].V.(func(*testing.M)))
	}
	return list, nil
}

// isTest reports whether a function takes a *testing.T, B, F or M, and nothing else.
func isTest(signature, param string) bool {
	return strings.HasPrefix(signature, "func(") && strings.HasSuffix(signature, "*testing."+param+")") &&
		!strings.Contains(signature, ",")
}

// declaredTests evaluates to a list of functions of the session that package testing runs.
func declaredTests[T any](ctx context.Context, e *Engine, prefix, param string, list *[]T) *Failure {
	names := functionsNamed(e, prefix, func(typ string) bool { return isTest(typ, param) })
	kind := map[string]string{"Test": "Test", "Benchmark": "Benchmark", "Fuzz": "FuzzTarget"}[prefix]
	for _, n := range names {
		out := e.Expr(ctx, "tests", `testing.Internal`+kind+`{"`+n+`", `+n+`}`)
		if out.Failure != nil {
			return out.Failure
		}
		*list = append(*list, out.Values[0].V.(T))
	}
	return nil
}

// functionsNamed are the functions of the session whose names begin with a prefix, and then have no small letter, and
// whose types are right, in the order of their declarations.
func functionsNamed(e *Engine, prefix string, right func(typ string) bool) (names []string) {
	for _, n := range e.Names() {
		rest, ok := strings.CutPrefix(n.Name, prefix)
		if ok && n.Kind == "function" && (rest == "" || strings.ToLower(rest[:1]) != rest[:1]) && right(n.Type) {
			names = append(names, n.Name)
		}
	}
	slices.SortFunc(names, e.declarationOrder)
	return names
}

// examples are the examples of the session that say what they print.
func examples(ctx context.Context, e *Engine) (list []testing.InternalExample, f *Failure) {
	for _, n := range functionsNamed(e, "Example", func(typ string) bool { return typ == "func()" }) {
		text, _, _ := e.scope.Source(n)
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n\n"+text, parser.ParseComments)
		if err != nil {
			continue // it has been parsed before
		}
		for _, x := range doc.Examples(file) {
			if x.Output == "" && !x.EmptyOutput {
				continue
			}
			const made = "testing.InternalExample{%q, %s, %q, %v}"
			out := e.Expr(ctx, "tests", fmt.Sprintf(made, n, n, x.Output, x.Unordered))
			if out.Failure != nil {
				return nil, out.Failure
			}
			list = append(list, out.Values[0].V.(testing.InternalExample))
		}
	}
	return list, nil
}

// declarationOrder is the order in which names were declared.
func (e *Engine) declarationOrder(a, b string) int {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	return int(e.scope.Bindings[a].Object.Pos() - e.scope.Bindings[b].Object.Pos())
}
