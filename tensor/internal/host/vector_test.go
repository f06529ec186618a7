package host_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/host"
	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// inGo runs f without vector code.
func inGo(f func() *tensor.Tensor) *tensor.Tensor {
	fast, stream := simd.Fast, simd.Stream
	simd.Fast, simd.Stream = simd.Functions{}, simd.Functions{}
	defer func() { simd.Fast, simd.Stream = fast, stream }()
	return f()
}

// TestVectorsAgree compares operations with their loops in Go: the same bits, or so many units in the last place of the
// greatest element of a row. Sizes have tails, and some have parts that go past the caches.
func TestVectorsAgree(t *testing.T) {
	if simd.Fast.Add == nil {
		t.Skip("this processor has no vector instructions that package simd knows")
	}
	special := []float32{0, float32(math.Copysign(0, -1)), float32(math.Inf(1)), float32(math.Inf(-1)),
		float32(math.NaN()), 0x1p-149, -0x1p-130, math.MaxFloat32}
	random := rand.New(rand.NewPCG(1, 2))
	input := func(odd bool, shape ...int) *tensor.Tensor {
		data := make([]float32, backend.Product(shape))
		for i := range data {
			data[i] = float32(random.NormFloat64() * 3)
			if odd && random.IntN(40) == 0 {
				data[i] = special[random.IntN(len(special))]
			}
		}
		return tensor.New(data).Reshape(shape...)
	}
	shapes := [][]int{{3, 5}, {7, 64}, {33, 1000}, {5, 4099}}
	if !testing.Short() {
		shapes = append(shapes, []int{host.Streamed/4096 + 1, 4100})
	}
	for _, shape := range shapes {
		x, y := input(true, shape...), input(true, shape...)
		row, calm := input(true, shape[1]), input(false, shape...)
		d, e := x.ToDType(tensor.F64), y.ToDType(tensor.F64).Mul(1.1)
		h, b := x.ToDType(tensor.F16), x.ToDType(tensor.BF16)
		h2, b2 := y.ToDType(tensor.F16), y.ToDType(tensor.BF16)
		half, brain := bounded(calm, tensor.F16), bounded(calm, tensor.BF16)
		i, j := calm.Mul(1e8).ToDType(tensor.I32), y.Mul(1e9).ToDType(tensor.I32)
		less := x.Lt(y)
		factors := input(false, shape[1])
		cases := []struct {
			name string
			f    func() *tensor.Tensor
			ulp  float64
		}{
			{"add", func() *tensor.Tensor { return x.Add(y) }, 0},
			{"add row", func() *tensor.Tensor { return x.Add(row) }, 0},
			{"row minus", func() *tensor.Tensor { return row.Sub(x) }, 0},
			{"mul number", func() *tensor.Tensor { return x.Mul(1.7) }, 0},
			{"div", func() *tensor.Tensor { return x.Div(y) }, 0},
			{"maximum", func() *tensor.Tensor { return x.Maximum(y) }, 0},
			{"minimum of part", func() *tensor.Tensor {
				return x.Narrow(1, 1, shape[1]-2).Minimum(y.Narrow(1, 2, shape[1]-2))
			}, 0},
			{"affine", func() *tensor.Tensor { return x.Affine(1.7, -0.3) }, 0},
			{"relu", func() *tensor.Tensor { return x.Relu() }, 0},
			{"sqr", func() *tensor.Tensor { return x.Sqr() }, 0},
			{"sum", func() *tensor.Tensor { return calm.Sum(1) }, 0},
			{"sum down", func() *tensor.Tensor { return calm.Sum(0) }, 0},
			{"sum of all", func() *tensor.Tensor { return calm.Sum() }, 0},
			{"mean", func() *tensor.Tensor { return calm.Mean(-1) }, 0},
			{"max", func() *tensor.Tensor { return x.Max(1) }, 0},
			{"min", func() *tensor.Tensor { return calm.Min(1) }, 0},
			{"argmax", func() *tensor.Tensor { return x.ArgMax(1) }, 0},
			{"argmin", func() *tensor.Tensor { return calm.ArgMin(1) }, 0},
			{"layer norm", func() *tensor.Tensor { return calm.LayerNorm(factors, factors, 1e-5) }, 0},
			{"rms norm", func() *tensor.Tensor { return calm.RmsNorm(factors, 1e-5) }, 0},
			{"softmax", func() *tensor.Tensor { return calm.Softmax(1) }, 8},
			{"log softmax", func() *tensor.Tensor { return calm.LogSoftmax(1) }, 8},
			{"floor", func() *tensor.Tensor { return x.Floor() }, 0},
			{"round", func() *tensor.Tensor { return x.Round() }, 0},
			{"equal", func() *tensor.Tensor { return x.Eq(y) }, 0},
			{"not equal", func() *tensor.Tensor { return x.Ne(row) }, 0},
			{"less", func() *tensor.Tensor { return x.Lt(y) }, 0},
			{"at most", func() *tensor.Tensor { return x.Le(y) }, 0},
			{"greater", func() *tensor.Tensor { return x.Gt(y) }, 0},
			{"at least", func() *tensor.Tensor { return x.Ge(y) }, 0},
			{"where", func() *tensor.Tensor { return less.WhereCond(x, y) }, 0},
			{"where row", func() *tensor.Tensor { return less.WhereCond(row, y) }, 0},
			{"add f64", func() *tensor.Tensor { return d.Add(e) }, 0},
			{"div f64 row", func() *tensor.Tensor { return d.Div(row.ToDType(tensor.F64)) }, 0},
			{"maximum f64", func() *tensor.Tensor { return d.Maximum(e) }, 0},
			{"sqrt f64", func() *tensor.Tensor { return d.Sqrt() }, 0},
			{"abs f64", func() *tensor.Tensor { return e.Abs() }, 0},
			// of units of float32
			{"tanh f64", func() *tensor.Tensor { return calm.ToDType(tensor.F64).Tanh() }, 0x1p-27},
			{"max f64", func() *tensor.Tensor { return d.Max(1) }, 0},
			{"min f64", func() *tensor.Tensor { return calm.ToDType(tensor.F64).Min(1) }, 0},
			{"max of zeros f64", func() *tensor.Tensor { return d.Mul(0).Max(1) }, 0},
			{"clamp", func() *tensor.Tensor { return x.Clamp(-1, 1.5) }, 0},
			{"clamp from 0", func() *tensor.Tensor { return x.Clamp(0, 2).Recip() }, 0},
			{"clamp to -0", func() *tensor.Tensor { return x.Clamp(-2, math.Copysign(0, -1)).Recip() }, 0},
			{"clamp of part f64", func() *tensor.Tensor { return d.Narrow(1, 1, shape[1]-2).Clamp(-1, 1) }, 0},
			{"clamp f16", func() *tensor.Tensor { return h.Clamp(-1.1, 1.1) }, 0},
			{"f32 to i32", func() *tensor.Tensor { return x.ToDType(tensor.I32) }, 0},
			{"f32 to i64", func() *tensor.Tensor { return x.ToDType(tensor.I64) }, 0},
			{"f64 to i64 of part", func() *tensor.Tensor { return d.Narrow(1, 1, shape[1]-2).ToDType(tensor.I64) }, 0},
			{"add i32", func() *tensor.Tensor { return i.Add(j) }, 0},
			{"sub u32", func() *tensor.Tensor { return i.ToDType(tensor.U32).Sub(j.ToDType(tensor.U32)) }, 0},
			{"mul i32 row", func() *tensor.Tensor { return i.Mul(j.Narrow(0, 0, 1)) }, 0},
			{"add i64", func() *tensor.Tensor { return i.ToDType(tensor.I64).Add(j.ToDType(tensor.I64)) }, 0},
			{"sum i64", func() *tensor.Tensor { return i.ToDType(tensor.I64).Sum(1) }, 0},
			{"mean f16", func() *tensor.Tensor { return half.Mean(1) }, 0},
			{"sum f64", func() *tensor.Tensor { return calm.ToDType(tensor.F64).Sum(1) }, 0},
			{"f64 to f32", func() *tensor.Tensor { return e.ToDType(tensor.F32) }, 0},
			{"f32 to f16", func() *tensor.Tensor { return x.ToDType(tensor.F16) }, 0},
			{"f32 to bf16", func() *tensor.Tensor { return x.ToDType(tensor.BF16) }, 0},
			{"f16 to f32", func() *tensor.Tensor { return h.ToDType(tensor.F32) }, 0},
			{"bf16 to f64", func() *tensor.Tensor { return b.ToDType(tensor.F64) }, 0},
			{"add f16", func() *tensor.Tensor { return h.Add(h2) }, 0},
			{"mul bf16 row", func() *tensor.Tensor { return b.Mul(row.ToDType(tensor.BF16)) }, 0},
			{"less f16", func() *tensor.Tensor { return h.Lt(h2) }, 0},
			{"minimum bf16 of part", func() *tensor.Tensor {
				return b.Narrow(1, 1, shape[1]-2).Minimum(b2.Narrow(1, 2, shape[1]-2))
			}, 0},
			{"sum bf16", func() *tensor.Tensor { return brain.Sum(1) }, 0},
			{"sum f16 of all", func() *tensor.Tensor { return half.Sum() }, 0},
			{"argmax f16", func() *tensor.Tensor { return h.ArgMax(1) }, 0},
			{"max bf16", func() *tensor.Tensor { return b.Max(1) }, 0},
			{"layer norm f16", func() *tensor.Tensor {
				row := half.Narrow(0, 0, 1).FlattenAll()
				return half.LayerNorm(row, row, 1e-5)
			}, 0},
			{"transposed", func() *tensor.Tensor { return x.T().Copy() }, 0},
			{"max pool", func() *tensor.Tensor {
				return x.Reshape(1, 1, shape[0], shape[1]).MaxPool2dWithStride(3, 3, 2, 2)
			}, 0},
		}
		if len(x.ToBytes()) > 4*host.Streamed { // it is the way of stores that differs
			cases = thorough.Sample(cases, 2, 0)
		}
		for _, c := range cases {
			t.Run(fmt.Sprint(c.name, shape), func(t *testing.T) { agree(t, c.f(), inGo(c.f), c.ulp) })
		}
	}
}

