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
	"sync/atomic"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// A method of a session's type is a function whose first parameter is the receiver. The run-time type's method table
// calls it through a slot.

// methodFunc holds the function that runs a method.
type methodFunc struct{ f atomic.Pointer[reflect.Value] }

// methodSlots finds the slots of methods: by the method for speed, and by its key, because identical instances of a
// generic type have methods of their own.
type methodSlots struct {
	by   sync.Map // *types.Func to *methodFunc
	mu   sync.Mutex
	keys map[string]*methodFunc
}

func (st *State) methodSlot(m *types.Func) *methodFunc {
	if s, ok := st.code.by.Load(m); ok {
		return s.(*methodFunc)
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
		s = &methodFunc{}
		st.code.keys[key] = s
	}
	st.code.by.Store(m, s)
	return s
}

// reach has the methods of every generic type of cells in t printed: what becomes an interface may be asked for them.
func (l *Lowerer) reach(t types.Type) {
	switch t := t.(type) {
	case *types.Named:
		if l.st.Types.Compiled(t) != nil || t.Obj().Pkg() == nil {
			return
		}
		key := l.st.Types.Key(t)
		if l.st.printed[key] || l.reached[key] {
			return
		}
		l.reached[key] = true
		if check.IsSession(t.Obj()) && t.TypeArgs().Len() > 0 {
			for i := range t.NumMethods() {
				l.methodName(t.Method(i))
			}
		}
		l.reach(t.Underlying())
	case *types.Alias:
		l.reach(types.Unalias(t))
	case *types.Pointer:
		l.reach(t.Elem())
	case *types.Slice:
		l.reach(t.Elem())
	case *types.Array:
		l.reach(t.Elem())
	case *types.Chan:
		l.reach(t.Elem())
	case *types.Map:
		l.reach(t.Key())
		l.reach(t.Elem())
	case *types.Struct:
		for i := range t.NumFields() {
			l.reach(l.st.Types.Subst(t.Field(i).Type(), nil))
		}
	}
}

// methodName is the yaegi name of an interpreted method's function.
func (l *Lowerer) methodName(m *types.Func) string {
	n := check.ReceiverType(m)
	if n.TypeArgs().Len() == 0 && check.IsSession(m) {
		return l.name(m)
	}
	var args []types.Type
	for i := range n.TypeArgs().Len() {
		args = append(args, l.subst(n.TypeArgs().At(i)))
	}
	key, name, fresh := l.instanceName(m.Origin(), args)
	if fresh {
		if g := l.generic(m.Origin()); g != nil && g.HasBody() {
			l.instance(&instance{key: key, name: name, of: g, args: args, slot: l.st.methodSlot(m)})
		}
	}
	return name
}

// register has a method's slot take its function before the cell's statements run.
func (l *Lowerer) register(name string, s *methodFunc) {
	rt := l.st.rt
	set := l.st.rt.Provide("M", reflect.ValueOf(func(f any) {
		v := reflect.ValueOf(f)
		if fast := rt.FuncOf(name, v.Type()); fast.IsValid() {
			v = fast
		}
		s.f.Store(&v)
	}))
	l.start = append(l.start, fmt.Sprintf("%s(%s)", set, name))
}

// selected is what a selector stands for.
type selected struct {
	x    ast.Expr   // lowered: the operand that holds the field, or the receiver
	t    types.Type // of x
	obj  types.Object
	name string // of the field, or of a compiled method
}

// find resolves a selector on a value, and walks through embedded fields.
func (l *Lowerer) find(n *ast.SelectorExpr) selected {
	s := l.info.Selections[n]
	recv, obj, index := l.subst(s.Recv()), s.Obj(), s.Index()
	if o, i, _ := types.LookupFieldOrMethod(recv, true, obj.Pkg(), obj.Name()); o != nil {
		obj, index = o, i
	}
	var x ast.Expr
	if s.Kind() != types.MethodExpr {
		x = l.expr(n.X)
	}
	return l.walk(x, recv, obj, index)
}

