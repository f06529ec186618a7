package optimize

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// BrentQ returns the point between a and b at which a continuous function is zero, by Brent's method, as
// scipy.optimize.brentq. The function must have different signs at a and b: the error is ErrBracket if it has not. At a
// jump it returns the point where the sign changes; r.F is not small there. The error is ErrNotFinite where the
// function is NaN. Options other than XTol and MaxIter are not used.
//
//	r, err := optimize.BrentQ(math.Cos, 0, 3, optimize.ScalarOptions{}) // r.X is π/2
func BrentQ(f func(x float64) float64, a, b float64, o ScalarOptions) (ScalarResult, error) {
	const op = "brentq"
	if !finite(a) || !finite(b) {
		extend.Fail(op, tensor.ErrValue, nil, "", "want the ends of an interval, not %v and %v", a, b)
	}
	width(op, a, b)
	checkScalar(op, o)
	limit := o.MaxIter
	if limit == 0 {
		limit = 100
	}
	tol := or(o.XTol, 2e-12)
	r := ScalarResult{}
	at := func(x float64) float64 {
		r.Calls++
		return f(x)
	}
	fa, fb := at(a), at(b)
	switch {
	case math.IsNaN(fa) || math.IsNaN(fb):
		return r, failed(ErrNotFinite, "the function is %v at %g and %v at %g", fa, a, fb, b)
	case fa == 0:
		return ScalarResult{X: a, Calls: r.Calls}, nil
	case fb == 0:
		return ScalarResult{X: b, Calls: r.Calls}, nil
	case (fa < 0) == (fb < 0):
		return r, failed(ErrBracket, "the function has the same sign at both ends: %.6g at %g, %.6g at %g. "+
			"Choose an interval at whose ends the signs differ", fa, a, fb, b)
	}
	c, fc := a, fa // the sign of the function differs at b and c
	step, before := b-a, b-a
	for ; r.Iterations < limit; r.Iterations++ {
		if math.Abs(fc) < math.Abs(fb) {
			a, b, c, fa, fb, fc = b, c, b, fb, fc, fb
		}
		least := (tol + 4*epsilon*math.Abs(b)) / 2
		half := (c - b) / 2
		if fb == 0 || math.Abs(half) <= least {
			r.X, r.F = b, fb
			return r, nil
		}
		if p, q := interpolated(a, b, c, fa, fb, fc); math.Abs(before) > least && math.Abs(fa) > math.Abs(fb) &&
			2*p < min(3*half*q-math.Abs(least*q), math.Abs(before*q)) {
			before, step = step, p/q
		} else {
			before, step = half, half
		}
		a, fa = b, fb
		if math.Abs(step) > least {
			b += step
		} else {
			b += math.Copysign(least, half)
		}
		if fb = at(b); math.IsNaN(fb) {
			r.X, r.F = a, fa
			return r, failed(ErrNotFinite, "the function is NaN at %.6g: choose an interval in which it is a number", b)
		}
		if (fb < 0) == (fc < 0) {
			c, fc = a, fa
			step, before = b-a, b-a
		}
	}
	r.X, r.F = b, fb
	return r, failed(ErrNotConverged, "not converged after %d iterations: the function is %.6g at %.10g, and the sign "+
		"changes between it and %.10g. Set ScalarOptions.MaxIter", limit, fb, b, c)
}

// interpolated returns the step p/q, with p ≥ 0, from b to the zero of the line through two points, or of the inverse
// parabola through three.
func interpolated(a, b, c, fa, fb, fc float64) (p, q float64) {
	s := fb / fa
	if a == c {
		p, q = (c-b)*s, 1-s
	} else {
		t, r := fa/fc, fb/fc
		p = s * ((c-b)*t*(t-r) - (b-a)*(r-1))
		q = (t - 1) * (r - 1) * (s - 1)
	}
	if p > 0 {
		q = -q
	}
	return math.Abs(p), q
}
