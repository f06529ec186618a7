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

const (
	tailK = 6
	erfcK = 4
)

// scaled sets y to f of a, which must not be infinite. It needs r.b.
func scaled(r *room, y, a []float64, k float64, c []float64) {
	q := r.b[:len(a)]
	for i, v := range a {
		q[i] = (v - k) / (v + k)
	}
	polynomial(y, q, c)
	for i, v := range a {
		y[i] /= v + k
	}
}

// timesPower multiplies y by exp(-a²·factor), for a factor that is a power of two. It needs r.b and r.c.
func timesPower(r *room, y, a []float64, factor float64) {
	h, power := r.b[:len(a)], r.c[:len(a)]
	for i, v := range a {
		h[i] = -factor * v * v
	}
	simd.Fast.Doubles.Exp(power, h)
	for i, v := range a {
		y[i] *= power[i] * (1 + math.FMA(-factor*v, v, -h[i]))
	}
}

func ndtr(r *room, y, x []float64) {
	a := r.a[:len(x)]
	for i, v := range x {
		a[i] = min(math.Abs(v), 39)
	}
	scaled(r, y, a, tailK, scaledTail)
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
	scaled(r, y, a, tailK, scaledTail)
	tail := r.piece[:len(x)]
	copy(tail, y)
	timesPower(r, tail, a, 0.5)
	of, logs := r.b[:len(x)], r.c[:len(x)]
	for i, v := range x {
		of[i] = y[i]
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
	scaled(r, y, a, erfcK, scaledErfc)
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
	scaled(r, y, a, erfcK, scaledErfc)
	timesPower(r, y, a, 1)
	for i, v := range x {
		y[i] = math.Copysign(1-y[i], v)
	}
}

// reference is a function of the op table.
func reference(name string) func(x float64) float64 { return kernels.References.Unary[name] }
