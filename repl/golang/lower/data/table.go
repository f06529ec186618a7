package data

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/lower/typing"
	"github.com/gorocm/gorocm/repl/modules"
)

// Packages have tables of constants, with thousands of elements. Variables get them without the interpreter, which
// would compile a function to make each of them: nothing that runs before can tell the difference.

// table is the making of a variable's initial value.
type table struct {
	scope *check.Scope
	types *typing.Types
	info  *types.Info
	data  *modules.TableReader // of read
}

// Set gives a variable, which to is, the value of its initialiser, and reports whether it could: of a constant, and of
// a composite literal of constants and of such literals.
func Set(to reflect.Value, p *modules.Checked, init *types.Initializer, scope *check.Scope, ts *typing.Types) bool {
	v := init.Lhs[0]
	t := table{scope: scope, types: ts, info: p.Info}
	data := p.Table(v)
	if data != nil {
		t.data = modules.NewTableReader(data)
		if t.read(to, v.Type()) && t.data.Done() {
			return true
		}
		to.SetZero()
		if p.Restore(init) != nil {
			return false
		}
	}
	if t.fill(to, init.Rhs, v.Type()) {
		return true
	}
	to.SetZero()
	return false
}

// Literal stores what a composite literal of type t gives in a place, and reports whether it is data alone. Where it
// reports false, it may have stored a part.
func Literal(to reflect.Value, n *ast.CompositeLit, t types.Type, info *types.Info, scope *check.Scope,
	ts *typing.Types) bool {
	return (&table{scope: scope, types: ts, info: info}).fillLiteral(to, n, t)
}

// fill stores what an expression gives in a place of type t. Where it reports false, it may have stored a part.
func (b *table) fill(to reflect.Value, x ast.Expr, t types.Type) bool {
	check.Checkpoint(b.scope)
	to = settable(to) // a field of a variable that is the session's
	x = ast.Unparen(x)
	tv := b.info.Types[x]
	if to.Kind() == reflect.Interface {
		return b.fillInterface(to, x, tv)
	}
	if tv.Value != nil {
		return setConstant(to, tv.Value)
	}
	if tv.IsNil() {
		return true
	}
	switch x := x.(type) {
	case *ast.UnaryExpr:
		lit, ok := ast.Unparen(x.X).(*ast.CompositeLit)
		p, isPtr := check.Underlying(t).(*types.Pointer)
		return ok && isPtr && x.Op == token.AND && b.fillPointer(to, lit, p.Elem())
	case *ast.CompositeLit:
		return b.fillLiteral(to, x, t)
	case *ast.CallExpr: // []byte("text"), as of embedded files
		if len(x.Args) == 1 && b.info.Types[x.Fun].IsType() && to.Kind() == reflect.Slice &&
			to.Type().Elem().Kind() == reflect.Uint8 {
			if v := b.info.Types[x.Args[0]].Value; v != nil && v.Kind() == constant.String {
				to.SetBytes([]byte(constant.StringVal(v)))
				return true
			}
		}
	}
	return false
}

// fillInterface stores a constant of a predeclared type, or a list or map of such constants, in an empty interface. It
// may be converted to one before, as in any(5).
func (b *table) fillInterface(to reflect.Value, x ast.Expr, tv types.TypeAndValue) bool {
	for tv.Type != nil && types.IsInterface(tv.Type) {
		call, ok := x.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 || !b.info.Types[call.Fun].IsType() {
			return false // another variable's value
		}
		x = ast.Unparen(call.Args[0])
		tv = b.info.Types[x]
	}
	if tv.IsNil() {
		return true
	}
	if to.NumMethod() > 0 || tv.Type == nil || !isPlain(tv.Type) {
		return false
	}
	v := reflect.New(b.scope.Inner(tv.Type)).Elem()
	if !b.fill(v, x, tv.Type) {
		return false
	}
	to.Set(v)
	return true
}

