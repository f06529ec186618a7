package interpolate_test

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/interpolate"
)

func ExampleCubicSpline() {
	x, y := tensor.Of(0, 1, 2, 3), tensor.Of(0, 1, 8, 27) // x³
	s := interpolate.CubicSpline(x, y, interpolate.SplineOptions{})
	q := tensor.Of(0.5, 2.5)
	fmt.Printf("%.4g %.4g %.4g\n", s.At(q).ToVec1(), s.Derivative(1).At(q).ToVec1(), s.Integrate(0, 2).ToScalar())
	// Output: [0.125 15.62] [0.75 18.75] 4
}

func ExamplePCHIP() {
	x, y := tensor.Of(0, 1, 2, 3), tensor.Of(0, 0, 1, 1)
	s := interpolate.PCHIP(x, y, interpolate.Options{}) // without overshoots
	fmt.Printf("%.4g\n", s.At(tensor.Of(0.5, 1.5, 2.5)).ToVec1())
	// Output: [0 0.5 1]
}

func ExampleAkima() {
	x, y := tensor.Of(0, 1, 2, 3, 4), tensor.Of(0, 0, 0, 1, 0)
	s := interpolate.Akima(x, y, interpolate.Options{})
	fmt.Printf("%.4g\n", s.At(tensor.Of(0.5, 3, 5)).ToVec1()) // not a number outside
	// Output: [0 1 NaN]
}

func ExampleMakima() {
	x, y := tensor.Of(0, 1, 2, 3, 4), tensor.Of(0, 0, 0, 1, 1)
	s := interpolate.Makima(x, y, interpolate.Options{})
	fmt.Printf("%.4g\n", s.At(tensor.Of(1.5, 3.5)).ToVec1())
	// Output: [0 1.109]
}

func ExampleInterp1D() {
	x, y := tensor.Of(0, 1, 2), tensor.Of(0, 10, 40)
	line := interpolate.Interp1D(x, y, interpolate.Interp1DOptions{Outside: interpolate.Clamp})
	steps := interpolate.Interp1D(x, y, interpolate.Interp1DOptions{Kind: interpolate.Previous})
	fmt.Println(line.At(tensor.Of(0.5, 1.5, 9)).ToVec1(), steps.At(tensor.Of(0.5, 1.5)).ToVec1())
	// Output: [5 25 40] [0 10]
}

func ExampleMakeInterpSpline() {
	x := tensor.Of(0, 1, 2, 3, 4, 5)
	s := interpolate.MakeInterpSpline(x, x.Powf(5), interpolate.InterpSplineOptions{Degree: 5})
	fmt.Printf("%.3f\n", s.At(tensor.Of(1.5)).ToVec1())
	// Output: [7.594]
}

func ExampleMakeSmoothingSpline() {
	x := tensor.Arange(6)
	noisy := tensor.Of(0.1, 0.9, 2.2, 2.8, 4.1, 4.9)
	s := interpolate.MakeSmoothingSpline(x, noisy, interpolate.SmoothingOptions{Lam: 1000}) // nearly a line
	fmt.Printf("%.2f\n", s.At(tensor.Of(0, 5)).ToVec1())
	// Output: [0.06 4.94]
}

func ExampleRBF() {
	points := tensor.Of(0, 0, 1, 0, 0, 1, 1, 1).Reshape(4, 2)
	f := interpolate.RBF(points, tensor.Of(0, 1, 1, 2), interpolate.RBFOptions{}) // the sum of both numbers
	fmt.Printf("%.3f\n", f.At(tensor.Of(0.5, 0.25)).ToScalar())
	// Output: 0.750
}

func ExampleRegularGrid() {
	x, y := tensor.Of(0, 1, 2), tensor.Of(0, 10)
	height := tensor.Of(0, 1, 2, 3, 4, 5).Reshape(3, 2)
	g := interpolate.RegularGrid([]*tensor.Tensor{x, y}, height, interpolate.GridOptions{})
	fmt.Println(g.At(tensor.Of(0.5, 5, 2, 10).Reshape(2, 2)).ToVec1())
	// Output: [1.5 5]
}

func ExampleGridData() {
	points, heights := tensor.Of(0, 0, 1, 0, 0, 1, 1, 1).Reshape(4, 2), tensor.Of(0, 1, 2, 3)
	x := tensor.Of(0.5, 0.25, 0.9, 0.8, 2, 2).Reshape(3, 2) // the last one is outside
	fmt.Printf("%.4g\n", interpolate.GridData(points, heights, x, interpolate.GridLinear).ToVec1())
	fmt.Printf("%.4g\n", interpolate.GridData(points, heights, x, interpolate.GridNearest).ToVec1())
	// Output:
	// [1 2.5 NaN]
	// [0 3 3]
}
