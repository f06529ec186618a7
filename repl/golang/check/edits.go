package check

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"sort"
	"strings"
)

// Edits are changes to the text of a cell, at places that the checked tree gives. The tree has calls that the session
// has put around expressions; they have the positions of what they are around.
type Edits struct {
	e    *Scope
	name string // of the cell
	src  string
	line []int // offsets where lines begin
	list []edit

	// must is what stands around a call that returns an error beside its values, where the values alone are wanted.
	Must func(*ast.CallExpr) (before, after string)
	// ident is the text for a name that is not a field or method, "" for the name itself.
	ident func(*ast.Ident) string
	// member is ident for a name after a dot.
	member func(*ast.Ident) string
}

type edit struct {
	from, to int
	text     string
	// of edits at one place: what closes an expression, a statement, opens a statement, an expression, what replaces
	rank  int
	order int
}

func NewEdits(e *Scope, name, src string) *Edits {
	ed := &Edits{e: e, name: name, src: src, line: []int{0}}
	for i := range len(src) {
		if src[i] == '\n' {
			ed.line = append(ed.line, i+1)
		}
	}
	return ed
}

// offset is where a node's position is in the text, -1 when it is not in this cell.
func (ed *Edits) offset(p token.Pos) int {
	at := ed.e.Fset.Position(p)
	if at.Filename != ed.name || at.Line < 1 || at.Line > len(ed.line) {
		return -1
	}
	return min(ed.line[at.Line-1]+at.Column-1, len(ed.src))
}

func (ed *Edits) add(from, to int, text string, rank int) {
	if from < 0 || to < from || text == "" && from == to {
		return
	}
	ed.list = append(ed.list, edit{from, to, text, rank, len(ed.list)})
}

// EndOf is where a node ends in the text. The calls that the session inserts end one byte behind what they are around.
func EndOf(n ast.Node) token.Pos {
	switch n := n.(type) {
	case *ast.CallExpr:
		if IsOut(n) || IsCallOf(n, MustName) {
			return EndOf(n.Args[0])
		}
	case *ast.ExprStmt:
		return EndOf(n.X)
	case *ast.AssignStmt:
		return EndOf(n.Rhs[len(n.Rhs)-1])
	case *ast.DeclStmt:
		return EndOf(n.Decl)
	case *ast.GenDecl:
		if !n.Lparen.IsValid() {
			return EndOf(n.Specs[len(n.Specs)-1])
		}
	case *ast.ValueSpec:
		if len(n.Values) > 0 {
			return EndOf(n.Values[len(n.Values)-1])
		}
	case *ast.LabeledStmt:
		return EndOf(n.Stmt)
	case *ast.SendStmt:
		return EndOf(n.Value)
	case *ast.BinaryExpr:
		return EndOf(n.Y)
	case *ast.UnaryExpr:
		return EndOf(n.X)
	case *ast.StarExpr:
		return EndOf(n.X)
	case *ast.KeyValueExpr:
		return EndOf(n.Value)
	}
	return n.End()
}

// Insert puts text before the statement that begins at p; insertAfter puts it behind the one that ends there.
func (ed *Edits) Insert(p token.Pos, text string)      { at := ed.offset(p); ed.add(at, at, text, 0) }
func (ed *Edits) InsertAfter(p token.Pos, text string) { at := ed.offset(p); ed.add(at, at, text, -1) }

func (ed *Edits) replace(from, to token.Pos, text string) {
	ed.add(ed.offset(from), ed.offset(to), text, 2)
}

// Walk makes the edits of a tree.
func (ed *Edits) Walk(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if IsCallOf(n, MustName) && ed.Must != nil {
				before, after := ed.Must(n.Args[0].(*ast.CallExpr))
				from, to := ed.offset(n.Pos()), ed.offset(EndOf(n))
				ed.add(from, from, before, 1)
				ed.add(to, to, after, -2)
			}
		case *ast.SelectorExpr:
			ed.Walk(n.X)
			ed.rename(n.Sel, ed.member)
			return false
		case *ast.Ident:
			if !strings.HasSuffix(n.Name, ".") && !strings.HasPrefix(n.Name, MustName) {
				ed.rename(n, ed.ident)
			}
		}
		return true
	})
}

// rename gives an identifier the text that name has for it, if any.
func (ed *Edits) rename(id *ast.Ident, name func(*ast.Ident) string) {
	if name == nil {
		return
	}
	if text := name(id); text != "" && text != id.Name {
		ed.replace(id.Pos(), id.Pos()+token.Pos(len(id.Name)), text)
	}
}

// Apply is the text from one offset to another with its edits.
func (ed *Edits) Apply(from, to int) string {
	list := make([]edit, 0, len(ed.list))
	for _, x := range ed.list {
		// What opens at the end belongs to what follows, and what closes at the start to what is before.
		if x.from < from || x.to > to || x.from == to && x.rank >= 0 || x.from == from && x.rank < 0 && x.from == x.to {
			continue
		}
		list = append(list, x)
	}
	sort.SliceStable(list, func(i, j int) bool {
		a, b := list[i], list[j]
		switch {
		case a.from != b.from:
			return a.from < b.from
		case a.rank != b.rank:
			return a.rank < b.rank
		case a.rank < 0:
			return a.order > b.order // the inner one closes first
		}
		return a.order < b.order
	})
	var b strings.Builder
	at := from
	for _, x := range list {
		if x.from < at {
			continue
		}
		b.WriteString(ed.src[at:x.from])
		b.WriteString(x.text)
		at = x.to
	}
	b.WriteString(ed.src[at:to])
	return b.String()
}

// commentsAround are the comments that belong to src[from:to]: those on the lines above without an empty line between,
// and the one after it on its last line.
func commentsAround(src string, from, to int) (lead, trail string) {
	fset := token.NewFileSet()
	f := fset.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(f, []byte(src), func(token.Position, string) {}, scanner.ScanComments)
	begun := -1 // of the comments right above
	end := 0
	line := func(off int) int { return f.Line(f.Pos(off)) }
	before := -1 // line of what stands before them
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		off := f.Offset(pos)
		switch {
		case tok == token.COMMENT && off >= to:
			if line(off) == line(max(to-1, 0)) && trail == "" {
				trail = " " + strings.TrimRight(lit, "\n")
			}
			return lead, trail
		case tok == token.COMMENT && off < from:
			if begun < 0 || line(off) > line(end)+1 {
				begun = -1
				if line(off) != before {
					begun = off
				}
			}
			end = min(off+len(lit)-1, len(src)-1)
		case tok == token.SEMICOLON:
		case off < from:
			begun, before = -1, line(max(off+len(lit)-1, off))
		case off == from:
			if begun >= 0 && line(end)+1 >= line(from) {
				lead = src[begun:from]
			}
		case off >= to:
			return lead, trail
		}
	}
	return lead, trail
}
