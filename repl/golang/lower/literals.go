package lower

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/check"
	machinecode "github.com/gorocm/gorocm/repl/golang/native"
	"github.com/gorocm/gorocm/repl/golang/run"
	"golang.org/x/tools/go/types/typeutil"
)

// A function literal of interpreted code becomes machine code where it can: among the statements of a cell, and in
// functions that stay interpreted. It is replaced by the call of a function that makes its closures, with the addresses
// of the variables of functions that it captures:
//
//	sort.Slice(xs, func(i, j int) bool { return xs[i]*k < xs[j]*k })    is    sort.Slice(xs, literal(&k))
//
// where k is a variable of the function around it. Variables of the session have addresses that do not change.

// So does a loop of a function that stays interpreted, and one within another statement of a cell, if nothing but its
// end and return statements leave it. It becomes the call of a function:
//
//	for _, x := range xs { sum += x }    is    loop(&xs, &sum)
//
// Interpreted code and the loop have the same variables, so deferred calls find them as they are when the loop panics.

// compiledLiteral is a literal that becomes machine code, or a loop.
type compiledLiteral struct {
	code     *machinecode.Literal
	captured []*ast.Ident         // one use of each captured variable
	returns  *machinecode.Returns // of a loop with return statements
}

// planLiterals finds the literals of a cell that become machine code, once its functions are planned.
func (p *plan) planLiterals(of *unit) {
	if run.Profiling(of.st.rt) { // which would count them as what calls them
		return
	}
	p.observed = observes(of.ck.Info)
	for i := range p.units {
		if u := &p.units[i]; p.Reason(i) != nil && !u.Once {
			p.literalsIn(u.Syntax.Body, hasGoto(u.Syntax.Body), u.Source)
		}
	}
	ck := of.ck
	if ck.Body == nil {
		return
	}
	tried := map[ast.Stmt]bool{}
	for _, s := range closedLoops(ck) {
		tried[s] = true
	}
	at, none := ck.Body.Pos(), types.NewSignatureType(nil, nil, nil, nil, nil, false)
	syntax := &ast.FuncDecl{Name: ast.NewIdent("cell"), Type: &ast.FuncType{Func: at}, Body: ck.Body}
	around := machinecode.Source{Syntax: syntax, Info: ck.Info, Fset: of.st.scope.Fset, Variable: of.variableAddress,
		Packages: of.packages(), Object: types.NewFunc(at, of.st.scope.Pkg, "cell", none)}
	gotos := hasGoto(ck.Body)
	for _, s := range ck.Body.List {
		switch {
		case p.loops[s] != "":
		case tried[s]: // the loop itself is not compiled
			for _, inner := range bodyOf(s).List {
				p.literalsIn(inner, gotos, around)
			}
		default:
			p.literalsIn(s, gotos, around)
		}
	}
}

// bodyOf is the body of a loop, which may have a label.
func bodyOf(s ast.Stmt) *ast.BlockStmt {
	switch s := s.(type) {
	case *ast.LabeledStmt:
		return bodyOf(s.Stmt)
	case *ast.RangeStmt:
		return s.Body
	case *ast.ForStmt:
		return s.Body
	}
	return &ast.BlockStmt{}
}

// literalsIn plans the literals, and without gotos in its body the loops, of a statement, or where one is not compiled,
// those in it. Deferred calls of literals stay interpreted, since they may recover, and what watches a variable, which
// must not hold it (see detached).
func (p *plan) literalsIn(n ast.Node, gotos bool, around machinecode.Source) {
	q := &facts{info: around.Info}
	kept := map[*ast.FuncLit]bool{}
	var depth []ast.Node      // literals that are not compiled
	var within []*ast.FuncLit // that may be around others
	labels := map[ast.Stmt]*ast.LabeledStmt{}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.LabeledStmt:
			labels[n.Stmt] = n
		case *ast.ForStmt, *ast.RangeStmt:
			whole := n.(ast.Stmt)
			if l := labels[whole]; l != nil {
				whole = l
			}
			if gotos {
				return true
			}
			if c := p.loopIn(whole, around, resultsAround(around, n, within)); c != nil {
				p.pieces[n.(ast.Stmt)] = c
				p.tell("loop", n, c, nil, around.Fset)
				return false
			}
		case *ast.DeferStmt:
			keepLiterals(kept, n.Call.Fun)
		case *ast.CallExpr:
			if q.watches(n.Fun) {
				keepLiterals(kept, n.Args...)
			}
		case *ast.FuncLit:
			if within = append(within, n); kept[n] {
				return true
			}
			if call := p.valueCall(n, around.Info); call != nil {
				p.tell("literal", n, nil, &machinecode.Reason{Pos: call.Pos(),
					What: "it calls a function value in a cell that looks at its callers"}, around.Fset)
				depth = append(depth, n)
				return true
			}
			inner := slices.ContainsFunc(depth, func(o ast.Node) bool {
				return o.Pos() <= n.Pos() && n.End() <= o.End()
			})
			c, why := p.plan(n, around, func(vars []*types.Var) (*machinecode.Literal, *machinecode.Reason) {
				return p.Literal(around, n, vars)
			})
			if why == nil || !inner {
				p.tell("literal", n, c, why, around.Fset)
			}
			if depth = append(depth, n); why == nil {
				p.literals[n] = c
				return false
			}
		}
		return true
	})
}

