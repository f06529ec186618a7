// Package layouts tells how values of a type are in memory, and of which words generated code makes them.
package layouts

import (
	"go/types"

	"github.com/gorocm/gorocm/repl/golang/native/ir"
)

// Sizes are those of the processor.
var Sizes = types.SizesFor("gc", "amd64")

// Kinds are the kinds of words that values of basic types are.
var Kinds = map[types.BasicKind]ir.Kind{
	types.Bool: ir.Bool, types.UntypedBool: ir.Bool, types.Int: ir.Int64, types.Int8: ir.Int8, types.Int16: ir.Int16,
	types.Int32: ir.Int32, types.Int64: ir.Int64, types.Uint: ir.Uint64, types.Uint8: ir.Uint8,
	types.Uint16: ir.Uint16, types.Uint32: ir.Uint32, types.Uint64: ir.Uint64, types.Uintptr: ir.Uint64,
	types.Float32: ir.Float32, types.Float64: ir.Float64,
}

// Slot is a word of a value of Go, and where it is in memory.
type Slot struct {
	Kind ir.Kind
	At   int64
}

// maxStruct is how many words a struct or an array may have that is held in values.
const maxStruct = 16

// Layout are the words of a value of a type, nil for types that are not compiled.
func Layout(t types.Type) (list []Slot) {
	one := func(k ir.Kind) []Slot { return []Slot{{k, 0}} }
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Kind() == types.String || u.Kind() == types.UntypedString {
			return []Slot{{ir.Ptr, 0}, {ir.Int64, 8}}
		}
		switch u.Kind() {
		case types.Complex128, types.UntypedComplex:
			return []Slot{{ir.Float64, 0}, {ir.Float64, 8}}
		case types.Complex64:
			return []Slot{{ir.Float32, 0}, {ir.Float32, 4}}
		}
		if k, ok := Kinds[u.Kind()]; ok {
			return one(k)
		}
	case *types.Slice:
		if IsEmpty(u.Elem()) {
			return nil
		}
		return []Slot{{ir.Ptr, 0}, {ir.Int64, 8}, {ir.Int64, 16}}
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		return one(ir.Ptr)
	case *types.Interface:
		if _, isParam := types.Unalias(t).(*types.TypeParam); !isParam {
			return []Slot{{ir.Ptr, 0}, {ir.Ptr, 8}}
		}
	case *types.Array:
		e := Layout(u.Elem())
		if e == nil || u.Len() > maxStruct {
			return nil
		}
		for i := range u.Len() {
			for _, s := range e {
				list = append(list, Slot{s.Kind, i*Sizes.Sizeof(u.Elem()) + s.At})
			}
		}
	case *types.Struct:
		list = []Slot{}
		for i := range u.NumFields() {
			f := Layout(u.Field(i).Type())
			if f == nil || u.Field(i).Name() == "_" {
				return nil
			}
			for _, s := range f {
				list = append(list, Slot{s.Kind, FieldOffset(u, i) + s.At})
			}
		}
	}
	if len(list) > maxStruct {
		return nil
	}
	return list
}

// Words are the kinds of the values that a value of Go is, nil for types that are not compiled.
func Words(t types.Type) (list []ir.Kind) {
	slots := Layout(t)
	if slots != nil {
		list = []ir.Kind{}
	}
	for _, s := range slots {
		list = append(list, s.Kind)
	}
	return list
}

// KindOf is the kind of a type of one word, None for any other.
func KindOf(t types.Type) ir.Kind {
	if w := Words(t); len(w) == 1 {
		return w[0]
	}
	return ir.None
}

// TupleWords are the words of parameters or results, and of each where its first is.
func TupleWords(t *types.Tuple) (kinds []ir.Kind, first []int, bad types.Type) {
	for i := range t.Len() {
		w := Words(t.At(i).Type())
		if w == nil {
			return nil, nil, t.At(i).Type()
		}
		first = append(first, len(kinds))
		kinds = append(kinds, w...)
	}
	return kinds, append(first, len(kinds)), nil
}

// IsEmpty reports whether values of a type take no memory.
func IsEmpty(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return u.Len() == 0 || IsEmpty(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if !IsEmpty(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// HasPointers reports whether memory of a type has something that the collector must see.
func HasPointers(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.String || u.Kind() == types.UnsafePointer
	case *types.Array:
		return HasPointers(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if HasPointers(f.Type()) {
				return true
			}
		}
		return false
	}
	return true
}

// IsComplex reports whether a type is one of complex numbers.
func IsComplex(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsComplex != 0
}

// IsString reports whether a type is one of strings.
func IsString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// FieldOffset is where a field of a struct is, in bytes.
func FieldOffset(st *types.Struct, field int) int64 {
	var fields []*types.Var
	for f := range st.Fields() {
		fields = append(fields, f)
	}
	return Sizes.Offsetsof(fields)[field]
}
