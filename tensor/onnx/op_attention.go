package onnx

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

var attentionOps = []operator{
	{name: "Attention", attrs: "is_causal kv_num_heads left_window_size q_num_heads qk_matmul_output_mode right_window_size scale softcap softmax_precision", in: [2]int{3, 7}, unfolded: true, run: attention},
	{name: "RotaryEmbedding", attrs: "interleaved num_heads rotary_embedding_dim", in: [2]int{3, 4}, run: rotary},
}

// heads makes [batch heads length size] of an input, which may be [batch length heads·size].
func (c *call) heads(i int, attr string) *tensor.Tensor {
	x := c.x(i)
	switch n := c.int(attr, 0); {
	case x.Rank() == 4:
		return x
	case x.Rank() == 3 && n > 0 && x.Dim(2)%n == 0:
		return x.Reshape(x.Dim(0), x.Dim(1), n, x.Dim(2)/n).Transpose(1, 2)
	}
	c.fail("input %d of shape %s is not of %s %d", i, shapeText(x.Dims()), attr, c.int(attr, 0))
	return nil
}

// attention is softmax(scale·Q·Kᵀ + mask)·V, with earlier keys and values put before, and heads in groups.
func attention(c *call) tensors {
	q, k, v := c.heads(0, "q_num_heads"), c.heads(1, "kv_num_heads"), c.heads(2, "kv_num_heads")
	past := 0
	if c.has(4) && c.has(5) {
		past = c.x(4).Dim(2)
		k, v = tensor.Cat(tensors{c.x(4), k}, 2), tensor.Cat(tensors{c.x(5), v}, 2)
	}
	present := tensors{k, v}
	if k.Dim(1) == 0 || q.Dim(1)%k.Dim(1) != 0 || k.Dim(1) != v.Dim(1) {
		c.fail("%d heads of queries do not fit %d and %d of keys and values", q.Dim(1), k.Dim(1), v.Dim(1))
	}
	if groups := q.Dim(1) / k.Dim(1); groups > 1 {
		k, v = k.RepeatInterleave(groups, 1), v.RepeatInterleave(groups, 1)
	}
	root := math.Sqrt(c.float("scale", 1/math.Sqrt(float64(q.Dim(3)))))
	products := q.Mul(root).MatMul(k.Mul(root).Transpose(2, 3))
	capped := products
	if limit := c.float("softcap", 0); limit > 0 {
		capped = products.Div(limit).Tanh().Mul(limit)
	}
	masked, bias := capped, c.scoreMask(q, k, past)
	if bias != nil {
		masked = capped.Add(bias)
	}
	weights := extend.Wide(masked).Softmax(-1).ToDType(q.DType())
	if bias != nil { // a query that sees no key has the weights 0
		weights = bias.MaxKeepDim(-1).Eq(math.Inf(-1)).WhereCond(0, weights)
	}
	y := weights.MatMul(v)
	if c.x(0).Rank() == 3 {
		y = y.Transpose(1, 2).Reshape(y.Dim(0), y.Dim(2), -1)
	}
	out := tensors{y, present[0], present[1]}
	switch mode := c.int("qk_matmul_output_mode", 0); mode {
	case 0, 1, 2, 3:
		out = append(out, tensors{products, capped, masked, weights}[mode])
	default:
		c.fail("there is no qk_matmul_output_mode %d", mode)
	}
	return out[:max(c.outputs, 1)]
}

// scoreMask is what is added to scores, nil for nothing: the mask, in which false of Bool hides a key, and -Inf for
// keys that come later, lie outside of a window, or are padding.
func (c *call) scoreMask(q, k *tensor.Tensor, past int) *tensor.Tensor {
	hidden := func(m *tensor.Tensor) *tensor.Tensor {
		return m.WhereCond(math.Inf(-1), c.dev.Zeros(q.DType()))
	}
	var bias *tensor.Tensor
	hide := func(m *tensor.Tensor) {
		if bias == nil {
			bias = hidden(m)
		} else {
			bias = bias.Add(hidden(m))
		}
	}
	rows, columns := q.Dim(2), k.Dim(2)
	if c.has(3) {
		if bias = c.x(3); bias.DType() == tensor.Bool {
			bias = hidden(bias.Not())
		}
		if less := columns - bias.Dim(-1); less > 0 { // a mask may be shorter than the keys
			bias = bias.Pad(bias.Rank()-1, 0, less, math.Inf(-1))
		}
	}
	key := c.dev.Arange(tensor.I64, float64(columns)).Reshape(1, columns)
	query := c.dev.Arange(tensor.I64, float64(rows)).Reshape(rows, 1).Add(past)
	if c.has(6) { // the number of keys of each batch, of which the queries are the last
		count := c.x(6).ToDType(tensor.I64).Reshape(-1, 1, 1, 1)
		query = query.Add(count).Sub(rows)
		hide(key.Ge(count))
	}
	if c.int("is_causal", 0) != 0 {
		hide(key.Gt(query))
	}
	if left := c.int("left_window_size", -1); left >= 0 {
		hide(query.Sub(key).Gt(left))
	}
	if right := c.int("right_window_size", -1); right >= 0 {
		hide(key.Sub(query).Gt(right))
	}
	return bias
}

// rotary turns pairs of elements by angles, whose cosines and sines are given by position: those of both halves, or
// neighbours.
func rotary(c *call) tensors {
	x := c.x(0)
	flat := x.Rank() == 3
	if flat {
		n := c.int("num_heads", 0)
		if n < 1 || x.Dim(2)%n != 0 {
			c.fail("%d heads do not fit the shape %s", n, shapeText(x.Dims()))
		}
		x = x.Reshape(x.Dim(0), x.Dim(1), n, x.Dim(2)/n)
	} else if x.Rank() == 4 {
		x = x.Transpose(1, 2)
	} else {
		c.fail("the input has %d dims, and 3 or 4 are needed", x.Rank())
	}
	size := x.Dim(3)
	turned := c.int("rotary_embedding_dim", 0)
	if turned == 0 {
		turned = size
	}
	if turned%2 != 0 || turned > size || turned < 0 {
		c.fail("rotary_embedding_dim is %d, and a head has %d elements", turned, size)
	}
	cos, sin := c.x(1), c.x(2)
	if c.has(3) {
		at := c.x(3)
		cos, sin = cos.Embedding(at), sin.Embedding(at)
	}
	if cos.Dim(-1) != turned/2 {
		c.fail("the cosines have %d elements in a row, and %d are needed", cos.Dim(-1), turned/2)
	}
	cos, sin = cos.Unsqueeze(2), sin.Unsqueeze(2)
	head, rest := x.Narrow(3, 0, turned), x.Narrow(3, turned, size-turned)
	var a, b *tensor.Tensor
	interleaved := c.int("interleaved", 0) != 0
	if interleaved {
		a, b = every(head, 3, 2), every(head.Narrow(3, 1, turned-1), 3, 2)
	} else {
		a, b = head.Narrow(3, 0, turned/2), head.Narrow(3, turned/2, turned/2)
	}
	re, im := cos.Mul(a).Sub(sin.Mul(b)), sin.Mul(a).Add(cos.Mul(b))
	var y *tensor.Tensor
	if interleaved {
		y = tensor.Stack(tensors{re, im}, 4).Reshape(head.Dims()...)
	} else {
		y = tensor.Cat(tensors{re, im}, 3)
	}
	if turned < size {
		y = tensor.Cat(tensors{y, rest}, 3)
	}
	if flat {
		return one(y.Reshape(c.x(0).Dims()...))
	}
	return one(y.Transpose(1, 2))
}
