package integrate

import (
	"errors"
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/autograd"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/linalg"
)

var root6 = math.Sqrt(6)

// The coefficients of Radau IIA with three stages (Hairer and Wanner: Solving Ordinary Differential Equations II,
// IV.8).
var (
	radauC = [3]float64{(4 - root6) / 10, (4 + root6) / 10, 1}
	radauA = [3][3]float64{
		{(88 - 7*root6) / 360, (296 - 169*root6) / 1800, (-2 + 3*root6) / 225},
		{(296 + 169*root6) / 1800, (88 + 7*root6) / 360, (-2 - 3*root6) / 225},
		{(16 - root6) / 36, (16 + root6) / 36, 1.0 / 9}}
	radauE = []float64{(-13 - 7*root6) / 3, (-13 + 7*root6) / 3, -1.0 / 3} // of the error estimate
	radauP = [3][]float64{                                                 // of the polynomial, for each stage
		{13.0/3 + 7*root6/3, -23.0/3 - 22*root6/3, 10.0/3 + 5*root6},
		{13.0/3 - 7*root6/3, -23.0/3 + 22*root6/3, 10.0/3 - 5*root6},
		{1.0 / 3, -8.0 / 3, 10.0 / 3}}
	radauReal = 3 + math.Pow(3, 2.0/3) - math.Cbrt(3) // the real eigenvalue of the inverse of radauA
)

// radau is the implicit method. The equations of the three stages are solved by Newton's method, with a matrix that is
// inverted when the size of steps changes, and a Jacobian that is computed when Newton's method is slow.
type radau struct {
	*problem
	n         int // of unknowns
	tol       float64
	jac       *tensor.Tensor // [… n n]
	jacAt     float64
	inverse   *tensor.Tensor // of the equations of the stages, [… 3n 3n]
	estimator *tensor.Tensor // of the equation of the error, [… n n]
	size      float64        // of steps for which these are
	last      func(theta float64) *tensor.Tensor
	lastSize  float64
	rate      float64
	rounds    int // of Newton's method, in the last step
	before    struct{ h, err float64 }
}

func newRadau(p *problem) stepper {
	if p.y0.Rank() == 0 {
		extend.ShapeNoting(opIVP, []*tensor.Tensor{p.y0}, "y0.Reshape(1) is a system of one", "Radau takes vectors")
	}
	if extend.Tracked(p.y0) {
		noGradient(p.y0)
	}
	return &radau{problem: p, n: p.y0.Dim(-1), jacAt: math.NaN(),
		tol: max(10*epsilon/p.o.RTol, min(0.03, math.Sqrt(p.o.RTol)))}
}

func noGradient(y *tensor.Tensor) {
	extend.Fail(opIVP, tensor.ErrGradient, []*tensor.Tensor{y}, "RK45, RK23 and DOP853 have gradients; y0.Detach() has none",
		"Radau has no gradients, and the problem depends on variables")
}

func (r *radau) order() float64 { return 3 }

func (r *radau) slope(t float64, y *tensor.Tensor) *tensor.Tensor {
	d := r.problem.slope(t, y)
	if extend.Tracked(d) {
		noGradient(d)
	}
	return d
}

// autograd is the Jacobian of f: that of the sum over the batch, whose systems do not depend on one another.
func (p *problem) autograd(t float64, y *tensor.Tensor) *tensor.Tensor {
	p.jacobians++
	batch := make([]int, y.Rank()-1)
	for i := range batch {
		batch[i] = i
	}
	j := autograd.Jacobian(func(y *tensor.Tensor) *tensor.Tensor {
		d := p.f(t, y)
		if len(batch) > 0 {
			d = d.Sum(batch...)
		}
		return d
	}, y).Detach() // [n … n]
	order := make([]int, j.Rank())
	for i := range order {
		order[i] = i + 1
	}
	order[j.Rank()-2], order[j.Rank()-1] = 0, j.Rank()-1
	return j.Permute(order...).ToDType(y.DType())
}

// differences is the Jacobian of f by forward differences.
func (p *problem) differences(t float64, y *tensor.Tensor) *tensor.Tensor {
	p.jacobians++
	x, d := y.Float64s(), p.f(t, y)
	columns := make([]*tensor.Tensor, len(x))
	for i, v := range x {
		h := math.Sqrt(epsilon) * max(math.Abs(v), p.o.ATol/p.o.RTol, 1e-10)
		x[i] = v + h
		columns[i] = p.f(t, tensor.CPU().FromSlice(x, len(x))).Sub(d).Div(x[i] - v)
		x[i] = v
	}
	return tensor.Stack(columns, 1)
}

