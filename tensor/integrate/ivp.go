package integrate

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Method is a way to solve initial value problems.
type Method int

// The methods of SolveIVP.
const (
	RK45   Method = iota // Dormand and Prince's Runge-Kutta method of order 5
	RK23                 // Bogacki and Shampine's of order 3, for loose tolerances
	DOP853               // Dormand and Prince's of order 8, for tight ones
	Radau                // implicit, of order 5, for stiff problems
)

func (m Method) String() string {
	if m < RK45 || m > Radau {
		return "unknown method"
	}
	return [...]string{"RK45", "RK23", "DOP853", "Radau"}[m]
}

// IVPOptions are those of SolveIVP and SolveIVPFunc. Zeros are the defaults.
type IVPOptions struct {
	Method Method
	// TEval are the times of the solution, ascending if t1 is after t0, or descending. Without them they are those of
	// the steps.
	TEval []float64
	// The estimated error of a step is at most ATol + RTol·|y|, as the root mean square over the elements of the last
	// dim of y: 1e-3 and 1e-6.
	RTol, ATol float64
	FirstStep  float64 // the size of the first step; it is chosen if it is 0
	MaxStep    float64 // the largest size of a step
	MaxSteps   int     // the largest number of steps: 100,000
	Events     []Event
	// Dense keeps the polynomials of all steps, for Solution.At.
	Dense bool
}

// Event is a function whose zeros along the solution are found: where its sign differs at the ends of a step. A shorter
// IVPOptions.MaxStep finds those that are near to one another.
type Event struct {
	F         func(t float64, y *tensor.Tensor) float64
	Terminal  bool // the solution ends at its first zero
	Direction int  // 1 for zeros at which F rises, -1 for those at which it falls, 0 for both
}

// Solution is what SolveIVP found. Where an error says that it did not reach the end, it is the solution so far.
type Solution struct {
	T []float64      // times
	Y *tensor.Tensor // [len(T) …], the states at these times
	// TEvents are the times of the zeros of each event, YEvents the states there, [len …]; nil for none.
	TEvents   [][]float64
	YEvents   []*tensor.Tensor
	Steps     int
	Rejected  int // steps that were taken once more, with a smaller size
	Calls     int // of the function, without those for Jacobians
	Jacobians int
	Inverses  int // of matrices, for Radau
	Message   string
	dense     []interpolant
}

// interpolant is the solution within a step.
type interpolant struct {
	t, h float64
	at   func(theta float64) *tensor.Tensor // at t + theta·h
}

// until is the part of a step up to a time.
func (p interpolant) until(end float64) interpolant {
	if end == p.t+p.h {
		return p
	}
	part := (end - p.t) / p.h
	return interpolant{p.t, end - p.t, func(theta float64) *tensor.Tensor { return p.at(theta * part) }}
}

// At returns the solution at times between the first and the last one, [len(times) …], by the polynomials of the steps.
// It panics with ErrValue for other times, and for a solution without IVPOptions.Dense.
func (s Solution) At(times ...float64) *tensor.Tensor {
	const op = "solution"
	if len(s.dense) == 0 {
		extend.Fail(op, tensor.ErrValue, nil, "set IVPOptions.Dense", "the solution has no polynomials")
	}
	if len(times) == 0 {
		extend.Shape(op, nil, "there are no times")
	}
	first, last := s.dense[0], s.dense[len(s.dense)-1]
	forward := first.h > 0
	ys := make([]*tensor.Tensor, len(times))
	for i, t := range times {
		lo, hi := first.t, last.t+last.h
		if !forward {
			lo, hi = hi, lo
		}
		if slack := 1e-12 * max(math.Abs(lo), math.Abs(hi)); !(t >= lo-slack && t <= hi+slack) {
			extend.Fail(op, tensor.ErrValue, nil, "", "the solution is between %g and %g, not at %g", first.t,
				last.t+last.h, t)
		}
		k, _ := slices.BinarySearchFunc(s.dense, t, func(p interpolant, t float64) int {
			if end := p.t + p.h; forward && end < t || !forward && end > t {
				return -1
			}
			return 1
		})
		p := s.dense[min(k, len(s.dense)-1)]
		ys[i] = p.at((t - p.t) / p.h)
	}
	return tensor.Stack(ys, 0)
}

// SolveIVP solves y' = f(t, y) from t0, where y is y0, to t1, as scipy.integrate.solve_ivp. y0 is a tensor of floats on
// any device: the last dim has the unknowns of a system, dims before it are many systems, which advance with the same
// steps, each within the tolerance. f returns the derivative, of the shape of y, by operations of tensors.
//
// Explicit methods have gradients: those of the steps that were taken, with respect to y0 and all variables that f
// uses. Radau takes the Jacobian from package autograd; systems of a batch must not depend on one another then. Its
// solution has no gradients.
//
// The error is ErrStepSize or ErrNotConverged where the solution does not reach t1, or ErrNotFinite. It panics with
// ErrShape for a derivative of another shape, with ErrDType for states that are not floats, and with ErrValue for
// tolerances below the precision of the type.
//
//	swing := func(t float64, y *tensor.Tensor) *tensor.Tensor { // y is [1000 2]: angles and speeds of pendulums
//		return tensor.Stack([]*tensor.Tensor{y.I("..., 1"), y.I("..., 0").Sin().Neg()}, -1)
//	}
//	s, err := integrate.SolveIVP(swing, 0, 10, y0, integrate.IVPOptions{TEval: []float64{5, 10}}) // s.Y is [2 1000 2]
func SolveIVP(f func(t float64, y *tensor.Tensor) *tensor.Tensor, t0, t1 float64, y0 *tensor.Tensor, o IVPOptions,
) (Solution, error) {
	p := &problem{f: f}
	p.jacobian = p.autograd
	return p.solve(t0, t1, y0, o)
}

