package golang

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// hook is the lowering of one node; false means that the node is copied and its children are lowered.
func (l *lowerer) hook(n ast.Node) (ast.Node, bool) {
	if x, ok := n.(ast.Expr); ok {
		tv := l.info.Types[x]
		if _, isEllipsis := x.(*ast.Ellipsis); tv.IsType() && !isEllipsis {
			return l.typeExpr(tv.Type), true
		}
		if _, isLit := x.(*ast.BasicLit); tv.Value != nil && !isLit {
			if c := l.constant(tv); c != nil {
				return c, true
			}
		}
	}
	switch n := n.(type) {
	case *ast.Ident:
		return l.ident(n), true
	case *ast.SelectorExpr:
		return l.selector(n), true
	case *ast.IndexExpr:
		if f := l.instance(n.X); f != nil {
			return f, true
		}
	case *ast.IndexListExpr:
		if f := l.instance(n.X); f != nil {
			return f, true
		}
	case *ast.CallExpr:
		return l.call(n)
	case *ast.ParenExpr:
		// yaegi takes an operand in parentheses for the condition of a && or ||.
		switch x := l.expr(n.X).(type) {
		case *ast.Ident, *ast.BasicLit, *ast.SelectorExpr, *ast.IndexExpr, *ast.CallExpr, *ast.ParenExpr:
			return x, true
		default:
			return &ast.ParenExpr{X: x}, true
		}
	case *ast.CompositeLit:
		return l.composite(n), true
	case *ast.BinaryExpr:
		if n.Op == token.LAND || n.Op == token.LOR {
			return &ast.BinaryExpr{X: l.received(n.X), Op: n.Op, Y: l.received(n.Y)}, true
		}
	case *ast.FuncLit:
		fn := "func literal"
		if l.cur != nil && l.cur.fn != "" {
			fn = l.cur.fn + ".func"
		}
		cur, results, inDeferred := l.cur, l.results, l.inDeferred
		l.inDeferred, l.recovers = l.recovers, ""
		var own *types.Tuple
		if sig, ok := l.info.TypeOf(n).(*types.Signature); ok {
			own = sig.Results()
			l.results = subst(sig, l.env).(*types.Signature).Results()
		}
		leave := l.enterDefers(n.Body, own)
		lit := &ast.FuncLit{Type: &ast.FuncType{Params: l.fields(n.Type.Params), Results: l.fields(n.Type.Results)}, Body: l.body(n.Body, fn, n.Pos())}
		if d := l.deferring; d != nil {
			lit.Type.Results, lit.Body = d.fields(l), d.wrap(lit.Body)
		}
		leave()
		l.cur, l.results, l.inDeferred = cur, results, inDeferred
		return lit, true
	}
	return l.hookStmt(n)
}

// received lowers an operand of && or ||, where yaegi takes a receive operation for false.
func (l *lowerer) received(x ast.Expr) ast.Expr {
	u, ok := ast.Unparen(x).(*ast.UnaryExpr)
	if !ok || u.Op != token.ARROW {
		return l.expr(x)
	}
	ch, elem := l.typeSource(l.typeOf(u.X)), l.typeSource(l.typeOf(u))
	return call(l.helper("receive", ch, "func %s(c "+ch+") "+elem+" {\nv := <-c\nreturn v\n}"), l.expr(u.X))
}

