package nn

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// reduced is what a loss returns of the losses of its elements or rows, in the type of x.
func (r Reduction) reduced(op string, each, x *tensor.Tensor) *tensor.Tensor {
	switch r {
	case ReduceMean:
		each = each.Mean()
	case ReduceSum:
		each = each.Sum()
	case ReduceNone:
	default:
		extend.Shape(op, nil, "want ReduceMean, ReduceSum or ReduceNone, not Reduction(%d)", int(r))
	}
	return each.ToDType(extend.LossType(x.DType()))
}

// floatsAlike checks that operands are floats of one shape on one device, and returns them in the type in which losses
// are computed.
func floatsAlike(op string, xs ...*tensor.Tensor) []*tensor.Tensor {
	extend.SameDevice(op, xs...)
	wide := make([]*tensor.Tensor, len(xs))
	for i, x := range xs {
		alike(op, xs[0], x)
		if !x.DType().IsFloat() && i == 0 {
			extend.Fail(op, tensor.ErrDType, xs, "x.ToDType(tensor.F32) are floats", "want floats, not %v", x.DType())
		}
		if wide[i] = extend.Wide(x); !x.DType().IsFloat() {
			wide[i] = x.ToDType(wide[0].DType())
		}
	}
	return wide
}

// MseWith is Mse with a reduction of the squares of the differences.
func MseWith(x, target *tensor.Tensor, r Reduction) *tensor.Tensor {
	const op = "mse"
	w := floatsAlike(op, x, target)
	return r.reduced(op, w[0].Sub(w[1]).Sqr(), x)
}

// L1 returns the absolute values of the differences, reduced. It panics with ErrShape when the shapes differ.
func L1(x, target *tensor.Tensor, r Reduction) *tensor.Tensor {
	const op = "l1"
	w := floatsAlike(op, x, target)
	return r.reduced(op, w[0].Sub(w[1]).Abs(), x)
}

// HuberWith is Huber with a reduction.
func HuberWith(x, target *tensor.Tensor, delta float64, r Reduction) *tensor.Tensor {
	const op = "huber"
	w := floatsAlike(op, x, target)
	if !(delta > 0) {
		extend.ShapeNoting(op, nil, "nn.L1 is the loss for a delta of 0, divided by it", "want a delta above 0, not %v", delta)
	}
	d := w[0].Sub(w[1]).Abs()
	return r.reduced(op, d.Le(delta).WhereCond(d.Sqr().Mul(0.5), d.Affine(delta, -delta*delta/2)), x)
}

// SmoothL1 returns d²/(2·beta) where the difference d is below beta, and |d| - beta/2 elsewhere, reduced: Huber divided
// by beta, and L1 for a beta of 0. It panics with ErrShape when the shapes differ.
func SmoothL1(x, target *tensor.Tensor, beta float64, r Reduction) *tensor.Tensor {
	const op = "smooth l1"
	if !(beta >= 0) {
		extend.Shape(op, nil, "want a beta from 0 on, not %v", beta)
	}
	if beta == 0 {
		return L1(x, target, r)
	}
	w := floatsAlike(op, x, target)
	d := w[0].Sub(w[1]).Abs()
	return r.reduced(op, d.Lt(beta).WhereCond(d.Sqr().Mul(0.5/beta), d.Sub(beta/2)), x)
}

// NllWith is Nll with the options of CrossEntropyWith, but for LabelSmoothing, which it refuses: a mean is divided by
// the sum of the weights of the targets.
func NllWith(logProbs, target *tensor.Tensor, o CrossEntropyOptions) *tensor.Tensor {
	const op = "nll"
	logProbs = extend.Cast(extend.Loss, logProbs)
	checkClasses(op, "log probabilities", logProbs, target)
	o.check(op, logProbs)
	if o.LabelSmoothing != 0 {
		extend.ShapeNoting(op, nil, "nn.CrossEntropyWith has it", "LabelSmoothing is not an option of this loss")
	}
	c := &crossEntropy{o, logProbs.Detach(), target}
	if c.Weights != nil {
		c.Weights = c.Weights.ToDType(computed(logProbs.DType()))
	}
	weights, ignored, target := c.rows()
	x := extend.Wide(logProbs)
	each := x.Gather(target.Unsqueeze(1), 1).Squeeze(1).Neg().Mul(weights)
	if ignored != nil {
		each = ignored.WhereCond(0, each)
	}
	if o.Reduction == ReduceMean {
		return each.Sum().Div(weights.Sum()).ToDType(logProbs.DType())
	}
	return o.Reduction.reduced(op, each, logProbs)
}