// SolveIVPFunc is SolveIVP for a function of numbers, which returns a derivative for each element of y. The states of
// the solution are F64 tensors on the CPU. Radau computes Jacobians by differences.
//
//	s, err := integrate.SolveIVPFunc(func(t float64, y []float64) []float64 { return []float64{y[1], -y[0]} },
//		0, 10, []float64{1, 0}, integrate.IVPOptions{})
func SolveIVPFunc(f func(t float64, y []float64) []float64, t0, t1 float64, y0 []float64, o IVPOptions,
) (Solution, error) {
	p := &problem{}
	p.f = func(t float64, y *tensor.Tensor) *tensor.Tensor {
		d := f(t, y.Float64s())
		if len(d) != len(y0) {
			extend.Shape(opIVP, nil, "the function returned %d derivatives for %d unknowns", len(d), len(y0))
		}
		return tensor.CPU().FromSlice(append([]float64{}, d...), len(d))
	}
	p.jacobian = p.differences
	if len(y0) == 0 {
		extend.Shape(opIVP, nil, "there are no unknowns")
	}
	return p.solve(t0, t1, tensor.CPU().FromSlice(append([]float64{}, y0...), len(y0)), o)
}

const opIVP = "solve ivp"

// problem is an initial value problem with the counts of what it takes.
type problem struct {
	f         func(t float64, y *tensor.Tensor) *tensor.Tensor
	jacobian  func(t float64, y *tensor.Tensor) *tensor.Tensor // [… n n]
	y0        *tensor.Tensor
	o         IVPOptions
	calls     int
	jacobians int
	inverses  int
}

// slope evaluates the derivative.
func (p *problem) slope(t float64, y *tensor.Tensor) *tensor.Tensor {
	p.calls++
	d := p.f(t, y)
	if d == nil || !slices.Equal(d.Dims(), y.Dims()) {
		var shape any = "no tensor"
		if d != nil {
			shape = d.Dims()
		}
		extend.Shape(opIVP, []*tensor.Tensor{y}, "the function returned %v for states of shape %v", shape, y.Dims())
	}
	return d.ToDType(y.DType())
}

// norm is the largest over the systems of a batch of the root mean square of the elements of v/scale, and NaN if one
// is.
func (p *problem) norm(v, scale *tensor.Tensor) float64 {
	if small(v, scale) {
		return normSmall(v, scale)
	}
	q := v.Detach().Div(scale).ToDType(tensor.F64).Sqr()
	if q.Rank() > 0 {
		q = q.Mean(-1)
	}
	return math.Sqrt(q.Max().ToScalar())
}

// scale is the error that is allowed in each element.
func (p *problem) scale(a, b *tensor.Tensor) *tensor.Tensor {
	return a.Detach().Abs().Maximum(b.Detach().Abs()).Affine(p.o.RTol, p.o.ATol)
}

// check checks arguments, and sets options that are zero.
func (p *problem) check(t0, t1 float64, y0 *tensor.Tensor, o IVPOptions) {
	extend.SameDevice(opIVP, y0)
	fail := func(note, format string, args ...any) {
		extend.Fail(opIVP, tensor.ErrValue, nil, note, format, args...)
	}
	if !y0.DType().IsFloat() {
		extend.Fail(opIVP, tensor.ErrDType, []*tensor.Tensor{y0}, "y0.ToDType(tensor.F64) are floats",
			"want a first state of floats, not %v", y0.DType())
	}
	if y0.ElemCount() == 0 {
		extend.Shape(opIVP, []*tensor.Tensor{y0}, "the first state has no elements: shape %v", y0.Dims())
	}
	if !finite(t0) || !finite(t1) || t0 == t1 {
		fail("", "want two finite times that differ, not %g and %g", t0, t1)
	}
	if o.Method < RK45 || o.Method > Radau {
		fail("", "there is no method %d", int(o.Method))
	}
	for name, v := range map[string]float64{"RTol": o.RTol, "ATol": o.ATol, "FirstStep": o.FirstStep,
		"MaxStep": o.MaxStep, "MaxSteps": float64(o.MaxSteps)} {
		if !(v >= 0) {
			fail("0 is the default", "%s is %g", name, v)
		}
	}
	if o.RTol == 0 {
		o.RTol = 1e-3
	}
	if o.ATol == 0 {
		o.ATol = 1e-6
	}
	least := map[tensor.DType]float64{tensor.F64: 100 * epsilon, tensor.F32: 1e-6}[y0.DType()]
	if least == 0 {
		extend.Fail(opIVP, tensor.ErrDType, []*tensor.Tensor{y0}, "y0.ToDType(tensor.F32) is precise enough",
			"states are of F32 or F64, not %v", y0.DType())
	}
	if o.RTol < least {
		fail("y0.ToDType(tensor.F64) allows tolerances from 2.3e-14", "RTol %g is below what %v can meet, %.2g", o.RTol,
			y0.DType(), least)
	}
	if o.MaxStep == 0 {
		o.MaxStep = math.Inf(1)
	}
	if o.MaxSteps == 0 {
		o.MaxSteps = 100_000
	}
	last := t0
	for i, t := range o.TEval {
		if !(t >= min(t0, t1) && t <= max(t0, t1)) || i > 0 && (t1 > t0) != (t > last) {
			fail("", "want TEval between %g and %g, in that order, each time once: element %d is %g", t0, t1, i, t)
		}
		last = t
	}
	p.y0, p.o = y0, o
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
