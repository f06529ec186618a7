package models

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// temperatures are the factors of queries [positions 1] in layers without a rotary embedding.
func temperatures(c *LlamaConfig, p *nn.Params) *tensor.Tensor {
	factors := make([]float32, c.Context)
	for i := range factors {
		at := i + 1
		if c.TemperAll {
			at = i
		}
		factors[i] = float32(1 + c.TemperBy*math.Log1p(math.Floor(float64(at)/c.TemperEvery)))
	}
	return p.Device().FromSlice(factors, c.Context, 1).ToDType(p.DType())
}

// ungated are rows of queries, keys and values, of which those of queries have gates after each head, without the
// gates, and these [n heads·size].
func ungated(c *LlamaConfig, rows *tensor.Tensor) (others, gate *tensor.Tensor) {
	n, size := rows.Dim(0), c.Heads*c.HeadDim
	both := rows.Narrow(1, 0, 2*size).Reshape(n, c.Heads, 2, c.HeadDim)
	queries := both.Narrow(2, 0, 1).Reshape(n, size)
	others = tensor.Cat([]*tensor.Tensor{queries, rows.Narrow(1, 2*size, rows.Dim(1)-2*size)}, 1)
	return others, both.Narrow(2, 1, 1).Reshape(n, size)
}
