package optimize

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// FitOptions are those of LeastSquares, LeastSquaresFunc and CurveFit. Zeros are the defaults.
type FitOptions struct {
	Loss Loss // Linear
	// Scale is the residual beyond which a loss other than Linear grows more slowly: the loss of a residual r is
	// Scale²·ρ((r/Scale)²). 1.
	Scale float64
	// Bounds are the least and greatest values of each parameter; infinities are none.
	Bounds [][2]float64
	// The search has converged when the relative decrease of the cost is at most FTol, the relative size of a step at
	// most XTol, or the largest element of the gradient at most GTol: 1e-8 each.
	FTol, XTol, GTol float64
	MaxIter          int // the largest number of iterations: 200 for each parameter
	// Jacobian is that of LeastSquaresFunc's function, a row for each residual; it takes differences if it is nil.
	Jacobian func(x []float64) [][]float64
}

// LeastSquares returns the point near x0 at which half the sum of the squares of the elements of f(x) is least, or of a
// loss of them, by the method of Levenberg and Marquardt, as scipy.optimize.least_squares. f takes an F64 tensor of the
// shape and on the device of x0 and returns residuals of any shape; the Jacobian is that of package autograd. r.F is
// the cost. The error is ErrNotConverged or ErrNotFinite. It panics as Minimize.
//
//	f := func(p *tensor.Tensor) *tensor.Tensor { return x.Mul(p.Get(0)).Add(p.Get(1)).Sub(y) }
//	r, err := optimize.LeastSquares(f, tensor.Of(0, 0), optimize.FitOptions{Loss: optimize.SoftL1})
func LeastSquares(f func(x *tensor.Tensor) *tensor.Tensor, x0 *tensor.Tensor, o FitOptions) (Result, error) {
	const op = "least squares"
	s, x := start(op, x0)
	if o.Jacobian != nil {
		extend.Fail(op, tensor.ErrValue, nil, "leave it out: the Jacobian is computed by package autograd",
			"FitOptions.Jacobian is for LeastSquaresFunc")
	}
	p := newFit(residualsOf(op, f, s), x, o)
	err := p.solve()
	return p.report(err), err
}

// LeastSquaresFunc is LeastSquares for a function of numbers. Its Jacobian is FitOptions.Jacobian, or is computed by
// central differences.
func LeastSquaresFunc(f func(x []float64) []float64, x0 []float64, o FitOptions) (Result, error) {
	const op = "least squares"
	if len(x0) == 0 {
		extend.Shape(op, nil, "the first point has no elements")
	}
	p := newFit(residualsOfNumbers(op, f, o.Jacobian, len(x0)), append([]float64{}, x0...), o)
	err := p.solve()
	return p.report(err), err
}

// fit is a run of Levenberg and Marquardt's method.
type fit struct {
	*residuals
	FitOptions
	loss       Loss
	scale      float64
	x          []float64      // the best point
	r          *tensor.Tensor // and its residuals [m]
	cost       float64        // half the sum of the losses
	rows       [][]float64    // the Jacobian there, with the losses, reduced to n+1 rows at most
	right      []float64      // and the residuals
	g          []float64      // the gradient of the cost
	iterations int
	message    string
}

func newFit(p *residuals, x []float64, o FitOptions) *fit {
	if o.Loss < Linear || o.Loss > Arctan {
		extend.Fail(p.op, tensor.ErrValue, nil, "", "there is no loss %d", int(o.Loss))
	}
	for name, v := range map[string]float64{"FTol": o.FTol, "XTol": o.XTol, "GTol": o.GTol, "Scale": o.Scale,
		"MaxIter": float64(o.MaxIter)} {
		if !(v >= 0) || math.IsInf(v, 1) {
			extend.Fail(p.op, tensor.ErrValue, nil, "0 is the default", "%s is %g", name, v)
		}
	}
	if o.Bounds != nil {
		checkBounds(p.op, o.Bounds, len(x))
		clip(x, o.Bounds)
	}
	o.FTol, o.XTol, o.GTol = or(o.FTol, 1e-8), or(o.XTol, 1e-8), or(o.GTol, 1e-8)
	return &fit{residuals: p, x: x, FitOptions: o, loss: o.Loss, scale: or(o.Scale, 1)}
}

func (p *fit) solve() error {
	if err := p.first(); err != nil {
		return err
	}
	return p.run()
}

// first evaluates the first point.
func (p *fit) first() error {
	if p.MaxIter == 0 {
		p.MaxIter = 200 * len(p.x)
	}
	p.r = p.value(p.x)
	if p.r.ElemCount() == 0 {
		extend.Shape(p.op, nil, "the function returned no residuals")
	}
	if p.cost = p.of(p.r); !finite(p.cost) {
		return failed(ErrNotFinite, "the residuals are not finite at the first point %.6g: begin where they are", p.x)
	}
	return p.linearize()
}

// of is the cost of residuals.
func (p *fit) of(r *tensor.Tensor) float64 {
	rho, _, _ := p.loss.of(r.Div(p.scale).Sqr())
	return rho.Sum().ToScalar() / 2 * p.scale * p.scale
}

// linearize computes the Jacobian and the gradient. Losses scale its rows and the residuals (Triggs and others, 1999).
func (p *fit) linearize() error {
	j, r := p.jacobian(p.x), p.r
	if p.loss != Linear {
		z := r.Div(p.scale).Sqr()
		_, first, second := p.loss.of(z)
		s := first.Add(second.Mul(z).Mul(2)).Maximum(first.Mul(0.1)).Sqrt() // the model stays convex
		j, r = j.Mul(s.Unsqueeze(1)), r.Mul(first).Div(s)
	}
	p.rows, p.right = triangle(p.op, j, r)
	p.g = make([]float64, len(p.x))
	for i, row := range p.rows {
		p.g = plus(p.g, p.right[i], row)
	}
	if !finite(most(p.g)) {
		return failed(ErrNotFinite, "the Jacobian is not finite at %.6g: begin elsewhere, or give Bounds", p.x)
	}
	return nil
}

