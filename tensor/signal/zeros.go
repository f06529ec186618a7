package signal

import (
	"cmp"
	"math"
	"math/cmplx"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// BA returns the coefficients of the filter: the numerator b and the denominator a, highest power first, for LFilter.
// Those of complex zeros or poles that are not conjugate pairs are errors of kind tensor.ErrValue.
func (f ZPK) BA() (b, a []float64) {
	const op = "coefficients"
	b, a = polynomial(op, f.Zeros), polynomial(op, f.Poles)
	for i := range b {
		b[i] *= f.Gain
	}
	for len(b) < len(a) { // in powers of 1/z
		b = append([]float64{0}, b...)
	}
	return b, a
}

// polynomial returns the coefficients of Π(z - root), highest power first.
func polynomial(op string, roots []complex128) []float64 {
	halves(op, roots)
	p := []complex128{1}
	for _, r := range roots {
		p = append(p, 0)
		for i := len(p) - 1; i > 0; i-- {
			p[i] -= r * p[i-1]
		}
	}
	out := make([]float64, len(p))
	for i, c := range p {
		out[i] = real(c)
	}
	return out
}

// halves returns the roots of conjugate pairs with a positive imaginary part, in the order of their real parts, and
// then the real ones. A pair is one within rounding errors.
func halves(op string, roots []complex128) []complex128 {
	const near = 1e-10
	var pairs, reals, rest []complex128
	for _, r := range roots {
		switch {
		case cmplx.IsNaN(r) || cmplx.IsInf(r):
			extend.Fail(op, tensor.ErrValue, nil, "", "the zeros or poles are not finite: %v", roots)
		case math.Abs(imag(r)) <= near*cmplx.Abs(r):
			reals = append(reals, complex(real(r), 0))
		case imag(r) > 0:
			pairs = append(pairs, r)
		default:
			rest = append(rest, cmplx.Conj(r))
		}
	}
	order := func(a, b complex128) int {
		return cmp.Or(cmp.Compare(real(a), real(b)), cmp.Compare(imag(a), imag(b)))
	}
	slices.SortFunc(pairs, order)
	slices.SortFunc(reals, order)
	for i, p := range pairs {
		at := -1
		for j, q := range rest {
			if at < 0 || cmplx.Abs(q-p) < cmplx.Abs(rest[at]-p) {
				at = j
			}
		}
		if at < 0 || cmplx.Abs(rest[at]-p) > 1e-6*max(1, cmplx.Abs(p)) {
			extend.Fail(op, tensor.ErrValue, nil, "", "%v has no conjugate among the zeros or poles", p)
		}
		pairs[i] = (p + rest[at]) / 2
		rest = slices.Delete(rest, at, at+1)
	}
	if len(rest) > 0 {
		extend.Fail(op, tensor.ErrValue, nil, "", "%v has no conjugate among the zeros or poles", cmplx.Conj(rest[0]))
	}
	return append(pairs, reals...)
}

// SOS returns the filter as second-order sections. Poles are paired with the zeros nearest to them, those nearest to
// the unit circle first, and come last in the cascade: no section amplifies much what the next ones damp, as in
// scipy.signal.zpk2sos. Roots that are not conjugate pairs are errors of kind tensor.ErrValue.
func (f ZPK) SOS() Sections {
	const op = "sections"
	n := max(len(f.Zeros), len(f.Poles))
	fill := func(list []complex128) []complex128 {
		list = slices.Clone(list)
		for len(list) < n+n%2 {
			list = append(list, 0)
		}
		return halves(op, list)
	}
	zeros, poles := fill(f.Zeros), fill(f.Poles)
	sections := make(Sections, max((n+1)/2, 1))
	sections[0] = [6]float64{1, 0, 0, 1, 0, 0}
	for i := (n+1)/2 - 1; i >= 0; i-- {
		var ps, zs [2]complex128
		worst := nearestTo(poles, func(p complex128) float64 { return math.Abs(1 - cmplx.Abs(p)) }, false)
		ps[0], poles = pick(poles, worst)
		if imag(ps[0]) != 0 {
			ps[1] = cmplx.Conj(ps[0])
		} else {
			second := nearestTo(poles, func(p complex128) float64 { return math.Abs(1 - cmplx.Abs(p)) }, true)
			ps[1], poles = pick(poles, second)
		}
		distance := func(z complex128) float64 { return cmplx.Abs(z - ps[0]) }
		at := nearestTo(zeros, distance, false)
		if imag(zeros[at]) == 0 && countReal(zeros) == 1 { // the other one of this section would be complex
			at = nearestComplex(zeros, distance)
		}
		zs[0], zeros = pick(zeros, at)
		if imag(zs[0]) != 0 {
			zs[1] = cmplx.Conj(zs[0])
		} else {
			zs[1], zeros = pick(zeros, nearestTo(zeros, distance, true))
		}
		sections[i] = [6]float64{1, -real(zs[0] + zs[1]), real(zs[0] * zs[1]),
			1, -real(ps[0] + ps[1]), real(ps[0] * ps[1])}
	}
	for i := range 3 {
		sections[0][i] *= f.Gain
	}
	return sections
}

func pick(list []complex128, at int) (complex128, []complex128) {
	return list[at], slices.Delete(slices.Clone(list), at, at+1)
}

func countReal(list []complex128) int {
	n := 0
	for _, c := range list {
		if imag(c) == 0 {
			n++
		}
	}
	return n
}

// nearestTo returns the index of the least distance, among the real numbers alone if real is set.
func nearestTo(list []complex128, distance func(complex128) float64, real bool) int {
	at := -1
	for i, c := range list {
		if real && imag(c) != 0 {
			continue
		}
		if at < 0 || distance(c) < distance(list[at]) {
			at = i
		}
	}
	return at
}

// nearestComplex is nearestTo among the complex numbers.
func nearestComplex(list []complex128, distance func(complex128) float64) int {
	at := -1
	for i, c := range list {
		if imag(c) != 0 && (at < 0 || distance(c) < distance(list[at])) {
			at = i
		}
	}
	return at
}
