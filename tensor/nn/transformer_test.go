package nn_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/nn"
)

// table is a matrix of the references.
type table [][]float64

func (a table) times(weight table, bias []float64) table { // a·weightᵀ + bias
	out := make(table, len(a))
	for i, row := range a {
		out[i] = make([]float64, len(weight))
		for j, w := range weight {
			for k, x := range row {
				out[i][j] += x * w[k]
			}
			out[i][j] += bias[j]
		}
	}
	return out
}

func (a table) plus(b table) table {
	out := make(table, len(a))
	for i := range a {
		for j := range a[i] {
			out[i] = append(out[i], a[i][j]+b[i][j])
		}
	}
	return out
}

func (a table) normed(weight, bias []float64) table {
	out := make(table, len(a))
	for i, row := range a {
		mean, square := 0.0, 0.0
		for _, x := range row {
			mean += x / float64(len(row))
		}
		for _, x := range row {
			square += (x - mean) * (x - mean) / float64(len(row))
		}
		for j, x := range row {
			out[i] = append(out[i], (x-mean)/math.Sqrt(square+1e-5)*weight[j]+bias[j])
		}
	}
	return out
}

// weights are parameters by name.
type weightTables map[string]table

func (w weightTables) linear(name string, x table) table {
	return x.times(w[name+"weight"], w[name+"bias"][0])
}

// attention is that of the rows of x to themselves, of which some are hidden.
func (w weightTables) attention(x table, heads int, hidden func(i, j int) bool) table {
	all := x.times(w["self_attn.in_proj_weight"], w["self_attn.in_proj_bias"][0])
	size := len(x[0])
	d, mixed := size/heads, make(table, len(x))
	for i := range x {
		mixed[i] = make([]float64, size)
		for h := range heads {
			scores, sum := make([]float64, len(x)), 0.0
			for j := range x {
				if hidden(i, j) {
					continue
				}
				dot := 0.0
				for k := h * d; k < (h+1)*d; k++ {
					dot += all[i][k] * all[j][size+k]
				}
				scores[j] = math.Exp(dot / math.Sqrt(float64(d)))
				sum += scores[j]
			}
			for j := range x {
				for k := h * d; k < (h+1)*d; k++ {
					mixed[i][k] += scores[j] / sum * all[j][2*size+k]
				}
			}
		}
	}
	return w.linear("self_attn.out_proj.", mixed)
}

func (w weightTables) layer(x table, heads int, first bool, hidden func(i, j int) bool) table {
	norm := func(name string, x table) table { return x.normed(w[name+".weight"][0], w[name+".bias"][0]) }
	feed := func(x table) table {
		h := w.linear("linear1.", x)
		for i := range h {
			for j, v := range h[i] {
				h[i][j] = max(v, 0)
			}
		}
		return w.linear("linear2.", h)
	}
	if first {
		x = x.plus(w.attention(norm("norm1", x), heads, hidden))
		return x.plus(feed(norm("norm2", x)))
	}
	x = norm("norm1", x.plus(w.attention(x, heads, hidden)))
	return norm("norm2", x.plus(feed(x)))
}

