package nn_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

func ExampleRmsNorm() {
	x := tensor.New([][]float32{{3, 3}, {-2, 2}}, tensor.CPU())
	fmt.Println(nn.RmsNorm(x, tensor.Of(1, 10), 0).ToVec2())
	// Output: [[1 10] [-1 10]]
}

func ExampleRope() {
	x := tensor.Of(1, 2, 3, 4).Reshape([]int{1, 1, 1, 4}) // pairs (1, 3) and (2, 4)
	cos, sin := tensor.Of(0, 1).Reshape([]int{1, 2}), tensor.Of(1, 0).Reshape([]int{1, 2})
	fmt.Println(nn.Rope(x, cos, sin).Float64s())
	// Output: [-3 2 1 4]
}

func TestSwiglu(t *testing.T) {
	x := tensor.Of(100, 0, 2, 3)
	if got := nn.Swiglu(x).Float64s(); got[0] != 200 || got[1] != 0 {
		t.Errorf("got %v, want [200 0]", got)
	}
	if _, err := tensor.Try(func() *tensor.Tensor { return nn.Swiglu(tensor.Ones([]int{2, 5}, tensor.F32, tensor.CPU())) }); !errors.Is(err, tensor.ErrShape) {
		t.Errorf("an odd size: got %v, want a shape error", err)
	}
}
