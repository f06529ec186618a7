package nn_test

import (
	"math"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestAttentionQueryParts: queries that the CPU takes in parts get what all at once get, as with gradients.
func TestAttentionQueryParts(t *testing.T) {
	thorough.Slow(t)
	cpu := tensor.CPU()
	const heads, groups, queries, keys, size = 4, 2, 150, 3000, 8
	q, k, v := cpu.Randn(tensor.F32, 1, heads, queries, size), cpu.Randn(tensor.F32, 1, groups, keys, size),
		cpu.Randn(tensor.F32, 1, groups, keys, size)
	hidden := cpu.Rand(tensor.F32, queries, keys).Lt(0.3)
	for _, c := range []struct {
		name string
		form nn.Attend
	}{
		{"all", nn.Attend{}},
		{"causal", nn.Attend{Causal: true}},
		{"window", nn.Attend{Causal: true, Window: 333}},
		{"window of one", nn.Attend{Causal: true, Window: 1}},
		{"softcap", nn.Attend{Causal: true, Softcap: 2}},
		{"sinks", nn.Attend{Causal: true, Sinks: cpu.Randn(tensor.F32, heads)}},
		{"mask", nn.Attend{Mask: hidden}},
		{"mask of keys", nn.Attend{Mask: hidden.Narrow(0, 0, 1), Causal: true}},
		{"mask of queries", nn.Attend{Mask: cpu.Randn(tensor.F32, 1, heads, queries, 1)}},
		{"added, causal", nn.Attend{Mask: cpu.Randn(tensor.F32, 1, 1, queries, keys), Causal: true, Window: 200}},
	} {
		got, want := nn.Attention(q, k, v, c.form), nn.Attention(tensor.NewVar(q), k, v, c.form)
		if off := got.Sub(want.Detach()).Abs().Max().ToScalar(); !(off < 1e-5) {
			t.Errorf("%s: off by %g", c.name, off)
		}
	}
	sinks := tensor.NewVar(cpu.Randn(tensor.F32, heads)) // alone has gradients
	parts := nn.Attention(q, k, v, nn.Attend{Causal: true, Sinks: sinks}).Sqr().Sum().Backward().Get(sinks)
	all := nn.Attention(tensor.NewVar(q), k, v, nn.Attend{Causal: true, Sinks: sinks}).Sqr().Sum().Backward().Get(sinks)
	if off := parts.Sub(all).Abs().Max().ToScalar(); !(off < 1e-4) {
		t.Errorf("the gradient of sinks is off by %g", off)
	}
	few := nn.Attention(q, k.Narrow(2, 0, 9), v.Narrow(2, 0, 9), nn.Attend{Causal: true}) // some see no key
	if x := few.Float64s()[0]; !math.IsNaN(x) {
		t.Errorf("a query without a key gets %v", x)
	}
}
