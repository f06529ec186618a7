package host

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor/internal/openblas"
)

// Every engine is tested by what its factors must satisfy, whatever computed them: residuals relative to the norm,
// orthogonality, order.

func TestReal64(t *testing.T) { testType[float64](t, 0x1p-52, 0) }
func TestReal32(t *testing.T) {
	thorough.Slow(t)
	testType[float32](t, 0x1p-23, 1)
}
func TestComplex128(t *testing.T) {
	thorough.Slow(t)
	testType[complex128](t, 0x1p-52, 1)
}
func TestComplex64(t *testing.T) { testType[complex64](t, 0x1p-23, 0) }

// engines are all that factor a type here, by name.
func engines[T Number](t *testing.T) map[string]func() engine[T] {
	list := map[string]func() engine[T]{"without LAPACK": withoutLAPACK[T],
		"tiny": func() engine[T] { return tinyFor(withoutLAPACK[T]()) }}
	if openblas.LoadLAPACK() == nil {
		t.Log("LAPACK is not tested: there is none")
	} else {
		list["LAPACK"] = engineFor[T]
	}
	return list
}

// testType tries half of the sizes, the even or the odd ones, or all of them in thorough tests.
func testType[T Number](t *testing.T, eps float64, offset int) {
	for name, e := range engines[T](t) {
		for _, size := range thorough.Sample([][2]int{{1, 1}, {2, 2}, {1, 5}, {5, 1}, {3, 7}, {7, 3}, {16, 16}, {40, 25},
			{25, 40}, {33, 33}, {70, 70}}, 2, offset) {
			c := checker[T]{t, e, eps, rand.New(rand.NewPCG(1, uint64(size[0]*100+size[1])))}
			t.Run(fmt.Sprintf("%s/%dx%d", name, size[0], size[1]), func(t *testing.T) {
				c.T = t
				c.general(size[0], size[1])
				if size[0] == size[1] {
					c.square(size[0])
				}
			})
		}
	}
}

type checker[T Number] struct {
	*testing.T
	e   func() engine[T] // for matrices of one shape
	eps float64
	rng *rand.Rand
}

// random returns normal elements, complex ones where T is.
func (c checker[T]) random(n int) []T {
	a := make([]T, n)
	for i := range a {
		a[i] = fromComplex[T](complex(c.rng.NormFloat64(), c.rng.NormFloat64()))
	}
	return a
}

func fromComplex[T Number](z complex128) T {
	var x any
	switch any(*new(T)).(type) {
	case float32:
		x = float32(real(z))
	case float64:
		x = real(z)
	case complex64:
		x = complex64(z)
	default:
		x = z
	}
	return x.(T)
}

func toComplex[T Number](a []T) []complex128 {
	b := make([]complex128, len(a))
	for i, x := range a {
		switch x := any(x).(type) {
		case float32:
			b[i] = complex(float64(x), 0)
		case float64:
			b[i] = complex(x, 0)
		case complex64:
			b[i] = complex128(x)
		case complex128:
			b[i] = x
		}
	}
	return b
}

// multiply returns the product [m n] of a [m k] and b [k n].
func multiply(a, b []complex128, m, k, n int) []complex128 {
	out := make([]complex128, m*n)
	for i := range m {
		for j := range k {
			for l := range n {
				out[i*n+l] += a[i*k+j] * b[j*n+l]
			}
		}
	}
	return out
}

// near fails unless got is want up to some multiples of eps of the largest element.
func (c checker[T]) near(what string, got, want []complex128, n int) {
	c.Helper()
	var size, off float64
	for i, w := range want {
		size = max(size, cmplx.Abs(w))
		d := cmplx.Abs(got[i] - w)
		if off = max(off, d); d != d {
			c.Fatalf("%s: NaN", what)
		}
	}
	if limit := 20 * float64(n+2) * c.eps * max(size, 1); off > limit {
		c.Errorf("%s: off by %.2g, %.1f times the limit", what, off, off/limit)
	}
}

// unitary fails unless the columns of q [m n] are orthonormal.
func (c checker[T]) unitary(what string, q []complex128, m, n int) {
	c.Helper()
	c.near(what, multiply(adjoint(q, m, n), q, n, m, n), unit(n, n), m)
}

