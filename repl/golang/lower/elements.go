package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"sync/atomic"
	"weak"

	"github.com/gorocm/gorocm/internal/element"
	"github.com/gorocm/gorocm/repl/golang/check"
	machinecode "github.com/gorocm/gorocm/repl/golang/native"
	"github.com/gorocm/gorocm/repl/golang/native/hip"
)

// The first argument of tensor.Map is a function of numbers. It is lowered as any other, and put together with what is
// compiled of it, and with the values of the variables that it captures, in an element.Function:
//
//	tensor.Map(f, x)    is    tensor.Map(element(f, a, b), x)
//
// What is compiled is ready when the cell has been loaded, before it runs.

const mapName = "github.com/gorocm/gorocm/tensor.Map"

// slotAddress is where a variable of the session is, not valid for what is none.
func (st *elementState) slotAddress(v *types.Var) reflect.Value {
	if s := st.slots.Of(v); s != nil {
		return s.Ptr
	}
	return reflect.Value{}
}

// elements is a function over elements on its way.
type elements struct {
	code     *element.Code
	source   machinecode.Source
	captured []*types.Var
	why      *machinecode.Reason // nothing is compiled
}

// elementState is what a session knows of functions over elements.
type elementState struct {
	slots   *Slots                    // of State
	helpers map[string]*elementHelper // functions of numbers that cells have declared, by name
}

// elementHelper is the newest version of a function, and the device code that was made of it.
type elementHelper struct {
	object *types.Func
	source machinecode.Source
	users  []weak.Pointer[deviceCode]
}

// deviceCode is the device code of a function over elements, which follows the versions of what it calls.
type deviceCode struct {
	source machinecode.Source
	made   atomic.Pointer[madeDevice]
}

type madeDevice struct {
	code *element.Device
	why  *element.Reason
}

// mapped puts the first argument of a call of tensor.Map together with what is compiled of it.
func (l *exprs) mapped(n *ast.CallExpr, p *parts) {
	if l.calleeName(n.Fun) != mapName || len(p.args) == 0 || len(n.Args) != len(p.args) {
		return
	}
	if _, ok := check.Underlying(l.typeOf(n.Args[0])).(*types.Signature); !ok {
		return
	}
	e, used := l.newElements(n.Args[0])
	l.u.elements = append(l.u.elements, e)
	anyType := reflect.TypeFor[any]()
	in := []reflect.Type{anyType}
	args := []ast.Expr{p.args[0]}
	for i, id := range used {
		in = append(in, l.u.st.scope.Inner(e.captured[i].Type()))
		args = append(args, l.expr(id))
	}
	code := e.code
	together := reflect.FuncOf(in, []reflect.Type{anyType}, false)
	function := reflect.MakeFunc(together, func(in []reflect.Value) []reflect.Value {
		f := &element.Function{Func: in[0].Elem(), Code: code}
		for _, v := range in[1:] {
			f.Captured = append(f.Captured, machinecode.WordOf(v))
		}
		return []reflect.Value{reflect.ValueOf(f)}
	})
	p.args[0] = call(l.u.st.rt.Provide("F", function), args...)
}

