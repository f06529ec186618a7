// Package ctc computes the loss of connectionist temporal classification for package nn. It is one file.
package ctc

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Losses returns the loss of each sequence, [batch]: see nn.CTC. Lengths are of each sequence. The path of a target is
// its labels with blanks around them; alpha are the logarithms of the probabilities of the ways up to its positions.
func Losses(
	logProbs, target *tensor.Tensor, blank int, inputLengths, targetLengths []int,
) *tensor.Tensor {
	steps, batch := logProbs.Dim(0), logProbs.Dim(1)
	path, skips := pathOf(target, blank)
	each := extend.Wide(logProbs).Gather(path.Unsqueeze(0).BroadcastAs(steps, batch, path.Dim(1)), 2)
	low, dev := math.Inf(-1), each.Device()
	begin := dev.Arange(tensor.I64, float64(path.Dim(1))).Lt(2)
	alpha := begin.WhereCond(each.Get(0), low)
	for t := 1; t < steps; t++ {
		next := each.Get(t).Add(logSum(alpha, shifted(alpha, 1), skips.WhereCond(shifted(alpha, 2), low)))
		alpha = mask(inputLengths, t, dev).WhereCond(next, alpha)
	}
	ends := make([]int64, batch)
	for i, n := range targetLengths {
		ends[i] = int64(2 * n)
	}
	last := dev.FromSlice(ends, batch, 1)
	before := last.Sub(1) // -1 is none
	end := logSum(alpha.Gather(last, 1), before.Ge(0).WhereCond(alpha.Gather(before.Maximum(0), 1), low))
	return end.Squeeze(1).Neg()
}

// pathOf returns the labels with blanks around them, I64 [batch 2·labels+1], and where a path may skip the blank
// before a label: where the label before that is another one.
func pathOf(target *tensor.Tensor, blank int) (path, skips *tensor.Tensor) {
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

// logSum is the logarithm of Σ exp(x), whose gradient is 0 where that is minus infinity.
func logSum(xs ...*tensor.Tensor) *tensor.Tensor {
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

// mask is true, [batch 1], for the sequences that have a step t.
func mask(lengths []int, t int, dev *tensor.Device) *tensor.Tensor {
	list := make([]bool, len(lengths))
	for i, n := range lengths {
		list[i] = t < n
	}
	return dev.FromSlice(list, len(list), 1)
}
