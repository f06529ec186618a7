package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/machine"
	"github.com/gorocm/gorocm/repl/golang/run"
	"github.com/gorocm/gorocm/repl/golang/typekey"
)

// A method of a session's type is a function whose first parameter is the receiver. The run-time type's method table
// calls it through a slot.

// methodSlots finds the slots of methods: by the method for speed, and by its key, because identical instances of a
// generic type have methods of their own.
type methodSlots struct {
	by   sync.Map // *types.Func to *machine.Target
	mu   sync.Mutex
	keys map[string]*machine.Target
}

func (st *State) methodSlot(m *types.Func) *machine.Target {
	if s, ok := st.code.by.Load(m); ok {
		return s.(*machine.Target)
	}
	st.code.mu.Lock()
	defer st.code.mu.Unlock()
	key := st.Types.ObjectKey(m.Origin())
	if n := check.ReceiverType(m); n != nil {
		for i := range n.TypeArgs().Len() {
			key += "[" + st.Types.Key(n.TypeArgs().At(i)) + "]"
		}
	}
	s := st.code.keys[key]
	if s == nil {
		s = &machine.Target{}
		st.code.keys[key] = s
	}
	st.code.by.Store(m, s)
	return s
}

// reach has the methods of every generic type of cells in t printed: what becomes an interface may be asked for them.
func (u *unit) reach(t types.Type) {
	switch t := t.(type) {
	case *types.Named:
		if u.st.Types.Compiled(t) != nil || t.Obj().Pkg() == nil {
			return
		}
		key := u.st.Types.Key(t)
		if u.st.printed[key] || u.reached[key] {
			return
		}
		u.reached[key] = true
		if check.IsSession(t.Obj()) && t.TypeArgs().Len() > 0 {
			for i := range t.NumMethods() {
				u.methodName(t.Method(i), receiverArgs(t.Method(i)))
			}
		}
		u.reach(t.Underlying())
	case *types.Alias:
		u.reach(types.Unalias(t))
	case *types.Pointer:
		u.reach(t.Elem())
	case *types.Slice:
		u.reach(t.Elem())
	case *types.Array:
		u.reach(t.Elem())
	case *types.Chan:
		u.reach(t.Elem())
	case *types.Map:
		u.reach(t.Key())
		u.reach(t.Elem())
	case *types.Struct:
		for i := range t.NumFields() {
			u.reach(u.st.Types.Subst(t.Field(i).Type(), nil))
		}
	}
}

// methodName is the yaegi name of an interpreted method's function.
func (u *unit) methodName(m *types.Func, args []types.Type) string {
	if len(args) == 0 && check.IsSession(m) {
		return u.name(m)
	}
	key, name, fresh := u.instanceName(m.Origin(), args)
	if fresh {
		if g := u.generic(m.Origin()); g != nil && g.HasBody() {
			u.instance(&instance{key: key, name: name, of: g, args: args, slot: u.st.methodSlot(m)})
		}
	}
	return name
}

// receiverArgs are the type arguments of a method's receiver.
func receiverArgs(m *types.Func) (args []types.Type) {
	for t := range check.ReceiverType(m).TypeArgs().Types() {
		args = append(args, t)
	}
	return args
}

// register has a method's slot take its function before the cell's statements run.
func (u *unit) register(name string, s *machine.Target) {
	rt := u.st.rt
	set := u.st.rt.Provide("M", reflect.ValueOf(func(f any) {
		v := reflect.ValueOf(f)
		if fast := rt.FuncOf(name, v.Type()); fast.IsValid() {
			v = fast
		}
		s.Set(v)
	}))
	u.start = append(u.start, fmt.Sprintf("%s(%s)", set, name))
}

// selected is what a selector stands for.
type selected struct {
	x    ast.Expr   // lowered: the operand that holds the field, or the receiver
	t    types.Type // of x
	obj  types.Object
	name string // of the field, or of a compiled method
}

// find resolves a selector on a value, and walks through embedded fields.
func (l *exprs) find(n *ast.SelectorExpr) selected {
	s := l.info.Selections[n]
	recv, obj, index := l.subst(s.Recv()), s.Obj(), s.Index()
	if o, i, _ := types.LookupFieldOrMethod(recv, true, obj.Pkg(), obj.Name()); o != nil {
		obj, index = o, i
	}
	if m, ok := obj.(*types.Func); ok && s.Kind() == types.MethodVal && l.u.funcs.HiddenMethod(m) != "" {
		x, t := l.along(n.X, recv, index[:len(index)-1])
		return selected{x, t, m, m.Name()}
	}
	var x ast.Expr
	if s.Kind() != types.MethodExpr {
		x = l.expr(n.X)
	}
	return l.walk(x, recv, obj, index)
}

