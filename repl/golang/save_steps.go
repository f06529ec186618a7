package golang

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// step writes the statements of a step.
func (p *savedProgram) step(st *savedStep) {
	src := st.cell.src
	explicit := st.explicit()
	ed := p.edits(st, explicit)
	var text strings.Builder
	defined, errName := p.defined, p.errName
	if st.wrap {
		p.defined, p.errName = map[types.Object]bool{}, ""
	}
	for i, s := range st.cell.body.List {
		from, to := ed.offset(s.Pos()), ed.offset(endOf(s))
		lead, trail := commentsAround(src, from, to)
		if text.Len() > 0 && i > 0 && from > 0 && blankLineBefore(src, from-len(lead)) {
			text.WriteByte('\n')
		}
		w := &writer{p: p, st: st, ed: ed, explicit: explicit}
		show := i == len(st.cell.body.List)-1 && st.cell.shows && !st.cell.quiet
		text.WriteString(lead + w.statement(s, show) + trail + "\n")
		for _, v := range w.fresh {
			if !p.read[v] && !p.global[v] {
				text.WriteString("_ = " + p.names[v] + "\n")
			}
		}
	}
	body := text.String()
	if st.wrap {
		p.defined, p.errName = defined, errName
		body = "func() {\n" + body + "}()\n"
	}
	if st.label != "" {
		body = "\n// " + st.label + "\n" + body
	}
	p.body.WriteString(body)
}

// edits are the changes to a step's text that go into expressions.
func (p *savedProgram) edits(st *savedStep, explicit map[ast.Expr]bool) *edits {
	ed := newEdits(p.e, st.cell.name, st.cell.src)
	ed.ident = func(id *ast.Ident) string { return p.ident(st, st.info, id) }
	ed.member = func(id *ast.Ident) string { return p.member(st.info, id) }
	ed.must = func(call *ast.CallExpr) (before, after string) {
		if explicit[call] {
			return "", ""
		}
		return p.must(resultCount(st.info, call)-1) + "(", ")"
	}
	ed.walk(st.cell.body)
	return ed
}

// explicit finds the calls whose error the program checks in a statement of its own: those that are all of an assignment's
// values, in main itself.
func (st *savedStep) explicit() map[ast.Expr]bool {
	r := map[ast.Expr]bool{}
	if st.wrap {
		return r
	}
	for _, s := range st.cell.body.List {
		a, ok := s.(*ast.AssignStmt)
		if !ok || a.Tok != token.DEFINE && a.Tok != token.ASSIGN || len(a.Rhs) != 1 || !isCallOf(a.Rhs[0], mustName) {
			continue
		}
		names := true
		for _, x := range a.Lhs {
			_, isIdent := x.(*ast.Ident)
			names = names && isIdent
		}
		if names {
			r[a.Rhs[0].(*ast.CallExpr).Args[0]] = true
		}
	}
	return r
}

// errorName is the name of main's variable for errors, which no variable of the session has.
func (p *savedProgram) errorName() string {
	for _, n := range p.names {
		if n == "err" {
			return p.unused("err")
		}
	}
	return "err"
}

// blankLineBefore reports whether there is an empty line above an offset.
func blankLineBefore(src string, at int) bool {
	above := strings.TrimRight(src[:at], " \t")
	above, ok := strings.CutSuffix(above, "\n")
	return ok && strings.HasSuffix(strings.TrimRight(above, " \t"), "\n")
}

// writer writes one statement.
type writer struct {
	p     *savedProgram
	st    *savedStep
	ed    *edits
	fresh []types.Object // main's variables that the statement has defined

	explicit map[ast.Expr]bool
}

func (w *writer) statement(s ast.Stmt, show bool) string {
	switch s := s.(type) {
	case *ast.ExprStmt:
		return w.expression(s, show)
	case *ast.AssignStmt:
		return w.assignment(s)
	case *ast.DeclStmt:
		if g := s.Decl.(*ast.GenDecl); g.Tok == token.VAR {
			var parts []string
			for _, spec := range g.Specs {
				parts = append(parts, w.varSpec(spec.(*ast.ValueSpec)))
			}
			return strings.Join(parts, "\n")
		}
	}
	return w.ed.text(s)
}

