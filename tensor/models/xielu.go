package models

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// xielu is an activation (Huang and Schlag, "Deriving Activation Functions Using Integration", 2024): a parabola for
// what is more than 0, an exponential for what is less.
type xielu struct{ above, below, slope, eps *tensor.Tensor }

// newXIELU takes the weights of a layer's activation, or those of GGUF files, which are metadata.
func newXIELU(p *nn.Params, given []float32) *xielu {
	x := &xielu{}
	if given != nil {
		of := func(i int) *tensor.Tensor { return p.Device().FromSlice(given[i:i+1], 1) }
		x.above, x.below, x.slope, x.eps = of(0).Softplus(), of(1).Softplus(), of(2), of(3)
		x.below = x.below.Add(x.slope)
		return x
	}
	take := func(name string) *tensor.Tensor {
		return p.Get(name, []int{1}, nn.Const(0)).Detach().ToDType(tensor.F32)
	}
	x.above, x.below = take("alpha_p").Softplus(), take("alpha_n").Softplus()
	one := func(name string) *tensor.Tensor {
		return p.Get(name, []int{}, nn.Const(0.5)).Detach().ToDType(tensor.F32)
	}
	x.slope, x.eps = one("beta"), one("eps")
	x.below = x.below.Add(x.slope)
	return x
}

func (x *xielu) of(y *tensor.Tensor) *tensor.Tensor {
	wide := y.ToDType(tensor.F32)
	above := wide.Sqr().Mul(x.above)
	below := wide.Minimum(x.eps).Expm1().Sub(wide).Mul(x.below)
	return wide.Gt(0).WhereCond(above, below).Add(wide.Mul(x.slope)).ToDType(y.DType())
}
