package lower

import (
	"go/ast"
	"go/types"
	"reflect"
	"strconv"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/machine"
)

// Built-in functions that yaegi lacks or gets wrong are functions made here, for the run-time types of their operands.

// builtinOf is the built-in function that a call calls, nil for any other.
func (l *Lowerer) builtinOf(fun ast.Expr) *types.Builtin {
	switch f := ast.Unparen(fun).(type) {
	case *ast.Ident:
		b, _ := l.info.Uses[f].(*types.Builtin)
		return b
	case *ast.SelectorExpr: // of package unsafe
		b, _ := l.info.Uses[f.Sel].(*types.Builtin)
		return b
	}
	return nil
}

// makeOnce is the name of a function made for one type.
func (e *State) makeOnce(key string, in, out []reflect.Type, f func([]reflect.Value) []reflect.Value) string {
	for _, t := range in {
		key += ":" + strconv.FormatUint(uint64(uintptr(typePointer(t))), 16)
	}
	if n, ok := e.made[key]; ok {
		return n
	}
	e.made[key] = e.rt.Provide("G", reflect.MakeFunc(reflect.FuncOf(in, out, false), f))
	return e.made[key]
}

// unsafeBuiltin lowers a call of a function of package unsafe that is not a constant.
func (l *Lowerer) unsafeBuiltin(name string, n *ast.CallExpr) (ast.Expr, bool) {
	intType, bytePtr := types.Typ[types.Int], types.NewPointer(types.Typ[types.Byte])
	one := func(v any) []reflect.Value { return []reflect.Value{reflect.ValueOf(v)} }
	typ := func(t types.Type) []reflect.Type { return []reflect.Type{l.e.scope.Inner(t)} }
	arg := func(i int, t types.Type) ast.Expr { return l.conversion(n.Args[i], t) }
	switch name {
	case "Sizeof", "Alignof", "Offsetof": // of a type that depends on type parameters
		return l.sizeOf(name, n.Args[0])
	case "Add":
		in := append(typ(types.Typ[types.UnsafePointer]), typ(intType)...)
		f := l.e.makeOnce("unsafe.Add", in, typ(types.Typ[types.UnsafePointer]), func(in []reflect.Value) []reflect.Value {
			return one(addPointer(in[0].UnsafePointer(), in[1].Int()))
		})
		return call(f, arg(0, types.Typ[types.UnsafePointer]), arg(1, intType)), true
	case "String":
		f := l.e.makeOnce("unsafe.String", append(typ(bytePtr), typ(intType)...), typ(types.Typ[types.String]), func(in []reflect.Value) []reflect.Value {
			return one(unsafe.String((*byte)(in[0].UnsafePointer()), in[1].Int()))
		})
		return call(f, arg(0, bytePtr), arg(1, intType)), true
	case "StringData":
		f := l.e.makeOnce("unsafe.StringData", typ(types.Typ[types.String]), typ(bytePtr), func(in []reflect.Value) []reflect.Value {
			return one(unsafe.StringData(in[0].String()))
		})
		return call(f, arg(0, types.Typ[types.String])), true
	case "Slice":
		t := l.typeOf(n)
		elem := l.e.scope.Inner(t).Elem()
		ptr := types.NewPointer(check.Underlying(t).(*types.Slice).Elem())
		f := l.e.makeOnce("unsafe.Slice", append(typ(ptr), typ(intType)...), typ(t), func(in []reflect.Value) []reflect.Value {
			return []reflect.Value{reflect.SliceAt(elem, in[0].UnsafePointer(), int(in[1].Int()))}
		})
		return call(f, arg(0, ptr), arg(1, intType)), true
	case "SliceData":
		t := l.typeOf(n.Args[0])
		elem := l.e.scope.Inner(t).Elem()
		f := l.e.makeOnce("unsafe.SliceData", typ(t), typ(l.typeOf(n)), func(in []reflect.Value) []reflect.Value {
			return []reflect.Value{reflect.NewAt(elem, in[0].UnsafePointer())}
		})
		return call(f, l.expr(n.Args[0])), true
	}
	return nil, false
}

// sizeOf spells the size, alignment or offset that an instance of a generic function has.
func (l *Lowerer) sizeOf(name string, x ast.Expr) (ast.Expr, bool) {
	t := l.e.scope.Inner(l.typeOf(x))
	v := t.Size()
	switch name {
	case "Alignof":
		v = uintptr(t.Align())
	case "Offsetof":
		sel := ast.Unparen(x).(*ast.SelectorExpr)
		s := l.info.Selections[sel]
		v, t = 0, l.e.scope.Inner(l.subst(s.Recv()))
		for _, i := range s.Index() {
			if t.Kind() == reflect.Pointer {
				t = t.Elem()
			}
			v += t.Field(i).Offset
			t = t.Field(i).Type
		}
	}
	return call("uintptr", check.Ident(strconv.FormatUint(uint64(v), 10))), true
}

// clearing is the function that clears a map, with its keys that are not equal to themselves, or a slice.
func (e *State) clearing(t types.Type) string {
	return e.makeOnce("clear", []reflect.Type{e.scope.Inner(t)}, nil, func(in []reflect.Value) []reflect.Value {
		switch {
		case in[0].Kind() == reflect.Map:
			machine.ClearMap(in[0])
		case !in[0].IsNil(): // which reflect does not clear
			in[0].Clear()
		}
		return nil
	})
}

// addPointer adds what a cell asks for, where it may leave the memory that it began in.
//
//go:nocheckptr
func addPointer(p unsafe.Pointer, n int64) unsafe.Pointer { return unsafe.Add(p, n) }