// BinaryOptions are those of losses of yes and no. Weights are broadcast to the operands and have no gradient.
type BinaryOptions struct {
	Weights   *tensor.Tensor // factors of the losses of elements
	Positive  *tensor.Tensor // factors of the part of the targets that are 1, for classes that are rare
	Reduction Reduction
}

func (o *BinaryOptions) factors(op string, x *tensor.Tensor) (weights, positive *tensor.Tensor) {
	wide := func(t *tensor.Tensor) *tensor.Tensor {
		if t == nil {
			return nil
		}
		extend.SameDevice(op, x, t)
		return t.Detach().ToDType(computed(x.DType())).BroadcastAs(x.Dims()...)
	}
	return wide(o.Weights), wide(o.Positive)
}

// BinaryCrossEntropyWith is BinaryCrossEntropyWithLogits with options.
func BinaryCrossEntropyWith(logits, target *tensor.Tensor, o BinaryOptions) *tensor.Tensor {
	const op = "binary cross entropy"
	w := floatsAlike(op, logits, target)
	weights, positive := o.factors(op, logits)
	yes, no := w[1].Mul(w[0].Neg().Softplus()), w[1].Affine(-1, 1).Mul(w[0].Softplus())
	if positive != nil {
		yes = yes.Mul(positive)
	}
	each := yes.Add(no)
	if weights != nil {
		each = each.Mul(weights)
	}
	return o.Reduction.reduced(op, each, logits)
}

// BinaryCrossEntropy returns -(y·log p + (1-y)·log(1-p)) for probabilities p and targets y of one shape, reduced.
// Logarithms are at least -100, as in PyTorch. Of logits, BinaryCrossEntropyWithLogits keeps digits that probabilities
// have lost.
func BinaryCrossEntropy(probabilities, target *tensor.Tensor, o BinaryOptions) *tensor.Tensor {
	const op = "binary cross entropy"
	w := floatsAlike(op, probabilities, target)
	weights, positive := o.factors(op, probabilities)
	each := crossEntropyOf(op, w[0], w[1], positive)
	if weights != nil {
		each = each.Mul(weights)
	}
	return o.Reduction.reduced(op, each, probabilities)
}

// crossEntropyOf is -(positive·y·log p + (1-y)·log(1-p)). Its derivative by p has the denominator p·(1-p), at least
// 1e-12 as in PyTorch: that of the logarithms is 0/0 where a probability is 0 or 1, as a saturated sigmoid is.
func crossEntropyOf(op string, p, y, positive *tensor.Tensor) *tensor.Tensor {
	const leastLog, leastDenominator = -100, 1e-12
	logs := func(p *tensor.Tensor) (yes, no *tensor.Tensor) {
		yes, no = p.Log().Maximum(leastLog), p.Affine(-1, 1).Log().Maximum(leastLog)
		if positive != nil {
			yes = yes.Mul(positive)
		}
		return yes, no
	}
	yes, no := logs(p.Detach())
	each := y.Detach().Mul(yes).Add(y.Detach().Affine(-1, 1).Mul(no)).Neg()
	return extend.ByOperations(each, op, []*tensor.Tensor{p, y},
		func(g, _ *tensor.Tensor, in []*tensor.Tensor) []*tensor.Tensor {
			p, y := in[0], in[1]
			numerator := p.Sub(y)
			if positive != nil {
				numerator = y.Affine(-1, 1).Mul(p).Sub(y.Mul(positive).Mul(p.Affine(-1, 1)))
			}
			yes, no := logs(p)
			denominator := p.Mul(p.Affine(-1, 1)).Maximum(leastDenominator)
			return []*tensor.Tensor{g.Mul(numerator).Div(denominator), g.Mul(no.Sub(yes))}
		})
}

// KLOptions are those of KLDiv.
type KLOptions struct {
	LogTarget bool // the target has logarithms of probabilities
	// BatchMean divides the sum by the size of dim 0, which is the divergence of distributions, and not by the number
	// of elements.
	BatchMean bool
	Reduction Reduction
}

