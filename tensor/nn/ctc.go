package nn

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/nn/internal/ctc"
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
// ReduceNone. Gradients are those with respect to logProbs, the derivative; PyTorch's are already those with respect to
// the logits whose LogSoftmax they are, which is the same once LogSoftmax is before the loss. Small floats are computed
// in F32. It panics with ErrShape for shapes and lengths that do not fit, with ErrDType for types that do not, and with
// ErrIndex for a label that is not the number of a class.
func CTC(logProbs, target *tensor.Tensor, o CTCOptions) *tensor.Tensor {
	o.check(logProbs, target)
	each := ctc.Losses(logProbs, target, o.Blank, o.InputLengths, o.TargetLengths)
	return o.reduced(each, target).ToDType(logProbs.DType())
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
