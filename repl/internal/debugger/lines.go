package debugger

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
)

// stopLines are the lines of a cell on which a statement begins, in order: a goroutine can stop there. The cell may not
// have run yet. What is not Go, a command, counts as a statement.
func stopLines(code string) (lines []int) {
	for _, it := range check.Split(code) {
		head, text := "package p;func _() {", code[it.Start:it.End]
		switch it.Kind {
		case check.ImportItem:
			continue
		case check.DeclItem:
			head = "package p;"
		}
		above := strings.Count(code[:it.Start], "\n")
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "", head+text+"\n}", parser.SkipObjectResolution)
		if it.Kind == check.DeclItem {
			f, err = parser.ParseFile(fset, "", head+text, parser.SkipObjectResolution)
		}
		if err != nil {
			lines = append(lines, above+1)
			continue
		}
		var visit func(n ast.Node) bool
		visit = func(n ast.Node) bool {
			if c, ok := n.(*ast.CommClause); ok { // its communication belongs to the select statement
				for _, s := range c.Body {
					ast.Inspect(s, visit)
				}
				return false
			}
			if stopsAt(n) {
				lines = append(lines, above+fset.Position(n.Pos()).Line)
			}
			return true
		}
		ast.Inspect(f, visit)
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// stopsAt reports whether a goroutine can stop at a statement, as functions that are lowered with hooks have it.
func stopsAt(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BlockStmt, *ast.EmptyStmt, *ast.LabeledStmt, *ast.CaseClause:
		return false
	case *ast.DeclStmt:
		return n.Decl.(*ast.GenDecl).Tok == token.VAR
	case ast.Stmt:
		return true
	}
	return false
}
