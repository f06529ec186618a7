package nn

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// maxScores is about how many scores are in memory at a time: as many as the caches of processors hold.
const maxScores = 1 << 20

// composedAttention is Attention by operations of tensors, which keep scores in memory: the CPU's, and what kernels do
// not take. Queries are taken in parts, of which each has the scores of the keys that it sees; with gradients, and with
// Last, all at once.
func composedAttention(q, k, v *tensor.Tensor, a Attend) *tensor.Tensor {
	const fewest = 32 // queries of a part
	queries, keys := q.Dim(2), k.Dim(2)
	n := max(fewest, maxScores/max(1, q.Dim(0)*q.Dim(1)*keys))
	if n >= queries || a.Last != nil || a.Causal && queries > keys ||
		slices.ContainsFunc([]*tensor.Tensor{q, k, v}, extend.Tracked) || a.Mask != nil && extend.Tracked(a.Mask) {
		return allScores(q, k, v, a)
	}
	var parts []*tensor.Tensor
	for at := 0; at < queries; at += n {
		parts = append(parts, tensor.Scoped(func() *tensor.Tensor {
			return a.part(q, k, v, at, min(n, queries-at))
		}))
	}
	return tensor.Cat(parts, 2)
}

// part is attention of n queries from one on, with the keys that one of them sees.
func (a Attend) part(q, k, v *tensor.Tensor, first, n int) *tensor.Tensor {
	keys := k.Dim(2)
	from, to := 0, keys
	if a.Causal {
		before := keys - q.Dim(2) + first // the position of the first query
		to = before + n
		if a.Window > 0 {
			from = max(0, before+1-a.Window)
		}
	}
	if a.Mask != nil {
		a.Mask = maskOf(a.Mask, first, n, q.Dim(2), from, to, keys)
	}
	return allScores(q.Narrow(2, first, n), k.Narrow(2, from, to-from), v.Narrow(2, from, to-from), a)
}

// maskOf returns the part of a mask for n of the queries, and for the keys from one to another.
func maskOf(mask *tensor.Tensor, first, n, queries, from, to, keys int) *tensor.Tensor {
	if rank := mask.Rank(); rank > 1 && mask.Dim(rank-2) == queries && queries > 1 {
		mask = mask.Narrow(rank-2, first, n)
	}
	if rank := mask.Rank(); rank > 0 && mask.Dim(rank-1) == keys && keys > 1 {
		mask = mask.Narrow(rank-1, from, to-from)
	}
	return mask
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