// constant spells a constant, so that yaegi computes none.
func (l *lowerer) constant(tv types.TypeAndValue) ast.Expr {
	t := subst(tv.Type, l.env)
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return nil
	}
	def := types.Default(b).(*types.Basic)
	var s string
	kind := token.INT
	switch v := tv.Value; {
	case def.Info()&types.IsBoolean != 0:
		s = strconv.FormatBool(constant.BoolVal(v))
		kind = token.IDENT
	case def.Info()&types.IsString != 0:
		s, kind = strconv.Quote(constant.StringVal(v)), token.STRING
	case def.Info()&types.IsInteger != 0:
		i := constant.ToInt(v)
		if i.Kind() != constant.Int {
			return nil
		}
		s = i.ExactString()
	case def.Info()&types.IsFloat != 0:
		bits := 64
		if def.Kind() == types.Float32 {
			bits = 32
		}
		f, _ := constant.Float64Val(constant.ToFloat(v))
		s, kind = strconv.FormatFloat(f, 'g', -1, bits), token.FLOAT
		if strings.ContainsAny(s, "IN") {
			return nil
		}
		if !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
	case def.Info()&types.IsComplex != 0:
		return l.complexConstant(v, t)
	default:
		return nil
	}
	var x ast.Expr = &ast.BasicLit{Kind: kind, Value: s}
	if kind == token.IDENT {
		x = ident(s)
	}
	switch _, named := types.Unalias(t).(*types.Named); {
	case named:
		return &ast.CallExpr{Fun: l.typeExpr(t), Args: []ast.Expr{x}}
	case def.Kind() == types.Int || def.Kind() == types.Float64 || def.Kind() == types.String || def.Kind() == types.Bool:
		if s[0] == '-' {
			return &ast.ParenExpr{X: x}
		}
		return x
	}
	return &ast.CallExpr{Fun: ident(def.Name()), Args: []ast.Expr{x}}
}

// complexConstant spells a complex constant by its parts.
func (l *lowerer) complexConstant(v constant.Value, t types.Type) ast.Expr {
	v = constant.ToComplex(v)
	part := func(v constant.Value) ast.Expr {
		f, _ := constant.Float64Val(v)
		return &ast.CallExpr{Fun: ident("float64"), Args: []ast.Expr{&ast.BasicLit{Kind: token.FLOAT, Value: strconv.FormatFloat(f, 'e', -1, 64)}}}
	}
	x := call("complex", part(constant.Real(v)), part(constant.Imag(v)))
	if b, ok := t.(*types.Basic); ok && (b.Kind() == types.UntypedComplex || b.Kind() == types.Complex128) {
		return x
	}
	return &ast.CallExpr{Fun: l.typeExpr(t), Args: []ast.Expr{x}}
}

func (l *lowerer) ident(n *ast.Ident) ast.Expr {
	o := l.info.ObjectOf(n)
	if o == nil {
		return ident(n.Name)
	}
	if f, ok := o.(*types.Func); ok {
		if x := l.funcName(f, n); x != nil {
			return x
		}
	}
	if v, ok := o.(*types.Var); ok && v.IsField() {
		return ident(l.fieldName(v))
	}
	if name := l.name(o); name != "" {
		return ident(name)
	}
	if p := o.Pkg(); p != nil && !isSession(o) && o.Parent() == p.Scope() { // through a dot import
		return source(l.pkg(p.Path(), p.Name()) + "." + o.Name())
	}
	return ident(n.Name)
}

// fieldName is a field's name for yaegi: an embedded field is named as its type is.
func (l *lowerer) fieldName(v *types.Var) string {
	if v.Embedded() {
		t := subst(v.Type(), l.env)
		if n, ok := types.Unalias(deref(t)).(*types.Named); ok && isSession(n.Obj()) {
			return l.named(n)
		}
	}
	return v.Name()
}

// funcName spells a reference to a package-level function, or to the instance of a generic one that id stands for.
func (l *lowerer) funcName(f *types.Func, id *ast.Ident) ast.Expr {
	if in, ok := l.info.Instances[id]; ok {
		var args []types.Type
		for i := range in.TypeArgs.Len() {
			args = append(args, subst(in.TypeArgs.At(i), l.env))
		}
		if s := l.funcInstance(f, args); s != "" {
			return source(s)
		}
		return nil
	}
	if f.Signature().Recv() != nil {
		return nil
	}
	if isSession(f) {
		if n := l.name(f); n != "" {
			return ident(n)
		}
	} else if l.e.fromSource(f.Pkg()) != nil {
		if n := l.funcInstance(f, nil); n != "" {
			return ident(n)
		}
	}
	return nil
}

