package native

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"golang.org/x/tools/go/ssa"
)

// The body of a loop over a function is a function literal of package ssa's, and a variable (jump) tells what the loop
// is doing: that it waits, that the body runs, that the loop is done, or how the body has left it. The panics of the
// runtime for functions that go on after a loop has ended tell them apart.

// What package ssa has in that variable; where the body has left the loop it is positive.
const (
	loopWaits = 0
	loopRuns  = -1
	loopDone  = -2
)

// loopOf is the loop whose body a function is, nil for any other function.
func loopOf(fn *ssa.Function) *ast.RangeStmt {
	n, _ := fn.Syntax().(*ast.RangeStmt)
	return n
}

// atLoop has errors show the loop, for a call of its function.
func (t functions) atLoop(in *ssa.Call) {
	if len(in.Call.Args) != 1 || in.Pos().IsValid() {
		return
	}
	if m, ok := in.Call.Args[0].(*ssa.MakeClosure); ok {
		if n := loopOf(m.Fn.(*ssa.Function)); n != nil {
			if t.at = n.For; isCall(n.X) {
				t.at = n.X.Pos()
			}
		}
	}
}

func isCall(x ast.Expr) bool {
	_, ok := ast.Unparen(x).(*ast.CallExpr)
	return ok
}

// loopPanics translates a panic of package ssa's for such loops. It reports false for any other.
func (t functions) loopPanics(in *ssa.Panic) bool {
	m, ok := in.X.(*ssa.MakeInterface)
	if !ok || in.Pos().IsValid() {
		return false
	}
	c, ok := m.X.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.String {
		return false
	}
	state := t.int(loopWaits)
	switch constant.StringVal(c.Value) {
	case "yield function called after range loop exit":
		test, ok := in.Block().Preds[0].Instrs[len(in.Block().Preds[0].Instrs)-1].(*ssa.If)
		if !ok {
			return false
		}
		now, ok := test.Cond.(*ssa.BinOp)
		if !ok {
			return false
		}
		state = t.one(now.X)
		if n := loopOf(in.Parent()); n != nil {
			t.at = n.For
		}
	case "iterator call did not preserve panic":
	default:
		return false
	}
	t.leave(site{code: leaveLoop}, nil, state)
	t.b.Kind = ir.Dead
	return true
}

// leftLoop notes that the function of a loop has returned, where package ssa looks how the body has left it.
func (t functions) leftLoop(in *ssa.UnOp) {
	a, ok := in.X.(*ssa.Alloc)
	if !ok || !strings.HasPrefix(a.Comment, "jump$") || in.Pos().IsValid() {
		return
	}
	at, state := t.address(a), t.one(in)
	runs := t.add(ir.Eq, ir.Bool, state, t.int(loopRuns))
	after := t.branch(runs, []ir.Kind{ir.Int64}, []*ir.Value{t.int(loopDone)}, func() []*ir.Value {
		return []*ir.Value{t.int(loopRuns)}
	})
	t.store(at, types.Typ[types.Int], after)
}

// failLoop panics as the runtime does, for a call of the body of a loop.
func failLoop(state int) {
	var late func() bool
	switch {
	case state == loopWaits: // the function has recovered a panic of the body
		for range func(yield func() bool) {
			defer func() { _ = recover() }()
			yield()
		} {
			panic("")
		}
	case state == loopRuns: // which has panicked
		for range func(yield func() bool) {
			func() {
				defer func() { _ = recover() }()
				yield()
			}()
			yield()
		} {
			panic("")
		}
	case state == loopDone:
		for range func(yield func() bool) { late = yield } {
		}
		late()
	default: // which has left the loop
		for range func(yield func() bool) {
			yield()
			yield()
		} {
			break
		}
	}
}
