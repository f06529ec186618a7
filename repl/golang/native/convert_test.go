package native

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestConversions compares conversions between all kinds of integers, and to floats.
func TestConversions(t *testing.T) {
	types := []reflect.Type{reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](),
		reflect.TypeFor[int32](), reflect.TypeFor[int64](), reflect.TypeFor[uint](), reflect.TypeFor[uint8](),
		reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64]()}
	to := append(types[:len(types):len(types)], reflect.TypeFor[float32](), reflect.TypeFor[float64]())
	var src strings.Builder
	for _, a := range types {
		for _, b := range to {
			fmt.Fprintf(&src, "func %s_%s(x %s) %s { return %s(x) }\n", a, b, a, b, b)
		}
	}
	r := compileAll(t, src.String())
	for _, a := range types {
		for _, b := range to {
			o := r[a.String()+"_"+b.String()]
			if o.Reason != nil {
				t.Fatal(o.Reason)
			}
			for _, n := range operands[uint64]() {
				x, y := reflect.New(a), reflect.New(b)
				x.Elem().Set(reflect.ValueOf(n).Convert(a))
				call(o, x, y)
				if w := x.Elem().Convert(b); y.Elem().Interface() != w.Interface() {
					t.Errorf("%s(%s(%v)) is %v, not %v", b, a, x.Elem(), y.Elem(), w)
				}
			}
		}
	}
}
