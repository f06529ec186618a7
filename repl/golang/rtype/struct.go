package rtype

import (
	"go/types"
	"reflect"
	"strconv"
	"unsafe"
)

// Field returns the name of field i in Inner(s): the field's own, or for a blank field one that no other field has.
func (w *World) Field(s *types.Struct, i int) string { return fieldName(s, i) }

func fieldName(s *types.Struct, i int) string {
	name := s.Field(i).Name()
	if name != "_" {
		return name
	}
	name += strconv.Itoa(i)
	for taken(s, name) {
		name += "_"
	}
	return name
}

func taken(s *types.Struct, name string) bool {
	for f := range s.Fields() {
		if f.Name() == name {
			return true
		}
	}
	return false
}

// plain reports whether reflect.StructOf can make a form of s, so that it is identical with what a compiler makes.
func plain(s *types.Struct, f form) bool {
	for v := range s.Fields() {
		if !v.Exported() || f != inner && v.Embedded() {
			return false
		}
	}
	return true
}

func (w *World) unnamedStruct(t *types.Struct, e *entry, f form) reflect.Type {
	if plain(t, f) {
		fields := make([]reflect.StructField, t.NumFields())
		for i := range fields {
			fields[i] = reflect.StructField{
				Name: t.Field(i).Name(),
				Type: w.typ(t.Field(i).Type(), f),
				Tag:  reflect.StructTag(t.Tag(i)),
			}
		}
		return reflect.StructOf(fields)
	}
	if f != inner {
		return w.outerStruct(t, e)
	}
	key := w.innerKey(t)
	if r, ok := w.structs[key]; ok {
		return r
	}
	s := newShell(blueprint{like: w.standIn(t), text: w.innerText(t)})
	e.forms[inner] = s.typ()
	w.structs[key] = s.typ()
	w.fillStruct(s, t, inner)
	return s.typ()
}

// fillStruct gives s, a copy of t's stand-in, the fields of a form of t.
func (w *World) fillStruct(s shell, t *types.Struct, f form) {
	s.compare(types.Comparable(t))
	like := w.standIn(t)
	fields := make([]field, t.NumFields())
	for i := range fields {
		v := t.Field(i)
		name, flags := v.Name(), exportedFlag(v.Name())
		if v.Embedded() {
			flags |= nameEmbedded
		}
		if f == inner {
			name, flags = fieldName(t, i), nameExported
		}
		r := w.partOf(v, f)
		fields[i] = field{newName(name, t.Tag(i), "", flags), descriptor(r), like.Field(i).Offset}
	}
	st := (*structType)(unsafe.Pointer(s.header))
	st.fields = fields
	st.pkgPath = nil
	for v := range t.Fields() {
		if f != inner && !v.Exported() {
			st.pkgPath = newName(v.Pkg().Path(), "", "", 0)
			break
		}
	}
}

// partOf returns the type of a field.
func (w *World) partOf(v *types.Var, f form) reflect.Type {
	if f == inner && v.Name() == "_" {
		return w.blank(v.Type())
	}
	return w.typ(v.Type(), f)
}

// blank returns the type of a blank field in an Inner struct, where it cannot be called _, for nobody could tell two of
// them apart: struct{ _ T }, which the runtime leaves out of equality and hashes as it leaves out the field of the
// Outer struct.
func (w *World) blank(t types.Type) reflect.Type {
	if r, ok := w.blanks.At(t).(reflect.Type); ok {
		return r
	}
	st := types.NewStruct([]*types.Var{types.NewField(0, nil, "_", t, false)}, nil)
	like := w.standIn(st)
	s := newShell(blueprint{like: like, text: "struct { _ " + w.innerText(t) + " }"})
	w.blanks.Set(t, s.typ())
	s.compare(types.Comparable(t))
	(*structType)(unsafe.Pointer(s.header)).fields = []field{{newName("_", "", "", 0), descriptor(w.typ(t, inner)), 0}}
	return s.typ()
}
