package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/lower/typing"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// function is a function that is lowered, or a literal in one.
type function struct {
	outer      *function    // of a literal
	name       string       // as users call it
	results    *types.Tuple // nil for the statements of a cell
	returns    []ast.Expr   // its named results, when it defers nothing
	deferring  *deferring   // nil when it defers nothing
	inDeferred string       // the Defers that recover asks
	hooks      *hooks       // nil without
}

// stmts lowers the statements of a function.
type stmts struct {
	*facts
	u     *unit
	sp    *speller
	x     *exprs
	as    *assigns
	label string            // of the statement about to be lowered
	fixed map[ast.Stmt]bool // whose order is settled: see ordered
}

// body begins the lowering of a function: of an instance with the type arguments of env.
func (u *unit) body(info *types.Info, env *typing.Env) *stmts {
	q := &facts{scope: u.st.scope, types: u.st.Types, ck: u.ck, info: info, env: env, hoist: u.hoist,
		escapes: u.escapes, typed: u.typed}
	sp := &speller{facts: q, u: u, used: map[string]bool{}}
	x := &exprs{facts: q, u: u, sp: sp, fn: &function{}}
	l := &stmts{facts: q, u: u, sp: sp, x: x, as: &assigns{facts: q, u: u, sp: sp, x: x}, fixed: map[ast.Stmt]bool{}}
	x.copier = check.Copier{Hook: l.node, Done: u.out.recordExprOrigin}
	return l
}

// node is the lowering of one node; false means that the node is copied and its children are lowered.
func (l *stmts) node(n ast.Node) (ast.Node, bool) {
	check.Checkpoint(l.scope)
	if lit, ok := n.(*ast.FuncLit); ok {
		return l.funcLit(lit), true
	}
	if x, ok := n.(ast.Expr); ok {
		return l.x.lower(x)
	}
	if s, ok := n.(ast.Stmt); ok {
		if c := l.compiledLoop(s); c != nil {
			return c, true
		}
	}
	return l.lower(n)
}

// prepare notes what is to be known of a body before it is lowered.
func (l *stmts) prepare(body ast.Node) { l.findEscaping(body, l.nameLabel) }

// function lowers a function under a name.
func (l *stmts) function(f *check.Function, name string) *ast.FuncDecl {
	sig := f.Info.Defs[f.Syntax.Name].(*types.Func).Signature()
	fn := &function{name: f.StackName(), results: l.subst(sig.Results()).(*types.Tuple)}
	l.x.fn = fn
	l.prepare(f.Syntax)
	params := l.x.params(f.Syntax.Type.Params)
	l.enterDefers(f.Syntax.Body, sig.Results())
	typ := &ast.FuncType{Params: params, Results: l.sp.resultFields(fn.results)}
	first := l.recoverer(f.Syntax.Body, f.Syntax.Name.Name[strings.LastIndexByte(f.Syntax.Name.Name, '.')+1:])
	body := l.funcBody(f.Syntax.Body, f.Syntax.Pos(), sig.Results(), f.Syntax.Type)
	body.List = append(first, body.List...)
	return &ast.FuncDecl{Name: check.Ident(name), Type: typ, Body: body}
}

// funcLit lowers a function literal.
func (l *stmts) funcLit(n *ast.FuncLit) ast.Expr {
	if l.x.fn.name == "" {
		l.u.nameLiteral(n)
	}
	if x := l.compiledLiteral(n); x != nil {
		return x
	}
	outer := l.x.fn
	fn := &function{outer: outer, name: l.literalName(), inDeferred: l.x.recovers, results: outer.results}
	l.x.recovers = ""
	l.x.fn = fn
	defer func() { l.x.fn = outer }()
	var own *types.Tuple
	if sig, ok := l.info.TypeOf(n).(*types.Signature); ok {
		own = sig.Results()
		fn.results = l.subst(sig).(*types.Signature).Results()
	}
	l.enterDefers(n.Body, own)
	first := l.recoverer(n.Body, "")
	lit := &ast.FuncLit{Type: &ast.FuncType{Params: l.x.params(n.Type.Params), Results: l.sp.resultFields(own)}}
	lit.Body = l.funcBody(n.Body, n.Pos(), own, n.Type)
	lit.Body.List = append(first, lit.Body.List...)
	// Without parentheses, an operand of a call or a struct literal would see what its variables become later.
	return &ast.ParenExpr{X: lit}
}