// isPlain reports whether a type is one of constants, or made of such types, any, slices and maps, without names.
func isPlain(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return t.Info()&types.IsUntyped == 0
	case *types.Interface:
		return t.Empty()
	case *types.Slice:
		return isPlain(t.Elem())
	case *types.Map:
		return isPlain(t.Key()) && isPlain(t.Elem())
	}
	return false
}

// fillPointer stores the address of a new variable that has the value of a literal.
func (b *table) fillPointer(to reflect.Value, x *ast.CompositeLit, t types.Type) bool {
	if to.Kind() != reflect.Pointer {
		return false
	}
	p := reflect.New(to.Type().Elem())
	if p.Type() != to.Type() || !b.fillLiteral(p.Elem(), x, t) {
		return false
	}
	to.Set(p)
	return true
}

func (b *table) fillLiteral(to reflect.Value, x *ast.CompositeLit, t types.Type) bool {
	switch u := check.Underlying(t).(type) {
	case *types.Pointer: // of an element whose type the literal leaves out
		return x.Type == nil && b.fillPointer(to, x, u.Elem())
	case *types.Struct:
		return to.Kind() == reflect.Struct && b.fillStruct(to, x, u, b.types.IsCompiled(t))
	case *types.Array:
		return to.Kind() == reflect.Array && b.fillList(to, x, u.Elem())
	case *types.Slice:
		if to.Kind() != reflect.Slice {
			return false
		}
		n := 0
		modules.Elements(b.info, x, func(i int, _ ast.Expr) bool {
			n = max(n, i+1)
			return true
		})
		to.Set(reflect.MakeSlice(to.Type(), n, n))
		return b.fillList(to, x, u.Elem())
	case *types.Map:
		return to.Kind() == reflect.Map && b.fillMap(to, x, u)
	}
	return false
}

func (b *table) fillList(to reflect.Value, x *ast.CompositeLit, elem types.Type) bool {
	return modules.Elements(b.info, x, func(i int, e ast.Expr) bool { return b.fill(to.Index(i), e, elem) })
}

func (b *table) fillMap(to reflect.Value, x *ast.CompositeLit, t *types.Map) bool {
	m := reflect.MakeMapWithSize(to.Type(), len(x.Elts))
	for _, e := range x.Elts {
		kv := e.(*ast.KeyValueExpr)
		k, v := reflect.New(m.Type().Key()).Elem(), reflect.New(m.Type().Elem()).Elem()
		if !b.fill(k, kv.Key, t.Key()) || !b.fill(v, kv.Value, t.Elem()) || !k.Comparable() {
			return false
		}
		m.SetMapIndex(k, v)
	}
	to.Set(m)
	return true
}

func (b *table) fillStruct(to reflect.Value, x *ast.CompositeLit, t *types.Struct, compiled bool) bool {
	at := map[string]int{}
	for i := range t.NumFields() {
		at[t.Field(i).Name()] = i
	}
	for i, e := range x.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			i, e = at[kv.Key.(*ast.Ident).Name], kv.Value
		}
		if f := b.field(to, t, i, compiled); !f.IsValid() || !b.fill(f, e, t.Field(i).Type()) {
			return false
		}
	}
	return true
}

// field is a field of a struct of type t.
func (b *table) field(to reflect.Value, t *types.Struct, i int, compiled bool) reflect.Value {
	name := t.Field(i).Name()
	if !compiled {
		name = b.scope.World.Field(t, i)
	}
	return to.FieldByName(name)
}

// setConstant stores a constant that is representable in the type of the place.
func setConstant(to reflect.Value, v constant.Value) bool {
	switch to.Kind() {
	case reflect.Bool:
		to.SetBool(constant.BoolVal(v))
	case reflect.String:
		if v.Kind() != constant.String {
			return false
		}
		to.SetString(constant.StringVal(v))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, exact := constant.Int64Val(constant.ToInt(v))
		to.SetInt(n)
		return exact
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		n, exact := constant.Uint64Val(constant.ToInt(v))
		to.SetUint(n)
		return exact
	case reflect.Float32, reflect.Float64:
		f, _ := constant.Float64Val(constant.ToFloat(v))
		to.SetFloat(f)
	default:
		return false
	}
	return true
}