func (c checker[T]) general(m, n int) {
	a, k := c.random(m*n), min(m, n)
	want := toComplex(a)
	x, pivots := append([]T{}, a...), make([]int32, k)
	if info := c.e().lu(x, m, n, pivots); info != 0 {
		c.Errorf("LU: pivot %d is 0", info)
	}
	c.near("L·U", luProduct(toComplex(x), m, n, pivots), want, n)

	for _, cols := range []int{k, m} {
		x, q, r := append([]T{}, a...), make([]T, m*cols), make([]T, cols*n)
		c.e().qr(x, q, r, m, n, cols)
		c.near("Q·R", multiply(toComplex(q), toComplex(r), m, cols, n), want, n)
		c.unitary("Qᴴ·Q", toComplex(q), m, cols)
		for i := range cols {
			for j := range min(i, n) {
				if r[i*n+j] != 0 {
					c.Fatalf("R[%d,%d] = %v", i, j, r[i*n+j])
				}
			}
		}
	}
	for _, full := range []bool{false, true} {
		cols, rows := k, k
		if full {
			cols, rows = m, n
		}
		x, u, s, vh := append([]T{}, a...), make([]T, m*cols), make([]float64, k), make([]T, rows*n)
		if info := c.e().svd(x, u, vh, s, m, n, cols, rows); info != 0 {
			c.Errorf("SVD failed: %d", info)
		}
		us := make([]complex128, m*k)
		for i := range m {
			for j := range k {
				us[i*k+j] = toComplex(u)[i*cols+j] * complex(s[j], 0)
			}
		}
		c.near("U·S·Vᴴ", multiply(us, toComplex(vh)[:k*n], m, k, n), want, n)
		c.unitary("Uᴴ·U", toComplex(u), m, cols)
		c.unitary("V·Vᴴ", adjoint(toComplex(vh), rows, n), n, rows)
		only := make([]float64, k)
		if info := c.e().svd(append([]T{}, a...), nil, nil, only, m, n, cols, rows); info != 0 {
			c.Errorf("singular values failed: %d", info)
		}
		for i := range s {
			if i > 0 && s[i] > s[i-1] || s[i] < 0 || math.Abs(s[i]-only[i]) > 50*c.eps*s[0] {
				c.Fatalf("singular values %v, and %v without vectors", s, only)
			}
		}
	}
}

func luProduct(lu []complex128, m, n int, pivots []int32) []complex128 {
	k := min(m, n)
	l, u := make([]complex128, m*k), make([]complex128, k*n)
	for i := range m {
		for j := range n {
			switch {
			case i > j:
				l[i*k+j] = lu[i*n+j]
			default:
				u[i*n+j] = lu[i*n+j]
			}
		}
		if i < k {
			l[i*k+i] = 1
		}
	}
	a := multiply(l, u, m, k, n)
	for i := k - 1; i >= 0; i-- {
		for j, p := 0, int(pivots[i]); j < n; j++ {
			a[i*n+j], a[p*n+j] = a[p*n+j], a[i*n+j]
		}
	}
	return a
}

// schur checks that z·t·zᴴ is a, that z is unitary, and that t is triangular but for blocks of 2 by 2.
func (c checker[T]) schur(a []T, wide []complex128, n int) {
	t, z := append([]T{}, a...), make([]T, n*n)
	if info := c.e().schur(t, z, n); info != 0 {
		c.Errorf("schur failed: %d", info)
	}
	x, q := toComplex(t), toComplex(z)
	adjoint, unit := make([]complex128, n*n), make([]complex128, n*n)
	for i := range n {
		unit[i*n+i] = 1
		for j := range n {
			adjoint[j*n+i] = cmplx.Conj(q[i*n+j])
			if below := x[i*n+j]; j < i && below != 0 && (j < i-1 || j > 0 && x[j*n+j-1] != 0) {
				c.Errorf("element %d %d of T is %v", i, j, below)
			}
		}
	}
	c.near("Z·Zᴴ = 1", multiply(q, adjoint, n, n, n), unit, 20*n)
	c.near("Z·T·Zᴴ = A", multiply(multiply(q, x, n, n, n), adjoint, n, n, n), wide, 20*n)
}

func (c checker[T]) square(n int) {
	a := c.random(n * n)
	z := toComplex(a)
	c.hermitian(a, n)

	x, w, v := append([]T{}, a...), make([]complex128, n), make([]complex128, n*n)
	if info := c.e().eig(x, w, v, n); info != 0 {
		c.Errorf("eig failed: %d", info)
	}
	scaled := make([]complex128, n*n)
	for i := range n {
		for j := range n {
			scaled[i*n+j] = v[i*n+j] * w[j]
		}
	}
	c.near("A·V = V·W", multiply(z, v, n, n, n), scaled, 4*n)
	for j := range n {
		var norm float64
		for i := range n {
			norm += real(v[i*n+j] * cmplx.Conj(v[i*n+j]))
		}
		if math.Abs(norm-1) > float64(n)*10*c.eps {
			c.Errorf("eigenvector %d has length² %v", j, norm)
		}
	}
	c.schur(a, z, n)
	only := make([]complex128, n)
	c.e().eig(append([]T{}, a...), only, nil, n)
	var trace, sum complex128
	for i := range n {
		trace, sum = trace+z[i*n+i], sum+only[i]
	}
	if cmplx.Abs(trace-sum) > float64(n)*20*c.eps*max(cmplx.Abs(trace), 1) {
		c.Errorf("trace %v, sum of eigenvalues %v", trace, sum)
	}
	c.triangular(a, n)
}

