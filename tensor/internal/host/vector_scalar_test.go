package host

import (
	"fmt"
	"math"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
)

// Floats of every size and sign, with those around which the ways of computing change.
func manyFloats() []float32 {
	var list []float32
	for u := uint64(0); u < 1<<32; u += 20011 {
		list = append(list, math.Float32frombits(uint32(u)))
	}
	for _, x := range []float32{0, 0.1, 0.125, 0.5, 1, math.Pi / 2, math.Pi, 16, 20, 88, 89, 90, 103, 104, 110, 700,
		1e5, 0x1p-126, math.MaxFloat32} {
		for u := math.Float32bits(x) - min(math.Float32bits(x), 50); u < math.Float32bits(x)+50; u++ {
			list = append(list, math.Float32frombits(u), -math.Float32frombits(u))
		}
	}
	for x := float32(-20); x < 20; x += 1. / 512 {
		list = append(list, x)
	}
	return append(list, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()))
}

// strays says by how many units in the last place got differs from want.
func strays(got float32, want float64) float64 {
	near := float32(want)
	switch {
	case got == near && math.Signbit(float64(got)) == math.Signbit(want), got != got && want != want:
		return 0
	case got != got || want != want || math.IsInf(float64(got), 0) || math.IsInf(float64(near), 0) || got == near:
		return math.Inf(1)
	}
	size := float32(math.Abs(float64(near)))
	unit := float64(math.Nextafter32(size, float32(math.Inf(1)))) - float64(size)
	return math.Abs(float64(got)-want) / unit
}

func TestFloat32Functions(t *testing.T) {
	thorough.Slow(t)
	in := manyFloats()
	out := make([]float32, len(in))
	check := func(name string, limit float64, ref func(float64) float64) {
		t.Helper()
		worst, at := 0.0, 0
		for i, x := range in {
			if s := strays(out[i], ref(float64(x))); s > worst {
				worst, at = s, i
			}
		}
		if limit = max(limit, 0.51); worst > limit {
			t.Errorf("%s(%v) is %v, %.2f ULP from %v", name, in[at], out[at], worst, ref(float64(in[at])))
		}
	}
	for _, op := range kernels.Unary {
		if row := float32Row(op.Name); row != nil {
			row(out, in)
			check(op.Name+" in Go", op.ULP/2, op.Ref)
		}
		if row := vectorUnary(op.Name, len(in)); row != nil {
			row(out, in)
			check(op.Name+" in vectors", 0.8*op.ULP, op.Ref)
		}
	}
	for _, op := range kernels.Params {
		for _, p := range []float64{0.5, 2, -1, 3, 10, 0, -2.5, 1.75, math.Inf(1), math.NaN()} {
			name, ref := fmt.Sprint(op.Name, " ", p), func(x float64) float64 { return op.Ref(x, p) }
			if row := float32ParamRow(&op, p); row != nil {
				row(out, in)
				check(name+" in Go", op.ULP/2, ref)
			}
			if row := vectorParam(&op, p); row != nil {
				row(out, in)
				check(name+" in vectors", op.ULP/2, ref)
			}
		}
	}
}
