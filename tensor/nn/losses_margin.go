package nn

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// HingeEmbedding returns x where the target is 1, and max(0, margin - x) where it is -1, reduced: for distances x of
// pairs that are alike or not. It panics with ErrShape when the shapes differ.
func HingeEmbedding(x, target *tensor.Tensor, margin float64, r Reduction) *tensor.Tensor {
	const op = "hinge embedding"
	w := floatsAlike(op, x, target)
	alike := w[1].Eq(1).WhereCond(w[0], 0)
	return r.reduced(op, alike.Add(w[1].Eq(-1).WhereCond(w[0].Affine(-1, margin).Relu(), 0)), x)
}

// MarginRanking returns max(0, -target·(a-b) + margin), reduced: a is to be larger than b where the target is 1, and
// smaller where it is -1. It panics with ErrShape when the shapes differ.
func MarginRanking(a, b, target *tensor.Tensor, margin float64, r Reduction) *tensor.Tensor {
	const op = "margin ranking"
	w := floatsAlike(op, a, b, target)
	return r.reduced(op, w[2].Neg().Mul(w[0].Sub(w[1])).Add(margin).Relu(), a)
}

// SoftMargin returns log(1 + exp(-target·x)) for targets of 1 and -1, reduced. It panics with ErrShape when the shapes
// differ.
func SoftMargin(x, target *tensor.Tensor, r Reduction) *tensor.Tensor {
	const op = "soft margin"
	w := floatsAlike(op, x, target)
	return r.reduced(op, w[1].Neg().Mul(w[0]).Softplus(), x)
}

// MultiMarginOptions are those of MultiMargin.
type MultiMarginOptions struct {
	P         int            // the power of the differences, 1 or 2; 0 stands for 1
	Margin    float64        // 0 stands for 1
	Weights   *tensor.Tensor // [classes], factors by target
	Reduction Reduction
}

// MultiMargin returns Σ max(0, margin - x[target] + x[c])^P over the classes c but the target, divided by the number of
// classes, of scores x [batch classes] and the numbers of classes [batch], reduced. It panics as CrossEntropy does.
func MultiMargin(x, target *tensor.Tensor, o MultiMarginOptions) *tensor.Tensor {
	const op = "multi margin"
	checkClasses(op, "scores", x, target)
	w := CrossEntropyOptions{Weights: o.Weights}
	w.check(op, x)
	if o.P < 0 || o.P > 2 {
		extend.Shape(op, nil, "want a power P of 1 or 2, not %d", o.P)
	}
	if o.Margin == 0 {
		o.Margin = 1
	}
	scores, ids := extend.Wide(x), target.ToDType(tensor.I64).Unsqueeze(1)
	d := scores.Sub(scores.Gather(ids, 1)).Add(o.Margin).Relu()
	if o.P == 2 {
		d = d.Sqr()
	}
	if o.Weights != nil {
		d = d.Mul(o.Weights.ToDType(d.DType()).IndexSelect(ids.Squeeze(1), 0).Unsqueeze(1))
	}
	classes := x.Dim(1)
	other := x.Device().Arange(tensor.I64, float64(classes)).Unsqueeze(0).Ne(ids)
	return o.Reduction.reduced(op, other.WhereCond(d, 0).Sum(1).Div(float64(classes)), x)
}

// TripletOptions are those of Triplet.
type TripletOptions struct {
	Margin    float64 // 0 stands for 1
	P         float64 // the power of the norm that is the distance; 0 stands for 2
	Swap      bool    // the negative is as far as it is from the anchor or from the positive, whichever is nearer
	Eps       float64 // added to differences; 0 is 1e-6
	Reduction Reduction
}

// Triplet returns max(0, d(anchor, positive) - d(anchor, negative) + margin) for rows of three tensors of one shape
// [… size], reduced. It panics with ErrShape when the shapes differ.
func Triplet(anchor, positive, negative *tensor.Tensor, o TripletOptions) *tensor.Tensor {
	const op = "triplet"
	w := floatsAlike(op, anchor, positive, negative)
	if anchor.Rank() == 0 || o.P < 0 || math.IsNaN(o.P) {
		extend.Shape(op, []*tensor.Tensor{anchor}, "want rows [… size], and a power from 0 on, not shape %v and %v",
			anchor.Dims(), o.P)
	}
	if o.Margin == 0 {
		o.Margin = 1
	}
	if o.Eps == 0 {
		o.Eps = 1e-6
	}
	far := func(a, b *tensor.Tensor) *tensor.Tensor {
		d := a.Sub(b).Add(o.Eps)
		switch o.P {
		case 0, 2:
			return d.Sqr().Sum(-1).Sqrt()
		case 1:
			return d.Abs().Sum(-1)
		}
		return d.Abs().Powf(o.P).Sum(-1).Powf(1 / o.P)
	}
	apart := far(w[0], w[2])
	if o.Swap {
		apart = apart.Minimum(far(w[1], w[2]))
	}
	return o.Reduction.reduced(op, far(w[0], w[1]).Sub(apart).Add(o.Margin).Relu(), anchor)
}

// CosineEmbedding returns 1 - cos(a, b) where the target is 1, and max(0, cos(a, b) - margin) where it is -1, for rows
// of a and b [… size] and targets […], reduced. It panics with ErrShape for shapes that do not fit.
func CosineEmbedding(a, b, target *tensor.Tensor, margin float64, r Reduction) *tensor.Tensor {
	const op, eps = "cosine embedding", 1e-12
	w := floatsAlike(op, a, b)
	extend.SameDevice(op, a, target)
	if a.Rank() == 0 {
		extend.Shape(op, []*tensor.Tensor{a}, "want rows [… size], not scalars")
	}
	square := func(x *tensor.Tensor) *tensor.Tensor { return x.Sqr().Sum(-1).Add(eps) }
	cos := w[0].Mul(w[1]).Sum(-1).Div(square(w[0]).Mul(square(w[1])).Sqrt())
	alike(op, cos, target)
	each := target.Eq(1).WhereCond(cos.Affine(-1, 1), 0)
	return r.reduced(op, each.Add(target.Eq(-1).WhereCond(cos.Sub(margin).Relu(), 0)), a)
}
