package tensor

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/govalue"
)

// TestExactTypes: elements of each dtype are read as its Go type, and as no other.
func TestExactTypes(t *testing.T) {
	for _, dt := range kernels.All {
		x := Of(0, 1).ToDType(dt)
		tried := []reflect.Type{
			readAs(t, x, []bool{false, true}),
			readAs(t, x, []uint8{0, 1}), readAs(t, x, []uint16{0, 1}), readAs(t, x, []uint32{0, 1}),
			readAs(t, x, []uint64{0, 1}), readAs(t, x, []int8{0, 1}), readAs(t, x, []int16{0, 1}),
			readAs(t, x, []int32{0, 1}), readAs(t, x, []int64{0, 1}), readAs(t, x, []float32{0, 1}),
			readAs(t, x, []float64{0, 1}),
		}
		if !slices.Contains(tried, govalue.Types[dt]) {
			t.Errorf("%v: its type %v is not tried", dt, govalue.Types[dt])
		}
	}
}

func readAs[T Element](t *testing.T, x *Tensor, want []T) reflect.Type {
	t.Helper()
	var got []T
	err := Catch(func() error {
		got = ToVec1[T](x)
		return nil
	})
	typ := reflect.TypeFor[T]()
	if typ == govalue.Types[x.DType()] {
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%v as %v: %v, %v", x.DType(), typ, got, err)
		}
	} else if !errors.Is(err, ErrDType) {
		t.Errorf("%v as %v: %v, want an error", x.DType(), typ, err)
	}
	return typ
}
