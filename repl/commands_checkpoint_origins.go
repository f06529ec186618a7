package repl

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/repl/internal/checkpoint"
)

// origins finds the statements that have given variables their values, in the Go that a session has run.
type origins struct {
	codes   []ran
	defined map[string]string // the cell that has declared a name last
	lost    map[string]bool   // variables that are not kept
}

// origin is the statement that has given a variable its value last.
type origin struct {
	code, item int          // where it is: see itemsOf
	statement  string       // as an assignment
	literal    *ast.FuncLit // its value, if that is a function literal
	elsewhere  bool         // the variable may have another value since
}

// item is a statement or declaration at the top level of a cell.
type item struct {
	text string // of the file that it was parsed in, for positions
	stmt ast.Stmt
	decl ast.Decl
}

// tell adds to what is lost how it was made. A variable that holds nothing but a function literal, whose names still
// mean what they meant, gets its value by running its statement again, which has no other effect.
func (o *origins) tell(list []checkpoint.Lost) {
	for i, at := range o.find(list) {
		if at == nil || at.statement == "" {
			continue
		}
		l := &list[i]
		l.Statement, l.Order = at.statement, at.code<<20|at.item
		l.Literal = at.literal != nil && !at.elsewhere && o.means(at, l.Name)
	}
}

// find returns where variables have their values from; nil for those of which that is not known.
func (o *origins) find(list []checkpoint.Lost) []*origin {
	found := make([]*origin, len(list))
	known := make([]bool, len(list)) // the declaration has been found: a later one of the same type is an assignment
	for i, c := range o.codes {
		var items []item // parsed once for all variables
		for n, l := range list {
			if !strings.Contains(c.Code, l.Name) {
				continue
			}
			if items == nil {
				items = itemsOf(c.Code)
			}
			for k, it := range items {
				at := found[n]
				if next := o.assigned(it, l.Name); next != nil {
					next.code, next.item = i, k
					next.elsewhere = at != nil && at.elsewhere
					known[n] = known[n] || cellLabel(c.Number) == l.Cell && it.declares(l.Name)
					found[n], at = next, next
				}
				if at != nil && (c.Failed || it.changes(l.Name)) {
					at.elsewhere = true
				}
			}
		}
	}
	for n := range found {
		if !known[n] {
			found[n] = nil
		}
	}
	return found
}

// itemsOf returns the items of a cell that can be parsed alone.
func itemsOf(code string) (list []item) {
	_, others := golang.SplitDeclarations(code)
	for _, text := range others {
		fset := token.NewFileSet()
		file := "package main\nfunc _() {\n" + text + "\n}"
		if f, err := parser.ParseFile(fset, "", file, parser.SkipObjectResolution); err == nil {
			if body := f.Decls[0].(*ast.FuncDecl).Body.List; len(body) > 0 {
				list = append(list, item{text: file, stmt: body[0]})
			}
			continue
		}
		file = "package main\n" + text
		if f, err := parser.ParseFile(fset, "", file, parser.SkipObjectResolution); err == nil && len(f.Decls) > 0 {
			list = append(list, item{text: file, decl: f.Decls[0]})
		}
	}
	return list
}

// sides are the names and the values of an item that declares variables or assigns to them.
func (it item) sides() (names []*ast.Ident, values []ast.Expr, declares bool) {
	switch s := it.stmt.(type) {
	case *ast.AssignStmt:
		if s.Tok != token.DEFINE && s.Tok != token.ASSIGN {
			return nil, nil, false
		}
		for _, x := range s.Lhs {
			id, _ := x.(*ast.Ident)
			names = append(names, id)
		}
		return names, s.Rhs, s.Tok == token.DEFINE
	case *ast.DeclStmt:
		g := s.Decl.(*ast.GenDecl)
		if v, ok := g.Specs[0].(*ast.ValueSpec); ok && len(g.Specs) == 1 && g.Tok == token.VAR {
			return v.Names, v.Values, true
		}
	}
	return nil, nil, false
}

// declares reports whether an item declares a name.
func (it item) declares(name string) bool {
	names, _, declares := it.sides()
	if declares {
		return slices.ContainsFunc(names, func(id *ast.Ident) bool { return id != nil && id.Name == name })
	}
	if f, ok := it.decl.(*ast.FuncDecl); ok {
		return f.Recv == nil && f.Name.Name == name
	}
	found := false
	if s, ok := it.stmt.(*ast.DeclStmt); ok {
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				found = found || n.Name.Name == name
			case *ast.ValueSpec:
				found = found || slices.ContainsFunc(n.Names, func(id *ast.Ident) bool { return id.Name == name })
			}
			return true
		})
	}
	return found
}

// assigned returns the item as the origin of a variable, nil if it is none.
func (o *origins) assigned(it item, name string) *origin {
	names, values, _ := it.sides()
	if i := slices.IndexFunc(names, func(id *ast.Ident) bool { return id != nil && id.Name == name }); i < 0 {
		if it.declares(name) {
			return &origin{}
		}
		return nil
	}
	at := &origin{}
	if len(values) == 0 || slices.Contains(names, nil) {
		return at
	}
	var left []string
	for _, id := range names {
		if !o.lost[id.Name] {
			left = append(left, "_") // it is kept
			continue
		}
		left = append(left, id.Name)
	}
	at.statement = strings.Join(left, ", ") + " = " + it.text[values[0].Pos()-1:values[len(values)-1].End()-1]
	if len(names) == 1 && len(values) == 1 {
		at.literal, _ = values[0].(*ast.FuncLit)
	}
	return at
}

// changes reports whether an item may give a variable another value than a statement at the top level does.
func (it item) changes(name string) (found bool) {
	is := func(x ast.Expr) bool {
		id, ok := x.(*ast.Ident)
		return ok && id.Name == name
	}
	var root ast.Node = it.stmt
	if it.decl != nil {
		root = it.decl
	}
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			found = found || ast.Node(n) != root && n.Tok != token.DEFINE && slices.ContainsFunc(n.Lhs, is)
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && is(n.X)
		case *ast.RangeStmt:
			found = found || n.Tok == token.ASSIGN && (is(n.Key) || is(n.Value))
		}
		return true
	})
	return found
}

// means reports whether the names in a function literal are still those that they were when it ran.
func (o *origins) means(at *origin, name string) bool {
	used := map[string]bool{}
	ast.Inspect(at.literal, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name != name {
			used[id.Name] = true
		}
		return true
	})
	for n := range used {
		if cell := o.defined[n]; cell != "" && !o.before(n, cell, at) {
			return false
		}
	}
	return true
}

// before reports whether a cell has declared a name before a statement, and none has after it.
func (o *origins) before(name, cell string, at *origin) bool {
	declared := cell == golang.AsImport
	for i, c := range o.codes {
		if cellLabel(c.Number) != cell && cell != golang.AsImport || !strings.Contains(c.Code, name) {
			continue
		}
		for k, it := range itemsOf(c.Code) {
			if !it.declares(name) {
				continue
			}
			_, isFunc := it.decl.(*ast.FuncDecl)
			first := isFunc && i == at.code // functions of a cell are declared before its statements run
			if cell == golang.AsImport || !first && (i > at.code || i == at.code && k > at.item) {
				return false
			}
			declared = true
		}
	}
	return declared
}