// instance is the function that an index expression on a generic function stands for.
func (l *lowerer) instance(x ast.Expr) ast.Expr {
	id, ok := x.(*ast.Ident)
	if s, isSel := x.(*ast.SelectorExpr); isSel {
		id, ok = s.Sel, true
	}
	if !ok {
		return nil
	}
	if f, ok := l.info.Uses[id].(*types.Func); ok {
		if _, ok := l.info.Instances[id]; ok {
			return l.funcName(f, id)
		}
	}
	return nil
}

func (l *lowerer) selector(n *ast.SelectorExpr) ast.Expr {
	if sel, ok := l.info.Selections[n]; ok {
		if sel.Kind() == types.MethodExpr {
			return l.methodExpr(n, subst(sel.Type(), l.env).(*types.Signature))
		}
		name := n.Sel.Name
		if v, ok := sel.Obj().(*types.Var); ok {
			name = l.fieldName(v)
		}
		return &ast.SelectorExpr{X: l.expr(n.X), Sel: ident(name)}
	}
	if x, ok := n.X.(*ast.Ident); ok {
		if p, ok := l.info.Uses[x].(*types.PkgName); ok {
			if f, ok := l.info.Uses[n.Sel].(*types.Func); ok {
				if r := l.funcName(f, n.Sel); r != nil {
					return r
				}
			}
			return &ast.SelectorExpr{X: ident(l.pkg(p.Imported().Path(), p.Imported().Name())), Sel: ident(n.Sel.Name)}
		}
	}
	return &ast.SelectorExpr{X: l.expr(n.X), Sel: ident(n.Sel.Name)}
}

// methodExpr spells T.M as the function literal that it means.
func (l *lowerer) methodExpr(n *ast.SelectorExpr, sig *types.Signature) ast.Expr {
	params := &ast.FieldList{}
	var args []ast.Expr
	for i := range sig.Params().Len() {
		a := fmt.Sprintf("a%s%d", tick, i)
		t := l.typeExpr(sig.Params().At(i).Type())
		if sl, ok := sig.Params().At(i).Type().(*types.Slice); ok && sig.Variadic() && i == sig.Params().Len()-1 {
			t = &ast.Ellipsis{Elt: l.typeExpr(sl.Elem())}
		}
		params.List = append(params.List, &ast.Field{Names: []*ast.Ident{ident(a)}, Type: t})
		if i > 0 {
			args = append(args, ident(a))
		}
	}
	c := &ast.CallExpr{Fun: &ast.SelectorExpr{X: ident("a" + tick + "0"), Sel: ident(n.Sel.Name)}, Args: args}
	if sig.Variadic() {
		c.Ellipsis = 1
	}
	typ := &ast.FuncType{Params: params}
	var st ast.Stmt = &ast.ExprStmt{X: c}
	if sig.Results().Len() > 0 {
		typ.Results = l.resultFields(sig)
		st = &ast.ReturnStmt{Results: []ast.Expr{c}}
	}
	return &ast.FuncLit{Type: typ, Body: &ast.BlockStmt{List: []ast.Stmt{st}}}
}

func (l *lowerer) resultFields(sig *types.Signature) *ast.FieldList {
	r := &ast.FieldList{}
	for i := range sig.Results().Len() {
		r.List = append(r.List, &ast.Field{Type: l.typeExpr(sig.Results().At(i).Type())})
	}
	return r
}

