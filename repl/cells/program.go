package cells

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// Program recognises an ordinary Go program. It returns it with its package clause blanked, which a session does not
// want; lines and columns stay. main is the line of func main, 0 where there is none.
func Program(source string) (blanked string, main int, ok bool) {
	if !strings.Contains(source, "package") {
		return source, 0, false
	}
	if blanked, ok = withoutPackage(source); ok {
		main = mainLine(source)
	}
	return blanked, main, ok
}

// PackageName is the name in the package clause with which a Go file begins, empty without one.
func PackageName(source string) string {
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.PackageClauseOnly)
	if err != nil {
		return ""
	}
	return file.Name.Name
}

// withoutPackage blanks the clause package main at the start of a Go file, which a session does not want; lines and
// columns stay.
func withoutPackage(source string) (blanked string, ok bool) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, parser.PackageClauseOnly)
	if err != nil || file.Name.Name != "main" {
		return source, false
	}
	start, end := files.Position(file.Package).Offset, files.Position(file.Name.End()).Offset
	return source[:start] + strings.Repeat(" ", end-start) + source[end:], true
}

// mainLine is the line of func main in an ordinary Go program, or 0.
func mainLine(source string) int {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		return 0
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "main" && f.Recv == nil {
			return files.Position(f.Pos()).Line
		}
	}
	return 0
}

// insideTokens are the lines of a Go file that begin within a raw string or a comment; none where it does not parse.
func insideTokens(source string) map[int]bool {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil
	}
	r := map[int]bool{}
	note := func(n ast.Node) {
		from, to := files.PositionFor(n.Pos(), false).Line, files.PositionFor(n.End(), false).Line
		for i := from + 1; i <= to; i++ {
			r[i] = true
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			note(l)
		}
		return true
	})
	for _, g := range file.Comments {
		for _, c := range g.List {
			note(c)
		}
	}
	return r
}
