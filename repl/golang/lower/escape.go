package lower

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// findEscaping notes the variables of a function that outlive their block: function literals use them, or something has
// their address. Loops give those to each iteration anew. It also notes the variables of whose type yaegi knows the
// form (see channel). It calls branch for each branch statement.
func (q *facts) findEscaping(body ast.Node, branch func(*ast.BranchStmt)) {
	var owner ast.Node
	owners := map[types.Object]ast.Node{}
	var visit func(ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			before := owner
			owner = n
			ast.Inspect(n.Type, visit)
			ast.Inspect(n.Body, visit)
			owner = before
			return false
		case *ast.Ident:
			if o := q.info.Defs[n]; o != nil {
				owners[o] = owner
			} else if v, ok := q.info.Uses[n].(*types.Var); ok && owners[v] != owner {
				q.escapes[v] = true
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				q.typed[q.info.Defs[id]] = n.Type != nil
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE && len(n.Lhs) == 1 && len(n.Rhs) == 1 {
				if id, ok := n.Lhs[0].(*ast.Ident); ok {
					q.typed[q.info.Defs[id]] = true
				}
			}
		case *ast.BranchStmt:
			branch(n)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				q.escape(n.X)
			}
		case *ast.SliceExpr:
			if _, ok := check.Underlying(q.info.TypeOf(n.X)).(*types.Array); ok {
				q.escape(n.X)
			}
		case *ast.SelectorExpr:
			// A method with a pointer receiver takes the address.
			if s, ok := q.info.Selections[n]; ok && s.Kind() == types.MethodVal {
				if _, isPtr := check.Underlying(q.info.TypeOf(n.X)).(*types.Pointer); !isPtr &&
					check.PointerReceiver(s.Obj().(*types.Func)) {
					q.escape(n.X)
				}
			}
		}
		return true
	}
	ast.Inspect(body, visit)
}

// escape notes the variable that x is part of.
func (q *facts) escape(x ast.Expr) {
	for {
		switch y := x.(type) {
		case *ast.ParenExpr:
			x = y.X
		case *ast.SelectorExpr:
			if _, isPtr := check.Underlying(q.info.TypeOf(y.X)).(*types.Pointer); isPtr {
				return
			}
			x = y.X
		case *ast.IndexExpr:
			if _, isArray := check.Underlying(q.info.TypeOf(y.X)).(*types.Array); !isArray {
				return
			}
			x = y.X
		case *ast.Ident:
			if v, ok := q.info.ObjectOf(y).(*types.Var); ok {
				q.escapes[v] = true
			}
			return
		default:
			return
		}
	}
}

// anyEscapes reports whether one of the variables that these expressions define is kept.
func (q *facts) anyEscapes(xs ...ast.Expr) bool {
	for _, x := range xs {
		if id, ok := x.(*ast.Ident); ok && q.escapes[q.info.Defs[id]] {
			return true
		}
	}
	return false
}

// assigns reports whether a loop's body assigns to a variable by its name.
func (q *facts) assigns(body *ast.BlockStmt, v types.Object) bool {
	r := false
	is := func(xs ...ast.Expr) {
		for _, x := range xs {
			id, ok := x.(*ast.Ident)
			r = r || ok && v != nil && q.info.Uses[id] == v
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			is(n.Lhs...)
		case *ast.IncDecStmt:
			is(n.X)
		case *ast.RangeStmt:
			is(n.Key, n.Value)
		}
		return !r
	})
	return r
}
