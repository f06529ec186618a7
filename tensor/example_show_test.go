package tensor_test

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
)

func ExampleTensor_Histogram() {
	counts, low, high := tensor.Of(0, 1, 1, 2, 4).Histogram(4)
	fmt.Println(counts, low, high)
	// Output: [1 2 1 1] 0 4
}

func ExampleTensor_Sample() {
	x := tensor.Arange(12).Reshape(3, 4)
	fmt.Println(x.Sample(2, 3)) // rows 0 and 2, columns 0 and 3
	// Output: [2 2] [0 3 8 11]
}
