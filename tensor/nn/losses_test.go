package nn_test

import (
	"errors"
	"math"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// recordedLoss is a loss of PyTorch's and the gradients of its first operands. Values of several elements were weighted
// with 1, 2, … before Backward.
type recordedLoss struct {
	Name, Reduction string
	Config          lossConfig
	Operands        []plainTensor
	Value           plainTensor
	Gradients       []plainTensor
}

type lossConfig struct {
	Delta, Beta, Margin, P float64
	Ignore                 *int
	Weights, Positive      *plainTensor
	Log, Batch, Swap, Full bool
}

// lossOf computes a recorded loss.
func lossOf(t *testing.T, l recordedLoss, x []*tensor.Tensor) *tensor.Tensor {
	t.Helper()
	r := map[string]nn.Reduction{"mean": nn.ReduceMean, "sum": nn.ReduceSum, "none": nn.ReduceNone}[l.Reduction]
	c := l.Config
	of := func(p *plainTensor) *tensor.Tensor {
		if p == nil {
			return nil
		}
		return p.on(x[0].Device(), x[0].DType())
	}
	weights := of(c.Weights)
	switch l.Name {
	case "l1":
		return nn.L1(x[0], x[1], r)
	case "mse":
		return nn.MseWith(x[0], x[1], r)
	case "huber":
		return nn.HuberWith(x[0], x[1], c.Delta, r)
	case "smooth l1":
		return nn.SmoothL1(x[0], x[1], c.Beta, r)
	case "nll":
		return nn.NllWith(x[0], x[1].ToDType(tensor.I64), nn.CrossEntropyOptions{Weights: weights, IgnoreIndex: c.Ignore, Reduction: r})
	case "bce":
		return nn.BinaryCrossEntropy(x[0], x[1], nn.BinaryOptions{Reduction: r})
	case "bce with logits":
		return nn.BinaryCrossEntropyWith(x[0], x[1], nn.BinaryOptions{Weights: weights, Positive: of(c.Positive), Reduction: r})
	case "kl":
		return nn.KLDiv(x[0], x[1], nn.KLOptions{LogTarget: c.Log, BatchMean: c.Batch, Reduction: r})
	case "hinge embedding":
		return nn.HingeEmbedding(x[0], x[1], c.Margin, r)
	case "margin ranking":
		return nn.MarginRanking(x[0], x[1], x[2], c.Margin, r)
	case "soft margin":
		return nn.SoftMargin(x[0], x[1], r)
	case "multi margin":
		return nn.MultiMargin(x[0], x[1].ToDType(tensor.I64),
			nn.MultiMarginOptions{P: int(c.P), Margin: c.Margin, Weights: weights, Reduction: r})
	case "multi-label soft margin":
		return nn.MultiLabelSoftMargin(x[0], x[1], weights, r)
	case "triplet":
		return nn.Triplet(x[0], x[1], x[2], nn.TripletOptions{Margin: c.Margin, P: c.P, Swap: c.Swap, Reduction: r})
	case "cosine embedding":
		return nn.CosineEmbedding(x[0], x[1], x[2], c.Margin, r)
	case "poisson nll":
		return nn.PoissonNll(x[0], x[1], nn.PoissonOptions{Rates: !c.Log, Full: c.Full, Reduction: r})
	case "gaussian nll":
		return nn.GaussianNll(x[0], x[1], x[2], nn.GaussianOptions{Full: c.Full, Reduction: r})
	}
	t.Fatalf("no loss %q", l.Name)
	return nil
}

func TestLossesBesidePyTorch(t *testing.T) {
	thorough.Slow(t)
	all := readRecorded(t).Losses
	if len(all) < 80 {
		t.Fatalf("%d losses only", len(all))
	}
	for _, where := range []string{"cpu", "rocm"} {
		dev, err := tensor.NewDevice(where)
		if err != nil {
			t.Skip(err)
		}
		types := map[tensor.DType]float64{tensor.F64: 1e-9, tensor.F32: 2e-5}
		if !dev.IsCPU() && !thorough.On() {
			delete(types, tensor.F64)
		}
		for dt, tolerance := range types {
			for _, l := range all {
				var vars []*tensor.Tensor
				for i, o := range l.Operands {
					x := o.on(dev, dt)
					if i < len(l.Gradients) {
						x = tensor.NewVar(x)
					}
					vars = append(vars, x)
				}
				y := lossOf(t, l, vars)
				if far(y, l.Value.Data) > tolerance || len(l.Value.Shape) != y.Rank() {
					t.Errorf("%v %v %s %s: %v, PyTorch %v", dev, dt, l.Name, l.Reduction, y, l.Value)
					continue
				}
				weights := dev.Arange(dt, 1, float64(y.ElemCount()+1)).Reshape(y.Dims()...)
				grads := y.BackwardWith(weights)
				for i, want := range l.Gradients {
					if g := grads.Get(vars[i]); g == nil || far(g, want.Data) > tolerance {
						t.Errorf("%v %v %s %s: gradient %d is %v, PyTorch's %v", dev, dt, l.Name, l.Reduction, i, g, want)
					}
				}
			}
		}
	}
}

// TestLossMistakes: operands that do not fit are errors.
func TestLossMistakes(t *testing.T) {
	x, y := tensor.Zeros(2, 3), tensor.Zeros(3)
	for name, f := range map[string]func() *tensor.Tensor{
		"l1":        func() *tensor.Tensor { return nn.L1(x, y, nn.ReduceMean) },
		"reduction": func() *tensor.Tensor { return nn.L1(x, x, nn.Reduction(7)) },
		"huber":     func() *tensor.Tensor { return nn.HuberWith(x, x, 0, nn.ReduceMean) },
		"smooth": func() *tensor.Tensor {
			return nn.NllWith(x, y.ToDType(tensor.I64), nn.CrossEntropyOptions{LabelSmoothing: 0.1})
		},
		"power":    func() *tensor.Tensor { return nn.Triplet(x, x, x, nn.TripletOptions{P: -1}) },
		"cosine":   func() *tensor.Tensor { return nn.CosineEmbedding(x, x, y, 0, nn.ReduceMean) },
		"variance": func() *tensor.Tensor { return nn.GaussianNll(y, y, x, nn.GaussianOptions{}) },
		"margin": func() *tensor.Tensor {
			return nn.MultiMargin(x, tensor.Zeros(2).ToDType(tensor.I64), nn.MultiMarginOptions{P: 3})
		},
	} {
		if _, err := tensor.Try(f); !errors.Is(err, tensor.ErrShape) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCrossEntropyOfCertainties: probabilities that are exactly 0 or 1 have the gradients that PyTorch gives them.
func TestCrossEntropyOfCertainties(t *testing.T) {
	for _, dt := range []tensor.DType{tensor.F32, tensor.F64} {
		p := tensor.NewVar(tensor.Of(1, 0, 0, 1, 0.25, 1).ToDType(dt))
		y := tensor.NewVar(tensor.Of(1, 0, 1, 0, 1, 0.5).ToDType(dt))
		loss := nn.BinaryCrossEntropy(p, y, nn.BinaryOptions{Reduction: nn.ReduceSum})
		if got := loss.ToScalar(); math.Abs(got-(200+math.Log(4)+50)) > 1e-4 {
			t.Errorf("%v: loss %v", dt, got)
		}
		grads := loss.Backward()
		for name, c := range map[string]struct {
			got  []float64
			want []float64
		}{
			"probabilities": {grads.Get(p).ToVec1(), []float64{0, 0, -1e12, 1e12, -4, 5e11}},
			"target":        {grads.Get(y).ToVec1(), []float64{-100, 100, 100, -100, math.Log(0.75) - math.Log(0.25), -100}},
		} {
			for i, v := range c.got {
				if math.Abs(v-c.want[i]) > 1e-6*math.Max(1, math.Abs(c.want[i])) {
					t.Errorf("%v: gradient of the %s: %v, want %v", dt, name, c.got, c.want)
					break
				}
			}
		}
	}
}

// TestKinksBesidePyTorch: gradients of losses where they have none, as PyTorch 2.15 has them.
func TestKinksBesidePyTorch(t *testing.T) {
	var x, y *tensor.Tensor
	two := func(a, b []float64) (*tensor.Tensor, *tensor.Tensor) {
		x, y = tensor.NewVar(tensor.CPU().New(a)), tensor.NewVar(tensor.CPU().New(b))
		return x, y
	}
	row := func(v *tensor.Tensor) *tensor.Tensor { return v.Unsqueeze(0) }
	edges, zeros := []float64{1, -1, 0}, []float64{0, 0, 0}
	for name, c := range map[string]struct {
		a, b, want []float64
		loss       func(a, b *tensor.Tensor) *tensor.Tensor
	}{
		"hinge": {[]float64{1, 1, 0.5, 2}, zeros, []float64{0, 1, -1, 0}, func(a, _ *tensor.Tensor) *tensor.Tensor {
			return nn.HingeEmbedding(a, tensor.CPU().New([]float64{-1, 1, -1, -1}), 1, nn.ReduceSum)
		}},
		"ranking": {[]float64{1.5, 1, 1}, []float64{1, 1.5, 2}, []float64{0, 0, -1},
			func(a, b *tensor.Tensor) *tensor.Tensor {
				return nn.MarginRanking(a, b, tensor.CPU().New([]float64{1, -1, 1}), 0.5, nn.ReduceSum)
			}},
		"cosine": {[]float64{1, 0}, []float64{0, 1}, []float64{0, 0}, func(a, b *tensor.Tensor) *tensor.Tensor {
			return nn.CosineEmbedding(row(a), row(b), tensor.CPU().New([]float64{-1}), 0, nn.ReduceSum)
		}},
		"multi-margin": {[]float64{1, 0, 0.5}, zeros, []float64{-1. / 3, 0, 1. / 3}, func(a, _ *tensor.Tensor) *tensor.Tensor {
			return nn.MultiMargin(row(a), tensor.CPU().New([]int64{0}), nn.MultiMarginOptions{Reduction: nn.ReduceSum})
		}},
		"huber":     {edges, zeros, edges, func(a, b *tensor.Tensor) *tensor.Tensor { return nn.HuberWith(a, b, 1, nn.ReduceSum) }},
		"smooth L1": {edges, zeros, edges, func(a, b *tensor.Tensor) *tensor.Tensor { return nn.SmoothL1(a, b, 1, nn.ReduceSum) }},
		"L1":        {edges, zeros, edges, func(a, b *tensor.Tensor) *tensor.Tensor { return nn.L1(a, b, nn.ReduceSum) }},
	} {
		for i, got := range c.loss(two(c.a, c.b)).Backward().Get(x).ToVec1() {
			if math.Abs(got-c.want[i]) > 1e-12 {
				t.Errorf("%s: gradient %d is %v, want %v", name, i, got, c.want[i])
			}
		}
	}
}