// valueCall is a call of a function value in a literal of a cell that calls functions that look at their callers, nil
// for none. Of a literal that is machine code, interpreted code that it calls finds no caller.
func (p *plan) valueCall(lit *ast.FuncLit, info *types.Info) (found *ast.CallExpr) {
	if !p.observed {
		return nil
	}
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok || found != nil {
			return found == nil
		}
		_, isFunc := check.Underlying(info.TypeOf(c.Fun)).(*types.Signature)
		if isFunc && !info.Types[c.Fun].IsType() && typeutil.StaticCallee(info, c) == nil {
			found = c
		}
		return found == nil
	})
	return found
}

// observes reports whether the code of a cell names a function that looks at its callers.
func observes(info *types.Info) bool {
	for _, o := range info.Uses {
		if f, ok := o.(*types.Func); ok && f.Pkg() != nil {
			switch f.FullName() {
			case "runtime.Caller", "runtime.Callers", "runtime.Stack",
				"runtime/debug.Stack", "runtime/debug.PrintStack":
				return true
			}
		}
	}
	return false
}

// loopIn plans a loop of a body without gotos, nil for one that stays interpreted. results are those of its function,
// nil for a cell.
func (p *plan) loopIn(loop ast.Stmt, around machinecode.Source, results *types.Tuple) *compiledLiteral {
	list, closed := isClosed(around.Info, loop)
	if !closed {
		return nil
	}
	var r *machinecode.Returns
	if len(list) > 0 {
		if results == nil {
			return nil
		}
		if r = machinecode.NewReturns(around.Info, list, results); r == nil {
			return nil
		}
		defer r.Restore()
	}
	c, why := p.plan(loop, around, func(vars []*types.Var) (*machinecode.Literal, *machinecode.Reason) {
		return p.Loop(around, loop, r, vars)
	})
	if why != nil {
		return nil
	}
	c.returns = r
	return c
}

// resultsAround are the results of the innermost function around a node.
func resultsAround(around machinecode.Source, n ast.Node, literals []*ast.FuncLit) *types.Tuple {
	results := around.Object.Signature().Results()
	if around.Stack == "" { // of a cell
		results = nil
	}
	for _, lit := range literals { // outer ones come first
		if sig, ok := around.Info.TypeOf(lit).(*types.Signature); ok && lit.Pos() <= n.Pos() && n.End() <= lit.End() {
			if results = sig.Results(); results == nil {
				results = types.NewTuple()
			}
		}
	}
	return results
}

// keepLiterals notes those of some expressions that are literals.
func keepLiterals(kept map[*ast.FuncLit]bool, list ...ast.Expr) {
	for _, x := range list {
		if lit, ok := ast.Unparen(x).(*ast.FuncLit); ok {
			kept[lit] = true
		}
	}
}

// plan plans a literal or a loop.
func (p *plan) plan(n ast.Node, around machinecode.Source, do func([]*types.Var) (*machinecode.Literal,
	*machinecode.Reason)) (*compiledLiteral, *machinecode.Reason) {
	c := &compiledLiteral{captured: capturedNames(around, n)}
	var vars []*types.Var
	for _, id := range c.captured {
		v := around.Info.Uses[id].(*types.Var)
		for _, o := range around.Info.Implicits { // of a type switch: it has another type in each clause
			if o == v {
				return nil, &machinecode.Reason{What: "it uses the variable of a type switch", Pos: id.Pos()}
			}
		}
		vars = append(vars, v)
	}
	var why *machinecode.Reason
	if c.code, why = do(vars); why != nil {
		return nil, why
	}
	for _, v := range vars {
		p.escapes[v] = true // since its address is taken
	}
	return c, nil
}

// capturedNames are the variables of the functions around a literal or loop that it uses, each by the first use.
func capturedNames(around machinecode.Source, n ast.Node) (list []*ast.Ident) {
	seen := map[*types.Var]bool{}
	from, to := n.Pos(), n.End()
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		v, ok := around.Info.Uses[id].(*types.Var)
		if !ok || seen[v] || v.IsField() || v.Pkg() == nil || v.Parent() == v.Pkg().Scope() ||
			v.Pos() >= from && v.Pos() < to || around.Variable(v).IsValid() || !check.IsSession(v) {
			return true
		}
		seen[v] = true
		list = append(list, id)
		return true
	})
	return list
}