// expression writes an expression that stands alone: it is printed at the end of a step, and an error that it returns beside
// values ends the program.
func (w *writer) expression(s *ast.ExprStmt, show bool) string {
	x := s.X
	if isOut(x) {
		x = x.(*ast.CallExpr).Args[0]
	}
	tv := w.st.info.Types[x]
	text := w.ed.text(x)
	if body := initBody(x); body != nil {
		return "func() " + w.ed.text(body) + "()"
	}
	n, hasError := 1, false
	if t, ok := tv.Type.(*types.Tuple); ok {
		n = t.Len()
		if n > 1 && isError(t.At(n-1).Type()) {
			n, hasError = n-1, true
		}
	}
	switch {
	case tv.IsVoid() || n == 0:
		return text
	case onlyError(w.st.info, x):
		if w.st.wrap {
			return w.p.must(0) + "(" + text + ")"
		}
		return fmt.Sprintf("if err := %s; err != nil {\n%s.Fatal(err)\n}", text, w.p.use("log", "log"))
	case hasError && n == 1 && countsBytes(x) && isInt(tv.Type.(*types.Tuple).At(0).Type()):
		return text
	case !show && hasError:
		p := w.p
		if w.st.wrap {
			return p.must(0) + "(" + p.lastOf(n, text) + ")"
		}
		return fmt.Sprintf("if %serr := %s; err != nil {\n%s.Fatal(err)\n}", strings.Repeat("_, ", n), text, p.use("log", "log"))
	case !show:
		if isOut(s.X) {
			return "_ = " + text
		}
		return text
	}
	if hasError {
		text = w.p.must(n) + "(" + text + ")"
	}
	into := w.p.keptIn(w.st)
	if len(into) == 0 {
		return w.print(tv.Type, text)
	}
	v := into[0]
	var after string
	if n > 1 { // _ is the first value
		var vs []string
		for range n {
			vs = append(vs, w.p.unused("v"))
		}
		values := strings.Join(vs, ", ")
		after = "\n" + w.print(nil, values)
		text = values + " := " + text + "\n" + w.keep(v, false, vs[0])
	} else {
		constant := tv.Value != nil && !types.Identical(types.Default(tv.Type), v.Type())
		text = w.keep(v, constant || tv.IsNil(), text)
		after = "\n" + w.print(v.Type(), w.p.names[v])
	}
	for _, more := range into[1:] {
		text += "\n" + w.keep(more, false, w.p.names[v])
	}
	return text + after
}

// keep writes a value into the variable that _ stands for. Only a declaration gives some constants the right type.
func (w *writer) keep(v types.Object, typed bool, text string) string {
	name := w.p.names[v]
	switch {
	case w.p.global[v] || w.p.defined[v]:
		return name + " = " + text
	case typed:
		w.p.defined[v] = true
		return "var " + name + " " + w.p.typeText(v.Type()) + " = " + text
	}
	w.p.defined[v] = true
	return name + " := " + text
}

// initBody is the body of a func init, which a cell runs as a call of its own.
func initBody(x ast.Expr) *ast.BlockStmt {
	if c, ok := x.(*ast.CallExpr); ok {
		if f, ok := c.Fun.(*ast.FuncLit); ok && c.Lparen == f.Body.Rbrace {
			return f.Body
		}
	}
	return nil
}

// print writes the call that prints a value.
func (w *writer) print(t types.Type, text string) string {
	fmtName := w.p.use("fmt", "fmt")
	if _, ok := underlying(t).(*types.Signature); ok {
		return fmt.Sprintf("%s.Printf(\"%%T\\n\", %s)", fmtName, text) // vet holds printing a function for a forgotten call
	}
	return fmtName + ".Println(" + text + ")"
}

// assignment writes an assignment or short declaration of a step's own list: main declares a variable once.
func (w *writer) assignment(s *ast.AssignStmt) string {
	var targets []target
	for _, x := range s.Lhs {
		id, ok := x.(*ast.Ident)
		if !ok || s.Tok != token.DEFINE && s.Tok != token.ASSIGN {
			return w.ed.text(s)
		}
		targets = append(targets, target{w.p.variable(w.st, id), w.ed.text(id)})
	}
	if s.Tok == token.ASSIGN && !(len(s.Rhs) == 1 && isCallOf(s.Rhs[0], mustName)) {
		return w.ed.text(s)
	}
	return w.assign(targets, s.Rhs)
}

type target struct {
	v    types.Object // nil for the blank name
	text string
}

