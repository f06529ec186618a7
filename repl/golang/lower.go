package golang

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"strconv"
	"strings"
)

// tick ends the names that lowering makes up. It is a letter to Go, and on no keyboard.
const tick = "ʹ"

// lowerer prints checked declarations and statements as the Go that yaegi runs correctly.
type lowerer struct {
	e          *Engine
	ck         *checked
	info       *types.Info
	env        *env
	names      map[types.Object]string // new ones; those of older cells are in e.names
	marks      []*mark                 // of functions that were printed
	cur        *mark                   // of the function being printed
	need       map[string]string       // import path to package name
	locals     map[types.Object]string // names of variables of functions
	used       map[string]bool         // names that the function being printed has given
	slots      map[types.Object]*slot  // new ones; those of older cells are in e.slots
	reached    map[string]bool         // types whose methods are printed
	start      []string                // statements to run before the cell's
	made       map[string]string       // helper and instance names by key; those of older cells are in e.made
	queue      []func()                // instances still to print
	out        strings.Builder
	c          copier
	hoist      map[types.Object]bool
	results    *types.Tuple          // of the function being printed
	inLoop     []string              // labels inside the loop body that becomes a function
	label      string                // of the statement about to be lowered
	kept       map[types.Object]bool // variables that outlive their block: see findKept
	returns    []ast.Expr            // the named results of the function being printed, when it defers nothing
	deferring  *deferring            // the function being printed, when it defers
	recovers   string                // the Defers of the next function literal, which is deferred
	inDeferred string                // the Defers that recover asks
}

// mark is a function's place in a variable: the line and column of the last statement that may have failed. An assignment
// costs 11 ns, a tenth of a call that would note the same. Goroutines of one function overwrite each other's marks, so a
// panic in one of them may name another's line.
type mark struct {
	symbol string // of its address
	value  *int
	cell   string
	fn     string // as users call it
}

func (e *Engine) newLowerer(ck *checked) *lowerer {
	l := &lowerer{e: e, ck: ck, info: ck.info, names: map[types.Object]string{}, need: map[string]string{}, made: map[string]string{}, locals: map[types.Object]string{}, used: map[string]bool{}, slots: map[types.Object]*slot{}, reached: map[string]bool{}, hoist: map[types.Object]bool{}, kept: map[types.Object]bool{}}
	l.c = copier{hook: l.hook}
	return l
}

// name is the yaegi name of an object of the session, "" for anything local.
func (l *lowerer) name(o types.Object) string {
	if n, ok := l.names[o]; ok {
		return n
	}
	return l.e.names[o]
}

// local is the yaegi name of a function's variable. No two of a function share a name: yaegi confuses some that do, and
// some with what is declared elsewhere.
func (l *lowerer) local(o types.Object) string {
	if n, ok := l.locals[o]; ok {
		return n
	}
	n := o.Name()
	if n == "_" {
		return n
	}
	if l.used[n] || l.e.versions[n] > 0 || types.Universe.Lookup(n) != nil {
		n = l.fresh(n)
	}
	l.used[n] = true
	l.locals[o] = n
	return n
}

// newName gives an object its yaegi name: its own, or one with a number when that was taken before or has a meaning to yaegi.
func (l *lowerer) newName(o types.Object, base string) string {
	base = strings.ReplaceAll(base, ".", tick)
	l.e.versions[base]++
	n := base
	if v := l.e.versions[base]; v > 1 || base == "main" || base == "init" || base == "_" || types.Universe.Lookup(base) != nil {
		n = base + tick + strconv.Itoa(v)
	}
	if o != nil {
		l.names[o] = n
	}
	return n
}

// fresh makes a name for a helper.
func (l *lowerer) fresh(base string) string {
	l.e.serial++
	return base + tick + strconv.Itoa(l.e.serial)
}

func (l *lowerer) pkg(path, name string) string {
	l.need[path] = name
	return l.e.alias(path, name)
}

func ident(s string) *ast.Ident { return ast.NewIdent(s) }

func call(fn string, args ...ast.Expr) *ast.CallExpr {
	return &ast.CallExpr{Fun: source(fn), Args: args}
}

// source parses an expression that lowering has made up.
func source(s string) ast.Expr {
	if token.IsIdentifier(s) {
		return ident(s)
	}
	x, err := parser.ParseExprFrom(token.NewFileSet(), "", s, parser.SkipObjectResolution)
	if err != nil {
		panic("golang: lowered expression " + s + ": " + err.Error())
	}
	return x
}

func (l *lowerer) typeExpr(t types.Type) ast.Expr { return source(l.typeSource(t)) }

func (l *lowerer) typeOf(x ast.Expr) types.Type {
	if tv, ok := l.info.Types[x]; ok && tv.Type != nil {
		return l.subst(tv.Type)
	}
	if id, ok := x.(*ast.Ident); ok {
		if o := l.info.ObjectOf(id); o != nil {
			return l.subst(o.Type())
		}
	}
	return nil
}

