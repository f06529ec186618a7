package ndimage_test

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/ndimage"
)

func ExampleGaussianFilter() {
	x := tensor.Of(0, 0, 1, 0, 0)
	fmt.Printf("%.4f\n", ndimage.GaussianFilter(x, []float64{0.5}, ndimage.GaussianOptions{}).ToVec1())
	// Output: [0.0003 0.1065 0.7866 0.1065 0.0003]
}

func ExampleMedianFilter() {
	x := tensor.Of(1, 9, 2, 3, 2)
	fmt.Println(ndimage.MedianFilter(x, []int{3}, ndimage.Border{}).ToVec1())
	// Output: [1 2 3 2 2]
}

func ExampleLabel() {
	labels, n := ndimage.Label(tensor.Of(1, 1, 0, 1, 0, 1).Reshape(2, 3), nil)
	fmt.Println(labels.ToVec2(), n)
	fmt.Println(ndimage.Measure(tensor.Arange(6).Reshape(2, 3), labels, n).Mean.ToVec1())
	// Output:
	// [[1 1 0] [1 0 2]] 2
	// [1.3333333333333333 5]
}

func ExampleDistanceTransform() {
	distances, _ := ndimage.DistanceTransform(tensor.Of(0, 1, 1, 1, 0), nil)
	fmt.Println(distances.ToVec1())
	// Output: [0 1 2 1 0]
}

func ExampleZoom() {
	x := tensor.Of(0, 2, 4)
	fmt.Println(ndimage.Zoom(x, []float64{5.0 / 3}, ndimage.TransformOptions{Order: ndimage.Linear}).ToVec1())
	// Output: [0 1 2 3 4]
}