// nameLiteral names the next function literal of a cell's statements.
func (u *unit) nameLiteral(lit *ast.FuncLit) {
	u.literals[run.CellLiteral]++
	u.nameLiterals(lit, run.CellLiteral+strconv.Itoa(u.literals[run.CellLiteral]))
}

// nameLiterals names a function literal of a cell's statements for function values, and those in it.
func (u *unit) nameLiterals(lit *ast.FuncLit, name string) {
	u.out.Literals = append(u.out.Literals, run.Func{Name: name, Pos: lit.Pos()})
	i := 0
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		inner, ok := n.(*ast.FuncLit)
		if ok {
			i++
			u.nameLiterals(inner, name+"."+strconv.Itoa(i))
		}
		return !ok
	})
}

// literalName is the name of the next literal in the function that is lowered.
func (l *stmts) literalName() string {
	if l.x.fn.name == "" || l.x.fn.name == run.LiteralFn {
		return run.LiteralFn
	}
	l.u.literals[l.x.fn.name]++
	n := strconv.Itoa(l.u.literals[l.x.fn.name])
	if i := strings.LastIndex(l.x.fn.name, ".func"); i >= 0 && strings.Trim(l.x.fn.name[i+5:], "0123456789.") == "" &&
		l.x.fn.name[i+5:] != "" {
		return l.x.fn.name + "." + n
	}
	return l.x.fn.name + ".func" + n
}

// funcBody lowers the body of a function that has the given results, which lowered functions do not name.
func (l *stmts) funcBody(b *ast.BlockStmt, at token.Pos, results *types.Tuple, typ *ast.FuncType) *ast.BlockStmt {
	fn := l.x.fn
	var vars []ast.Stmt
	if fn.deferring == nil {
		vars = l.ownResults(results)
	}
	hooks := l.enterHooks(typ, b, at)
	defer fn.hooks.leave()
	body := &ast.BlockStmt{Lbrace: 1, List: l.stmts(b.List), Rbrace: 1}
	name := fn.name
	l.u.out.Bodies[body] = &name
	l.u.out.Origin[body] = at
	l.u.out.Funcs[body] = run.Func{Name: name, Pos: at}
	if fn.deferring != nil {
		r := l.deferBody(body, b.Rbrace, hooks)
		l.u.out.Funcs[r] = l.u.out.Funcs[body]
		return r
	}
	body.List = slices.Concat(vars, hooks, body.List)
	return body
}

func (l *stmts) stmt(s ast.Stmt) ast.Stmt {
	if s == nil {
		return nil
	}
	return l.x.copier.Clone(s).(ast.Stmt)
}

// stmts lowers a statement list.
func (l *stmts) stmts(list []ast.Stmt) []ast.Stmt {
	var r []ast.Stmt
	defer l.x.fn.hooks.scoped()()
	for _, s := range list {
		if at := l.x.fn.hooks.at(s); at != nil {
			r = append(r, at)
		}
		lowered := l.ordered(s, func(s ast.Stmt) []ast.Stmt {
			n := l.stmt(s)
			if b, ok := n.(*ast.BlockStmt); ok && b.Lbrace == flattened {
				return b.List
			}
			return []ast.Stmt{n}
		})
		l.u.out.recordOrigin(s.Pos(), lowered...)
		r = append(append(r, lowered...), l.x.fn.hooks.declared(s)...)
	}
	return r
}
