package interpolate

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/optimize"
)

// SmoothingOptions are those of MakeSmoothingSpline.
type SmoothingOptions struct {
	// Lam is the weight of the curvature; larger ones make smoother splines. If it is 0, generalized cross-validation
	// chooses it.
	Lam float64
	// Weights are those of the points [n], such as 1/σ²: 1.
	Weights []float64
	Outside Outside // Extrapolate
}

// MakeSmoothingSpline returns the spline f near points (x, y) with noise, for which Σ w·(y-f(x))² + Lam·∫(f″)² is
// least, as scipy.interpolate.make_smoothing_spline: a cubic spline with second derivatives of 0 at its ends. For
// values y [n …], Lam is the same for all. With Lam 0, gradients with respect to y do not see that it depends on
// them. It panics as CubicSpline, with ErrShape for less than 5 points, and with ErrValue for weights that are not
// positive.
func MakeSmoothingSpline(x, y *tensor.Tensor, o SmoothingOptions) *Poly {
	const op = "make smoothing spline"
	p := prepared(op, x, y, 5)
	n := len(p.x)
	if o.Weights == nil {
		o.Weights = make([]float64, n)
		for i := range o.Weights {
			o.Weights[i] = 1
		}
	}
	if len(o.Weights) != n {
		extend.Shape(op, []*tensor.Tensor{x, y}, "%d weights for %d points", len(o.Weights), n)
	}
	for i, w := range o.Weights {
		if !(w > 0) || math.IsInf(w, 1) {
			extend.Fail(op, tensor.ErrValue, nil, "leave out the point", "weight %d is %g", i, w)
		}
	}
	if !(o.Lam >= 0) || math.IsInf(o.Lam, 1) {
		extend.Fail(op, tensor.ErrValue, nil, "0 has it chosen", "Lam is %g", o.Lam)
	}
	s := smoother{p.x, o.Weights}
	if o.Lam == 0 {
		o.Lam = s.choose(p.y.Detach().Float64s(), p.y.Dim(1))
	}
	// Reinsch's equations for the second derivatives at inner points
	h, slopes := p.steps()
	second := solved(op, s.matrix(o.Lam).factor(), slopes.Diff(1, 0), false)
	padded := second.Pad(0, 1, 1, 0)
	force := padded.Diff(1, 0).Div(h).Pad(0, 1, 1, 0).Diff(1, 0)
	inverse := make([]float64, n)
	for i, w := range o.Weights {
		inverse[i] = o.Lam / w
	}
	p.y = p.y.Sub(weighted(force, inverse))
	return p.hermite(p.slopes(SplineOptions{Boundary: Natural}), o.Outside, Extrapolate)
}

// smoother has the positions and weights of a smoothing spline.
type smoother struct{ x, w []float64 }

// column returns the three elements of column k of Q, which makes second differences: those of rows k, k+1 and k+2.
func (s smoother) column(k int) [3]float64 {
	a, b := s.x[k+1]-s.x[k], s.x[k+2]-s.x[k+1]
	return [3]float64{1 / a, -1/a - 1/b, 1 / b}
}

// matrix is R + lam·Qᵀ·W⁻¹·Q, for R with the integrals of products of second derivatives.
func (s smoother) matrix(lam float64) *band {
	m := newBand(len(s.x)-2, 2)
	for k := range m.n {
		m.add(k, k, (s.x[k+2]-s.x[k])/3)
		if k+1 < m.n {
			m.add(k, k+1, (s.x[k+2]-s.x[k+1])/6)
			m.add(k+1, k, (s.x[k+2]-s.x[k+1])/6)
		}
		for other := max(0, k-2); other <= min(m.n-1, k+2); other++ {
			a, b := s.column(k), s.column(other)
			for row := max(k, other); row <= min(k, other)+2; row++ {
				m.add(k, other, lam*a[row-k]*b[row-other]/s.w[row])
			}
		}
	}
	return m
}

// choose returns the weight of the curvature for which the score of generalized cross-validation is least.
func (s smoother) choose(y []float64, columns int) float64 {
	n := len(s.x)
	length := s.x[n-1] - s.x[0]
	unit := math.Pow(length/float64(n), 3) // makes lam a number of the size of 1
	best, score := 0.0, math.Inf(1)
	const from, to, step = -10, 20, 0.5
	for e := float64(from); e <= to; e += step {
		if v := s.score(y, columns, unit*math.Pow(10, e)); v < score {
			best, score = e, v
		}
	}
	r, err := optimize.MinimizeScalar(func(e float64) float64 { return s.score(y, columns, unit*math.Pow(10, e)) },
		optimize.ScalarOptions{Bounds: &[2]float64{best - step, best + step}, XTol: 1e-7})
	if err == nil && r.F <= score {
		best = r.X
	}
	return unit * math.Pow(10, best)
}

// score is n·Σ w·(y-f)²/(n - trace)², for the trace of the matrix that makes f of y.
func (s smoother) score(y []float64, columns int, lam float64) float64 {
	n := len(s.x)
	m := s.matrix(lam).factor()
	at := func(i, c int) float64 { return y[i*columns+c] }
	second := make([]float64, m.n*columns)
	for k := range m.n {
		q := s.column(k)
		for c := range columns {
			second[k*columns+c] = q[0]*at(k, c) + q[1]*at(k+1, c) + q[2]*at(k+2, c)
		}
	}
	m.solve(second, columns, false)
	var rest, trace float64 // of the residuals, and of the matrix that makes them of y
	for c := range columns {
		force := make([]float64, n)
		for k := range m.n {
			for i, q := range s.column(k) {
				force[k+i] += q * second[k*columns+c]
			}
		}
		for i, f := range force {
			rest += lam * lam * f * f / s.w[i]
		}
	}
	inverse := m.inverse()
	for row := range n {
		for a := max(0, row-2); a <= min(m.n-1, row); a++ {
			for b := max(0, row-2); b <= min(m.n-1, row); b++ {
				trace += lam / s.w[row] * s.column(a)[row-a] * s.column(b)[row-b] * inverse.get(a, b)
			}
		}
	}
	return float64(n) * rest / (trace * trace)
}

// inverse returns the elements of the inverse of a symmetric band, which has been factored, that are within the band
// (Takahashi's recursion, from the last row to the first).
func (b *band) inverse() *band {
	z := newBand(b.n, b.width)
	for i := b.n - 1; i >= 0; i-- {
		for j := min(b.n-1, i+b.width); j >= i; j-- {
			var sum float64
			if i == j {
				sum = 1 / b.get(i, i)
			}
			for k := i + 1; k <= min(b.n-1, i+b.width); k++ {
				sum -= b.get(i, k) / b.get(i, i) * z.get(k, j)
			}
			z.rows[i][b.width+j-i] = sum
			z.rows[j][b.width+i-j] = sum
		}
	}
	return z
}
