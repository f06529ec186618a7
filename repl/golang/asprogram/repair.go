package asprogram

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/lower"
)

// program is files that are checked together.
type program struct {
	s     Session
	files []*file
	fset  *token.FileSet
	info  *types.Info
	pkg   *types.Package
	edits []edit
	done  bool // something else has changed

	hoisted map[string]bool // variables of cells that are the package's
	used    map[string]bool // names that something has
}

// edit replaces a part of main's body. Offsets count in the text of the file.
type edit struct {
	from, to int
	text     string
}

// round checks the program once, and mends what go/types says of it. It reports whether there was nothing to say.
func (p *program) round() (done bool, err error) {
	p.fset, p.edits, p.done = token.NewFileSet(), nil, false
	var parsed []*ast.File
	for _, f := range p.files {
		f.print()
		if f.syntax, err = parser.ParseFile(p.fset, f.name, f.text, parser.SkipObjectResolution); err != nil {
			return false, err
		}
		parsed = append(parsed, f.syntax)
	}
	var mistakes []types.Error
	p.info = check.NewInfo()
	conf := types.Config{Importer: p.s.Importer, GoVersion: check.GoVersion, Sizes: types.SizesFor("gc", runtime.GOARCH),
		Error: func(err error) {
			if te, ok := err.(types.Error); ok && !strings.HasPrefix(te.Msg, "\t") {
				mistakes = append(mistakes, te)
			}
		}}
	p.pkg, _ = conf.Check("main", p.fset, parsed, p.info) // the errors are mistakes
	for _, m := range mistakes {
		if f := p.fileOf(m.Pos); f != nil {
			p.mend(f, m)
		}
	}
	if !p.done && len(p.edits) == 0 {
		if err := p.redefine(); err != nil {
			return false, err
		}
	}
	if len(mistakes) == 0 && len(p.edits) == 0 {
		p.show()
		p.apply()
		return len(p.edits) == 0, nil
	}
	if !p.done && len(p.edits) == 0 {
		m, line := mistakes[0], ""
		if f := p.fileOf(m.Pos); f != nil {
			line = ": " + strings.TrimSpace(strings.Split(string(f.text), "\n")[p.fset.Position(m.Pos).Line-1])
		}
		return false, fmt.Errorf("the cells cannot be written as a program: %s%s", check.UserText(m.Msg), line)
	}
	p.apply()
	return false, nil
}

// fileOf is the file that a place is in, nil where there is none.
func (p *program) fileOf(pos token.Pos) *file {
	name := p.fset.Position(pos).Filename
	for _, f := range p.files {
		if f.name == name {
			return f
		}
	}
	return nil
}

// apply changes the body of main, from its end to its beginning. An edit that overlaps one behind it waits for another
// round.
func (p *program) apply() {
	f := p.files[0]
	start := strings.Index(string(f.text), mainHead) + len(mainHead)
	slices.SortStableFunc(p.edits, func(a, b edit) int { return b.from - a.from })
	last := len(f.text) + 1
	for _, e := range p.edits {
		if e.to > last || e.from < start || e.to-start > len(f.main) {
			continue
		}
		f.main = f.main[:e.from-start] + e.text + f.main[e.to-start:]
		last = e.from
	}
}

// What go/types says.
var (
	undefinedRE = regexp.MustCompile(`^undefined: (\S+)$`)
	unusedRE    = regexp.MustCompile(`^declared and not used: (\S+)$`)
	importedRE  = regexp.MustCompile(`^"([^"]+)" imported(?: as \S+)? and not used$`)
	mismatchRE  = regexp.MustCompile(`^assignment mismatch: \d variables? but .* returns \d values$`)
	tupleRE     = regexp.MustCompile(`^multiple-value |too many arguments `)
)

// mend changes what a mistake is about.
func (p *program) mend(f *file, m types.Error) {
	path := enclosing(f.syntax, m.Pos)
	switch {
	case undefinedRE.MatchString(m.Msg):
		p.undefined(f, undefinedRE.FindStringSubmatch(m.Msg)[1])
	case importedRE.MatchString(m.Msg):
		delete(f.imports, importedRE.FindStringSubmatch(m.Msg)[1])
		p.done = true
	case f != p.files[0] || !inMain(path):
	case unusedRE.MatchString(m.Msg):
		if s := statement(path); s != nil {
			end := p.fset.Position(s.End()).Offset
			p.edits = append(p.edits, edit{end, end, "\n_ = " + unusedRE.FindStringSubmatch(m.Msg)[1]})
		}
	case mismatchRE.MatchString(m.Msg), tupleRE.MatchString(m.Msg):
		if x, n := p.tuple(path); x != nil {
			p.wrap(x, p.must(n)+"(", ")")
		}
	case strings.HasSuffix(m.Msg, "is not used") || strings.Contains(m.Msg, ") is not used"):
		if s, ok := statement(path).(*ast.ExprStmt); ok && p.isShown(s) {
			f.imports["fmt"] = ""
			p.wrap(s.X, "fmt.Println(", ")")
		} else if ok {
			p.wrap(s.X, "_ = ", "")
		}
	}
}

