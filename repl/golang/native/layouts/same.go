package layouts

import (
	"go/types"
	"reflect"

	"github.com/gorocm/gorocm/repl/golang/native/ir"
)

var kindsOfReflect = map[reflect.Kind]ir.Kind{reflect.Bool: ir.Bool, reflect.Int: ir.Int64, reflect.Int8: ir.Int8,
	reflect.Int16: ir.Int16, reflect.Int32: ir.Int32, reflect.Int64: ir.Int64, reflect.Uint: ir.Uint64,
	reflect.Uint8: ir.Uint8, reflect.Uint16: ir.Uint16, reflect.Uint32: ir.Uint32, reflect.Uint64: ir.Uint64,
	reflect.Uintptr: ir.Uint64, reflect.Float32: ir.Float32, reflect.Float64: ir.Float64}

// Same returns a part of a type that is in memory otherwise than the run-time type says, nil for none. Parts that
// are not compiled are not looked at, but for their Sizes.
func Same(t types.Type, r reflect.Type) types.Type {
	return compareLayouts(t, r, map[types.Type]bool{})
}

func compareLayouts(t types.Type, r reflect.Type, seen map[types.Type]bool) types.Type {
	if r == nil || uintptr(Sizes.Sizeof(t)) != r.Size() {
		return t
	}
	if seen[t] {
		return nil
	}
	seen[t] = true
	bad := func(same bool) types.Type {
		if same {
			return nil
		}
		return t
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Kind() == types.String {
			return bad(r.Kind() == reflect.String)
		}
		if IsComplex(u) {
			return bad(r.Kind() == reflect.Complex64 || r.Kind() == reflect.Complex128)
		}
		k, known := Kinds[u.Kind()]
		return bad(!known || kindsOfReflect[r.Kind()] == k)
	case *types.Slice:
		if r.Kind() != reflect.Slice {
			return t
		}
		return compareLayouts(u.Elem(), r.Elem(), seen)
	case *types.Array:
		if r.Kind() != reflect.Array {
			return t
		}
		return compareLayouts(u.Elem(), r.Elem(), seen)
	case *types.Pointer:
		if r.Kind() != reflect.Pointer {
			return t
		}
		return compareLayouts(u.Elem(), r.Elem(), seen)
	case *types.Map:
		return bad(r.Kind() == reflect.Map)
	case *types.Chan:
		return bad(r.Kind() == reflect.Chan)
	case *types.Signature:
		return compareFunctions(u, r, seen)
	case *types.Interface:
		return bad(r.Kind() == reflect.Interface)
	case *types.Struct:
		if r.Kind() != reflect.Struct || r.NumField() != u.NumFields() {
			return t
		}
		for i := range u.NumFields() {
			if uintptr(FieldOffset(u, i)) != r.Field(i).Offset {
				return t
			}
			if b := compareLayouts(u.Field(i).Type(), r.Field(i).Type, seen); b != nil {
				return b
			}
		}
	}
	return nil
}

// compareFunctions compares the parameters and results of functions.
func compareFunctions(sig *types.Signature, r reflect.Type, seen map[types.Type]bool) types.Type {
	if r.Kind() != reflect.Func || r.IsVariadic() != sig.Variadic() || r.NumIn() != sig.Params().Len() ||
		r.NumOut() != sig.Results().Len() {
		return sig
	}
	for i := range r.NumIn() {
		if bad := compareLayouts(sig.Params().At(i).Type(), r.In(i), seen); bad != nil {
			return bad
		}
	}
	for i := range r.NumOut() {
		if bad := compareLayouts(sig.Results().At(i).Type(), r.Out(i), seen); bad != nil {
			return bad
		}
	}
	return nil
}
