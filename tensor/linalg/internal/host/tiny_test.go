package host

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// kinds are matrices [m n] on which iterations and reflections could fail, from random ones.
var kinds = map[string]func(a []float64, m, n int, r *rand.Rand){
	"zero": func(a []float64, m, n int, r *rand.Rand) { clear(a) },
	"diagonal": func(a []float64, m, n int, r *rand.Rand) {
		onDiagonal(a, n, func(i int) float64 { return float64(i%3 - 1) })
	},
	"unit": func(a []float64, m, n int, r *rand.Rand) { onDiagonal(a, n, func(int) float64 { return 1 }) },
	"equal": func(a []float64, m, n int, r *rand.Rand) {
		for i := range a {
			a[i] = 1
		}
	},
	"rank 2": func(a []float64, m, n int, r *rand.Rand) {
		for i := range a {
			a[i] = float64((1+i/n)*(1+i%n)) + float64(i/n*i/n*(i%n%2))
		}
	},
	"zero columns": func(a []float64, m, n int, r *rand.Rand) {
		for i := range a {
			if i%n%2 == 0 {
				a[i] = 0
			}
		}
	},
	"graded": func(a []float64, m, n int, r *rand.Rand) {
		for i := range a {
			a[i] *= math.Pow(10, -3*float64(i/n+i%n))
		}
	},
	"close values": func(a []float64, m, n int, r *rand.Rand) {
		onDiagonal(a, n, func(i int) float64 { return 1 + float64(i)*0x1p-50 })
		for i := range a {
			a[i] += r.NormFloat64() * 0x1p-52
		}
	},
}

func onDiagonal(a []float64, n int, value func(i int) float64) {
	clear(a)
	for i := range a {
		if i/n == i%n {
			a[i] = value(i / n)
		}
	}
}

// TestKinds tests the own code for small matrices on kinds of them, multiplied by powers of two up to the ends of the
// range of the type.
func TestKinds(t *testing.T) {
	t.Run("f32", func(t *testing.T) { testKinds[float32](t, 0x1p-23, 110) })
	t.Run("f64", func(t *testing.T) { testKinds[float64](t, 0x1p-52, 1010) })
	t.Run("c64", func(t *testing.T) { testKinds[complex64](t, 0x1p-23, 110) })
	t.Run("c128", func(t *testing.T) { testKinds[complex128](t, 0x1p-52, 1010) })
}

func testKinds[T Number](t *testing.T, eps float64, exponent int) {
	for name, change := range kinds {
		for _, size := range [][2]int{{1, 1}, {2, 2}, {3, 3}, {4, 4}, {8, 8}, {6, 3}, {3, 6}, {8, 1}, {1, 8}} {
			for _, exp := range []int{0, -exponent, exponent} {
				m, n := size[0], size[1]
				t.Run(fmt.Sprintf("%s/%dx%d/2^%d", name, m, n, exp), func(t *testing.T) {
					rng := rand.New(rand.NewPCG(uint64(m), uint64(n)))
					re := make([]float64, m*n)
					for i := range re {
						re[i] = rng.NormFloat64()
					}
					change(re, m, n, rng)
					c := checker[T]{t, func() engine[T] { return tinyFor(withoutLAPACK[T]()) }, eps, rng}
					a := make([]T, m*n)
					for i, x := range re { // complex elements have other phases in each row
						a[i] = fromComplex[T](complex(x, x*float64(i/n)))
					}
					c.factors(a, m, n, math.Ldexp(1, exp))
				})
			}
		}
	}
}

// scaled returns a·f.
func scaled[T Number](a []T, f float64) []T {
	b := make([]T, len(a))
	for i, z := range toComplex(a) {
		b[i] = fromComplex[T](complex(real(z)*f, imag(z)*f))
	}
	return b
}

// factors tests QR, SVD and, where a is square, eigenvalues of its Hermitian part, of a·f.
func (c checker[T]) factors(a []T, m, n int, f float64) {
	k, want := min(m, n), toComplex(a)
	for _, cols := range []int{k, m} {
		q, r := make([]T, m*cols), make([]T, cols*n)
		c.e().qr(scaled(a, f), q, r, m, n, cols)
		c.near("Q·R", multiply(toComplex(q), toComplex(scaled(r, 1/f)), m, cols, n), want, n)
		c.unitary("Qᴴ·Q", toComplex(q), m, cols)
	}
	for _, full := range []bool{false, true} {
		cols, rows := k, k
		if full {
			cols, rows = m, n
		}
		u, s, vh := make([]T, m*cols), make([]float64, k), make([]T, rows*n)
		if info := c.e().svd(scaled(a, f), u, vh, s, m, n, cols, rows); info != 0 {
			c.Errorf("SVD failed: %d", info)
		}
		us := make([]complex128, m*k)
		for i := range us {
			us[i] = toComplex(u[i/k*cols+i%k : i/k*cols+i%k+1])[0] * complex(s[i%k]/f, 0)
		}
		c.near("U·S·Vᴴ", multiply(us, toComplex(vh)[:k*n], m, k, n), want, n)
		c.unitary("Uᴴ·U", toComplex(u), m, cols)
		c.unitary("V·Vᴴ", adjoint(toComplex(vh), rows, n), n, rows)
		for i := range k {
			if s[i] < 0 || i > 0 && s[i] > s[i-1] {
				c.Fatalf("singular values %v", s)
			}
		}
	}
	if m != n {
		return
	}
	h := make([]complex128, n*n)
	for i, z := range adjoint(want, n, n) {
		h[i] = (want[i] + z) / 2
	}
	v, w := make([]T, n*n), make([]float64, n)
	for i, z := range h {
		v[i] = fromComplex[T](z)
	}
	h, v = toComplex(v), scaled(v, f)
	if info := c.e().eigh(v, w, n, true); info != 0 {
		c.Errorf("eigh failed: %d", info)
	}
	vw := toComplex(v)
	for i := range vw {
		vw[i] *= complex(w[i%n]/f, 0)
	}
	c.near("V·W·Vᴴ", multiply(vw, adjoint(toComplex(v), n, n), n, n, n), h, n)
	c.unitary("Vᴴ·V", toComplex(v), n, n)
	for i := 1; i < n; i++ {
		if w[i] < w[i-1] {
			c.Fatalf("eigenvalues %v", w)
		}
	}
}

// TestGraded: the small singular values of a matrix with scaled columns, and the small eigenvalues of a positive
// definite one with scaled rows and columns, are as accurate as the large ones. Their product is the determinant.
func TestGraded(t *testing.T) {
	const n = 4
	e := tinyFor(withoutLAPACK[float64]())
	a, h, det := make([]float64, n*n), make([]float64, n*n), 1.0
	for i := range n {
		d := math.Pow(10, -5*float64(i))
		det *= d
		for j := range n {
			x := 0.5 // this matrix has the determinant 3
			if i == j {
				x = 1.5
			}
			a[j*n+i], h[i*n+j] = x*d, x*d*math.Pow(10, -5*float64(j))
		}
	}
	s, w := make([]float64, n), make([]float64, n)
	if e.svd(a, nil, nil, s, n, n, n, n) != 0 || e.eigh(h, w, n, false) != 0 {
		t.Fatal("no convergence")
	}
	check := func(what string, values []float64, det float64) {
		if product := values[0] * values[1] * values[2] * values[3]; math.Abs(product-det) > 1e-14*det {
			t.Errorf("%s %v have the product %v, want %v", what, values, product, det)
		}
	}
	check("singular values", s, 3*det)
	check("eigenvalues", w, 3*det*det)
}
