package nn

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Attend says how queries attend to keys. The zero value is plain attention: all keys, scaled by 1/√size.
type Attend struct {
	Scale  float64 // the factor of the products of queries and keys; 0 is 1/√size
	Causal bool    // a query sees the keys up to its own position; the last query is at the position of the last key
	Window int     // with Causal, how many keys a query sees at most, its own among them; 0 is all
	// Mask broadcasts to [batch heads queries keys]: Bool, where true hides a key, or floats, which are added.
	Mask *tensor.Tensor
	// Last is the position of the last key, U32 of shape [1] on the device: later keys are hidden; not with a Mask.
	Last    *tensor.Tensor
	Softcap float64 // bounds the scaled products to ±Softcap, as cap·tanh(x/cap); 0 is not a cap
	// Sinks are the scores of a further key of each head, [heads], whose values are zeros: a query that attends to it
	// attends less to the others. nil is none.
	Sinks *tensor.Tensor
}

// Attention returns softmax(q·kᵀ·scale)·v, scaled dot-product attention: for q [batch heads queries size], k [batch
// groups keys size] and v [batch groups keys size'] it gives [batch heads queries size']. Heads are a multiple of
// groups; that many heads in a row share keys and values, which are not copied for it. Softmax is computed in F32 for
// small floats. A query that sees no key gives NaN, and has no part in gradients. It panics with ErrShape for shapes
// that do not fit and for a window that is not causal, and with ErrDType when q, k and v are not of one float type, or
// a mask is neither Bool (or U8) nor of floats.
//
// On GPUs kernels compute the result and its gradients without keeping scores in memory (Dao et al., "FlashAttention",
// 2022): for F16 and BF16 of sizes up to 256, and for F32 of as many under gradients and for few queries, of 128
// otherwise. Gradients have the same bits in each run. Where the mask has a gradient itself, for gradients of
// gradients, and for those of attention with sinks, scores are kept.
func Attention(q, k, v *tensor.Tensor, a Attend) *tensor.Tensor {
	q, k, v = extend.Cast("attention", q), extend.Cast("attention", k), extend.Cast("attention", v)
	qs, ks, vs := q.Dims(), k.Dims(), v.Dims()
	if len(qs) != 4 || len(ks) != 4 || len(vs) != 4 || ks[0] != qs[0] || vs[0] != qs[0] || ks[1] == 0 ||
		ks[1] != vs[1] ||
		qs[1]%ks[1] != 0 || ks[2] != vs[2] || qs[3] != ks[3] {
		extend.Shape("attention", []*tensor.Tensor{q, k, v},
			"want queries [b h t d], keys [b g s d] and values [b g s e] with g dividing h, not shapes %v, %v and %v",
			qs, ks, vs)
	}
	checkAttend(a, q, k, v)
	if a.Sinks != nil {
		return a.withSinks(q, k, v)
	}
	if y, ok := fusedAttention(q, k, v, a); ok {
		return y
	}
	return composedAttention(q, k, v, a)
}

// scale is the factor of the products of queries and keys of so many elements.
func (a Attend) scale(size int) float64 {
	if a.Scale == 0 {
		return 1 / math.Sqrt(float64(size))
	}
	return a.Scale
}

// checkAttend panics for arguments that cannot be computed, or whose result would be misleading.
func checkAttend(a Attend, q, k, v *tensor.Tensor) {
	const op = "attention"
	if a.Last != nil && a.Mask != nil {
		extend.Shape(op, []*tensor.Tensor{a.Mask, a.Last}, "want a mask or a last key, not both")
	}
	if a.Window < 0 || a.Window > 0 && !a.Causal {
		extend.Shape(op, nil, "want a window of at least 0, and one above 0 with Causal, not %d", a.Window)
	}
	if dt := q.DType(); !dt.IsFloat() || k.DType() != dt || v.DType() != dt {
		extend.DType(op, []*tensor.Tensor{q, k, v},
			"want queries, keys and values of one float type, not %v, %v and %v", dt,
			k.DType(), v.DType())
	}
	if s := a.Sinks; s != nil && (s.ElemCount() != q.Dim(1) || !s.DType().IsFloat()) {
		extend.Shape(op, []*tensor.Tensor{s}, "want a sink for each of %d heads, in floats, not %v of shape %v", q.Dim(1),
			s.DType(), s.Dims())
	}
	if m := a.Mask; m != nil && m.DType().Stored() != tensor.U8 && !m.DType().IsFloat() {
		extend.DType(op, []*tensor.Tensor{m},
			"want a mask of bool, where true hides a key, or of floats, which are added, "+
				"not of %v", m.DType())
	}
}

