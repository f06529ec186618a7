package gofuzz

import (
	"bytes"
	"context"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"slices"
)

// Reduce returns a smaller program, as small as it can make it, for which keeps still holds. It drops declarations,
// statements and operands, and asks keeps only about programs that go/types accepts. For the program itself keeps must
// hold. When ctx is done, the smallest program so far is returned.
func Reduce(ctx context.Context, src string, keeps func(string) bool) string {
	for {
		before := src
		for _, edits := range []func(*token.FileSet, *ast.File) []edit{mainEdits, pruneEdits, bodyEdits, pruneEdits,
			listEdits, pruneEdits, unwrapEdits, pruneEdits, exprEdits} {
			src = reduceBy(ctx, src, edits, keeps)
		}
		if len(src) >= len(before) {
			return before
		}
	}
}

// edit changes a tree.
type edit func()

// reduceBy tries each of the edits of a tree, and of the trees that these leave.
func reduceBy(ctx context.Context, src string, edits func(*token.FileSet, *ast.File) []edit,
	keeps func(string) bool) string {
	for i := 0; ; {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "main.go", src, parser.SkipObjectResolution)
		if err != nil {
			return src
		}
		es := edits(fset, f)
		if i >= len(es) || ctx.Err() != nil {
			return src
		}
		es[i]()
		var b bytes.Buffer
		if format.Node(&b, fset, f) == nil {
			if s, ok := tidy(b.String()); ok && len(s) < len(src) && keeps(s) {
				src = s
				continue
			}
		}
		i++
	}
}

// mainEdits drops statements of main, the function that calls all others.
func mainEdits(_ *token.FileSet, f *ast.File) []edit {
	bySize := map[int][]edit{}
	for _, d := range f.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Name.Name == "main" {
			drops(bySize, &fd.Body.List, nil)
		}
	}
	return largestFirst(bySize)
}

// bodyEdits replaces the bodies of functions by a panic.
func bodyEdits(_ *token.FileSet, f *ast.File) []edit {
	var bodies []*ast.BlockStmt
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Name.Name != "main" && len(n.Body.List) > 1 {
				bodies = append(bodies, n.Body)
			}
		case *ast.FuncLit:
			if len(n.Body.List) > 1 {
				bodies = append(bodies, n.Body)
			}
		}
		return true
	})
	bySize := map[int][]edit{}
	runs(len(bodies), func(at, end int) {
		bySize[end-at] = append(bySize[end-at], func() {
			for _, b := range bodies[at:end] {
				b.List = []ast.Stmt{&ast.ExprStmt{X: &ast.CallExpr{Fun: ast.NewIdent("panic"),
					Args: []ast.Expr{&ast.BasicLit{Kind: token.INT, Value: "0"}}}}}
			}
		})
	})
	return largestFirst(bySize)
}

// listEdits drops parts of lists: of declarations, statements, cases, elements and fields. Large parts come first.
func listEdits(_ *token.FileSet, f *ast.File) []edit {
	bySize := map[int][]edit{}
	drops(bySize, &f.Decls, func(d ast.Decl) bool {
		switch d := d.(type) {
		case *ast.GenDecl:
			return d.Tok != token.IMPORT
		case *ast.FuncDecl:
			return d.Name.Name != "main"
		}
		return true
	})
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			drops(bySize, &n.List, nil)
		case *ast.CaseClause:
			drops(bySize, &n.Body, nil)
			drops(bySize, &n.List, nil)
		case *ast.CommClause:
			drops(bySize, &n.Body, nil)
		case *ast.CompositeLit:
			drops(bySize, &n.Elts, nil)
		case *ast.CallExpr:
			drops(bySize, &n.Args, nil)
		case *ast.StructType:
			drops(bySize, &n.Fields.List, nil)
		case *ast.InterfaceType:
			drops(bySize, &n.Methods.List, nil)
		case *ast.IfStmt:
			if n.Else != nil {
				bySize[1] = append(bySize[1], func() { n.Else = nil })
			}
			if n.Init != nil {
				bySize[1] = append(bySize[1], func() { n.Init = nil })
			}
		}
		return true
	})
	return largestFirst(bySize)
}

