package checkpoint

import (
	"encoding"
	"encoding/gob"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/gorocm/gorocm/internal/keep"
	"github.com/gorocm/gorocm/tensor"
)

var (
	tensorType = reflect.TypeFor[*tensor.Tensor]()
	deviceType = reflect.TypeFor[*tensor.Device]()
)

// table numbers types: those of the variables in their order, and their parts.
type table struct {
	list  []reflect.Type
	index map[reflect.Type]int
}

func (ts *table) add(t reflect.Type) {
	if _, ok := ts.index[t]; ok {
		return
	}
	ts.index[t] = len(ts.list)
	ts.list = append(ts.list, t)
	if t == tensorType || t == deviceType || t == outsideType || marshals(t) || isHidden(t) {
		return
	}
	if form := keep.Of(t); form != nil {
		ts.add(form.As)
		return
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		ts.add(t.Elem())
	case reflect.Map:
		ts.add(t.Key())
		ts.add(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			ts.add(t.Field(i).Type)
		}
	}
}

// forms tells the parts of each type, which must be those of the reader's.
func (ts *table) forms() (list []string) {
	for _, t := range ts.list {
		form := t.Kind().String()
		switch {
		case t == tensorType || t == deviceType || marshals(t):
			form = t.String()
		case t == outsideType:
			form = outsideForm
		case keep.Of(t) != nil:
			form = fmt.Sprintf("as %d", ts.index[keep.Of(t).As])
		case isHidden(t):
			form = "nothing"
		case t.Kind() == reflect.Struct:
			var fields []string
			for i := range t.NumField() {
				f := t.Field(i)
				fields = append(fields, fmt.Sprint(strings.ToLower(f.Name), " ", ts.index[f.Type]))
			}
			form += " " + strings.Join(fields, ", ")
		case t.Kind() == reflect.Array:
			form += fmt.Sprintf(" %d of %d", t.Len(), ts.index[t.Elem()])
		case t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer:
			form += fmt.Sprintf(" of %d", ts.index[t.Elem()])
		case t.Kind() == reflect.Map:
			form += fmt.Sprintf(" of %d to %d", ts.index[t.Key()], ts.index[t.Elem()])
		}
		list = append(list, form)
	}
	return list
}

// room returns how many values of type want there are, one after the other, from an offset on in a row of count values
// of type t; 0 when none begins there.
func room(t reflect.Type, count, offset uintptr, want reflect.Type) uintptr {
	for t.Size() > 0 && offset < count*t.Size() {
		if offset%t.Size() == 0 && alike(t, want) {
			return count - offset/t.Size()
		}
		offset %= t.Size()
		switch {
		case t.Kind() == reflect.Array:
			t, count = t.Elem(), uintptr(t.Len())
		case t.Kind() == reflect.Struct && !marshals(t) && keep.Of(t) == nil:
			i := t.NumField() - 1
			for i >= 0 && (t.Field(i).Offset > offset || t.Field(i).Type.Size() == 0) {
				i--
			}
			if i < 0 {
				return 0
			}
			t, count, offset = t.Field(i).Type, 1, offset-t.Field(i).Offset
		default:
			return 0
		}
	}
	return 0
}

// alike reports whether memory of one type is memory of the other. A type that a cell declares has a twin, which
// yaegi's own variables have: it has the same parts under the same names.
func alike(t, want reflect.Type) bool { return alikeBut(t, want, map[[2]reflect.Type]bool{}) }

