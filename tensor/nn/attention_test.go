package nn_test

import (
	"errors"
	"fmt"
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
			return dev.Randn(tensor.F32, 1, heads, steps, 8)
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
		x := dev.Randn(tensor.F32, 1, 2, 5, 8)
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
	random := func(heads, n int) *tensor.Tensor { return cpu.Randn(tensor.F64, 1, heads, n, 4) }
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
				v.Set(cpu.FromSlice(list, v.Dims()...))
				return loss().ToScalar()
			}
			if got := (at(start[i]+h) - at(start[i]-h)) / (2 * h); math.Abs(got-want[i]) > 1e-6 {
				t.Fatalf("operand %d, element %d: %v, differences give %v", k, i, want[i], got)
			}
		}
		v.Set(cpu.FromSlice(start, v.Dims()...))
	}
}

// TestAttentionGradientsOfGradients: on a GPU they are those of the CPU, as is the gradient of a mask, which no kernel
// computes.
func TestAttentionGradientsOfGradients(t *testing.T) {
	random := func(heads, n, size int) *tensor.Tensor {
		return tensor.CPU().Randn(tensor.F32, 1, heads, n, size)
	}
	values := []*tensor.Tensor{random(4, 9, 8), random(2, 12, 8), random(2, 12, 6), random(1, 1, 12)}
	weights := []*tensor.Tensor{random(4, 9, 8), random(2, 12, 8), random(2, 12, 6)}
	for name, c := range map[string]struct {
		form   nn.Attend
		masked bool
	}{
		"causal":           {form: nn.Attend{Causal: true}},
		"window and cap":   {form: nn.Attend{Causal: true, Window: 4, Softcap: 1.5, Scale: 0.7}},
		"gradient of mask": {masked: true},
	} {
		// the gradients of Σ y², and those of a weighted sum of them
		gradients := func(dev *tensor.Device) (first, second []*tensor.Tensor) {
			var vars []*tensor.Tensor
			for _, x := range values {
				vars = append(vars, tensor.NewVar(x.ToDevice(dev)))
			}
			form := c.form
			if c.masked {
				form.Mask = vars[3]
			}
			loss := nn.Attention(vars[0], vars[1], vars[2], form).Sqr().Sum()
			plain, graph := loss.BackwardRetain(nil), loss.BackwardGraph(nil)
			sum := dev.Zeros(tensor.F32)
			for i, w := range weights {
				close(t, graph.Get(vars[i]).Detach(), plain.Get(vars[i]))
				sum = sum.Add(graph.Get(vars[i]).Mul(w.ToDevice(dev)).Sum())
			}
			grads := sum.Backward()
			for i, v := range vars {
				if i == 3 && !c.masked {
					continue
				}
				first, second = append(first, plain.Get(v)), append(second, grads.Get(v))
			}
			return first, second
		}
		want1, want2 := gradients(tensor.CPU())
		for _, dev := range devices(t)[1:] {
			t.Run(fmt.Sprintf("%s/%v", name, dev), func(t *testing.T) {
				got1, got2 := gradients(dev)
				for i := range want1 {
					close(t, got1[i].ToDevice(tensor.CPU()), want1[i])
					if d := got2[i].ToDevice(tensor.CPU()).Sub(want2[i]).Abs().Max().ToScalar(); !(d < 1e-4) {
						t.Errorf("gradients of gradients %d differ by %v", i, d)
					}
				}
			})
		}
	}
}

// TestAttentionGradientOfFreed: what the gradient needs and was freed is an error.
func TestAttentionGradientOfFreed(t *testing.T) {
	for _, dev := range devices(t) {
		for _, freed := range []string{"result", "mask", "keys"} {
			q, k := tensor.NewVar(dev.Randn(tensor.F32, 1, 1, 20, 8)), dev.Randn(tensor.F32, 1, 1, 30, 8)
			mask := dev.Rand(tensor.F32, 20, 30).Gt(0.5)
			y := nn.Attention(q, k, k, nn.Attend{Mask: mask})
			loss := y.Sum()
			loss.ToScalar()
			map[string]*tensor.Tensor{"result": y, "mask": mask, "keys": k}[freed].Free()
			_, err := tensor.Try(func() *tensor.Tensor { return loss.Backward().Get(q) })
			if dev.IsCPU() && freed == "result" { // its gradient needs no result
				if err != nil {
					t.Errorf("%v, %s: %v", dev, freed, err)
				}
			} else if !errors.Is(err, tensor.ErrMemory) {
				t.Errorf("%v, %s: %v, want an error of kind ErrMemory", dev, freed, err)
			}
		}
	}
}

func TestAttentionShapes(t *testing.T) {
	zeros := func(shape ...int) *tensor.Tensor { return tensor.Zeros(shape...) }
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
	x := tensor.Ones(1000)
	if got := x.Apply(s).Sum().ToScalar(); got != 2000 {
		t.Errorf("without training %v", got)
	}
	if dropped := x.ApplyT(s, true).Eq(0).ToDType(tensor.F32).Sum().ToScalar(); dropped < 400 || dropped > 600 {
		t.Errorf("to train, %v are dropped", dropped)
	}
	conv := nn.NewConv2d(2, 3, 3, nn.ConvConfig{Padding: 1}, p.At("conv"))
	norm := nn.BatchNormOf(3, p.At("norm"))
	norm.RunningMean, norm.RunningVar = tensor.Of(1, 2, 3), tensor.Of(4, 1, 0.25)
	image := tensor.Randn(1, 2, 5, 5)
	close(t, conv.AbsorbBatchNorm(norm).Forward(image), norm.Forward(conv.Forward(image)))
}
