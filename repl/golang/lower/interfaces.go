package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"runtime"
	"strconv"
	"sync/atomic"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/rtype"
	"github.com/gorocm/gorocm/repl/golang/run"
)

// Interpreted code knows no names of types; a value gets its own when it becomes an interface, and loses it when an
// assertion takes it out. Both are calls of functions that are made here, one for each pair of types.

// convert lowers an expression that is assigned to a type.
func (l *Lowerer) convert(x ast.Expr, to types.Type) ast.Expr {
	return l.converted(l.expr(x), l.typeOf(x), to)
}

// converted is convert of a lowered expression.
func (l *Lowerer) converted(r ast.Expr, from, to types.Type) ast.Expr {
	if from == nil || to == nil {
		return r
	}
	from, to = types.Unalias(l.subst(from)), types.Unalias(l.subst(to))
	if _, ok := from.(*types.Tuple); ok {
		return r
	}
	b, isBasic := from.(*types.Basic)
	if isBasic && b.Kind() == types.UntypedNil {
		if it, ok := to.Underlying().(*types.Interface); ok && !it.Empty() { // nil alone makes yaegi panic
			return &ast.CallExpr{Fun: l.typeExpr(to), Args: []ast.Expr{check.Ident("nil")}}
		}
		// nor does it know the nil of a recursive type
		if _, isFunc := to.Underlying().(*types.Signature); isFunc && l.st.scope.Inner(to).PkgPath() != "" {
			t := l.typeSource(to)
			return call(l.helper("nil", t, "func %s() "+t+" {\nvar f "+t+"\nreturn f\n}"))
		}
		return r
	}
	if types.IsInterface(from) {
		return r
	}
	if types.IsInterface(to) {
		from = types.Default(from)
		l.reach(from)
		_, isFunc := from.Underlying().(*types.Signature)
		if l.st.scope.Inner(from) == l.st.scope.Outer(from) && !isFunc {
			switch r.(type) {
			case *ast.BinaryExpr, *ast.UnaryExpr: // yaegi would store the result in the interface variable
				return &ast.ParenExpr{X: r}
			case *ast.CallExpr: // as it would that of a built-in function
				if id, ok := r.(*ast.CallExpr).Fun.(*ast.Ident); ok &&
					(id.Name == "len" || id.Name == "cap" || id.Name == "copy") {
					return call("int", r)
				}
			}
			return r
		}
		return call(l.boxing(from, to), r)
	}
	if isBasic && b.Info()&types.IsUntyped != 0 || types.Identical(from, to) || l.st.Types.IsCompiled(from) ||
		l.st.Types.IsCompiled(to) {
		return r
	}
	if a, b := l.st.scope.Inner(from), l.st.scope.Inner(to); a != b {
		return call(l.st.retyping(a, b), r)
	}
	return r
}

// boxing is the function that makes an interface of a value.
func (l *Lowerer) boxing(from, to types.Type) string {
	e := l.st
	key := "box:" + e.Types.Key(from) + ">" + e.Types.Key(to)
	if n, ok := e.helpers[key]; ok {
		return n
	}
	b, iface := e.box(from), e.scope.Outer(to)
	e.helpers[key] = e.rt.Provide("B", reflect.MakeFunc(reflect.FuncOf([]reflect.Type{e.scope.Inner(from)},
		[]reflect.Type{iface}, false), func(in []reflect.Value) []reflect.Value {
		r := reflect.New(iface).Elem()
		r.Set(rtype.Retype(in[0], *b.outer.Load()))
		return []reflect.Value{r}
	}))
	return e.helpers[key]
}

// box is what an interface holds values of a type as: the newest version of its Outer form.
type box struct {
	t     types.Type
	outer atomic.Pointer[reflect.Type]
}

func (st *State) box(t types.Type) *box {
	key := st.Types.Key(t)
	b := st.boxes[key]
	if b == nil {
		b = &box{t: t}
		st.boxes[key] = b
		outer := st.scope.Outer(t)
		b.outer.Store(&outer)
	}
	return b
}

// MethodsChanged says that a type has got a method, or has it no longer. Functions that were compiled before make
// interfaces of its values that have the method from now on.
func (st *State) MethodsChanged(t *types.Named) {
	st.scope.World.Changed(t)
	for _, b := range st.boxes {
		if outer := st.scope.Outer(b.t); outer != *b.outer.Load() {
			b.outer.Store(&outer)
		}
	}
}

