package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// noRecover stands for the Defers of a function literal that is called where it stands: recover returns nil in it.
const noRecover = "-"

// parts is a lowered call, taken apart.
type parts struct {
	fun      ast.Expr
	static   bool         // fun names a function or is a literal, and needs no evaluation
	method   *selected    // of a method that is not interpreted
	args     []ast.Expr   // the receiver of an interpreted method is the first
	types    []types.Type // of args; nil for an argument that stands for several
	ellipsis bool
}

func (p *parts) expr() *ast.CallExpr {
	c := &ast.CallExpr{Fun: p.fun, Args: p.args}
	if p.ellipsis {
		c.Ellipsis = 1
	}
	return c
}

// parts lowers the parts of a call of a function.
func (l *exprs) parts(n *ast.CallExpr, sig *types.Signature) *parts {
	p := &parts{ellipsis: n.Ellipsis.IsValid()}
	fun := ast.Unparen(n.Fun)
	if sel, ok := fun.(*ast.SelectorExpr); ok && l.info.Selections[sel] != nil &&
		l.info.Selections[sel].Kind() == types.MethodVal {
		s := l.find(sel)
		var recv ast.Expr
		if p.fun, recv = l.sp.methodOf(s); recv != nil {
			p.static, p.args = true, []ast.Expr{recv}
			t := s.t
			if !types.IsInterface(t) {
				t = receiverParam(s, s.obj.(*types.Func))
			}
			p.types = []types.Type{t}
		} else {
			p.method = &s
		}
	} else {
		_, isLit := fun.(*ast.FuncLit)
		if isLit && l.recovers == "" {
			l.recovers = noRecover
		}
		p.fun, p.static = ast.Unparen(l.expr(fun)), isLit || l.isFuncName(fun)
	}
	last := sig.Params().Len() - 1
	param := func(i int) types.Type {
		if sig.Variadic() && i >= last && !p.ellipsis {
			return sig.Params().At(last).Type().(*types.Slice).Elem()
		}
		if i <= last {
			return sig.Params().At(i).Type()
		}
		return nil
	}
	if t, many := l.tupleArg(n); many {
		l.spread(p, n, t, sig, param)
		return p
	}
	// yaegi leaves room at the end of the list of variadic arguments, and takes some of them for all.
	listed := sig.Variadic() && !p.ellipsis && len(n.Args) > last && p.static && p.method == nil &&
		!l.isCompiledFunc(fun)
	for i, a := range n.Args {
		x := l.sp.converted(l.argument(n, i), l.typeOf(a), param(i))
		if p.ellipsis && i == last && isNil(l.typeOf(a)) {
			x = &ast.CallExpr{Fun: &ast.ParenExpr{X: l.sp.typeExpr(param(i))}, Args: []ast.Expr{x}}
		}
		listed = listed || sig.Variadic() && !p.ellipsis && i >= last &&
			types.Identical(l.dynamicType(a), sig.Params().At(last).Type())
		p.args, p.types = append(p.args, x), append(p.types, param(i))
	}
	none := sig.Variadic() && !p.ellipsis && len(n.Args) == last
	if p.ellipsis || listed || none {
		l.functionValues(p, n.Args)
	}
	if listed {
		at := len(p.args) - len(n.Args) + last
		list := &ast.CompositeLit{Type: l.sp.typeExpr(sig.Params().At(last).Type())}
		for i, x := range p.args[at:] {
			list.Elts = append(list.Elts, keyed(i, x))
		}
		p.args, p.types = append(p.args[:at:at], list), append(p.types[:at:at], sig.Params().At(last).Type())
		p.ellipsis = true
	}
	if none {
		p.args, p.types = append(p.args, l.sp.nilList(sig)), append(p.types, sig.Params().At(last).Type())
		p.ellipsis = true
	}
	l.mapped(n, p)
	if startsGoroutine[l.calleeName(fun)] {
		last := len(p.args) - 1
		p.args[last] = call(run.RuntimePkg+".Guard", p.args[last])
	}
	return p
}

