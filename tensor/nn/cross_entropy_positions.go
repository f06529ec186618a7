package nn

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// rowsOf returns logits [batch classes …], or [classes], as rows [positions classes], and the shape of the positions.
func rowsOf(x *tensor.Tensor) (rows *tensor.Tensor, shape []int) {
	classes := min(1, x.Rank()-1)
	shape = slices.Delete(x.Dims(), classes, classes+1)
	order := []int{}
	for d := range x.Rank() {
		if d != classes {
			order = append(order, d)
		}
	}
	n := 1
	for _, size := range shape {
		n *= size
	}
	return x.Permute(append(order, classes)...).Reshape(n, x.Dim(classes)), shape
}

// ofPositions is the loss of logits that are not rows, with the number of a class for each position.
func (o CrossEntropyOptions) ofPositions(op string, logits, target *tensor.Tensor) *tensor.Tensor {
	if logits.Rank() > 0 {
		if rows, shape := rowsOf(logits); slices.Equal(shape, target.Dims()) {
			y := CrossEntropyWith(rows, target.FlattenAll(), o)
			if o.Reduction == ReduceNone {
				y = y.Reshape(shape...)
			}
			return y
		}
	}
	note := ""
	if logits.Rank() == 3 {
		note = "a batch of sequences is one of rows: logits.FlattenTo(1) and target.FlattenAll()"
	}
	extend.ShapeNoting(op, []*tensor.Tensor{logits, target}, note,
		"want logits [batch classes …] and targets [batch …], not shapes %v and %v", logits.Dims(), target.Dims())
	return nil
}

// ofProbabilities is the loss of targets that are probabilities of classes, in the shape of the logits.
func (o CrossEntropyOptions) ofProbabilities(op string, logits, target *tensor.Tensor) *tensor.Tensor {
	rows, shape := rowsOf(logits)
	y, _ := rowsOf(target)
	o.check(op, rows)
	if o.IgnoreIndex != nil {
		extend.Shape(op, []*tensor.Tensor{logits, target}, "IgnoreIndex is a class, and the targets are probabilities")
	}
	x := extend.Wide(rows)
	y = y.ToDType(x.DType())
	if s := o.LabelSmoothing; s != 0 {
		y = y.Affine(1-s, s/float64(rows.Dim(1)))
	}
	if o.Weights != nil {
		y = y.Mul(o.Weights.ToDType(x.DType()))
	}
	return o.Reduction.reduced(op, x.LogSoftmax(1).Mul(y).Sum(1).Neg().Reshape(shape...), logits)
}
