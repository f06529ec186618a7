package data

import (
	"go/types"
	"reflect"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/modules"
)

// Long tables are not in the syntax of a package: their values are in its record (modules.Checked.Table).

// read stores the value of a table in a place of type t. Where it reports false, it may have stored a part.
func (b *table) read(to reflect.Value, t types.Type) bool {
	if !to.CanSet() {
		to = settable(to)
	}
	switch k := b.data.Kind(); k {
	case modules.TableNil:
		return to.Kind() != reflect.Interface
	case modules.TableFalse, modules.TableTrue:
		if to.Kind() != reflect.Bool {
			return false
		}
		to.SetBool(k == modules.TableTrue)
	case modules.TableInt:
		return to.CanInt() && b.setInt(to)
	case modules.TableUint:
		return to.CanUint() && b.setUint(to)
	case modules.TableFloat:
		if !to.CanFloat() {
			return false
		}
		to.SetFloat(b.data.Float())
	case modules.TableString:
		if to.Kind() != reflect.String {
			return false
		}
		to.SetString(string(b.data.Bytes()))
	case modules.TableBytes:
		if to.Kind() != reflect.Slice || to.Type().Elem().Kind() != reflect.Uint8 {
			return false
		}
		to.SetBytes([]byte(string(b.data.Bytes())))
	case modules.TablePointer:
		return b.readPointer(to, t)
	default:
		return b.readLiteral(to, t, k)
	}
	return !b.data.Failed()
}

func (b *table) setInt(to reflect.Value) bool {
	n := b.data.Int()
	to.SetInt(n)
	return to.Int() == n
}

func (b *table) setUint(to reflect.Value) bool {
	n := b.data.Uint()
	to.SetUint(n)
	return to.Uint() == n
}

func (b *table) readPointer(to reflect.Value, t types.Type) bool {
	u, ok := check.Underlying(t).(*types.Pointer)
	if !ok || to.Kind() != reflect.Pointer {
		return false
	}
	p := reflect.New(to.Type().Elem())
	if p.Type() != to.Type() || !b.readLiteral(p.Elem(), u.Elem(), b.data.Kind()) {
		return false
	}
	to.Set(p)
	return true
}

// readLiteral reads what follows the kind of a list, struct or map.
func (b *table) readLiteral(to reflect.Value, t types.Type, kind byte) bool {
	switch u := check.Underlying(t).(type) {
	case *types.Struct:
		return kind == modules.TableStruct && to.Kind() == reflect.Struct &&
			b.readStruct(to, u, b.types.IsCompiled(t))
	case *types.Array:
		n := b.data.Len()
		return to.Kind() == reflect.Array && n == to.Len() && b.readList(to, u.Elem(), kind)
	case *types.Slice:
		n := b.data.Len()
		if to.Kind() != reflect.Slice || b.data.Failed() {
			return false
		}
		to.Set(reflect.MakeSlice(to.Type(), n, n))
		return b.readList(to, u.Elem(), kind)
	case *types.Map:
		return kind == modules.TableMap && to.Kind() == reflect.Map && b.readMap(to, u)
	}
	return false
}

// readList reads the elements of a list that has its length.
func (b *table) readList(to reflect.Value, elem types.Type, kind byte) bool {
	switch kind {
	case modules.TableNumbers:
		return b.readNumbers(to)
	case modules.TableRaw:
		return to.Type().Elem().Kind() == reflect.Uint8 && copy(to.Bytes(), b.data.Raw(to.Len())) == to.Len()
	case modules.TableList:
		for range b.data.Len() {
			i := b.data.Len()
			if b.data.Failed() || i >= to.Len() || !b.read(to.Index(i), elem) {
				return false
			}
		}
		return !b.data.Failed()
	}
	return false
}

// readNumbers reads as many integers as a list is long.
func (b *table) readNumbers(to reflect.Value) bool {
	if to.Len() == 0 {
		return true
	}
	set := b.setInt
	if to.Index(0).CanUint() {
		set = b.setUint
	} else if !to.Index(0).CanInt() {
		return false
	}
	for i := range to.Len() {
		if !set(to.Index(i)) || b.data.Failed() {
			return false
		}
	}
	return true
}

func (b *table) readMap(to reflect.Value, t *types.Map) bool {
	n := b.data.Len()
	m := reflect.MakeMap(to.Type())
	for range n {
		k, v := reflect.New(m.Type().Key()).Elem(), reflect.New(m.Type().Elem()).Elem()
		if !b.read(k, t.Key()) || !b.read(v, t.Elem()) {
			return false
		}
		m.SetMapIndex(k, v)
	}
	to.Set(m)
	return !b.data.Failed()
}

func (b *table) readStruct(to reflect.Value, t *types.Struct, compiled bool) bool {
	for range b.data.Len() {
		i := b.data.Len()
		if b.data.Failed() || i >= t.NumFields() {
			return false
		}
		if f := b.field(to, t, i, compiled); !f.IsValid() || !b.read(f, t.Field(i).Type()) {
			return false
		}
	}
	return !b.data.Failed()
}