func (q *facts) walk(x ast.Expr, t types.Type, obj types.Object, index []int) selected {
	t = q.subst(t)
	for len(index) > 1 && !q.st.Types.IsCompiled(check.Deref(t)) {
		st, ok := check.Underlying(q.subst(check.Deref(t))).(*types.Struct)
		if !ok {
			break
		}
		x = field(x, t, q.st.scope.World.Field(st, index[0]))
		t = q.subst(st.Field(index[0]).Type())
		index = index[1:]
	}
	r := selected{x, t, obj, obj.Name()}
	if v, ok := obj.(*types.Var); ok && v.IsField() && !q.st.Types.IsCompiled(check.Deref(t)) {
		if st, ok := check.Underlying(q.subst(check.Deref(t))).(*types.Struct); ok {
			r.name = q.st.scope.World.Field(st, index[0])
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
func (l *Lowerer) receiver(s selected, m *types.Func) ast.Expr {
	_, isPtr := check.Underlying(s.t).(*types.Pointer)
	switch ptr := check.PointerReceiver(m); {
	case ptr && !isPtr:
		return address(s.x)
	case !ptr && isPtr:
		return &ast.StarExpr{X: s.x}
	}
	return s.x
}

func (l *Lowerer) selector(n *ast.SelectorExpr) ast.Expr {
	if sel, ok := l.info.Selections[n]; ok {
		switch sel.Kind() {
		case types.MethodExpr:
			return l.methodExpr(n)
		case types.MethodVal:
			return l.methodValue(n)
		}
		s := l.find(n)
		return field(s.x, s.t, s.name)
	}
	if x, ok := n.X.(*ast.Ident); ok {
		if p, ok := l.info.Uses[x].(*types.PkgName); ok {
			return l.qualified(p.Imported(), n.Sel)
		}
	}
	return &ast.SelectorExpr{X: l.expr(n.X), Sel: check.Ident(n.Sel.Name)}
}

// qualified spells an object of a package.
func (l *Lowerer) qualified(p *types.Package, id *ast.Ident) ast.Expr {
	if f, ok := l.info.Uses[id].(*types.Func); ok {
		if r := l.funcName(f, id); r != nil {
			return r
		}
	}
	if s := l.slotOf(l.info.Uses[id]); s != nil {
		return variableOf(s)
	}
	if x := l.st.funcs.Variable(l.info.Uses[id]); x != "" {
		return &ast.StarExpr{X: source(x)}
	}
	return &ast.SelectorExpr{X: check.Ident(l.pkg(p.Path(), p.Name())), Sel: check.Ident(id.Name)}
}

// methodOf resolves the function that calls a method: its expression, and the receiver as a first argument where it is
// interpreted.
func (l *Lowerer) methodOf(s selected) (fun, recv ast.Expr) {
	m := s.obj.(*types.Func)
	if types.IsInterface(check.Deref(s.t)) {
		if !l.sameOutside(s.t, m) {
			return check.Ident(l.interfaceCall(s.t, m)), s.x
		}
		return &ast.SelectorExpr{X: s.x, Sel: check.Ident(m.Name())}, nil
	}
	if l.st.Types.Interpreted(m) {
		return check.Ident(l.methodName(m)), l.receiver(s, m)
	}
	return &ast.SelectorExpr{X: s.x, Sel: check.Ident(m.Name())}, nil
}

// sameOutside reports whether a method of an interface has the same parameters and results for interpreted code.
func (q *facts) sameOutside(t types.Type, m *types.Func) bool {
	out, _ := q.st.scope.Inner(t).MethodByName(m.Name())
	in := q.st.scope.Inner(q.subst(m.Type()))
	return out.Type == in
}

// interfaceCall is a function that calls an interface's method whose parameters or results have other types for
// interpreted code.
func (l *Lowerer) interfaceCall(t types.Type, m *types.Func) string {
	sig := l.subst(m.Type()).(*types.Signature)
	method, _ := l.st.scope.Inner(t).MethodByName(m.Name())
	params, args := l.forwarded(sig)
	var vs, outs []string
	for i := range args {
		if in, out := l.st.scope.Inner(sig.Params().At(i).Type()), method.Type.In(i); in != out {
			l.reach(sig.Params().At(i).Type())
			args[i] = l.st.funcs.Retype(in, out) + "(" + args[i] + ")"
		}
	}
	for i := range sig.Results().Len() {
		v := "r" + run.Tick + strconv.Itoa(i)
		vs = append(vs, v)
		if in, out := l.st.scope.Inner(sig.Results().At(i).Type()), method.Type.Out(i); in != out {
			v = l.st.funcs.Retype(out, in) + "(" + v + ")"
		}
		outs = append(outs, v)
	}
	text := "func %s(x " + l.spell(t) + strings.Replace(params, "(", ", ", 1) + l.resultsOf(sig) + " {\n"
	if len(args) == 0 {
		text = "func %s(x " + l.spell(t) + ")" + l.resultsOf(sig) + " {\n"
	}
	c := "x." + m.Name() + "(" + strings.Join(args, ", ") + dots(sig) + ")"
	if len(vs) == 0 {
		text += c + "\n}"
	} else {
		text += strings.Join(vs, ", ") + " := " + c + "\nreturn " + strings.Join(outs, ", ") + "\n}"
	}
	return l.helper("call", l.st.Types.Key(t)+"."+m.Id(), text)
}

// methodValue spells x.M that is not called: the receiver is evaluated and copied now.
func (l *Lowerer) methodValue(n *ast.SelectorExpr) ast.Expr {
	s := l.find(n)
	m := s.obj.(*types.Func)
	fun, recv := l.methodOf(s)
	isInterface := types.IsInterface(check.Deref(s.t))
	var rt types.Type
	switch _, isPtr := check.Underlying(s.t).(*types.Pointer); {
	case recv != nil && !isInterface:
		rt = l.receiverParam(s, m)
	case isInterface:
		rt, recv = s.t, s.x
	case !isPtr && check.PointerReceiver(m):
		return fun // of a compiled type: package reflect binds the variable's address
	default:
		rt, recv = s.t, s.x
	}
	sig := l.subst(m.Type()).(*types.Signature)
	params, args := l.forwarded(sig)
	name := check.NodeText(fun)
	if _, isSel := fun.(*ast.SelectorExpr); isSel {
		name = "r." + m.Name()
	} else {
		args = append([]string{"r"}, args...)
	}
	text := "func %s(r " + l.typeSource(rt) + ") func" + l.signature(sig) + " {\n"
	if isInterface {
		text += "if r == nil { " + run.RuntimePkg + ".NilMethod() }\n"
	}
	text += "return func" + params + l.resultsOf(sig) + " { " + returnIf(sig) + name + "(" + strings.Join(args, ", ") +
		dots(sig) + ") }\n}"
	return call(l.helper("bind", l.st.Types.Key(l.subst(rt))+"."+m.Id(), text), recv)
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
func (l *Lowerer) receiverParam(s selected, m *types.Func) types.Type {
	base := check.Deref(s.t)
	if check.PointerReceiver(m) {
		return types.NewPointer(base)
	}
	return base
}

// forwarded spells the parameters of a function that passes them on.
func (l *Lowerer) forwarded(sig *types.Signature) (params string, args []string) {
	var ps []string
	for i := range sig.Params().Len() {
		a := "a" + run.Tick + strconv.Itoa(i)
		t := sig.Params().At(i).Type()
		s := l.spell(t)
		if sl, ok := t.(*types.Slice); ok && sig.Variadic() && i == sig.Params().Len()-1 {
			s = "..." + l.spell(sl.Elem())
		}
		ps, args = append(ps, a+" "+s), append(args, a)
	}
	return "(" + strings.Join(ps, ", ") + ")", args
}

func (l *Lowerer) resultsOf(sig *types.Signature) string {
	var rs []string
	for i := range sig.Results().Len() {
		rs = append(rs, l.spell(sig.Results().At(i).Type()))
	}
	if len(rs) == 0 {
		return ""
	}
	return " (" + strings.Join(rs, ", ") + ")"
}

// methodExpr spells T.M as a function.
func (l *Lowerer) methodExpr(n *ast.SelectorExpr) ast.Expr {
	sel := l.info.Selections[n]
	recv := l.subst(sel.Recv())
	sig := l.subst(sel.Type()).(*types.Signature)
	obj, index, _ := types.LookupFieldOrMethod(recv, true, sel.Obj().Pkg(), sel.Obj().Name())
	s := l.walk(check.Ident("a"+run.Tick+"0"), recv, obj, index)
	fun, first := l.methodOf(s)
	params, args := l.forwarded(sig)
	args = args[1:]
	if first != nil {
		args = append([]string{check.NodeText(first)}, args...)
	}
	return source("func" + params + l.resultsOf(sig) + " { " + returnIf(sig) + check.NodeText(fun) + "(" +
		strings.Join(args, ", ") + dots(sig) + ") }")
}
