package interpolate

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Boundary says what a cubic spline is at its ends.
type Boundary int

// The boundary conditions of cubic splines.
const (
	NotAKnot       Boundary = iota // the first two pieces are one polynomial, and the last two
	Natural                        // the second derivative is 0
	Clamped                        // the first derivative is 0
	PeriodicSpline                 // slope and second derivative are the same at both ends, as the values must be
	Slopes                         // the first derivatives are SplineOptions.Ends
	Curvatures                     // the second derivatives are SplineOptions.Ends
)

// SplineOptions are those of CubicSpline.
type SplineOptions struct {
	Boundary Boundary
	Ends     [2]float64 // for Slopes and Curvatures
	Outside  Outside    // Extrapolate, and Periodic for PeriodicSpline
}

// CubicSpline returns the cubic spline through points (x, y), whose second derivative is continuous, as
// scipy.interpolate.CubicSpline: x [n] in ascending order, y [n …] on the same device. It panics with ErrShape for
// less than 2 points and other shapes, with ErrValue for positions that do not ascend, and for PeriodicSpline if the
// first and the last value differ.
//
//	s := interpolate.CubicSpline(x, y, interpolate.SplineOptions{})
//	s.At(tensor.Linspace(0, 1, 100)), s.Derivative(1).At(x), s.Integrate(0, 1)
func CubicSpline(x, y *tensor.Tensor, o SplineOptions) *Poly {
	const op = "cubic spline"
	if o.Boundary < NotAKnot || o.Boundary > Curvatures {
		extend.Fail(op, tensor.ErrValue, nil, "", "there is no boundary condition %d", int(o.Boundary))
	}
	p := prepared(op, x, y, 2)
	auto := Extrapolate
	var slopes *tensor.Tensor
	switch n := len(p.x); {
	case o.Boundary == PeriodicSpline:
		auto = Periodic
		slopes = p.periodic()
	case o.Boundary == NotAKnot && n == 2:
		_, d := p.steps()
		slopes = tensor.Cat([]*tensor.Tensor{d, d}, 0)
	case o.Boundary == NotAKnot && n == 3:
		slopes = p.parabola()
	default:
		slopes = p.slopes(o)
	}
	return p.hermite(slopes, o.Outside, auto)
}

// weighted returns the products of rows of t with numbers.
func weighted(t *tensor.Tensor, w []float64) *tensor.Tensor {
	return t.Mul(t.Device().FromSlice(w, len(w), 1).ToDType(t.DType()))
}

// slopes are those at the points, of which the second derivative is continuous at inner points, [n, values].
func (p points) slopes(o SplineOptions) *tensor.Tensor {
	n := len(p.x)
	h := make([]float64, n-1)
	for i := range h {
		h[i] = p.x[i+1] - p.x[i]
	}
	_, d := p.steps()
	m := newBand(n, 1)
	// rows of the right side: first·d[i-1] + second·d[i]
	first, second := make([]float64, n-2), make([]float64, n-2)
	for i := 1; i < n-1; i++ {
		m.add(i, i-1, h[i])
		m.add(i, i, 2*(h[i-1]+h[i]))
		m.add(i, i+1, h[i-1])
		first[i-1], second[i-1] = 3*h[i], 3*h[i-1]
	}
	value := func(v float64) *tensor.Tensor { return d.Narrow(0, 0, 1).FullLike(v) }
	row := func(i int) *tensor.Tensor { return d.Narrow(0, i, 1) }
	var low, high *tensor.Tensor
	switch o.Boundary {
	case NotAKnot:
		a, b := h[0], h[1]
		m.add(0, 0, b)
		m.add(0, 1, a+b)
		low = row(0).Mul((a + 2*(a+b)) * b / (a + b)).Add(row(1).Mul(a * a / (a + b)))
		a, b = h[n-2], h[n-3]
		m.add(n-1, n-1, b)
		m.add(n-1, n-2, a+b)
		high = row(n - 2).Mul((a + 2*(a+b)) * b / (a + b)).Add(row(n - 3).Mul(a * a / (a + b)))
	case Clamped, Slopes:
		if o.Boundary == Clamped {
			o.Ends = [2]float64{}
		}
		m.add(0, 0, 1)
		m.add(n-1, n-1, 1)
		low, high = value(o.Ends[0]), value(o.Ends[1])
	default: // Natural and Curvatures
		if o.Boundary == Natural {
			o.Ends = [2]float64{}
		}
		m.add(0, 0, 2)
		m.add(0, 1, 1)
		m.add(n-1, n-1, 2)
		m.add(n-1, n-2, 1)
		low = row(0).Mul(3).Sub(value(o.Ends[0] * h[0] / 2))
		high = row(n - 2).Mul(3).Add(value(o.Ends[1] * h[n-2] / 2))
	}
	parts := []*tensor.Tensor{low}
	if n > 2 {
		parts = append(parts, weighted(d.Narrow(0, 0, n-2), first).Add(weighted(d.Narrow(0, 1, n-2), second)))
	}
	return solved(p.op, m.factor(), tensor.Cat(append(parts, high), 0), false)
}