// retyping is the function that gives a value another type of the same layout.
func (st *State) retyping(from, to reflect.Type) string {
	key := [2]reflect.Type{from, to}
	if n, ok := st.retypes[key]; ok {
		return n
	}
	st.retypes[key] = st.rt.Provide("R",
		reflect.MakeFunc(reflect.FuncOf([]reflect.Type{from}, []reflect.Type{to}, false),
			func(in []reflect.Value) []reflect.Value {
				return []reflect.Value{rtype.Retype(in[0], to)}
			}))
	return st.retypes[key]
}

// converting is the function that converts a value as package reflect does.
func (st *State) converting(from, to reflect.Type) string {
	key := [2]reflect.Type{from, to}
	if n, ok := st.converts[key]; ok {
		return n
	}
	array := arrayLen(from, to)
	st.converts[key] = st.rt.Provide("C",
		reflect.MakeFunc(reflect.FuncOf([]reflect.Type{from}, []reflect.Type{to}, false),
			func(in []reflect.Value) []reflect.Value {
				switch {
				case from.Kind() == reflect.UnsafePointer && to.Kind() == reflect.Pointer:
					return []reflect.Value{reflect.NewAt(to.Elem(), in[0].UnsafePointer())}
				case from.Kind() == reflect.UnsafePointer && to.Kind() == reflect.Uintptr:
					return []reflect.Value{reflect.ValueOf(uintptr(in[0].UnsafePointer()))}
				case from.Kind() == reflect.Pointer && to.Kind() == reflect.UnsafePointer:
					return []reflect.Value{reflect.ValueOf(in[0].UnsafePointer())}
				case from == to: // &*p
					_ = *(*byte)(in[0].UnsafePointer()) // panics where it is nil
					return in
				case from.Kind() == reflect.Pointer && to.Kind() == reflect.Slice: // of all elements of the array
					_ = *(*byte)(in[0].UnsafePointer()) // panics where it is nil
					return []reflect.Value{in[0].Elem().Slice(0, in[0].Type().Elem().Len())}
				case from.Kind() == reflect.Uintptr && to.Kind() == reflect.UnsafePointer:
					return []reflect.Value{reflect.ValueOf(pointerOf(uintptr(in[0].Uint())))}
				}
				if array > 0 && in[0].Len() < array {
					panic(run.ShortArray(in[0].Len(), array))
				}
				if !from.ConvertibleTo(to) { // structs with fields of recursive types
					return []reflect.Value{rtype.Retype(in[0], to)}
				}
				return []reflect.Value{in[0].Convert(to)}
			}))
	return st.converts[key]
}

// arrayLen is the length of the array that a conversion from a slice makes, or points to; 0 for any other.
func arrayLen(from, to reflect.Type) int {
	if from.Kind() != reflect.Slice {
		return 0
	}
	if to.Kind() == reflect.Pointer {
		to = to.Elem()
	}
	if to.Kind() == reflect.Array {
		return to.Len()
	}
	return 0
}

