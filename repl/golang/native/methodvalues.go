package native

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"github.com/gorocm/gorocm/repl/golang/typekey"
	"golang.org/x/tools/go/ssa"
)

// A method value, x.M, is a closure of a function that package ssa makes, which calls the method for a receiver that it
// has captured. A method expression, T.M, is a function of package ssa, too, whose first parameter is the receiver.
// Neither has a place in traces.

// isMethodFunction reports whether a function is one that package ssa makes for a method value or a method expression.
func isMethodFunction(fn *ssa.Function) bool {
	return fn.Parent() == nil &&
		(strings.HasPrefix(fn.Synthetic, "bound method wrapper") || strings.HasPrefix(fn.Synthetic, "thunk"))
}

// beginning is what a literal or such a function is as a function value.
func (t functions) beginning(fn *ssa.Function, name string) *beginning {
	m, ok := fn.Object().(*types.Func)
	if !ok || !isMethodFunction(fn) || m.Pkg() == nil {
		return &beginning{name, fn.Pos()}
	}
	path := m.Pkg().Path()
	if m.Pkg() == t.session() {
		path = "main"
	}
	name = typekey.MethodName(m, path)
	if len(fn.FreeVars) > 0 {
		return &beginning{name + typekey.BoundSuffix, token.NoPos}
	}
	return &beginning{name, m.Pos()}
}

// boundReceiver is what the closure of a method value has of the receiver.
func (t functions) boundReceiver(v *ssa.FreeVar, b ssa.Value) capturedVar {
	if !types.Identical(v.Type(), b.Type()) { // an interface that has the method from another one
		t.no("it uses a method as a value")
	}
	return capturedVar{v: v, typ: b.Type(), run: t.memoryType(b.Type()), words: t.value(b), bound: true}
}

// onlyCalls refuses what does more than call a method: it goes through embedded fields, which may be nil, or has a
// pointer where the method has a value, which may be nil.
func (t functions) onlyCalls(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Alloc, *ssa.Store, *ssa.Return, *ssa.Extract:
			case *ssa.UnOp:
				if _, own := in.X.(*ssa.Alloc); !own {
					t.no("it uses a method as a value, through an embedded field or a pointer")
				}
			case *ssa.Call:
				if _, builtin := in.Call.Value.(*ssa.Builtin); builtin {
					t.no("it uses a method as a value, through a pointer")
				}
			default:
				t.no("it uses a method as a value, through an embedded field")
			}
		}
	}
}

// bindsInterface translates the check that package ssa makes before it takes a method of an interface as a value. It
// reports false for an assertion of the source.
func (t goCalls) bindsInterface(in *ssa.TypeAssert) bool {
	if in.CommaOk || len(*in.Referrers()) > 0 || !t.isSelector(in.Pos()) {
		return false
	}
	t.check(ir.NilTest, site{code: leaveNil}, t.value(in.X)[0])
	return true
}

// isSelector reports whether a place is where a selector has its name.
func (t goCalls) isSelector(pos token.Pos) (found bool) {
	ast.Inspect(t.s.Syntax, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		found = found || ok && s.Sel.Pos() == pos
		return !found
	})
	return found
}
