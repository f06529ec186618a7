package integrate

import (
	"slices"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Simpson returns the integral of y along a dim, which disappears, by Simpson's rule, as scipy.integrate.simpson. x is
// the distance of adjacent points, a Go number, or a tensor of their positions: a vector as long as the dim, or of the
// shape of y. For an even number of points the parabola through the last three is used twice (Cartwright's
// correction), and two points give a trapezoid, as do those beside a position that repeats, of which SciPy leaves out a
// part of the area. It panics with ErrShape for other shapes. See stats.Trapezoid for the trapezoidal rule.
//
//	integrate.Simpson(tensor.Of(0, 1, 4, 9), 1, 0) // 9, the integral of x² from 0 to 3
func Simpson(y *tensor.Tensor, x any, dim int) *tensor.Tensor {
	const op = "simpson"
	v, h, dt := sampled(op, y, x, dim)
	n := v.Dim(-1)
	if n < 2 {
		return v.ZerosLike().Sum(-1).ToDType(dt)
	} else if n == 2 {
		return trapezoids(v, h).Sum(-1).ToDType(dt)
	}
	odd := n - 1 + n%2 // points of whole parabolas
	every := func(t *tensor.Tensor, start, end int) *tensor.Tensor { return t.I("...", tensor.R(start, end).By(2)) }
	last := func(t *tensor.Tensor, back int) *tensor.Tensor { return t.GetOnDim(-1, t.Dim(-1)-back) }
	if _, ok := x.(*tensor.Tensor); !ok { // the weights are multiples of 1/12, all positive: infinities keep their sign
		total := v.GetOnDim(-1, 0).Add(last(v, n-odd+1)).Mul(4)
		if odd > 3 {
			total = total.Add(every(v, 2, odd-2).Sum(-1).Mul(8))
		}
		middle := odd - 1 // the end of the points in the middle of parabolas
		if n%2 == 0 {
			middle--
			total = total.Add(last(v, 1).Mul(5)).Add(last(v, 2).Mul(8)).Add(last(v, 3).Mul(15))
		}
		if middle > 1 {
			total = total.Add(every(v, 1, middle).Sum(-1).Mul(16))
		}
		return total.Mul(x).Div(12).ToDType(dt)
	}
	h0, h1 := every(h, 0, odd-1), every(h, 1, odd-1)
	y0, y1, y2 := every(v, 0, odd-2), every(v, 1, odd-1), every(v, 2, odd)
	repeat := h0.Eq(0).Or(h1.Eq(0))
	lines := y0.Add(y1).Mul(h0).Add(y1.Add(y2).Mul(h1)).Mul(0.5)
	h0, h1 = repeat.WhereCond(1, h0), repeat.WhereCond(1, h1)
	sum, ratio := h0.Add(h1), h0.Div(h1)
	total := repeat.WhereCond(lines, sum.Div(6).Mul(y0.Mul(ratio.Recip().Affine(-1, 2)).
		Add(y1.Mul(sum.Sqr().Div(h0.Mul(h1)))).Add(y2.Mul(ratio.Affine(-1, 2))))).Sum(-1)
	if n%2 == 0 {
		h0, h1 := last(h, 2), last(h, 1)
		repeat := h0.Eq(0).Or(h1.Eq(0))
		line := last(v, 1).Add(last(v, 2)).Mul(h1).Mul(0.5)
		h0, h1 = repeat.WhereCond(1, h0), repeat.WhereCond(1, h1)
		a := h1.Sqr().Mul(2).Add(h0.Mul(h1).Mul(3)).Div(h0.Add(h1).Mul(6))
		b := h1.Sqr().Add(h0.Mul(h1).Mul(3)).Div(h0.Mul(6))
		c := h1.Powf(3).Div(h0.Mul(h0.Add(h1)).Mul(6))
		parabola := a.Mul(last(v, 1)).Add(b.Mul(last(v, 2))).Sub(c.Mul(last(v, 3)))
		total = total.Add(repeat.WhereCond(line, parabola))
	}
	return total.ToDType(dt)
}

// CumulativeTrapezoid returns the integrals of y along a dim from the first point to each, by the trapezoidal rule, in
// the shape of y: the first ones are 0, as scipy.integrate.cumulative_trapezoid has them with initial=0. x is as in
// Simpson.
//
//	integrate.CumulativeTrapezoid(tensor.Of(1, 2, 3), 1, 0) // [0, 1.5, 4] f32
func CumulativeTrapezoid(y *tensor.Tensor, x any, dim int) *tensor.Tensor {
	const op = "cumulative trapezoid"
	v, h, dt := sampled(op, y, x, dim)
	if v.Dim(-1) < 2 {
		return v.ZerosLike().Transpose(dim, -1).ToDType(dt)
	}
	return trapezoids(v, h).CumSum(-1).Pad(-1, 1, 0, 0).Transpose(dim, -1).ToDType(dt)
}

// trapezoids are the areas between adjacent points of the last dim.
func trapezoids(v, h *tensor.Tensor) *tensor.Tensor {
	n := v.Dim(-1)
	return v.Narrow(-1, 0, n-1).Add(v.Narrow(-1, 1, n-1)).Mul(0.5).Mul(h)
}

// sampled returns y with a dim as the last one, in the type in which it is computed, the distances of its points in a
// shape that is broadcast to them, and the type of results.
func sampled(op string, y *tensor.Tensor, x any, dim int) (v, h *tensor.Tensor, dt tensor.DType) {
	extend.SameDevice(op, y)
	if y.Rank() == 0 || dim < -y.Rank() || dim >= y.Rank() {
		extend.Shape(op, []*tensor.Tensor{y}, "no dim %d in a tensor of shape %v", dim, y.Dims())
	}
	v, dt = extend.Precise(y)
	v = v.Transpose(dim, -1)
	n := v.Dim(-1)
	at, ok := x.(*tensor.Tensor)
	switch {
	case !ok:
		return v, v.Device().Full(v.DType().Real(), x, 1), dt
	case at != nil && at.Rank() == 1 && at.Dim(0) == n:
	case at != nil && slices.Equal(at.Dims(), y.Dims()):
		at = at.Transpose(dim, -1)
	default:
		extend.Shape(op, []*tensor.Tensor{y}, "want the positions of %d points as a vector, or in the shape %v", n, y.Dims())
	}
	extend.SameDevice(op, y, at)
	as := v.DType().Real()
	if d := at.DType(); !d.IsFloat() || d == tensor.F64 || as == tensor.F64 { // times may differ in F64 only
		at = at.ToDType(tensor.F64)
	}
	return v, extend.Wide(at).Diff(1, -1).ToDType(as), dt
}

// FixedQuad returns the integral of a function of tensors from a to b by Gauss's rule with n points, as
// scipy.integrate.fixed_quad: exact for polynomials of degree 2n-1. f takes the points as a vector [n] of a type on a
// device and returns its values along the last dim, [… n]; the result is [...] and has gradients with respect to
// variables that f uses. It panics with ErrValue for ends that are not finite, and for n < 1, and with ErrShape for
// other results.
//
//	integrate.FixedQuad(func(x *tensor.Tensor) *tensor.Tensor { return x.Sqr() }, 0, 3, 2, tensor.F64, dev) // 9
func FixedQuad(
	f func(x *tensor.Tensor) *tensor.Tensor, a, b float64, n int, dtype tensor.DType, dev *tensor.Device,
) *tensor.Tensor {
	const op = "fixed quad"
	const most = 10000
	if n < 1 || n > most || !finite(a) || !finite(b) {
		extend.Fail(op, tensor.ErrValue, nil, "Quad takes infinite ends", "want 1 to %d points and finite ends, not %d points from %g to %g",
			most, n, a, b)
	}
	x, w := make([]float64, n), make([]float64, n)
	quad.Legendre{}.FixedLocations(x, w, min(a, b), max(a, b))
	if a > b {
		for i := range w {
			w[i] = -w[i]
		}
	}
	if a == b {
		clear(w)
	}
	y := f(dev.FromSlice(x, n).ToDType(dtype))
	if y == nil || y.Rank() == 0 || y.Dim(-1) != n {
		extend.Shape(op, nil, "want the values of the function at %d points along the last dim", n)
	}
	return y.Mul(dev.FromSlice(w, n).ToDType(y.DType())).Sum(-1)
}