// newElements looks at the argument of a call: a literal, or the name of a function. It returns the names of captured
// variables too.
func (l *exprs) newElements(x ast.Expr) (e *elements, used []*ast.Ident) {
	x = ast.Unparen(x)
	e = &elements{code: &element.Code{Place: l.placeOf(x.Pos())}}
	none := types.NewSignatureType(nil, nil, nil, nil, nil, false)
	e.source = machinecode.Source{Info: l.info, Fset: l.u.st.scope.Fset, Stack: machinecode.LiteralFn,
		Object: types.NewFunc(x.Pos(), l.u.st.scope.Pkg, "element", none), Variable: l.u.st.elements.slotAddress,
		Packages: l.u.funcs.Packages()}
	refuse := func(format string, args ...any) (*elements, []*ast.Ident) {
		e.why = &machinecode.Reason{What: fmt.Sprintf(format, args...), Pos: x.Pos()}
		return e, nil
	}
	sig := check.Underlying(l.typeOf(x)).(*types.Signature)
	for _, list := range []*types.Tuple{sig.Params(), sig.Results()} {
		for v := range list.Variables() {
			if machinecode.KindOf(v.Type()) == 0 {
				return refuse("it takes or returns a %s",
					types.TypeString(v.Type(), types.RelativeTo(l.u.st.scope.Pkg)))
			}
		}
	}
	switch {
	case l.env != nil:
		return refuse("it is in a generic function")
	case sig.Params().Len() > element.MaxInputs || sig.Results().Len() != 1 || sig.Variadic():
		return refuse("it has other parameters and results than functions over elements")
	}
	switch x := x.(type) {
	case *ast.FuncLit:
		if used, e.why = l.capturedBy(e, x); e.why == nil {
			e.source = machinecode.Elements(e.source, x.Type, x.Body, sig, e.captured)
		}
		return e, used
	case *ast.Ident, *ast.SelectorExpr:
		if f := l.funcNamed(x); f != nil {
			e.source = machinecode.CallingElements(e.source, x, f)
			return e, nil
		}
		return refuse("it is a variable: pass a function literal or the name of a function")
	}
	return refuse("it is neither a function literal nor the name of a function")
}

// funcNamed is the function that a name is of, nil for a variable, a method and a generic function.
func (l *exprs) funcNamed(x ast.Expr) *types.Func {
	id, ok := x.(*ast.Ident)
	if s, isSel := x.(*ast.SelectorExpr); isSel {
		id, ok = s.Sel, l.info.Selections[s] == nil
	}
	if !ok {
		return nil
	}
	f, ok := l.info.Uses[id].(*types.Func)
	if !ok || f.Signature().Recv() != nil || f.Signature().TypeParams() != nil {
		return nil
	}
	return f
}

func (l *exprs) placeOf(pos token.Pos) string {
	at := l.u.st.scope.Fset.Position(pos)
	return fmt.Sprintf("%s, line %d", at.Filename, at.Line)
}

// capturedBy finds the numbers of others that a literal uses: they become parameters. It may not assign to them.
func (l *exprs) capturedBy(e *elements, lit *ast.FuncLit) (used []*ast.Ident, why *machinecode.Reason) {
	seen := map[*types.Var]bool{}
	captures := func(x ast.Expr) *types.Var {
		id, ok := ast.Unparen(x).(*ast.Ident)
		if !ok {
			return nil
		}
		v, ok := l.info.Uses[id].(*types.Var)
		if !ok || v.IsField() || !check.IsSession(v) && v.Parent() == v.Pkg().Scope() ||
			v.Pos() >= lit.Pos() && v.Pos() < lit.End() || machinecode.KindOf(v.Type()) == 0 {
			return nil
		}
		if !seen[v] {
			seen[v] = true
			used, e.captured = append(used, id), append(e.captured, v)
		}
		return v
	}
	assigned := func(x ast.Expr, what string) {
		if v := captures(x); v != nil && why == nil {
			why = &machinecode.Reason{What: fmt.Sprintf("it %s %s, which is not its own", what, v.Name()), Pos: x.Pos()}
		}
	}
	ast.Inspect(lit, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				if n.Tok != token.DEFINE {
					assigned(x, "assigns to")
				}
			}
		case *ast.IncDecStmt:
			assigned(n.X, "assigns to")
		case *ast.RangeStmt:
			if n.Tok == token.ASSIGN {
				assigned(n.Key, "assigns to")
				assigned(n.Value, "assigns to")
			}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				assigned(n.X, "takes the address of")
			}
		case *ast.Ident:
			captures(n)
		}
		return true
	})
	if len(used) > element.MaxCaptured && why == nil {
		why = &machinecode.Reason{What: fmt.Sprintf("it captures %d variables", len(used)), Pos: lit.Pos()}
	}
	if why != nil {
		e.captured, used = nil, nil
	}
	return used, why
}

// elementCompiler makes machine code and device code of functions over elements.
type elementCompiler struct{ *State }

