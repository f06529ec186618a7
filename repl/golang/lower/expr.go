package lower

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/machine"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// hook is the lowering of one node; false means that the node is copied and its children are lowered.
func (l *Lowerer) hook(n ast.Node) (ast.Node, bool) {
	if x, ok := n.(ast.Expr); ok {
		tv := l.info.Types[x]
		if _, isEllipsis := x.(*ast.Ellipsis); tv.IsType() && !isEllipsis {
			return l.typeExpr(tv.Type), true
		}
		if lit, isLit := x.(*ast.BasicLit); tv.Value != nil && (!isLit || lit.Kind == token.INT && !fitsInt(tv.Value) || lit.Kind == token.FLOAT && isInteger(l.typeOf(x)) || isComplex(l.typeOf(x))) {
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
		if m, ok := check.Underlying(l.typeOf(n.X)).(*types.Map); ok {
			return &ast.IndexExpr{X: l.expr(n.X), Index: l.mapKey(n.Index, m)}, true
		}
		if x := l.throughPointer(n); x != nil {
			return x, true
		}
	case *ast.SliceExpr:
		if x := l.throughPointer(n); x != nil {
			return x, true
		}
	case *ast.UnaryExpr:
		if lit, ok := ast.Unparen(n.X).(*ast.CompositeLit); ok && n.Op == token.AND && isStructType(lit.Type) {
			return &ast.ParenExpr{X: &ast.UnaryExpr{Op: token.AND, X: l.composite(lit)}}, true
		}
		// yaegi does not know what a channel of channels gives.
		if ch, ok := check.Underlying(l.typeOf(n.X)).(*types.Chan); ok && n.Op == token.ARROW && isChan(ch.Elem()) {
			if _, many := l.typeOf(n).(*types.Tuple); !many {
				return l.received(n), true
			}
		}
		if ix, ok := ast.Unparen(n.X).(*ast.IndexExpr); ok && n.Op == token.AND {
			if _, isPtr := check.Underlying(l.typeOf(ix.X)).(*types.Pointer); isPtr { // which yaegi knows of some pointers to arrays only
				return &ast.UnaryExpr{Op: token.AND, X: &ast.IndexExpr{X: &ast.ParenExpr{X: &ast.StarExpr{X: l.expr(ix.X)}}, Index: l.expr(ix.Index)}}, true
			}
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
		if isStructType(n.Type) { // its lowered type has a name, which must not stand before the block of an if
			return &ast.ParenExpr{X: l.composite(n)}, true
		}
		return l.composite(n), true
	case *ast.TypeAssertExpr:
		if n.Type != nil {
			return l.assert(n), true
		}
	case *ast.BinaryExpr:
		if n.Op == token.EQL || n.Op == token.NEQ {
			if r, ok := l.comparison(n); ok {
				return r, true
			}
		}
		if n.Op == token.SHL || n.Op == token.SHR {
			return l.shift(n), true
		}
		if n.Op == token.LAND || n.Op == token.LOR {
			return &ast.BinaryExpr{X: l.received(n.X), Op: n.Op, Y: l.received(n.Y)}, true
		}
	case *ast.FuncLit:
		fn := l.literalName()
		results, inDeferred := l.results, l.inDeferred
		l.inDeferred, l.recovers = l.recovers, ""
		var own *types.Tuple
		if sig, ok := l.info.TypeOf(n).(*types.Signature); ok {
			own = sig.Results()
			l.results = l.subst(sig).(*types.Signature).Results()
		}
		leave := l.enterDefers(n.Body, own)
		first := l.recoverer(n.Body, "")
		lit := &ast.FuncLit{Type: &ast.FuncType{Params: l.params(n.Type.Params), Results: l.resultFields(own)}}
		lit.Body = l.funcBody(n.Body, fn, n.Pos(), own)
		lit.Body.List = append(first, lit.Body.List...)
		leave()
		l.results, l.inDeferred = results, inDeferred
		// Without parentheses, an operand of a call or a struct literal would see what its variables become later.
		return &ast.ParenExpr{X: lit}, true
	}
	return l.hookStmt(n)
}

func isInteger(t types.Type) bool {
	b, ok := check.Underlying(t).(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

func isComplex(t types.Type) bool {
	b, ok := check.Underlying(t).(*types.Basic)
	return ok && b.Info()&types.IsComplex != 0
}

func isStructType(x ast.Expr) bool {
	_, ok := x.(*ast.StructType)
	return ok
}

// fitsInt reports whether yaegi takes a number for an int.
func fitsInt(v constant.Value) bool {
	_, exact := constant.Int64Val(constant.ToInt(v))
	return exact
}

// shift lowers x << n. yaegi takes a constant x for an int.
func (l *Lowerer) shift(n *ast.BinaryExpr) ast.Expr {
	x := l.expr(n.X)
	if tv := l.info.Types[n.X]; tv.Value != nil {
		t := l.typeOf(n)
		if c := l.constant(types.TypeAndValue{Type: t, Value: constant.ToInt(tv.Value)}); c != nil {
			x = &ast.CallExpr{Fun: parenType(l.typeExpr(types.Default(t))), Args: []ast.Expr{unconverted(c)}}
		}
	}
	return &ast.BinaryExpr{X: x, Op: n.Op, Y: l.shiftCount(n.Y)}
}

// shiftCount lowers the count of a shift. yaegi gives an operation there the type of what is shifted, unless it is converted.
func (l *Lowerer) shiftCount(x ast.Expr) ast.Expr {
	if v := l.info.Types[x].Value; v != nil {
		return l.constant(types.TypeAndValue{Type: types.Typ[types.Uint], Value: constant.ToInt(v)})
	}
	y := l.expr(x)
	if _, ok := ast.Unparen(y).(*ast.BinaryExpr); ok {
		return &ast.CallExpr{Fun: parenType(l.typeExpr(types.Default(l.typeOf(x)))), Args: []ast.Expr{ast.Unparen(y)}}
	}
	return y
}

// unconverted takes a constant out of its conversion.
func unconverted(x ast.Expr) ast.Expr {
	if c, ok := x.(*ast.CallExpr); ok && len(c.Args) == 1 {
		return c.Args[0]
	}
	return x
}

// mapKey lowers a key of a map; nil gets its type.
func (l *Lowerer) mapKey(x ast.Expr, m *types.Map) ast.Expr {
	if isNil(l.typeOf(x)) {
		return &ast.CallExpr{Fun: &ast.ParenExpr{X: l.typeExpr(m.Key())}, Args: []ast.Expr{check.Ident("nil")}}
	}
	if v := l.info.Types[x].Value; v != nil && !types.IsInterface(m.Key()) {
		if c := l.constant(types.TypeAndValue{Type: m.Key(), Value: v}); c != nil { // yaegi does not give it that type everywhere
			return c
		}
	}
	return l.convert(x, m.Key())
}

// received lowers an operand of && or ||, where yaegi takes a receive operation for false.
func (l *Lowerer) received(x ast.Expr) ast.Expr {
	u, ok := ast.Unparen(x).(*ast.UnaryExpr)
	if !ok || u.Op != token.ARROW {
		return l.expr(x)
	}
	ch, elem := l.typeSource(l.typeOf(u.X)), l.typeSource(l.typeOf(u))
	f := l.helper(machine.Receiver, ch, "func %s(c "+ch+", at int) "+elem+" {\nv := <-c\nreturn v\n}")
	return call(f, l.expr(u.X), number(int(u.Pos())))
}

// constant spells a constant, so that yaegi computes none.
func (l *Lowerer) constant(tv types.TypeAndValue) ast.Expr {
	t := l.subst(tv.Type)
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
		x = check.Ident(s)
	}
	switch compiled := l.e.isCompiled(t); {
	case compiled:
		return &ast.CallExpr{Fun: l.typeExpr(t), Args: []ast.Expr{x}}
	case def.Kind() == types.Int || def.Kind() == types.Float64 || def.Kind() == types.String || def.Kind() == types.Bool:
		if s[0] == '-' {
			return &ast.ParenExpr{X: x}
		}
		return x
	}
	return &ast.CallExpr{Fun: check.Ident(def.Name()), Args: []ast.Expr{x}}
}

// complexConstant spells a complex constant by its parts.
func (l *Lowerer) complexConstant(v constant.Value, t types.Type) ast.Expr {
	v = constant.ToComplex(v)
	part := func(v constant.Value) ast.Expr {
		f, _ := constant.Float64Val(v)
		return &ast.CallExpr{Fun: check.Ident("float64"), Args: []ast.Expr{&ast.BasicLit{Kind: token.FLOAT, Value: strconv.FormatFloat(f, 'e', -1, 64)}}}
	}
	return &ast.CallExpr{Fun: l.typeExpr(t), Args: []ast.Expr{call("complex", part(constant.Real(v)), part(constant.Imag(v)))}}
}

func (l *Lowerer) ident(n *ast.Ident) ast.Expr {
	o := l.info.ObjectOf(n)
	if o == nil {
		return check.Ident(n.Name)
	}
	if f, ok := o.(*types.Func); ok {
		if x := l.funcName(f, n); x != nil {
			return x
		}
	}
	if s := l.slotOf(o); s != nil {
		return variableOf(s)
	}
	if name := l.name(o); name != "" {
		return check.Ident(name)
	}
	if v, ok := o.(*types.Var); ok && !v.IsField() && (v.Pkg() == nil || v.Parent() != v.Pkg().Scope()) {
		return check.Ident(l.local(v))
	}
	if x := l.importedVar(o); x != nil {
		return x
	}
	if p := o.Pkg(); p != nil && !check.IsSession(o) && o.Parent() == p.Scope() { // through a dot import, or of a package's source
		return source(l.pkg(p.Path(), p.Name()) + "." + o.Name())
	}
	return check.Ident(n.Name)
}

// importedVar spells a variable of a compiled package as one of the session: through a pointer. Of what it takes for constant, yaegi reads
// some variables when it compiles, not when the code runs. The result is nil for anything else, and for a variable whose type cannot be named.
func (l *Lowerer) importedVar(o types.Object) ast.Expr {
	v, ok := o.(*types.Var)
	if !ok || v.IsField() || v.Pkg() == nil || check.IsSession(v) || v.Parent() != v.Pkg().Scope() || check.UnexportedIn(v.Type()) != "" {
		return nil
	}
	key := "variable:" + v.Pkg().Path() + "." + v.Name()
	if n, ok := l.e.made[key]; ok {
		return &ast.StarExpr{X: source(n)}
	}
	value := l.e.symbol(v)
	if !value.CanAddr() {
		return nil
	}
	l.e.made[key] = l.e.rt.Provide("P", value.Addr())
	return &ast.StarExpr{X: source(l.e.made[key])}
}

// funcName spells a reference to a package-level function, or to the instance of a generic one that id stands for.
func (l *Lowerer) funcName(f *types.Func, id *ast.Ident) ast.Expr {
	if in, ok := l.info.Instances[id]; ok {
		var args []types.Type
		for i := range in.TypeArgs.Len() {
			args = append(args, l.subst(in.TypeArgs.At(i)))
		}
		if s := l.funcInstance(f, args); s != "" {
			return source(s)
		}
		return nil
	}
	if f.Signature().Recv() != nil {
		return nil
	}
	if check.IsSession(f) {
		if n := l.name(l.newest(f)); n != "" {
			return source(n)
		}
	} else if l.e.fromSource(f.Pkg()) != nil {
		if n := l.funcInstance(f, nil); n != "" {
			return source(n)
		}
	}
	return nil
}

// newest is the function that has taken the place of f, as a generic function of an earlier cell mentions it: yaegi has no name for
// f any more.
func (l *Lowerer) newest(f *types.Func) *types.Func {
	o := l.ck.Objs[f.Name()]
	if b := l.e.scope.Bindings[f.Name()]; o == nil && b != nil {
		o = b.Object
	}
	if g, ok := o.(*types.Func); ok && check.SameUse(f, g) {
		return g
	}
	return f
}

// instance is the function that an index expression on a generic function stands for.
func (l *Lowerer) instance(x ast.Expr) ast.Expr {
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

// parenType makes a type fit to stand before a conversion's parenthesis.
func parenType(x ast.Expr) ast.Expr {
	switch x.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.ArrayType, *ast.MapType, *ast.InterfaceType, *ast.ParenExpr:
		return x
	}
	return &ast.ParenExpr{X: x}
}

// helper returns the name of a generated function, printed once for each key. text has a verb for the name.
func (l *Lowerer) helper(base, key, text string) string {
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

func (l *Lowerer) builtin(name string, n *ast.CallExpr) (ast.Node, bool) {
	if t, many := l.tupleArg(n); many {
		return l.spreadBuiltin(name, n, t), true
	}
	switch name {
	case "min", "max":
		return &ast.CallExpr{Fun: check.Ident(l.extreme(name, types.Default(l.typeOf(n)))), Args: l.exprs(n.Args)}, true
	case "clear":
		return call(l.e.clearing(l.typeOf(n.Args[0])), l.exprs(n.Args)...), true
	case "new":
		if tv := l.info.Types[n.Args[0]]; !tv.IsType() {
			t := l.typeSource(types.Default(l.typeOf(n.Args[0])))
			return call(l.helper("new", t, "func %s(v "+t+") *"+t+" {\np := new("+t+")\n*p = v\nreturn p\n}"), l.expr(n.Args[0])), true
		}
	case "panic":
		return call(run.RuntimePkg+".Panic", l.convert(n.Args[0], types.Universe.Lookup("any").Type())), true
	case "recover":
		if l.inDeferred == noRecover {
			return call(run.RuntimePkg + ".NoRecover"), true
		}
		if l.inDeferred != "" {
			return call(l.inDeferred + ".Recover"), true
		}
		return call(run.RuntimePkg + ".Recover"), true
	case "complex", "real", "imag": // whose result yaegi loses where it is returned or becomes an interface
		return &ast.CallExpr{Fun: l.typeExpr(types.Default(l.typeOf(n))), Args: []ast.Expr{call(name, l.exprs(n.Args)...)}}, true
	case "delete":
		m := check.Underlying(l.typeOf(n.Args[0])).(*types.Map)
		return call("delete", l.expr(n.Args[0]), l.mapKey(n.Args[1], m)), true
	case "len", "cap":
		if a := arrayBehind(l.typeOf(n.Args[0])); a != nil {
			return l.lengthOfArray(n.Args[0], a), true
		}
	case "make":
		if r := l.makeChecked(n); r != nil {
			return r, true
		}
		if ch, ok := check.Underlying(l.typeOf(n)).(*types.Chan); ok && ch.Dir() != types.SendRecv {
			both := types.NewChan(types.SendRecv, ch.Elem())
			c := &ast.CallExpr{Fun: check.Ident("make"), Args: append([]ast.Expr{l.typeExpr(both)}, l.exprs(n.Args[1:])...)}
			return call(l.e.converting(l.e.scope.Inner(both), l.e.scope.Inner(l.typeOf(n))), c), true
		}
	case "print", "println":
		return call(run.RuntimePkg+"."+strings.ToUpper(name[:1])+name[1:], l.printArgs(n.Args)...), true
	case "append":
		if !n.Ellipsis.IsValid() {
			if sl, ok := check.Underlying(l.typeOf(n)).(*types.Slice); ok {
				c := &ast.CallExpr{Fun: check.Ident("append"), Args: []ast.Expr{l.expr(n.Args[0])}}
				for i, a := range n.Args[1:] {
					x := l.convert(a, sl.Elem())
					if i > 0 && readsMemory(x) { // yaegi reads it when those before it are stored
						t := l.typeSource(sl.Elem())
						x = call(l.helper("element", t, "func %s(x "+t+") "+t+" { return x }"), x)
					}
					c.Args = append(c.Args, x)
				}
				if _, ok := check.Underlying(sl.Elem()).(*types.Slice); ok && len(c.Args) == 2 && types.Identical(check.Underlying(sl.Elem()), sl) { // yaegi appends its elements
					c.Args[1] = &ast.CompositeLit{Type: &ast.ArrayType{Elt: l.typeExpr(sl.Elem())}, Elts: []ast.Expr{c.Args[1]}}
					c.Ellipsis = 1
				}
				return c, true
			}
		}
	}
	c := l.c.CopyNode(n).(*ast.CallExpr)
	c.Fun = check.Ident(name)
	return c, true
}

// arrayBehind is the array that a type is, or that a pointer type points to; nil for any other type.
func arrayBehind(t types.Type) *types.Array {
	u := check.Underlying(t)
	if p, ok := u.(*types.Pointer); ok {
		u = check.Underlying(p.Elem())
	}
	a, _ := u.(*types.Array)
	return a
}

// lengthOfArray spells the length of an array. What calls something is evaluated; a pointer to the array may be nil.
func (l *Lowerer) lengthOfArray(x ast.Expr, a *types.Array) ast.Expr {
	length := strconv.FormatInt(a.Len(), 10)
	if l.calm(x) {
		return &ast.BasicLit{Kind: token.INT, Value: length}
	}
	t := l.typeSource(l.typeOf(x))
	return call(l.helper("length", t, "func %s(x "+t+") int { return "+length+" }"), l.expr(x))
}

// smallMake is the constant size up to which make needs no check.
const smallMake = 1 << 16

// makeChecked lowers make with a size that is no small constant: yaegi's panics are package reflect's, and the memory must be
// within the session's limit.
func (l *Lowerer) makeChecked(n *ast.CallExpr) ast.Expr {
	if len(n.Args) < 2 {
		return nil
	}
	at := len(n.Args) - 1
	if v := l.info.Types[n.Args[at]].Value; v != nil {
		if i, ok := constant.Int64Val(constant.ToInt(v)); ok && i <= smallMake && at == 1 {
			return nil
		}
	}
	c := &ast.CallExpr{Fun: check.Ident("make"), Args: []ast.Expr{l.typeExpr(l.typeOf(n))}}
	size := func(t types.Type) ast.Expr {
		return &ast.BasicLit{Kind: token.INT, Value: strconv.FormatUint(uint64(l.e.scope.Inner(l.subst(t)).Size()), 10)}
	}
	switch u := check.Underlying(l.typeOf(n)).(type) {
	case *types.Slice:
		if at == 2 {
			c.Args = append(c.Args, call(run.RuntimePkg+".MakeLen", l.asInt(n.Args[1]), l.asInt(n.Args[2])))
		}
		check := "MakeSlice"
		if at == 2 {
			check = "MakeCap"
		}
		c.Args = append(c.Args, call(run.RuntimePkg+"."+check, l.asInt(n.Args[at]), size(u.Elem())))
	case *types.Map:
		c.Args = append(c.Args, call(run.RuntimePkg+".MakeMap", l.asInt(n.Args[1]), size(u.Key()), size(u.Elem())))
	case *types.Chan:
		if u.Dir() != types.SendRecv {
			return nil
		}
		c.Args = append(c.Args, call(run.RuntimePkg+".MakeChan", l.asInt(n.Args[1]), size(u.Elem())))
	default:
		return nil
	}
	return c
}

// readsMemory reports whether a lowered expression reads what a store may change.
func readsMemory(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.IndexExpr, *ast.StarExpr:
		return true
	case *ast.SelectorExpr:
		return readsMemory(x.X)
	}
	return false
}

// extreme is the function that stands for min or max of one type.
func (l *Lowerer) extreme(name string, of types.Type) string {
	t := l.typeSource(of)
	step := map[string]string{"min": "if x < m { m = x }", "max": "if x > m { m = x }"}[name]
	if b, ok := of.Underlying().(*types.Basic); ok && b.Info()&types.IsFloat != 0 { // NaN and the zeros have an order of their own
		op := map[string]string{"min": "<", "max": ">"}[name]
		step = "if x " + op + " m || x != x { m = x } else if x == 0 && m == 0 { m = " + t + "(" + run.RuntimePkg + "." + strings.ToUpper(name[:1]) + name[1:] + "(float64(m), float64(x))) }"
	}
	return l.helper(name, t, "func %s(a ..."+t+") "+t+" {\nm := a[0]\nfor _, x := range a { "+step+" }\nreturn m\n}")
}

// spreadBuiltin lowers a call such as append(f()), where f has several results.
func (l *Lowerer) spreadBuiltin(name string, n *ast.CallExpr, t *types.Tuple) ast.Expr {
	sig := types.NewSignatureType(nil, nil, nil, t, nil, false)
	params, args := l.forwarded(sig)
	result := ""
	ret := ""
	if tv := l.info.Types[n]; !tv.IsVoid() {
		result, ret = " "+l.typeSource(tv.Type), "return "
	}
	switch name {
	case "min", "max":
		name = l.extreme(name, l.typeOf(n))
	case "print", "println":
		name = run.RuntimePkg + "." + strings.ToUpper(name[:1]) + name[1:]
		for i := range args {
			if types.IsInterface(l.subst(t.At(i).Type())) {
				args[i] = run.RuntimePkg + ".Words(" + args[i] + ")"
			}
		}
	}
	return &ast.CallExpr{Fun: source("func" + params + result + " { " + ret + name + "(" + strings.Join(args, ", ") + ") }"), Args: []ast.Expr{l.expr(n.Args[0])}}
}

// must lowers a call whose error stops the cell.
func (l *Lowerer) must(n *ast.CallExpr) ast.Expr {
	t := l.info.Types[n.Args[0]].Type.(*types.Tuple)
	var ps, ts, vs []string
	for i := range t.Len() - 1 {
		s := l.typeSource(t.At(i).Type())
		v := fmt.Sprintf("v%d", i)
		ps, ts, vs = append(ps, v+" "+s), append(ts, s), append(vs, v)
	}
	text := "func %s(" + strings.Join(ps, ", ") + ", err error) (" + strings.Join(ts, ", ") + ") {\n" + run.RuntimePkg + ".Check(err)\nreturn " + strings.Join(vs, ", ") + "\n}"
	return call(l.helper("must", strings.Join(ts, ", "), text), l.expr(n.Args[0]))
}

func (l *Lowerer) composite(n *ast.CompositeLit) ast.Expr {
	c := &ast.CompositeLit{Lbrace: 1, Rbrace: 1}
	t := l.typeOf(n)
	if n.Type != nil || l.elided(t) {
		if p, ok := check.Underlying(t).(*types.Pointer); ok && n.Type == nil {
			return &ast.UnaryExpr{Op: token.AND, X: l.compositeOf(c, n, p.Elem())}
		}
		return l.compositeOf(c, n, t)
	}
	return l.compositeOf(c, n, t)
}

// elided reports whether a literal without a type must be given one.
func (l *Lowerer) elided(t types.Type) bool {
	_, ok := check.Underlying(t).(*types.Pointer)
	return ok
}

func (l *Lowerer) compositeOf(c *ast.CompositeLit, n *ast.CompositeLit, t types.Type) ast.Expr {
	c.Type = l.typeExpr(t)
	var elem types.Type
	switch u := check.Underlying(l.subst(t)).(type) {
	case *types.Struct:
		l.fieldsOf(c, n, u, l.e.isCompiled(l.subst(t)))
		return c
	case *types.Slice:
		elem = u.Elem()
	case *types.Array:
		elem = u.Elem()
	case *types.Map:
		elem = u.Elem()
	}
	_, isMap := check.Underlying(l.subst(t)).(*types.Map)
	at := -1 // of the element in a list
	for _, x := range n.Elts {
		at++
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			k := l.expr(kv.Key)
			if !isMap {
				i, _ := constant.Int64Val(constant.ToInt(l.info.Types[kv.Key].Value))
				at = int(i)
			}
			if m, ok := check.Underlying(l.subst(t)).(*types.Map); ok {
				k = l.mapKey(kv.Key, m)
				if l.env != nil && types.IsInterface(m.Key()) { // yaegi refuses a constant that is there twice
					t := l.typeSource(m.Key())
					k = call(l.helper("element", t, "func %s(x "+t+") "+t+" { return x }"), k)
				}
			}
			c.Elts = append(c.Elts, &ast.KeyValueExpr{Key: k, Value: l.element(kv.Value, elem)})
			continue
		}
		c.Elts = append(c.Elts, keyed(at, l.element(x, elem)))
	}
	return c
}

// keyed gives a lowered element of a list its key, where it must have one.
func keyed(at int, x ast.Expr) ast.Expr {
	if wantsKey(x) {
		return &ast.KeyValueExpr{Key: &ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(at)}, Value: x}
	}
	return x
}

// wantsKey reports whether a lowered element of a list must have a key: without one yaegi works out the type of such an element before
// it knows those of the operands.
func wantsKey(x ast.Expr) bool {
	switch x.(type) {
	case *ast.SelectorExpr, *ast.SliceExpr, *ast.CallExpr, *ast.ParenExpr, *ast.StarExpr:
		return true
	}
	return false
}

// element lowers an element of a list or map. yaegi wants to know the types of some too early; that of a
// function it knows.
func (l *Lowerer) element(x ast.Expr, elem types.Type) ast.Expr {
	r := l.convert(x, elem)
	if _, ok := r.(*ast.ParenExpr); ok { // in which yaegi takes *p + 1 for a pointer
		switch y := ast.Unparen(r).(type) {
		case *ast.BinaryExpr, *ast.UnaryExpr:
			if r = y; types.IsInterface(elem) {
				return l.through(x, r)
			}
		}
	}
	switch y := r.(type) {
	case *ast.UnaryExpr:
		if y.Op != token.AND {
			return r
		}
		switch y.X.(type) {
		case *ast.Ident, *ast.CompositeLit:
			return r
		}
	case *ast.StarExpr:
		if _, ok := y.X.(*ast.SelectorExpr); ok {
			return r
		}
	default:
		return r
	}
	return l.through(x, r)
}

// through passes the value of x, lowered, through a function that tells yaegi its type.
func (l *Lowerer) through(x, lowered ast.Expr) ast.Expr {
	t := l.typeSource(types.Default(l.typeOf(x)))
	return call(l.helper("element", t, "func %s(x "+t+") "+t+" { return x }"), lowered)
}

// fieldsOf lowers the elements of a struct literal.
func (l *Lowerer) fieldsOf(c, n *ast.CompositeLit, st *types.Struct, compiled bool) {
	name := func(i int) string {
		if compiled {
			return st.Field(i).Name()
		}
		return l.e.scope.World.Field(st, i)
	}
	for at, x := range n.Elts {
		kv, ok := x.(*ast.KeyValueExpr)
		if !ok {
			if st.Field(at).Name() != "_" { // nobody can read it
				c.Elts = append(c.Elts, &ast.KeyValueExpr{Key: check.Ident(name(at)), Value: l.convert(x, st.Field(at).Type())})
			}
			continue
		}
		for i := range st.NumFields() {
			if id := kv.Key.(*ast.Ident); st.Field(i).Name() == id.Name {
				c.Elts = append(c.Elts, &ast.KeyValueExpr{Key: check.Ident(name(i)), Value: l.convert(kv.Value, st.Field(i).Type())})
				break
			}
		}
	}
}
