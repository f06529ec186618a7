package devicetest

import (
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// attentionCase is a form of attention that is compared with float64.
type attentionCase struct {
	name                                         string
	batch, heads, groups, queries, keys, in, out int
	spread                                       float64 // of queries and keys
	form                                         nn.Attend
	mask                                         []int // the shape of a mask, nil for none
	maskType                                     tensor.DType
	byPosition                                   bool // memory is [batch positions heads size]
	odd                                          bool // the stride of a row's elements is 2
}

var attentionCases = []attentionCase{
	{name: "one key", batch: 1, heads: 1, groups: 1, queries: 1, keys: 1, in: 8, out: 8, spread: 1},
	{name: "one query", batch: 2, heads: 4, groups: 4, queries: 1, keys: 129, in: 64, out: 64, spread: 1},
	{name: "one query of many keys", batch: 1, heads: 2, groups: 1, queries: 1, keys: 700, in: 128, out: 128, spread: 1,
		byPosition: true},
	{name: "one query, wide", batch: 1, heads: 3, groups: 3, queries: 1, keys: 65, in: 256, out: 200, spread: 1},
	{name: "one query, odd sizes", batch: 1, heads: 6, groups: 2, queries: 1, keys: 17, in: 13, out: 21, spread: 1,
		odd: true},
	{name: "one query, a window", batch: 1, heads: 2, groups: 2, queries: 1, keys: 90, in: 16, out: 16, spread: 1,
		form: nn.Attend{Causal: true, Window: 7}},
	{name: "few queries", batch: 2, heads: 4, groups: 2, queries: 3, keys: 67, in: 16, out: 16, spread: 1,
		form: nn.Attend{Causal: true}},
	{name: "few queries, masked", batch: 2, heads: 2, groups: 1, queries: 5, keys: 130, in: 24, out: 8, spread: 1,
		form: nn.Attend{Softcap: 3}, mask: []int{2, 1, 5, 130}, maskType: tensor.U8},
	{name: "square", batch: 1, heads: 2, groups: 2, queries: 65, keys: 65, in: 64, out: 64, spread: 1},
	{name: "causal", batch: 2, heads: 2, groups: 1, queries: 129, keys: 129, in: 64, out: 64, spread: 1,
		form: nn.Attend{Causal: true}, byPosition: true},
	{name: "causal after a cache", batch: 1, heads: 2, groups: 2, queries: 33, keys: 150, in: 128, out: 128, spread: 1,
		form: nn.Attend{Causal: true}},
	{name: "more queries than keys", batch: 1, heads: 1, groups: 1, queries: 70, keys: 3, in: 32, out: 32, spread: 1,
		form: nn.Attend{Causal: true}},
	{name: "tiles that see no key", batch: 1, heads: 1, groups: 1, queries: 600, keys: 5, in: 72, out: 40, spread: 1,
		form: nn.Attend{Causal: true}},
	{name: "a window", batch: 1, heads: 2, groups: 1, queries: 200, keys: 220, in: 40, out: 40, spread: 1,
		form: nn.Attend{Causal: true, Window: 50}},
	{name: "tiles of queries", batch: 1, heads: 2, groups: 1, queries: 290, keys: 333, in: 64, out: 64, spread: 1,
		form: nn.Attend{Causal: true}},
	{name: "wide tiles of queries", batch: 1, heads: 1, groups: 1, queries: 270, keys: 300, in: 128, out: 120,
		spread: 1, form: nn.Attend{Causal: true, Window: 99}, byPosition: true},
	{name: "heads of 256", batch: 1, heads: 2, groups: 1, queries: 135, keys: 140, in: 256, out: 256, spread: 1,
		form: nn.Attend{Causal: true}, byPosition: true},
	{name: "heads of 200 and 248, a window", batch: 1, heads: 2, groups: 2, queries: 150, keys: 90, in: 200, out: 248,
		spread: 1, form: nn.Attend{Causal: true, Window: 30, Softcap: 4}, odd: true},
	{name: "heads of 256, masked", batch: 2, heads: 1, groups: 1, queries: 37, keys: 75, in: 256, out: 144, spread: 1,
		mask: []int{37, 75}, maskType: tensor.U8},
	{name: "masked", batch: 2, heads: 3, groups: 3, queries: 17, keys: 129, in: 64, out: 128, spread: 1,
		mask: []int{17, 129}, maskType: tensor.U8},
	{name: "added to", batch: 2, heads: 2, groups: 2, queries: 40, keys: 66, in: 100, out: 72, spread: 1,
		form: nn.Attend{Causal: true, Scale: -0.3}, mask: []int{2, 2, 1, 66}, maskType: tensor.F32},
	{name: "softcap", batch: 1, heads: 2, groups: 2, queries: 20, keys: 65, in: 64, out: 64, spread: 3,
		form: nn.Attend{Softcap: 5}},
	{name: "odd sizes", batch: 1, heads: 2, groups: 1, queries: 19, keys: 31, in: 5, out: 67, spread: 1, odd: true},
	{name: "great scores", batch: 1, heads: 2, groups: 2, queries: 70, keys: 70, in: 128, out: 64, spread: 60},
	{name: "great scores, one query", batch: 1, heads: 2, groups: 2, queries: 1, keys: 270, in: 128, out: 64,
		spread: 60},
}

// memory makes a tensor whose view is [batch heads n size], with the layout of the case.
func (c *attentionCase) memory(
	k kit, dt tensor.DType, heads, n, size int, seed uint64, spread float64,
) (host, dev *tensor.Tensor) {
	shape := []int{c.batch, heads, n, size}
	if c.byPosition {
		shape[1], shape[2] = n, heads
	}
	if c.odd {
		shape[3] *= 2
	}
	return k.input(dt, shape, seed, spread, false)
}

func (c *attentionCase) view(t *tensor.Tensor) *tensor.Tensor {
	if c.byPosition {
		t = t.Transpose(1, 2)
	}
	if c.odd {
		d := t.Dims()
		t = t.Reshape(d[0], d[1], d[2], d[3]/2, 2).Narrow(4, 1, 1).Squeeze(4)
	}
	return t
}

// input makes a tensor [batch heads n size].
func (c *attentionCase) input(
	k kit, dt tensor.DType, heads, n, size int, seed uint64, spread float64,
) (host, dev *tensor.Tensor) {
	host, dev = c.memory(k, dt, heads, n, size, seed, spread)
	return c.view(host), c.view(dev)
}

// masks sets the mask of the form on the device, and returns what is added to scores, nil for nothing.
func (c *attentionCase) masks(k kit, seed uint64) []float64 {
	if c.mask == nil {
		return nil
	}
	host, dev := k.input(c.maskType, c.mask, seed, 1, false)
	if c.maskType == tensor.U8 {
		host, dev = host.Gt(128), dev.Gt(128)
	}
	c.form.Mask = dev
	mask := host.BroadcastAs(c.batch, c.heads, c.queries, c.keys).Float64s()
	if c.maskType != tensor.U8 {
		return mask
	}
	return mapped(mask, func(m float64) float64 {
		if m == 0 {
			return 0
		}
		return math.Inf(-1)
	})
}

// slack is the error of a result, or of a gradient, for values of magnitude 1 that it is made of. Scores are rounded to
// F32, with larger errors the larger they are, and weights of small floats to their type.
func (c *attentionCase) slack(dt tensor.DType) float64 {
	unit, scores := ulp(dt, 1), 8*c.spread*c.spread*math.Sqrt(float64(c.in))
	if dt == tensor.F64 {
		return unit * (32 + scores)
	}
	return 8*unit + ulp(tensor.F32, 1)*(16+scores)
}

func (c *attentionCase) scale() float64 {
	if c.form.Scale == 0 {
		return 1 / math.Sqrt(float64(c.in))
	}
	return c.form.Scale
}

// shared is the first row of the keys that a row of the queries sees.
func (c *attentionCase) shared(row int) int {
	z := row / c.queries
	return (z/c.heads*c.groups + z%c.heads/(c.heads/c.groups)) * c.keys
}

// scores are those of a row of the queries in float64, and their derivatives by the scaled products.
func (c *attentionCase) scores(row int, q, k, mask []float64) (scores, slopes []float64) {
	query, shared := row%c.queries, c.shared(row)
	for key := range c.keys {
		s, slope := 0.0, 1.0
		for i := range c.in {
			s += q[row*c.in+i] * k[(shared+key)*c.in+i]
		}
		s *= c.scale()
		if c.form.Softcap != 0 {
			bent := math.Tanh(s / c.form.Softcap)
			s, slope = c.form.Softcap*bent, 1-bent*bent
		}
		if mask != nil {
			s += mask[row*c.keys+key]
		}
		own := c.keys - c.queries + query
		if c.form.Causal && (key > own || c.form.Window > 0 && key <= own-c.form.Window) {
			s = math.Inf(-1)
		}
		scores, slopes = append(scores, s), append(slopes, slope)
	}
	return scores, slopes
}

// reference is the result in float64, with the magnitude of the values that each element is made of.
func (c *attentionCase) reference(q, k, v, mask []float64) (want, sizes []float64) {
	for row := range c.batch * c.heads * c.queries {
		weights, _ := c.scores(row, q, k, mask)
		total := exponentials(weights)
		for i := range c.out {
			y, size := 0.0, 0.0
			for key, w := range weights {
				x := v[(c.shared(row)+key)*c.out+i]
				y += w / total * x
				size += w / total * math.Abs(x)
			}
			want, sizes = append(want, y), append(sizes, size)
		}
	}
	return want, sizes
}

// exponentials replaces scores by their exponentials, of which the largest is 1, and returns the sum.
func exponentials(scores []float64) (total float64) {
	top := slices.Max(scores)
	for i, s := range scores {
		scores[i] = math.Exp(s - top)
		total += scores[i]
	}
	return total
}

func (k kit) attention(t T) {
	for i, dt := range []tensor.DType{tensor.F32, tensor.F16, tensor.BF16, tensor.F64} {
		for _, c := range some(k, attentionCases, 4, i) {
			run(t, fmt.Sprintf("%v/%s", dt, c.name), func(t T) {
				hq, q := c.input(k, dt, c.heads, c.queries, c.in, 140, c.spread)
				hk, keys := c.input(k, dt, c.groups, c.keys, c.in, 141, c.spread)
				hv, v := c.input(k, dt, c.groups, c.keys, c.out, 142, 1)
				mask := c.masks(k, 143)
				want, sizes := c.reference(hq.Float64s(), hk.Float64s(), hv.Float64s(), mask)
				got := nn.Attention(q, keys, v, c.form)
				expect(t, got, []int{c.batch, c.heads, c.queries, c.out}, dt)
				slack := c.slack(dt)
				closeTo(t, got, want, 1, func(i int) float64 { return slack * sizes[i] }, func(i int) string {
					return fmt.Sprintf("batch and head %d, query %d, element %d", i/c.out/c.queries, i/c.out%c.queries,
						i%c.out)
				})
				if again := nn.Attention(q, keys, v, c.form); !equalBits(again, got) {
					t.Error("two runs differ")
				}
			})
		}
	}
	// A query that sees no key gives NaN, as PyTorch's softmax does.
	for _, n := range []int{1, 40} {
		x := k.dev.Ones(tensor.F16, 1, 1, n, 8)
		mask := k.dev.Ones(tensor.U8, n, n)
		for _, y := range nn.Attention(x, x, x, nn.Attend{Mask: mask}).Float64s() {
			if y == y {
				t.Fatalf("%d queries that see no key: got %v, want NaN", n, y)
			}
		}
		// One whose keys are all hidden by the lowest finite number, as in masks of transformers, attends to all
		// alike.
		least := k.dev.Full(tensor.F32, -math.MaxFloat32, n, n)
		for _, y := range nn.Attention(x, x, x, nn.Attend{Mask: least}).Float64s() {
			if y != 1 {
				t.Fatalf("%d queries whose keys are all hidden by %v: got %v, want 1", n, -math.MaxFloat32, y)
			}
		}
	}
}

func equalBits(a, b *tensor.Tensor) bool {
	x, y := bitsOf(a), bitsOf(b)
	for i := range x {
		if x[i] != y[i] {
			return false
		}
	}
	return len(x) == len(y)
}