// compile makes machine code and device code of the functions over elements of a cell, which has been loaded,
// and device code once more of those that call a function of which the cell has a newer version.
func (st elementCompiler) compile(u *unit) {
	st.keepHelpers(u)
	for _, e := range u.elements {
		st.compileLoop(e)
		d := &deviceCode{source: e.source}
		if e.why != nil {
			d.made.Store(&madeDevice{why: st.reason(e.why)})
		} else {
			st.makeDevice(d)
		}
		e.code.Device = func() (*element.Device, *element.Reason) {
			m := d.made.Load()
			return m.code, m.why
		}
	}
}

func (st elementCompiler) reason(r *machinecode.Reason) *element.Reason {
	at := st.scope.Fset.Position(r.Pos)
	return &element.Reason{What: r.What, Place: fmt.Sprintf("%s, line %d", at.Filename, at.Line)}
}

// compileLoop makes machine code.
func (st elementCompiler) compileLoop(e *elements) {
	why := e.why
	if st.native == nil {
		why = &machinecode.Reason{What: "there is no machine code here: " + machinecode.Disabled(),
			Pos: e.source.Object.Pos()}
	}
	var p *machinecode.Proc
	if why == nil {
		p, why = st.native.CompileLoop(e.source, len(e.captured))
	}
	if why != nil {
		e.code.NoLoop = st.reason(why)
		return
	}
	st.rt.SetLoop(e.code, p)
}

// keepHelpers notes the functions of numbers that a cell has declared.
func (st elementCompiler) keepHelpers(u *unit) {
	for _, f := range u.ck.Funcs {
		object, _ := f.Info.Defs[f.Syntax.Name].(*types.Func)
		if f.Receiver != "" || len(f.TypeParams) > 0 || f.Syntax.Body == nil || object == nil ||
			!ofNumbers(f.Object.Signature()) {
			continue
		}
		source := machinecode.Source{Syntax: f.Syntax, Info: f.Info, Object: object, Fset: st.scope.Fset,
			Stack: f.StackName(), Variable: st.elements.slotAddress, Packages: u.funcs.Packages()}
		h := &elementHelper{object: f.Object, source: source}
		older := st.elements.helpers[f.Object.Name()]
		st.elements.helpers[f.Object.Name()] = h
		if older == nil || !check.SameUse(older.object, f.Object) {
			continue // callers of the older one stay with it
		}
		for _, u := range older.users {
			if d := u.Value(); d != nil {
				st.makeDevice(d)
			}
		}
	}
}

// helper is what a function of the session stands for: its newest version.
func (st *elementState) helper(f *types.Func) *elementHelper {
	h := st.helpers[f.Name()]
	if h == nil || !check.IsSession(f) || h.object != f && !check.SameUse(f, h.object) {
		return nil
	}
	return h
}

func ofNumbers(sig *types.Signature) bool {
	for _, list := range []*types.Tuple{sig.Params(), sig.Results()} {
		for v := range list.Variables() {
			if machinecode.KindOf(v.Type()) == 0 {
				return false
			}
		}
	}
	return !sig.Variadic()
}

func isGone(p weak.Pointer[deviceCode]) bool { return p.Value() == nil }

// makeDevice makes device code of the newest versions of all functions.
func (st elementCompiler) makeDevice(d *deviceCode) {
	made, why := machinecode.NewDevice(d.source, func(f *types.Func) (machinecode.Source, bool) {
		h := st.elements.helper(f)
		if h == nil {
			return machinecode.Source{}, false
		}
		h.users = append(slices.DeleteFunc(h.users, isGone), weak.Make(d))
		return h.source, true
	})
	if why != nil {
		d.made.Store(&madeDevice{why: st.reason(why)})
		return
	}
	code := &element.Device{Source: made.Text, MayFail: made.MayFail, UsesMath: made.UsesMath, Operation: "tensor.Map"}
	params := d.source.Object.Signature().Params()
	for i := params.Len() - len(d.source.Passed); i < params.Len(); i++ {
		code.Captured = append(code.Captured, hip.Type(machinecode.KindOf(params.At(i).Type())))
	}
	d.made.Store(&madeDevice{code: code})
}
