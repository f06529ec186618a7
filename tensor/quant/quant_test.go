package quant_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/quant"
)

// errorOf gives the largest RMS errors that packing may cause, relative to the standard deviation of the elements.
var errorOf = map[quant.Type]float64{
	quant.F32: 0, quant.F16: 1e-3, quant.BF16: 4e-3, quant.Q4_0: 0.1, quant.Q4_1: 0.09, quant.Q5_0: 0.05,
	quant.Q5_1: 0.045, quant.Q8_0: 0.007, quant.Q8_1: 0.007,
	quant.Q2K: 0.31, quant.Q3K: 0.16, quant.Q4K: 0.075, quant.Q5K: 0.04, quant.Q6K: 0.025, quant.Q8K: 0.01,
}

func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, format := range written() {
		for _, c := range []struct {
			name string
			draw func() float32
		}{
			{"normal", func() float32 { return float32(r.NormFloat64()) }},
			{"small", func() float32 { return float32(r.NormFloat64() * 1e-3) }},
			{"positive", func() float32 { return float32(1 + r.Float64()) }},
			{"zero", func() float32 { return 0 }},
			{"few peaks", func() float32 { return float32(r.IntN(200) / 199) }},
		} {
			x := make([]float32, 2048)
			for i := range x {
				x[i] = c.draw()
			}
			packed, err := format.Encode(x)
			if err != nil {
				t.Fatal(err)
			}
			if want := len(x) / format.BlockSize() * format.BlockBytes(); len(packed) != want {
				t.Fatalf("%v: %d bytes, want %d", format, len(packed), want)
			}
			y, err := format.Decode(packed)
			if err != nil {
				t.Fatal(err)
			}
			var squares, off float64
			for i := range x {
				squares += float64(x[i]) * float64(x[i])
				off += math.Pow(float64(x[i]-y[i]), 2)
			}
			if got := math.Sqrt(off); !(got <= errorOf[format]*math.Sqrt(squares)) {
				t.Errorf("%v, %s: off by %.4f of the size, want at most %v", format, c.name, got/math.Sqrt(squares),
					errorOf[format])
			}
			again, err := format.Encode(y)
			if err != nil {
				t.Fatal(err)
			}
			if z, err := format.Decode(again); err != nil || len(z) != len(y) {
				t.Fatal(len(z), err)
			}
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		format quant.Type
		shape  []int
		bytes  int
		want   string
	}{
		{quant.Q4_0, []int{33}, 18, "whole blocks"},
		{quant.Q4_0, []int{64}, 18, "does not fit"},
		{quant.Q4_0, []int{1 << 40, 1 << 40}, 18, "do not fit"},
		{quant.Q4_0, []int{-32}, 18, "do not fit"},
		{quant.Type(99), []int{32}, 18, "no format"},
	} {
		_, err := quant.New(c.format, c.shape, make([]byte, c.bytes))
		if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), "do not fit", "does not fit"),
			strings.ReplaceAll(c.want, "do not fit", "does not fit")) {
			t.Errorf("%v of shape %v: got %v", c.format, c.shape, err)
		}
	}
}

func TestMatMulIsNearThePlainOne(t *testing.T) {
	dev := tensor.CPU()
	dev.SetSeed(3)
	w := dev.Randn(tensor.F32, 24, 512)
	x := dev.Randn(tensor.F32, 2, 3, 512)
	want := x.MatMul(w.T())
	for _, format := range written() {
		got := quant.Quantize(w, format).MatMul(x)
		off := got.Sub(want).Norm().ToScalar() / want.Norm().ToScalar()
		if limit := 1.2*errorOf[format] + 0.01; !(off <= limit) || got.Rank() != 3 {
			t.Errorf("%v: off by %.4f, want at most %.4f", format, off, limit)
		}
	}
}

// written are the formats that elements can be packed in.
func written() []quant.Type {
	return slices.DeleteFunc(quant.Types(), func(t quant.Type) bool { return !t.CanEncode() })
}
