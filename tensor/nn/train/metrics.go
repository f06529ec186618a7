package train

import (
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// Metrics gather what Update gives them, batch by batch, and have the numbers of all of it: those of scikit-learn for
// the whole. Sums are of float64, on the host; Update waits for the device. Without any example a value is NaN.

// misfit panics with an error of shape or type.
func misfit(op string, kind error, format string, args ...any) {
	panic(&tensor.Error{Op: op, Kind: kind, Message: fmt.Sprintf(format, args...)})
}

// labels are the numbers of classes in a vector, below classes if that is not 0.
func labels(op string, t *tensor.Tensor, classes int) []int64 {
	if t.Rank() != 1 || !t.DType().IsInt() {
		misfit(op, tensor.ErrShape, "want the numbers of classes, a vector of integers, not shape %v of %v", t.Dims(), t.DType())
	}
	list := tensor.ToVec1[int64](t.ToDType(tensor.I64))
	for i, id := range list {
		if classes > 0 && (id < 0 || id >= int64(classes)) {
			misfit(op, tensor.ErrIndex, "element %d is %d, and there are %d classes", i, id, classes)
		}
	}
	return list
}

// Accuracy is the share of examples whose class is among the K that a model finds most likely.
type Accuracy struct {
	K            int // 0 stands for 1
	right, total int
}

// Update takes logits or probabilities [batch classes] and the classes [batch]. Among equal ones those of lower numbers
// are more likely.
func (a *Accuracy) Update(logits, target *tensor.Tensor) {
	const op = "accuracy"
	k := max(a.K, 1)
	if logits.Rank() != 2 || target.Rank() != 1 || logits.Dim(0) != target.Dim(0) || k > logits.Dim(1) {
		misfit(op, tensor.ErrShape, "want [batch classes] with at least %d classes, and [batch], not shapes %v and %v", k,
			logits.Dims(), target.Dims())
	}
	ids := labels(op, target, logits.Dim(1))
	tensor.NoGrad(func() {
		own := logits.Gather(target.ToDType(tensor.I64).Unsqueeze(1), 1)
		columns := logits.Device().Arange(tensor.I64, float64(logits.Dim(1))).Unsqueeze(0)
		before := columns.Lt(target.ToDType(tensor.I64).Unsqueeze(1)).And(logits.Eq(own))
		rank := logits.Gt(own).Or(before).Sum(1)
		a.right += int(rank.Lt(k).Sum().ToScalar())
	})
	a.total += len(ids)
}

// Value returns the share.
func (a *Accuracy) Value() float64 { return float64(a.right) / float64(a.total) }

// Mean is the mean of numbers with weights, such as the losses of batches with their sizes.
type Mean struct{ sum, weight float64 }

// Update takes a number.
func (m *Mean) Update(x, weight float64) { m.sum += x * weight; m.weight += weight }

// Value returns the mean.
func (m *Mean) Value() float64 { return m.sum / m.weight }

// Regression is the errors of numbers that a model predicts.
type Regression struct {
	n, absolute, squares float64
	mean, spread         float64 // of the targets: their mean, and the sum of the squares of their distances from it
}

// Update takes predictions and targets of one shape.
func (r *Regression) Update(x, target *tensor.Tensor) {
	if !slices.Equal(x.Dims(), target.Dims()) {
		misfit("regression", tensor.ErrShape, "predictions of shape %v for targets of shape %v", x.Dims(),
			target.Dims())
	}
	xs, ys := x.ToDType(tensor.F64).FlattenAll().ToVec1(), target.ToDType(tensor.F64).FlattenAll().ToVec1()
	for i, y := range ys {
		d := xs[i] - y
		r.absolute += math.Abs(d)
		r.squares += d * d
		r.n++
		step := y - r.mean // Welford's recurrence
		r.mean += step / r.n
		r.spread += step * (y - r.mean)
	}
}

// MAE returns the mean of the absolute values of the errors.
func (r *Regression) MAE() float64 { return r.absolute / r.n }

// MSE returns the mean of their squares.
func (r *Regression) MSE() float64 { return r.squares / r.n }

// RMSE returns the root of that.
func (r *Regression) RMSE() float64 { return math.Sqrt(r.MSE()) }

// R2 returns the coefficient of determination: 1 minus the squares of the errors over those of the distances of the
// targets from their mean. For targets that are all the same it is 1 without errors, and 0 with some.
func (r *Regression) R2() float64 {
	switch {
	case r.n < 2:
		return math.NaN()
	case r.spread == 0 && r.squares == 0:
		return 1
	case r.spread == 0:
		return 0
	}
	return 1 - r.squares/r.spread
}

// Perplexity is e to the mean of the losses of tokens.
type Perplexity struct {
	IgnoreIndex *int // the target of tokens that do not count; nil is none
	mean        Mean
}

// Update takes logits [… vocab] and the tokens that follow, […].
func (p *Perplexity) Update(logits, target *tensor.Tensor) {
	if logits.Rank() < 2 || !slices.Equal(logits.Dims()[:logits.Rank()-1], target.Dims()) {
		misfit("perplexity", tensor.ErrShape, "want logits [… vocab] and targets […], not shapes %v and %v", logits.Dims(),
			target.Dims())
	}
	tensor.NoGrad(func() {
		o := nn.CrossEntropyOptions{IgnoreIndex: p.IgnoreIndex, Reduction: nn.ReduceNone}
		flat := target.FlattenAll()
		each := nn.CrossEntropyWith(logits.Reshape(flat.Dim(0), logits.Dim(-1)).ToDType(tensor.F32), flat, o)
		n := float64(flat.Dim(0))
		if p.IgnoreIndex != nil {
			n = flat.Ne(*p.IgnoreIndex).Sum().ToScalar()
		}
		p.mean.sum += each.ToDType(tensor.F64).Sum().ToScalar()
		p.mean.weight += n
	})
}

// Value returns the perplexity.
func (p *Perplexity) Value() float64 { return math.Exp(p.mean.Value()) }

// AUROC is the area under the curve of the rates of true and false positives: the probability that an example of the
// class has a larger score than another one. It keeps all scores.
type AUROC struct {
	scores   []float64
	positive []bool
}

// Update takes scores, such as probabilities, and targets of ones and zeros, vectors of one length.
func (a *AUROC) Update(scores, target *tensor.Tensor) {
	const op = "auroc"
	if scores.Rank() != 1 || !slices.Equal(scores.Dims(), target.Dims()) {
		misfit(op, tensor.ErrShape, "want two vectors of one length, not shapes %v and %v", scores.Dims(), target.Dims())
	}
	xs := scores.ToDType(tensor.F64).ToVec1()
	for i, id := range labels(op, target.ToDType(tensor.I64), 2) {
		if math.IsNaN(xs[i]) {
			misfit(op, tensor.ErrValue, "score %d is NaN, which has no order", i)
		}
		a.scores, a.positive = append(a.scores, xs[i]), append(a.positive, id == 1)
	}
}

// Value returns the area; NaN unless there are examples with both targets.
func (a *AUROC) Value() float64 {
	order := make([]int, len(a.scores))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		switch {
		case a.scores[i] < a.scores[j]:
			return -1
		case a.scores[i] > a.scores[j]:
			return 1
		}
		return 0
	})
	var wins, negatives, positives float64 // negatives are those with lower scores
	for at := 0; at < len(order); {
		end := at
		var yes, no float64
		for ; end < len(order) && a.scores[order[end]] == a.scores[order[at]]; end++ {
			if a.positive[order[end]] {
				yes++
			} else {
				no++
			}
		}
		wins += yes * (negatives + no/2)
		negatives, positives, at = negatives+no, positives+yes, end
	}
	return wins / (negatives * positives)
}
