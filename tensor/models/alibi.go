package models

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/internal/config"
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

// elements of a head

func newALiBi(c *LlamaConfig, p *nn.Params) *alibi {
	if c.Slopes == nil {
		return nil
	}
	const part = 256
	_, scale := c.Scales()
	var slopes, places []float32
	for _, s := range c.Slopes {
		slopes = append(slopes, float32(s/scale), float32(s/scale))
	}
	for i := range c.Context {
		places = append(places, float32(i/part*part), float32(i%part))
	}
	return &alibi{p.Device().FromSlice(slopes, 1, c.Heads, 1, config.ALiBiSize).ToDType(p.DType()),
		p.Device().FromSlice(places, c.Context, config.ALiBiSize).ToDType(p.DType())}
}

// joined are queries [1 heads n size] and keys and values [1 2·groups n size] with the further elements, at positions
// [n 2].
func (a *alibi) joined(q, kv, places *tensor.Tensor) (queries, both *tensor.Tensor) {
	if a == nil {
		return q, kv
	}
	n := q.Dim(2)
	slopes := a.slopes.BroadcastAs(1, q.Dim(1), n, config.ALiBiSize)
	keys := places.Reshape(1, 1, n, config.ALiBiSize)
	further := tensor.Cat([]*tensor.Tensor{keys, keys.ZerosLike()}, 1).RepeatInterleave(kv.Dim(1)/2, 1)
	return tensor.Cat([]*tensor.Tensor{q, slopes}, 3), tensor.Cat([]*tensor.Tensor{kv, further}, 3)
}

// values are rows [n heads·size] of those that attention gives.
func (a *alibi) values(rows *tensor.Tensor, size int) *tensor.Tensor {
	if a == nil {
		return rows
	}
	n, heads := rows.Dim(0), rows.Dim(1)/(size+config.ALiBiSize)
	return rows.Reshape(n, heads, size+config.ALiBiSize).Narrow(2, 0, size).Reshape(n, heads*size)
}
