package random_test

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/random"
)

func Example() {
	dev := tensor.CPU()
	g := random.New(42)
	fmt.Println(g.Integers(1, 7, []int{8}, tensor.I64, dev).Float64s())
	x := g.Gamma(2, 3, []int{100000}, tensor.F64, dev)
	fmt.Printf("mean %.1f, variance %.0f\n", x.Mean().ToScalar(), x.Var().ToScalar())
	// Output:
	// [4 3 1 3 6 2 4 3]
	// mean 6.0, variance 18
}

func ExampleGenerator_Split() {
	for _, g := range random.New(1).Split(3) {
		fmt.Println(g.Integers(0, 100, []int{4}, tensor.U8, tensor.CPU()).Float64s())
	}
	// Output:
	// [96 12 80 16]
	// [60 28 15 20]
	// [23 81 35 97]
}

func ExampleGenerator_Choice() {
	x := tensor.Of(10, 20, 30, 40)
	weights := tensor.Of(0, 1, 1, 0)
	fmt.Println(random.New(1).Choice(x, 6, true, weights).Float64s())
	fmt.Println(random.New(1).Choice(x, 4, false, nil).Float64s())
	// Output:
	// [30 30 30 30 30 30]
	// [30 40 10 20]
}

func ExampleGenerator_Poisson() {
	means := tensor.Of(0, 5, 1000)
	fmt.Println(random.New(2).Poisson(means, []int{2, 3}, tensor.I64, tensor.CPU()).ToVec2())
	// Output:
	// [[0 2 1003] [0 3 1071]]
}

func ExampleSobol() {
	points := random.NewSobol(2).Draw(4, tensor.F64, tensor.CPU())
	fmt.Println(points.ToVec2())
	// Output:
	// [[0 0] [0.5 0.5] [0.75 0.25] [0.25 0.75]]
}
