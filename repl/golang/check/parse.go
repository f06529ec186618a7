package check

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"

	"github.com/gorocm/gorocm/repl/modules"
)

// Cell is the syntax of one cell.
type Cell struct {
	Name    string // cell[3]
	src     string
	Imports []*ast.GenDecl
	Decls   []*Decl
	Body    *ast.BlockStmt // the statements; nil without any
	Quiet   bool           // the last statement ends in a semicolon: its value is not shown
	Shows   bool           // the last item is a statement
	Values  int            // how many expressions stand there, of which the last statements were made; 0 for no list
}

// Decl is a declaration at a cell's top level: one function, one method, one type, or one const group.
type Decl struct {
	Cell     string
	Names    []string // T, f, a and b; T.M for a method
	Node     ast.Decl
	Spec     *ast.TypeSpec // of a type
	Receiver string        // of a method: the name of its base type
	text     string        // normalised source, to see whether a cell that runs again changes anything
}

// Parse reads a cell. It returns every syntax error of it.
func (sc *Scope) Parse(name, src string) (*Cell, []Problem) {
	sc.forgetFiles()
	c := &Cell{Name: name, src: src}
	sc.addFile(c, nil) // so that its lines go in their turn
	items := Split(src)
	if n := len(items); n > 0 && items[n-1].Kind == StmtItem {
		var list string
		if list, c.Values = SeparateValues(src[items[n-1].Start:items[n-1].End]); c.Values > 0 {
			src = src[:items[n-1].Start] + list + src[items[n-1].End:]
		}
	}
	if ps := betweenItems(name, src); ps != nil {
		return c, ps
	}
	var ps []Problem
	isStmt := func(it Item) bool { return it.Kind == StmtItem }
	isDecl := func(it Item) bool { return it.Kind != StmtItem }
	if HasKind(items, isDecl) {
		// Imports may stand anywhere in a cell, but only first in a file: they get a file of their own.
		for _, kind := range []ItemKind{ImportItem, DeclItem} {
			want := func(it Item) bool { return it.Kind == kind }
			if !HasKind(items, want) {
				continue
			}
			f, err := parser.ParseFile(sc.Fset, "", "package main;/*line "+name+":1:1*/"+string(Mask(src, items, want)),
				parser.SkipObjectResolution|parser.ParseComments)
			ps = append(ps, SyntaxErrors(err)...)
			if f == nil {
				continue
			}
			sc.addFile(c, f)
			if deep := sc.tooDeep(f); deep != nil {
				return c, deep
			}
			ps = append(ps, sc.braceOnNextLine(f, src)...)
			for _, d := range f.Decls {
				c.declaration(d)
			}
		}
	}
	if HasKind(items, isStmt) {
		head := "package main;func _(){/*line " + name + ":1:1*/"
		f, err := parser.ParseFile(sc.Fset, "", head+string(Mask(src, items, isStmt))+"\n}",
			parser.SkipObjectResolution)
		if f != nil {
			sc.addFile(c, f)
			if deep := sc.tooDeep(f); deep != nil {
				return c, deep
			}
		}
		sp := SyntaxErrors(err)
		if len(sp) == 0 && len(f.Decls) == 1 {
			c.Body = f.Decls[0].(*ast.FuncDecl).Body
		} else if len(sp) == 0 {
			sp = []Problem{{Pos: sc.Fset.Position(f.Decls[1].Pos()), name: "SyntaxError", Message: "unmatched }"}}
		}
		lines := strings.Count(src, "\n") + 1
		for i := range sp {
			if sp[i].Pos.Line > lines { // in the brace that closes our wrapper
				sp[i].Pos.Line, sp[i].Pos.Column = lines, len(src)-strings.LastIndex(src, "\n")
				sp[i].Message = strings.Replace(sp[i].Message, "found '}'", "found the end of the cell", 1)
			}
			sp[i].Message = strings.Replace(sp[i].Message, "found 'EOF'", "found the end of the cell", 1)
		}
		ps = append(ps, sp...)
		last := items[len(items)-1]
		c.Shows, c.Quiet = isStmt(last), last.Semicolon
	}
	sc.NameResults(c.nodes()...)
	return c, causes(ps, src)
}

