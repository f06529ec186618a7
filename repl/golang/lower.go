package golang

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
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
	env        env
	names      map[types.Object]string // new ones; those of older cells are in e.names
	marks      []*mark                 // of functions that were printed
	cur        *mark                   // of the function being printed
	need       map[string]string       // import path to package name
	made       map[string]string       // helper and instance names by key; those of older cells are in e.made
	queue      []func()                // instances still to print
	out        strings.Builder
	c          copier
	hoist      map[types.Object]bool
	results    *types.Tuple          // of the function being printed
	inLoop     []string              // labels inside the loop body that becomes a function
	label      string                // of the statement about to be lowered
	kept       map[types.Object]bool // variables that outlive their block: see findKept
	deferring  *deferring            // the function being printed, when it defers
	recovers   string                // the Defers of the next function literal, which is deferred
	inDeferred string                // the Defers that recover asks
}

// cellMark is the mark of the functions that hold cells.
const cellMark = "at" + tick + "0"

// mark is a function's place in a variable: the line and column of the last statement that may have failed. An assignment
// costs 11 ns, a tenth of a call that would note the same. Goroutines of one function overwrite each other's marks, so a
// panic in one of them may name another's line.
type mark struct {
	name string // of the variable
	cell string
	fn   string // as users call it
}