func (q *facts) walk(x ast.Expr, t types.Type, obj types.Object, index []int) selected {
	t = q.subst(t)
	for len(index) > 1 && !q.types.IsCompiled(check.Deref(t)) {
		st, ok := check.Underlying(q.subst(check.Deref(t))).(*types.Struct)
		if !ok {
			break
		}
		x = field(x, t, q.scope.World.Field(st, index[0]))
		t = q.subst(st.Field(index[0]).Type())
		index = index[1:]
	}
	r := selected{x, t, obj, obj.Name()}
	if v, ok := obj.(*types.Var); ok && v.IsField() && !q.types.IsCompiled(check.Deref(t)) {
		if st, ok := check.Underlying(q.subst(check.Deref(t))).(*types.Struct); ok {
			r.name = q.scope.World.Field(st, index[0])
		}
	}
	return r
}

// field selects a field of x, which has type t; yaegi follows pointers by itself.
func field(x ast.Expr, t types.Type, name string) ast.Expr {
	_, isPtr := check.Underlying(t).(*types.Pointer)
	if s, ok := x.(*ast.StarExpr); ok && !isPtr {
		x = s.X
	}
	return &ast.SelectorExpr{X: x, Sel: check.Ident(name)}
}

func address(x ast.Expr) ast.Expr {
	switch y := x.(type) {
	case *ast.StarExpr:
		return y.X
	case *ast.ParenExpr:
		return address(y.X)
	}
	return &ast.UnaryExpr{Op: token.AND, X: x}
}

// receiver is the first argument of an interpreted method's function.
func receiver(s selected, m *types.Func) ast.Expr {
	_, isPtr := check.Underlying(s.t).(*types.Pointer)
	switch ptr := check.PointerReceiver(m); {
	case ptr && !isPtr:
		return address(s.x)
	case !ptr && isPtr:
		return &ast.StarExpr{X: s.x}
	}
	return s.x
}

func (l *exprs) selector(n *ast.SelectorExpr) ast.Expr {
	if sel, ok := l.info.Selections[n]; ok {
		switch sel.Kind() {
		case types.MethodExpr:
			return l.methodExpr(n)
		case types.MethodVal:
			return l.methodValue(n)
		}
		if l.isHidden(sel.Obj()) {
			return l.hiddenField(n, sel)
		}
		s := l.find(n)
		return field(s.x, s.t, s.name)
	}
	if x, ok := n.X.(*ast.Ident); ok {
		if p, ok := l.info.Uses[x].(*types.PkgName); ok {
			return l.sp.qualified(p.Imported(), n.Sel)
		}
	}
	return &ast.SelectorExpr{X: l.expr(n.X), Sel: check.Ident(n.Sel.Name)}
}

// qualified spells an object of a package.
func (l *speller) qualified(p *types.Package, id *ast.Ident) ast.Expr {
	if f, ok := l.info.Uses[id].(*types.Func); ok {
		if r := l.funcName(f, id); r != nil {
			return r
		}
	}
	if s := l.u.slotOf(l.info.Uses[id]); s != nil {
		return variableOf(s)
	}
	if x := l.u.funcs.Variable(l.info.Uses[id]); x != "" {
		return &ast.StarExpr{X: source(x)}
	}
	return &ast.SelectorExpr{X: check.Ident(l.u.pkg(p.Path(), p.Name())), Sel: check.Ident(id.Name)}
}

// methodOf resolves the function that calls a method: its expression, and the receiver as a first argument where it is
// interpreted.
func (l *speller) methodOf(s selected) (fun, recv ast.Expr) {
	m := s.obj.(*types.Func)
	if n := l.u.funcs.HiddenMethod(m); n != "" {
		return source(n), receiver(s, m)
	}
	if types.IsInterface(check.Deref(s.t)) {
		if !l.sameOutside(s.t, m) {
			return check.Ident(l.interfaceCall(s.t, m)), s.x
		}
		return &ast.SelectorExpr{X: s.x, Sel: check.Ident(m.Name())}, nil
	}
	if l.types.Interpreted(m) {
		args := receiverArgs(m)
		for i, t := range args {
			args[i] = l.subst(t)
		}
		return check.Ident(l.u.methodName(m, args)), receiver(s, m)
	}
	return &ast.SelectorExpr{X: s.x, Sel: check.Ident(m.Name())}, nil
}

// sameOutside reports whether a method of an interface has the same parameters and results for interpreted code.
func (q *facts) sameOutside(t types.Type, m *types.Func) bool {
	out, _ := q.scope.Inner(t).MethodByName(m.Name())
	in := q.scope.Inner(q.subst(m.Type()))
	return out.Type == in
}

