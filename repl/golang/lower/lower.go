package lower

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// facts are what go/types and escape analysis know of the code that is lowered. findEscaping fills them in; asking
// changes nothing.
type facts struct {
	st      *State
	ck      *check.Checked
	info    *types.Info           // of the function being printed
	env     *env                  // its type arguments
	hoist   map[types.Object]bool // variables of a cell's statements, which live in slots
	Escapes map[types.Object]bool // variables that outlive their block: see findEscaping
}

// Lowerer prints checked declarations and statements as the Go that yaegi runs correctly.
type Lowerer struct {
	facts
	*run.Trees
	names    map[types.Object]string      // new ones; those of older cells are in State.names
	literals map[string]int               // how many literals a function has, by its name
	fn       string                       // the function being printed, as users call it
	aliases  map[string]string            // import path to what lowered code calls the package
	imports  map[string]string            // import path to package name
	locals   map[types.Object]string      // names of variables of functions
	used     map[string]bool              // names that the function being printed has given
	slots    map[types.Object]*check.Slot // new ones; those of older cells are in State.Slots
	reached  map[string]bool              // types whose methods are printed
	start    []string                     // statements to run before the cell's
	// helper and instance names by key; those of older cells are in State.helpers
	helpers    map[string]string
	queue      []func()    // instances still to print
	late       []*instance // declared only
	out        strings.Builder
	order      []printed // the functions in out
	plan       *plan     // nil without machine code
	elements   []*elements
	c          check.Copier
	results    *types.Tuple          // of the function being printed
	label      string                // of the statement about to be lowered
	typed      map[types.Object]bool // variables that are declared with a type
	labels     map[types.Object]*label
	returns    []ast.Expr // the named results of the function being printed, when it defers nothing
	deferring  *deferring // the function being printed, when it defers
	recovers   string     // the Defers of the next function literal, which is deferred
	inDeferred string     // the Defers that recover asks
	hooks      *hooks     // of the function being printed; nil without
	mark       *run.Mark  // of the cell being printed
}

func (st *State) newLowerer(ck *check.Checked) *Lowerer {
	l := &Lowerer{
		facts: facts{
			st: st, ck: ck, info: ck.Info, hoist: map[types.Object]bool{}, Escapes: map[types.Object]bool{},
		},
		Trees: run.NewTrees(),
		names: map[types.Object]string{}, imports: map[string]string{}, aliases: map[string]string{},
		helpers:  map[string]string{},
		literals: map[string]int{}, locals: map[types.Object]string{}, used: map[string]bool{},
		slots:   map[types.Object]*check.Slot{},
		reached: map[string]bool{},
		typed:   map[types.Object]bool{},
		labels:  map[types.Object]*label{},
	}
	l.c = check.Copier{Hook: l.hook, Done: l.recordExprOrigin}
	return l
}

func call(fn string, args ...ast.Expr) *ast.CallExpr {
	return &ast.CallExpr{Fun: source(fn), Args: args}
}

// source parses an expression that lowering has made up.
func source(s string) ast.Expr {
	if token.IsIdentifier(s) {
		return check.Ident(s)
	}
	if pkg, name, ok := strings.Cut(s, "."); ok && token.IsIdentifier(pkg) && token.IsIdentifier(name) {
		return &ast.SelectorExpr{X: check.Ident(pkg), Sel: check.Ident(name)}
	}
	x, err := parser.ParseExprFrom(token.NewFileSet(), "", s, parser.SkipObjectResolution)
	if err != nil {
		panic("golang: lowered expression " + s + ": " + err.Error())
	}
	return x
}

func (l *Lowerer) typeExpr(t types.Type) ast.Expr { return source(l.typeSource(t)) }

func (q *facts) typeOf(x ast.Expr) types.Type {
	if tv, ok := q.info.Types[x]; ok && tv.Type != nil {
		return q.subst(tv.Type)
	}
	if id, ok := x.(*ast.Ident); ok {
		if o := q.info.ObjectOf(id); o != nil {
			return q.subst(o.Type())
		}
	}
	return nil
}

func (l *Lowerer) expr(x ast.Expr) ast.Expr {
	if x == nil {
		return nil
	}
	return l.c.Clone(x).(ast.Expr)
}

func (l *Lowerer) exprs(xs []ast.Expr) []ast.Expr {
	var r []ast.Expr
	for _, x := range xs {
		r = append(r, l.expr(x))
	}
	return r
}

func (l *Lowerer) stmt(s ast.Stmt) ast.Stmt {
	if s == nil {
		return nil
	}
	return l.c.Clone(s).(ast.Stmt)
}

func (l *Lowerer) fields(f *ast.FieldList) *ast.FieldList {
	if f == nil {
		return nil
	}
	return l.c.CopyNode(f).(*ast.FieldList)
}

