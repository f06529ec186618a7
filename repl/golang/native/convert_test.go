package native

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

// TestConversions compares conversions between all kinds of integers and floats.
func TestConversions(t *testing.T) {
	types := []reflect.Type{reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](),
		reflect.TypeFor[int32](), reflect.TypeFor[int64](), reflect.TypeFor[uint](), reflect.TypeFor[uint8](),
		reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64]()}
	to := types
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
				if f := x.Elem(); f.CanFloat() && !y.Elem().CanFloat() && f.Float() >= math.Exp2(float64(8*b.Size()-1)) {
					continue // which Go leaves open, and reflect does otherwise: see TestRandom
				}
				call(o, x, y)
				if w := x.Elem().Convert(b); y.Elem().Interface() != w.Interface() {
					t.Errorf("%s(%s(%v)) is %v, not %v", b, a, x.Elem(), y.Elem(), w)
				}
			}
		}
	}
}
