package vector

import (
	"math"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/simd"
	"github.com/gorocm/gorocm/tensor/internal/special/scalar"
)

func j0(r *room, y, x []float64) {
	r.distances(x)
	r.pieces(y, x, j0Near, j0Middle, j0Far, each(scalar.BesselJ0))
}

func j1(r *room, y, x []float64) {
	r.distances(x)
	r.pieces(y, x, j1Near, j1Middle, j1Far, each(scalar.BesselJ1))
}

// distances sets the classes of elements: up to 4, up to 8, up to where the vector loop of sine ends, and beyond.
func (r *room) distances(x []float64) {
	for i, v := range x {
		class := uint8(0)
		a := math.Abs(v)
		if a > 4 {
			class = 1
		}
		if a > 8 {
			class = 2
		}
		if a > simd.TurnLimit {
			class = 3
		}
		r.class[i] = class
	}
}

// besselNear sets y to a polynomial in mul·x² + add. r.a are the squares.
func besselNear(r *room, y, x []float64, c []float64, from, width float64) {
	z, t := r.a[:len(x)], r.b[:len(x)]
	for i, v := range x {
		z[i] = v * v
		t[i] = (z[i] - from) / width
	}
	polynomial(y, t, c)
}

func j0Near(r *room, y, x []float64) {
	besselNear(r, y, x, j0Parts[0], 8, 8)
	for i, z := range r.a[:len(x)] {
		y[i] = 1 + z*y[i]
	}
}

func j0Middle(r *room, y, x []float64) { besselNear(r, y, x, j0Parts[1], 40, 24) }

func j1Near(r *room, y, x []float64) {
	besselNear(r, y, x, j1Parts[0], 8, 8)
	for i, v := range x {
		y[i] *= v
	}
}

func j1Middle(r *room, y, x []float64) {
	besselNear(r, y, x, j1Parts[1], 40, 24)
	for i, v := range x {
		y[i] *= v
	}
}

// hankel sets r.a to |x|, y to the factor p of Hankel's expansion, and r.c to q.
func hankel(r *room, y, x []float64, parts *[4][]float64) {
	a, t := r.a[:len(x)], r.b[:len(x)]
	for i, v := range x {
		a[i] = math.Abs(v)
		w := 8 / a[i]
		t[i] = 2*w*w - 1
	}
	polynomial(y, t, parts[2])
	polynomial(r.c[:len(x)], t, parts[3])
}

func j0Far(r *room, y, x []float64) {
	sines, cosines := r.sines[:len(x)], r.cosines[:len(x)]
	hankel(r, y, x, &j0Parts)
	a := r.a[:len(x)]
	simd.Fast.Doubles.Sin(sines, a)
	simd.Fast.Doubles.Cos(cosines, a)
	for i, v := range a {
		s, c := sines[i], cosines[i]
		y[i] = (y[i]*(c+s) - r.c[i]/v*(s-c)) / math.Sqrt(math.Pi*v)
	}
}

func j1Far(r *room, y, x []float64) {
	sines, cosines := r.sines[:len(x)], r.cosines[:len(x)]
	hankel(r, y, x, &j1Parts)
	a := r.a[:len(x)]
	simd.Fast.Doubles.Sin(sines, a)
	simd.Fast.Doubles.Cos(cosines, a)
	for i, v := range a {
		s, c := sines[i], cosines[i]
		y[i] = math.Copysign(1, x[i]) * (y[i]*(s-c) + r.c[i]/v*(s+c)) / math.Sqrt(math.Pi*v)
	}
}

// The modified functions are power series up to 8, and exp(|x|)/√|x| times a polynomial in 16/|x| - 1 beyond.

func i0(r *room, y, x []float64)  { modified(r, y, x, false, false, reference("i0")) }
func i1(r *room, y, x []float64)  { modified(r, y, x, true, false, reference("i1")) }
func i0e(r *room, y, x []float64) { modified(r, y, x, false, true, scalar.BesselI0e) }
func i1e(r *room, y, x []float64) { modified(r, y, x, true, true, scalar.BesselI1e) }

func modified(r *room, y, x []float64, odd, scaled bool, ref func(x float64) float64) {
	most := 700.0 // where the power alone overflows
	if scaled {
		most = math.MaxFloat64
	}
	for i, v := range x {
		class := uint8(0)
		if math.Abs(v) > 8 {
			class = 1
		}
		if math.Abs(v) > most {
			class = 2
		}
		r.class[i] = class
	}
	near := func(r *room, y, x []float64) { modifiedNear(r, y, x, odd, scaled) }
	far := func(r *room, y, x []float64) { modifiedFar(r, y, x, odd, scaled) }
	r.pieces(y, x, near, far, each(ref))
}

func modifiedNear(r *room, y, x []float64, odd, scaled bool) {
	z, series := r.a[:len(x)], kernels.Coefficients.SeriesI0
	if odd {
		series = kernels.Coefficients.SeriesI1
	}
	for i, v := range x {
		z[i] = v * v / 4
	}
	polynomial(y, z, series)
	if odd {
		for i, v := range x {
			y[i] *= v / 2
		}
	}
	if scaled {
		powers(r, x, -1)
		for i, e := range r.c[:len(x)] {
			y[i] *= e
		}
	}
}

// powers sets r.c to exp(sign·|x|). It needs r.b.
func powers(r *room, x []float64, sign float64) {
	for i, v := range x {
		r.b[i] = sign * math.Abs(v)
	}
	simd.Fast.Doubles.Exp(r.c[:len(x)], r.b[:len(x)])
}

func modifiedFar(r *room, y, x []float64, odd, scaled bool) {
	t, tail := r.a[:len(x)], kernels.Coefficients.TailI0
	if odd {
		tail = kernels.Coefficients.TailI1
	}
	for i, v := range x {
		t[i] = 16/math.Abs(v) - 1
	}
	polynomial(y, t, tail)
	for i, v := range x {
		y[i] /= math.Sqrt(math.Abs(v))
	}
	if !scaled {
		powers(r, x, 1)
		for i, e := range r.c[:len(x)] {
			y[i] *= e
		}
	}
	if odd {
		for i, v := range x {
			y[i] = math.Copysign(y[i], v)
		}
	}
}