// tell notes what has become of a literal or a loop.
func (p *plan) tell(what string, n ast.Node, c *compiledLiteral, why *machinecode.Reason, fset *token.FileSet) {
	at := fset.Position(n.Pos())
	told := Native{Name: fmt.Sprintf("%s in %s, line %d", what, at.Filename, at.Line), at: n.Pos()}
	if why != nil {
		told.Why, told.At = why.What, fset.Position(why.Pos)
	} else {
		told.Bytes = c.code.Bytes()
	}
	p.told = append(p.told, told)
}

// inOrder sorts what is told of loops and literals by their places.
func inOrder(list []Native) []Native {
	slices.SortStableFunc(list, func(a, b Native) int { return cmp.Compare(a.at, b.at) })
	return list
}

// compiledLiteral is the call that makes a closure of a literal that becomes machine code, nil for any other.
func (l *stmts) compiledLiteral(lit *ast.FuncLit) ast.Expr {
	if l.u.plan == nil || l.u.plan.literals[lit] == nil {
		return nil
	}
	l.literalName() // those that follow keep their names
	l.x.recovers = ""
	return l.closureOf(l.u.plan.literals[lit], l.info.TypeOf(lit).(*types.Signature))
}

// compiledLoop is the call of a loop that becomes machine code, nil for any other.
func (l *stmts) compiledLoop(loop ast.Stmt) ast.Stmt {
	if l.u.plan == nil || l.u.plan.pieces[loop] == nil {
		return nil
	}
	ast.Inspect(loop, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			if l.x.fn.name == "" {
				l.u.nameLiteral(lit)
			}
			l.literalName() // those that follow keep their names
			return false
		}
		return true
	})
	c := l.u.plan.pieces[loop]
	run := l.loopCall(c)
	if c.returns == nil {
		return &ast.ExprStmt{X: run}
	}
	return l.returning(run, c.returns.Results.Len())
}

// loopCall is the call of a loop.
func (l *stmts) loopCall(c *compiledLiteral) *ast.CallExpr {
	in, args := l.addresses(c)
	var out []reflect.Type
	for v := range c.returns.Signature().Results().Variables() {
		out = append(out, l.u.st.scope.Inner(v.Type()))
	}
	p := c.code.Make(nil)
	f := reflect.NewAt(reflect.FuncOf(in, out, false), unsafe.Pointer(&p)).Elem().Interface()
	return call(l.u.st.rt.Provide("F", reflect.ValueOf(f)), args...)
}

// addresses are those of the variables that a literal captures, and their types.
func (l *stmts) addresses(c *compiledLiteral) (in []reflect.Type, args []ast.Expr) {
	for _, id := range c.captured {
		in = append(in, reflect.PointerTo(l.u.st.scope.Inner(l.info.Uses[id].(*types.Var).Type())))
		args = append(args, address(l.x.expr(id)))
	}
	return in, args
}

// returning returns from the function in work with the first results of a call if the last one is true.
func (l *stmts) returning(c *ast.CallExpr, n int) ast.Stmt {
	var list []ast.Expr
	for range n {
		list = append(list, check.Ident(l.u.fresh("r")))
	}
	done := check.Ident(l.u.fresh("done"))
	then := &ast.BlockStmt{List: []ast.Stmt{&ast.ReturnStmt{Results: list}}}
	if d := l.x.fn.deferring; d != nil && n > 0 {
		then.List = []ast.Stmt{&ast.AssignStmt{Lhs: d.results, Tok: token.ASSIGN, Rhs: list}, &ast.ReturnStmt{}}
	}
	return flat(&ast.AssignStmt{Lhs: append(list[:n:n], done), Tok: token.DEFINE, Rhs: []ast.Expr{c}},
		&ast.IfStmt{Cond: done, Body: then})
}

// closureOf is the call that makes a closure.
func (l *stmts) closureOf(c *compiledLiteral, sig *types.Signature) ast.Expr {
	in, args := l.addresses(c)
	result := l.u.st.scope.Inner(types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic()))
	closure := func(in []reflect.Value) []reflect.Value {
		var captured []unsafe.Pointer
		for _, v := range in {
			captured = append(captured, v.UnsafePointer())
		}
		p := c.code.Make(captured)
		return []reflect.Value{reflect.NewAt(result, unsafe.Pointer(&p)).Elem()}
	}
	f := reflect.MakeFunc(reflect.FuncOf(in, []reflect.Type{result}, false), closure)
	return call(l.u.st.rt.Provide("F", f), args...)
}

// hasCode reports whether there is a function literal or a loop in a body.
func hasCode(body *ast.BlockStmt) (found bool) {
	if body == nil {
		return false
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit, *ast.ForStmt, *ast.RangeStmt:
			found = true
		}
		return !found
	})
	return found
}
