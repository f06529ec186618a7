package optimize

import (
	"errors"
	"fmt"
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Method is a way to minimize a function.
type Method int

// The methods of Minimize. All but NelderMead use gradients, TrustNCG also products of the Hessian with vectors.
const (
	Auto       Method = iota // LBFGSB with bounds, BFGS up to 200 parameters, and LBFGS for more
	BFGS                     // approximates the inverse Hessian by a matrix
	LBFGS                    // approximates it by the last steps, for many parameters
	LBFGSB                   // the same within bounds
	CG                       // nonlinear conjugate gradients
	NelderMead               // a simplex that needs no gradient, for functions with noise or kinks
	TrustNCG                 // Newton steps by conjugate gradients within a trust region
)

func (m Method) String() string {
	names := [...]string{"Auto", "BFGS", "LBFGS", "LBFGSB", "CG", "NelderMead", "TrustNCG"}
	if m < 0 || int(m) >= len(names) {
		return fmt.Sprintf("Method(%d)", int(m))
	}
	return names[m]
}

// Options of Minimize and MinimizeFunc. Zeros are the defaults.
type Options struct {
	Method Method
	// Bounds are the least and greatest values of each parameter, in row-major order; infinities are none. A first
	// point outside is moved to them. They are for LBFGSB and NelderMead.
	Bounds [][2]float64
	// GTol is the largest element of the gradient at which the search has converged: 1e-5.
	GTol float64
	// FTol is the relative decrease of the function by a step below which LBFGSB has converged, 1e-12, and the
	// difference of its values at the corners of the simplex below which NelderMead has, 1e-4.
	FTol float64
	// XTol is the size of the simplex at which NelderMead has converged: 1e-4.
	XTol float64
	// MaxIter is the largest number of iterations: 200 for each parameter, and at least 1000.
	MaxIter int
	// Gradient is that of MinimizeFunc's function; it takes differences if it is nil.
	Gradient func(x []float64) []float64
	// Callback is called after each iteration, and ends the search by returning true.
	Callback func(r Result) (stop bool)
}

// Result is what Minimize and its like found. Where an error says that the search has not converged, it is the best
// point that was found.
type Result struct {
	X          *tensor.Tensor // F64, in the shape and on the device of the first point
	F          float64        // the function there; of Root the norm of the residuals, of LeastSquares the cost
	GradNorm   float64        // the largest absolute value of the gradient there; NaN for methods without gradients
	Iterations int
	Calls      int    // of the function, with its gradient or without
	Gradients  int    // gradients or Jacobians that were computed; a Hessian product counts as two
	Message    string // why the search ended
}

// String has a line for each field.
func (r Result) String() string {
	return fmt.Sprintf("%s\nx: %.8g\nf: %.10g\ngradient: %.3g\n%d iterations, %d calls, %d gradients",
		r.Message, r.X, r.F, r.GradNorm, r.Iterations, r.Calls, r.Gradients)
}

// Why searches fail; errors.Is finds them.
var (
	// ErrNotConverged is the error of a search that ended before it met its tolerances.
	ErrNotConverged = errors.New("not converged")
	// ErrNotFinite is the error where a function returned NaN or an infinity at the first point.
	ErrNotFinite = errors.New("not finite")
	// ErrBracket is the error of an interval at whose ends a function has the same sign.
	ErrBracket = errors.New("no change of sign")
	// ErrInfeasible is the error of constraints that no point meets.
	ErrInfeasible = errors.New("infeasible")
	// ErrIndeterminate is the error of parameters that the data does not determine.
	ErrIndeterminate = errors.New("indeterminate")
	// ErrUnbounded is the error of a function that decreases without end.
	ErrUnbounded = errors.New("unbounded")
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

// Minimize returns the point at which the function f is least, near x0: a local minimum, as scipy.optimize.minimize. f
// takes an F64 tensor of the shape and on the device of x0 and returns one number, computed by operations of tensors:
// gradients are those of package autograd. The error says why a search has not converged; it is ErrNotConverged or
// ErrNotFinite. Minimize panics for a function whose result is not one number, or not computed from its argument, for
// complex or empty x0, and for options that the method does not have.
//
//	rosenbrock := func(x *tensor.Tensor) *tensor.Tensor {
//		a, b := x.Get(0), x.Get(1)
//		return a.Affine(-1, 1).Sqr().Add(b.Sub(a.Sqr()).Sqr().Mul(100))
//	}
//	r, err := optimize.Minimize(rosenbrock, tensor.Of(-1.2, 1), optimize.Options{}) // r.X is [1, 1]
func Minimize(f func(x *tensor.Tensor) *tensor.Tensor, x0 *tensor.Tensor, o Options) (Result, error) {
	const op = "minimize"
	s, x := start(op, x0)
	if o.Gradient != nil {
		extend.Fail(op, tensor.ErrValue, nil, "leave it out: gradients are computed by package autograd",
			"Options.Gradient is for MinimizeFunc")
	}
	return minimize(ofTensors(op, f, s), x, o)
}

// MinimizeFunc is Minimize for a function of numbers. Its gradient is Options.Gradient, or is computed by central
// differences, with two calls for each parameter.
func MinimizeFunc(f func(x []float64) float64, x0 []float64, o Options) (Result, error) {
	const op = "minimize"
	if len(x0) == 0 {
		extend.Shape(op, nil, "the first point has no elements")
	}
	return minimize(ofNumbers(op, f, o.Gradient, len(x0)), append([]float64{}, x0...), o)
}

// search is a run of a method.
type search struct {
	*objective
	Options
	x          []float64 // the best point so far
	f          float64
	g          []float64 // nil for methods without gradients
	iterations int
	message    string
	halted     bool // no step decreased the function
}

func minimize(p *objective, x []float64, o Options) (Result, error) {
	s := &search{objective: p, Options: o, x: x}
	s.check()
	run := map[Method]func(*search) error{
		BFGS: (*search).smooth, LBFGS: (*search).smooth, CG: (*search).smooth,
		LBFGSB: (*search).bounded, NelderMead: (*search).simplex, TrustNCG: (*search).trust,
	}[s.Method]
	err := run(s)
	if err != nil {
		s.message = err.Error()
	}
	return s.report(), err
}

// check checks options, and sets those that are zero.
func (s *search) check() {
	n := len(s.x)
	if s.Method == Auto {
		switch {
		case s.Bounds != nil:
			s.Method = LBFGSB
		case n <= 200:
			s.Method = BFGS
		default:
			s.Method = LBFGS
		}
	}
	if s.Method < BFGS || s.Method > TrustNCG {
		extend.Fail(s.op, tensor.ErrValue, nil, "", "there is no method %d", int(s.Method))
	}
	if s.Bounds != nil {
		if s.Method != LBFGSB && s.Method != NelderMead {
			extend.Fail(s.op, tensor.ErrValue, nil, "the methods optimize.LBFGSB and optimize.NelderMead have bounds",
				"%v has no bounds", s.Method)
		}
		checkBounds(s.op, s.Bounds, n)
		clip(s.x, s.Bounds)
	}
	for name, tol := range map[string]float64{"GTol": s.GTol, "FTol": s.FTol, "XTol": s.XTol,
		"MaxIter": float64(s.MaxIter)} {
		if !(tol >= 0) || math.IsInf(tol, 1) {
			extend.Fail(s.op, tensor.ErrValue, nil, "0 is the default", "%s is %g", name, tol)
		}
	}
	small := 1e-12
	if s.Method == NelderMead {
		small = 1e-4
	}
	s.GTol, s.FTol, s.XTol = or(s.GTol, 1e-5), or(s.FTol, small), or(s.XTol, 1e-4)
	if s.MaxIter == 0 {
		s.MaxIter = max(1000, 200*n)
	}
}

// or returns a number, or the default for 0.
func or(v, otherwise float64) float64 {
	if v == 0 {
		return otherwise
	}
	return v
}

// checkBounds checks the bounds of n parameters.
func checkBounds(op string, bounds [][2]float64, n int) {
	if len(bounds) != n {
		extend.Shape(op, nil, "%d bounds for %d parameters", len(bounds), n)
	}
	for i, b := range bounds {
		if !(b[0] <= b[1]) || math.IsInf(b[0], 1) || math.IsInf(b[1], -1) {
			extend.Fail(op, tensor.ErrValue, nil, "math.Inf(-1) and math.Inf(1) are no bounds",
				"want the least value, then the greatest: the bounds of parameter %d are %v", i, b)
		}
	}
}

// clip brings a point into bounds.
func clip(x []float64, bounds [][2]float64) {
	for i, b := range bounds {
		x[i] = min(max(x[i], b[0]), b[1])
	}
}

// first evaluates the function at the first point, with its gradient if the method has one.
func (s *search) first(gradient bool) error {
	if gradient {
		s.f, s.g = s.gradient(s.x)
	} else {
		s.f = s.value(s.x)
	}
	if !finite(s.f) {
		return failed(ErrNotFinite, "the function is %v at the first point: begin where it is finite", s.f)
	}
	if !finite(most(s.g)) {
		return failed(ErrNotFinite, "the gradient is not finite at the first point, where the function is %.6g: %.6g",
			s.f, s.g)
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// next counts an iteration and reports whether the callback or the limit ends the search.
func (s *search) next() (stop bool, err error) {
	s.iterations++
	if s.Callback != nil && s.Callback(s.report()) {
		s.message = "Callback ended the search"
		return true, nil
	}
	if s.iterations >= s.MaxIter {
		return true, failed(ErrNotConverged, "not converged after %d iterations (f %.10g, gradient %.3g): "+
			"set Options.MaxIter, or begin at the point that was found", s.iterations, s.f, s.slope())
	}
	return false, nil
}

// slope is the largest element of the gradient, without what points out of the bounds.
func (s *search) slope() float64 {
	if s.g == nil {
		return math.NaN()
	}
	return most(s.projected(s.g))
}

// projected is the gradient without what points out of the bounds.
func (s *search) projected(g []float64) []float64 {
	if s.Bounds == nil {
		return g
	}
	p := make([]float64, len(g))
	for i, b := range s.Bounds {
		p[i] = min(max(g[i], s.x[i]-b[1]), s.x[i]-b[0]) // x - g would round to x where that is large
	}
	return p
}

func (s *search) report() Result {
	return Result{X: s.result(s.x), F: s.f, GradNorm: s.slope(), Iterations: s.iterations, Calls: s.calls,
		Gradients: s.gradients, Message: s.message}
}
