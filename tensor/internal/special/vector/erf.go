package vector

import (
	"math"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/simd"
	"github.com/gorocm/gorocm/tensor/internal/special/scalar"
)

// The tail of the normal distribution from a ≥ 0 on is exp(-a²/2)·f(a), and that of the error function exp(-a²)·f(a),
// where f·(a + k) is smooth in q = (a - k)/(a + k), from -1 to 1: one polynomial for all a (Shepherd and Laframboise,
// Chebyshev approximation of (1 + 2x)·exp(x²)·erfc(x), 1981).

// smooth is f·(a + k) as a polynomial in q, and its logarithmic derivative, roughly.
type smooth struct {
	k     float64
	c     []float64
	slope [3]float64
}

var (
	tails = smooth{6, scaledTail, [3]float64{-0.90, 0.70, -0.29}}
	erfcs = smooth{4, scaledErfc, [3]float64{-0.89, 0.63, -0.24}}
)

// of sets y to f of a, which must not be infinite, and r.lost to what its rounding lacks, relative to it. It needs r.b.
func (f *smooth) of(r *room, y, a []float64) {
	q, lost := r.b[:len(a)], r.lost[:len(a)]
	for i, v := range a {
		n, d := v-f.k, v+f.k
		t := n / d
		lostN, lostD := v-(n+f.k), v-(d-f.k)
		if v > f.k {
			lostN, lostD = (v-n)-f.k, f.k-(d-v)
		}
		rest := (math.FMA(-t, d, n) + lostN - t*lostD) / d
		q[i], lost[i] = t, rest*(f.slope[0]+t*(f.slope[1]+t*f.slope[2]))-lostD/d
	}
	polynomial(y, q, f.c)
	for i, v := range a {
		y[i] /= v + f.k
	}
}

// timesPower multiplies y, of which r.lost is lost, by exp(-a²·factor), for a factor that is a power of two. It needs
// r.b and r.c.
func timesPower(r *room, y, a []float64, factor float64) {
	h, power := r.b[:len(a)], r.c[:len(a)]
	for i, v := range a {
		h[i] = -factor * v * v
	}
	simd.Fast.Doubles.Exp(power, h)
	for i, v := range a {
		t := y[i] * power[i]
		y[i] = math.FMA(t, math.FMA(-factor*v, v, -h[i])+r.lost[i], t)
	}
}

func ndtr(r *room, y, x []float64) {
	a := r.a[:len(x)]
	for i, v := range x {
		a[i] = min(math.Abs(v), 39)
	}
	tails.of(r, y, a)
	timesPower(r, y, a, 0.5)
	for i, v := range x {
		switch {
		case v > 0:
			y[i] = 1 - y[i]
		case v < -37: // exp is subnormal
			y[i] = math.Exp(scalar.LogNdtr(v))
		}
	}
}

func logNdtr(r *room, y, x []float64) {
	a := r.a[:len(x)]
	for i, v := range x {
		a[i] = min(math.Abs(v), 1e160)
	}
	tails.of(r, y, a)
	tail := r.piece[:len(x)]
	copy(tail, y)
	timesPower(r, tail, a, 0.5)
	of, logs := r.b[:len(x)], r.c[:len(x)]
	for i, v := range x {
		of[i] = y[i] + y[i]*r.lost[i]
		if v > 0 {
			of[i] = 1 - tail[i]
		}
	}
	simd.Fast.Doubles.Log(logs, of)
	for i, v := range x {
		switch {
		case v > 37: // exp is subnormal
			y[i] = scalar.LogNdtr(v)
		case v > 0: // log(1 - t), with what the difference loses
			y[i] = logs[i] + ((1-of[i])-tail[i])/of[i]
		default:
			y[i] = logs[i] - 0.5*a[i]*a[i]
		}
	}
}

func erfc(r *room, y, x []float64) {
	a := r.a[:len(x)]
	for i, v := range x {
		a[i] = min(math.Abs(v), 28)
	}
	erfcs.of(r, y, a)
	timesPower(r, y, a, 1)
	for i, v := range x {
		switch {
		case v < 0:
			y[i] = 2 - y[i]
		case v > 26: // exp is subnormal
			y[i] = math.Erfc(v)
		}
	}
}

func erf(r *room, y, x []float64) {
	for i, v := range x {
		r.class[i] = 0
		if math.Abs(v) > 1 {
			r.class[i] = 1
		}
	}
	r.pieces(y, x, erfNear, erfFar)
}

func erfNear(r *room, y, x []float64) {
	z := r.a[:len(x)]
	for i, v := range x {
		z[i] = v * v
	}
	polynomial(y, z, nearErf)
	for i, v := range x {
		y[i] *= v
	}
}

func erfFar(r *room, y, x []float64) {
	a := r.a[:len(x)]
	for i, v := range x {
		a[i] = min(math.Abs(v), 7)
	}
	erfcs.of(r, y, a)
	timesPower(r, y, a, 1)
	for i, v := range x {
		y[i] = math.Copysign(1-y[i], v)
	}
}

// reference is a function of the op table.
func reference(name string) func(x float64) float64 { return kernels.References.Unary[name] }