// KLDiv returns the divergence of Kullback and Leibler, target·(log target - logProbs), of a target of probabilities
// from a distribution whose logarithms are given, reduced. It panics with ErrShape when the shapes differ.
func KLDiv(logProbs, target *tensor.Tensor, o KLOptions) *tensor.Tensor {
	const op = "kl divergence"
	w := floatsAlike(op, logProbs, target)
	var each *tensor.Tensor
	if o.LogTarget {
		each = w[1].Exp().Mul(w[1].Sub(w[0]))
	} else {
		zero := w[1].Eq(0)
		each = zero.WhereCond(0, w[1].Mul(zero.WhereCond(1, w[1]).Log().Sub(w[0])))
	}
	if o.BatchMean && o.Reduction == ReduceMean {
		if logProbs.Rank() == 0 || logProbs.Dim(0) == 0 {
			extend.Shape(op, []*tensor.Tensor{logProbs}, "shape %v has no batch", logProbs.Dims())
		}
		return each.Sum().Div(float64(logProbs.Dim(0))).ToDType(logProbs.DType())
	}
	return o.Reduction.reduced(op, each, logProbs)
}

// MultiLabelSoftMargin returns the binary cross entropy of logits [… classes] and targets of ones and zeros, with a
// mean over the classes, and then reduced. weights [classes] are factors, or nil.
func MultiLabelSoftMargin(logits, target, weights *tensor.Tensor, r Reduction) *tensor.Tensor {
	const op = "multi-label soft margin"
	if logits.Rank() == 0 {
		extend.Shape(op, []*tensor.Tensor{logits}, "want logits [… classes], not a scalar")
	}
	each := BinaryCrossEntropyWith(extend.Wide(logits), target, BinaryOptions{Weights: weights, Reduction: ReduceNone})
	return r.reduced(op, each.Mean(-1), logits)
}

// PoissonOptions are those of PoissonNll.
type PoissonOptions struct {
	Rates     bool    // the operand has rates, not their logarithms
	Full      bool    // Stirling's approximation of log target! is added
	Eps       float64 // added to rates before their logarithm is taken; 0 is 1e-8
	Reduction Reduction
}

// PoissonNll returns minus the logarithm of the probability of counts under Poisson distributions with rates exp(x),
// without what does not depend on x, reduced: exp(x) - target·x. It panics with ErrShape when the shapes differ.
func PoissonNll(x, target *tensor.Tensor, o PoissonOptions) *tensor.Tensor {
	const op = "poisson nll"
	w := floatsAlike(op, x, target)
	if o.Eps == 0 {
		o.Eps = 1e-8
	}
	each := w[0].Exp().Sub(w[1].Mul(w[0]))
	if o.Rates {
		each = w[0].Sub(w[1].Mul(w[0].Add(o.Eps).Log()))
	}
	if o.Full {
		many := w[1].Gt(1)
		t := many.WhereCond(w[1], 1)
		each = each.Add(many.WhereCond(t.Mul(t.Log()).Sub(t).Add(t.Mul(2*math.Pi).Log().Mul(0.5)), 0))
	}
	return o.Reduction.reduced(op, each, x)
}

// GaussianOptions are those of GaussianNll.
type GaussianOptions struct {
	Full      bool    // the constant log(2π)/2 is added
	Eps       float64 // variances are at least that; 0 is 1e-6
	Reduction Reduction
}

// GaussianNll returns minus the logarithm of the density of targets under normal distributions with means x and
// variances, without a constant, reduced: (log variance + (x-target)²/variance)/2. variance has the shape of x, or is
// broadcast to it. A variance below Eps counts as Eps, and its gradient is that at Eps.
func GaussianNll(x, target, variance *tensor.Tensor, o GaussianOptions) *tensor.Tensor {
	const op = "gaussian nll"
	w := floatsAlike(op, x, target)
	extend.SameDevice(op, x, variance)
	if o.Eps == 0 {
		o.Eps = 1e-6
	}
	v := extend.Wide(variance)
	v = v.Add(v.Detach().Maximum(o.Eps).Sub(v.Detach())) // the gradient passes the limit
	each := v.Log().Add(w[0].Sub(w[1]).Sqr().Div(v)).Mul(0.5)
	if !slices.Equal(each.Dims(), x.Dims()) {
		extend.Shape(op, []*tensor.Tensor{x, variance}, "variances of shape %v for means of shape %v", variance.Dims(),
			x.Dims())
	}
	if o.Full {
		each = each.Add(math.Log(2*math.Pi) / 2)
	}
	return o.Reduction.reduced(op, each, x)
}
