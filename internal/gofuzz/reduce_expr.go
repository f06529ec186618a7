package gofuzz

import (
	"go/ast"
	"go/token"
	"reflect"
)

// exprEdits replaces an expression by an operand, or by a value without operands.
func exprEdits(_ *token.FileSet, f *ast.File) (r []edit) {
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			return true
		}
		switch n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field: // which may need a type of one kind
			return true
		}
		v := reflect.ValueOf(n).Elem()
		for i := range v.NumField() {
			place := v.Field(i)
			switch {
			case place.Type() == exprType && !place.IsNil():
				r = append(r, smaller(place)...)
			case place.Kind() == reflect.Slice && place.Type().Elem() == exprType:
				for j := range place.Len() {
					r = append(r, smaller(place.Index(j))...)
				}
			}
		}
		return true
	})
	return r
}

var exprType = reflect.TypeFor[ast.Expr]()

// smaller lists the edits of a field that holds an expression.
func smaller(place reflect.Value) (r []edit) {
	put := func(e ast.Expr) {
		r = append(r, func() { place.Set(reflect.ValueOf(e)) })
	}
	e := place.Interface().(ast.Expr)
	switch e := e.(type) {
	case *ast.Ident, *ast.BasicLit:
		return nil
	case *ast.ParenExpr:
		put(e.X)
	case *ast.BinaryExpr:
		put(e.X)
		put(e.Y)
	case *ast.UnaryExpr:
		put(e.X)
	case *ast.StarExpr:
		put(e.X)
	case *ast.SelectorExpr:
		put(e.X)
	case *ast.IndexExpr:
		put(e.X)
	case *ast.SliceExpr:
		put(e.X)
	case *ast.TypeAssertExpr:
		put(e.X)
	case *ast.KeyValueExpr:
		return nil
	case *ast.CallExpr:
		for _, a := range e.Args {
			put(a)
		}
		if l, ok := e.Fun.(*ast.FuncLit); ok && len(l.Body.List) == 1 {
			if s, ok := l.Body.List[0].(*ast.ReturnStmt); ok && len(s.Results) == 1 {
				put(s.Results[0])
			}
		}
	}
	for _, s := range []string{"0", `""`, "true", "nil"} {
		put(&ast.BasicLit{ValuePos: e.Pos(), Kind: token.INT, Value: s})
	}
	return r
}
