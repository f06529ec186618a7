package nn_test

import (
	"errors"
	"math"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestAttentionCached: keys that come one by one through a cache, plain or rotating, give what attention over all at
// once gives.
func TestAttentionCached(t *testing.T) {
	const steps, window = 9, 4
	for _, dev := range devices(t) {
		random := func(heads int) *tensor.Tensor {
			return tensor.Randn(0, 1, []int{1, heads, steps, 8}, tensor.F32,
				dev)
		}
		q, k, v := random(4), random(2), random(2)
		all := nn.Attention(q, k, v, nn.Attend{Causal: true})
		last := nn.Attention(q, k, v, nn.Attend{Causal: true, Window: window})
		plain, ring := nn.NewKVCache(2, 4), nn.NewRotatingKVCache(2, window)
		for i := range steps {
			at := func(t *tensor.Tensor) *tensor.Tensor { return t.Narrow(2, i, 1) }
			keys, values := plain.Append(at(k), at(v))
			close(t, nn.Attention(at(q), keys, values, nn.Attend{Causal: true}), at(all))
			mask := ring.AttnMask(1, dev)
			keys, values = ring.Append(at(k), at(v))
			close(t, nn.Attention(at(q), keys, values, nn.Attend{Mask: mask}), at(last))
		}
		if plain.Len() != steps || ring.Len() != steps {
			t.Errorf("lengths %d and %d", plain.Len(), ring.Len())
		}
		ring.Reset()
		mask := ring.AttnMask(steps, dev)
		keys, values := ring.Append(k, v)
		close(t, nn.Attention(q, keys, values, nn.Attend{Mask: mask}), last)
		plain.Reset()
		keys, values = plain.Append(k, v)
		close(t, nn.Attention(q, keys, values, nn.Attend{Causal: true}), all)
	}
}

func close(t *testing.T, got, want *tensor.Tensor) {
	t.Helper()
	if d := got.Sub(want).Abs().Max().ToScalar(); !(d < 1e-5) {
		t.Errorf("differs by %v", d)
	}
}

func TestAttentionHalf(t *testing.T) {
	for _, dev := range devices(t) {
		x := tensor.Randn(0, 1, []int{1, 2, 5, 8}, tensor.F32, dev)
		want := nn.Attention(x, x, x, nn.Attend{Causal: true})
		for _, dt := range []tensor.DType{tensor.F16, tensor.BF16} {
			y := x.ToDType(dt)
			got := nn.Attention(y, y, y, nn.Attend{Causal: true})
			if d := got.ToDType(tensor.F32).Sub(want).Abs().Max().ToScalar(); got.DType() != dt || !(d < 0.05) {
				t.Errorf("%v: %v differs by %v", dev, got.DType(), d)
			}
		}
	}
}

// TestAttentionGradient compares the gradient with differences in float64.
func TestAttentionGradient(t *testing.T) {
	cpu := tensor.CPU()
	cpu.SetSeed(4)
	random := func(heads, n int) *tensor.Tensor { return tensor.Randn(0, 1, []int{1, heads, n, 4}, tensor.F64, cpu) }
	in := []*tensor.Tensor{tensor.NewVar(random(2, 3)), tensor.NewVar(random(1, 5)), tensor.NewVar(random(1, 5))}
	weights := random(2, 3)
	loss := func() *tensor.Tensor {
		return nn.Attention(in[0], in[1], in[2], nn.Attend{Causal: true, Softcap: 2}).Mul(weights).Sum()
	}
	grads := loss().Backward()
	const h = 1e-5
	for k, v := range in {
		want := grads.Get(v).Float64s()
		start := v.Float64s()
		for i := range start {
			at := func(x float64) float64 {
				list := append([]float64{}, start...)
				list[i] = x
				v.Set(tensor.FromSlice(list, v.Dims(), cpu))
				return loss().ToScalar()
			}
			if got := (at(start[i]+h) - at(start[i]-h)) / (2 * h); math.Abs(got-want[i]) > 1e-6 {
				t.Fatalf("operand %d, element %d: %v, differences give %v", k, i, want[i], got)
			}
		}
		v.Set(tensor.FromSlice(start, v.Dims(), cpu))
	}
}

func TestAttentionShapes(t *testing.T) {
	zeros := func(shape ...int) *tensor.Tensor { return tensor.Zeros(shape, tensor.F32, tensor.CPU()) }
	for _, c := range [][3]*tensor.Tensor{
		{zeros(1, 3, 2, 4), zeros(1, 2, 5, 4), zeros(1, 2, 5, 4)},
		{zeros(1, 2, 2, 4), zeros(1, 2, 5, 6), zeros(1, 2, 5, 4)},
		{zeros(1, 2, 2, 4), zeros(1, 2, 5, 4), zeros(1, 2, 6, 4)},
		{zeros(2, 2, 4), zeros(2, 5, 4), zeros(2, 5, 4)},
	} {
		if _, err := tensor.Try(func() *tensor.Tensor {
			return nn.Attention(c[0], c[1], c[2], nn.Attend{})
		}); !errors.Is(err, tensor.ErrShape) {
			t.Errorf("%v, %v, %v: %v", c[0].Dims(), c[1].Dims(), c[2].Dims(), err)
		}
	}
}

func TestRopeTables(t *testing.T) {
	cos, sin := nn.RopeTables(3, 4, 100, tensor.CPU())
	for p := range 3 {
		for i, f := range []float64{1, 0.1} {
			if c, s := cos.ToVec2()[p][i], sin.ToVec2()[p][i]; math.Abs(c-math.Cos(float64(p)*f)) > 1e-7 ||
				math.Abs(s-math.Sin(float64(p)*f)) > 1e-7 {
				t.Errorf("position %d, pair %d: %v, %v", p, i, c, s)
			}
		}
	}
}

func TestLayersInSequence(t *testing.T) {
	p := nn.NewParams(tensor.F32, tensor.CPU())
	double := tensor.Func(func(x *tensor.Tensor) *tensor.Tensor { return x.Mul(2) })
	s := nn.Sequential{nn.Identity{}, double, nn.Dropout(0.5)}
	x := tensor.Ones([]int{1000}, tensor.F32, tensor.CPU())
	if got := x.Apply(s).Sum().ToScalar(); got != 2000 {
		t.Errorf("without training %v", got)
	}
	if dropped := x.ApplyT(s, true).Eq(0).ToDType(tensor.F32).Sum().ToScalar(); dropped < 400 || dropped > 600 {
		t.Errorf("to train, %v are dropped", dropped)
	}
	conv := nn.NewConv2d(2, 3, 3, nn.ConvConfig{Padding: 1}, p.At("conv"))
	norm := nn.BatchNormOf(3, p.At("norm"))
	norm.RunningMean, norm.RunningVar = tensor.Of(1, 2, 3), tensor.Of(4, 1, 0.25)
	image := tensor.Randn(0, 1, []int{1, 2, 5, 5}, tensor.F32, tensor.CPU())
	close(t, conv.AbsorbBatchNorm(norm).Forward(image), norm.Forward(conv.Forward(image)))
}
