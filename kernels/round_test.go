package kernels_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/x448/float16"

	"github.com/gorocm/gorocm/kernels"
)

func TestRound(t *testing.T) {
	tests := []struct {
		t       kernels.DType
		x, want float64
	}{
		{kernels.F16, 65519.999, 65504},
		{kernels.F16, 65520, math.Inf(1)},
		{kernels.F16, 1 + 0x1p-11, 1},
		{kernels.F16, 1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-10}, // through float32 it would be 1
		{kernels.F16, 0x1p-25, 0},
		{kernels.F16, 0x1.8p-25, 0x1p-24},
		{kernels.BF16, 1 + 0x1p-8, 1},
		{kernels.BF16, 1 + 0x3p-8, 1 + 0x1p-6},
		{kernels.BF16, -3.4e38, math.Inf(-1)},
		{kernels.BF16, 0x1p-133, 0x1p-133},
		{kernels.F8E4M3, 1.0625, 1},
		{kernels.F8E4M3, 1.1875, 1.25},
		{kernels.F8E4M3, 0x1p-10, 0},
		{kernels.F8E4M3, 0x3p-10, 0x1p-8},
		{kernels.F8E4M3, 463, 448},
		{kernels.F8E4M3, 1e10, 448}, // saturates
		{kernels.F8E4M3, math.Inf(-1), -448},
		{kernels.F32, 16777217, 16777216},
		{kernels.F64, 0.1, 0.1},
	}
	for _, test := range tests {
		if got := kernels.Round(test.t, test.x); got != test.want {
			t.Errorf("Round(%v, %v) = %v, want %v", test.t, test.x, got, test.want)
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 20000 {
		x := math.Float32frombits(r.Uint32())
		if x != x {
			continue
		}
		if got, want := kernels.Round(kernels.F16, float64(x)), float64(float16.Fromfloat32(x).Float32()); got != want {
			t.Fatalf("Round(f16, %v) = %v, want %v", x, got, want)
		}
	}
}
