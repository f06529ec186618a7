package integrate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// QuadOptions are those of Quad and DblQuad. Zeros are the defaults.
type QuadOptions struct {
	// The integral has converged when the estimate of its error is at most AbsTol, or RelTol of its absolute value:
	// 1.49e-8 each, if both are 0.
	AbsTol, RelTol float64
	// Limit is the largest number of intervals: 200.
	Limit int
	// Points are where the function jumps, has kinks or singularities, between the ends of a finite interval.
	Points []float64
}

// Quadrature is what Quad found.
type Quadrature struct {
	Value     float64
	Error     float64 // an estimate of the absolute error, most often far above it
	Calls     int
	Intervals int
}

// Why integrals and solutions fail; errors.Is finds them.
var (
	// ErrNotConverged is the error of a result that does not meet its tolerances.
	ErrNotConverged = errors.New("not converged")
	// ErrNotFinite is the error of a function that returned NaN or an infinity.
	ErrNotFinite = errors.New("not finite")
	// ErrStepSize is the error of a solution whose steps became too short for a float64 to tell their ends apart.
	ErrStepSize = errors.New("step too short")
)

// failure is an error of a kind, with a text that has all facts.
type failure struct {
	kind error
	text string
}

func (f failure) Error() string { return f.text }
func (f failure) Unwrap() error { return f.kind }

func failed(kind error, format string, args ...any) error {
	return failure{kind, fmt.Sprintf(format, args...)}
}

// Quad returns the integral of a function from a to b, either of which may be infinite, by adaptive Gauss-Kronrod
// quadrature with 21 points, as scipy.integrate.quad. Singularities at the ends are extrapolated (Wynn's epsilon
// algorithm, as QUADPACK's QAGS does); name others in QuadOptions.Points. The error is ErrNotConverged where the
// tolerance is not met, with the best value, or ErrNotFinite where the function is NaN or infinite. It panics with
// ErrValue for ends that are NaN.
//
//	q, err := integrate.Quad(func(x float64) float64 { return math.Exp(-x * x) },
//		math.Inf(-1), math.Inf(1), integrate.QuadOptions{}) // q.Value is √π
func Quad(f func(x float64) float64, a, b float64, o QuadOptions) (Quadrature, error) {
	const op = "quad"
	if math.IsNaN(a) || math.IsNaN(b) {
		extend.Fail(op, tensor.ErrValue, nil, "math.Inf(1) is an end at infinity", "integral from %g to %g", a, b)
	}
	if !(o.AbsTol >= 0) || !(o.RelTol >= 0) || o.Limit < 0 {
		extend.Fail(op, tensor.ErrValue, nil, "0 is the default", "AbsTol is %g, RelTol %g, Limit %d", o.AbsTol,
			o.RelTol, o.Limit)
	}
	if o.AbsTol == 0 && o.RelTol == 0 {
		o.AbsTol, o.RelTol = 1.49e-8, 1.49e-8
	}
	if o.Limit == 0 {
		o.Limit = 200
	}
	if a == b {
		return Quadrature{}, nil
	}
	sign := 1.0
	if a > b {
		a, b, sign = b, a, -1
	}
	points := slices.Sorted(slices.Values(o.Points))
	infinite := math.IsInf(a, 0) || math.IsInf(b, 0)
	for _, p := range points {
		if !(p > a && p < b) || infinite {
			extend.Fail(op, tensor.ErrValue, nil, "integrate the parts one by one, and add them",
				"want points between finite ends: %v, from %g to %g", o.Points, a, b)
		}
	}
	q := &quadrature{f: f, absTol: o.AbsTol, relTol: max(o.RelTol, 50*epsilon), limit: o.Limit}
	if infinite {
		q.f, a, b = onto01(f, a, b)
	}
	ends := append(append([]float64{a}, points...), b)
	err := q.run(ends)
	r := Quadrature{sign * q.value, q.err, q.calls, len(q.parts)}
	return r, err
}

// epsilon is the distance of 1 and the next float64.
const epsilon = 0x1p-52

// onto01 returns the integral over an infinite interval as one from 0 to 1, of x = (1-t)/t from the finite end.
func onto01(f func(x float64) float64, a, b float64) (g func(t float64) float64, from, to float64) {
	g = func(t float64) float64 {
		x := (1 - t) / t
		var y float64
		switch {
		case math.IsInf(a, -1) && math.IsInf(b, 1):
			y = f(x) + f(-x)
		case math.IsInf(b, 1):
			y = f(a + x)
		default:
			y = f(b - x)
		}
		if y == 0 {
			return 0
		}
		return y / t / t
	}
	return g, 0, 1
}

// DblQuad returns the integral of f(y, x) for x from a to b and y from low(x) to high(x), as scipy.integrate.dblquad:
// Quad of Quad. The errors are those of Quad.
//
//	area, err := integrate.DblQuad(func(y, x float64) float64 { return 1 }, -1, 1,
//		func(x float64) float64 { return 0 }, func(x float64) float64 { return math.Sqrt(1 - x*x) },
//		integrate.QuadOptions{}) // area.Value is π/2
func DblQuad(f func(y, x float64) float64, a, b float64, low, high func(x float64) float64, o QuadOptions,
) (Quadrature, error) {
	inner := o
	inner.Points = nil
	var first error
	var worst float64
	calls := 0
	q, err := Quad(func(x float64) float64 {
		q, err := Quad(func(y float64) float64 { return f(y, x) }, low(x), high(x), inner)
		if err != nil && first == nil {
			first = failure{errors.Unwrap(err), fmt.Sprintf("at x = %.6g: %v", x, err)}
		}
		calls += q.Calls
		worst = max(worst, q.Error)
		return q.Value
	}, a, b, o)
	q.Calls = calls
	if !math.IsInf(b-a, 0) {
		q.Error += worst * math.Abs(b-a)
	}
	if first != nil {
		err = first
	}
	return q, err
}
