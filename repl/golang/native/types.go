package native

import (
	"go/types"

	"github.com/gorocm/gorocm/repl/golang/native/ir"
)

// sizes are those of the processor.
var sizes = types.SizesFor("gc", "amd64")

var basicKinds = map[types.BasicKind]ir.Kind{
	types.Bool: ir.Bool, types.UntypedBool: ir.Bool, types.Int: ir.Int64, types.Int8: ir.Int8, types.Int16: ir.Int16,
	types.Int32: ir.Int32, types.Int64: ir.Int64, types.Uint: ir.Uint64, types.Uint8: ir.Uint8,
	types.Uint16: ir.Uint16, types.Uint32: ir.Uint32, types.Uint64: ir.Uint64, types.Uintptr: ir.Uint64,
	types.Float32: ir.Float32, types.Float64: ir.Float64,
}

// slot is a word of a value of Go, and where it is in memory.
type slot struct {
	kind ir.Kind
	at   int64
}

// maxStruct is how many words a struct or an array may have that is held in values.
const maxStruct = 16

// layout are the words of a value of a type, nil for types that are not compiled.
func layout(t types.Type) (list []slot) {
	one := func(k ir.Kind) []slot { return []slot{{k, 0}} }
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Kind() == types.String || u.Kind() == types.UntypedString {
			return []slot{{ir.Ptr, 0}, {ir.Int64, 8}}
		}
		switch u.Kind() {
		case types.Complex128, types.UntypedComplex:
			return []slot{{ir.Float64, 0}, {ir.Float64, 8}}
		case types.Complex64:
			return []slot{{ir.Float32, 0}, {ir.Float32, 4}}
		}
		if k, ok := basicKinds[u.Kind()]; ok {
			return one(k)
		}
	case *types.Slice:
		if isEmpty(u.Elem()) {
			return nil
		}
		return []slot{{ir.Ptr, 0}, {ir.Int64, 8}, {ir.Int64, 16}}
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		return one(ir.Ptr)
	case *types.Interface:
		if _, isParam := types.Unalias(t).(*types.TypeParam); !isParam {
			return []slot{{ir.Ptr, 0}, {ir.Ptr, 8}}
		}
	case *types.Array:
		e := layout(u.Elem())
		if e == nil || u.Len() > maxStruct {
			return nil
		}
		for i := range u.Len() {
			for _, s := range e {
				list = append(list, slot{s.kind, i*sizes.Sizeof(u.Elem()) + s.at})
			}
		}
	case *types.Struct:
		list = []slot{}
		for i := range u.NumFields() {
			f := layout(u.Field(i).Type())
			if f == nil || u.Field(i).Name() == "_" {
				return nil
			}
			for _, s := range f {
				list = append(list, slot{s.kind, fieldOffset(u, i) + s.at})
			}
		}
	}
	if len(list) > maxStruct {
		return nil
	}
	return list
}

// words are the kinds of the values that a value of Go is, nil for types that are not compiled.
func words(t types.Type) (list []ir.Kind) {
	slots := layout(t)
	if slots != nil {
		list = []ir.Kind{}
	}
	for _, s := range slots {
		list = append(list, s.kind)
	}
	return list
}

// kindOf is the kind of a type of one word, None for any other.
func kindOf(t types.Type) ir.Kind {
	if w := words(t); len(w) == 1 {
		return w[0]
	}
	return ir.None
}

// tupleWords are the words of parameters or results, and of each where its first is.
func tupleWords(t *types.Tuple) (kinds []ir.Kind, first []int, bad types.Type) {
	for i := range t.Len() {
		w := words(t.At(i).Type())
		if w == nil {
			return nil, nil, t.At(i).Type()
		}
		first = append(first, len(kinds))
		kinds = append(kinds, w...)
	}
	return kinds, append(first, len(kinds)), nil
}

// isEmpty reports whether values of a type take no memory.
func isEmpty(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return u.Len() == 0 || isEmpty(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if !isEmpty(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// hasPointers reports whether memory of a type has something that the collector must see.
func hasPointers(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.String || u.Kind() == types.UnsafePointer
	case *types.Array:
		return hasPointers(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if hasPointers(f.Type()) {
				return true
			}
		}
		return false
	}
	return true
}
