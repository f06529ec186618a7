package integrate_test

import (
	"fmt"
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/integrate"
)

func ExampleQuad() {
	bell := func(x float64) float64 { return math.Exp(-x * x) }
	q, err := integrate.Quad(bell, math.Inf(-1), math.Inf(1), integrate.QuadOptions{})
	fmt.Printf("%.6f %v %v\n", q.Value, q.Error < 1e-7, err) // √π
	// Output: 1.772454 true <nil>
}

func ExampleDblQuad() {
	half := func(x float64) float64 { return math.Sqrt(1 - x*x) } // a half disc
	q, _ := integrate.DblQuad(func(y, x float64) float64 { return 1 }, -1, 1,
		func(x float64) float64 { return 0 }, half, integrate.QuadOptions{})
	fmt.Printf("%.6f\n", q.Value)
	// Output: 1.570796
}

func ExampleSimpson() {
	fmt.Println(integrate.Simpson(tensor.Of(0, 1, 4, 9), 1, 0)) // x² from 0 to 3
	// Output: 9
}

func ExampleCumulativeTrapezoid() {
	fmt.Println(integrate.CumulativeTrapezoid(tensor.Of(1, 2, 3), 1, 0).ToVec1())
	// Output: [0 1.5 4]
}

func ExampleFixedQuad() {
	square := func(x *tensor.Tensor) *tensor.Tensor { return x.Sqr() }
	fmt.Printf("%.4f\n", integrate.FixedQuad(square, 0, 3, 2, tensor.F64, tensor.CPU()).ToScalar())
	// Output: 9.0000
}

func ExampleSolveIVP() {
	swing := func(t float64, y *tensor.Tensor) *tensor.Tensor { // angles and speeds of pendulums
		return tensor.Stack([]*tensor.Tensor{y.I("..., 1"), y.I("..., 0").Sin().Neg()}, -1)
	}
	y0 := tensor.FromSlice([]float64{0.1, 0, 3, 0}, 2, 2)
	s, err := integrate.SolveIVP(swing, 0, 10, y0, integrate.IVPOptions{RTol: 1e-6, TEval: []float64{5, 10}})
	fmt.Printf("%.3f %v\n", s.Y.I("-1, :, 0").ToVec1(), err) // their angles at 10
	// Output: [-0.084 -2.651] <nil>
}

func ExampleSolveIVPFunc() {
	fall := func(t float64, y []float64) []float64 { return []float64{y[1], -9.81} }
	ground := integrate.Event{F: func(t float64, y *tensor.Tensor) float64 { return y.Get(0).ToScalar() }, Terminal: true}
	s, _ := integrate.SolveIVPFunc(fall, 0, 10, []float64{10, 0}, integrate.IVPOptions{Events: []integrate.Event{ground}})
	fmt.Printf("%.3f\n", s.TEvents[0][0])
	// Output: 1.428
}
