package gpu_test

import (
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestAttentionOneLaunch: few queries of many keys take one kernel, and its results have the same bits whenever it
// runs: alone, again, and in a graph.
func TestAttentionOneLaunch(t *testing.T) {
	dev, watch := watched(t)
	a := backendOf(dev)
	k, v := tensor.Randn(0, 1, []int{1, 2, 1500, 64}, tensor.F16, dev),
		tensor.Randn(0, 1, []int{1, 2, 1500, 64}, tensor.F16, dev)
	for heads, kernel := range map[int]string{2: "attention_parts_1_f16", 4: "attention_parts_2_f16",
		6: "attention_parts_4_f16"} {
		q := tensor.Randn(0, 1, []int{1, heads, 1, 64}, tensor.F16, dev)
		attend := func() *tensor.Tensor { return nn.Attention(q, k, v, nn.Attend{Scale: 0.125}) }
		for _, x := range []*tensor.Tensor{q, k, v} {
			operandOf(t, x) // what was deferred
		}
		y, names := watch(attend)
		if !slices.Equal(names, []string{kernel}) {
			t.Errorf("%d heads are the kernels %v", heads, names)
		}
		want := y.Float64s()
		check := func(how string, y *tensor.Tensor) {
			if !slices.Equal(y.Float64s(), want) {
				t.Errorf("%d heads %s: other bits", heads, how)
			}
		}
		check("again", attend())
		var captured *tensor.Tensor
		g, err := a.Device().Capture(func() { captured = attend() })
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := g.Replay(); err != nil {
				t.Fatal(err)
			}
			check("in a graph", captured)
		}
	}
}
