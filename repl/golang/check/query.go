package check

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/gorocm/gorocm/repl/modules"
)

// parserPlace is where an error of the parser says it is, in code of one line.
var parserPlace = regexp.MustCompile(`^\d+:\d+: `)

// TypeOf is the static type of an expression, as a declaration would spell it; several values are listed in
// parentheses. Nothing is evaluated. Of a type it is the type itself and its underlying one, of a package its import
// path. It may be called while a cell runs.
func (sc *Scope) TypeOf(src string) (text string, failure *Failure) {
	const name = "expression"
	src = strings.TrimSpace(src)
	x, err := parser.ParseExpr(src)
	if err != nil {
		return "", &Failure{Name: "SyntaxError",
			Message: "not an expression: " + parserPlace.ReplaceAllString(FirstLine(err.Error()), "")}
	}
	sc.Mu.Lock()
	defer sc.Mu.Unlock()
	if id, ok := x.(*ast.Ident); ok && types.Universe.Lookup(id.Name) == nil {
		if text, ok := sc.typeOfName(id.Name); ok {
			return text, nil
		}
	}
	defer func() {
		if r := recover(); r != nil {
			text, failure = "", BugFailure(r)
		}
	}()
	sc.Sources.Set(name, strings.Split(src, "\n"))
	c, ps := sc.Parse(name, src+";")
	if len(ps) > 0 {
		return "", sc.Failure(ps)
	}
	k := sc.DryCheck(c)
	last, ok := lastOf(c).(*ast.ExprStmt)
	if !ok {
		return "", &Failure{Name: "SyntaxError", Message: "not an expression: " + src}
	}
	y := last.X
	if IsOut(y) {
		y = y.(*ast.CallExpr).Args[0]
	}
	tv, ok := k.Result.Info.Types[y]
	// An expression that stands alone is an error of its own, which says nothing about its type.
	ps = withoutUnused(k.Problems)
	if len(ps) > 0 || !ok || tv.Type == nil {
		if len(ps) == 0 {
			return "", &Failure{Name: "TypeError", Message: src + " has no type"}
		}
		return "", sc.Failure(ps)
	}
	switch {
	case tv.IsVoid():
		return "no value", nil
	case tv.IsType():
		return typeText(tv.Type), nil
	case tv.IsBuiltin():
		return "builtin function", nil
	case tv.Value != nil:
		return Display(tv.Type) + " = " + tv.Value.String(), nil
	}
	return Display(tv.Type), nil
}

// BugFailure is the failure of a panic in the session's own code, which must not take the session along.
func BugFailure(r any) *Failure {
	return &Failure{Name: "InternalError", Message: fmt.Sprint(r), Trace: Stack(),
		Notes: []string{"this is a bug in gorocm: please report it with the cell"}}
}

func withoutUnused(ps []Problem) (r []Problem) {
	for _, p := range ps {
		if !strings.HasSuffix(p.Message, "is not used") && !strings.HasSuffix(p.Message, "is not an expression") {
			r = append(r, p)
		}
	}
	return r
}

// typeOfName is TypeOf for a name that needs no checking: one of a type, a package or a generic function.
func (sc *Scope) typeOfName(name string) (string, bool) {
	if b := sc.Bindings[name]; b != nil && b.Object != nil {
		switch o := b.Object.(type) {
		case *types.TypeName:
			return typeText(o.Type()), true
		case *types.Func:
			return Display(o.Type()), true
		case *types.Const:
			return Display(o.Type()) + " = " + o.Val().String(), true
		}
		return "", false
	}
	o := sc.Dots[name]
	if o == nil {
		path := sc.AutoImports[name]
		if b := sc.Bindings[name]; b != nil {
			path = b.Path
		}
		if path == "" {
			return "", false
		}
		return "package " + path, true
	}
	if t, ok := o.(*types.TypeName); ok {
		return typeText(t.Type()), true
	}
	return Display(o.Type()), true
}

// typeText is a type with what it is made of.
func typeText(t types.Type) string {
	text := Display(t)
	if under := Display(t.Underlying()); under != text {
		return "type " + text + " " + under
	}
	return "type " + text
}

// DryCheck checks a cell and leaves no trace of it.
func (sc *Scope) DryCheck(c *Cell) *Checker {
	k := sc.newChecker(c)
	k.dry = true
	k.all(nil)
	k.hints()
	return k
}

func lastOf(c *Cell) ast.Stmt {
	if c.Body == nil || len(c.Body.List) == 0 {
		return nil
	}
	return c.Body.List[len(c.Body.List)-1]
}