// assign writes values into variables, and defines those that main does not have yet.
func (w *writer) assign(targets []target, values []ast.Expr) string {
	p := w.p
	var names, before []string
	fresh, outside := 0, false
	var defines []types.Object
	for _, t := range targets {
		names = append(names, t.text)
		switch {
		case t.v == nil:
		case p.global[t.v] || w.st.wrap && !p.defined[t.v] && p.uses[t.v] > 1:
			outside = true
		case !p.defined[t.v]:
			fresh++
			defines = append(defines, t.v)
		}
	}
	check := ""
	var texts []string
	for _, x := range values {
		texts = append(texts, w.ed.text(x))
	}
	if len(values) == 1 && isCallOf(values[0], mustName) && w.explicit[values[0].(*ast.CallExpr).Args[0]] {
		isNew := p.errName == ""
		if isNew {
			p.errName = p.errorName()
			if outside && fresh == 0 || fresh > 0 && outside {
				before = append(before, "var "+p.errName+" error")
			} else {
				fresh++
			}
		}
		names = append(names, p.errName)
		check = fmt.Sprintf("\nif %s != nil {\n%s.Fatal(%[1]s)\n}", p.errName, p.use("log", "log"))
	}
	op := "="
	if fresh > 0 {
		op = ":="
		if outside { // := would make new variables of those outside main
			op = "="
			for _, v := range defines {
				before = append(before, "var "+p.names[v]+" "+p.typeText(v.Type()))
			}
		}
	}
	for _, v := range defines {
		p.defined[v] = true
		w.fresh = append(w.fresh, v)
	}
	text := strings.Join(names, ", ") + " " + op + " " + strings.Join(texts, ", ") + check
	if len(before) > 0 {
		text = strings.Join(before, "\n") + "\n" + text
	}
	return text
}

// varSpec writes one line of a variable declaration.
func (w *writer) varSpec(s *ast.ValueSpec) string {
	p := w.p
	var targets []target
	known := false
	for _, n := range s.Names {
		t := target{p.variable(w.st, n), w.ed.text(n)}
		known = known || t.v != nil && (p.global[t.v] || p.defined[t.v])
		targets = append(targets, t)
	}
	if !known {
		for _, t := range targets {
			if t.v != nil {
				p.defined[t.v] = true
				w.fresh = append(w.fresh, t.v)
			}
		}
		return "var " + w.ed.text(s)
	}
	if len(s.Values) > 0 {
		return w.assign(targets, s.Values)
	}
	var lines []string
	for _, t := range targets {
		switch {
		case t.v == nil:
		case p.global[t.v] || p.defined[t.v]:
			lines = append(lines, t.text+" = "+p.zero(t.v.Type()))
		default:
			lines = append(lines, "var "+t.text+" "+p.typeText(t.v.Type()))
			p.defined[t.v] = true
			w.fresh = append(w.fresh, t.v)
		}
	}
	return strings.Join(lines, "\n")
}

// zero spells the zero value of a type.
func (p *savedProgram) zero(t types.Type) string {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsString != 0:
			return `""`
		case u.Info()&types.IsBoolean != 0:
			return "false"
		case u.Info()&types.IsNumeric != 0:
			return constant.MakeInt64(0).String()
		}
	case *types.Struct, *types.Array:
		return p.typeText(t) + "{}"
	}
	return "nil"
}

func resultCount(info *types.Info, call *ast.CallExpr) int {
	if t, ok := info.Types[call].Type.(*types.Tuple); ok {
		return t.Len()
	}
	return 1
}

// must is the name of the function that returns the first n results of a call and ends the program over the error after them.
func (p *savedProgram) must(n int) string {
	if p.helpers[n] == "" {
		switch n {
		case 0:
			p.helpers[n] = p.unused("check")
		case 1:
			p.helpers[n] = p.unused("must")
		default:
			p.helpers[n] = p.unused(fmt.Sprintf("must%d", n))
		}
		p.use("log", "log")
	}
	return p.helpers[n]
}

// lastOf is an expression for the error of a call with n results before it.
func (p *savedProgram) lastOf(n int, call string) string {
	return fmt.Sprintf("func() error { %serr := %s; return err }()", strings.Repeat("_, ", n), call)
}

// helper declares the function that must names.
func (p *savedProgram) helper(n int, name string) string {
	logName := p.use("log", "log")
	if n == 0 {
		return fmt.Sprintf("// %s ends the program over an error.\nfunc %[1]s(err error) {\nif err != nil {\n%s.Fatal(err)\n}\n}\n", name, logName)
	}
	var ts, ps, vs []string
	for i := range n {
		ts = append(ts, fmt.Sprintf("T%d", i+1))
		ps = append(ps, fmt.Sprintf("v%d T%[1]d", i+1))
		vs = append(vs, fmt.Sprintf("v%d", i+1))
	}
	results := strings.Join(ts, ", ")
	if n > 1 {
		results = "(" + results + ")"
	}
	return fmt.Sprintf("// %s returns what a call has returned, without its error, which ends the program.\nfunc %[1]s[%s any](%s, err error) %s {\nif err != nil {\n%s.Fatal(err)\n}\nreturn %s\n}\n",
		name, strings.Join(ts, ", "), strings.Join(ps, ", "), results, logName, strings.Join(vs, ", "))
}