// bounded are elements that a type of two bytes can add up.
func bounded(t *tensor.Tensor, dt tensor.DType) *tensor.Tensor { return t.Clamp(-1, 1).ToDType(dt) }

func agree(t *testing.T, fast, plain *tensor.Tensor, ulp float64) {
	t.Helper()
	if fast.DType() == tensor.I64 { // more digits than a float64 has
		got, want := tensor.ToVec1[int64](fast.FlattenAll()), tensor.ToVec1[int64](plain.FlattenAll())
		for i, w := range want {
			if got[i] != w {
				t.Fatalf("element %d of %d is %v, in Go %v", i, len(want), got[i], w)
			}
		}
		return
	}
	got, want := fast.Float64s(), plain.Float64s()
	greatest := 0.0
	for _, w := range want {
		greatest = max(greatest, math.Abs(w))
	}
	for i, w := range want {
		g := got[i]
		same := g == w && math.Signbit(g) == math.Signbit(w) || g != g && w != w
		if !same && !(math.Abs(g-w) <= ulp*greatest*0x1p-23) {
			t.Fatalf("element %d of %d is %v, in Go %v", i, len(want), g, w)
		}
	}
}

func wholeNumbers(shape ...int) *tensor.Tensor {
	data := make([]float32, backend.Product(shape))
	for i := range data {
		data[i] = float32(i*7%5 - 2)
	}
	return tensor.New(data).Reshape(shape...)
}