func (e *Engine) newLowerer(ck *checked) *lowerer {
	l := &lowerer{e: e, ck: ck, info: ck.info, names: map[types.Object]string{}, need: map[string]string{}, made: map[string]string{}, hoist: map[types.Object]bool{}, kept: map[types.Object]bool{}}
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

func (l *lowerer) typeExpr(t types.Type) ast.Expr { return source(l.typeSource(subst(t, l.env))) }

func (l *lowerer) typeOf(x ast.Expr) types.Type {
	if tv, ok := l.info.Types[x]; ok && tv.Type != nil {
		return subst(tv.Type, l.env)
	}
	if id, ok := x.(*ast.Ident); ok {
		if o := l.info.ObjectOf(id); o != nil {
			return subst(o.Type(), l.env)
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
	code  string            // declarations
	run   string            // the function that holds the statements; "" without any
	after map[string]string // name to the function that releases what the name stood for before
	first string            // the function that redirects older versions of functions; "" when none
	marks []*mark
	types []types.Type // of the shown values
	last  *types.Var   // what _ stands for afterwards
	key   string       // of last in Engine.lasts
}

// lower prints a checked cell.
func (e *Engine) lower(ck *checked) (*lowered, *lowerer) {
	l := e.newLowerer(ck)
	r := &lowered{}
	for _, d := range ck.decls {
		if d.spec != nil && d.spec.TypeParams == nil {
			for _, n := range d.names {
				l.newName(ck.objs[n], n)
			}
		}
	}
	var redirects []string
	for _, f := range ck.funcs {
		if len(f.tparams) == 0 && f.recv == "" {
			l.newName(f.obj, f.names[0])
		}
	}
	for _, v := range ck.vars {
		n := l.name(v.slot)
		if n == "" {
			n = l.newName(v.slot, v.name)
			l.printf("var %s %s", n, l.typeSource(v.slot.Type()))
		}
		l.names[v.local] = n
		l.hoist[v.local] = true
	}
	for _, d := range ck.decls {
		if d.spec != nil && d.spec.TypeParams == nil && !d.spec.Assign.IsValid() {
			l.typeDecl(ck.objs[d.names[0]].(*types.TypeName), d)
		}
	}
	for _, f := range ck.funcs {
		if len(f.tparams) > 0 {
			continue // printed for each instance
		}
		redirects = append(redirects, l.function(f)...)
	}
	if ck.body != nil && len(ck.body.List) > 0 {
		r.run = l.fresh("cell")
		l.cellFunc(r)
	}
	l.drain()
	if len(redirects) > 0 {
		r.first = l.fresh("redirect")
		l.printf("func %s() {\n%s\n}", r.first, strings.Join(redirects, "\n"))
	}
	r.after = l.release(r.last)
	var b strings.Builder
	for _, m := range l.marks {
		if m.name != cellMark {
			fmt.Fprintf(&b, "var %s int\n", m.name)
		}
	}
	r.code = b.String() + l.out.String()
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

func (l *lowerer) typeDecl(tn *types.TypeName, d *decl) {
	if it, ok := tn.Type().Underlying().(*types.Interface); ok && !it.IsMethodSet() {
		return // a constraint
	}
	l.printf("type %s %s\n", l.name(tn), l.typeSource(tn.Type().Underlying())) // what it is defined by may come later, which yaegi does not take
}

// function prints a function or a method and returns the assignments that make older versions of it call this one.
func (l *lowerer) function(f *function) []string {
	sig := f.obj.Signature()
	if f.recv == "" {
		name := l.name(f.obj)
		l.printFunc(f, name, "", nil)
		l.made["redirect:"+f.names[0]+"@"+name] = name
		var rs []string
		if b := l.e.scope[f.names[0]]; b != nil {
			if old, ok := b.obj.(*types.Func); ok && sameKind(old, f.obj) {
				for _, v := range l.e.older[old] {
					rs = append(rs, v+tick+"r = "+name)
				}
			}
		}
		return rs
	}
	if m := l.e.methods[f.names[0]]; m != nil && m.obj == f.obj {
		// The type keeps its first method for ever: it calls this function from now on.
		name := l.newName(nil, f.names[0])
		l.printFunc(f, name, "function", nil)
		return []string{m.name + tick + "r = " + name}
	}
	name := l.newName(nil, f.names[0])
	l.made["method:"+f.names[0]] = name
	recv := l.typeSource(deref(sig.Recv().Type()))
	l.printFunc(f, name, recv, nil)
	return nil
}

func deref(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// printFunc prints a body under a name. recv is the method's base type, "" for a function, or "function" for a method
// that is printed as a function. A first statement sends callers on to a newer version, once there is one.
func (l *lowerer) printFunc(f *function, name, recv string, e env) {
	info, env, cur, results := l.info, l.env, l.cur, l.results
	l.info, l.env = f.info, e
	defer func() { l.info, l.env, l.cur, l.results = info, env, cur, results }()
	l.results = nil
	if o, ok := f.info.Defs[f.fd.Name].(*types.Func); ok {
		l.results = subst(o.Signature().Results(), e).(*types.Tuple)
	}
	l.findKept(f.fd)
	params := l.fields(f.fd.Type.Params)
	n := 0
	for _, p := range params.List {
		if len(p.Names) == 0 {
			p.Names = []*ast.Ident{ident("_")}
		}
		for i, id := range p.Names {
			if id.Name == "_" {
				p.Names[i] = ident("p" + tick + strconv.Itoa(n))
			}
			n++
		}
	}
	own := l.results
	if o, ok := f.info.Defs[f.fd.Name].(*types.Func); ok {
		own = o.Signature().Results()
	}
	leave := l.enterDefers(f.fd.Body, own)
	inDeferred := l.inDeferred
	l.inDeferred = ""
	defer func() { l.inDeferred = inDeferred; leave() }()
	typ := &ast.FuncType{Params: params, Results: l.fields(f.fd.Type.Results)}
	body := l.body(f.fd.Body, f.names[0], f.fd.Pos())
	if d := l.deferring; d != nil {
		typ.Results, body = d.fields(l), d.wrap(body)
	}
	fd := &ast.FuncDecl{Name: ident(name), Type: typ, Body: body}
	if recv != "function" && e == nil {
		// Without parameter names: yaegi confuses them with variables of the session.
		var names []string
		for _, p := range params.List {
			for _, id := range p.Names {
				names = append(names, id.Name)
			}
		}
		sig := subst(f.info.Defs[f.fd.Name].Type(), nil).(*types.Signature)
		forward := name + tick + "r(" + strings.Join(names, ", ")
		if f.obj.Signature().Variadic() {
			forward += "..."
		}
		l.printf("var %s%sr func%s", name, tick, l.signature(sig))
		var then []ast.Stmt
		if typ.Results != nil && len(typ.Results.List) > 0 {
			then = []ast.Stmt{&ast.ReturnStmt{Results: []ast.Expr{source(forward + ")")}}}
		} else {
			then = []ast.Stmt{&ast.ExprStmt{X: source(forward + ")")}, &ast.ReturnStmt{}}
		}
		body.List = append([]ast.Stmt{&ast.IfStmt{Cond: source(name + tick + "r != nil"), Body: &ast.BlockStmt{List: then}}}, body.List...)
	}
	if recv != "" && recv != "function" {
		r := params.List[0]
		var t ast.Expr = source(recv)
		if _, ok := f.node.(*ast.FuncDecl).Recv.List[0].Type.(*ast.StarExpr); ok {
			t = &ast.StarExpr{X: t}
		}
		fd.Recv = &ast.FieldList{List: []*ast.Field{{Names: r.Names, Type: t}}}
		fd.Name = ident(f.node.(*ast.FuncDecl).Name.Name)
		fd.Type = &ast.FuncType{Params: &ast.FieldList{List: params.List[1:]}, Results: typ.Results}
	}
	l.print(fd)
}

// body lowers a function's body and gives it a mark.
func (l *lowerer) body(b *ast.BlockStmt, fn string, at token.Pos) *ast.BlockStmt {
	cur := l.cur
	defer func() { l.cur = cur }()
	l.cur = &mark{name: l.fresh("at"), cell: l.e.fset.Position(at).Filename, fn: fn}
	l.marks = append(l.marks, l.cur)
	r := &ast.BlockStmt{Lbrace: 1, List: l.stmts(b.List), Rbrace: 1}
	if len(b.List) > 0 {
		at = b.List[0].Pos()
	}
	if len(r.List) == 0 || !isMark(r.List[0], l.cur) {
		r.List = append([]ast.Stmt{l.markAt(at)}, r.List...)
	}
	return r
}

func isMark(s ast.Stmt, m *mark) bool {
	a, ok := s.(*ast.AssignStmt)
	if !ok {
		return false
	}
	id, ok := a.Lhs[0].(*ast.Ident)
	return ok && id.Name == m.name
}

// The column takes the low bits of a mark.
const markColumns = 1 << 12

func (l *lowerer) markAt(pos token.Pos) ast.Stmt {
	p := l.e.fset.Position(pos)
	v := p.Line*markColumns + min(p.Column, markColumns-1)
	return &ast.AssignStmt{Lhs: []ast.Expr{ident(l.cur.name)}, Tok: token.ASSIGN, Rhs: []ast.Expr{&ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(v)}}}
}

// stmts lowers a statement list, with a mark before what may fail, and a stop before what may call out: there an
// abandoned goroutine ends (see Engine.abandon).
func (l *lowerer) stmts(list []ast.Stmt) []ast.Stmt {
	var r []ast.Stmt
	for _, s := range list {
		fails, calls := l.risk(s)
		if fails && l.cur != nil {
			r = append(r, l.markAt(s.Pos()))
		}
		if calls {
			r = append(r, l.stopCheck())
		}
		if fails {
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

// stopCheck ends an abandoned goroutine.
func (l *lowerer) stopCheck() ast.Stmt {
	return &ast.IfStmt{Cond: ident(abandonedVar), Body: &ast.BlockStmt{List: []ast.Stmt{&ast.ExprStmt{X: call(runtimePkg + ".Stop")}}}}
}

func isStopCheck(s ast.Stmt) bool {
	i, ok := s.(*ast.IfStmt)
	if !ok {
		return false
	}
	id, ok := i.Cond.(*ast.Ident)
	return ok && id.Name == abandonedVar
}

// flattened marks a block that stands for several statements of the enclosing list.
const flattened token.Pos = -7

func flat(list ...ast.Stmt) ast.Stmt { return &ast.BlockStmt{Lbrace: flattened, List: list} }

// risk says whether a statement's own expressions can fail, and whether they call anything.
func (l *lowerer) risk(s ast.Stmt) (fails, calls bool) {
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.BlockStmt:
			return false
		case *ast.CallExpr:
			fails = true
			if tv := l.info.Types[n.Fun]; !tv.IsType() && !tv.IsBuiltin() {
				calls = true
			}
		case *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr, *ast.SendStmt, *ast.SelectStmt, *ast.RangeStmt, *ast.ForStmt:
			fails = true
		case *ast.SelectorExpr:
			if t := l.info.Types[n.X].Type; t != nil {
				if _, ok := t.Underlying().(*types.Pointer); ok {
					fails = true
				}
			}
		case *ast.BinaryExpr:
			fails = fails || n.Op == token.QUO || n.Op == token.REM || n.Op == token.EQL
		case *ast.AssignStmt:
			fails = fails || n.Tok == token.QUO_ASSIGN || n.Tok == token.REM_ASSIGN
		case *ast.UnaryExpr:
			fails = fails || n.Op == token.ARROW
		}
		return true
	})
	return fails, calls
}
