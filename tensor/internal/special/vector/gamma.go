package vector

import (
	"math"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/simd"
)

// lgamma is the reference's formula below 2.5, and Stirling's from there on, with a polynomial in 1/x in place of the
// series.
func lgamma(r *room, y, x []float64) {
	for i, v := range x {
		switch {
		case !(v > 1e-300 && v < 1e300):
			r.class[i] = 2
		case v < 2.5:
			r.class[i] = 0
		default:
			r.class[i] = 1
		}
	}
	r.pieces(y, x, lgammaNear, lgammaFar, each(reference("lgamma")))
}

// lgammaNear is the logarithm of Γ(2+d), less that of what Γ(x) is multiplied by to get there.
func lgammaNear(r *room, y, x []float64) {
	d, product, logs := r.a[:len(x)], r.b[:len(x)], r.c[:len(x)]
	for i, v := range x {
		d[i], product[i] = v-2, 1
		if v < 1.5 {
			d[i], product[i] = v-1, v
		}
		if v < 0.5 {
			d[i], product[i] = v, v*(1+v)
		}
	}
	polynomial(y, d, kernels.Coefficients.LgammaNear2)
	simd.Fast.Doubles.Log(logs, product)
	for i, v := range d {
		y[i] = v*(1+v)*y[i] - logs[i]
	}
}

func lgammaFar(r *room, y, x []float64) {
	w, logs := r.a[:len(x)], r.b[:len(x)]
	simd.Fast.Doubles.Recip(w, x)
	polynomial(y, w, farLgamma)
	simd.Fast.Doubles.Log(logs, x)
	for i, v := range x {
		y[i] = math.FMA(v-0.5, logs[i]-1, y[i])
	}
}

// digamma is the asymptotic formula from 2 on, and the recurrence to there.
func digamma(r *room, y, x []float64) {
	for i, v := range x {
		r.class[i] = 1
		if v > 1e-300 && v < 1e150 {
			r.class[i] = 0
		}
	}
	r.pieces(y, x, digammaPositive, each(reference("digamma")))
}

func digammaPositive(r *room, y, x []float64) {
	w, logs, sums := r.a[:len(x)], r.b[:len(x)], r.c[:len(x)]
	for i, v := range x {
		sum := 0.0
		if v < 1 {
			sum = 1 / v
			v++
		}
		if v < 2 {
			sum += 1 / v
			v++
		}
		logs[i], sums[i] = v, sum
	}
	simd.Fast.Doubles.Recip(w, logs)
	simd.Fast.Doubles.Log(logs, logs)
	polynomial(y, w, farDigamma)
	for i, v := range w {
		y[i] = logs[i] - 0.5*v - v*v*y[i] - sums[i]
	}
}
