package gofuzz

import (
	"bytes"
	"errors"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// tidy removes unused names, imports and labels, and reports whether the program is then valid.
func tidy(src string) (string, bool) {
	for range 20 {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "main.go", src, parser.SkipObjectResolution)
		if err != nil {
			return "", false
		}
		var unused []types.Error
		valid := true
		conf := types.Config{GoVersion: "go1.26", Error: func(err error) {
			var e types.Error
			if errors.As(err, &e) && isUnused(e.Msg) {
				unused = append(unused, e)
			} else {
				valid = false
			}
		}}
		_ = checkWith(conf, fset, f, nil)
		if !valid {
			return "", false
		}
		if len(unused) == 0 {
			return blankLines.ReplaceAllString(src, "\n"), true
		}
		for _, e := range unused {
			forget(f, e.Pos)
		}
		var b bytes.Buffer
		if format.Node(&b, fset, f) != nil {
			return "", false
		}
		src = b.String()
	}
	return "", false
}

var blankLines = regexp.MustCompile(`\n(\s*\n)+`)

func isUnused(msg string) bool {
	return strings.HasPrefix(msg, "declared and not used") || strings.HasSuffix(msg, "imported and not used") ||
		strings.HasPrefix(msg, "label ") && strings.HasSuffix(msg, "declared and not used")
}

// forget takes away the name at a place.
func forget(f *ast.File, pos token.Pos) {
	blank := func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		if ok && id.Pos() == pos {
			id.Name = "_"
		}
		return ok && id.Name == "_"
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			n.Specs = slices.DeleteFunc(n.Specs, func(s ast.Spec) bool {
				i, ok := s.(*ast.ImportSpec)
				return ok && i.Pos() == pos
			})
		case *ast.ValueSpec:
			for _, id := range n.Names {
				blank(id)
			}
		case *ast.AssignStmt:
			all := true
			for _, e := range n.Lhs {
				all = blank(e) && all
			}
			if all {
				n.Tok = token.ASSIGN
			}
		case *ast.RangeStmt:
			key, value := n.Key == nil || blank(n.Key), n.Value == nil || blank(n.Value)
			if value {
				n.Value = nil
			}
			if key && value {
				n.Key, n.Tok = nil, token.ILLEGAL
			}
		case *ast.TypeSwitchStmt:
			if a, ok := n.Assign.(*ast.AssignStmt); ok && a.Lhs[0].Pos() == pos {
				n.Assign = &ast.ExprStmt{X: a.Rhs[0]}
				return false
			}
		}
		return true
	})
	lists(f, func(list *[]ast.Stmt) {
		for i, s := range *list {
			if l, ok := s.(*ast.LabeledStmt); ok && l.Pos() == pos {
				(*list)[i] = l.Stmt
			}
		}
	})
}
