package tensor_test

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
)

// softsign is x/(1+|x|), with a gradient.
type softsign struct{}

func (softsign) Name() string { return "softsign" }

func (softsign) CPUForward(x *tensor.Tensor) (*tensor.Tensor, error) {
	return x.Div(x.Abs().Add(1)), nil
}

func (softsign) Backward(x, result, grad *tensor.Tensor) (*tensor.Tensor, error) {
	return grad.Div(x.Abs().Add(1).Sqr()), nil
}

var ( // what softsign is; ROCmForward1 would have it launch a kernel of its own on GPUs
	_ tensor.CustomOp1 = softsign{}
	_ tensor.Backward1 = softsign{}
)

func ExampleTensor_ApplyOp1() {
	x := tensor.NewVar(tensor.Of(-1, 0, 3))
	y := x.ApplyOp1(softsign{})
	fmt.Println(y.ToVec1())
	fmt.Println(y.Sum().Backward().Get(x).ToVec1())
	// Output:
	// [-0.5 0 0.75]
	// [0.25 1 0.0625]
}
