package interpolate

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// basis has B-splines of a degree: in each interval degree+1 of them are not zero, from that of the number of the
// interval on.
type basis struct {
	degree int
	ends   []float64     // of the intervals
	powers [][][]float64 // [interval][spline][power]: coefficients of 1, u, … for u from the left end
}

// notAKnot is the basis with as many splines as points, in which the points next to the ends are no knots.
func notAKnot(x []float64, degree int) basis {
	n := len(x)
	var knots []float64
	for range degree + 1 {
		knots = append(knots, x[0])
	}
	skip := (degree + 1) / 2
	if degree%2 == 1 {
		knots = append(knots, x[skip:n-skip]...)
	} else {
		for i := degree / 2; i < n-1-degree/2; i++ {
			knots = append(knots, x[i]+(x[i+1]-x[i])/2)
		}
	}
	for range degree + 1 {
		knots = append(knots, x[n-1])
	}
	b := basis{degree: degree, ends: append([]float64{}, knots[degree:len(knots)-degree]...)}
	for i := range len(b.ends) - 1 {
		b.powers = append(b.powers, splines(knots, degree, i+degree))
	}
	return b
}

// maxDegree is the largest degree of B-splines.
const maxDegree = 7

// splines returns the polynomials of the B-splines that are not zero between a knot and the next one, by the
// recursion of Cox and de Boor.
func splines(knots []float64, degree, at int) [][]float64 {
	left := knots[at]
	var now [maxDegree + 1][maxDegree + 1]float64
	now[0][0] = 1
	for d := 1; d <= degree; d++ {
		var next [maxDegree + 1][maxDegree + 1]float64
		// each spline of degree d-1, which begins at knot s, is a part of two of degree d
		for i := range d {
			s := at - d + 1 + i
			width := knots[s+d] - knots[s]
			up, down := (left-knots[s])/width, (knots[s+d]-left)/width
			for k, c := range now[i][:d] {
				next[i+1][k] += c * up
				next[i+1][k+1] += c / width
				next[i][k] += c * down
				next[i][k+1] -= c / width
			}
		}
		now = next
	}
	flat, out := make([]float64, (degree+1)*(degree+1)), make([][]float64, degree+1)
	for i := range out {
		out[i] = flat[i*(degree+1) : (i+1)*(degree+1)]
		copy(out[i], now[i][:])
	}
	return out
}

// values returns the splines at a point that is between the ends, and the number of its interval.
func (b basis) values(x float64) (v []float64, interval int) {
	i, found := slices.BinarySearch(b.ends, x)
	if !found {
		i--
	}
	i = min(max(i, 0), len(b.powers)-1)
	for _, p := range b.powers[i] {
		var sum float64
		for k := len(p) - 1; k >= 0; k-- {
			sum = sum*(x-b.ends[i]) + p[k]
		}
		v = append(v, sum)
	}
	return v, i
}

// collocation is the matrix of the splines at the points, factored.
func (b basis) collocation(x []float64) *band {
	m := newBand(len(x), max(b.degree, 1))
	for i, at := range x {
		v, first := b.values(at)
		for k, value := range v {
			if value != 0 {
				m.add(i, first+k, value)
			}
		}
	}
	return m.factor()
}

// coefficients returns those of the pieces, from those of the splines [n, values].
func (b basis) coefficients(c *tensor.Tensor) []*tensor.Tensor {
	out := make([]*tensor.Tensor, b.degree+1)
	for power := range out {
		for k := range b.degree + 1 {
			w := make([]float64, len(b.powers))
			for i, p := range b.powers {
				w[i] = p[k][power]
			}
			part := weighted(c.Narrow(0, k, len(b.powers)), w)
			if out[power] == nil {
				out[power] = part
			} else {
				out[power] = out[power].Add(part)
			}
		}
	}
	return out
}

// InterpSplineOptions are those of MakeInterpSpline.
type InterpSplineOptions struct {
	Degree  int     // from 1 to 7: 3
	Outside Outside // Extrapolate
}

// MakeInterpSpline returns the spline of a degree through points (x, y), as scipy.interpolate.make_interp_spline: the
// derivatives below the degree are continuous, and the points next to the ends are no knots. It panics as CubicSpline,
// and with ErrShape for less points than degree+1.
func MakeInterpSpline(x, y *tensor.Tensor, o InterpSplineOptions) *Poly {
	const op = "make interp spline"
	if o.Degree == 0 {
		o.Degree = 3
	}
	if o.Degree < 1 || o.Degree > maxDegree {
		extend.Fail(op, tensor.ErrValue, nil, "Interp1D is constant between points, with kind Nearest, Previous or Next",
			"want a degree of 1 to %d, not %d", maxDegree, o.Degree)
	}
	p := prepared(op, x, y, o.Degree+1)
	b := notAKnot(p.x, o.Degree)
	c := b.coefficients(solved(op, b.collocation(p.x), p.y, false))
	p.x, p.at = b.ends, p.at.Device().FromSlice(b.ends, len(b.ends)).ToDType(p.at.DType())
	return p.poly(c, o.Outside, Extrapolate)
}