func (l *lowerer) call(n *ast.CallExpr) (ast.Node, bool) {
	if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok {
		if b, ok := l.info.Uses[id].(*types.Builtin); ok {
			return l.builtin(b.Name(), n)
		}
		if strings.HasPrefix(id.Name, mustName) {
			return l.must(n), true
		}
	}
	tv := l.info.Types[n.Fun]
	if tv.Type == nil {
		return nil, false
	}
	if tv.IsType() {
		if len(n.Args) == 1 {
			return &ast.CallExpr{Fun: parenType(l.typeExpr(tv.Type)), Args: []ast.Expr{l.convert(n.Args[0], subst(tv.Type, l.env))}}, true
		}
		return nil, false
	}
	sig, ok := underlying(subst(tv.Type, l.env)).(*types.Signature)
	if !ok {
		return nil, false
	}
	c := &ast.CallExpr{Fun: l.expr(n.Fun)}
	if n.Ellipsis.IsValid() {
		c.Ellipsis = 1
	}
	prints := printsValues(l.info, n.Fun)
	verbs := l.verbs(n, sig, prints)
	typeNames := map[int]bool{}
	for i, a := range n.Args {
		switch last := sig.Params().Len() - 1; {
		case sig.Variadic() && i >= last && !n.Ellipsis.IsValid():
			elem := sig.Params().At(last).Type().(*types.Slice).Elem()
			x, t := l.convert(a, elem), l.typeOf(a)
			switch {
			case prints && wantsMethod(verbs, i-last):
				x = l.readable(x, t)
			case prints && t != nil && i-last < len(verbs) && verbs[i-last] == 'T' && !types.IsInterface(t) && mentionsSession(t):
				x = &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(types.TypeString(t, (*types.Package).Name))}
				typeNames[i-last] = true
			case prints && t != nil && types.IsInterface(t):
				x = call(runtimePkg+".Plain", x)
			case prints && t != nil && l.hasSessionMethods(t):
				// yaegi would pass the methods along, and %d would print them.
				if b, ok := t.Underlying().(*types.Basic); ok {
					x = call(b.Name(), x)
				}
			}
			c.Args = append(c.Args, x)
		case i <= last:
			c.Args = append(c.Args, l.convert(a, sig.Params().At(i).Type()))
		default:
			c.Args = append(c.Args, l.expr(a))
		}
	}
	if at := sig.Params().Len() - 2; len(typeNames) > 0 {
		format := named(constant.StringVal(l.info.Types[n.Args[at]].Value), typeNames)
		c.Args[at] = &ast.BasicLit{Kind: token.STRING, Value: strconv.Quote(format)}
	}
	return c, true
}

// parenType makes a type fit to stand before a conversion's parenthesis.
func parenType(x ast.Expr) ast.Expr {
	switch x.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.ArrayType, *ast.MapType, *ast.InterfaceType, *ast.ParenExpr:
		return x
	}
	return &ast.ParenExpr{X: x}
}

// printsValues reports whether a function formats its arguments, which must then be seen with their String or Error method.
func printsValues(info *types.Info, fun ast.Expr) bool {
	s, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	f, ok := info.Uses[s.Sel].(*types.Func)
	return ok && f.Pkg() != nil && (f.Pkg().Path() == "fmt" || f.Pkg().Path() == "log")
}

// verbs returns the verbs of a constant format, one for each operand; nil when they are not known.
func (l *lowerer) verbs(n *ast.CallExpr, sig *types.Signature, prints bool) []byte {
	at := sig.Params().Len() - 2
	if !prints || at < 0 || at >= len(n.Args) || sig.Params().At(at).Name() != "format" {
		return nil
	}
	tv := l.info.Types[n.Args[at]]
	if tv.Value == nil || tv.Value.Kind() != constant.String {
		return nil
	}
	verbs := []byte{}
	f := constant.StringVal(tv.Value)
	for i := 0; i < len(f); i++ {
		if f[i] != '%' {
			continue
		}
		sharp := false
		for i++; i < len(f) && strings.IndexByte("+-# 0123456789.*[]", f[i]) >= 0; i++ {
			switch f[i] {
			case '*', '[':
				return nil
			case '#':
				sharp = true
			}
		}
		switch {
		case i >= len(f) || f[i] == '%':
		case sharp:
			verbs = append(verbs, '#')
		default:
			verbs = append(verbs, f[i])
		}
	}
	return verbs
}

// wantsMethod reports whether operand i is printed by its String or Error method.
func wantsMethod(verbs []byte, i int) bool {
	return i >= len(verbs) || strings.IndexByte("vsq", verbs[i]) >= 0
}

