package devicetest

import (
	"fmt"
	"math"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// more forms of attention, of which gradients are compared.
var attentionGradientCases = append([]attentionCase{
	{name: "values wider than keys, many heads", batch: 1, heads: 6, groups: 2, queries: 70, keys: 80, in: 32, out: 96,
		spread: 1, form: nn.Attend{Causal: true, Window: 20, Softcap: 4}},
	{name: "wide, causal", batch: 1, heads: 2, groups: 1, queries: 67, keys: 67, in: 256, out: 256, spread: 1,
		form: nn.Attend{Causal: true}, byPosition: true},
	{name: "wide keys", batch: 1, heads: 1, groups: 1, queries: 20, keys: 70, in: 136, out: 31, spread: 1},
	{name: "keys that no query sees", batch: 1, heads: 2, groups: 1, queries: 30, keys: 200, in: 64, out: 64, spread: 1,
		form: nn.Attend{Causal: true, Window: 9}},
	{name: "a float mask and a cap", batch: 2, heads: 2, groups: 1, queries: 20, keys: 40, in: 64, out: 48, spread: 1,
		form: nn.Attend{Softcap: 2}, mask: []int{20, 40}, maskType: tensor.F32},
}, attentionCases...)

// gradients are those of queries, keys and values in float64, from g, that of the result, each with the magnitude of
// the values that its elements are made of, to which `least` is added: the absolute error of a small weight.
func (c *attentionCase) gradients(q, k, v, mask, g []float64, least float64) (want, sizes [3][]float64) {
	for i, x := range [][]float64{q, k, v} {
		want[i], sizes[i] = make([]float64, len(x)), make([]float64, len(x))
	}
	add := func(operand, at int, x, size float64) {
		want[operand][at] += x
		sizes[operand][at] += size
	}
	scale := c.scale()
	for row := range c.batch * c.heads * c.queries {
		shared := c.shared(row)
		scores, slopes := c.scores(row, q, k, mask)
		total := exponentials(scores)
		if total != total { // the query sees no key
			continue
		}
		dps, dpSizes := make([]float64, c.keys), make([]float64, c.keys)
		dot, dotSize := 0.0, 0.0
		for key, w := range scores {
			p := w / total
			for i := range c.out {
				x := g[row*c.out+i] * v[(shared+key)*c.out+i]
				dps[key] += x
				dpSizes[key] += math.Abs(x)
				add(2, (shared+key)*c.out+i, p*g[row*c.out+i], (p+least)*math.Abs(g[row*c.out+i]))
			}
			dot += p * dps[key]
			dotSize += p * dpSizes[key]
		}
		for key, w := range scores {
			ds := w / total * (dps[key] - dot) * slopes[key] * scale
			size := (w/total*(dpSizes[key]+dotSize) + least) * math.Abs(scale)
			for i := range c.in {
				x, y := q[row*c.in+i], k[(shared+key)*c.in+i]
				add(0, row*c.in+i, ds*y, size*math.Abs(y))
				add(1, (shared+key)*c.in+i, ds*x, size*math.Abs(x))
			}
		}
	}
	return want, sizes
}

func attentionGradients(k kit, t T) {
	for i, dt := range []tensor.DType{tensor.F32, tensor.F16, tensor.BF16, tensor.F64} {
		for _, c := range some(k, attentionGradientCases, 4, i) {
			run(t, fmt.Sprintf("%v/%s", dt, c.name), func(t T) { attentionGradientsOf(k, t, dt, c) })
		}
	}
}

func attentionGradientsOf(k kit, t T, dt tensor.DType, c attentionCase) {
	inputs := []struct {
		name           string
		heads, n, size int
		spread         float64
	}{
		{"queries", c.heads, c.queries, c.in, c.spread},
		{"keys", c.groups, c.keys, c.in, c.spread},
		{"values", c.groups, c.keys, c.out, 1},
	}
	var variables []*tensor.Tensor
	var values [3][]float64
	for i, in := range inputs {
		host, dev := c.memory(k, dt, in.heads, in.n, in.size, uint64(150+i), in.spread)
		values[i], variables = c.view(host).Float64s(), append(variables, tensor.NewVar(dev))
	}
	hg, g := c.input(k, dt, c.heads, c.queries, c.out, 153, 1)
	mask := c.masks(k, 154)
	const vanishing = 0x1p-120 // what GPUs that take weights below 2^-126 for 0 lose
	slack, least := c.slack(dt), 0.0
	if dt == tensor.F16 {
		least = 0x1p-24 / slack
	}
	want, sizes := c.gradients(values[0], values[1], values[2], mask, hg.Float64s(), least)
	gradients := func() *tensor.GradStore {
		x := variables
		return nn.Attention(c.view(x[0]), c.view(x[1]), c.view(x[2]), c.form).BackwardWith(g)
	}
	got := gradients()
	again := got
	if !k.sampled || thorough.On() || dt == tensor.F16 {
		again = gradients()
	}
	for i, in := range inputs {
		d := c.view(got.Get(variables[i]))
		expect(t, d, []int{c.batch, in.heads, in.n, in.size}, dt)
		closeTo(t, d, want[i], 1, func(j int) float64 { return slack*sizes[i][j] + vanishing }, func(j int) string {
			return fmt.Sprintf("gradient of %s, head %d, row %d, element %d", in.name, j/in.size/in.n,
				j/in.size%in.n, j%in.size)
		})
		if !equalBits(again.Get(variables[i]), got.Get(variables[i])) {
			t.Errorf("the gradients of %s of two runs differ", in.name)
		}
	}
}