// Source is the source of a function, type or constant that a cell declared, of a type with its methods, or of a
// generic function of the library; T.M is a method. where says where it stands.
func (sc *Scope) Source(name string) (text, where string, ok bool) {
	sc.Mu.Lock()
	defer sc.Mu.Unlock()
	if pkg, rest, found := strings.Cut(name, "."); found {
		if b := sc.Bindings[pkg]; b == nil || b.Object == nil {
			return sc.librarySource(pkg, rest)
		}
	}
	var parts []string
	for _, d := range sc.Decls {
		if d.Names[0] != name && d.Receiver != name && !slices.Contains(sc.named(name), d) {
			continue
		}
		parts = append(parts, strings.TrimRight(sc.DeclSource(d), "\n"))
		if where == "" {
			where = d.Cell
		} else if d.Cell != where && !strings.HasSuffix(where, ", "+d.Cell) {
			where += ", " + d.Cell
		}
	}
	return strings.Join(parts, "\n\n"), where, len(parts) > 0
}

// named lists the declaration that a name of the session stands for.
func (sc *Scope) named(name string) []*Decl {
	if b := sc.Bindings[name]; b != nil && b.Decl != nil {
		return []*Decl{b.Decl}
	}
	return nil
}

// DeclSource is a declaration as it was written, with its comments; printed anew when its cell's text is gone.
func (sc *Scope) DeclSource(d *Decl) string {
	ed := NewEdits(sc, d.Cell, strings.Join(sc.Sources.Lines(d.Cell), "\n"))
	from, to := ed.offset(d.Node.Pos()), ed.offset(d.Node.End())
	head := ""
	if d.Spec != nil && from >= 0 {
		to = ed.offset(d.Spec.End())
		if at := ed.offset(d.Spec.Pos()); at > from && strings.Contains(ed.src[from:at], "(") { // one of a group
			head, from = "type ", at
		}
	}
	if from < 0 || to <= from || !holds(head+ed.src[from:to], d) {
		return d.text
	}
	lead, trail := commentsAround(ed.src, from, to)
	return lead + head + ed.src[from:to] + trail
}

// holds reports whether text is still the declaration's: a cell that ran again under its name may have another.
func holds(text string, d *Decl) bool {
	f, err := parser.ParseFile(token.NewFileSet(), "", "package main;"+text,
		parser.SkipObjectResolution|parser.ParseComments)
	return err == nil && len(f.Decls) == 1 && NodeText(f.Decls[0]) == d.text
}

// librarySource finds a function or type of a package whose source the session has: F, T or T.M.
func (sc *Scope) librarySource(pkg, name string) (text, where string, ok bool) {
	path := sc.AutoImports[pkg]
	if b := sc.Bindings[pkg]; b != nil && b.Object == nil {
		path = b.Path
	}
	if path == "" || sc.Library.Included(path) { // whose source is not as it was written
		return "", "", false
	}
	for _, f := range sc.Library.SourceFiles(path) {
		data, err := sc.Library.Read(f)
		if err != nil {
			continue
		}
		if text, ok := findDecl(sc.Fset, f, data, name); ok {
			return text, strings.TrimPrefix(f, "src/"), true
		}
	}
	return "", "", false
}

// findDecl is the text of the function F, the type T with its methods, or the method T.M, in a file.
func findDecl(fset *token.FileSet, file string, data []byte, name string) (string, bool) {
	f, err := parser.ParseFile(fset, file, data, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return "", false
	}
	var parts []string
	add := func(doc *ast.CommentGroup, n ast.Node) {
		from := n.Pos()
		if doc != nil {
			from = doc.Pos()
		}
		base := fset.File(n.Pos())
		parts = append(parts, string(data[base.Offset(from):base.Offset(n.End())]))
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			own := d.Name.Name
			if d.Recv != nil && len(d.Recv.List) > 0 {
				base := modules.ReceiverName(d.Recv.List[0].Type)
				if own = base + "." + own; base == name {
					own = name
				}
			}
			if own == name {
				add(d.Doc, d)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if ts, ok := s.(*ast.TypeSpec); ok && ts.Name.Name == name {
					if d.Lparen.IsValid() {
						add(ts.Doc, ts)
					} else {
						add(d.Doc, d)
					}
				}
			}
		}
	}
	return strings.Join(parts, "\n\n"), len(parts) > 0
}

// Members are the exported names of a package that cells can use, and the package's own name; none of a package that
// the session does not have.
func (sc *Scope) Members(path string) (name string, members []string) {
	sc.Mu.Lock()
	defer sc.Mu.Unlock()
	p, err := sc.Modules.Import(path)
	if err != nil {
		return "", nil
	}
	for _, n := range p.Scope().Names() {
		if o := p.Scope().Lookup(n); o.Exported() && sc.Unavailable(o) == "" {
			members = append(members, n)
		}
	}
	return p.Name(), members
}

// Packages lists the import paths that cells can use.
func (sc *Scope) Packages() []string {
	paths := sc.Library.Paths()
	sort.Strings(paths)
	return paths
}
