package nn

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/nn/internal/channels"
)

// BatchNorm normalises the channels, dim 1, of its input over all other dims.
type BatchNorm struct {
	RunningMean, RunningVar *tensor.Tensor // [channels]; of what Train has seen
	Weight, Bias            *tensor.Tensor // [channels]; nil for none
	Eps                     float64
	Momentum                float64 // how much of the running values Train replaces
}

// NewBatchNorm returns a BatchNorm for so many channels, with weight 1, bias 0, eps 1e-5 and momentum 0.1.
func NewBatchNorm(channels int, dtype tensor.DType, dev *tensor.Device) *BatchNorm {
	zeros := func() *tensor.Tensor { return dev.Zeros(dtype, channels) }
	ones := func() *tensor.Tensor { return dev.Ones(dtype, channels) }
	return &BatchNorm{RunningMean: zeros(), RunningVar: ones(), Weight: ones(), Bias: zeros(), Eps: 1e-5, Momentum: 0.1}
}

// Forward normalises x with the running mean and variance.
func (b *BatchNorm) Forward(x *tensor.Tensor) *tensor.Tensor { return b.ForwardT(x, false) }

// ForwardT normalises x with the running mean and variance, or, to train, with those of x, from which the running ones
// learn: their elements change. It panics with ErrShape when x has other channels, or, to train, fewer than two numbers
// in each, which have no variance.
func (b *BatchNorm) ForwardT(x *tensor.Tensor, train bool) *tensor.Tensor {
	if x.Rank() < 2 || x.Dim(1) != b.RunningMean.ElemCount() {
		extend.Shape("batch norm", []*tensor.Tensor{x}, "want [batch %d …], not shape %v", b.RunningMean.ElemCount(),
			x.Dims())
	}
	if !train {
		w, line := extend.Wide(x), channelShape(x, x.Dim(1))
		mean, variance := extend.Wide(b.RunningMean).Reshape(line...), extend.Wide(b.RunningVar).Reshape(line...)
		return scaled(w, mean, variance, b.Weight, b.Bias, b.Eps).ToDType(x.DType())
	}
	n := float64(x.Dim(0) * count(x.Dims()[2:]))
	if n < 2 {
		extend.Shape("batch norm", []*tensor.Tensor{x}, "want at least two numbers in each channel to train, not shape %v",
			x.Dims())
	}
	y, mean, variance := normalizeBatch(x, b.Weight, b.Bias, b.Eps)
	b.learn(b.RunningMean, mean)
	b.learn(b.RunningVar, variance.Mul(n/(n-1)))
	return y
}

// learn moves a running value towards that of a batch.
func (b *BatchNorm) learn(running, batch *tensor.Tensor) {
	next := extend.Wide(running).Mul(1 - b.Momentum).Add(batch.Mul(b.Momentum))
	running.CopySet(next.ToDType(running.DType()))
}

// normalizeBatch normalises x with the mean and the variance of each channel, and returns these as well: [channels], in
// F32 for small floats, without gradients. Backward keeps nothing but x: it computes two sums for each channel, and the
// gradient of x from them.
func normalizeBatch(x, weight, bias *tensor.Tensor, eps float64) (y, mean, variance *tensor.Tensor) {
	line := channelShape(x, x.Dim(1))
	of := channels.Of(x.Detach())
	mean, variance = of.Moments()
	detached := func(t *tensor.Tensor) *tensor.Tensor {
		if t == nil {
			return nil
		}
		return t.Detach()
	}
	y = scaled(extend.Wide(x.Detach()), mean.Reshape(line...), variance.Reshape(line...), detached(weight),
		detached(bias), eps).ToDType(x.DType())
	operands := []*tensor.Tensor{x}
	for _, p := range []*tensor.Tensor{weight, bias} {
		if p != nil {
			operands = append(operands, p)
		}
	}
	n := float64(x.ElemCount() / x.Dim(1))
	y = extend.ByOperations(y, "batch norm", operands,
		func(g, _ *tensor.Tensor, xs []*tensor.Tensor) []*tensor.Tensor {
			of, mean, variance := of, mean, variance
			if extend.Tracked(g) || extend.Tracked(xs[0]) || weight != nil && extend.Tracked(xs[1]) {
				of = channels.Composed(xs[0])
				mean, variance = of.Moments()
			}
			// With u = x - mean, r = 1/σ and the factor a = weight·r: a·(g - mean(g) - u·r²·mean(g·u)).
			r := variance.Add(eps).Sqrt().Recip()
			sum, product := of.Products(g, mean)
			a := r
			if weight != nil {
				a = a.Mul(extend.Wide(xs[1]))
			}
			vector := func(v *tensor.Tensor) *tensor.Tensor { return v.Reshape(line...) }
			u := extend.Wide(xs[0]).Sub(vector(mean))
			slope := vector(a.Mul(r.Sqr()).Mul(product).Mul(-1 / n))
			d := extend.Wide(g).Mul(vector(a)).Add(u.Mul(slope)).Sub(vector(a.Mul(sum).Mul(1 / n)))
			ds := []*tensor.Tensor{d.ToDType(g.DType())}
			if weight != nil {
				ds = append(ds, product.Mul(r).ToDType(weight.DType()))
			}
			if bias != nil {
				ds = append(ds, sum.ToDType(bias.DType()))
			}
			return ds
		})
	return y, mean, variance
}
