package tensor

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/kernels"
)

// TestExactTypes: elements of each dtype are read as its Go type, and as no other.
func TestExactTypes(t *testing.T) {
	for _, dt := range kernels.All {
		x := Of(0, 1).ToDType(dt)
		tried := []reflect.Type{
			readAs[float32](t, x), readAs[float64](t, x), readAs[uint8](t, x), readAs[uint32](t, x),
			readAs[int16](t, x), readAs[int32](t, x), readAs[int64](t, x),
		}
		if !slices.Contains(tried, elementTypes[dt]) {
			t.Errorf("%v: its type %v is not tried", dt, elementTypes[dt])
		}
	}
}

func readAs[T Element](t *testing.T, x *Tensor) reflect.Type {
	t.Helper()
	var got []T
	err := Catch(func() error {
		got = ToVec1[T](x)
		return nil
	})
	typ := reflect.TypeFor[T]()
	if typ == elementTypes[x.DType()] {
		if err != nil || !slices.Equal(got, []T{0, 1}) {
			t.Errorf("%v as %v: %v, %v", x.DType(), typ, got, err)
		}
	} else if !errors.Is(err, ErrDType) {
		t.Errorf("%v as %v: %v, want an error", x.DType(), typ, err)
	}
	return typ
}