// TestTransformer compares a layer with loops over its definition, in both orders, causal, and with padded keys.
func TestTransformer(t *testing.T) {
	const size, heads, hidden, steps = 6, 2, 5, 4
	shapes := map[string][]int{"self_attn.in_proj_weight": {3 * size, size}, "self_attn.in_proj_bias": {3 * size},
		"self_attn.out_proj.weight": {size, size}, "self_attn.out_proj.bias": {size},
		"linear1.weight": {hidden, size}, "linear1.bias": {hidden}, "linear2.weight": {size, hidden},
		"linear2.bias": {size}, "norm1.weight": {size}, "norm1.bias": {size}, "norm2.weight": {size}, "norm2.bias": {size}}
	for _, dev := range devices(t) {
		var list []formats.Named
		w := weightTables{}
		for name, shape := range shapes {
			n := tensor.CPU().Zeros(tensor.F32, shape...).ElemCount()
			x := tensor.CPU().Arange(tensor.F64, float64(n)).Mul(0.37 + float64(len(name))).Sin().Reshape(shape...)
			list = append(list, formats.Named{Name: name, Tensor: x})
			w[name] = x.Reshape(-1, shape[len(shape)-1]).ToVec2()
		}
		x := dev.Arange(tensor.F64, 2*steps*size).Mul(0.9).Cos().Reshape(2, steps, size)
		pad := dev.New([][]bool{{false, false, false, false}, {false, false, true, true}}).Reshape(2, 1, 1, steps)
		for _, first := range []bool{false, true} {
			for name, a := range map[string]nn.Attend{"plain": {}, "causal": {Causal: true}, "padded": {Mask: pad}} {
				c := nn.DefaultTransformer(size, heads)
				c.Hidden, c.NormFirst = hidden, first
				l := nn.NewTransformerEncoderLayer(c, nn.ParamsOf(list, tensor.F64, dev))
				got := l.Attending(x, a, false).ToVec3()
				for b, rows := range x.ToVec3() {
					want := w.layer(rows, heads, first, func(i, j int) bool {
						return a.Causal && j > i || a.Mask != nil && b == 1 && j > 1
					})
					for i := range want {
						for j, v := range want[i] {
							if math.Abs(got[b][i][j]-v) > 1e-10 {
								t.Fatalf("%v, %s, norm first %v: [%d %d %d] is %v, want %v", dev, name, first, b, i, j, got[b][i][j], v)
							}
						}
					}
				}
			}
		}
	}
}

// TestTransformerTrains has new parameters, with dropout, whose loss falls.
func TestTransformerTrains(t *testing.T) {
	p := nn.NewParams(tensor.F32, tensor.CPU())
	c := nn.DefaultTransformer(8, 2)
	c.Hidden, c.NormFirst = 16, true
	e := nn.NewTransformerEncoder(2, c, p)
	if e.Norm == nil || len(p.Vars()) != 2*12+2 {
		t.Errorf("%d parameters, and the norm %v", len(p.Vars()), e.Norm)
	}
	tensor.CPU().SetSeed(1)
	x := tensor.CPU().Randn(tensor.F32, 4, 5, 8)
	opt := nn.NewAdamW(p.Vars(), nn.DefaultAdamW())
	opt.SetLearningRate(0.01)
	loss := func(train bool) *tensor.Tensor { return nn.Mse(e.ForwardT(x, train), x.Flip(1)) }
	before := loss(false).ToScalar()
	for range 30 {
		nn.TrainStep(opt, func() *tensor.Tensor { return loss(true) })
	}
	if after := loss(false).ToScalar(); !(after < before/2) {
		t.Errorf("the loss went from %v to %v", before, after)
	}
	if loss(true).ToScalar() == loss(true).ToScalar() {
		t.Error("nothing is dropped in training")
	}
	if _, err := tensor.Try(func() *tensor.Tensor { return e.Forward(x.Narrow(2, 0, 7)) }); !errors.Is(err, tensor.ErrShape) {
		t.Errorf("rows of 7 elements: %v", err)
	}
}

func TestRNN(t *testing.T) {
	for _, dev := range devices(t) {
		for _, relu := range []bool{false, true} {
			p := nn.NewParams(tensor.F64, dev)
			r := nn.NewRNN(3, 2, "l0", p)
			r.Relu = relu
			x := dev.Arange(tensor.F64, 2*4*3).Sin().Reshape(2, 4, 3)
			h := make(table, 2)
			h[0], h[1] = make([]float64, 2), make([]float64, 2)
			for step, got := range r.Seq(x, r.ZeroState(2)) {
				from := table(x.GetOnDim(1, step).ToVec2()).times(r.WeightIH.ToVec2(), r.BiasIH.ToVec1())
				h = from.plus(h.times(r.WeightHH.ToVec2(), r.BiasHH.ToVec1()))
				for i := range h {
					for j, v := range h[i] {
						if h[i][j] = math.Tanh(v); relu {
							h[i][j] = max(v, 0)
						}
						if g := got.Get(i).Get(j).ToScalar(); math.Abs(g-h[i][j]) > 1e-12 {
							t.Errorf("%v, relu %v: step %d: got %v, want %v", dev, relu, step, g, h[i][j])
						}
					}
				}
			}
		}
	}
}