// readable passes a value of a session's type as the fmt.Stringer or error that it is: to compiled code the methods of
// interpreted types are invisible.
func (l *lowerer) readable(x ast.Expr, t types.Type) ast.Expr {
	if t == nil {
		return x
	}
	if !l.hasSessionMethods(t) {
		if f := l.printable(t); f != "" {
			return call(f, x)
		}
		return x
	}
	if it := types.Universe.Lookup("error").Type(); types.AssignableTo(t, it) {
		return l.convertTo(x, t, it)
	}
	if it := l.stringer(); it != nil && types.AssignableTo(t, it) {
		return l.convertTo(x, t, it)
	}
	return x
}

func (l *lowerer) hasSessionMethods(t types.Type) bool {
	n, ok := types.Unalias(deref(types.Unalias(t))).(*types.Named)
	return ok && isSession(n.Obj()) && !types.IsInterface(n) && (n.TypeArgs().Len() > 0 || isGlobal(n.Obj()))
}

// convert lowers an expression that is assigned to a type. Values of a session's types become compiled interfaces in a function
// of their own, where yaegi wraps their methods.
func (l *lowerer) convert(x ast.Expr, to types.Type) ast.Expr {
	return l.converted(l.expr(x), l.typeOf(x), to)
}

// converted is convert of a lowered expression.
func (l *lowerer) converted(r ast.Expr, from, to types.Type) ast.Expr {
	if from == nil || to == nil {
		return r
	}
	to = subst(to, l.env)
	it, ok := to.Underlying().(*types.Interface)
	if !ok || !l.hasSessionMethods(from) {
		return r
	}
	if it.Empty() {
		return r
	}
	if n, ok := types.Unalias(to).(*types.Named); ok && isSession(n.Obj()) {
		return r
	}
	return l.convertTo(r, from, to)
}

func (l *lowerer) convertTo(x ast.Expr, from, to types.Type) ast.Expr {
	f, t := l.typeSource(from), l.typeSource(to)
	return call(l.helper("convert", f+" to "+t, "func %s(x "+f+") "+t+" { return x }"), x)
}

// helper returns the name of a generated function, printed once for each key. text has a verb for the name.
func (l *lowerer) helper(base, key, text string) string {
	key = base + ":" + key
	if n, ok := l.made[key]; ok {
		return n
	}
	if n, ok := l.e.made[key]; ok {
		return n
	}
	n := l.fresh(base)
	l.made[key] = n
	l.queue = append(l.queue, func() { l.out.WriteString(strings.Replace(text, "%s", n, 1) + "\n\n") })
	return n
}

func (l *lowerer) builtin(name string, n *ast.CallExpr) (ast.Node, bool) {
	switch name {
	case "min", "max":
		t := l.typeSource(types.Default(l.typeOf(n)))
		op := map[string]string{"min": "<", "max": ">"}[name]
		nan := ""
		if b, ok := l.typeOf(n).Underlying().(*types.Basic); ok && b.Info()&types.IsFloat != 0 {
			nan = " || x != x"
		}
		return &ast.CallExpr{Fun: ident(l.helper(name, t, "func %s(a ..."+t+") "+t+" {\nm := a[0]\nfor _, x := range a { if x "+op+" m"+nan+" { m = x } }\nreturn m\n}")), Args: l.exprs(n.Args)}, true
	case "clear":
		t := l.typeOf(n.Args[0])
		s := l.typeSource(t)
		text := "func %s(m " + s + ") { for k := range m { delete(m, k) } }"
		if sl, ok := t.Underlying().(*types.Slice); ok {
			text = "func %s(m " + s + ") {\nvar z " + l.typeSource(sl.Elem()) + "\nfor i := range m { m[i] = z }\n}"
		}
		return call(l.helper("clear", s, text), l.exprs(n.Args)...), true
	case "new":
		if tv := l.info.Types[n.Args[0]]; !tv.IsType() {
			t := l.typeSource(types.Default(l.typeOf(n.Args[0])))
			return call(l.helper("new", t, "func %s(v "+t+") *"+t+" {\np := new("+t+")\n*p = v\nreturn p\n}"), l.expr(n.Args[0])), true
		}
	case "panic":
		x := l.expr(n.Args[0])
		return call(runtimePkg+".Panic", l.readable(x, l.typeOf(n.Args[0]))), true
	case "recover":
		if l.inDeferred != "" {
			return call(l.inDeferred + ".Recover"), true
		}
		return call(runtimePkg + ".Recover"), true
	case "print", "println":
		return call(runtimePkg+"."+strings.ToUpper(name[:1])+name[1:], l.exprs(n.Args)...), true
	case "append":
		if !n.Ellipsis.IsValid() {
			if sl, ok := underlying(l.typeOf(n)).(*types.Slice); ok {
				c := &ast.CallExpr{Fun: ident("append"), Args: []ast.Expr{l.expr(n.Args[0])}}
				for _, a := range n.Args[1:] {
					c.Args = append(c.Args, l.convert(a, sl.Elem()))
				}
				return c, true
			}
		}
	}
	c := l.c.copyNode(n).(*ast.CallExpr)
	c.Fun = ident(name)
	return c, true
}