// held reports the parameters that the gradient presses against a bound.
func (p *fit) held() []bool {
	held := make([]bool, len(p.x))
	for i, b := range p.Bounds {
		held[i] = p.x[i] <= b[0] && p.g[i] > 0 || p.x[i] >= b[1] && p.g[i] < 0
	}
	return held
}

// slope is the largest element of the gradient of parameters that no bound holds.
func (p *fit) slope() float64 {
	var m float64
	held := p.held()
	for i, v := range p.g {
		if !held[i] {
			m = max(m, math.Abs(v))
		}
	}
	return m
}

func (p *fit) run() error {
	damping, grow := 1e-3, 2.0
	sizes := make([]float64, len(p.x)) // of the columns of the Jacobian: the scale of each parameter
	for {
		if p.slope() <= p.GTol {
			p.message = "the gradient is within GTol"
			return nil
		}
		if p.iterations >= p.MaxIter {
			return failed(ErrNotConverged, "not converged after %d iterations (cost %.10g, gradient %.3g): set MaxIter, "+
				"or begin at the point that was found", p.iterations, p.cost, p.slope())
		}
		p.iterations++
		p.columns(sizes)
		for {
			x := plus(p.x, 1, p.step(damping, sizes))
			if p.Bounds != nil {
				clip(x, p.Bounds)
			}
			step := plus(x, -1, p.x)
			small := norm(step) <= p.XTol*(p.XTol+norm(p.x))
			r := p.value(x)
			if now, before := r.ElemCount(), p.r.ElemCount(); now != before {
				extend.Shape(p.op, nil, "the function returned %d residuals at first, and %d now", before, now)
			}
			cost := p.of(r)
			predicted := p.decrease(step)
			if ratio := (p.cost - cost) / predicted; finite(cost) && cost <= p.cost && predicted > 0 && ratio > 1e-4 {
				least := p.cost-cost <= p.FTol*p.cost && ratio > 0.25
				p.x, p.r, p.cost = x, r, cost
				if err := p.linearize(); err != nil {
					return err
				}
				damping *= max(1.0/3, 1-math.Pow(2*ratio-1, 3))
				grow = 2
				if small || least {
					p.message = "the step is within XTol"
					if least {
						p.message = "the decrease of the cost is within FTol"
					}
					return nil
				}
				break
			}
			if small {
				p.message = "the step is within XTol"
				return nil
			}
			damping *= grow
			grow *= 2
			if math.IsInf(damping, 1) {
				return failed(ErrNotConverged, "no step decreases the cost: %.10g with gradient %.3g", p.cost, p.slope())
			}
		}
	}
}

// columns updates the sizes of the columns of the Jacobian: the largest so far, as MINPACK does.
func (p *fit) columns(sizes []float64) {
	for i := range sizes {
		var sum float64
		for _, row := range p.rows {
			sum += row[i] * row[i]
		}
		sizes[i] = max(sizes[i], math.Sqrt(sum))
	}
}

// step is the step of least squares with a damping, of parameters that no bound holds.
func (p *fit) step(damping float64, sizes []float64) []float64 {
	held := p.held()
	n := len(p.x)
	var a [][]float64
	var b []float64
	for i, row := range p.rows {
		row = append([]float64{}, row...)
		for c := range row {
			if held[c] {
				row[c] = 0
			}
		}
		a, b = append(a, row), append(b, -p.right[i])
	}
	for i, size := range sizes {
		row := make([]float64, n)
		row[i] = math.Sqrt(damping) * size
		if held[i] || size == 0 {
			row[i] = 1
		}
		a, b = append(a, row), append(b, 0)
	}
	return leastSquares(a, b)
}

// decrease is by how much the linear model says that a step decreases the cost.
func (p *fit) decrease(step []float64) float64 {
	var sum float64
	for i, row := range p.rows {
		change := dot(row, step)
		sum -= change * (p.right[i] + change/2)
	}
	return sum
}

// leastSquares solves a·x = b, of full rank, by Householder reflections, and changes a and b.
func leastSquares(a [][]float64, b []float64) []float64 {
	m, n := len(a), len(a[0])
	for k := range n {
		var size float64
		for i := k; i < m; i++ {
			size = math.Hypot(size, a[i][k])
		}
		if size == 0 {
			continue
		}
		size = math.Copysign(size, a[k][k])
		v := make([]float64, m)
		for i := k; i < m; i++ {
			v[i] = a[i][k] / size
		}
		v[k]++
		for c := k; c <= n; c++ {
			var sum float64
			at := func(i int) *float64 {
				if c == n {
					return &b[i]
				}
				return &a[i][c]
			}
			for i := k; i < m; i++ {
				sum += v[i] * *at(i)
			}
			for i := k; i < m; i++ {
				*at(i) -= sum / v[k] * v[i]
			}
		}
	}
	x := make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		x[i] = b[i]
		for c := i + 1; c < n; c++ {
			x[i] -= a[i][c] * x[c]
		}
		if a[i][i] != 0 {
			x[i] /= a[i][i]
		}
	}
	return x
}

func (p *fit) report(err error) Result {
	if err != nil {
		p.message = err.Error()
	}
	slope := math.NaN()
	if p.g != nil {
		slope = p.slope()
	}
	return Result{X: p.result(p.x), F: p.cost, GradNorm: slope, Iterations: p.iterations, Calls: p.calls,
		Gradients: p.jacobians, Message: p.message}
}