// TestOneCycle has the values of PyTorch's definition.
func TestOneCycle(t *testing.T) {
	for i, c := range []struct {
		s    nn.Schedule
		want map[int]float64
	}{
		{nn.OneCycle(1, 101, nn.OneCycleOptions{Start: 0.20792079207920791}), // the largest one in step 20
			map[int]float64{0: 0.04, 10: 0.52, 20: 1, 60: 0.500002, 100: 4e-6, 200: 4e-6}},
		{nn.OneCycle(1, 101, nn.OneCycleOptions{Start: 0.20792079207920791, Linear: true, Div: 10, FinalDiv: 100}),
			map[int]float64{0: 0.1, 5: 0.325, 20: 1, 60: 0.5005, 100: 0.001}},
		{nn.OneCycle(2, 101, nn.OneCycleOptions{Start: 0.20792079207920791, ThreePhase: true, Div: 4, FinalDiv: 50}),
			map[int]float64{0: 0.5, 20: 2, 30: 1.25, 40: 0.5, 70: 0.255, 100: 0.01}},
	} {
		for step, want := range c.want {
			if got := c.s(step); math.Abs(got-want) > 1e-12 {
				t.Errorf("case %d, step %d: got %v, want %v", i, step, got, want)
			}
		}
	}
}

// TestPlateau follows the metric of a run, for each direction and form of the threshold.
func TestPlateau(t *testing.T) {
	run := func(change func(c *nn.PlateauConfig), metrics ...float64) []float64 {
		opt := nn.NewSGD([]*tensor.Tensor{tensor.NewVar(tensor.Of(1))}, 1)
		c := nn.DefaultPlateau()
		c.Patience = 1
		change(&c)
		p := nn.NewPlateau(opt, c)
		var rates []float64
		for _, m := range metrics {
			before := opt.LearningRate()
			if p.Step(m) != (opt.LearningRate() != before) {
				t.Error("the report of a reduction is wrong")
			}
			rates = append(rates, math.Round(opt.LearningRate()*1e6)/1e6)
		}
		return rates
	}
	nan := math.NaN()
	for name, c := range map[string]struct{ got, want []float64 }{
		"patience":    {run(func(*nn.PlateauConfig) {}, 1, 1, 1, 1, 1, 0.5, 0.5), []float64{1, 1, 0.1, 0.1, 0.01, 0.01, 0.01}},
		"threshold":   {run(func(*nn.PlateauConfig) {}, 1, 0.99995, 0.9999, 0.9), []float64{1, 1, 0.1, 0.1}},
		"absolute":    {run(func(c *nn.PlateauConfig) { c.Absolute, c.Threshold = true, 0.2 }, 1, 0.9, 0.7, 0.6, 0.6), []float64{1, 1, 1, 1, 0.1}},
		"maximize":    {run(func(c *nn.PlateauConfig) { c.Maximize = true }, 1, 2, 2, 2), []float64{1, 1, 1, 0.1}},
		"cooldown":    {run(func(c *nn.PlateauConfig) { c.Cooldown = 2 }, 1, 1, 1, 1, 1, 1, 1), []float64{1, 1, 0.1, 0.1, 0.1, 0.1, 0.01}},
		"least":       {run(func(c *nn.PlateauConfig) { c.Least = 0.5 }, 1, 1, 1, 1, 1), []float64{1, 1, 0.5, 0.5, 0.5}},
		"not numbers": {run(func(*nn.PlateauConfig) {}, 1, nan, nan), []float64{1, 1, 0.1}},
	} {
		if fmt.Sprint(c.got) != fmt.Sprint(c.want) {
			t.Errorf("%s: rates %v, want %v", name, c.got, c.want)
		}
	}
}