// TestConvolveTiles compares convolutions by tiles with those by spread images, over windows of every kind. Elements
// are small integers, so sums are exact.
func TestConvolveTiles(t *testing.T) {
	if !host.Tiles() {
		t.Skip("this processor has no vector instructions that package simd knows")
	}
	for _, c := range []struct{ n, channels, outs, groups, h, w, kh, kw, padding, stride, dilation int }{
		{1, 3, 8, 1, 9, 9, 3, 3, 1, 1, 1}, {2, 4, 6, 2, 13, 11, 3, 2, 0, 2, 1}, {1, 2, 5, 1, 20, 17, 7, 7, 3, 2, 1},
		{3, 5, 16, 1, 6, 40, 1, 1, 0, 1, 1}, {1, 2, 3, 1, 12, 12, 3, 3, 4, 3, 2}, {1, 2, 9, 1, 8, 8, 2, 2, 0, 5, 1},
		{1, 40, 70, 1, 14, 14, 3, 3, 1, 1, 1}, {2, 2, 4, 1, 5, 5, 5, 5, 2, 1, 1}, {1, 6, 4, 2, 7, 150, 1, 9, 0, 1, 3},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			x, w := wholeNumbers(c.n, c.channels, c.h, c.w), wholeNumbers(c.outs, c.channels/c.groups, c.kh, c.kw)
			f := func() *tensor.Tensor { return x.Conv2d(w, c.padding, c.stride, c.dilation, c.groups) }
			agree(t, f(), inGo(f), 0)
		})
	}
}

