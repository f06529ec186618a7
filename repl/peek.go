package repl

import (
	"fmt"
	"math/big"
	"reflect"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/gorocm/gorocm/repl/golang"
	"github.com/gorocm/gorocm/tensor"
)

// Bounds of what is shown of a value.
const (
	peekElems  = 8   // of a list, fields of a struct
	peekDepth  = 3   // of what is inside of what
	peekString = 120 // bytes of a string
	peekText   = 400 // bytes in all
)

// peek describes a value by reflection. No method of it runs but those of a few known types, which only read. Entries
// of maps are not read: when a goroutine of the user's writes the map meanwhile, Go ends the process.
func peek(v any) []golang.Fact {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // a slice or an interface may be read half-written
	var p peeker
	p.value(reflect.ValueOf(v), 0)
	text := p.b.String()
	if len(text) > peekText {
		text = strings.ToValidUTF8(text[:peekText], "") + " …"
	}
	r := []golang.Fact{{Name: "value", Text: text}}
	if rv := reflect.ValueOf(v); rv.IsValid() {
		switch rv.Kind() {
		case reflect.Slice:
			r = append(r, golang.Fact{Name: "len", Text: strconv.Itoa(rv.Len())},
				golang.Fact{Name: "cap", Text: strconv.Itoa(rv.Cap())})
		case reflect.String, reflect.Map:
			r = append(r, golang.Fact{Name: "len", Text: strconv.Itoa(rv.Len())})
		}
	}
	return r
}

type peeker struct{ b strings.Builder }

func (p *peeker) value(v reflect.Value, depth int) {
	if p.b.Len() > peekText {
		return
	}
	if !v.IsValid() {
		p.b.WriteString("nil")
		return
	}
	if v.CanInterface() {
		if s, ok := known(v.Interface()); ok {
			p.b.WriteString(s)
			return
		}
	}
	switch v.Kind() {
	case reflect.Bool:
		p.b.WriteString(strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		p.b.WriteString(strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		p.b.WriteString(strconv.FormatUint(v.Uint(), 10))
	case reflect.Float32:
		p.b.WriteString(strconv.FormatFloat(v.Float(), 'g', -1, 32))
	case reflect.Float64:
		p.b.WriteString(strconv.FormatFloat(v.Float(), 'g', -1, 64))
	case reflect.Complex64, reflect.Complex128:
		p.b.WriteString(strconv.FormatComplex(v.Complex(), 'g', -1, v.Type().Bits()))
	case reflect.String:
		s := v.String()
		if len(s) > peekString {
			p.b.WriteString(strconv.Quote(strings.ToValidUTF8(s[:peekString], "")) + " …")
			return
		}
		p.b.WriteString(strconv.Quote(s))
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() {
			p.b.WriteString("nil")
			return
		}
		p.list(v, depth)
	case reflect.Struct:
		p.fields(v, depth)
	case reflect.Pointer:
		switch {
		case v.IsNil():
			p.b.WriteString("nil")
		case depth >= peekDepth:
			p.b.WriteString("&…")
		default:
			p.b.WriteString("&")
			p.value(v.Elem(), depth+1)
		}
	case reflect.Interface:
		p.value(v.Elem(), depth)
	case reflect.Map:
		if v.IsNil() {
			p.b.WriteString("nil")
			return
		}
		p.b.WriteString("map")
	case reflect.Chan:
		if v.IsNil() {
			p.b.WriteString("nil")
			return
		}
		fmt.Fprintf(&p.b, "channel, %d of %d in its buffer", v.Len(), v.Cap())
	case reflect.Func:
		if v.IsNil() {
			p.b.WriteString("nil")
			return
		}
		p.b.WriteString("func")
	default:
		p.b.WriteString("…")
	}
}

func (p *peeker) list(v reflect.Value, depth int) {
	p.b.WriteString("[")
	for i := range v.Len() {
		if i > 0 {
			p.b.WriteString(" ")
		}
		if i == peekElems || depth >= peekDepth {
			p.b.WriteString("…")
			break
		}
		p.value(v.Index(i), depth+1)
	}
	p.b.WriteString("]")
}

func (p *peeker) fields(v reflect.Value, depth int) {
	p.b.WriteString("{")
	for i := range v.NumField() {
		if i > 0 {
			p.b.WriteString(" ")
		}
		if i == peekElems || depth >= peekDepth {
			p.b.WriteString("…")
			break
		}
		p.b.WriteString(v.Type().Field(i).Name + ": ")
		p.value(v.Field(i), depth+1)
	}
	p.b.WriteString("}")
}

// known shows values of types whose text says more than their fields, and whose methods only read.
func known(v any) (string, bool) {
	switch v := v.(type) {
	case *tensor.Tensor:
		if v == nil {
			return "nil", true
		}
		return fmt.Sprintf("tensor %v %v on %v", v.Shape(), v.DType(), v.Device()), true
	case *tensor.Device:
		if v == nil {
			return "nil", true
		}
		return v.String(), true
	case time.Time:
		return v.String(), true
	case time.Duration:
		return v.String(), true
	case *big.Int:
		if v != nil && v.BitLen() < 8*peekText {
			return v.String(), true
		}
	case error:
		switch reflect.TypeOf(v).String() {
		case "*errors.errorString", "*fmt.wrapError":
			return strconv.Quote(v.Error()), true
		}
	}
	return "", false
}