func largestFirst(bySize map[int][]edit) (r []edit) {
	sizes := slices.Sorted(maps.Keys(bySize))
	for _, size := range slices.Backward(sizes) {
		r = append(r, bySize[size]...)
	}
	return r
}

// drops adds the edits that drop a run of elements from a list, for runs of 1, 2, 4, … elements. Without may, any may
// go.
func drops[T any](bySize map[int][]edit, list *[]T, may func(T) bool) {
	runs(len(*list), func(at, end int) {
		if may == nil || all((*list)[at:end], may) {
			bySize[end-at] = append(bySize[end-at], func() { *list = slices.Delete(*list, at, end) })
		}
	})
}

// runs visits the runs of 1, 2, 4, … of n elements that follow each other, and the run of all.
func runs(n int, visit func(at, end int)) {
	size := 1
	for ; size < n; size *= 2 {
		for at := 0; at < n; at += size {
			visit(at, min(at+size, n))
		}
	}
	if n > 0 {
		visit(0, n)
	}
}

func all[T any](list []T, ok func(T) bool) bool {
	return !slices.ContainsFunc(list, func(e T) bool { return !ok(e) })
}

// unwrapEdits replaces a statement by its contents.
func unwrapEdits(_ *token.FileSet, f *ast.File) (r []edit) {
	lists(f, func(list *[]ast.Stmt) {
		for i, s := range *list {
			for _, inside := range insides(s) {
				r = append(r, func() { *list = slices.Replace(*list, i, i+1, inside...) })
			}
		}
	})
	return r
}

// lists visits every list of statements.
func lists(f *ast.File, visit func(*[]ast.Stmt)) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			visit(&n.List)
		case *ast.CaseClause:
			visit(&n.Body)
		case *ast.CommClause:
			visit(&n.Body)
		}
		return true
	})
}

// insides lists the possible replacements of a statement.
func insides(s ast.Stmt) (r [][]ast.Stmt) {
	add := func(s ...ast.Stmt) { r = append(r, s) }
	block := func(b *ast.BlockStmt) {
		for _, c := range b.List {
			switch c := c.(type) {
			case *ast.CaseClause:
				add(c.Body...)
			case *ast.CommClause:
				add(c.Body...)
			}
		}
	}
	with := func(init ast.Stmt, rest []ast.Stmt) {
		if init != nil {
			add(append([]ast.Stmt{init}, rest...)...)
		}
		add(rest...)
	}
	switch s := s.(type) {
	case *ast.BlockStmt:
		add(s.List...)
	case *ast.IfStmt:
		with(s.Init, s.Body.List)
		if s.Else != nil {
			add(s.Else)
		}
	case *ast.ForStmt:
		with(s.Init, s.Body.List)
	case *ast.RangeStmt:
		add(s.Body.List...)
	case *ast.LabeledStmt:
		add(s.Stmt)
	case *ast.SwitchStmt:
		if s.Init != nil {
			add(s.Init)
		}
		block(s.Body)
	case *ast.TypeSwitchStmt:
		block(s.Body)
	case *ast.SelectStmt:
		block(s.Body)
	case *ast.DeferStmt:
		add(&ast.ExprStmt{X: s.Call})
		calledBody(s.Call, add)
	case *ast.GoStmt:
		add(&ast.ExprStmt{X: s.Call})
	case *ast.ExprStmt:
		if c, ok := s.X.(*ast.CallExpr); ok {
			calledBody(c, add)
			for _, a := range c.Args {
				if _, ok := a.(*ast.CallExpr); ok {
					add(&ast.ExprStmt{X: a})
				}
			}
		}
	}
	return r
}

// calledBody adds the bodies of the function literals in a call.
func calledBody(c *ast.CallExpr, add func(...ast.Stmt)) {
	for _, e := range append([]ast.Expr{c.Fun}, c.Args...) {
		if l, ok := e.(*ast.FuncLit); ok {
			add(l.Body.List...)
		}
	}
}
