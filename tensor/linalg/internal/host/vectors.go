package host

// vectors are the loops over elements of QR, SVD and eigenvalues of small matrices: those differ between real and
// complex elements. They compute in F64 or C128 with matrices of T. Elements of strided vectors begin every stride.
type vectors[T, E Number] struct {
	load  func(to []E, from []T, stride int)
	store func(to []T, stride int, from []E)
	// dot returns the sum of conj(x)·y, and products that for x and x, y and y, and x and y.
	dot      func(x, y []E) E
	products func(x, y []E) (xx, yy float64, xy E)
	// add adds f·x to y.
	add func(y []E, f E, x []E)
	// rotate multiplies the pair (x, y) by [c -s·f; s·conj(f) c], with c = 1 - s·half.
	rotate func(x, y []E, s, half float64, f E)
	// conjugate sets strided elements to the conjugates of others, which may be the same.
	conjugate func(to []E, stride int, from []E)
	eps       float64 // the unit roundoff of T, and for those of 32 bits less
}

func realVectors[T float32 | float64](eps float64) vectors[T, float64] {
	return vectors[T, float64]{
		load:     loadVector[T, float64],
		store:    storeVector[T, float64],
		dot:      dotReal,
		products: productsReal,
		add:      addVector[float64],
		rotate: func(x, y []float64, s, half, f float64) {
			for i, p := range x {
				q := y[i]
				x[i] = p - s*(half*p+f*q)
				y[i] = q + s*(f*p-half*q)
			}
		},
		conjugate: func(to []float64, stride int, from []float64) {
			for i, x := range from {
				to[i*stride] = x
			}
		},
		eps: eps,
	}
}

func dotReal(x, y []float64) (sum float64) {
	y = y[:len(x)]
	for i, p := range x {
		sum += p * y[i]
	}
	return sum
}

func productsReal(x, y []float64) (xx, yy, xy float64) {
	y = y[:len(x)]
	for i, p := range x {
		q := y[i]
		xx, yy, xy = xx+p*p, yy+q*q, xy+p*q
	}
	return xx, yy, xy
}

func complexVectors[T complex64 | complex128](eps float64) vectors[T, complex128] {
	return vectors[T, complex128]{
		load: func(to []complex128, from []T, stride int) {
			for i := range to {
				to[i] = complex128(from[i*stride])
			}
		},
		store: func(to []T, stride int, from []complex128) {
			for i, x := range from {
				to[i*stride] = T(x)
			}
		},
		dot: func(x, y []complex128) complex128 {
			var re, im float64
			for i, p := range x {
				q := y[i]
				re, im = re+real(p)*real(q)+imag(p)*imag(q), im+real(p)*imag(q)-imag(p)*real(q)
			}
			return complex(re, im)
		},
		products: productsComplex,
		add:      addVector[complex128],
		rotate:   rotateComplex,
		conjugate: func(to []complex128, stride int, from []complex128) {
			for i, x := range from {
				to[i*stride] = complex(real(x), -imag(x))
			}
		},
		eps: eps,
	}
}

func productsComplex(x, y []complex128) (xx, yy float64, xy complex128) {
	var re, im float64
	for i, p := range x {
		q := y[i]
		xx += real(p)*real(p) + imag(p)*imag(p)
		yy += real(q)*real(q) + imag(q)*imag(q)
		re, im = re+real(p)*real(q)+imag(p)*imag(q), im+real(p)*imag(q)-imag(p)*real(q)
	}
	return xx, yy, complex(re, im)
}

func rotateComplex(x, y []complex128, s, half float64, f complex128) {
	for i, p := range x {
		q := y[i]
		u, v := f*q, complex(real(f), -imag(f))*p
		x[i] = complex(real(p)-s*(half*real(p)+real(u)), imag(p)-s*(half*imag(p)+imag(u)))
		y[i] = complex(real(q)+s*(real(v)-half*real(q)), imag(q)+s*(imag(v)-half*imag(q)))
	}
}

func loadVector[T, E float32 | float64](to []E, from []T, stride int) {
	for i := range to {
		to[i] = E(from[i*stride])
	}
}

func storeVector[T, E float32 | float64](to []T, stride int, from []E) {
	for i, x := range from {
		to[i*stride] = T(x)
	}
}

func addVector[E Number](y []E, f E, x []E) {
	for i, e := range x {
		y[i] += f * e
	}
}
