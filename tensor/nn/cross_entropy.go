package nn

import (
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/gradients"
)

// Reduction says what a loss returns of the losses of its rows.
type Reduction int

// The reductions of a loss.
const (
	ReduceMean Reduction = iota // their mean
	ReduceSum                   // their sum
	ReduceNone                  // each of them
)

// CrossEntropyOptions are those of CrossEntropyWith, with PyTorch's names. The zero value is CrossEntropy.
type CrossEntropyOptions struct {
	// Weights [classes], floats, are the factors of the losses of rows by their target. A mean is then divided by the
	// sum of the weights of the targets. They have no gradient.
	Weights *tensor.Tensor
	// IgnoreIndex is the target of rows that do not count, such as padding: new(-100) is PyTorch's default. nil is
	// none.
	IgnoreIndex *int
	// LabelSmoothing, from 0 to 1, is the part of a target that all classes share.
	LabelSmoothing float64
	Reduction      Reduction
}

// CrossEntropy returns the mean, over rows of logits, of minus the logarithm of the probability that Softmax gives to
// the class that is the target: logits are [batch classes], of a float type, target [batch] has the number of the class
// for each, of any integer type. The result is a scalar. It is Nll of LogSoftmax; on GPUs, a kernel each for the loss
// and its gradient reads the logits once. It panics as Nll does, and with ErrIndex for a target that is not the number
// of a class; a GPU reports that at the next call that waits for it. Logits of positions [batch classes …] have targets
// [batch …], and a target of floats in the shape of the logits has the probability of each class.
func CrossEntropy(logits, target *tensor.Tensor) *tensor.Tensor {
	return CrossEntropyWith(logits, target, CrossEntropyOptions{})
}

// CrossEntropyWith is CrossEntropy with options: the loss of a row with target y is (1-s)·w[y]·nll(y) + s/classes·Σ
// w[c]·nll(c), where nll is minus the logarithm of the probability of a class, w are the weights and s is
// LabelSmoothing. The result is a scalar, or has shape [batch] with ReduceNone. The mean of no rows, or of rows that
// are all ignored, is NaN. The mean of targets that are probabilities is that over positions, also with weights;
// IgnoreIndex is none of theirs. It panics with ErrShape for options that do not fit, and as CrossEntropy does.
func CrossEntropyWith(logits, target *tensor.Tensor, o CrossEntropyOptions) *tensor.Tensor {
	const op = "cross entropy"
	logits = extend.Cast(extend.Loss, logits)
	if target.DType().IsFloat() && slices.Equal(logits.Dims(), target.Dims()) && logits.Rank() > 0 {
		return o.ofProbabilities(op, logits, target)
	}
	if logits.Rank() != 2 {
		return o.ofPositions(op, logits, target)
	}
	checkClasses(op, "logits", logits, target)
	o.check(op, logits)
	c := &crossEntropy{o, logits.Detach(), target}
	if c.Weights != nil {
		c.Weights = c.Weights.ToDType(computed(c.logits.DType()))
	}
	var y *tensor.Tensor
	slopes := c.composedGradient
	if b, ok := gradients.On(extend.Backend(logits.Device())); ok && logits.ElemCount() > 0 {
		k := c.kernels(op, b)
		y, slopes = k.loss(), k.gradient
	} else {
		c.checkTargets(op)
		y = c.composed()
	}
	return extend.ByOperations(y, op, []*tensor.Tensor{logits},
		func(g, _ *tensor.Tensor, xs []*tensor.Tensor) []*tensor.Tensor {
			return []*tensor.Tensor{slopes(g, xs[0])}
		})
}

// computed is the type in which losses of logits are computed.
func computed(dt tensor.DType) tensor.DType {
	if dt.IsSmallFloat() {
		return tensor.F32
	}
	return dt
}