// nilList is what a function gets for variadic arguments that are not there. yaegi would pass an empty list.
func (l *speller) nilList(sig *types.Signature) ast.Expr {
	list := sig.Params().At(sig.Params().Len() - 1).Type()
	return &ast.CallExpr{Fun: &ast.ParenExpr{X: l.typeExpr(list)}, Args: []ast.Expr{check.Ident("nil")}}
}

// functionValues makes values of the functions that arguments name: yaegi passes what it compiled of them to functions
// with a list of variadic arguments.
func (l *exprs) functionValues(p *parts, args []ast.Expr) {
	at := len(p.args) - len(args)
	for i, a := range args {
		sig, ok := l.subst(l.typeOf(a)).(*types.Signature)
		if ok && l.isFunc(a) && !types.IsInterface(p.types[at+i]) {
			p.args[at+i] = &ast.CallExpr{Fun: &ast.ParenExpr{X: l.sp.typeExpr(sig)}, Args: []ast.Expr{p.args[at+i]}}
		}
	}
}

// isCompiledFunc reports whether fun names a function of a compiled package.
func (q *facts) isCompiledFunc(fun ast.Expr) bool {
	switch x := ast.Unparen(fun).(type) {
	case *ast.IndexExpr:
		return q.isCompiledFunc(x.X)
	case *ast.IndexListExpr:
		return q.isCompiledFunc(x.X)
	case *ast.SelectorExpr:
		return q.isCompiledFunc(x.Sel)
	case *ast.Ident:
		f, ok := q.info.Uses[x].(*types.Func)
		return ok && f.Signature().Recv() == nil && !check.IsSession(f) && !q.types.IsLowered(f)
	}
	return false
}

// dynamicType is the type of an argument before it is converted to interfaces, as far as that is seen.
func (q *facts) dynamicType(x ast.Expr) types.Type {
	for {
		c, ok := ast.Unparen(x).(*ast.CallExpr)
		if !ok || !q.info.Types[c.Fun].IsType() || !types.IsInterface(q.typeOf(x)) {
			return q.typeOf(x)
		}
		x = c.Args[0]
	}
}

// startsGoroutine has the compiled functions that call their last argument in a goroutine of its own, where a panic
// would end the process.
var startsGoroutine = map[string]bool{"(*sync.WaitGroup).Go": true, "time.AfterFunc": true, "context.AfterFunc": true}

// calleeName is the full name of the function that a call names, "" for any other.
func (q *facts) calleeName(fun ast.Expr) string {
	id, _ := fun.(*ast.Ident)
	if s, ok := fun.(*ast.SelectorExpr); ok {
		id = s.Sel
	}
	if f, ok := q.info.Uses[id].(*types.Func); ok {
		return f.FullName()
	}
	return ""
}

