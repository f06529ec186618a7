package modules

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"

	"github.com/gorocm/gorocm/repl/golang/linked"
)

// complete gives a body to every function that has none and is not left out: its stand-in, or a panic that says why it
// cannot be interpreted.
func (o *outline) complete(fset *token.FileSet, p *Package, f *ast.File) error {
	targets := map[string]string{}
	for _, d := range f.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || fd.Body != nil || o.funcs[fd] != nil {
			continue
		}
		if len(targets) == 0 {
			targets = linknames(f)
		}
		name := funcName(fd)
		if s := standIn(p.Path, name, targets[name]); s != "" {
			if err := s.put(fset, f, fd, p.Path+"."+name); err != nil {
				return err
			}
			continue
		}
		if linked.Has(targets[name]) {
			useLinked(f, fd, targets[name])
			continue
		}
		why := fmt.Sprintf("%s.%s cannot be interpreted: %v has no body for it", p.Path, name, fset.Position(fd.Pos()))
		for _, o := range p.Obstacles {
			if o.Name == name {
				why = fmt.Sprintf("%s.%s cannot be interpreted because %v", p.Path, name, o)
			}
		}
		at := fd.End()
		fd.Body = &ast.BlockStmt{Lbrace: at, Rbrace: at, List: []ast.Stmt{&ast.ExprStmt{X: &ast.CallExpr{
			Fun:    &ast.Ident{NamePos: at, Name: "panic"},
			Lparen: at, Args: []ast.Expr{&ast.BasicLit{ValuePos: at, Kind: token.STRING, Value: strconv.Quote(why)}},
			Rparen: at,
		}}}}
	}
	return nil
}

// equivalent is a function literal, which may use the packages of the standard library that its text names by their
// last element.
type equivalent string

// put makes the equivalent the body of a function in f, and imports what it uses under names that no one else has.
func (s equivalent) put(fset *token.FileSet, f *ast.File, fd *ast.FuncDecl, name string) error {
	text := "package p\nvar _ = " + string(s)
	g, err := parser.ParseFile(fset, "stand-in for "+name, text, parser.SkipObjectResolution)
	if err != nil {
		return failure(fmt.Sprintf("the stand-in for %s: %v", name, err))
	}
	lit := g.Decls[0].(*ast.GenDecl).Specs[0].(*ast.ValueSpec).Values[0].(*ast.FuncLit)
	fd.Type, fd.Body = lit.Type, lit.Body
	importStandIns(f, lit)
	return nil
}

// useLinked makes a body that calls the function with a linker's name:
//
//	return (*(*func(int) int)(linked.Func("name")))(a)
func useLinked(f *ast.File, fd *ast.FuncDecl, target string) {
	sig := &ast.FuncType{Params: &ast.FieldList{}, Results: fd.Type.Results}
	named := &ast.FuncType{Params: &ast.FieldList{}, Results: fd.Type.Results}
	get := &ast.CallExpr{Fun: &ast.SelectorExpr{X: ast.NewIdent("linked"), Sel: ast.NewIdent("Func")},
		Args: []ast.Expr{&ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(target)}}}
	call := &ast.CallExpr{Fun: &ast.ParenExpr{X: &ast.StarExpr{X: &ast.CallExpr{
		Fun: &ast.ParenExpr{X: &ast.StarExpr{X: sig}}, Args: []ast.Expr{get}}}}}
	for _, p := range fd.Type.Params.List {
		for range max(1, len(p.Names)) {
			name := fmt.Sprintf("a%d", len(call.Args))
			sig.Params.List = append(sig.Params.List, &ast.Field{Type: p.Type})
			param := &ast.Field{Names: []*ast.Ident{ast.NewIdent(name)}, Type: p.Type}
			named.Params.List = append(named.Params.List, param)
			call.Args = append(call.Args, ast.NewIdent(name))
		}
	}
	var s ast.Stmt = &ast.ExprStmt{X: call}
	if sig.Results != nil {
		s = &ast.ReturnStmt{Results: []ast.Expr{call}}
	}
	fd.Type, fd.Body = named, &ast.BlockStmt{Lbrace: fd.End(), Rbrace: fd.End(), List: []ast.Stmt{s}}
	importStandIns(f, get)
}

// importStandIns imports the packages that stand-ins use, under names that no one else has.
func importStandIns(f *ast.File, code ast.Node) {
	ast.Inspect(code, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		id, ok := sel.X.(*ast.Ident)
		if !ok || standInImports[id.Name] == "" {
			return true
		}
		path := standInImports[id.Name]
		id.Name = "standin_" + id.Name
		for _, i := range f.Imports {
			if i.Name != nil && i.Name.Name == id.Name {
				return true
			}
		}
		spec := &ast.ImportSpec{Name: ast.NewIdent(id.Name),
			Path: &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(path)}}
		f.Imports = append(f.Imports, spec)
		f.Decls = append([]ast.Decl{&ast.GenDecl{Tok: token.IMPORT, Specs: []ast.Spec{spec}}}, f.Decls...)
		return true
	})
}