func (o *CrossEntropyOptions) check(op string, logits *tensor.Tensor) {
	if !(o.LabelSmoothing >= 0 && o.LabelSmoothing <= 1) {
		extend.Shape(op, nil, "want LabelSmoothing from 0 to 1, not %v", o.LabelSmoothing)
	}
	if o.Reduction < ReduceMean || o.Reduction > ReduceNone {
		extend.Shape(op, nil, "want ReduceMean, ReduceSum or ReduceNone, not Reduction(%d)", int(o.Reduction))
	}
	w := o.Weights
	if w == nil {
		return
	}
	both := []*tensor.Tensor{logits, w}
	extend.SameDevice(op, both...)
	switch {
	case w.Rank() != 1 || w.Dim(0) != logits.Dim(1):
		extend.Shape(op, both, "want weights [%d], one for each class, not shape %v", logits.Dim(1), w.Dims())
	case !w.DType().IsFloat():
		extend.Fail(op, tensor.ErrDType, both, "w.ToDType(tensor.F32) are floats",
			"want weights of a float type, not %v", w.DType())
	case extend.Tracked(w):
		extend.Fail(op, tensor.ErrGradient, both, "w.Detach() are the same weights without gradients",
			"the weights depend on variables, and have no gradient")
	}
}

// crossEntropy is a loss: options and operands. Weights are in the type in which it is computed.
type crossEntropy struct {
	CrossEntropyOptions
	logits, target *tensor.Tensor // without gradients
}

// checkTargets panics for a target that is not the number of a class. The CPU can look at them.
func (c *crossEntropy) checkTargets(op string) {
	for i, id := range tensor.ToVec1[int64](c.target.ToDType(tensor.I64)) {
		ignored := c.IgnoreIndex != nil && id == int64(*c.IgnoreIndex)
		if !ignored && (id < 0 || id >= int64(c.logits.Dim(1))) {
			extend.Check(op, c.target.Device(), wrongClass(op, c.target, c.logits.Dim(1))(i))
		}
	}
}

// wrongClass returns the function that makes the error for a target that is not the number of a class.
func wrongClass(op string, target *tensor.Tensor, classes int) backend.IndexErrorFunc {
	return func(position int) error {
		_, err := tensor.Try(func() *tensor.Tensor {
			id := int64(target.Get(position).ToScalar())
			note := ""
			if id < 0 {
				note = "CrossEntropyWith leaves out rows whose target is the IgnoreIndex of its options"
			}
			extend.Fail(op, tensor.ErrIndex, []*tensor.Tensor{target}, note,
				"target[%d] = %d is not the number of a class: they are 0 to %d", position, id, classes-1)
			return nil
		})
		return err
	}
}

// rows are the factors of the losses of rows, and which rows are ignored, nil for none.
func (c *crossEntropy) rows() (weights, ignored, target *tensor.Tensor) {
	dt := computed(c.logits.DType())
	target = c.target
	if c.IgnoreIndex != nil {
		ignored = target.Eq(*c.IgnoreIndex)
		target = ignored.WhereCond(0, target)
	}
	if c.Weights == nil {
		weights = target.Device().Ones(dt, target.Dims()...)
	} else {
		weights = c.Weights.IndexSelect(target, 0)
	}
	if ignored != nil {
		weights = ignored.WhereCond(0, weights)
	}
	return weights, ignored, target
}

// composed is the loss by operations of tensors.
func (c *crossEntropy) composed() *tensor.Tensor {
	weights, ignored, target := c.rows()
	logs := extend.Wide(c.logits).LogSoftmax(1)
	each := logs.Gather(target.Unsqueeze(1), 1).Squeeze(1).Neg().Mul(weights)
	if s := c.LabelSmoothing; s != 0 {
		if c.Weights != nil {
			logs = logs.Mul(c.Weights)
		}
		each = each.Mul(1 - s).Sub(logs.Sum(1).Mul(s / float64(c.logits.Dim(1))))
	}
	if ignored != nil {
		each = ignored.WhereCond(0, each)
	}
	switch c.Reduction {
	case ReduceMean:
		each = each.Sum().Div(weights.Sum())
	case ReduceSum:
		each = each.Sum()
	}
	return each.ToDType(c.logits.DType())
}

