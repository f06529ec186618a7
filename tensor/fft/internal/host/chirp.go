package host

import "github.com/gorocm/gorocm/tensor/fft/internal/plan"

// chirpPlan is what Bluestein's algorithm needs for a length n: with the chirp c[k] = exp(-πi·k²/n),
//
//	y[k] = c[k] · Σ_j (x[j]·c[j]) · conj(c[k-j])
//
// a convolution, which is computed by transforms of a padded length m ≥ 2n - 1.
type chirpPlan[T number] struct {
	n, m   int
	chirp  []T // interleaved
	filter []T // the transform of the conjugate chirp, over m
}

func newChirpPlan[T number](n int) *chirpPlan[T] {
	p := &chirpPlan[T]{n: n, m: plan.Padded(2*n - 1)}
	p.chirp = make([]T, 2*n)
	wide := make([]float64, 2*p.m)
	for k, c := range plan.Chirp(n) {
		p.chirp[2*k], p.chirp[2*k+1] = T(real(c)), T(imag(c))
		for _, at := range []int{k, (p.m - k) % p.m} {
			wide[2*at], wide[2*at+1] = real(c), -imag(c)
		}
	}
	// in float64, and rounded once
	transformRows(wide, wide, p.m, 1, p.m, p.m, form[float64]{scale: 1 / float64(p.m)})
	p.filter = make([]T, 2*p.m)
	for i, w := range wide {
		p.filter[i] = T(w)
	}
	return p
}

// row transforms one row.
func (p *chirpPlan[T]) row(dst, src []T, f form[T], parallel spread) {
	s := getScratch[T]()
	defer s.free()
	row := s.row(1, p.m)
	first, last := row[:2*p.n], dst[:2*p.n]
	if f.inverse { // the inverse transform is that of the conjugates, conjugated
		conjugate(first, src[:2*p.n], 1)
		src = first
	}
	weigh(first, src, p.chirp)
	clear(row[2*p.n:])
	p.padded(row, false, parallel)
	weigh(row, row, p.filter)
	p.padded(row, true, parallel)
	weigh(last, row, p.chirp)
	switch {
	case f.inverse:
		conjugate(last, last, f.scale)
	case f.scale != 1:
		for i := range last {
			last[i] *= f.scale
		}
	}
}

// conjugate sets y to the conjugates of x, times scale.
func conjugate[T number](y, x []T, scale T) {
	for i := 0; i < len(y); i += 2 {
		y[i], y[i+1] = scale*x[i], -scale*x[i+1]
	}
}

// weigh is y = x·w, of interleaved numbers.
func weigh[T number](y, x, w []T) {
	n := len(y)
	if f := fast[T]().weigh; f != nil {
		n -= n % width[T]()
		f(y[:n], x, w)
		y, x, w = y[n:], x[n:], w[n:]
	}
	for i := 0; i < len(y); i += 2 {
		y[i], y[i+1] = times(x[i], x[i+1], w[i], w[i+1])
	}
}

// padded transforms a row of the padded length in place.
func (p *chirpPlan[T]) padded(row []T, inverse bool, parallel spread) {
	f, whole := form[T]{inverse: inverse, scale: 1}, planOf[T](p.m)
	if p.m >= shortest {
		whole.matrix(row, row, f, parallel)
		return
	}
	s := getScratch[T]()
	defer s.free()
	a, b := s.group(p.m)
	load(f.order(a), row, grid{1, p.m}, p.m, 1)
	r := transform(whole.passes, a, b)
	store(row, f.order(r), grid{1, p.m}, p.m, 1, 1)
}
