package optimize_test

import (
	"fmt"
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/optimize"
)

func ExampleMinimize() {
	rosenbrock := func(x *tensor.Tensor) *tensor.Tensor {
		a, b := x.Get(0), x.Get(1)
		return a.Affine(-1, 1).Sqr().Add(b.Sub(a.Sqr()).Sqr().Mul(100)) // (1-a)² + 100·(b-a²)²
	}
	r, err := optimize.Minimize(rosenbrock, tensor.Of(-1.2, 1), optimize.Options{})
	fmt.Printf("%.4f %v\n%s\n", r.X.ToVec1(), err, r.Message)
	// Output:
	// [1.0000 1.0000] <nil>
	// the gradient is within Options.GTol
}

func ExampleMinimizeFunc() {
	area := func(x []float64) float64 { return x[0]*x[0] + 2/x[0] } // of a box of volume 1/2, by its width
	r, _ := optimize.MinimizeFunc(area, []float64{3}, optimize.Options{Bounds: [][2]float64{{0.1, 10}}})
	fmt.Printf("%.4f %.4f\n", r.X.ToVec1(), r.F)
	// Output: [1.0000] 3.0000
}

func ExampleMinimizeScalar() {
	r, _ := optimize.MinimizeScalar(math.Cos, optimize.ScalarOptions{Bounds: &[2]float64{0, 6}})
	fmt.Printf("%.4f\n", r.X)
	// Output: 3.1416
}

func ExampleBrentQ() {
	r, _ := optimize.BrentQ(math.Cos, 0, 3, optimize.ScalarOptions{})
	fmt.Printf("%.6f\n", r.X)
	// Output: 1.570796
}

func ExampleRoot() {
	f := func(x *tensor.Tensor) *tensor.Tensor { return x.Sqr().Sub(tensor.Of(2, 9)) }
	r, _ := optimize.Root(f, tensor.Of(1, 1), optimize.RootOptions{})
	fmt.Printf("%.6f\n", r.X.ToVec1())
	// Output: [1.414214 3.000000]
}

func ExampleLeastSquares() {
	x, y := tensor.Of(0, 1, 2, 3), tensor.Of(1, 3, 5, 70) // the last point is an outlier
	f := func(p *tensor.Tensor) *tensor.Tensor { return x.Mul(p.Get(0)).Add(p.Get(1)).Sub(y) }
	r, _ := optimize.LeastSquares(f, tensor.Of(1, 1), optimize.FitOptions{Loss: optimize.Cauchy, Scale: 0.1})
	fmt.Printf("%.2f\n", r.X.ToVec1())
	// Output: [2.00 1.00]
}

func ExampleCurveFit() {
	model := func(x, p *tensor.Tensor) *tensor.Tensor { return x.Mul(p.Get(1)).Exp().Mul(p.Get(0)) }
	x := tensor.Of(0, 1, 2, 3)
	fit, _ := optimize.CurveFit(model, x, tensor.Of(2.1, 1.2, 0.7, 0.45), tensor.Of(1, -1), optimize.CurveOptions{})
	fmt.Printf("%.3f %.3f\n", fit.X.ToVec1(), fit.StdErr().ToVec1())
	// Output: [2.091 -0.538] [0.029 0.016]
}

func ExampleLinearSumAssignment() {
	cost := tensor.Of(4, 1, 3, 2, 0, 5, 3, 2, 2).Reshape(3, 3)
	rows, columns, _ := optimize.LinearSumAssignment(cost, false)
	fmt.Println(tensor.ToVec1[int64](columns), cost.I(rows, columns).Sum())
	// Output: [1 0 2] 5
}

func ExampleLinprog() {
	// the greatest 3x+2y with x+y ≤ 4 and x+3y ≤ 6
	r, _ := optimize.Linprog([]float64{-3, -2}, optimize.LinearProgram{
		AUb: [][]float64{{1, 1}, {1, 3}}, BUb: []float64{4, 6}})
	fmt.Println(r.X, r.F, r.Slack)
	// Output: [4 0] -12 [0 2]
}

func ExampleDifferentialEvolution() {
	rastrigin := func(x *tensor.Tensor) *tensor.Tensor { // [points 2] → [points], with many local minima
		return x.Sqr().Sub(x.Mul(2 * math.Pi).Cos().Mul(10)).Sum(1).Add(20)
	}
	r, _ := optimize.DifferentialEvolution(rastrigin, [][2]float64{{-5, 4}, {-5, 4}}, tensor.CPU(),
		optimize.EvolutionOptions{Seed: 1})
	fmt.Printf("%.4f\n", r.F)
	// Output: 0.0000
}