func (l *lowerer) expr(x ast.Expr) ast.Expr {
	if x == nil {
		return nil
	}
	return l.c.clone(x).(ast.Expr)
}

func (l *lowerer) exprs(xs []ast.Expr) []ast.Expr {
	var r []ast.Expr
	for _, x := range xs {
		r = append(r, l.expr(x))
	}
	return r
}

func (l *lowerer) stmt(s ast.Stmt) ast.Stmt {
	if s == nil {
		return nil
	}
	return l.c.clone(s).(ast.Stmt)
}

func (l *lowerer) fields(f *ast.FieldList) *ast.FieldList {
	if f == nil {
		return nil
	}
	return l.c.copyNode(f).(*ast.FieldList)
}

func (l *lowerer) print(n any) {
	if err := format.Node(&l.out, token.NewFileSet(), n); err != nil {
		panic("golang: lowered tree: " + err.Error())
	}
	l.out.WriteString("\n\n")
}

func (l *lowerer) printf(f string, args ...any) { fmt.Fprintf(&l.out, f+"\n", args...) }

// lowered is a cell as yaegi gets it.
type lowered struct {
	code  string // declarations
	run   string // the function that holds the statements; "" without any
	first string // the function that binds methods and redirects older versions of functions; "" when none
	marks []*mark
	types []types.Type // of the shown values
	last  *types.Var   // what _ stands for afterwards
	key   string       // of last in Engine.lasts
}

// lower prints a checked cell.
func (e *Engine) lower(ck *checked) (*lowered, *lowerer) {
	l := e.newLowerer(ck)
	r := &lowered{}
	for _, f := range ck.funcs {
		if len(f.tparams) == 0 {
			l.newName(f.obj, f.names[0])
		}
	}
	for _, v := range ck.vars {
		s := l.slotOf(v.slot)
		if s == nil {
			s = e.newSlot(v.slot.Type())
			l.slots[v.slot] = s
		}
		l.slots[v.local] = s
		l.hoist[v.local] = true
	}
	for _, f := range ck.funcs {
		if len(f.tparams) == 0 { // others are printed for each instance
			l.function(f)
		}
	}
	if ck.body != nil && len(ck.body.List) > 0 {
		r.run = l.fresh("cell")
		l.cellFunc(r)
	}
	l.drain()
	if len(l.start) > 0 {
		r.first = l.fresh("start")
		l.printf("func %s() {\n%s\n}", r.first, strings.Join(l.start, "\n"))
	}
	r.code = l.out.String()
	r.marks = l.marks
	return r, l
}

func (l *lowerer) drain() {
	for len(l.queue) > 0 {
		q := l.queue[0]
		l.queue = l.queue[1:]
		q()
	}
}

// function prints a function or a method, and has older versions of it call this one.
func (l *lowerer) function(f *function) {
	name := l.name(f.obj)
	l.printFunc(f, name, true, nil)
	if f.recv != "" {
		l.register(name, l.e.methodSlot(f.obj))
	}
	for _, v := range l.e.olderVersions(f) {
		l.start = append(l.start, fmt.Sprintf("%s.Forward(%q, %s)", runtimePkg, v, name))
	}
}

// olderVersions are the names of functions that f takes the place of.
func (e *Engine) olderVersions(f *function) []string {
	if f.recv != "" {
		return e.older[f.obj]
	}
	if b := e.scope[f.names[0]]; b != nil {
		if old, ok := b.obj.(*types.Func); ok && sameKind(old, f.obj) {
			return e.older[old]
		}
	}
	return nil
}

// forward is how an older version of a function finds the newest one.
type forward struct {
	on *bool
	to reflect.Value // a pointer to a function
}

// printFunc prints a body under a name. Where others may redefine the function, a first statement sends callers on to the
// newer version, once there is one.
func (l *lowerer) printFunc(f *function, name string, redefinable bool, v *env) {
	info, env, cur, results, used := l.info, l.env, l.cur, l.results, l.used
	l.info, l.env, l.used = f.info, v, map[string]bool{}
	defer func() { l.info, l.env, l.cur, l.results, l.used = info, env, cur, results, used }()
	sig := f.info.Defs[f.fd.Name].(*types.Func).Signature()
	l.results = l.subst(sig.Results()).(*types.Tuple)
	l.findKept(f.fd)
	params := l.fields(f.fd.Type.Params)
	n := 0
	var names []string
	for _, p := range params.List {
		if len(p.Names) == 0 {
			p.Names = []*ast.Ident{ident("_")}
		}
		for i, id := range p.Names {
			if id.Name == "_" {
				p.Names[i] = ident("p" + tick + strconv.Itoa(n))
			}
			names = append(names, p.Names[i].Name)
			n++
		}
	}
	leave := l.enterDefers(f.fd.Body, sig.Results())
	inDeferred := l.inDeferred
	l.inDeferred = ""
	defer func() { l.inDeferred = inDeferred; leave() }()
	typ := &ast.FuncType{Params: params, Results: l.resultFields(l.results)}
	body := l.funcBody(f.fd.Body, f.names[0], f.fd.Pos(), sig.Results())
	if redefinable {
		fw := &forward{on: new(bool), to: reflect.New(l.e.inner(types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())))}
		l.e.forwards[name] = fw
		on, to := l.e.provide("O", reflect.ValueOf(fw.on)), l.e.provide("F", fw.to)
		c := &ast.CallExpr{Fun: &ast.ParenExpr{X: &ast.StarExpr{X: source(to)}}}
		for _, n := range names {
			c.Args = append(c.Args, ident(n))
		}
		if sig.Variadic() {
			c.Ellipsis = 1
		}
		then := []ast.Stmt{&ast.ReturnStmt{Results: []ast.Expr{c}}}
		if sig.Results().Len() == 0 {
			then = []ast.Stmt{&ast.ExprStmt{X: c}, &ast.ReturnStmt{}}
		}
		body.List = append([]ast.Stmt{&ast.IfStmt{Cond: &ast.StarExpr{X: source(on)}, Body: &ast.BlockStmt{List: then}}}, body.List...)
	}
	l.print(&ast.FuncDecl{Name: ident(name), Type: typ, Body: body})
}

