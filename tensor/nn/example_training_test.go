package nn_test

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// A step of training computes the loss in a scope: what it makes is freed as soon as the gradients have used it.
func ExampleTrainStep() {
	x := tensor.Linspace(-1, 1, 100)
	y := x.Mul(3).Sub(2)
	w, b := tensor.NewVar(tensor.Of(0)), tensor.NewVar(tensor.Of(0))
	c := nn.DefaultAdamW()
	c.LR, c.Gradients.ClipNorm = 0.05, 1
	opt := nn.NewAdamW([]*tensor.Tensor{w, b}, c)
	for range 400 {
		nn.TrainStep(opt, func() *tensor.Tensor { return x.Mul(w).Add(b).Sub(y).Sqr().Mean() })
	}
	fmt.Printf("%.1f %.1f\n", w.ToVec1()[0], b.ToVec1()[0])
	// Output: 3.0 -2.0
}

// A layer that keeps nothing for gradients but its input is computed once more for them.
func ExampleCheckpoint() {
	x := tensor.NewVar(tensor.Of(1, 2, 3))
	cube := func(xs ...*tensor.Tensor) *tensor.Tensor { return xs[0].Sqr().Mul(xs[0]) }
	y := nn.Checkpoint(cube, x)
	fmt.Println(y.Sum().Backward().Get(x).ToVec1())
	// Output: [3 12 27]
}

// The minimum of Rosenbrock's valley.
func ExampleNewLBFGS() {
	x, y := tensor.NewVar(tensor.New([]float64{-1.2})), tensor.NewVar(tensor.New([]float64{1}))
	opt := nn.NewLBFGS([]*tensor.Tensor{x, y}, nn.DefaultLBFGS())
	for range 2 {
		opt.Step(func() *tensor.Tensor {
			return x.Neg().Add(1).Sqr().Add(y.Sub(x.Sqr()).Sqr().Mul(100)).Sum()
		})
	}
	fmt.Printf("%.3f %.3f\n", x.ToVec1()[0], y.ToVec1()[0])
	// Output: 1.000 1.000
}

// The norm of all gradients, and gradients that are scaled down to one of at most 1.
func ExampleClipGradNorm() {
	x, y := tensor.NewVar(tensor.Of(3)), tensor.NewVar(tensor.Of(4))
	grads := x.Sqr().Add(y.Sqr()).Mul(0.5).Sum().Backward()
	norm := nn.ClipGradNorm(grads, []*tensor.Tensor{x, y}, 1)
	fmt.Printf("%v %.3f %.3f\n", norm.ToScalar(), grads.Get(x).ToVec1(), grads.Get(y).ToVec1())
	// Output: 5 [0.600] [0.800]
}
