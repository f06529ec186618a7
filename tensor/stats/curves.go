package stats

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Trapezoid returns the integral of y along a dim, which disappears, by the trapezoidal rule. x is the distance of
// adjacent points, a Go number, or a tensor of their positions: a vector as long as the dim, or of the shape of y. It
// panics with ErrShape for other shapes.
func Trapezoid(y *tensor.Tensor, x any, dim int) *tensor.Tensor {
	w, dt := extend.Precise(y)
	n := w.Dim(dim)
	if n == 0 {
		return w.Sum(dim).ToDType(dt)
	}
	heights := w.Narrow(dim, 0, n-1).Add(w.Narrow(dim, 1, n-1)).Mul(0.5)
	return heights.Mul(distances("trapezoid", y, x, w.DType(), dim)).Sum(dim).ToDType(dt)
}

// Gradient returns the derivative of y along a dim by differences of second order, and of first order at both ends, in
// the shape of y, as numpy.gradient does. x is as in Trapezoid. The error of an inner element is of second order where
// points are equally spaced. It panics with ErrShape for other shapes, and for less than two points.
//
//	stats.Gradient(tensor.Of(1, 4, 9, 16), 1, 0) // [3, 4, 6, 7] f32
func Gradient(y *tensor.Tensor, x any, dim int) *tensor.Tensor {
	w, dt := extend.Precise(y)
	n := w.Dim(dim)
	if n < 2 {
		extend.Fail("gradient", tensor.ErrShape, []*tensor.Tensor{y}, "", "want two points or more along dim %d of %v",
			dim, y.Dims())
	}
	h := distances("gradient", y, x, w.DType(), dim)
	slopes := w.Diff(1, dim).Div(h)
	left, right := slopes.Narrow(dim, 0, n-2), slopes.Narrow(dim, 1, n-2)
	var part any = 0.5
	if h, ok := h.(*tensor.Tensor); ok {
		before := h.Narrow(dim, 0, n-2)
		part = before.Div(before.Add(h.Narrow(dim, 1, n-2)))
	}
	inner := left.Lerp(right, part)
	return tensor.Cat([]*tensor.Tensor{slopes.Narrow(dim, 0, 1), inner, slopes.Narrow(dim, n-2, 1)}, dim).ToDType(dt)
}

// distances returns the distances of adjacent points along a dim of y: a number, or a tensor that is broadcast to them.
func distances(op string, y *tensor.Tensor, x any, dt tensor.DType, dim int) any {
	at, ok := x.(*tensor.Tensor)
	if !ok {
		return x
	}
	n := y.Dim(dim)
	switch {
	case at != nil && at.Rank() == 1 && at.Dim(0) == n:
		shape := y.Dims()
		for d := range shape {
			shape[d] = 1
		}
		shape[y.NormalizeAxis(dim)] = n
		at = at.Reshape(shape...)
	case at == nil || !slices.Equal(at.Dims(), y.Dims()):
		extend.Fail(op, tensor.ErrShape, []*tensor.Tensor{y}, "",
			"want the positions of %d points as a vector, or in the shape %v", n, y.Dims())
	}
	if d := at.DType(); !d.IsFloat() || d == tensor.F64 || dt.Real() == tensor.F64 { // times may differ in F64 only
		at = at.ToDType(tensor.F64)
	}
	return extend.Wide(at).Diff(1, dim).ToDType(dt)
}

// Interp returns the value at each element of x of the piecewise linear function through the points (xp, fp), vectors
// of the same length, xp in ascending order. Left of the first point it is fp[0], right of the last one the last of fp;
// NaN gives NaN. The result has the shape of x and the type of fp. It panics with ErrShape when xp and fp are not such
// vectors.
func Interp(x, xp, fp *tensor.Tensor) *tensor.Tensor {
	const op = "interp"
	if xp.Rank() != 1 || fp.Rank() != 1 || xp.Dim(0) != fp.Dim(0) || xp.Dim(0) == 0 {
		extend.Fail(op, tensor.ErrShape, []*tensor.Tensor{xp, fp}, "",
			"want points as two vectors of the same length, not %v and %v", xp.Dims(), fp.Dims())
	}
	n := xp.Dim(0)
	f, dt := extend.Precise(fp)
	if d := xp.DType(); !d.IsFloat() || d == tensor.F64 {
		f = f.ToDType(tensor.F64) // times may differ in F64 only
	}
	at, from := x.ToDType(f.DType()), xp.ToDType(f.DType())
	flat := at.FlattenAll()
	// the point on the left, and on the right of each element
	right := from.SearchSorted(flat, true).ToDType(tensor.I64).Maximum(1).Minimum(max(n-1, 0))
	left := right.Sub(1).Maximum(0)
	x0, x1 := from.IndexSelect(left, 0), from.IndexSelect(right, 0)
	y0, y1 := f.IndexSelect(left, 0), f.IndexSelect(right, 0)
	scale := x1.Sub(x0).IsInf().ToDType(f.DType()).Affine(-0.5, 1) // so that the width does not overflow
	part := flat.Mul(scale).Sub(x0.Mul(scale)).Div(x1.Mul(scale).Sub(x0.Mul(scale)))
	part = flat.Ge(x1).WhereCond(1, flat.Le(x0).WhereCond(0, part.IsNaN().WhereCond(1, part)))
	finite := y0.IsFinite().And(y1.IsFinite()) // otherwise the difference is not
	y := finite.WhereCond(finite.WhereCond(y0, 0).Lerp(finite.WhereCond(y1, 0), part),
		part.Eq(0).WhereCond(y0, part.Eq(1).WhereCond(y1, y0.Add(y1))))
	return flat.IsNaN().WhereCond(flat, y).Reshape(x.Dims()...).ToDType(dt)
}
