package models

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// norm normalises rows: by their root mean square, or with beta by mean and variance. A nil one leaves them alone.
type norm struct {
	alpha, beta *tensor.Tensor // [width]
	eps         float64
}

// newNorm takes the weights of a norm.
func newNorm(c *LlamaConfig, p *nn.Params, name string, size int) *norm {
	if c.NormPlain {
		ones := p.Device().Ones(p.DType(), size)
		n := &norm{alpha: ones, eps: c.Eps}
		if c.LayerNorm {
			n.beta = ones.ZerosLike()
		}
		return n
	}
	n := &norm{alpha: p.Get(name+".weight", []int{size}, nn.Const(1-c.NormOffset)).Detach(), eps: c.Eps}
	if c.NormOffset != 0 {
		n.alpha = n.alpha.Add(c.NormOffset)
	}
	if c.NormBias {
		n.beta = p.Get(name+".bias", []int{size}, nn.Const(0)).Detach()
	} else if c.LayerNorm {
		n.beta = n.alpha.ZerosLike()
	}
	return n
}

// of are normalised rows.
func (n *norm) of(x *tensor.Tensor) *tensor.Tensor {
	switch {
	case n == nil:
		return x
	case n.beta != nil:
		return x.LayerNorm(n.alpha, n.beta, n.eps)
	}
	return x.RmsNorm(n.alpha, n.eps)
}

// add adds the output of a part of the model, nil before the first, to the residual rows x, and normalises the sums for
// the next part.
func (n *norm) add(x, given *tensor.Tensor) (sum, normed *tensor.Tensor) {
	switch {
	case given == nil:
		return x, n.of(x)
	case n == nil || n.beta != nil:
		x = x.Add(given)
		return x, n.of(x)
	}
	return x.AddRmsNorm(given, n.alpha, n.eps)
}