// hide sets the scores of hidden keys to minus infinity.
func hide(scores *tensor.Tensor, a Attend) *tensor.Tensor {
	queries, keys := scores.Dim(2), scores.Dim(3)
	if a.Last != nil {
		return hideAfter(a.Last, a, queries, keys).WhereCond(math.Inf(-1), scores)
	}
	if a.Mask != nil {
		if !a.Mask.DType().IsFloat() {
			scores = a.Mask.WhereCond(math.Inf(-1), scores)
		} else {
			scores = scores.Add(a.Mask.ToDType(scores.DType()))
		}
	}
	if a.Causal && (queries > 1 || a.Window > 0 && a.Window < keys) {
		scores = CausalMask(queries, keys, a.Window, scores.Device()).WhereCond(math.Inf(-1), scores)
	}
	return scores
}

// hideAfter returns the mask [queries keys] that hides the keys after the last one, and those that causal queries
// must not see.
func hideAfter(last *tensor.Tensor, a Attend, queries, keys int) *tensor.Tensor {
	positions := last.Device().Arange(tensor.I64, float64(keys))
	own := last.ToDType(tensor.I64).Reshape(1, 1)
	if !a.Causal {
		return positions.Gt(own)
	}
	own = own.Add(last.Device().Arange(tensor.I64, float64(1-queries), 1).Reshape(queries, 1))
	hidden := positions.Gt(own)
	if a.Window > 0 {
		hidden = hidden.Maximum(positions.Le(own.Sub(a.Window)))
	}
	return hidden
}

// CausalMask returns the keys that each query must not see, as Bool of shape [queries keys]: true for the keys after
// its own position, and for those more than window-1 positions before it. The last query is at the position of the last
// key. A window of 0 is none.
func CausalMask(queries, keys, window int, dev *tensor.Device) *tensor.Tensor {
	mask, hidden := extend.OnHost[bool]("causal mask", tensor.Bool, queries, keys)
	for i := range queries {
		own := keys - queries + i
		for j := range keys {
			hidden[i*keys+j] = j > own || window > 0 && j <= own-window
		}
	}
	return mask.ToDevice(dev)
}

// RopeTables returns the cosines and sines of the angles by which Rope rotates the pairs of a row of size elements,
// at so many positions, as F32 of shape [positions size/2]: pair i of position p is rotated by p·base^(-2i/size).
// Base is 10000 in the first models. It panics with ErrShape for rows of odd size.
func RopeTables(positions, size int, base float64, dev *tensor.Device) (cos, sin *tensor.Tensor) {
	if size%2 != 0 {
		extend.Shape("rope tables", nil, "want rows of even size, which are pairs, not %d", size)
	}
	extend.Room("rope tables", tensor.F64, positions, size/2)
	frequencies := make([]float64, size/2)
	for i := range frequencies {
		frequencies[i] = math.Pow(base, -2*float64(i)/float64(size))
	}
	return RopeTablesOf(positions, frequencies, dev)
}

// RopeTablesOf is RopeTables for given frequencies, one for each pair: pair i of position p is rotated by
// p·frequencies[i].
func RopeTablesOf(positions int, frequencies []float64, dev *tensor.Device) (cos, sin *tensor.Tensor) {
	const op = "rope tables"
	n := len(frequencies)
	cos, c := extend.OnHost[float32](op, tensor.F32, positions, n)
	sin, s := extend.OnHost[float32](op, tensor.F32, positions, n)
	for i := range c {
		angle := float64(i/n) * frequencies[i%n]
		c[i], s[i] = float32(math.Cos(angle)), float32(math.Sin(angle))
	}
	return cos.ToDevice(dev), sin.ToDevice(dev)
}