// maxMust is how many values beside an error a call can have to be unwrapped.
const maxMust = 4

// must lowers a call whose error stops the cell.
func (l *lowerer) must(n *ast.CallExpr) ast.Expr {
	t := l.info.Types[n.Args[0]].Type.(*types.Tuple)
	var ps, ts, vs []string
	for i := range t.Len() - 1 {
		s := l.typeSource(subst(t.At(i).Type(), l.env))
		v := fmt.Sprintf("v%d", i)
		ps, ts, vs = append(ps, v+" "+s), append(ts, s), append(vs, v)
	}
	text := "func %s(" + strings.Join(ps, ", ") + ", err error) (" + strings.Join(ts, ", ") + ") {\n" + runtimePkg + ".Check(err)\nreturn " + strings.Join(vs, ", ") + "\n}"
	return call(l.helper("must", strings.Join(ts, ", "), text), l.expr(n.Args[0]))
}

func (l *lowerer) composite(n *ast.CompositeLit) ast.Expr {
	c := &ast.CompositeLit{Lbrace: 1, Rbrace: 1}
	t := l.typeOf(n)
	if n.Type != nil || l.elided(t) {
		if p, ok := underlying(t).(*types.Pointer); ok && n.Type == nil {
			return &ast.UnaryExpr{Op: token.AND, X: l.compositeOf(c, n, p.Elem())}
		}
		return l.compositeOf(c, n, t)
	}
	return l.compositeOf(c, n, t)
}

// elided reports whether a literal without a type must be given one.
func (l *lowerer) elided(t types.Type) bool {
	_, ok := underlying(t).(*types.Pointer)
	return ok
}

func (l *lowerer) compositeOf(c *ast.CompositeLit, n *ast.CompositeLit, t types.Type) ast.Expr {
	c.Type = l.typeExpr(t)
	elem := func(i int, key ast.Expr) types.Type { return nil }
	isStruct := false
	switch u := t.Underlying().(type) {
	case *types.Slice:
		elem = func(int, ast.Expr) types.Type { return u.Elem() }
	case *types.Array:
		elem = func(int, ast.Expr) types.Type { return u.Elem() }
	case *types.Map:
		elem = func(int, ast.Expr) types.Type { return u.Elem() }
	case *types.Struct:
		isStruct = true
		elem = func(i int, key ast.Expr) types.Type {
			if id, ok := key.(*ast.Ident); ok {
				if v, ok := l.info.Uses[id].(*types.Var); ok {
					return v.Type()
				}
			}
			if key == nil && i < u.NumFields() {
				return u.Field(i).Type()
			}
			return nil
		}
	}
	for i, x := range n.Elts {
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			key := l.expr(kv.Key)
			if id, ok := kv.Key.(*ast.Ident); ok && isStruct {
				key = ident(id.Name)
				if v, ok := l.info.Uses[id].(*types.Var); ok {
					key = ident(l.fieldName(v))
				}
			}
			c.Elts = append(c.Elts, &ast.KeyValueExpr{Key: key, Value: l.convert(kv.Value, elem(i, kv.Key))})
			continue
		}
		c.Elts = append(c.Elts, l.convert(x, elem(i, nil)))
	}
	return c
}
