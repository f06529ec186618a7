package lower

import (
	"fmt"
	"go/ast"
	"go/printer"
	"go/token"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/run"
)

// output has the functions that lowering has printed, and what their trees come from.
type output struct {
	*run.Trees
	text  strings.Builder
	order []printed // the functions in text
}

// printing aligns nothing: hardly anyone reads it.
var printing = printer.Config{Mode: printer.RawFormat}

func (out *output) print(n *ast.FuncDecl) {
	out.Decls[n.Name.Name] = n
	from := out.text.Len()
	defer func() { out.order = append(out.order, printed{n, from, out.text.Len()}) }()
	out.text.WriteString(printedText(n))
}

func printedText(n *ast.FuncDecl) string {
	var b strings.Builder
	if err := printing.Fprint(&b, token.NewFileSet(), n); err != nil {
		panic("golang: lowered tree: " + err.Error())
	}
	return b.String() + "\n\n"
}

func (out *output) printf(f string, args ...any) { fmt.Fprintf(&out.text, f+"\n", args...) }

// recordExprOrigin notes where a lowered expression that can fail comes from.
func (out *output) recordExprOrigin(from, to ast.Node) {
	if _, known := out.Origin[to]; known {
		return
	}
	switch x := from.(type) {
	case *ast.CallExpr:
		at := x.Fun.Pos()
		switch f := ast.Unparen(x.Fun).(type) {
		case *ast.SelectorExpr:
			at = f.Sel.Pos()
		case *ast.FuncLit:
			at = x.Lparen
		}
		if at.IsValid() {
			out.Origin[to] = at
		}
	case *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr, *ast.UnaryExpr, *ast.BinaryExpr,
		*ast.SelectorExpr:
		if from.Pos().IsValid() {
			out.Origin[to] = from.Pos()
		}
	}
}

// recordOrigin notes where lowered statements come from.
func (out *output) recordOrigin(pos token.Pos, list ...ast.Stmt) {
	for _, s := range list {
		if _, ok := out.Origin[s]; !ok {
			out.Origin[s] = pos
		}
	}
}
