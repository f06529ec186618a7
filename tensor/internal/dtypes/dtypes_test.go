package dtypes

import (
	"math"
	"testing"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// TestHolds tries every value of the types of one or two bytes in every real type.
func TestHolds(t *testing.T) {
	for _, small := range byRange {
		if small.Size() > 2 {
			continue
		}
		raw := make([]byte, 0, small.Size()<<16)
		for bits := range 1 << (8 * small.Size()) {
			for b := range small.Size() {
				raw = append(raw, byte(bits>>(8*b)))
			}
		}
		if small == kernels.Bool {
			raw = raw[:2]
		}
		values := host.ToFloat64(small, raw)
		for _, wide := range byRange {
			if wide.IsComplex() {
				continue
			}
			want := true
			for _, v := range values {
				want = want && has(wide, v)
			}
			if got := Holds(wide, small); got != want {
				t.Errorf("%v holds the values of %v: %v, want %v", wide, small, got, want)
			}
		}
	}
}

// has reports whether v is a value of a real type. Floats have NaN.
func has(dt kernels.DType, v float64) bool {
	if dt.IsFloat() {
		return v != v || kernels.Round(dt, v) == v
	}
	low, high := backend.IntRange(dt)
	return v == math.Trunc(v) && float64(low) <= v && v <= float64(high)
}

// TestPairs checks for all pairs of types what must hold of their common type and of that of results.
func TestPairs(t *testing.T) {
	for _, a := range byRange {
		for _, b := range byRange {
			if x, y := Common(a, b), Common(b, a); x != y {
				t.Errorf("%v and %v: %v, the other way round %v", a, b, x, y)
			} else if (!Holds(x, a) || !Holds(x, b)) && x != kernels.F64 && x != kernels.C128 {
				t.Errorf("%v and %v: %v does not hold both", a, b, x)
			}
			x, ok := Promote(a, b)
			if y, same := Promote(b, a); x != y || ok != same {
				t.Errorf("results of %v and %v: %v, the other way round %v", a, b, x, y)
			}
			if ok && !x.IsFloat() && !x.IsComplex() && (!Holds(x, a) || !Holds(x, b)) {
				t.Errorf("results of %v and %v: %v does not hold both", a, b, x)
			}
		}
	}
}