// printing aligns nothing: hardly anyone reads it.
var printing = printer.Config{Mode: printer.RawFormat}

func (l *Lowerer) print(n *ast.FuncDecl) {
	l.Decls[n.Name.Name] = n
	from := l.out.Len()
	defer func() { l.order = append(l.order, printed{n, from, l.out.Len()}) }()
	l.out.WriteString(printedText(n))
}

func printedText(n *ast.FuncDecl) string {
	var b strings.Builder
	if err := printing.Fprint(&b, token.NewFileSet(), n); err != nil {
		panic("golang: lowered tree: " + err.Error())
	}
	return b.String() + "\n\n"
}

func (l *Lowerer) printf(f string, args ...any) { fmt.Fprintf(&l.out, f+"\n", args...) }

// Code is a cell as yaegi gets it.
type Code struct {
	code  string       // declarations
	Run   string       // the function that holds the statements; "" without any
	first string       // the function that binds methods and redirects older versions of functions; "" when none
	Mark  *run.Mark    // of the cell; nil when it has no statements
	Types []types.Type // of the shown values
	Last  *types.Var   // what _ stands for afterwards
	Key   string       // of last in State.lasts
}

// Source is what yaegi gets of the cell.
func (c *Code) Source() string { return c.code }

// Lower prints a checked cell.
func (st *State) Lower(ck *check.Checked) (*Code, *Lowerer) {
	l := st.newLowerer(ck)
	r := &Code{}
	for _, f := range ck.Funcs {
		if len(f.TypeParams) == 0 {
			l.newName(f.Object, f.Names[0])
		}
	}
	for _, v := range ck.Vars {
		s := l.slotOf(v.Slot)
		if s == nil {
			s = st.NewSlot(v.Slot.Type())
			l.slots[v.Slot] = s
		}
		l.slots[v.Local] = s
		l.hoist[v.Local] = true
	}
	for _, f := range ck.Funcs {
		if len(f.TypeParams) == 0 { // others are printed for each instance
			l.function(f)
		}
	}
	l.plan = st.plan(l)
	if ck.Body != nil && len(ck.Body.List) > 0 {
		r.Run = l.fresh("cell")
		l.cellFunc(r)
	}
	l.printQueued()
	l.finish(r)
	return r, l
}

// finish ends the printing.
func (l *Lowerer) finish(r *Code) {
	if len(l.start) > 0 {
		r.first = l.fresh("start")
		l.printf("func %s() {\n%s\n}", r.first, strings.Join(l.start, "\n"))
	}
	r.code = l.inOrder()
}

func (l *Lowerer) printQueued() {
	for len(l.queue) > 0 {
		q := l.queue[0]
		l.queue = l.queue[1:]
		q()
	}
}

// function prints a function or a method, and has older versions of it call this one.
func (l *Lowerer) function(f *check.Function) {
	name := l.name(f.Object)
	l.printFunc(f, name, true, nil)
	if f.Receiver != "" {
		l.register(name, l.st.methodSlot(f.Object))
	}
	for _, v := range l.st.olderVersions(f) {
		l.start = append(l.start, fmt.Sprintf("%s.Redirect(%q, %s)", run.RuntimePkg, v, name))
	}
}

// olderVersions are the names of functions that f takes the place of.
func (st *State) olderVersions(f *check.Function) []string {
	if f.Receiver != "" {
		return st.older[f.Object]
	}
	if b := st.scope.Bindings[f.Names[0]]; b != nil {
		if old, ok := b.Object.(*types.Func); ok && check.SameUse(old, f.Object) {
			return st.older[old]
		}
	}
	return nil
}

// printFunc prints a body under a name.
func (l *Lowerer) printFunc(f *check.Function, name string, redefinable bool, v *env) {
	info, env, fn, results, used, hooks := l.info, l.env, l.fn, l.results, l.used, l.hooks
	l.info, l.env, l.used, l.hooks = f.Info, v, map[string]bool{}, nil
	defer func() {
		l.info, l.env, l.fn, l.results, l.used, l.hooks = info, env, fn, results, used, hooks
	}()
	sig := f.Info.Defs[f.Syntax.Name].(*types.Func).Signature()
	l.results = l.subst(sig.Results()).(*types.Tuple)
	l.findEscaping(f.Syntax)
	params := l.params(f.Syntax.Type.Params)
	leave := l.enterDefers(f.Syntax.Body, sig.Results())
	inDeferred := l.inDeferred
	l.inDeferred = ""
	defer func() { l.inDeferred = inDeferred; leave() }()
	typ := &ast.FuncType{Params: params, Results: l.resultFields(l.results)}
	first := l.recoverer(f.Syntax.Body, f.Syntax.Name.Name[strings.LastIndexByte(f.Syntax.Name.Name, '.')+1:])
	body := l.funcBody(f.Syntax.Body, f.StackName(), f.Syntax.Pos(), sig.Results(), f.Syntax.Type)
	body.List = append(first, body.List...)
	if redefinable {
		l.st.rt.AddRedirect(name)
	}
	l.print(&ast.FuncDecl{Name: check.Ident(name), Type: typ, Body: body})
}

