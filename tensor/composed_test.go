package tensor

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/kernels"
)

// TestLerpEnds: the weights 0 and 1 give the ends exactly, where start + (end - start) would not be the end.
func TestLerpEnds(t *testing.T) {
	start, end := Of(1e8, -3, 0.1), Of(0.3, 1e-20, 0.7)
	for _, w := range []float64{0, 1} {
		want := map[float64]*Tensor{0: start, 1: end}[w].Float64s()
		for _, weight := range []any{w, Of(w)} {
			if got := start.Lerp(end, weight).Float64s(); !slices.Equal(got, want) {
				t.Errorf("weight %v: got %v, want %v", weight, got, want)
			}
		}
	}
	if got := start.Lerp(end, Of(0, 1, 0)).Float64s(); got[0] != 1e8 || got[1] != end.Float64s()[1] {
		t.Errorf("weights of a tensor: %v", got)
	}
}

func TestNanToNum(t *testing.T) {
	for _, dt := range kernels.Floats {
		x := Of(math.NaN(), math.Inf(1), math.Inf(-1), 1.5, 0).ToDType(dt)
		most := map[DType]float64{BF16: 0x1.fep127, F16: 65504, F32: math.MaxFloat32, F64: math.MaxFloat64,
			F8E4M3: 448}[dt]
		if got, want := x.NanToNum().Float64s(), []float64{0, most, -most, 1.5, 0}; !slices.Equal(got, want) {
			t.Errorf("%v: got %v, want %v", dt, got, want)
		}
	}
	v := NewVar(Of(math.NaN(), math.Inf(1), 2))
	if got := v.NanToNum().Sum().Backward().Get(v).Float64s(); !slices.Equal(got, []float64{0, 0, 1}) {
		t.Errorf("the gradient is %v, want 1 for finite elements", got)
	}
}

// TestShiftCounts: a negative number as a count is an error that proposes the other direction.
func TestShiftCounts(t *testing.T) {
	x := CPU().New([]int32{-8, 3})
	for _, c := range []struct {
		shift func() *Tensor
		note  string
	}{
		{func() *Tensor { return x.ShiftLeft(-2) }, "x.ShiftRight(2) shifts in the other direction"},
		{func() *Tensor { return x.ShiftRight(-3) }, "x.ShiftLeft(3) shifts in the other direction"},
	} {
		_, err := Try(c.shift)
		var e *Error
		if !errors.As(err, &e) || !errors.Is(err, ErrDType) || !slices.Contains(e.Notes, c.note) {
			t.Errorf("got %+v, want a note %q", err, c.note)
		}
	}
	counts := CPU().New([]int32{-1, 40})
	for name, want := range map[string]string{fmt.Sprint(x.ShiftLeft(counts).Float64s()): "[0 0]",
		fmt.Sprint(x.ShiftRight(counts).Float64s()): "[-1 0]"} {
		if name != want {
			t.Errorf("counts beyond the width: got %s, want %s", name, want)
		}
	}
	_, err := Try(func() *Tensor { return Of(1).BitAnd(1) })
	var e *Error
	if !errors.As(err, &e) || !slices.Contains(e.Notes, "convert first, as in x.ToDType(tensor.I64)") {
		t.Errorf("bits of floats: %+v", err)
	}
}
