package lower

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
)

func call(fn string, args ...ast.Expr) *ast.CallExpr {
	return &ast.CallExpr{Fun: source(fn), Args: args}
}

// source parses an expression that lowering has made up.
func source(s string) ast.Expr {
	if token.IsIdentifier(s) {
		return check.Ident(s)
	}
	if pkg, name, ok := strings.Cut(s, "."); ok && token.IsIdentifier(pkg) && token.IsIdentifier(name) {
		return &ast.SelectorExpr{X: check.Ident(pkg), Sel: check.Ident(name)}
	}
	x, err := parser.ParseExprFrom(token.NewFileSet(), "", s, parser.SkipObjectResolution)
	if err != nil {
		panic("golang: lowered expression " + s + ": " + err.Error())
	}
	return x
}

// flattened marks a block that stands for several statements of the enclosing list.
const flattened token.Pos = -7

func flat(list ...ast.Stmt) ast.Stmt { return &ast.BlockStmt{Lbrace: flattened, List: list} }