// parabola are the slopes of the parabola through three points.
func (p points) parabola() *tensor.Tensor {
	_, d := p.steps()
	a, b := p.x[1]-p.x[0], p.x[2]-p.x[1]
	first, last := d.Narrow(0, 0, 1), d.Narrow(0, 1, 1)
	middle := first.Mul(b / (a + b)).Add(last.Mul(a / (a + b)))
	return tensor.Cat([]*tensor.Tensor{first.Mul(2).Sub(middle), middle, last.Mul(2).Sub(middle)}, 0)
}

// periodic are the slopes of a spline whose ends meet.
func (p points) periodic() *tensor.Tensor {
	n := len(p.x)
	first, last := p.y.Detach().Narrow(0, 0, 1), p.y.Detach().Narrow(0, n-1, 1)
	tol := 1e-14
	if p.at.DType() == tensor.F32 {
		tol = 1e-6
	}
	if !first.AllClose(last, tol, tol) {
		extend.Fail(p.op, tensor.ErrValue, []*tensor.Tensor{p.y}, "repeat the first value at the end of the period",
			"want the same first and last value for PeriodicSpline, not %.8g and %.8g", first.Float64s()[0], last.Float64s()[0])
	}
	h, d := p.steps()
	if n == 2 {
		return p.y.ZerosLike()
	}
	steps := h.Float64s()
	count := n - 1 // unknowns: the last slope is the first one
	before := func(i int) int { return (i + count - 1) % count }
	right := weighted(d.Roll(1, 0), scaled(steps, 3)).Add(d.Mul(h.Roll(1, 0).Mul(3)))
	if count == 2 { // both neighbours are the same point: (2a+2b)·s0 + (a+b)·s1, and the other way around
		sum := steps[0] + steps[1]
		m := newBand(2, 1)
		m.add(0, 0, 2*sum)
		m.add(0, 1, sum)
		m.add(1, 0, sum)
		m.add(1, 1, 2*sum)
		s := solved(p.op, m.factor(), right, false)
		return tensor.Cat([]*tensor.Tensor{s, s.Narrow(0, 0, 1)}, 0)
	}
	m := newBand(count, 1)
	corner := [2]float64{} // elements (0, count-1) and (count-1, 0)
	for i := range count {
		m.add(i, i, 2*(steps[before(i)]+steps[i]))
		if i > 0 {
			m.add(i, i-1, steps[i])
		} else {
			corner[0] = steps[0]
		}
		if i < count-1 {
			m.add(i, i+1, steps[before(i)])
		} else {
			corner[1] = steps[before(i)]
		}
	}
	gamma := -m.get(0, 0)
	u, v := make([]float64, count), make([]float64, count)
	u[0], u[count-1] = gamma, corner[1]
	v[0], v[count-1] = 1, corner[0]/gamma
	m.add(0, 0, -gamma)
	m.add(count-1, count-1, -corner[0]*corner[1]/gamma)
	s := solved(p.op, cyclic{m.factor(), u, v}, right, false)
	return tensor.Cat([]*tensor.Tensor{s, s.Narrow(0, 0, 1)}, 0)
}

func scaled(v []float64, by float64) []float64 {
	w := make([]float64, len(v))
	for i := range v {
		w[i] = v[i] * by
	}
	return w
}