// ordered lowers a call whose function or receiver is to be evaluated before its arguments, which yaegi does after
// them:
//
//	func(f F, a A) R { return f(a) }(mk(), arg())
func (l *exprs) ordered(n *ast.CallExpr, sig *types.Signature) ast.Expr {
	t, many := l.tupleArg(n)
	bare := *n
	if many {
		bare.Args = nil
	}
	p := l.parts(&bare, sig)
	params, outer := &ast.FieldList{}, &ast.CallExpr{}
	inner := &ast.CallExpr{Fun: p.fun}
	param := func(t types.Type, arg ast.Expr) ast.Expr {
		id := check.Ident(l.u.fresh("p"))
		params.List = append(params.List, &ast.Field{Names: []*ast.Ident{id}, Type: l.sp.typeExpr(t)})
		outer.Args = append(outer.Args, arg)
		return id
	}
	if sel, ok := p.fun.(*ast.SelectorExpr); ok && p.method != nil {
		t, x := p.method.t, sel.X
		if _, isPtr := check.Underlying(t).(*types.Pointer); !isPtr && !types.IsInterface(t) &&
			check.PointerReceiver(p.method.obj.(*types.Func)) {
			t, x = types.NewPointer(t), address(x)
		}
		inner.Fun = &ast.SelectorExpr{X: param(t, x), Sel: sel.Sel}
	} else if !p.static {
		inner.Fun = param(l.typeOf(n.Fun), p.fun)
	}
	for i, a := range p.args {
		inner.Args = append(inner.Args, param(p.types[i], a))
	}
	if p.ellipsis {
		inner.Ellipsis = 1
	}
	var list []ast.Stmt
	if many {
		define := &ast.AssignStmt{Tok: token.DEFINE, Rhs: []ast.Expr{l.expr(n.Args[0])}}
		last := sig.Params().Len() - 1
		for i := range t.Len() {
			id := check.Ident(l.u.fresh("t"))
			var to types.Type
			if sig.Variadic() && i >= last {
				to = sig.Params().At(last).Type().(*types.Slice).Elem()
			} else {
				to = sig.Params().At(i).Type()
			}
			define.Lhs, inner.Args = append(define.Lhs, id), append(inner.Args, l.sp.converted(id, t.At(i).Type(), to))
		}
		list = append(list, define)
	}
	typ := &ast.FuncType{Params: params}
	if sig.Results().Len() > 0 {
		typ.Results = l.sp.resultFields(sig.Results())
		list = append(list, &ast.ReturnStmt{Results: []ast.Expr{inner}})
	} else {
		list = append(list, &ast.ExprStmt{X: inner})
	}
	lit := &ast.FuncLit{Type: typ, Body: &ast.BlockStmt{List: list}}
	l.u.out.Bodies[lit.Body] = &run.Inlined
	outer.Fun = lit
	return outer
}

// spread lowers f(g()) for a g with several results: through a function literal, where they are converted or a receiver
// stands before them.
func (l *exprs) spread(p *parts, n *ast.CallExpr, t *types.Tuple, sig *types.Signature, param func(int) types.Type) {
	plain := len(p.args) == 0
	var ps []*ast.Field
	args := append([]ast.Expr(nil), p.args...)
	whole, last := false, sig.Params().Len()-1
	for i := range t.Len() {
		whole = whole || sig.Variadic() && i >= last &&
			types.Identical(l.subst(t.At(i).Type()), sig.Params().At(last).Type())
		a := check.Ident("a" + run.Tick + strconv.Itoa(i))
		ps = append(ps, &ast.Field{Names: []*ast.Ident{a}, Type: l.sp.typeExpr(t.At(i).Type())})
		c := l.sp.converted(a, t.At(i).Type(), param(i))
		plain = plain && c == ast.Expr(a)
		args = append(args, c)
	}
	inner := &ast.CallExpr{Fun: p.fun, Args: args}
	if whole {
		at := len(args) - t.Len() + last
		inner.Args = append(args[:at:at],
			&ast.CompositeLit{Type: l.sp.typeExpr(sig.Params().At(last).Type()), Elts: args[at:]})
		inner.Ellipsis = 1
	}
	if sig.Variadic() && t.Len() == last {
		whole, inner.Args, inner.Ellipsis = true, append(inner.Args, l.sp.nilList(sig)), 1
	}
	if whole || !plain {
		var body ast.Stmt = &ast.ExprStmt{X: inner}
		typ := &ast.FuncType{Params: &ast.FieldList{List: ps}}
		if sig.Results().Len() > 0 {
			body = &ast.ReturnStmt{Results: []ast.Expr{inner}}
			typ.Results = l.sp.resultFields(sig.Results())
		}
		p.fun, p.static, p.method = &ast.FuncLit{Type: typ, Body: &ast.BlockStmt{List: []ast.Stmt{body}}}, true, nil
	}
	p.args, p.types = []ast.Expr{l.expr(n.Args[0])}, []types.Type{nil}
}

// resultFields are the results of a function, without names.
func (l *speller) resultFields(t *types.Tuple) *ast.FieldList {
	if t.Len() == 0 {
		return nil
	}
	r := &ast.FieldList{}
	for i := range t.Len() {
		r.List = append(r.List, &ast.Field{Type: l.typeExpr(t.At(i).Type())})
	}
	return r
}

