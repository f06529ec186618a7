package nn_test

import (
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestAttentionSinks: sinks are one more key of zeros in each head's values, whose scores are given.
func TestAttentionSinks(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		dev.SetSeed(2)
		sinks := dev.New([]float32{-1, 0.5, 3, 90})
		for name, c := range map[string]struct {
			queries, keys, size int
			form                nn.Attend
		}{
			"causal":       {9, 12, 8, nn.Attend{Causal: true}},
			"one query":    {1, 70, 16, nn.Attend{Causal: true}},
			"a window":     {70, 90, 40, nn.Attend{Causal: true, Window: 5}},
			"a cap":        {3, 4, 8, nn.Attend{Softcap: 2, Scale: 0.7}},
			"blind":        {5, 3, 8, nn.Attend{Causal: true}},
			"a last key":   {1, 9, 8, nn.Attend{Causal: true, Last: dev.New([]uint32{4})}},
			"large values": {2, 5, 300, nn.Attend{Causal: true}},
		} {
			random := func(heads, n int) *tensor.Tensor { return dev.Randn(tensor.F32, 1, heads, n, c.size) }
			q, k, v := random(4, c.queries), random(2, c.keys), random(2, c.keys)
			a := c.form
			a.Sinks = sinks
			got := nn.Attention(q, k, v, a)
			want := withSink(q, k, v, a)
			if d := got.Sub(want).Abs().Max().ToScalar(); !(d < 1e-5) {
				t.Errorf("%v, %s: differs by %v", dev, name, d)
			}
			tracked := nn.Attention(tensor.NewVar(q), k, v, a)
			if d := tracked.Sub(want).Abs().Max().ToScalar(); !(d < 1e-5) || !tracked.TrackOp() {
				t.Errorf("%v, %s, with gradients: differs by %v", dev, name, d)
			}
		}
	}
	q := tensor.CPU().Randn(tensor.F32, 1, 2, 3, 4)
	if _, err := tensor.Try(func() *tensor.Tensor {
		return nn.Attention(q, q, q, nn.Attend{Sinks: tensor.CPU().New([]float32{1})})
	}); err == nil {
		t.Error("one sink for two heads is possible")
	}
}

// withSink is attention by its definition, in float64, for a batch of one.
func withSink(q, k, v *tensor.Tensor, a nn.Attend) *tensor.Tensor {
	cpu := func(x *tensor.Tensor) *tensor.Tensor { return x.ToDevice(tensor.CPU()).ToDType(tensor.F64) }
	dev := q.Device()
	q, k, v = cpu(q), cpu(k), cpu(v)
	sinks := cpu(a.Sinks).ToVec1()
	scale := a.Scale
	if scale == 0 {
		scale = 1 / tensor.CPU().New([]float64{float64(q.Dim(3))}).Sqrt().Get(0).ToScalar()
	}
	last := k.Dim(2) - 1
	if a.Last != nil {
		last = int(a.Last.ToVec1()[0])
	}
	var heads []*tensor.Tensor
	for h := range q.Dim(1) {
		g := h * k.Dim(1) / q.Dim(1)
		s := q.Narrow(1, h, 1).MatMul(k.Narrow(1, g, 1).Transpose(2, 3)).Mul(scale).Squeeze(0).Squeeze(0)
		if a.Softcap != 0 {
			s = s.Div(a.Softcap).Tanh().Mul(a.Softcap)
		}
		e, rows := s.Exp(), s.ToVec2()
		hide := make([]float64, 0, s.ElemCount())
		for i, row := range rows {
			own := last - (len(rows) - 1) + i
			for j := range row {
				seen := 1.0
				if a.Causal && (j > own || a.Window > 0 && j <= own-a.Window) {
					seen = 0
				}
				hide = append(hide, seen)
			}
		}
		e = e.Mul(tensor.CPU().FromSlice(hide, s.Dims()...))
		sum := e.Sum(1).Unsqueeze(1).Add(tensor.CPU().New([]float64{sinks[h]}).Exp())
		heads = append(heads, e.Div(sum).MatMul(v.Get(0).Get(g)).Unsqueeze(0))
	}
	return tensor.Cat(heads, 0).Unsqueeze(0).ToDType(tensor.F32).ToDevice(dev)
}
