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
		lines = append(lines, linesIn(f, fset, above)...)
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// FileLines are those of a file of a package.
func FileLines(text []byte) (lines []int) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	for _, d := range f.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if ok && fd.Body != nil {
			lines = append(lines, linesIn(fd.Body, fset, 0)...)
		} else if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR { // function literals
			ast.Inspect(g, func(n ast.Node) bool {
				lit, ok := n.(*ast.FuncLit)
				if ok {
					lines = append(lines, linesIn(lit.Body, fset, 0)...)
				}
				return !ok
			})
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// linesIn are the lines below the given one on which statements of a tree begin.
func linesIn(tree ast.Node, fset *token.FileSet, above int) (lines []int) {
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
	ast.Inspect(tree, visit)
	return lines
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
