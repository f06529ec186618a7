package tensor_test

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
)

// All that the function makes is freed but its result.
func ExampleScoped() {
	x := tensor.Of(1, 2, 3, 4)
	var squares *tensor.Tensor
	variance := tensor.Scoped(func() *tensor.Tensor {
		squares = x.Sub(x.Mean()).Sqr()
		return squares.Mean()
	})
	fmt.Println(variance.ToScalar(), squares.IsFreed())
	// Output: 1.25 true
}

// A model in training computes without recording a graph.
func ExampleNoGrad() {
	w := tensor.NewVar(tensor.Of(1, 2))
	model := func(x *tensor.Tensor) *tensor.Tensor { return x.Mul(w).Sum() }
	var y *tensor.Tensor
	tensor.NoGrad(func() { y = model(tensor.Of(3, 4)) })
	fmt.Println(y.ToScalar(), y.TrackOp(), model(tensor.Of(3, 4)).TrackOp())
	// Output: 11 false true
}

// The graph stays for a second call.
func ExampleTensor_BackwardRetain() {
	x := tensor.NewVar(tensor.Of(1, 2))
	y := x.Sqr().Sum()
	once := y.BackwardRetain(nil).Get(x)
	again := y.Backward().Get(x)
	fmt.Println(once.ToVec1(), again.ToVec1())
	// Output: [2 4] [2 4]
}