// tupleArg reports whether a call passes on the several results of another.
func (q *facts) tupleArg(c *ast.CallExpr) (*types.Tuple, bool) {
	if len(c.Args) != 1 {
		return nil, false
	}
	t, ok := q.typeOf(c.Args[0]).(*types.Tuple)
	return t, ok
}

func (l *exprs) call(n *ast.CallExpr) (ast.Node, bool) {
	if b := l.builtinOf(n.Fun); b != nil {
		if r, ok := l.unsafeBuiltin(b.Name(), n); ok {
			return r, true
		}
		return l.builtin(b.Name(), n)
	}
	if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok {
		if strings.HasPrefix(id.Name, check.MustName) {
			return l.must(n), true
		}
	}
	tv := l.info.Types[n.Fun]
	if tv.Type == nil {
		return nil, false
	}
	if tv.IsType() {
		return l.conversion(n.Args[0], l.subst(tv.Type)), true
	}
	sig, ok := check.Underlying(l.subst(tv.Type)).(*types.Signature)
	if !ok {
		return nil, false
	}
	if len(n.Args) > 0 && !l.isPure(n.Fun) &&
		slices.ContainsFunc(n.Args, func(a ast.Expr) bool { return !l.isPure(a) }) {
		return l.ordered(n, sig), true
	}
	p := l.parts(n, sig)
	l.standIn(n, p)
	return p.expr(), true
}

// conversion lowers T(x).
func (l *exprs) conversion(x ast.Expr, to types.Type) ast.Expr {
	from := l.typeOf(x)
	if b, ok := check.Underlying(to).(*types.Basic); ok && b.Info()&types.IsComplex != 0 {
		if v := l.info.Types[x].Value; v != nil { // of which yaegi keeps the real part
			return l.sp.constant(types.TypeAndValue{Type: to, Value: v})
		}
	}
	r := l.expr(x)
	native := func() ast.Expr { return &ast.CallExpr{Fun: parenType(l.sp.typeExpr(to)), Args: []ast.Expr{r}} }
	if from == nil || isNil(from) {
		return native()
	}
	if types.IsInterface(to) {
		if types.IsInterface(from) {
			return native()
		}
		return &ast.CallExpr{Fun: parenType(l.sp.typeExpr(to)), Args: []ast.Expr{l.sp.converted(r, from, to)}}
	}
	from = types.Default(from)
	a, b := l.scope.Inner(from), l.scope.Inner(to)
	if l.types.IsCompiled(to) {
		_, isStruct := from.Underlying().(*types.Struct)
		if isStruct && a != b { // yaegi knows the type that cells declare by its fields alone
			return call(l.u.funcs.Convert(a, b), r)
		}
		return native()
	}
	if (a.Kind() == reflect.UnsafePointer) != (b.Kind() == reflect.UnsafePointer) {
		return call(l.u.funcs.Convert(a, b), r)
	}
	if a == b {
		switch r.(type) {
		case *ast.BasicLit, *ast.BinaryExpr, *ast.UnaryExpr, *ast.FuncLit:
			if _, basic := check.Underlying(to).(*types.Basic); basic {
				return native()
			}
			return &ast.ParenExpr{X: r}
		}
		return r
	}
	if types.IdenticalIgnoreTags(from.Underlying(), to.Underlying()) {
		if _, basic := from.Underlying().(*types.Basic); !basic {
			if l.types.IsCompiled(from) {
				return call(l.u.funcs.Convert(a, b), r)
			}
			return call(l.u.funcs.Retype(a, b), r)
		}
	}
	switch from.Underlying().(type) {
	case *types.Slice:
		switch check.Deref(to.Underlying()).Underlying().(type) {
		case *types.Array:
			return call(l.u.funcs.Convert(a, b), r)
		}
	case *types.Pointer:
		if p, ok := to.Underlying().(*types.Pointer); ok &&
			types.IdenticalIgnoreTags(check.Deref(from.Underlying()).Underlying(), p.Elem().Underlying()) {
			return call(l.u.funcs.Retype(a, b), r)
		}
	}
	return native()
}
