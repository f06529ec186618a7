package golang

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"

	"github.com/gorocm/gorocm/repl/modules"
)

// cell is the syntax of one cell.
type cell struct {
	name    string // cell[3]
	src     string
	imports []*ast.GenDecl
	decls   []*decl
	body    *ast.BlockStmt // the statements; nil without any
	quiet   bool           // the last statement ends in a semicolon: its value is not shown
	shows   bool           // the last item is a statement
}

// decl is a declaration at a cell's top level: one function, one method, one type, or one const group.
type decl struct {
	cell  string
	names []string // T, f, a and b; T.M for a method
	node  ast.Decl
	spec  *ast.TypeSpec // of a type
	recv  string        // of a method: the name of its base type
	text  string        // normalised source, to see whether a cell that runs again changes anything
}

// parse reads a cell. It returns every syntax error of it.
func (e *Scope) parse(name, src string) (*cell, []problem) {
	c := &cell{name: name, src: src}
	items := split(src)
	if at := unmatched(src); at >= 0 {
		line := 1 + strings.Count(src[:at], "\n")
		return c, []problem{{pos: position(name, line, at-strings.LastIndexByte(src[:at], '\n')), name: "SyntaxError", msg: "unmatched " + src[at:at+1]}}
	}
	var ps []problem
	isStmt := func(it item) bool { return it.kind == statement }
	isDecl := func(it item) bool { return it.kind != statement }
	if hasKind(items, isDecl) {
		// Imports may stand anywhere in a cell, but only first in a file: they get a file of their own.
		for _, kind := range []itemKind{importing, declaring} {
			want := func(it item) bool { return it.kind == kind }
			if !hasKind(items, want) {
				continue
			}
			f, err := parser.ParseFile(e.fset, "", "package main;/*line "+name+":1:1*/"+string(mask(src, items, want)), parser.SkipObjectResolution|parser.ParseComments)
			ps = append(ps, syntaxErrors(err)...)
			if f == nil {
				continue
			}
			ps = append(ps, e.braceOnNextLine(f, src)...)
			for _, d := range f.Decls {
				c.declaration(d)
			}
		}
	}
	if hasKind(items, isStmt) {
		head := "package main;func _(){/*line " + name + ":1:1*/"
		f, err := parser.ParseFile(e.fset, "", head+string(mask(src, items, isStmt))+"\n}", parser.SkipObjectResolution)
		sp := syntaxErrors(err)
		if len(sp) == 0 && len(f.Decls) == 1 {
			c.body = f.Decls[0].(*ast.FuncDecl).Body
		} else if len(sp) == 0 {
			sp = []problem{{pos: e.fset.Position(f.Decls[1].Pos()), name: "SyntaxError", msg: "unmatched }"}}
		}
		lines := strings.Count(src, "\n") + 1
		for i := range sp {
			if sp[i].pos.Line > lines { // in the brace that closes our wrapper
				sp[i].pos.Line, sp[i].pos.Column = lines, len(src)-strings.LastIndex(src, "\n")
				sp[i].msg = strings.Replace(sp[i].msg, "found '}'", "found the end of the cell", 1)
			}
			sp[i].msg = strings.Replace(sp[i].msg, "found 'EOF'", "found the end of the cell", 1)
		}
		ps = append(ps, sp...)
		last := items[len(items)-1]
		c.shows, c.quiet = isStmt(last), last.semicolon
	}
	e.nameResults(c.nodes()...)
	for i := range ps {
		if ps[i] = syntaxProblem(ps[i], src); strings.HasSuffix(ps[i].msg, "found 'package'") {
			return c, ps[i : i+1] // the rest follows from it
		}
	}
	return c, ps
}

// nodes are the cell's declarations and its statements.
func (c *cell) nodes() (r []ast.Node) {
	for _, d := range c.decls {
		r = append(r, d.node)
	}
	if c.body != nil {
		r = append(r, c.body)
	}
	return r
}

// braceOnNextLine finds functions whose body begins on another line, where it is no part of them.
func (e *Scope) braceOnNextLine(f *ast.File, src string) []problem {
	var ps []problem
	for _, d := range f.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || fd.Body != nil {
			continue
		}
		lines := strings.Split(src, "\n")
		p := e.fset.Position(fd.End())
		rest := strings.TrimSpace(strings.Join(lines[min(p.Line, len(lines)):], "\n"))
		if p.IsValid() && strings.HasPrefix(rest, "{") {
			ps = append(ps, problem{pos: p, name: "SyntaxError", msg: "unexpected semicolon or newline before {"})
		}
	}
	return ps
}

func hasKind(items []item, want func(item) bool) bool {
	for _, it := range items {
		if want(it) {
			return true
		}
	}
	return false
}

func syntaxErrors(err error) []problem {
	if err == nil {
		return nil
	}
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return []problem{{name: "SyntaxError", msg: err.Error()}}
	}
	var ps []problem
	for _, e := range list {
		ps = append(ps, problem{pos: e.Pos, name: "SyntaxError", msg: e.Msg})
	}
	return ps
}

// declaration files a declaration under the names that it declares.
func (c *cell) declaration(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		dl := &decl{cell: c.name, node: d, names: []string{d.Name.Name}, text: nodeText(d)}
		if d.Recv != nil && len(d.Recv.List) > 0 {
			dl.recv = modules.ReceiverName(d.Recv.List[0].Type)
			dl.names = []string{dl.recv + "." + d.Name.Name}
		}
		c.decls = append(c.decls, dl)
	case *ast.GenDecl:
		switch d.Tok {
		case token.IMPORT:
			c.imports = append(c.imports, d)
		case token.TYPE:
			for _, s := range d.Specs {
				ts := s.(*ast.TypeSpec)
				g := &ast.GenDecl{Doc: d.Doc, TokPos: d.TokPos, Tok: token.TYPE, Specs: []ast.Spec{ts}}
				c.decls = append(c.decls, &decl{cell: c.name, node: g, spec: ts, names: []string{ts.Name.Name}, text: nodeText(g)})
			}
		case token.CONST:
			dl := &decl{cell: c.name, node: d, text: nodeText(d)}
			for _, s := range d.Specs {
				for _, n := range s.(*ast.ValueSpec).Names {
					dl.names = append(dl.names, n.Name)
				}
			}
			c.decls = append(c.decls, dl)
		}
	}
}
