package nn

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// CTCOptions are those of CTC, with PyTorch's names and defaults for the zero value.
type CTCOptions struct {
	Blank         int       // the class that stands for no label
	InputLengths  []int     // steps of each sequence; nil is all of them
	TargetLengths []int     // labels of each sequence; nil is all of them
	Reduction     Reduction // ReduceMean divides each loss by its number of labels first
	ZeroInfinity  bool      // an infinite loss, of a target longer than the input allows, counts as 0
}

// CTC returns the loss of connectionist temporal classification (Graves et al., 2006): minus the logarithm of the
// probability that logProbs [steps batch classes], logarithms of probabilities as LogSoftmax gives, assign to all ways
// of writing target [batch labels], integers, with repetitions and blanks. The result is a scalar, or [batch] with
// ReduceNone. Gradients are those with respect to logProbs; small floats are computed in F32. It panics with ErrShape
// for shapes and lengths that do not fit, with ErrDType for types that do not, and with ErrIndex for a label that is
// not the number of a class.
func CTC(logProbs, target *tensor.Tensor, o CTCOptions) *tensor.Tensor {
	o.check(logProbs, target)
	steps, batch := logProbs.Dim(0), logProbs.Dim(1)
	path, skips := ctcPath(target, o.Blank)
	each := extend.Wide(logProbs).Gather(path.Unsqueeze(0).BroadcastAs(steps, batch, path.Dim(1)), 2)
	low, dev := math.Inf(-1), each.Device()
	begin := dev.Arange(tensor.I64, float64(path.Dim(1))).Lt(2)
	alpha := begin.WhereCond(each.Get(0), low)
	for t := 1; t < steps; t++ {
		next := each.Get(t).Add(ctcSum(alpha, shifted(alpha, 1), skips.WhereCond(shifted(alpha, 2), low)))
		alpha = ctcMask(o.InputLengths, t, dev).WhereCond(next, alpha)
	}
	last, before := o.ends(target)
	end := ctcSum(alpha.Gather(last, 1), before.Ge(0).WhereCond(alpha.Gather(before.Maximum(0), 1), low))
	return o.reduced(end.Squeeze(1).Neg(), target).ToDType(logProbs.DType())
}

// check panics for operands and lengths that do not fit.
func (o *CTCOptions) check(logProbs, target *tensor.Tensor) {
	const op = "ctc"
	both := []*tensor.Tensor{logProbs, target}
	extend.SameDevice(op, both...)
	if logProbs.Rank() != 3 || target.Rank() != 2 || logProbs.Dim(1) != target.Dim(0) || logProbs.Dim(0) == 0 {
		extend.Shape(op, both, "want log probabilities [steps batch classes] and targets [batch labels], not shapes %v and %v",
			logProbs.Dims(), target.Dims())
	}
	if !logProbs.DType().IsFloat() || !target.DType().IsInt() {
		extend.DType(op, both, "want log probabilities of a float type and targets of integers, not %v and %v",
			logProbs.DType(), target.DType())
	}
	if o.Blank < 0 || o.Blank >= logProbs.Dim(2) {
		extend.Shape(op, both, "the blank %d is not one of %d classes", o.Blank, logProbs.Dim(2))
	}
	batch := target.Dim(0)
	lengths := func(name string, list *[]int, least, most int) {
		if *list == nil {
			*list = make([]int, batch)
			for i := range *list {
				(*list)[i] = most
			}
		}
		for _, n := range *list {
			if n < least || n > most {
				extend.Shape(op, both, "%s has %d: want %d to %d", name, n, least, most)
			}
		}
		if len(*list) != batch {
			extend.Shape(op, both, "%d %s for a batch of %d", len(*list), name, batch)
		}
	}
	lengths("InputLengths", &o.InputLengths, 1, logProbs.Dim(0))
	lengths("TargetLengths", &o.TargetLengths, 0, target.Dim(1))
}

// ctcPath returns the labels with blanks around them, I64 [batch 2·labels+1], and where a path may skip the blank
// before a label: where the label before that is another one.
func ctcPath(target *tensor.Tensor, blank int) (path, skips *tensor.Tensor) {
	dev, n := target.Device(), target.Dim(1)
	labels := target.ToDType(tensor.I64).Unsqueeze(2)
	path = tensor.Cat([]*tensor.Tensor{labels.FullLike(blank), labels}, 2).Reshape(target.Dim(0), 2*n)
	path = tensor.Cat([]*tensor.Tensor{path, dev.Full(tensor.I64, blank, target.Dim(0), 1)}, 1)
	before := path.Pad(1, 2, 0, blank).Narrow(1, 0, path.Dim(1))
	return path, path.Ne(before).And(path.Ne(blank))
}

// shifted moves the columns to the right; minus infinity comes in.
func shifted(x *tensor.Tensor, by int) *tensor.Tensor {
	return x.Pad(1, by, 0, math.Inf(-1)).Narrow(1, 0, x.Dim(1))
}

// ctcSum is the logarithm of Σ exp(x), whose gradient is 0 where that is minus infinity.
func ctcSum(xs ...*tensor.Tensor) *tensor.Tensor {
	low := math.Inf(-1)
	top := xs[0].Detach()
	for _, x := range xs[1:] {
		top = top.Maximum(x.Detach())
	}
	base := top.Eq(low).WhereCond(0, top)
	sum := base.ZerosLike()
	for _, x := range xs {
		sum = sum.Add(x.Detach().Sub(base).Exp())
	}
	return extend.ByOperations(sum.Log().Add(base), "ctc", xs,
		func(g, y *tensor.Tensor, xs []*tensor.Tensor) []*tensor.Tensor {
			grads := make([]*tensor.Tensor, len(xs))
			finite := y.Eq(low).WhereCond(0, y)
			for i, x := range xs {
				grads[i] = g.Mul(x.Sub(finite).Exp())
			}
			return grads
		})
}

// ctcMask is true, [batch 1], for the sequences that have a step t.
func ctcMask(lengths []int, t int, dev *tensor.Device) *tensor.Tensor {
	mask := make([]bool, len(lengths))
	for i, n := range lengths {
		mask[i] = t < n
	}
	return dev.FromSlice(mask, len(mask), 1)
}

// ends are the positions in the paths at which they end, after the last label and with it, I64 [batch 1]; -1 is none.
func (o *CTCOptions) ends(target *tensor.Tensor) (last, before *tensor.Tensor) {
	ends := make([]int64, len(o.TargetLengths))
	for i, n := range o.TargetLengths {
		ends[i] = int64(2 * n)
	}
	last = target.Device().FromSlice(ends, len(ends), 1)
	return last, last.Sub(1)
}

// reduced is the loss of a batch from those of its sequences.
func (o *CTCOptions) reduced(each, target *tensor.Tensor) *tensor.Tensor {
	if o.ZeroInfinity {
		each = each.Eq(math.Inf(1)).WhereCond(0, each)
	}
	switch o.Reduction {
	case ReduceNone:
		return each
	case ReduceSum:
		return each.Sum()
	}
	lengths := make([]float64, len(o.TargetLengths))
	for i, n := range o.TargetLengths {
		lengths[i] = float64(max(n, 1))
	}
	return each.Div(target.Device().FromSlice(lengths, len(lengths)).ToDType(each.DType())).Mean()
}