// matrices inverts those of a size of steps.
func (r *radau) matrices(h float64) (err error) {
	if r.inverse != nil && r.size == h {
		return nil
	}
	r.inverses += 2
	r.inverse = nil
	n, dev, dt := r.n, r.y0.Device(), r.y0.DType()
	rows := make([]*tensor.Tensor, 3)
	for i, row := range radauA {
		blocks := make([]*tensor.Tensor, 3)
		for j, a := range row {
			blocks[j] = r.jac.Mul(-a * h)
			if i == j {
				blocks[j] = blocks[j].Add(dev.Eye(dt, n))
			}
		}
		rows[i] = tensor.Cat(blocks, -1)
	}
	return tensor.Catch(func() error {
		whole := linalg.Inv(tensor.Cat(rows, -2))
		r.estimator = linalg.Inv(dev.Eye(dt, n).Mul(radauReal / h).Sub(r.jac))
		r.inverse, r.size = whole, h
		return nil
	})
}

func times(m, v *tensor.Tensor) *tensor.Tensor { return m.MatMul(v.Unsqueeze(-1)).Squeeze(-1) }

func (r *radau) try(t, h float64, y, slope *tensor.Tensor) (s step, size float64, ok bool) {
	if r.jac == nil {
		r.jac, r.jacAt = r.jacobian(t, y), t
	}
	scale := r.scale(y, y)
	var z []*tensor.Tensor
	for {
		if err := r.matrices(h); err != nil {
			if !errors.Is(err, linalg.ErrSingular) {
				panic(err)
			}
			return s, math.Abs(h) / 2, false
		}
		if z, ok = r.newton(t, h, y, scale); ok {
			break
		}
		if r.jacAt == t {
			return s, math.Abs(h) / 2, false
		}
		r.jac, r.jacAt, r.inverse = r.jacobian(t, y), t, nil
	}
	end := y.Add(z[2])
	s.y = end
	s.slope = r.slope(t+h, end)
	scale = r.scale(y, end)
	weighted := combined(z, radauE, 1/h)
	estimate := times(r.estimator, slope.Add(weighted))
	if s.err = r.norm(estimate, scale); s.err > 1 { // a better estimate for stiff components
		estimate = times(r.estimator, r.slope(t, y.Add(estimate)).Add(weighted))
		s.err = r.norm(estimate, scale)
	}
	s.at = func(theta float64) *tensor.Tensor {
		weights := make([]float64, 3)
		for i, row := range radauP {
			weights[i] = polynomial(row, theta)
		}
		return y.Add(combined(z, weights, 1))
	}
	if s.err <= 1 {
		start := y
		r.last, r.lastSize = func(theta float64) *tensor.Tensor { return s.at(theta).Sub(start) }, h
	}
	return s, 0, true
}

// newton solves the equations of the stages for their differences from y.
func (r *radau) newton(t, h float64, y, scale *tensor.Tensor) (z []*tensor.Tensor, ok bool) {
	const most = 6
	z = make([]*tensor.Tensor, 3)
	for i := range z {
		if z[i] = y.ZerosLike(); r.last != nil {
			z[i] = r.last(1 + radauC[i]*h/r.lastSize).Sub(r.last(1))
		}
	}
	before, rate := 0.0, math.NaN()
	for k := range most {
		f := make([]*tensor.Tensor, 3)
		for i := range f {
			f[i] = r.slope(t+radauC[i]*h, y.Add(z[i]))
		}
		residual := make([]*tensor.Tensor, 3)
		for i, row := range radauA {
			residual[i] = combined(f, row[:], h).Sub(z[i])
		}
		change := times(r.inverse, tensor.Cat(residual, -1))
		parts := make([]*tensor.Tensor, 3)
		var size float64
		for i := range z {
			parts[i] = change.Narrow(-1, i*r.n, r.n)
			z[i] = z[i].Add(parts[i])
		}
		size = r.norm(tensor.Stack(parts, 0), scale)
		if !finite(size) {
			return nil, false
		}
		if k > 0 {
			rate = size / before
			if rate >= 1 || math.Pow(rate, float64(most-k))/(1-rate)*size > r.tol {
				return nil, false
			}
		}
		if r.rounds, r.rate = k+1, rate; size == 0 || k > 0 && rate/(1-rate)*size < r.tol {
			return z, true
		}
		before = size
	}
	return nil, false
}

// next is the factor of Gustafsson's controller. A step that is a little longer keeps the matrix; the Jacobian is
// computed anew where Newton's method was slow.
func (r *radau) next(s step, h float64, accepted, again bool) float64 {
	h = math.Abs(h)
	safety := 0.9 * 13 / float64(12+r.rounds)
	if math.IsNaN(s.err) {
		return 0.2
	}
	f := 10.0
	if s.err > 0 {
		f = math.Pow(s.err, -0.25)
		if r.before.h > 0 && r.before.err > 0 {
			f *= min(1, h/r.before.h*math.Pow(r.before.err/s.err, 0.25))
		}
	}
	f = min(10, safety*f)
	if !accepted {
		return max(0.2, min(f, 0.9))
	}
	r.before.h, r.before.err = h, s.err
	slow := r.rounds > 2 && r.rate > 1e-3
	if slow {
		r.jac, r.inverse = nil, nil
	} else if f < 1.2 {
		f = 1
	}
	if again {
		f = min(f, 1)
	}
	return f
}
