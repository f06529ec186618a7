package nn_test

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// signal returns [1 1 n] numbers.
func signal(values ...float64) *tensor.Tensor {
	return tensor.Of(values...).Reshape(1, 1, len(values))
}

func ExampleConv() {
	x, difference := signal(1, 4, 9, 16), signal(-1, 1)
	fmt.Println(nn.Conv(x, difference, nil, nn.ConvOptions{}).FlattenAll().Float64s())
	fmt.Println(nn.Conv(x, difference, nil, nn.ConvOptions{Padding: []int{1, 0}}).FlattenAll().Float64s())
	fmt.Println(nn.Conv(x, difference, nil, nn.ConvOptions{Same: true, Mode: tensor.Circular}).FlattenAll().Float64s())
	// Output:
	// [3 5 7]
	// [1 3 5 7]
	// [3 5 7 -15]
}

func ExampleConvTranspose() {
	x, triangle := signal(1, 3), signal(0.5, 1, 0.5)
	fmt.Println(nn.ConvTranspose(x, triangle, nil, nn.ConvOptions{Stride: []int{2}}).FlattenAll().Float64s())
	// Output: [0.5 1 2 3 1.5]
}

func ExampleMaxPool() {
	x := signal(1, 5, 2, 4, 3)
	fmt.Println(nn.MaxPool(x, []int{2}, nn.PoolOptions{}).FlattenAll().Float64s())
	fmt.Println(nn.MaxPool(x, []int{2}, nn.PoolOptions{CeilMode: true}).FlattenAll().Float64s())
	fmt.Println(nn.MaxPool(x, []int{3}, nn.PoolOptions{Stride: []int{1}, Padding: []int{1}}).FlattenAll().Float64s())
	// Output:
	// [5 4]
	// [5 4 3]
	// [5 5 5 4 4]
}

func ExampleAvgPool() {
	x := signal(6, 6, 6, 6)
	side := nn.PoolOptions{Stride: []int{1}, Padding: []int{1}}
	fmt.Println(nn.AvgPool(x, []int{3}, side).FlattenAll().Float64s())
	side.ExcludePadding = true
	fmt.Println(nn.AvgPool(x, []int{3}, side).FlattenAll().Float64s())
	// Output:
	// [4 6 6 4]
	// [6 6 6 6]
}

func ExampleInterpolate() {
	x := signal(1, 3)
	var o nn.InterpolateOptions
	fmt.Println(nn.Interpolate(x, []int{4}, nn.ByNearest, o).FlattenAll().Float64s())
	fmt.Println(nn.Interpolate(x, []int{4}, nn.ByLinear, o).FlattenAll().Float64s())
	fmt.Println(nn.Interpolate(x, []int{3}, nn.ByLinear, nn.InterpolateOptions{AlignCorners: true}).FlattenAll().Float64s())
	// Output:
	// [1 1 3 3]
	// [1 1.5 2.5 3]
	// [1 2 3]
}

func ExampleGridSample() {
	x := signal(10, 20, 30)
	at := tensor.Of(-1, 0.5, 1, 2).Reshape(1, 4, 1)
	fmt.Println(nn.GridSample(x, at, nn.ByLinear, nn.GridOptions{AlignCorners: true}).FlattenAll().Float64s())
	// Output: [10 25 30 0]
}

func ExampleUnfold() {
	columns := nn.Unfold(signal(1, 2, 3), []int{2}, nn.ConvOptions{})
	fmt.Println(columns.Squeeze(0).ToVec2())
	fmt.Println(nn.Fold(columns, []int{3}, []int{2}, nn.ConvOptions{}).FlattenAll().Float64s())
	// Output:
	// [[1 2] [2 3]]
	// [1 4 3]
}

func ExampleAdaptiveAvgPool() {
	fmt.Println(nn.AdaptiveAvgPool(signal(1, 2, 3, 4, 5), 2).FlattenAll().Float64s())
	// Output: [2 4]
}
