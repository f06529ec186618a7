package models

import (
	"fmt"
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// alibi adds linear biases to the scores of queries and keys (Press et al., "Train Short, Test Long", 2021), by two
// further elements of heads: their product is a slope times the position of a key. What the position of the query
// would add is the same for all keys, and changes no softmax. So all kernels of attention compute it. A nil one does
// nothing.
type alibi struct {
	slopes *tensor.Tensor // [1 heads 1 2], divided by the factor of products
	places *tensor.Tensor // [context 2]: positions as multiples of 256 and the rest, which BF16 has exactly
}

const alibiSize = 2 // elements of a head

// keyDim is the size of a head in caches.
func (c *LlamaConfig) keyDim() int {
	if c.Slopes != nil {
		return c.HeadDim + alibiSize
	}
	return c.HeadDim
}

func newALiBi(c *LlamaConfig, p *nn.Params) *alibi {
	if c.Slopes == nil {
		return nil
	}
	const part = 256
	_, scale := c.scales()
	var slopes, places []float32
	for _, s := range c.Slopes {
		slopes = append(slopes, float32(s/scale), float32(s/scale))
	}
	for i := range c.Context {
		places = append(places, float32(i/part*part), float32(i%part))
	}
	return &alibi{p.Device().FromSlice(slopes, 1, c.Heads, 1, alibiSize).ToDType(p.DType()),
		p.Device().FromSlice(places, c.Context, alibiSize).ToDType(p.DType())}
}

// joined are queries [1 heads n size] and keys and values [1 2·groups n size] with the further elements, at positions
// [n 2].
func (a *alibi) joined(q, kv, places *tensor.Tensor) (queries, both *tensor.Tensor) {
	if a == nil {
		return q, kv
	}
	n := q.Dim(2)
	slopes := a.slopes.BroadcastAs(1, q.Dim(1), n, alibiSize)
	keys := places.Reshape(1, 1, n, alibiSize)
	further := tensor.Cat([]*tensor.Tensor{keys, keys.ZerosLike()}, 1).RepeatInterleave(kv.Dim(1)/2, 1)
	return tensor.Cat([]*tensor.Tensor{q, slopes}, 3), tensor.Cat([]*tensor.Tensor{kv, further}, 3)
}

// values are rows [n heads·size] of those that attention gives.
func (a *alibi) values(rows *tensor.Tensor, size int) *tensor.Tensor {
	if a == nil {
		return rows
	}
	n, heads := rows.Dim(0), rows.Dim(1)/(size+alibiSize)
	return rows.Reshape(n, heads, size+alibiSize).Narrow(2, 0, size).Reshape(n, heads*size)
}

// alibiSlopes are the slopes of heads, from 2^(-most/heads) down to 2^-most. For numbers of heads that are no powers of
// two, every other slope of twice as many heads follows those of the power of two below.
func alibiSlopes(heads int, most float64) []float64 {
	power := 1
	for power*2 <= heads {
		power *= 2
	}
	var slopes []float64
	for i := range heads {
		exponent := most * float64(i+1) / float64(power)
		if i >= power {
			exponent = most * float64(2*(i-power)+1) / float64(2*power)
		}
		slopes = append(slopes, math.Exp2(-exponent))
	}
	return slopes
}

// setALiBi has positions known by slopes alone.
func (c *LlamaConfig) setALiBi(most, factor float64) {
	c.NoRope = everyOne(c.Layers)
	c.Slopes = alibiSlopes(min(max(c.Heads, 0), 1<<16), most)
	for i := range c.Slopes {
		c.Slopes[i] *= factor
	}
}

// checkALiBi returns an error when the slopes do not fit the sizes.
func (c *LlamaConfig) checkALiBi() error {
	if c.Slopes == nil {
		return nil
	}
	if len(c.Slopes) != c.Heads || c.Latent != nil || c.AttentionCap != 0 || c.NoRope == nil || c.Positions {
		return fmt.Errorf("models: %d slopes of ALiBi do not go with %d heads, and want NoRope", len(c.Slopes), c.Heads)
	}
	return nil
}