// must is the name of the function must of n values.
func (p *program) must(n int) string {
	f := p.files[0]
	if f.musts[n] == "" {
		f.must = append(f.must, n)
		f.musts[n] = p.fresh("must")
		f.imports["log"] = ""
	}
	return f.musts[n]
}

func (p *program) offset(pos token.Pos) int { return p.fset.Position(pos).Offset }

// text is the source of a node of main.
func (p *program) text(n ast.Node) string {
	return string(p.files[0].text[p.offset(n.Pos()):p.offset(n.End())])
}

func (p *program) wrap(x ast.Expr, before, after string) {
	from, to := p.fset.Position(x.Pos()).Offset, p.fset.Position(x.End()).Offset
	if e := (edit{from, from, before}); !slices.Contains(p.edits, e) { // of two mistakes in one place
		p.edits = append(p.edits, edit{to, to, after}, e)
	}
}

// undefined imports a package, or makes a variable of main one of the package.
func (p *program) undefined(f *file, name string) {
	if path := p.s.Package(name); path != "" {
		if _, there := f.imports[path]; !there {
			f.imports[path], p.done = "", true
			return
		}
	}
	if s, v := p.variable(name); s != nil {
		p.hoist(s, v)
		return
	}
	if path := p.s.Dot(name); path != "" && f.imports[path] != "." {
		f.imports[path], p.done = ".", true
	}
}

// variable finds the statement of main that defines a variable.
func (p *program) variable(name string) (ast.Stmt, *types.Var) {
	for _, s := range p.statements() {
		for _, id := range defines(s) {
			if v, ok := p.info.Defs[id].(*types.Var); ok && id.Name == name {
				return s, v
			}
		}
	}
	return nil, nil
}

func (p *program) mainBody() *ast.BlockStmt {
	for _, d := range p.files[0].syntax.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Recv == nil && fd.Name.Name == "main" {
			return fd.Body
		}
	}
	return nil
}

// statements are those of the cells, also of cells that are function literals.
func (p *program) statements() (list []ast.Stmt) {
	body := p.mainBody()
	if body == nil || !p.files[0].hasBody {
		return nil
	}
	for _, s := range body.List {
		if w := p.wholeCell(s); w != nil {
			list = append(list, w.List...)
		} else {
			list = append(list, s)
		}
	}
	return list
}

// wholeCell is the body of a function literal that has the statements of a cell, nil for any other statement.
func (p *program) wholeCell(s ast.Stmt) *ast.BlockStmt {
	if x, ok := s.(*ast.ExprStmt); ok {
		if c, ok := x.X.(*ast.CallExpr); ok {
			if lit, ok := c.Fun.(*ast.FuncLit); ok && strings.HasPrefix(p.text(lit), whole) {
				return lit.Body
			}
		}
	}
	return nil
}

// defines are the names that a statement defines.
func defines(s ast.Stmt) (list []*ast.Ident) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		for _, x := range s.Lhs {
			if id, ok := x.(*ast.Ident); ok && s.Tok == token.DEFINE {
				list = append(list, id)
			}
		}
	case *ast.DeclStmt:
		if g := s.Decl.(*ast.GenDecl); g.Tok == token.VAR {
			for _, sp := range g.Specs {
				list = append(list, sp.(*ast.ValueSpec).Names...)
			}
		}
	}
	return list
}

// hoist declares the variables of a statement for the whole package, and leaves main to set them.
func (p *program) hoist(s ast.Stmt, asked *types.Var) {
	f := p.files[0]
	if t := asked.Type(); t == types.Typ[types.Invalid] || hasInvalid(t) {
		return // until more is known
	}
	from, to := p.fset.Position(s.Pos()).Offset, p.fset.Position(s.End()).Offset
	for _, e := range p.edits {
		if e.from < to && e.to > from {
			return // it is being moved
		}
	}
	declare := func(id *ast.Ident) {
		if v, ok := p.info.Defs[id].(*types.Var); ok && id.Name != "_" && !p.hoisted[id.Name] {
			f.decls = append(f.decls, "var "+v.Name()+" "+types.TypeString(v.Type(), check.Qualifier))
			p.hoisted[v.Name()] = true
		}
	}
	switch s := s.(type) {
	case *ast.AssignStmt:
		for _, id := range defines(s) {
			declare(id)
		}
		at := p.fset.Position(s.TokPos).Offset
		p.edits = append(p.edits, edit{at, at + 2, "="})
		p.edits = append(p.edits, edit{from, from, ""})
	case *ast.DeclStmt:
		for _, id := range defines(s) {
			declare(id)
		}
		p.edits = append(p.edits, edit{from, to, strings.Join(p.assignments(s, nil), "\n")})
	}
	p.done = true
}