// literalName is the name of the next literal in the function that is printed.
func (l *Lowerer) literalName() string {
	if l.fn == "" || l.fn == run.LiteralFn {
		return run.LiteralFn
	}
	l.literals[l.fn]++
	n := strconv.Itoa(l.literals[l.fn])
	if i := strings.LastIndex(l.fn, ".func"); i >= 0 && strings.Trim(l.fn[i+5:], "0123456789.") == "" &&
		l.fn[i+5:] != "" {
		return l.fn + "." + n
	}
	return l.fn + ".func" + n
}

// params lowers a function's parameters. yaegi counts those without names wrongly.
func (l *Lowerer) params(list *ast.FieldList) *ast.FieldList {
	params := l.fields(list)
	n := 0
	for _, p := range params.List {
		if len(p.Names) == 0 {
			p.Names = []*ast.Ident{check.Ident("_")}
		}
		for i, id := range p.Names {
			if id.Name == "_" {
				p.Names[i] = check.Ident("p" + run.Tick + strconv.Itoa(n))
			}
			n++
		}
	}
	return params
}

// funcBody lowers the body of a function that has the given results, which lowered functions do not name.
func (l *Lowerer) funcBody(b *ast.BlockStmt, fn string, at token.Pos, results *types.Tuple,
	typ *ast.FuncType) *ast.BlockStmt {
	d := l.deferring
	var vars []ast.Stmt
	if d == nil {
		vars = l.ownResults(results)
	}
	hooks, leave := l.enterHooks(typ, at)
	defer leave()
	body := l.body(b, fn, at)
	if d != nil {
		return d.wrap(l, body, fn, b.Rbrace, hooks)
	}
	body.List = slices.Concat(vars, hooks, body.List)
	return body
}

// body lowers a function's body.
func (l *Lowerer) body(b *ast.BlockStmt, fn string, at token.Pos) *ast.BlockStmt {
	outer := l.fn
	defer func() { l.fn = outer }()
	l.fn = fn
	r := &ast.BlockStmt{Lbrace: 1, List: l.stmts(b.List), Rbrace: 1}
	l.Bodies[r] = &fn
	l.Origin[r] = at
	return r
}

func (l *Lowerer) markAt(pos token.Pos) ast.Stmt {
	p := l.st.scope.Fset.Position(pos)
	v := p.Line*run.MarkColumns + min(p.Column, run.MarkColumns-1)
	return &ast.AssignStmt{Lhs: []ast.Expr{&ast.StarExpr{X: source(l.mark.Symbol)}}, Tok: token.ASSIGN,
		Rhs: []ast.Expr{&ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(v)}}}
}

// stmts lowers a statement list.
func (l *Lowerer) stmts(list []ast.Stmt) []ast.Stmt {
	var r []ast.Stmt
	defer l.scoped()()
	for _, s := range list {
		var lowered []ast.Stmt
		if at := l.atHook(s); at != nil {
			r = append(r, at)
		}
		n := l.stmt(s)
		if b, ok := n.(*ast.BlockStmt); ok && b.Lbrace == flattened {
			lowered = append(lowered, b.List...)
		} else {
			lowered = append(lowered, n)
		}
		l.recordOrigin(s.Pos(), lowered...)
		r = append(append(r, lowered...), l.declareHooks(s)...)
	}
	return r
}

// recordExprOrigin notes where a lowered expression that can fail comes from.
func (l *Lowerer) recordExprOrigin(from, to ast.Node) {
	if _, known := l.Origin[to]; known {
		return
	}
	switch x := from.(type) {
	case *ast.CallExpr:
		at := x.Fun.Pos()
		switch f := ast.Unparen(x.Fun).(type) {
		case *ast.SelectorExpr:
			at = f.Sel.Pos()
		case *ast.FuncLit:
			at = x.Lparen
		}
		if at.IsValid() {
			l.Origin[to] = at
		}
	case *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr, *ast.UnaryExpr, *ast.BinaryExpr,
		*ast.SelectorExpr:
		if from.Pos().IsValid() {
			l.Origin[to] = from.Pos()
		}
	}
}

// recordOrigin notes where lowered statements come from.
func (l *Lowerer) recordOrigin(pos token.Pos, list ...ast.Stmt) {
	for _, s := range list {
		if _, ok := l.Origin[s]; !ok {
			l.Origin[s] = pos
		}
	}
}

// flattened marks a block that stands for several statements of the enclosing list.
const flattened token.Pos = -7

func flat(list ...ast.Stmt) ast.Stmt { return &ast.BlockStmt{Lbrace: flattened, List: list} }
