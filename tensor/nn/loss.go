package nn

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Nll returns the negative log likelihood: minus the mean, over the rows of logProbs [batch classes], of the element
// that target [batch], a vector of integers, names in each. It panics with ErrShape for other shapes, and with ErrDType
// for targets that are not integers.
func Nll(logProbs, target *tensor.Tensor) *tensor.Tensor {
	checkClasses("nll", "log probabilities", logProbs, target)
	return logProbs.Gather(target.Unsqueeze(1), 1).Mean().Neg()
}

// checkClasses checks the operands of a loss of classes: floats [batch classes], and the numbers of classes [batch].
func checkClasses(op, what string, x, target *tensor.Tensor) {
	both := []*tensor.Tensor{x, target}
	extend.SameDevice(op, both...)
	if x.Rank() != 2 || target.Rank() != 1 || x.Dim(0) != target.Dim(0) {
		note := ""
		switch {
		case target.Rank() == 2 && target.Dim(1) == 1:
			note = "target.Squeeze(1) is a vector"
		case target.Rank() == 2 && slices.Equal(target.Dims(), x.Dims()):
			note = "target.ArgMax(1) has the numbers of the classes that rows of ones and zeros stand for"
		}
		extend.ShapeNoting(op, both, note, "want %s [batch classes] and targets [batch], not shapes %v and %v", what,
			x.Dims(), target.Dims())
	}
	if !x.DType().IsFloat() {
		extend.DType(op, both, "want %s of a float type, not %v", what, x.DType())
	}
	if !target.DType().IsInt() {
		extend.Fail(op, tensor.ErrDType, both, "target.ToDType(tensor.I64) are integers",
			"want the numbers of classes as integers, not %v", target.DType())
	}
}

// alike panics when the operands of a loss differ in shape: broadcast, they would give a loss of all pairs, which falls
// and teaches nothing.
func alike(op string, x, target *tensor.Tensor) {
	if !slices.Equal(x.Dims(), target.Dims()) {
		extend.Shape(op, []*tensor.Tensor{x, target}, "want a target of shape %v, as the first operand has, not %v", x.Dims(),
			target.Dims())
	}
}

// Mse returns the mean of the squares of the differences. It panics with ErrShape when the shapes differ.
func Mse(x, target *tensor.Tensor) *tensor.Tensor {
	return MseWith(x, target, ReduceMean)
}

// BinaryCrossEntropyWithLogits returns the mean of -(y·log σ(x) + (1-y)·log(1-σ(x))) over logits x and targets y of one
// shape. It is computed as y·Softplus(-x) + (1-y)·Softplus(x), so that logits of any size give a finite loss, and sure
// ones that are right a small one that keeps its digits. It panics with ErrShape when the shapes differ.
func BinaryCrossEntropyWithLogits(logits, target *tensor.Tensor) *tensor.Tensor {
	return BinaryCrossEntropyWith(logits, target, BinaryOptions{})
}

// Huber returns the mean of d²/2 where the difference d is at most delta, and of delta·(|d| - delta/2) elsewhere. It
// panics with ErrShape when the shapes differ, and when delta is not above 0.
func Huber(x, target *tensor.Tensor, delta float64) *tensor.Tensor {
	return HuberWith(x, target, delta, ReduceMean)
}

// OneHot returns on where the last dim, of size depth, has the number that ids, integers of any shape, name, and off
// elsewhere. -1 names none. Another id outside of 0 to depth-1 is an ErrIndex, as for tensor.Scatter.
func OneHot(ids *tensor.Tensor, depth int, on, off any, dtype tensor.DType) *tensor.Tensor {
	dev, n := ids.Device(), ids.ElemCount()
	list := ids.Reshape(n).ToDType(tensor.I64)
	none := list.Eq(-1) // -1 goes to a column that is cut off
	list = extend.IndexSelect("one hot", dev.Arange(tensor.I64, float64(depth)), none.WhereCond(0, list), 0)
	all := dev.Full(dtype, off, n, depth+1)
	all.ScatterSet(none.WhereCond(depth, list).Reshape(n, 1), dev.Full(dtype, on, n, 1), 1)
	return all.Narrow(1, 0, depth).Reshape(append(ids.Dims(), depth)...)
}
