package interpolate

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Options are those of PCHIP, Akima and Makima.
type Options struct {
	Outside Outside
}

// PCHIP returns the cubic interpolant of points (x, y) that is monotonic where they are and has no overshoots, as
// scipy.interpolate.PchipInterpolator. Its first derivative is continuous. Outside is Extrapolate unless Options say
// otherwise. It panics as CubicSpline.
func PCHIP(x, y *tensor.Tensor, o Options) *Poly {
	p := prepared("pchip", x, y, 2)
	h, d := p.steps()
	n := len(p.x)
	if n == 2 {
		return p.hermite(tensor.Cat([]*tensor.Tensor{d, d}, 0), o.Outside, Extrapolate)
	}
	h0, h1 := h.Narrow(0, 0, n-2), h.Narrow(0, 1, n-2)
	d0, d1 := d.Narrow(0, 0, n-2), d.Narrow(0, 1, n-2)
	same := d0.Sign().Mul(d1.Sign()).Gt(0)
	w0, w1 := h1.Mul(2).Add(h0), h1.Add(h0.Mul(2))
	mean := w0.Div(same.WhereCond(d0, 1)).Add(w1.Div(same.WhereCond(d1, 1))) // harmonic
	inner := same.WhereCond(w0.Add(w1).Div(mean), 0)
	end := func(h0, h1, d0, d1 *tensor.Tensor) *tensor.Tensor {
		s := d0.Mul(h0.Mul(2).Add(h1)).Sub(d1.Mul(h0)).Div(h0.Add(h1))
		s = s.Sign().Eq(d0.Sign()).WhereCond(s, 0)
		turn := d0.Sign().Ne(d1.Sign()).And(s.Abs().Gt(d0.Abs().Mul(3)))
		return turn.WhereCond(d0.Mul(3), s)
	}
	row := func(t *tensor.Tensor, i int) *tensor.Tensor { return t.Narrow(0, i, 1) }
	slopes := tensor.Cat([]*tensor.Tensor{end(row(h, 0), row(h, 1), row(d, 0), row(d, 1)), inner,
		end(row(h, n-2), row(h, n-3), row(d, n-2), row(d, n-3))}, 0)
	return p.hermite(slopes, o.Outside, Extrapolate)
}

// Akima returns the cubic interpolant of points (x, y) by Akima's slopes, which a point affects near it only, as
// scipy.interpolate.Akima1DInterpolator. Its first derivative is continuous. Outside is NaN unless Options say
// otherwise. It panics as CubicSpline.
func Akima(x, y *tensor.Tensor, o Options) *Poly { return akima("akima", x, y, o, 0) }

// Makima is Akima with modified slopes, which overshoot less where points are on a line, as
// scipy.interpolate.Akima1DInterpolator with method="makima".
func Makima(x, y *tensor.Tensor, o Options) *Poly { return akima("makima", x, y, o, 0.5) }

func akima(op string, x, y *tensor.Tensor, o Options, flat float64) *Poly {
	p := prepared(op, x, y, 2)
	_, d := p.steps()
	n := len(p.x)
	if n == 2 {
		return p.hermite(tensor.Cat([]*tensor.Tensor{d, d}, 0), o.Outside, NaN)
	}
	row := func(t *tensor.Tensor, i int) *tensor.Tensor { return t.Narrow(0, i, 1) }
	before := func(a, b *tensor.Tensor) *tensor.Tensor { return a.Mul(2).Sub(b) } // on the line through both
	left := before(row(d, 0), row(d, 1))
	right := before(row(d, n-2), row(d, n-3))
	m := tensor.Cat([]*tensor.Tensor{before(left, row(d, 0)), left, d, right, before(right, row(d, n-2))}, 0)
	part := func(t *tensor.Tensor, i, short int) *tensor.Tensor { return t.Narrow(0, i, n+3-short) }
	change := m.Diff(1, 0).Abs()
	if flat != 0 {
		change = change.Add(part(m, 1, 1).Add(part(m, 0, 1)).Abs().Mul(flat))
	}
	f1, f2 := part(change, 2, 3), part(change, 0, 3)
	sum := f1.Add(f2)
	// where four points are on a line on each side, the slope is in between
	apart := sum.Gt(sum.Detach().Max(0).Mul(1e-9))
	mean := f1.Mul(part(m, 1, 3)).Add(f2.Mul(part(m, 2, 3))).Div(apart.WhereCond(sum, 1))
	slopes := apart.WhereCond(mean, part(m, 3, 3).Add(part(m, 0, 3)).Mul(0.5))
	return p.hermite(slopes, o.Outside, NaN)
}

// Kind is a way to interpolate between neighbouring points.
type Kind int

// The kinds of Interp1D.
const (
	Linear   Kind = iota // a line through both
	Nearest              // the value of the nearest one, and of the left one in the middle
	Previous             // the value of the left one
	Next                 // the value of the right one
)

// Interp1DOptions are those of Interp1D.
type Interp1DOptions struct {
	Kind    Kind
	Outside Outside // Refuse
}

// Interp1D returns the interpolant of points (x, y) that is linear between them, or constant, as
// scipy.interpolate.interp1d. It panics as CubicSpline, but takes a single point for kinds that are constant.
func Interp1D(x, y *tensor.Tensor, o Interp1DOptions) *Poly {
	const op = "interp1d"
	least := 1
	switch o.Kind {
	case Linear:
		least = 2
	case Nearest, Previous, Next:
	default:
		extend.Fail(op, tensor.ErrValue, nil, "", "there is no kind %d", int(o.Kind))
	}
	p := prepared(op, x, y, least)
	n := len(p.x)
	if o.Kind == Linear {
		_, d := p.steps()
		return p.poly([]*tensor.Tensor{p.y.Narrow(0, 0, n-1), d}, o.Outside, Refuse)
	}
	return p.constant(o)
}

// constant has a piece for each point: around it, or on one side.
func (p points) constant(o Interp1DOptions) *Poly {
	n := len(p.x)
	ends := append([]float64{}, p.x...)
	switch o.Kind {
	case Previous:
		ends = append(ends, p.x[n-1])
	case Next:
		ends = append(ends[:1], p.x...)
	case Nearest:
		for i := 1; i < n; i++ {
			ends[i] = p.x[i-1] + (p.x[i]-p.x[i-1])/2
		}
		ends = append(ends, p.x[n-1])
	}
	p.x, p.at = ends, p.at.Device().FromSlice(ends, n+1).ToDType(p.at.DType())
	poly := p.poly([]*tensor.Tensor{p.y}, o.Outside, Refuse)
	poly.closed = o.Kind != Previous
	return poly
}
