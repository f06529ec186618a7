package kernels

import (
	"math"
	"testing"
)

// TestEdgesOfMath: where package math of some processors overflows early, or loses a sign.
func TestEdgesOfMath(t *testing.T) {
	for _, c := range []struct{ got, want float64 }{
		{exp(709.5), 1.3549863193146328e308}, {exp(709.78), 1.7928227943945155e308}, {exp(709.79), math.Inf(1)},
		{pow(1.2e154, 2), 1.44e308}, {pow(10, 308.2), 1.584893192461072e308}, {pow(math.MaxFloat64, 1), math.MaxFloat64},
		{pow(-1.2e154, 2), 1.44e308},
		{atan2(-1e-300, -1e30), -math.Pi}, {atan2(1e-300, -1e30), math.Pi}, {atan2(math.Copysign(0, -1), 1), math.Copysign(0, -1)},
		{imag(complexLog(complex(-1e30, -1e-300))), -math.Pi},
	} {
		if d := math.Abs(c.got - c.want); c.got != c.want && !(d <= 1e-14*math.Abs(c.want)) ||
			math.Signbit(c.got) != math.Signbit(c.want) {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
}