// funcBody lowers the body of a function that has the given results, which lowered functions do not name.
func (l *lowerer) funcBody(b *ast.BlockStmt, fn string, at token.Pos, results *types.Tuple) *ast.BlockStmt {
	if d := l.deferring; d != nil {
		return d.wrap(l, l.body(b, fn, at))
	}
	vars := l.ownResults(results)
	body := l.body(b, fn, at)
	body.List = append(vars, body.List...)
	return body
}

// body lowers a function's body and gives it a mark.
func (l *lowerer) body(b *ast.BlockStmt, fn string, at token.Pos) *ast.BlockStmt {
	cur := l.cur
	defer func() { l.cur = cur }()
	l.cur = l.e.newMark(l.e.fset.Position(at).Filename, fn)
	l.marks = append(l.marks, l.cur)
	r := &ast.BlockStmt{Lbrace: 1, List: l.stmts(b.List), Rbrace: 1}
	return r
}

func isMark(s ast.Stmt, m *mark) bool {
	a, ok := s.(*ast.AssignStmt)
	if !ok {
		return false
	}
	star, ok := a.Lhs[0].(*ast.StarExpr)
	if !ok {
		return false
	}
	sel, ok := star.X.(*ast.SelectorExpr)
	return ok && cellPkg+"."+sel.Sel.Name == m.symbol
}

func (e *Engine) newMark(cell, fn string) *mark {
	v := new(int)
	return &mark{e.provide("at", reflect.ValueOf(v)), v, cell, fn}
}

// The column takes the low bits of a mark.
const markColumns = 1 << 12

func (l *lowerer) markAt(pos token.Pos) ast.Stmt {
	p := l.e.fset.Position(pos)
	v := p.Line*markColumns + min(p.Column, markColumns-1)
	return &ast.AssignStmt{Lhs: []ast.Expr{&ast.StarExpr{X: source(l.cur.symbol)}}, Tok: token.ASSIGN, Rhs: []ast.Expr{&ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(v)}}}
}

// stmts lowers a statement list, with a mark before what may fail.
func (l *lowerer) stmts(list []ast.Stmt) []ast.Stmt {
	var r []ast.Stmt
	for _, s := range list {
		if l.fails(s) {
			if l.cur != nil {
				r = append(r, l.markAt(s.Pos()))
			}
			r = append(r, l.bounds(s)...)
		}
		n := l.stmt(s)
		if b, ok := n.(*ast.BlockStmt); ok && b.Lbrace == flattened {
			r = append(r, b.List...)
			continue
		}
		r = append(r, n)
	}
	return r
}

// flattened marks a block that stands for several statements of the enclosing list.
const flattened token.Pos = -7

func flat(list ...ast.Stmt) ast.Stmt { return &ast.BlockStmt{Lbrace: flattened, List: list} }

// fails says whether a statement's own expressions can fail.
func (l *lowerer) fails(s ast.Stmt) bool {
	r := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.BlockStmt:
			return false
		case *ast.CallExpr, *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr, *ast.SendStmt, *ast.SelectStmt, *ast.RangeStmt, *ast.ForStmt:
			r = true
		case *ast.SelectorExpr:
			if t := l.info.Types[n.X].Type; t != nil {
				if _, ok := t.Underlying().(*types.Pointer); ok {
					r = true
				}
			}
		case *ast.BinaryExpr:
			r = r || n.Op == token.QUO || n.Op == token.REM || n.Op == token.EQL
		case *ast.AssignStmt:
			r = r || n.Tok == token.QUO_ASSIGN || n.Tok == token.REM_ASSIGN
		case *ast.UnaryExpr:
			r = r || n.Op == token.ARROW
		}
		return !r
	})
	return r
}