// alikeBut takes pairs for alike that are being compared.
func alikeBut(t, want reflect.Type, seen map[[2]reflect.Type]bool) bool {
	if t == want || seen[[2]reflect.Type{t, want}] {
		return true
	}
	if t.Kind() != want.Kind() || t.Size() != want.Size() {
		return false
	}
	seen[[2]reflect.Type{t, want}] = true
	switch t.Kind() {
	case reflect.Struct:
		if t.NumField() != want.NumField() || isCompiled(t) || isCompiled(want) {
			return false
		}
		for i := range t.NumField() {
			f, g := t.Field(i), want.Field(i)
			if f.Offset != g.Offset || !alikeBut(f.Type, g.Type, seen) {
				return false
			}
		}
		return true
	case reflect.Map:
		return alikeBut(t.Key(), want.Key(), seen) && alikeBut(t.Elem(), want.Elem(), seen)
	case reflect.Pointer, reflect.Slice:
		return alikeBut(t.Elem(), want.Elem(), seen)
	case reflect.Array:
		return t.Len() == want.Len() && alikeBut(t.Elem(), want.Elem(), seen)
	case reflect.Interface:
		return t.Implements(want) && want.Implements(t)
	case reflect.Chan, reflect.Func:
		return t.String() == want.String()
	}
	return true
}

// as is the same memory as a value of a type that is alike. v is addressable.
func as(v reflect.Value, t reflect.Type) reflect.Value {
	return reflect.NewAt(t, v.Addr().UnsafePointer()).Elem()
}

// marshals reports whether values of a type write and read themselves: those of a compiled package whose fields are its
// own business.
func marshals(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && isCompiled(t) && hasHidden(t) && marshalerOf(reflect.New(t)) != nil
}

// opened are the packages whose structs are kept with the fields that they do not export: they hold no more than values
// and tensors, but for types with a form of their own (package keep), and for those that TestOpened names.
var opened = map[string]bool{
	"bytes": true, "strings": true, "math/rand/v2": true, "container/list": true, "container/ring": true,
	module + "display":                       true,
	module + "tensor/frame":                  true,
	module + "tensor/interpolate":            true,
	module + "tensor/internal/optim":         true,
	module + "tensor/nn":                     true,
	module + "tensor/nn/optim":               true,
	module + "tensor/nn/train":               true,
	module + "tensor/quant":                  true,
	module + "tensor/random":                 true,
	module + "tensor/random/internal/sample": true,
	module + "tensor/sparse":                 true,
	module + "tensor/spatial":                true,
	module + "tensor/tokenizers":             true,
}

const module = "github.com/gorocm/gorocm/"

// isHidden reports whether only zero values of a type are kept, of which nothing is written: see walkStruct.
func isHidden(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && isCompiled(t) && !opened[t.PkgPath()] && !openedTypes[t] &&
		keep.Of(t) == nil && hasHidden(t) && !marshals(t)
}

// isCompiled reports whether a type is declared by a package that is compiled into this program.
func isCompiled(t reflect.Type) bool { return t.PkgPath() != "" && t.PkgPath() != session }

var session = "main" // the path of types that cells declare; tests have their own

func hasHidden(t reflect.Type) bool {
	for i := range t.NumField() {
		if !t.Field(i).IsExported() {
			return true
		}
	}
	return false
}

// marshaler writes a value, and reads it.
type marshaler struct {
	write func() ([]byte, error)
	read  func([]byte) error
}

// marshalerOf returns how the value that p points to is written, nil when it does not say.
func marshalerOf(p reflect.Value) *marshaler {
	v := p.Interface()
	if re, ok := v.(*regexp.Regexp); ok {
		return &marshaler{func() ([]byte, error) { return writeRegexp(re), nil },
			func(text []byte) error { return readRegexp(re, text) }}
	}
	if w, ok := v.(encoding.BinaryMarshaler); ok {
		if r, ok := v.(encoding.BinaryUnmarshaler); ok {
			return &marshaler{w.MarshalBinary, r.UnmarshalBinary}
		}
	}
	if w, ok := v.(gob.GobEncoder); ok {
		if r, ok := v.(gob.GobDecoder); ok {
			return &marshaler{w.GobEncode, r.GobDecode}
		}
	}
	if w, ok := v.(encoding.TextMarshaler); ok {
		if r, ok := v.(encoding.TextUnmarshaler); ok {
			return &marshaler{w.MarshalText, r.UnmarshalText}
		}
	}
	return nil
}
