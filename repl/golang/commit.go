package golang

import (
	"context"
	"go/token"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/lower"
)

// commitVars binds the variables that the statements before limit have defined, and releases what their names stood
// for.
func (e *Engine) commitVars(ck *check.Checked, lw *lower.Code, limit token.Pos) {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	for _, v := range ck.Vars {
		if v.At >= limit {
			continue
		}
		if b := e.scope.Bindings[v.Name]; b == nil || b.Object != v.Slot {
			e.state.Release(b)
			e.scope.Bindings[v.Name] = &check.Binding{Name: v.Name, Object: v.Slot, Cell: ck.Cell.Name}
			e.defined = append(e.defined, v.Name)
		}
	}
	if lw.Last != nil && limit == everything {
		e.state.Lasts[lw.Key] = lw.Last
		if b := e.scope.Bindings["_"]; b == nil || b.Object != lw.Last {
			e.state.Release(b)
			e.scope.Bindings["_"] = &check.Binding{Name: "_", Object: lw.Last, Cell: ck.Cell.Name}
		}
		e.keepResult(check.CellNumber(ck.Cell.Name), lw)
	}
}

// reached is where the cell's statements stopped: what is defined before has its value.
func reached(e *Engine, ck *check.Checked, lw *lower.Code) token.Pos {
	if lw.Mark == nil {
		return 0
	}
	line, col := lw.Mark.At()
	for _, s := range ck.Body.List {
		p := e.scope.Fset.Position(s.Pos())
		if p.Line > line || p.Line == line && p.Column >= col {
			return s.Pos()
		}
	}
	return 0
}

// Users are the declarations of the session that use a name, functions and methods for the most part.
func Users(e *Engine, name string) (list []string) {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	b := e.scope.Bindings[name]
	for _, d := range e.scope.Decls {
		if b != nil && e.scope.Uses[d][b.Object] && d.Names[0] != name && d.Receiver != name {
			list = append(list, d.Names[0])
		}
	}
	return list
}

// Forget removes a name from the session, so that what a variable held can be collected. Functions that use the name
// keep what they were compiled with: a variable that they use, or that closures or pointers have, keeps its value.
func (e *Engine) Forget(_ context.Context, name string) *check.Failure {
	e.scope.Mu.Lock()
	defer e.scope.Mu.Unlock()
	b := e.scope.Bindings[name]
	if b == nil {
		return &check.Failure{Name: "TypeError", Message: "undefined: " + name}
	}
	delete(e.scope.Bindings, name)
	keep := e.scope.Decls[:0:0]
	for _, d := range e.scope.Decls {
		if d.Names[0] != name && d.Receiver != name {
			keep = append(keep, d)
		} else {
			delete(e.scope.Uses, d)
		}
	}
	e.scope.Decls = keep
	for m := range e.scope.Methods {
		if strings.HasPrefix(m, name+".") {
			delete(e.scope.Methods, m)
		}
	}
	e.state.Enter()
	e.state.Release(b)
	e.state.Leave()
	return nil
}

// everything is the limit of a cell that has run to its end.
const everything = token.Pos(1 << 60)