// pointerOf is what a cell asks for that computes an address; the vet check against it is meant for other code.
func pointerOf(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

// raw is the function that passes a value of interpreted code to a compiled function that takes anything; unraw takes
// one back.
func (l *Lowerer) raw(t types.Type) string {
	in, anyType := l.st.scope.Inner(l.subst(t)), reflect.TypeFor[any]()
	key := [2]reflect.Type{in, anyType}
	if n, ok := l.st.converts[key]; ok {
		return n
	}
	l.st.converts[key] = l.st.rt.Provide("C",
		reflect.MakeFunc(reflect.FuncOf([]reflect.Type{in}, []reflect.Type{anyType}, false),
			func(in []reflect.Value) []reflect.Value {
				r := reflect.New(anyType).Elem()
				if in[0].Kind() != reflect.Interface || !in[0].IsNil() {
					r.Set(in[0])
				}
				return []reflect.Value{r}
			}))
	return l.st.converts[key]
}

func (l *Lowerer) unraw(t types.Type) string {
	out, anyType := l.st.scope.Inner(l.subst(t)), reflect.TypeFor[any]()
	key := [2]reflect.Type{anyType, out}
	if n, ok := l.st.converts[key]; ok {
		return n
	}
	l.st.converts[key] = l.st.rt.Provide("C",
		reflect.MakeFunc(reflect.FuncOf([]reflect.Type{anyType}, []reflect.Type{out}, false),
			func(in []reflect.Value) []reflect.Value {
				r := reflect.New(out).Elem()
				if !in[0].IsNil() {
					r.Set(in[0].Elem())
				}
				return []reflect.Value{r}
			}))
	return l.st.converts[key]
}

// assertionError is the runtime's own error.
func assertionError(iface, concrete, asserted reflect.Type) error {
	missing := ""
	if asserted.Kind() == reflect.Interface && concrete != nil {
		for i := range asserted.NumMethod() {
			m := asserted.Method(i)
			if has, ok := concrete.MethodByName(m.Name); !ok || has.Type.NumIn() == 0 {
				missing = m.Name
				break
			}
		}
		if missing == "" {
			missing = asserted.Method(0).Name
		}
	}
	e := struct {
		iface, concrete, asserted unsafe.Pointer
		missing                   string
	}{missing: missing, iface: typePointer(iface), concrete: typePointer(concrete), asserted: typePointer(asserted)}
	return (*runtime.TypeAssertionError)(unsafe.Pointer(&e))
}

func typePointer(t reflect.Type) unsafe.Pointer {
	if t == nil {
		return nil
	}
	return reflect.ValueOf(t).UnsafePointer()
}

// dynamic is a type that an interface value may have.
type dynamic struct {
	e            *State
	static       types.Type
	inner, outer reflect.Type
	isInterface  bool
}

func (l *Lowerer) dynamic(t types.Type) *dynamic {
	t = l.subst(t)
	l.reach(t)
	return &dynamic{l.st, t, l.st.scope.Inner(t), l.st.scope.Outer(t), types.IsInterface(t)}
}

// matches reports whether a value of a run-time type satisfies the assertion.
func (t *dynamic) matches(r reflect.Type) bool {
	switch {
	case r == nil:
		return false
	case t.isInterface:
		return rtype.Implements(r, t.outer)
	case r == t.outer:
		return true
	}
	// A type that has got methods since then is the same type.
	s := t.e.scope.World.Static(r)
	return s != nil && types.Identical(s, t.static)
}

// take returns a value that matches, as interpreted code has it.
func (t *dynamic) take(v any) reflect.Value {
	if t.isInterface {
		r := reflect.New(t.inner).Elem()
		r.Set(reflect.ValueOf(v))
		return r
	}
	return rtype.Retype(reflect.ValueOf(v), t.inner)
}

// assertion is the function of an assertion from one type to another; commaOk says which of the two forms it has.
func (l *Lowerer) assertion(from, to types.Type, commaOk bool) string {
	e := l.st
	to, from = l.subst(to), l.subst(from)
	t := l.dynamic(to)
	key := "assert:" + e.Types.Key(to)
	if commaOk {
		key = "ok" + key
	} else {
		key += "<" + e.Types.Key(from)
	}
	if n, ok := e.helpers[key]; ok && e.boxed[key] == t.outer {
		return n
	}
	e.boxed[key] = t.outer
	anyType := reflect.TypeFor[any]()
	if commaOk {
		zero := reflect.Zero(t.inner)
		f := reflect.FuncOf([]reflect.Type{anyType}, []reflect.Type{t.inner, reflect.TypeFor[bool]()}, false)
		e.helpers[key] = e.rt.Provide("A", reflect.MakeFunc(f, func(in []reflect.Value) []reflect.Value {
			v := in[0].Interface()
			if !t.matches(reflect.TypeOf(v)) {
				return []reflect.Value{zero, reflect.ValueOf(false)}
			}
			return []reflect.Value{t.take(v), reflect.ValueOf(true)}
		}))
		return e.helpers[key]
	}
	iface := e.scope.Outer(from)
	if types.IsInterface(to) { // of which the runtime says no more
		iface = nil
	}
	f := reflect.FuncOf([]reflect.Type{anyType}, []reflect.Type{t.inner}, false)
	e.helpers[key] = e.rt.Provide("A", reflect.MakeFunc(f, func(in []reflect.Value) []reflect.Value {
		v := in[0].Interface()
		if r := reflect.TypeOf(v); !t.matches(r) {
			panic(assertionError(iface, r, t.outer))
		}
		return []reflect.Value{t.take(v)}
	}))
	return e.helpers[key]
}

func (l *Lowerer) assert(n *ast.TypeAssertExpr) ast.Expr {
	_, commaOk := l.typeOf(n).(*types.Tuple)
	return call(l.assertion(l.typeOf(n.X), l.typeOf(n.Type), commaOk), l.expr(n.X))
}

// comparison lowers == and != between an interface and something else.
func (l *Lowerer) comparison(n *ast.BinaryExpr) (ast.Expr, bool) {
	x, y := l.typeOf(n.X), l.typeOf(n.Y)
	if x == nil || y == nil || types.IsInterface(x) == types.IsInterface(y) || isNil(x) || isNil(y) {
		return nil, false
	}
	anyType := types.Universe.Lookup("any").Type()
	var r ast.Expr = call(run.RuntimePkg+".Same", l.convert(n.X, anyType), l.convert(n.Y, anyType))
	if n.Op == token.NEQ {
		r = &ast.UnaryExpr{Op: token.NOT, X: r}
	}
	return r, true
}

func isNil(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Kind() == types.UntypedNil
}

// inBlock puts statements into a block behind an init statement.
func (l *Lowerer) inBlock(init ast.Stmt, list ...ast.Stmt) ast.Stmt {
	if init != nil {
		s := l.stmt(init)
		if b, ok := s.(*ast.BlockStmt); ok && b.Lbrace == flattened {
			list = append(append([]ast.Stmt(nil), b.List...), list...)
		} else {
			list = append([]ast.Stmt{s}, list...)
		}
	}
	r := &ast.BlockStmt{Lbrace: 1, Rbrace: 1}
	for _, s := range list {
		if b, ok := s.(*ast.BlockStmt); ok && b.Lbrace == flattened {
			r.List = append(r.List, b.List...)
		} else {
			r.List = append(r.List, s)
		}
	}
	return r
}

// typeSwitch lowers a type switch:
//
//	x := v
//	switch choose(x) {
//	case 0: v := assert(x); …
//	case 1: v := x; …
//	}
func (l *Lowerer) typeSwitch(n *ast.TypeSwitchStmt) ast.Stmt {
	defer l.scoped()()
	hooks := l.initHooks(n.Init)
	var x ast.Expr
	name := ""
	switch a := n.Assign.(type) {
	case *ast.AssignStmt:
		name = a.Lhs[0].(*ast.Ident).Name
		x = a.Rhs[0]
	case *ast.ExprStmt:
		x = a.X
	}
	operand := ast.Unparen(x).(*ast.TypeAssertExpr).X
	from := l.typeOf(operand)
	v := check.Ident(l.fresh("x"))
	var clauses [][]*dynamic // a nil target is case nil
	other := -1
	body := &ast.BlockStmt{Lbrace: 1, Rbrace: 1}
	for i, c := range n.Body.List {
		c := c.(*ast.CaseClause)
		var ts []*dynamic
		for _, x := range c.List {
			if l.info.Types[x].IsNil() {
				ts = append(ts, nil)
			} else {
				ts = append(ts, l.dynamic(l.info.Types[x].Type))
			}
		}
		clauses = append(clauses, ts)
		if c.List == nil {
			other = i
		}
		r := &ast.CaseClause{Case: 1, List: []ast.Expr{&ast.BasicLit{Kind: token.INT, Value: strconv.Itoa(i)}}}
		var declare func() []ast.Stmt
		if name != "" && name != "_" && l.info.Implicits[c] != nil && uses(l.info, c.Body, l.info.Implicits[c]) {
			var value ast.Expr = v
			if len(ts) == 1 && ts[0] != nil {
				value = call(l.assertion(from, ts[0].static, false), v)
			}
			r.Body = append(r.Body, &ast.AssignStmt{Lhs: []ast.Expr{check.Ident(l.local(l.info.Implicits[c]))},
				Tok: token.DEFINE, Rhs: []ast.Expr{value}})
			declare = func() []ast.Stmt { return l.variableHook(l.info.Implicits[c].(*types.Var), c.Pos()) }
		}
		r.Body = append(r.Body, l.clause(c.Body, declare)...)
		body.List = append(body.List, r)
	}
	choose := l.st.rt.Provide("S", reflect.ValueOf(func(v any) int {
		r := reflect.TypeOf(v)
		for i, ts := range clauses {
			for _, t := range ts {
				if t == nil && r == nil || t != nil && t.matches(r) {
					return i
				}
			}
		}
		return other
	}))
	return l.inBlock(n.Init, append(hooks, l.varStmt(v, from),
		&ast.AssignStmt{Lhs: []ast.Expr{v}, Tok: token.ASSIGN, Rhs: []ast.Expr{l.expr(operand)}},
		&ast.SwitchStmt{Tag: call(choose, v), Body: body})...)
}

func uses(info *types.Info, list []ast.Stmt, o types.Object) bool {
	r := false
	for _, s := range list {
		ast.Inspect(s, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && info.Uses[id] == o {
				r = true
			}
			return !r
		})
	}
	return r
}
