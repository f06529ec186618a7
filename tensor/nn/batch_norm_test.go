package nn_test

import (
	"fmt"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/autograd"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestBatchNormGradients: results and gradients of a training are those of the definition, computed by operations in
// F64, for images of both orders in memory and channels that are no whole packs.
func TestBatchNormGradients(t *testing.T) {
	thorough.Slow(t)
	host := tensor.CPU()
	definition := func(xs ...*tensor.Tensor) *tensor.Tensor {
		x, dims, line := xs[0], []int{0}, []int{1, xs[0].Dim(1)}
		for d := 2; d < x.Rank(); d++ {
			dims, line = append(dims, d), append(line, 1)
		}
		u := x.Sub(x.MeanKeepDim(dims...))
		h := u.Div(u.Sqr().MeanKeepDim(dims...).Add(1e-5).Sqrt())
		return h.Mul(xs[1].Reshape(line...)).Add(xs[2].Reshape(line...))
	}
	within := map[tensor.DType]float64{tensor.F64: 1e-12, tensor.F32: 2e-5, tensor.F16: 4e-3, tensor.BF16: 3e-2}
	shapes := [][]int{{6, 5}, {3, 5, 7}, {4, 16, 3, 8}, {3, 24, 5, 5}, {2, 3, 4, 3, 4}, {2, 40, 16, 16}}
	for _, dev := range devices(t) {
		host.SetSeed(3)
		for i, shape := range shapes {
			for _, dt := range []tensor.DType{tensor.F64, tensor.F32, tensor.F16, tensor.BF16} {
				for _, last := range []bool{false, true} {
					x := host.Randn(tensor.F32, shape...).Mul(1.5).Add(2).ToDType(dt)
					w, b, g := host.Rand(tensor.F32, shape[1]).Add(0.5).ToDType(dt), host.Randn(tensor.F32, shape[1]).ToDType(dt),
						host.Randn(tensor.F32, shape...).ToDType(dt)
					run := func(f func(xs ...*tensor.Tensor) *tensor.Tensor, dev *tensor.Device, dt tensor.DType,
						last bool) []*tensor.Tensor {
						vars := make([]*tensor.Tensor, 3)
						for k, v := range []*tensor.Tensor{x, w, b} {
							v = v.ToDevice(dev).ToDType(dt)
							if k == 0 && last {
								v = v.Transpose(1, len(shape)-1).Contiguous().Transpose(1, len(shape)-1)
							}
							vars[k] = tensor.NewVar(v)
						}
						y := f(vars...)
						grads := y.BackwardWith(g.ToDevice(dev).ToDType(dt))
						results := []*tensor.Tensor{y.Detach()}
						for _, v := range vars {
							results = append(results, grads.Get(v))
						}
						return results
					}
					layer := func(xs ...*tensor.Tensor) *tensor.Tensor {
						n := nn.NewBatchNorm(shape[1], dt, dev)
						n.Weight, n.Bias = xs[1], xs[2]
						return n.ForwardT(xs[0], true)
					}
					want := run(definition, host, tensor.F64, false)
					for k, got := range run(layer, dev, dt, last) {
						scale := 1 + want[k].Abs().Max().ToScalar()
						diff := got.ToDevice(host).ToDType(tensor.F64).Sub(want[k]).Abs().Max().ToScalar()
						if got.DType() != dt || !(diff <= within[dt]*scale) {
							t.Errorf("%v, shape %d %v %v, last %v, result %d: %v of %g off by %g", dev, i, shape, dt, last, k,
								got.DType(), scale, diff)
						}
					}
				}
			}
		}
	}
}

// TestBatchNormTwice: gradients of gradients, and a sum that is far from its elements' spread.
func TestBatchNormTwice(t *testing.T) {
	for _, dev := range devices(t) {
		dev.SetSeed(1)
		x := tensor.NewVar(dev.Randn(tensor.F64, 4, 3, 2))
		norm := nn.NewBatchNorm(3, tensor.F64, dev)
		loss := func(x *tensor.Tensor) *tensor.Tensor { return norm.ForwardT(x, true).Powf(3).Sum() }
		v := dev.Randn(tensor.F64, 4, 3, 2)
		_, got := autograd.HVP(loss, x, v)
		const h = 1e-5
		slope := func(x *tensor.Tensor) *tensor.Tensor { x = tensor.NewVar(x); return loss(x).Backward().Get(x) }
		want := slope(x.Detach().Add(v.Mul(h))).Sub(slope(x.Detach().Sub(v.Mul(h)))).Div(2 * h)
		if d := got.Sub(want).Abs().Max().ToScalar(); !(d < 1e-6) {
			t.Errorf("%v: off by %g", dev, d)
		}
		far := dev.Randn(tensor.F32, 64, 2, 9).Add(1e4)
		y := nn.NewBatchNorm(2, tensor.F32, dev).ForwardT(far, true)
		if std := fmt.Sprintf("%.3f", y.Sqr().Mean().ToScalar()); std != "1.000" {
			t.Errorf("%v: a mean square of %s", dev, std)
		}
	}
}

// TestTrainerOfImages: a graph with convolutions, by a library where there is one, and norms of batches takes the steps
// that launches take.
func TestTrainerOfImages(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		run := func(graph bool) (losses []float64, captured bool) {
			dev.SetSeed(2)
			p := nn.NewParams(tensor.F32, dev)
			first := nn.NewConv2d(8, 16, 3, nn.ConvConfig{Padding: 1}, p.At("first"))
			second := nn.NewConv2d(16, 8, 1, nn.ConvConfig{}, p.At("second"))
			norm := nn.BatchNormOf(16, p.At("norm"))
			x, y := dev.Randn(tensor.F32, 4, 8, 16, 16), dev.Randn(tensor.F32, 4, 8, 16, 16)
			opt := nn.NewSGD(p.Vars(), 0.2)
			opt.Momentum = 0.9
			loss := func(in ...*tensor.Tensor) *tensor.Tensor {
				return second.Forward(norm.ForwardT(first.Forward(in[0]), true).Relu()).Sub(in[1]).Sqr().Mean()
			}
			step := func() *tensor.Tensor {
				return nn.TrainStep(opt, func() *tensor.Tensor { return loss(x, y) })
			}
			if graph {
				trainer := nn.NewTrainer(opt, loss)
				step = func() *tensor.Tensor { return trainer.Step(x, y) }
				defer func() { g, err := trainer.Graph(); captured = g != nil && err == nil }()
			}
			for range 6 {
				losses = append(losses, step().ToScalar())
			}
			return losses, false
		}
		want, _ := run(false)
		got, captured := run(true)
		if !dev.IsCPU() && !captured {
			t.Errorf("%v: no graph", dev)
		}
		for i := range want {
			if d := got[i] - want[i]; !(d < 1e-5 && d > -1e-5) || want[i] > want[0] {
				t.Fatalf("%v, step %d: %v, launched %v", dev, i, got, want)
			}
		}
	}
}