// interfaceCall is a function that calls an interface's method whose parameters or results have other types for
// interpreted code.
func (l *speller) interfaceCall(t types.Type, m *types.Func) string {
	sig := l.subst(m.Type()).(*types.Signature)
	method, _ := l.scope.Inner(t).MethodByName(m.Name())
	params, args := l.u.forwarded(sig)
	var vs, outs []string
	for i := range args {
		if in, out := l.scope.Inner(sig.Params().At(i).Type()), method.Type.In(i); in != out {
			l.u.reach(sig.Params().At(i).Type())
			args[i] = l.u.funcs.Retype(in, out) + "(" + args[i] + ")"
		}
	}
	for i := range sig.Results().Len() {
		v := "r" + run.Tick + strconv.Itoa(i)
		vs = append(vs, v)
		if in, out := l.scope.Inner(sig.Results().At(i).Type()), method.Type.Out(i); in != out {
			v = l.u.funcs.Retype(out, in) + "(" + v + ")"
		}
		outs = append(outs, v)
	}
	text := "func %s(x " + l.u.spell(t) + strings.Replace(params, "(", ", ", 1) + l.u.resultsOf(sig) + " {\n"
	if len(args) == 0 {
		text = "func %s(x " + l.u.spell(t) + ")" + l.u.resultsOf(sig) + " {\n"
	}
	c := "x." + m.Name() + "(" + strings.Join(args, ", ") + dots(sig) + ")"
	if len(vs) == 0 {
		text += c + "\n}"
	} else {
		text += strings.Join(vs, ", ") + " := " + c + "\nreturn " + strings.Join(outs, ", ") + "\n}"
	}
	return l.u.helper("call", l.types.Key(t)+"."+m.Id(), text)
}

// methodValue spells x.M that is not called: the receiver is evaluated and copied now.
func (l *exprs) methodValue(n *ast.SelectorExpr) ast.Expr {
	s := l.find(n)
	m := s.obj.(*types.Func)
	fun, recv := l.sp.methodOf(s)
	isInterface, isFunc := types.IsInterface(check.Deref(s.t)), recv != nil
	var rt types.Type
	switch _, isPtr := check.Underlying(s.t).(*types.Pointer); {
	case recv != nil && !isInterface:
		rt = receiverParam(s, m)
	case isInterface:
		rt, recv = s.t, s.x
	case !isPtr && check.PointerReceiver(m):
		return fun // of a compiled type: package reflect binds the variable's address
	default:
		rt, recv = s.t, s.x
	}
	sig := l.subst(m.Type()).(*types.Signature)
	params, args := l.u.forwarded(sig)
	name := check.NodeText(fun)
	if !isFunc {
		name = "r." + m.Name()
	} else {
		args = append([]string{"r"}, args...)
	}
	text := "func %s(r " + l.sp.typeSource(rt) + ") func" + l.u.signature(sig) + " {\n"
	if isInterface {
		text += "if r == nil { " + run.RuntimePkg + ".NilMethod() }\n"
	}
	text += "return func" + params + l.u.resultsOf(sig) + " { " + returnIf(sig) + name + "(" +
		strings.Join(args, ", ") + dots(sig) + ") }\n}"
	binds := l.u.helper("bind", l.types.Key(l.subst(rt))+"."+m.Id(), text)
	l.u.out.Made[binds] = run.Func{Name: run.MethodName(m) + typekey.BoundSuffix, Full: true}
	return call(binds, recv)
}

func returnIf(sig *types.Signature) string {
	if sig.Results().Len() > 0 {
		return "return "
	}
	return ""
}

// dots is "..." where a forwarded call passes on a variadic parameter.
func dots(sig *types.Signature) string {
	if sig.Variadic() {
		return "..."
	}
	return ""
}

// receiverParam is the type of a method's receiver for the operand of a selector.
func receiverParam(s selected, m *types.Func) types.Type {
	base := check.Deref(s.t)
	if check.PointerReceiver(m) {
		return types.NewPointer(base)
	}
	return base
}

// methodExpr spells T.M as a function.
func (l *exprs) methodExpr(n *ast.SelectorExpr) ast.Expr {
	sel := l.info.Selections[n]
	recv := l.subst(sel.Recv())
	sig := l.subst(sel.Type()).(*types.Signature)
	obj, index, _ := types.LookupFieldOrMethod(recv, true, sel.Obj().Pkg(), sel.Obj().Name())
	s := l.walk(check.Ident("a"+run.Tick+"0"), recv, obj, index)
	fun, first := l.sp.methodOf(s)
	params, args := l.u.forwarded(sig)
	args = args[1:]
	if first != nil {
		args = append([]string{check.NodeText(first)}, args...)
	}
	x := source("func" + params + l.u.resultsOf(sig) + " { " + returnIf(sig) + check.NodeText(fun) + "(" +
		strings.Join(args, ", ") + dots(sig) + ") }")
	if lit, ok := x.(*ast.FuncLit); ok {
		l.u.out.Funcs[lit.Body] = run.Func{Name: run.MethodName(obj.(*types.Func)), Pos: obj.Pos(), Full: true}
	}
	return x
}
