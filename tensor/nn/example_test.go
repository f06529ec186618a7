package nn_test

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// perceptron is a model: layers that take their parameters from a Params, and a Forward.
type perceptron struct{ in, out *nn.Linear }

func newPerceptron(p *nn.Params) *perceptron {
	return &perceptron{nn.NewLinear(2, 8, p.At("in")), nn.NewLinear(8, 2, p.At("out"))}
}

func (m *perceptron) Forward(x *tensor.Tensor) *tensor.Tensor {
	return m.out.Forward(m.in.Forward(x).Tanh())
}

// xor is what the perceptron is to learn: rows and their classes.
func xor(dev *tensor.Device) (x, classes *tensor.Tensor) {
	return dev.New([][]float32{{0, 0}, {0, 1}, {1, 0}, {1, 1}}), dev.New([]uint32{0, 1, 1, 0})
}

// A model, trained.
func Example() {
	dev := tensor.CPU() // or tensor.NewDevice("rocm")
	dev.SetSeed(1)
	params := nn.NewParams(tensor.F32, dev)
	model := newPerceptron(params)
	config := nn.DefaultAdamW()
	config.LR = 0.05
	opt := nn.NewAdamW(params.Vars(), config)

	x, classes := xor(dev)
	for range 200 {
		nn.BackwardStep(opt, nn.CrossEntropy(model.Forward(x), classes))
	}
	fmt.Println(tensor.ToVec1[uint32](model.Forward(x).ArgMax(1)))
	// Output: [0 1 1 0]
}