// TestConvolvePhases is TestConvolveTiles for transposed convolutions.
func TestConvolvePhases(t *testing.T) {
	if !host.Tiles() {
		t.Skip("this processor has no vector instructions that package simd knows")
	}
	for _, c := range []struct{ n, channels, outs, h, w, kh, kw, padding, extra, stride, dilation int }{
		{1, 3, 8, 9, 9, 3, 3, 1, 0, 1, 1}, {2, 4, 6, 13, 11, 4, 4, 1, 0, 2, 1}, {1, 2, 5, 7, 8, 3, 2, 0, 1, 2, 1},
		{1, 2, 3, 6, 5, 2, 2, 0, 0, 3, 1},
		{1, 2, 3, 6, 7, 3, 3, 2, 1, 2, 2}, {1, 5, 2, 4, 4, 5, 3, 1, 2, 3, 2}, {2, 3, 9, 1, 12, 1, 6, 0, 0, 4, 3},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			x, w := wholeNumbers(c.n, c.channels, c.h, c.w), wholeNumbers(c.channels, c.outs, c.kh, c.kw)
			f := func() *tensor.Tensor { return x.ConvTranspose2d(w, c.padding, c.extra, c.stride, c.dilation) }
			agree(t, f(), inGo(f), 0)
			line, taps := x.Reshape(c.n, c.channels, c.h*c.w),
				w.Reshape(c.channels, c.outs, c.kh*c.kw)
			g := func() *tensor.Tensor {
				return line.ConvTranspose1d(taps, c.padding, c.extra, c.stride, c.dilation,
					1)
			}
			agree(t, g(), inGo(g), 0)
		})
	}
}

// TestDepthwiseRows is TestConvolveTiles for kernels of one channel each.
func TestDepthwiseRows(t *testing.T) {
	if simd.Fast.SumRows == nil {
		t.Skip("this processor has no vector instructions that package simd knows")
	}
	for _, c := range []struct{ n, channels, many, h, w, kh, kw, padding, stride, dilation int }{
		{1, 8, 1, 9, 9, 3, 3, 1, 1, 1}, {2, 3, 2, 20, 37, 3, 5, 2, 2, 1}, {1, 2, 1, 12, 40, 3, 3, 0, 1, 3},
		{3, 5, 3, 4, 4, 1, 1, 0, 1, 1}, {1, 1, 1, 8, 70, 7, 7, 3, 3, 1},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			x, w := wholeNumbers(c.n, c.channels, c.h, c.w), wholeNumbers(c.channels*c.many, 1, c.kh, c.kw)
			f := func() *tensor.Tensor { return x.Conv2d(w, c.padding, c.stride, c.dilation, c.channels) }
			agree(t, f(), inGo(f), 0)
		})
	}
}
