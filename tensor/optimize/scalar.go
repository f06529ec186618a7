package optimize

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// ScalarOptions are those of MinimizeScalar and BrentQ. Zeros are the defaults.
type ScalarOptions struct {
	// Bounds are the ends of the interval in which MinimizeScalar looks; without them it looks everywhere.
	Bounds *[2]float64
	// Bracket are two points between which, or downhill of which, the minimum is: 0 and 1. It is for searches
	// without Bounds.
	Bracket *[2]float64
	// XTol is the error of x at which a search has converged: 2e-12 for BrentQ, beside 4 ulps of x; relative to x
	// 1.48e-8 for MinimizeScalar, and absolute 1e-5 with Bounds. A minimum is not determined to more than about half
	// of the digits of a float64.
	XTol float64
	// MaxIter is the largest number of iterations: 500, or 100 for BrentQ.
	MaxIter int
}

// ScalarResult is what MinimizeScalar and BrentQ found.
type ScalarResult struct {
	X, F       float64 // the point, and the function there
	Iterations int
	Calls      int
}

// golden is the part of an interval at which it is divided: (3-√5)/2.
const golden = 0.3819660112501051

// MinimizeScalar returns the point at which a function of one number is least, near a bracket or within bounds, by
// Brent's method, as scipy.optimize.minimize_scalar: a local minimum. The error is ErrNotConverged, ErrNotFinite
// where the function is NaN, or ErrUnbounded where no bracket has a minimum inside.
//
//	r, err := optimize.MinimizeScalar(func(x float64) float64 { return (x - 2) * (x - 2) },
//		optimize.ScalarOptions{}) // r.X is 2
func MinimizeScalar(f func(x float64) float64, o ScalarOptions) (ScalarResult, error) {
	const op = "minimize scalar"
	checkScalar(op, o)
	calls := 0
	counted := func(x float64) float64 {
		calls++
		return f(x)
	}
	limit := o.MaxIter
	if limit == 0 {
		limit = 500
	}
	var r ScalarResult
	var err error
	if o.Bounds != nil {
		a, b := o.Bounds[0], o.Bounds[1]
		x := a + golden*(b-a)
		r, err = brent(counted, a, x, b, counted(x), func(float64) float64 { return or(o.XTol, 1e-5) / 3 }, limit)
	} else {
		first := [2]float64{0, 1}
		if o.Bracket != nil {
			first = *o.Bracket
		}
		var a, x, b, fx float64
		if a, x, b, fx, err = bracket(counted, first[0], first[1]); err == nil {
			tol := or(o.XTol, 1.48e-8)
			r, err = brent(counted, min(a, b), x, max(a, b), fx,
				func(x float64) float64 { return tol*math.Abs(x) + 1e-11 }, limit)
		} else {
			r = ScalarResult{X: x, F: fx}
		}
	}
	r.Calls = calls
	return r, err
}

func checkScalar(op string, o ScalarOptions) {
	for name, ends := range map[string]*[2]float64{"Bounds": o.Bounds, "Bracket": o.Bracket} {
		if ends != nil && (!finite(ends[0]) || !finite(ends[1]) || !(ends[0] < ends[1])) {
			extend.Fail(op, tensor.ErrValue, nil, "", "want %s as two finite numbers, the smaller one first: %v", name, *ends)
		}
	}
	if b := o.Bounds; b != nil {
		width(op, b[0], b[1])
	}
	if !(o.XTol >= 0) || o.MaxIter < 0 {
		extend.Fail(op, tensor.ErrValue, nil, "0 is the default", "XTol is %g, MaxIter is %d", o.XTol, o.MaxIter)
	}
}

// width checks that an interval is not wider than the largest number.
func width(op string, a, b float64) {
	if !finite(b - a) {
		extend.Fail(op, tensor.ErrValue, nil, "search in parts of it", "the interval from %g to %g is wider than "+
			"the largest float64", a, b)
	}
}

// bracket looks downhill of two points for three of which the function is least at the middle one.
func bracket(f func(x float64) float64, a, b float64) (left, middle, right, fm float64, err error) {
	fa, fb := f(a), f(b)
	if fb > fa {
		a, b, fa, fb = b, a, fb, fa
	}
	for range 200 {
		c := b + (b-a)/golden*(1-golden) // steps grow by 1.618
		fc := f(c)
		switch {
		case math.IsNaN(fa) || math.IsNaN(fb) || math.IsNaN(fc):
			return a, b, c, fb, failed(ErrNotFinite, "the function is NaN near %.6g: give ScalarOptions.Bounds "+
				"within which it is a number", c)
		case math.IsInf(c, 0) || math.IsInf(fc, -1):
			return a, b, c, fb, unbounded(b, fb)
		case fc >= fb:
			return a, b, c, fb, nil
		}
		a, b, fa, fb = b, c, fb, fc
	}
	return a, b, b, fb, unbounded(b, fb)
}

func unbounded(x, f float64) error {
	return failed(ErrUnbounded, "no minimum was found downhill of the bracket: the function is %.6g at %.6g. "+
		"Give ScalarOptions.Bounds, or a Bracket near the minimum", f, x)
}

// brent is Brent's minimizer of an interval in which x is the best point so far: parabolas through the last points, and
// the golden section where these do not get ahead.
func brent(f func(x float64) float64, a, x, b, fx float64, tol func(x float64) float64, limit int,
) (ScalarResult, error) {
	w, v, fw, fv := x, x, fx, fx
	var step, before float64
	for i := range limit {
		if math.IsNaN(fx) {
			return ScalarResult{X: x, F: fx, Iterations: i}, failed(ErrNotFinite, "the function is NaN at %.6g: "+
				"give bounds within which it is a number", x)
		}
		middle, least := (a+b)/2, tol(x)+epsilon*math.Abs(x)
		if math.Abs(x-middle) <= 2*least-(b-a)/2 {
			return ScalarResult{X: x, F: fx, Iterations: i}, nil
		}
		last := before
		before = step
		// the minimum of the parabola through the three best points is at x + p/q
		r, q := (x-w)*(fx-fv), (x-v)*(fx-fw)
		p := (x-v)*q - (x-w)*r
		if q = 2 * (q - r); q > 0 {
			p = -p
		}
		q = math.Abs(q)
		if math.Abs(last) > least && math.Abs(p) < math.Abs(q*last/2) && p > q*(a-x) && p < q*(b-x) {
			step = p / q
			if u := x + step; u-a < 2*least || b-u < 2*least {
				step = math.Copysign(least, middle-x)
			}
		} else {
			if before = b - x; x >= middle {
				before = a - x
			}
			step = golden * before
		}
		u := x + step
		if math.Abs(step) < least {
			u = x + math.Copysign(least, step)
		}
		fu := f(u)
		if math.IsNaN(fu) {
			return ScalarResult{X: x, F: fx, Iterations: i}, failed(ErrNotFinite, "the function is NaN at %.6g: "+
				"give bounds within which it is a number", u)
		}
		if fu <= fx {
			if u < x {
				b = x
			} else {
				a = x
			}
			v, w, x, fv, fw, fx = w, x, u, fw, fx, fu
			continue
		}
		if u < x {
			a = u
		} else {
			b = u
		}
		if fu <= fw || w == x {
			v, w, fv, fw = w, u, fw, fu
		} else if fu <= fv || v == x || v == w {
			v, fv = u, fu
		}
	}
	return ScalarResult{X: x, F: fx, Iterations: limit}, failed(ErrNotConverged,
		"not converged after %d iterations: the best point is %.10g, in an interval of %.3g. Set ScalarOptions.MaxIter",
		limit, x, b-a)
}
