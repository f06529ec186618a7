package plan

import "math"

// Root returns exp(-2πi·k/n), each part within one unit in the last place, for k from 0 to n. Symmetries reduce the
// angle to at most an eighth of a turn, so that the exact roots, such as -i and those on the diagonal, are exact or
// rounded once.
func Root(k, n int) complex128 {
	eighth := 8 * k
	octant := eighth / n // 0 to 8
	var s, c float64
	switch octant % 2 {
	case 0: // from the axis on
		s, c = sincos(eighth-octant*n, n)
	default: // back from the next axis
		c, s = sincos((octant+1)*n-eighth, n)
		c, s = s, c
	}
	// (c, s) are of the distance to the nearest axis
	switch octant {
	case 0, 8:
		return complex(c, -s)
	case 1:
		return complex(s, -c)
	case 2:
		return complex(-s, -c)
	case 3:
		return complex(-c, -s)
	case 4:
		return complex(-c, s)
	case 5:
		return complex(-s, c)
	case 6:
		return complex(s, c)
	}
	return complex(c, s)
}

// sincos returns sine and cosine of 2π·eighth/(8n), an angle of at most π/4. The angle has twice the digits of a
// float64, and the polynomials are those of FreeBSD's msun (k_sin.c, k_cos.c), which take both halves: the results are
// within 0.6 units in the last place, where those of math.Sincos are within three.
func sincos(eighth, n int) (s, c float64) {
	const quarter, rest = math.Pi / 4, 3.061616997868383e-17 // π/4 and what rounding took from it
	k, d := float64(eighth), float64(n)
	q := k / d
	left := math.FMA(-q, d, k) / d
	x := quarter * q
	y := math.FMA(quarter, q, -x) + rest*q + quarter*left

	z := x * x
	const (
		s1, s2, s3 = -1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04
		s4, s5, s6 = 2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10
		c1, c2, c3 = 4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05
		c4, c5, c6 = -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11
	)
	r := s2 + z*(s3+z*s4) + z*(z*z)*(s5+z*s6)
	v := z * x
	s = x - ((z*(0.5*y-v*r) - y) - v*s1)

	r = z*(c1+z*(c2+z*c3)) + (z*z)*(z*z)*(c4+z*(c5+z*c6))
	half := 0.5 * z
	w := 1 - half
	return s, w + (((1 - w) - half) + (z*r - x*y))
}

// Roots returns the first count of the n roots exp(-2πi·k/n).
func Roots(n, count int) []complex128 {
	all := make([]complex128, count)
	for k := range all {
		all[k] = Root(k%n, n)
	}
	return all
}

// Chirp returns exp(-πi·k²/n) for k below n: a transform of any length n is a convolution with it (Bluestein, "A linear
// filtering approach to the computation of discrete Fourier transform", 1970).
func Chirp(n int) []complex128 {
	all := make([]complex128, n)
	square := 0 // k² modulo 2n
	for k := range all {
		all[k] = Root(square, 2*n)
		square = (square + 2*k + 1) % (2 * n)
	}
	return all
}

// Powers are the roots of a large order n as products of two from small tables: root k is Low[k%Size]·High[k/Size].
type Powers struct {
	Size      int
	Low, High []complex128
}

// LowSize is the number of low roots for order n, a power of two.
func LowSize(n int) int {
	size := 1
	for size*size < n {
		size *= 2
	}
	return size
}

// NewPowers makes the two tables.
func NewPowers(n int) Powers {
	size := LowSize(n)
	p := Powers{Size: size, Low: make([]complex128, size), High: make([]complex128, (n+size-1)/size)}
	for k := range p.Low {
		p.Low[k] = Root(k%n, n)
	}
	for k := range p.High {
		p.High[k] = Root(k*size, n)
	}
	return p
}

// At returns root k, for k below n.
func (p *Powers) At(k int) complex128 { return p.Low[k%p.Size] * p.High[k/p.Size] }
