package tensor_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
)

func Example() {
	dev := tensor.CPU() // or tensor.NewDevice("rocm")
	x := dev.New([][]float32{{1, 2}, {3, 4}})
	y := x.MatMul(x.T()).Sub(x.Mean(1))
	fmt.Println(y)
	fmt.Println(y.ToVec2()[0][1], y.Sum().ToScalar())
	// Output:
	// [[ 3.5000,  7.5000],
	//  [ 9.5000, 21.5000]]
	// Tensor[[2, 2], f32]
	// 7.5 42
}

func ExampleTry() {
	x := tensor.Of(1, 2, 3)
	_, err := tensor.Try(func() *tensor.Tensor { return x.Add(tensor.Of(1, 2)) })
	fmt.Println(err)
	fmt.Println(errors.Is(err, tensor.ErrShape))
	// Output:
	// add: shapes do not broadcast: [3] and [2] (3 ≠ 2 in dim -1)
	// true
}

func ExampleTensor_WhereCond() {
	x := tensor.Of(-1, 2, -3)
	fmt.Println(x.Lt(0).WhereCond(0, x).ToVec1())
	// Output: [0 2 0]
}

func ExampleTensor_Embedding() {
	table := tensor.New([][]float32{{0, 0}, {1, 10}, {2, 20}})
	ids := tensor.New([]int{2, 1, 2})
	fmt.Println(table.Embedding(ids))
	// Output:
	// [[ 2., 20.],
	//  [ 1., 10.],
	//  [ 2., 20.]]
	// Tensor[[3, 2], f32]
}

// example is one of the op table's: an expression and its value in short.
type example struct {
	name string
	f    func() *tensor.Tensor
	want string
}

// TestExamples runs what the tooltips show.
func TestExamples(t *testing.T) {
	for _, e := range examples {
		if got := short(e.f()); got != e.want {
			t.Errorf("%s: got %s, want %s", e.name, got, e.want)
		}
	}
}

// short writes a vector or a scalar as the op table does: [1, 2.5] f32.
func short(t *tensor.Tensor) string {
	var parts []string
	for _, v := range t.Float64s() {
		s := strconv.FormatFloat(v, 'g', -1, 32)
		if t.DType() == tensor.Bool {
			s = strconv.FormatBool(v != 0)
		}
		parts = append(parts, strings.TrimPrefix(s, "+"))
	}
	text := strings.Join(parts, ", ")
	if t.Rank() > 0 {
		text = "[" + text + "]"
	}
	return text + " " + t.DType().String()
}