// hermitian tests with A = M·Mᴴ + 1.
func (c checker[T]) hermitian(m []T, n int) {
	z := toComplex(m)
	p := multiply(z, adjoint(z, n, n), n, n, n)
	a := make([]T, n*n)
	for i := range p {
		if i%(n+1) == 0 {
			p[i]++
		}
		a[i] = fromComplex[T](p[i])
	}
	p = toComplex(a)
	for i := range n { // what is above the diagonal is not read
		for j := i + 1; j < n; j++ {
			a[i*n+j] = fromComplex[T](cmplx.NaN())
		}
	}
	l := append([]T{}, a...)
	if info := c.e().cholesky(l, n); info != 0 {
		c.Errorf("minor %d is not positive", info)
	}
	for i := range n {
		clear(l[i*n+i+1 : (i+1)*n])
	}
	c.near("L·Lᴴ", multiply(toComplex(l), adjoint(toComplex(l), n, n), n, n, n), p, n)

	v, w, only := append([]T{}, a...), make([]float64, n), make([]float64, n)
	if info := c.e().eigh(v, w, n, true); info != 0 {
		c.Errorf("eigh failed: %d", info)
	}
	scaled := toComplex(v)
	for i := range scaled {
		scaled[i] *= complex(w[i%n], 0)
	}
	c.near("V·W·Vᴴ", multiply(scaled, adjoint(toComplex(v), n, n), n, n, n), p, n)
	c.unitary("Vᴴ·V", toComplex(v), n, n)
	c.e().eigh(append([]T{}, a...), only, n, false)
	for i := range w {
		if i > 0 && w[i] < w[i-1] || math.Abs(w[i]-only[i]) > 50*c.eps*w[n-1] {
			c.Fatalf("eigenvalues %v, and %v without vectors", w, only)
		}
	}
	a[0] = fromComplex[T](-1)
	if info := c.e().cholesky(a, n); info != 1 {
		c.Errorf("minor %d is not positive, want 1", info)
	}
}

func (c checker[T]) triangular(a []T, n int) {
	for i := range n {
		a[i*n+i] += fromComplex[T](complex(float64(n), 0))
	}
	z := toComplex(a)
	for _, f := range []Form{{}, {Upper: true}, {Transposed: true}, {Upper: true, Transposed: true},
		{Transposed: true, Conjugated: true}, {Upper: true, Transposed: true, Conjugated: true}, {Upper: true, Unit: true}} {
		const k = 3
		x := c.random(n * k)
		tri := make([]complex128, n*n)
		for i := range n {
			for j := range n {
				switch {
				case i == j && f.Unit:
					tri[i*n+j] = 1
				case i == j, i < j == f.Upper:
					tri[i*n+j] = z[i*n+j]
				}
			}
		}
		if f.Unit {
			for i := range tri {
				if i%(n+1) != 0 {
					tri[i] /= complex(float64(4*n), 0)
				}
			}
		}
		op, data := tri, make([]T, n*n)
		for i := range data { // what is not read is NaN
			data[i] = fromComplex[T](cmplx.NaN())
			if r, col := i/n, i%n; r < col && f.Upper || r > col && !f.Upper || r == col && !f.Unit {
				data[i] = fromComplex[T](tri[i])
			}
		}
		tri = toComplex(data)
		for i := range tri {
			if cmplx.IsNaN(tri[i]) {
				tri[i] = 0
			}
			if i%(n+1) == 0 && f.Unit {
				tri[i] = 1
			}
		}
		op = tri
		if f.Transposed {
			op = transposed(tri, n, n)
		}
		if f.Conjugated {
			op = adjoint(tri, n, n)
		}
		b := append([]T{}, x...)
		c.e().solve(data, b, n, k, f)
		c.near(fmt.Sprintf("T·x = b, %+v", f), multiply(op, toComplex(b), n, n, k), toComplex(x), 4*n)
	}
}

// TestBatches: what is exported takes batches, says which matrices fail, and ends for elements that are not finite.
func TestBatches(t *testing.T) {
	const batch, n = 300, 3
	rng := rand.New(rand.NewPCG(1, 2))
	a := make([]float64, batch*n*n)
	for i := range a {
		a[i] = rng.NormFloat64()
	}
	clear(a[17*n*n : 18*n*n])
	a[42*n*n] = math.NaN()
	x := append([]float64{}, a...)
	_, info, _ := LU(x, batch, n, n, true)
	for i, at := range info {
		if want := i == 17; want != (at == 1) || at > 1 {
			t.Errorf("matrix %d: %d", i, at)
		}
	}
	for what, info := range map[string][]int32{
		"svd":  second(SVD(append([]float64{}, a...), nil, nil, batch, n, n, n, n)),
		"eigh": second(Eigh(append([]float64{}, a...), batch, n, true)),
		"eig":  third(Eig(append([]float64{}, a...), batch, n, true)),
	} {
		for i, failed := range info {
			if (failed != 0) != (i == 42) {
				t.Errorf("%s of matrix %d: %d", what, i, failed)
			}
		}
	}
}

// TestLowerTriangle: Eigh does not look at what is above the diagonal.
func TestLowerTriangle(t *testing.T) {
	a := []float64{2, math.NaN(), 1, 2}
	w, info := Eigh(a, 1, 2, true)
	if info[0] != 0 || math.Abs(w[0]-1) > 1e-15 || math.Abs(w[1]-3) > 1e-15 {
		t.Error(w, info)
	}
}

func second[A, B any](_ A, b B) B        { return b }
func third[A, B, C any](_ A, _ B, c C) C { return c }
