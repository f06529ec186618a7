package distributed_test

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/distributed"
	"github.com/gorocm/gorocm/tensor/nn"
)

// A process that no launcher has started is alone, and trains as each of several does.
func ExampleEnvironment() {
	p, err := distributed.Environment()
	if err != nil {
		panic(err)
	}
	dev, err := tensor.NewDevice(fmt.Sprint("rocm:", p.LocalRank))
	if err != nil {
		panic(err)
	}
	g, err := p.Join(dev)
	if err != nil {
		panic(err)
	}
	defer g.Close()
	x := dev.Ones(tensor.F32, 3)
	fmt.Printf("rank %d of %d: %v\n", g.Rank(), g.Size(), g.AllReduce(x)[0].Float64s())
	// Output: rank 0 of 1: [1 1 1]
}

func ExampleNewDataParallel() {
	dev, err := tensor.NewDevice("rocm")
	if err != nil {
		panic(err)
	}
	g, err := distributed.New(dev) // with several processes: distributed.Environment and its Join
	if err != nil {
		panic(err)
	}
	defer g.Close()
	w := tensor.NewVar(dev.Zeros(tensor.F32, 2))
	params := []*tensor.Tensor{w}
	dp := distributed.NewDataParallel(g, params)
	opt := nn.NewSGD(params, 0.25)
	opt.Step(dp.Backward(w.Sub(1).Sqr().Sum()))
	fmt.Println(w.Float64s())
	// Output: [0.5 0.5]
}