// betweenItems finds what the parser does not, which gets items.
func betweenItems(name, src string) []Problem {
	at, message, hint := 0, "", ""
	if at = unclosedComment(src); at >= 0 {
		message = "comment not terminated"
	} else if at = unmatched(src); at >= 0 {
		message = "unmatched " + src[at:at+1]
	} else if at = embedDirective(src); at >= 0 {
		message = "//go:embed embeds nothing in a cell or a script"
		hint = "os.ReadFile reads a file and os.DirFS a folder; a package that embeds files is imported: " +
			"%get FOLDER, of its module"
	} else {
		return nil
	}
	pos := Position(name, 1+strings.Count(src[:at], "\n"), at-strings.LastIndexByte(src[:at], '\n'))
	return []Problem{{Pos: pos, name: "SyntaxError", Message: message, Hint: hint}}
}

// embedDirective is where a //go:embed line is, -1 without one.
func embedDirective(src string) int {
	const directive = "//go:embed"
	if !strings.Contains(src, directive) {
		return -1
	}
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(src))
	s.Init(file, []byte(src), nil, scanner.ScanComments)
	for {
		pos, tok, text := s.Scan()
		rest, ok := strings.CutPrefix(text, directive)
		if tok == token.COMMENT && ok && strings.Trim(rest, " \t") != rest {
			return file.Offset(pos)
		}
		if tok == token.EOF {
			return -1
		}
	}
}

// causes words syntax errors, and leaves out what follows from others.
func causes(ps []Problem, src string) []Problem {
	for i := range ps {
		ps[i] = syntaxProblem(ps[i], src)
		if ps[i].foreign || strings.HasSuffix(ps[i].Message, "found 'package'") {
			return ps[i : i+1]
		}
	}
	if n := len(ps); n > 1 && strings.HasSuffix(ps[n-1].Message, "found the end of the cell") {
		ps = ps[:n-1]
	}
	return ps
}

// nodes are the cell's declarations and its statements.
func (c *Cell) nodes() []ast.Node { return nodesOf(c.Decls, c.Body) }

func nodesOf(decls []*Decl, body *ast.BlockStmt) (r []ast.Node) {
	for _, d := range decls {
		r = append(r, d.Node)
	}
	if body != nil {
		r = append(r, body)
	}
	return r
}

// braceOnNextLine finds functions whose body begins on another line, where it is not part of them.
func (sc *Scope) braceOnNextLine(f *ast.File, src string) []Problem {
	var ps []Problem
	for _, d := range f.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || fd.Body != nil {
			continue
		}
		lines := strings.Split(src, "\n")
		p := sc.Fset.Position(fd.End())
		rest := strings.TrimSpace(strings.Join(lines[min(p.Line, len(lines)):], "\n"))
		if p.IsValid() && strings.HasPrefix(rest, "{") {
			ps = append(ps, Problem{Pos: p, name: "SyntaxError", Message: "unexpected semicolon or newline before {"})
		}
	}
	return ps
}

func HasKind(items []Item, want func(Item) bool) bool {
	for _, it := range items {
		if want(it) {
			return true
		}
	}
	return false
}

func SyntaxErrors(err error) []Problem {
	if err == nil {
		return nil
	}
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return []Problem{{name: "SyntaxError", Message: err.Error()}}
	}
	var ps []Problem
	for _, e := range list {
		ps = append(ps, Problem{Pos: e.Pos, name: "SyntaxError", Message: e.Msg})
	}
	return ps
}

// declaration files a declaration under the names that it declares.
func (c *Cell) declaration(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		dl := &Decl{Cell: c.Name, Node: d, Names: []string{d.Name.Name}, text: NodeText(d)}
		if d.Recv != nil && len(d.Recv.List) > 0 {
			dl.Receiver = modules.ReceiverName(d.Recv.List[0].Type)
			dl.Names = []string{dl.Receiver + "." + d.Name.Name}
		}
		c.Decls = append(c.Decls, dl)
	case *ast.GenDecl:
		switch d.Tok {
		case token.IMPORT:
			c.Imports = append(c.Imports, d)
		case token.TYPE:
			for _, s := range d.Specs {
				ts := s.(*ast.TypeSpec)
				g := &ast.GenDecl{Doc: d.Doc, TokPos: d.TokPos, Tok: token.TYPE, Specs: []ast.Spec{ts}}
				c.Decls = append(c.Decls,
					&Decl{Cell: c.Name, Node: g, Spec: ts, Names: []string{ts.Name.Name}, text: NodeText(g)})
			}
		case token.CONST:
			dl := &Decl{Cell: c.Name, Node: d, text: NodeText(d)}
			for _, s := range d.Specs {
				for _, n := range s.(*ast.ValueSpec).Names {
					dl.Names = append(dl.Names, n.Name)
				}
			}
			c.Decls = append(c.Decls, dl)
		}
	}
}
