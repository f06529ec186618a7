package nn

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// maxScores is how many scores are in memory where queries can be taken in parts.
const maxScores = 1 << 23

// composedAttention is Attention by operations of tensors, which keep scores in memory: the CPU's, and what kernels do
// not take. Those of all queries at once, but for plain attention without gradients.
func composedAttention(q, k, v *tensor.Tensor, a Attend) *tensor.Tensor {
	n, queries := max(1, maxScores/max(1, q.Dim(0)*q.Dim(1)*k.Dim(2))), q.Dim(2)
	plain := !a.Causal && a.Mask == nil && a.Last == nil && a.Sinks == nil
	if !plain || n >= queries || slices.ContainsFunc([]*tensor.Tensor{q, k, v}, extend.Tracked) {
		return allScores(q, k, v, a)
	}
	var parts []*tensor.Tensor
	for at := 0; at < queries; at += n {
		some := q.Narrow(2, at, min(n, queries-at))
		parts = append(parts, tensor.Scoped(func() *tensor.Tensor { return allScores(some, k, v, a) }))
	}
	return tensor.Cat(parts, 2)
}

// allScores is composedAttention of all queries at once.
func allScores(q, k, v *tensor.Tensor, a Attend) *tensor.Tensor {
	heads, groups := q.Dim(1), k.Dim(1)
	// The heads of a group are further rows of one product with its keys.
	x := inGroups(q, groups)
	kt := k.Transpose(2, 3)
	if q.Device().IsCPU() { // the CPU multiplies small floats in F32 anyway, so the scores keep their digits
		x, kt = extend.Wide(x), extend.Wide(kt)
	}
	if scale := a.scale(q.Dim(3)); scale != 1 {
		x = x.Mul(scale) // small floats might overflow without it
	}
	scores := extend.Wide(ofHeads(x.MatMul(kt), heads))
	if a.Softcap != 0 {
		scores = scores.Mul(1 / a.Softcap).Tanh().Mul(a.Softcap)
	}
	scores = hide(scores, a)
	blind := a.blind(scores, q, k, v)
	var p *tensor.Tensor
	if a.Sinks != nil {
		p = a.weightsWithSinks(scores).ToDType(v.DType())
	} else {
		p = weights(scores, blind).ToDType(v.DType())
	}
	y := ofHeads(inGroups(p, groups).MatMul(v), heads)
	if blind != nil {
		y = blind.WhereCond(math.NaN(), y)
	}
	return y
}

// blind returns which queries see no key, [batch heads queries 1], or nil where none can, or no gradient depends on it.
func (a Attend) blind(scores *tensor.Tensor, operands ...*tensor.Tensor) *tensor.Tensor {
	if a.Mask != nil {
		operands = append(operands, a.Mask)
	}
	if a.Sinks != nil || a.allSee(scores.Dim(2), scores.Dim(3)) ||
		!slices.ContainsFunc(operands, extend.Tracked) {
		return nil
	}
	return scores.MaxKeepDim(-1).Eq(math.Inf(-1))
}

// weights returns softmax(scores), with 0 and no gradients in the rows of blind queries.
func weights(scores, blind *tensor.Tensor) *tensor.Tensor {
	if blind == nil {
		return scores.Softmax(-1)
	}
	return blind.WhereCond(0, blind.WhereCond(0, scores).Softmax(-1))
}

// composedGradients are the gradients of q, k and v from g, that of the result, by operations of tensors: they have
// gradients themselves.
func composedGradients(g, q, k, v *tensor.Tensor, a Attend) []*tensor.Tensor {
	heads, groups, dt := q.Dim(1), k.Dim(1), q.DType()
	x, keys, values := extend.Wide(inGroups(q, groups)).Mul(a.scale(q.Dim(3))), extend.Wide(k), extend.Wide(v)
	g = extend.Wide(inGroups(g, groups))
	scores := ofHeads(x.MatMul(keys.Transpose(2, 3)), heads)
	if a.Softcap != 0 {
		scores = scores.Mul(1 / a.Softcap).Tanh().Mul(a.Softcap)
	}
	hidden := hide(scores, a)
	p := weights(hidden, a.blind(hidden, g, q, k, v))
	dp := ofHeads(g.MatMul(values.Transpose(2, 3)), heads)
	ds := p.Mul(dp.Sub(p.Mul(dp).SumKeepDim(-1)))
	if a.Softcap != 0 {
		ds = ds.Mul(scores.Mul(1 / a.Softcap).Sqr().Neg().Add(1))
	}
	p, ds = inGroups(p, groups), inGroups(ds, groups)
	dq := ofHeads(ds.MatMul(keys), heads).Mul(a.scale(q.Dim(3)))
	dk := ds.Transpose(2, 3).MatMul(x)
	dv := p.Transpose(2, 3).MatMul(g)
	return []*tensor.Tensor{dq.ToDType(dt), dk.ToDType(dt), dv.ToDType(dt)}
}

// inGroups returns x [batch heads queries n] with the heads of a group as further rows: [batch groups rows n].
func inGroups(x *tensor.Tensor, groups int) *tensor.Tensor {
	if x.Dim(1) == groups {
		return x
	}
	return x.Reshape(x.Dim(0), groups, x.Dim(1)/groups*x.Dim(2), x.Dim(3))
}

// ofHeads is the inverse of inGroups.
func ofHeads(x *tensor.Tensor, heads int) *tensor.Tensor {
	if x.Dim(1) == heads {
		return x
	}
	return x.Reshape(x.Dim(0), heads, x.Dim(1)*x.Dim(2)/heads, x.Dim(3))
}
