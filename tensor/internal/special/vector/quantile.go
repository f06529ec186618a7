package vector

import (
	"math"

	"github.com/gorocm/gorocm/tensor/internal/simd"
	"github.com/gorocm/gorocm/tensor/internal/special/scalar"
)

// The quotients of scalar.Ndtri: in the middle, and in the tails as far as most numbers are.
var (
	ndtriMiddle = [2][]float64{
		{3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
			4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3},
		{1, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3, 2.1213794301586595867e+4,
			3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3},
	}
	ndtriNear = [2][]float64{
		{1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
			1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4},
		{1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1, 1.48103976427480074590e-1,
			1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9},
	}
)

func ndtri(r *room, y, p []float64) {
	const tail = 2e-11
	for i, v := range p {
		class := uint8(2)
		if v > tail && v < 1-tail {
			class = 1
		}
		if math.Abs(v-0.5) <= 0.425 {
			class = 0
		}
		r.class[i] = class
	}
	r.pieces(y, p, ndtriInside, ndtriOutside, each(scalar.Ndtri))
}

func ndtriInside(r *room, y, p []float64) {
	t, below := r.a[:len(p)], r.b[:len(p)]
	for i, v := range p {
		q := v - 0.5
		t[i] = 0.180625 - q*q
	}
	polynomial(y, t, ndtriMiddle[0])
	polynomial(below, t, ndtriMiddle[1])
	for i, v := range p {
		y[i] = (v - 0.5) * y[i] / below[i]
	}
}

func ndtriOutside(r *room, y, p []float64) {
	t, below := r.a[:len(p)], r.b[:len(p)]
	for i, v := range p {
		below[i] = min(v, 1-v)
	}
	simd.Fast.Doubles.Log(t, below)
	for i, v := range t {
		t[i] = math.Sqrt(-v) - 1.6
	}
	polynomial(y, t, ndtriNear[0])
	polynomial(below, t, ndtriNear[1])
	for i, v := range p {
		y[i] = math.Copysign(y[i]/below[i], v-0.5)
	}
}
