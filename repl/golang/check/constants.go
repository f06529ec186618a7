package check

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"

	"github.com/gorocm/gorocm/internal/budget"
)

// maxText is how many bytes a constant string may have. A constant is computed when it is checked, as often as it is
// used, and s + s + … of a few lines can have more bytes than there is memory for.
const maxText = 16 << 20

// texts knows how long the constant strings of a cell are, from their syntax. It takes a name for what the cell, or the
// session, declares under it, wherever that is.
type texts struct {
	scope  *Scope
	values map[string][]ast.Expr // of constants
	types  map[string]bool
	known  map[string]text
}

// text is what is known of an expression that may be a constant string.
type text struct {
	bytes    int64
	constant bool
}

// longTexts is the problem of the first expression of some nodes that makes too long a constant string.
func (sc *Scope) longTexts(nodes []ast.Node) []Problem {
	ts := texts{sc, map[string][]ast.Expr{}, map[string]bool{"string": true}, map[string]text{}}
	for _, n := range nodes {
		ast.Inspect(n, func(n ast.Node) bool {
			if g, ok := n.(*ast.GenDecl); ok {
				ts.declared(g)
			}
			return true
		})
	}
	var ps []Problem
	for _, n := range nodes {
		ast.Inspect(n, func(n ast.Node) bool {
			b, ok := n.(*ast.BinaryExpr)
			if !ok || len(ps) > 0 {
				return len(ps) == 0
			}
			t := ts.of(b)
			if t.constant && t.bytes > maxText {
				ps = []Problem{sc.typeProblem(b.Pos(), fmt.Sprintf("constant string of %s: the limit is %s; use a variable",
					budget.SizeText(uint64(t.bytes)), budget.SizeText(maxText)))}
			}
			return !t.constant
		})
	}
	return ps
}

// declared notes the constants or types of a declaration.
func (ts *texts) declared(g *ast.GenDecl) {
	var values []ast.Expr
	for _, s := range g.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			ts.types[s.Name.Name] = true
		case *ast.ValueSpec:
			if g.Tok != token.CONST {
				return
			}
			if len(s.Values) > 0 {
				values = s.Values // those that follow may repeat them
			}
			for i, n := range s.Names {
				if i < len(values) {
					ts.values[n.Name] = append(ts.values[n.Name], values[i])
				}
			}
		}
	}
}

// of is what is known of an expression.
func (ts *texts) of(x ast.Expr) text {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return ts.of(x.X)
	case *ast.BinaryExpr:
		a, b := ts.of(x.X), ts.of(x.Y)
		if x.Op == token.ADD {
			return text{min(a.bytes+b.bytes, beyond), a.constant && b.constant}
		}
		return text{0, a.constant && b.constant}
	case *ast.BasicLit:
		if x.Kind == token.STRING {
			s, _ := strconv.Unquote(x.Value)
			return text{int64(len(s)), true}
		}
		return text{0, true}
	case *ast.CallExpr:
		if id, ok := x.Fun.(*ast.Ident); ok && len(x.Args) == 1 && (ts.types[id.Name] || ts.bound(id.Name, isType)) {
			return ts.of(x.Args[0])
		}
	case *ast.Ident:
		return ts.named(x.Name)
	}
	return text{}
}

// bound reports whether a name of the session is of a kind.
func (ts *texts) bound(name string, kind func(types.Object) bool) bool {
	b := ts.scope.Bindings[name]
	return b != nil && b.Object != nil && kind(b.Object)
}

func isType(o types.Object) bool {
	_, ok := o.(*types.TypeName)
	return ok
}

func (ts *texts) named(name string) text {
	if t, ok := ts.known[name]; ok {
		return t
	}
	ts.known[name] = text{} // it may be declared by itself, which is an error
	t := text{}
	for _, x := range ts.values[name] {
		v := ts.of(x)
		t = text{max(t.bytes, v.bytes), t.constant || v.constant}
	}
	if b := ts.scope.Bindings[name]; b != nil && ts.values[name] == nil {
		if c, ok := b.Object.(*types.Const); ok {
			t.constant = true
			if c.Val().Kind() == constant.String {
				t.bytes = int64(len(constant.StringVal(c.Val())))
			}
		}
	}
	ts.known[name] = t
	return t
}