func hasInvalid(t types.Type) bool { return strings.Contains(t.String(), "invalid type") }

// enclosing are the nodes around a place, the innermost last.
func enclosing(f *ast.File, pos token.Pos) (path []ast.Node) {
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil || pos < n.Pos() || pos >= n.End() {
			return false
		}
		path = append(path, n)
		return true
	})
	return path
}

func inMain(path []ast.Node) bool {
	return slices.ContainsFunc(path, func(n ast.Node) bool {
		fd, ok := n.(*ast.FuncDecl)
		return ok && fd.Recv == nil && fd.Name.Name == "main"
	})
}

// statement is the innermost statement that stands in a list.
func statement(path []ast.Node) ast.Stmt {
	for i := len(path) - 1; i > 0; i-- {
		switch path[i-1].(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			if s, ok := path[i].(ast.Stmt); ok {
				return s
			}
		}
	}
	return nil
}

// tuple is the call whose results, a value and an error, are one too many: around a place, or on the right side of the
// assignment there.
func (p *program) tuple(path []ast.Node) (ast.Expr, int) {
	for i := len(path) - 1; i >= 0; i-- {
		var x ast.Expr
		want := 1
		switch n := path[i].(type) {
		case *ast.CallExpr:
			if x = n; len(n.Args) == 1 && withError(p.info.TypeOf(n.Args[0])) == 1 {
				x = n.Args[0]
			}
		case *ast.AssignStmt:
			x, want = n.Rhs[0], len(n.Lhs)
		case *ast.ValueSpec:
			if len(n.Values) > 0 {
				x, want = n.Values[0], len(n.Names)
			}
		}
		if x != nil && withError(p.info.TypeOf(x)) == want {
			return x, want
		}
	}
	return nil, 0
}

// withError is how many values stand before an error in a type, 0 without one.
func withError(t types.Type) int {
	r, ok := t.(*types.Tuple)
	if !ok || r.Len() < 2 || !isError(r.At(r.Len()-1).Type()) {
		return 0
	}
	return r.Len() - 1
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// isShown reports whether a cell shows the value of an expression.
func (p *program) isShown(s *ast.ExprStmt) bool {
	return strings.HasPrefix(string(p.files[0].text[p.offset(s.End()):]), shown)
}

// show has the program print what cells show and end where an error would end a cell, once nothing else is wrong.
func (p *program) show() {
	f := p.files[0]
	for _, s := range p.statements() {
		s, ok := s.(*ast.ExprStmt)
		if !ok {
			continue
		}
		from, end := p.offset(s.Pos()), p.offset(s.End())
		before, after := p.showing(f, s.X, p.isShown(s))
		if p.isShown(s) {
			p.edits = append(p.edits, edit{end, end + len(shown), after}, edit{from, from, before})
		} else if before != "" {
			p.edits = append(p.edits, edit{end, end, after}, edit{from, from, before})
		}
	}
	if len(p.edits) == 0 && strings.Contains(f.main, shown) { // of statements that are no expressions
		f.main = strings.ReplaceAll(f.main, shown, "")
		p.edits = append(p.edits, edit{0, 0, ""})
	}
}

// showing is what stands around an expression of a cell so that its value is shown, where the cell shows it, and its
// error ends the program.
func (p *program) showing(f *file, x ast.Expr, show bool) (before, after string) {
	t := p.info.TypeOf(x)
	tuple, isTuple := t.(*types.Tuple)
	n := withError(t)
	show = show && !(n == 1 && lower.CountsBytes(x))
	switch {
	case isTuple && tuple.Len() == 0 || n > 0 && !show && p.prints(x):
		return "", ""
	case lower.OnlyError(p.info, x):
		f.imports["log"] = ""
		return "if err := ", "; err != nil {\nlog.Fatal(err)\n}"
	case n > 0 && show:
		f.imports["fmt"] = ""
		return "fmt.Println(" + p.must(n) + "(", "))"
	case n > 0:
		return p.must(n) + "(", ")"
	case !show:
		return "", ""
	}
	f.imports["fmt"] = ""
	return "fmt.Println(", ")"
}

// prints reports whether a call is one of package fmt that prints to the standard output.
func (p *program) prints(x ast.Expr) bool {
	c, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	o := p.info.Uses[sel.Sel]
	return o != nil && o.Pkg() != nil && o.Pkg().Path() == "fmt" && strings.HasPrefix(o.Name(), "Print")
}