// composedGradient is the gradient of the logits by operations of tensors, for the gradient g of the loss.
func (c *crossEntropy) composedGradient(g, logits *tensor.Tensor) *tensor.Tensor {
	weights, ignored, target := c.rows()
	g = extend.Wide(g)
	if c.Reduction == ReduceMean {
		g = g.Div(weights.Sum())
	}
	share := g.Mul(weights).Mul(1 - c.LabelSmoothing).Unsqueeze(1)
	mass, classes := share, float64(logits.Dim(1))
	var even *tensor.Tensor // what every class gets of a target
	if s := c.LabelSmoothing; s != 0 {
		w := c.Weights
		if w == nil {
			w = share.Device().Ones(share.DType(), logits.Dim(1))
		}
		even = g.Mul(s / classes).BroadcastAs(weights.Dims()...).Unsqueeze(1).Mul(w)
		mass = mass.Add(even.SumKeepDim(1))
	}
	d := extend.Wide(logits).Softmax(1).Mul(mass).ScatterAdd(target.Unsqueeze(1), share.Neg(), 1)
	if even != nil {
		d = d.Sub(even)
	}
	if ignored != nil {
		d = ignored.Unsqueeze(1).WhereCond(0, d)
	}
	return d.ToDType(logits.DType())
}

// lossKernels are the kernels of a loss on a GPU. states and scale are what its gradient needs.
type lossKernels struct {
	*crossEntropy
	op            string
	b             gradients.Launcher
	operands      gradients.CrossEntropy
	states, scale backend.Storage
}

func (c *crossEntropy) kernels(op string, b gradients.Launcher) *lossKernels {
	logits, ids := c.logits, c.target
	if ids.DType() != tensor.U8 && ids.DType() != tensor.U32 {
		ids = ids.ToDType(tensor.I64)
	}
	if extend.Operand(logits).Layout.Strides[1] != 1 {
		logits = logits.Contiguous()
	}
	k := &lossKernels{crossEntropy: c, op: op, b: b}
	k.operands.Logits, k.operands.Targets = extend.InMemory(op, logits), extend.InMemory(op, ids)
	if c.Weights != nil {
		w := extend.Dense(op, c.Weights)
		k.operands.Weights = &w
	}
	k.operands.Params = kernels.CrossEntropy{
		Rows: int64(logits.Dim(0)), Classes: int64(logits.Dim(1)),
		Step: int64(k.operands.Logits.Layout.Strides[0]), TargetStep: int64(k.operands.Targets.Layout.Strides[0]),
		Smoothing: c.LabelSmoothing, TargetSize: int32(ids.DType().Size()),
	}
	if c.IgnoreIndex != nil {
		k.operands.Params.Ignores, k.operands.Params.Ignored = 1, int64(*c.IgnoreIndex)
	}
	return k
}

func (k *lossKernels) loss() *tensor.Tensor {
	dev, dt := k.logits.Device(), k.logits.DType()
	bad := wrongClass(k.op, k.target, k.logits.Dim(1))
	each := extend.New(k.op, dev, computed(dt), k.target.Dims(), func() (backend.Storage, error) {
		losses, states, err := k.operands.Each(k.b, bad)
		k.states = states
		return losses, err
	})
	if k.Reduction == ReduceNone {
		return each.ToDType(dt)
	}
	return extend.New(k.op, dev, dt, nil, func() (sum backend.Storage, err error) {
		losses := extend.InMemory(k.op, each).Store
		sum, k.scale, err = k.operands.Total(k.b, losses, k.states, k.Reduction == ReduceMean)
		return sum, err
	})
}

// gradient is composed where it has a gradient of its own.
func (k *lossKernels) gradient(g, logits *tensor.Tensor) *tensor.Tensor {
	if extend.Tracked(g) || extend.Tracked(logits) {
		return k.composedGradient(g, logits)
	}
	grad := extend.InMemory(k.op, g)
	return extend.New(k.op, g.Device(), g.DType(), logits.Dims(), func() (backend.Storage, error) {
		return k.operands.Gradient(k.b, k.states, k.scale, grad)
	})
}
