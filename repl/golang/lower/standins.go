package lower

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/run"
)

// standIn makes a call of a method that has a stand-in a call of that, with the receiver as the first argument.
func (l *exprs) standIn(n *ast.CallExpr, p *parts) {
	method := l.calleeName(n.Fun)
	name := run.StandIns[method]
	if name == "" {
		name = run.TestingStandIns[method]
	}
	if name == "" || p.method == nil {
		return
	}
	receiver := ast.Unparen(n.Fun).(*ast.SelectorExpr).X
	t := types.TypeString(l.typeOf(receiver), nil)
	if t != method[1:strings.IndexByte(method, ')')] && !(run.TestingStandIns[method] != "" && run.TestingTypes[t]) {
		return // a field of that type, or a value whose address is taken
	}
	p.fun, p.args = source(run.RuntimePkg+"."+name), append([]ast.Expr{l.expr(receiver)}, p.args...)
}

// printArgs lowers the arguments of print or println. What they print of an interface are its words.
func (l *exprs) printArgs(args []ast.Expr) []ast.Expr {
	r := l.exprs(args)
	for i, x := range args {
		if types.IsInterface(l.typeOf(x)) {
			r[i] = call(run.RuntimePkg+".Words", r[i])
		}
	}
	return r
}
