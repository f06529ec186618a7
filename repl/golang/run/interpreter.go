package run

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/machine"
	"github.com/traefik/yaegi/interp"
)

// Declared is what yaegi was given.
type Declared struct {
	file *ast.File    // with the places that yaegi knows it by
	gone *atomic.Bool // nothing can run it any more
}

// Declare gives declarations to yaegi. Locate takes over what it returns.
func (rt *Runtime) Declare(code string) (*Declared, error) {
	// The file name is yaegi's own: imports belong to a file.
	f, err := parser.ParseFile(rt.interp.FileSet(), interp.DefaultSourceName, "package main;"+code,
		parser.SkipObjectResolution)
	if err != nil {
		if f != nil {
			forgetFile(rt, f.Package)
		}
		return nil, err
	}
	d := &Declared{file: f}
	_, err = rt.execute(f, func(root *machine.Node) { d.gone = rt.Traces.chunks.follow(root) })
	if err != nil {
		forgetFunctions(rt, f)
	}
	return d, err
}

// forgetFunctions removes the functions of a file that will not be run.
func forgetFunctions(rt *Runtime, f *ast.File) {
	for _, d := range f.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Recv == nil {
			rt.Forget(fd.Name.Name)
		}
	}
}

// forgetFile removes a file that nothing will ask yaegi about.
func forgetFile(rt *Runtime, at token.Pos) {
	fset := rt.interp.FileSet()
	if f := fset.File(at); f != nil {
		fset.RemoveFile(f)
	}
}

// declareAlone is Declare where Scope.Mu is not held.
func (rt *Runtime) declareAlone(code string) error {
	rt.scope.Mu.Lock()
	defer rt.scope.Mu.Unlock()
	_, err := rt.Declare(code)
	return err
}

// valueOf is what yaegi makes of an expression.
func (rt *Runtime) valueOf(code string) (reflect.Value, error) {
	fset := rt.interp.FileSet()
	x, err := parser.ParseExprFrom(fset, interp.DefaultSourceName, code, parser.SkipObjectResolution)
	if err != nil {
		return reflect.Value{}, err
	}
	defer fset.RemoveFile(fset.File(x.Pos())) // nothing will ask for its position
	return rt.execute(&ast.BlockStmt{Lbrace: x.Pos(), List: []ast.Stmt{&ast.ExprStmt{X: x}}, Rbrace: x.End()}, nil)
}

// execute gives a tree to yaegi, which panics over some code that it cannot compile. follow, if it is not nil, gets the
// tree that yaegi has made of it. An interrupt of the cell that is compiled ends it between its steps.
func (rt *Runtime) execute(n ast.Node, follow func(root *machine.Node)) (v reflect.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			if interrupted, ok := r.(check.Interrupted); ok {
				err = interrupted
				return
			}
			err = fmt.Errorf("%v", r)
		}
	}()
	check.Checkpoint(rt.scope)
	p, err := rt.interp.CompileAST(n)
	if err != nil {
		return v, err
	}
	if follow != nil {
		follow(machine.Root(p))
	}
	check.Checkpoint(rt.scope)
	machine.Optimize(p, rt.Memory.checkAlloc)
	check.Checkpoint(rt.scope)
	machine.Grow(rt.interp)
	return rt.interp.Execute(p)
}

// Unsupported is the failure of code that Declare has refused.
func (rt *Runtime) Unsupported(err error, code string) *check.Failure {
	if _, ok := err.(check.Interrupted); ok {
		return check.InterruptedFailure()
	}
	return &check.Failure{Name: "Unsupported", Message: "the interpreter does not run this: " +
		check.FirstLine(err.Error()), Trace: err.Error() + "\n\n" + code,
		Notes: []string{"the cell is valid Go; %trace shows what the interpreter was given"}}
}

// unsupported is what a call panics with whose function the interpreter does not run.
type unsupported struct{ *check.Failure }

// Error is what a cell that recovers the panic sees.
func (u unsupported) Error() string { return u.Message }

// Later has the declared function of that name run another, whose name lower returns at the first call.
func (rt *Runtime) Later(name string, lower func() (string, *check.Failure)) error {
	return machine.Later(rt.interp, name, func() (fn *machine.Function) {
		for fn == nil { // it may have been forgotten: see Anew
			rt.Apart(func() *check.Failure {
				body, f := lower()
				if f == nil {
					rt.scope.Mu.Lock()
					defer rt.scope.Mu.Unlock()
					fn = machine.Find(rt.interp, body)
				}
				return f
			})
		}
		return fn
	})
}

// Anew has a function of which Later has been called be lowered again at its next call, and forgets the body that it
// has run.
func Anew(rt *Runtime, name, body string) {
	machine.Anew(rt.interp, name)
	rt.Forget(body)
}

// Apart has a goroutine of its own lower what a running goroutine needs, which an interrupt may be about to stop. It
// panics where that fails.
func (rt *Runtime) Apart(compile func() *check.Failure) {
	done := make(chan *check.Failure)
	go func() {
		var f *check.Failure
		defer func() {
			if r := recover(); r != nil { // a bug in lowering must not take the session along
				f = check.BugFailure(r)
			}
			done <- f
		}()
		f = compile()
	}()
	if f := <-done; f != nil {
		panic(unsupported{f})
	}
}

// Provide gives yaegi a symbol and returns its name.
func (rt *Runtime) Provide(prefix string, v reflect.Value) string {
	rt.serial++
	name := prefix + strconv.Itoa(rt.serial)
	_ = rt.interp.Use(interp.Exports{cellPath + "/cell": {name: v}}) // fails for a path without a name only
	switch prefix {
	case "at", "F", "M", "D", "S": // of one function: no later code mentions it
		rt.passing = append(rt.passing, name)
	}
	return cellPkg + "." + name
}

// Withdraw removes symbols that no later code mentions.
func Withdraw(rt *Runtime, symbols []string) {
	known := machine.Symbols(rt.interp)[cellPath]
	for _, s := range symbols {
		delete(known, strings.TrimPrefix(s, cellPkg+"."))
	}
}

// cellPkg is the name under which lowered code reaches what the session makes for it as it goes: types, variables,
// conversions. To yaegi they are symbols of a compiled package.
const (
	cellPkg  = "cell" + Tick
	cellPath = "gorocm/cell"
)

// Tick ends the names that lowering makes up. It is a letter to Go, and on no keyboard.
const Tick = "ʹ"
