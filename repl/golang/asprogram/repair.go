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
	edits []edit
	done  bool // something else has changed
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
	_, _ = conf.Check("main", p.fset, parsed, p.info) // the errors are mistakes
	if len(mistakes) == 0 {
		p.show()
		p.apply()
		return len(p.edits) == 0, nil
	}
	for _, m := range mistakes {
		if f := p.fileOf(m.Pos); f != nil {
			p.mend(f, m)
		}
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
	mismatchRE  = regexp.MustCompile(`^assignment mismatch: 1 variable but .* returns 2 values$`)
	tupleRE     = regexp.MustCompile(`^multiple-value |too many arguments `)
	againRE     = regexp.MustCompile(`^(\S+) redeclared in this block`)
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
		if x := p.tuple(path); x != nil {
			p.wrap(x, "must(", ")")
			f.must = true
			f.imports["log"] = ""
		}
	case strings.HasSuffix(m.Msg, "is not used") || strings.Contains(m.Msg, ") is not used"):
		if s, ok := statement(path).(*ast.ExprStmt); ok {
			p.wrap(s.X, "fmt.Println(", ")")
		}
	case m.Msg == "no new variables on left side of :=":
		p.again(path, true)
	case againRE.MatchString(m.Msg):
		p.again(path, false)
	}
}

func (p *program) wrap(x ast.Expr, before, after string) {
	from, to := p.fset.Position(x.Pos()).Offset, p.fset.Position(x.End()).Offset
	p.edits = append(p.edits, edit{to, to, after}, edit{from, from, before})
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
	body := p.mainBody()
	if body == nil {
		return nil, nil
	}
	for _, s := range body.List {
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
	text := func(n ast.Node) string {
		return string(f.text[p.fset.Position(n.Pos()).Offset:p.fset.Position(n.End()).Offset])
	}
	from, to := p.fset.Position(s.Pos()).Offset, p.fset.Position(s.End()).Offset
	for _, e := range p.edits {
		if e.from < to && e.to > from {
			return // it is being moved
		}
	}
	switch s := s.(type) {
	case *ast.AssignStmt:
		for _, id := range defines(s) {
			if v, ok := p.info.Defs[id].(*types.Var); ok && id.Name != "_" {
				f.decls = append(f.decls, "var "+v.Name()+" "+types.TypeString(v.Type(), check.Qualifier))
			}
		}
		at := p.fset.Position(s.TokPos).Offset
		p.edits = append(p.edits, edit{at, at + 2, "="})
		p.edits = append(p.edits, edit{from, from, ""})
	case *ast.DeclStmt:
		var sets []string
		for _, sp := range s.Decl.(*ast.GenDecl).Specs {
			sp := sp.(*ast.ValueSpec)
			var names, values []string
			for _, id := range sp.Names {
				v := p.info.Defs[id]
				f.decls = append(f.decls, "var "+v.Name()+" "+types.TypeString(v.Type(), check.Qualifier))
				names = append(names, id.Name)
			}
			for _, x := range sp.Values {
				values = append(values, text(x))
			}
			if len(values) > 0 {
				sets = append(sets, strings.Join(names, ", ")+" = "+strings.Join(values, ", "))
			}
		}
		p.edits = append(p.edits, edit{from, to, strings.Join(sets, "\n")})
	}
	p.done = true
}

func hasInvalid(t types.Type) bool { return strings.Contains(t.String(), "invalid type") }

// again has a later definition of a variable assign to it where the types are the same, and begins a block of its own
// where they are not.
func (p *program) again(path []ast.Node, assign bool) {
	body := p.mainBody()
	s := statement(path)
	a, ok := s.(*ast.AssignStmt)
	same := assign && ok && len(a.Lhs) == len(a.Rhs)
	for i := 0; same && i < len(a.Lhs); i++ {
		id, isName := a.Lhs[i].(*ast.Ident)
		if !isName {
			return
		}
		o := p.info.ObjectOf(id)
		t := p.info.TypeOf(a.Rhs[i])
		same = id.Name == "_" || o != nil && t != nil && types.Identical(o.Type(), types.Default(t))
	}
	if same {
		at := p.fset.Position(a.TokPos).Offset
		p.edits = append(p.edits, edit{at, at + 2, "="})
		return
	}
	if s == nil || body == nil {
		return
	}
	from, end := p.fset.Position(s.Pos()).Offset, p.fset.Position(body.Rbrace).Offset
	p.edits = append(p.edits, edit{end, end, "}\n"}, edit{from, from, "{\n"})
}

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
func (p *program) tuple(path []ast.Node) ast.Expr {
	for i := len(path) - 1; i >= 0; i-- {
		var x ast.Expr
		switch n := path[i].(type) {
		case *ast.CallExpr:
			if x = n; len(n.Args) == 1 && withError(p.info.TypeOf(n.Args[0])) {
				x = n.Args[0]
			}
		case *ast.AssignStmt:
			x = n.Rhs[0]
		case *ast.ValueSpec:
			if len(n.Values) > 0 {
				x = n.Values[0]
			}
		}
		if x != nil && withError(p.info.TypeOf(x)) {
			return x
		}
	}
	return nil
}

// withError reports whether a type is a pair of a value and an error.
func withError(t types.Type) bool {
	r, ok := t.(*types.Tuple)
	return ok && r.Len() == 2 && isError(r.At(1).Type())
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// show has the program print what cells show, once nothing else is wrong.
func (p *program) show() {
	f := p.files[0]
	body := p.mainBody()
	if body == nil || !strings.Contains(f.main, shown) {
		return
	}
	ast.Inspect(body, func(n ast.Node) bool {
		s, ok := n.(*ast.ExprStmt)
		if !ok {
			return true
		}
		from, end := p.fset.Position(s.Pos()).Offset, p.fset.Position(s.End()).Offset
		if !strings.HasPrefix(string(f.text[end:]), shown) {
			return true
		}
		before, after := p.showing(f, s.X)
		p.edits = append(p.edits, edit{end, end + len(shown), after}, edit{from, from, before})
		return false
	})
	if len(p.edits) == 0 { // of statements that are no expressions
		f.main = strings.ReplaceAll(f.main, shown, "")
		p.edits = append(p.edits, edit{0, 0, ""})
	}
}

// showing is what stands around an expression of that type, so that its value is shown, or its error ends the program.
func (p *program) showing(f *file, x ast.Expr) (before, after string) {
	t := p.info.TypeOf(x)
	tuple, isTuple := t.(*types.Tuple)
	switch {
	case isTuple && tuple.Len() == 0:
		return "", ""
	case withError(t) && lower.CountsBytes(x):
		return "", ""
	case withError(t):
		f.must = true
		f.imports["log"], f.imports["fmt"] = "", ""
		return "fmt.Println(must(", "))"
	case t != nil && isError(t):
		f.imports["log"] = ""
		return "if err := ", "; err != nil {\nlog.Fatal(err)\n}"
	}
	f.imports["fmt"] = ""
	return "fmt.Println(", ")"
}
