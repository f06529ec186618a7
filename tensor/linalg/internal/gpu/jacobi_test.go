package gpu_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/linalg/internal/gpu"
)

// decomposition is what SVD gives for one matrix.
type decomposition struct {
	u, vh matrix
	sv    []float64
	info  int
}

func reals(x matrix) (v []float64) {
	for _, z := range x.v {
		v = append(v, real(z))
	}
	return v
}

func svd(
	t *testing.T, s *gpu.Solver, b backend.Backend, dt kernels.DType, full bool, as ...matrix,
) []decomposition {
	t.Helper()
	batch, m, n := len(as), as[0].rows, as[0].cols
	u, sv, vh, info, ok, err := s.SVD(upload(t, b, dt, as...), batch, m, n, true, full)
	done(t, ok, err)
	k := min(m, n)
	rows, cols := k, k
	if full {
		rows, cols = n, m
	}
	us, vhs := download(t, b, dt, u, batch, m, cols), download(t, b, dt, vh, batch, rows, n)
	svs, infos := download(t, b, dt.Real(), sv, batch, k, 1), integers(t, b, info, batch)
	out := make([]decomposition, batch)
	for i := range out {
		out[i] = decomposition{us[i], vhs[i], reals(svs[i]), infos[i]}
	}
	return out
}

// check compares with the matrix that was decomposed.
func (d decomposition) check(t *testing.T, what string, dt kernels.DType, a matrix) {
	t.Helper()
	if d.info != 0 {
		t.Errorf("%s: info is %d", what, d.info)
	}
	k := len(d.sv)
	for i, x := range d.sv {
		if !(x >= 0) || i > 0 && x > d.sv[i-1] {
			t.Fatalf("%s: singular values %v", what, d.sv)
		}
	}
	orthonormal(t, what+": U", dt, d.u)
	orthonormal(t, what+": V", dt, d.vh.adjoint())
	product := zeros(a.rows, a.cols).mapped(func(i, j int, _ complex128) (sum complex128) {
		for l := range k {
			sum += d.u.at(i, l) * complex(d.sv[l], 0) * d.vh.at(l, j)
		}
		return sum
	})
	within(t, what+": A - U·S·Vᴴ", dt, a.minus(product).norm(), a.norm(), 10*(k+4))
}

func TestSVD(t *testing.T) {
	thorough.Slow(t)
	s, b := solver(t)
	eachShape(t, 8, func(t *testing.T, dt kernels.DType, batch, m, n int, r *rand.Rand) {
		as := randoms(dt, batch, m, n, r)
		for _, full := range []bool{false, true} {
			for i, d := range svd(t, s, b, dt, full, as...) {
				d.check(t, fmt.Sprintf("full %v", full), dt, as[i])
			}
		}
	})
}

// TestSingularValues compares values without vectors with those that come with them.
func TestSingularValues(t *testing.T) {
	thorough.Slow(t)
	s, b := solver(t)
	eachShape(t, 16, func(t *testing.T, dt kernels.DType, batch, m, n int, r *rand.Rand) {
		as := randoms(dt, batch, m, n, r)
		u, sv, vh, info, ok, err := s.SVD(upload(t, b, dt, as...), batch, m, n, false, false)
		done(t, ok, err)
		if u != nil || vh != nil {
			t.Error("there are vectors")
		}
		infos := integers(t, b, info, batch)
		with := svd(t, s, b, dt, false, as...)
		for i, x := range download(t, b, dt.Real(), sv, batch, min(m, n), 1) {
			for j, got := range reals(x) {
				within(t, "a singular value", dt, math.Abs(got-with[i].sv[j]), with[i].sv[0], 4*(m+n))
			}
			if infos[i] != 0 {
				t.Errorf("info is %d", infos[i])
			}
		}
	})
}

// reflection is the unitary Hermitian matrix I - 2·v·vᴴ of a random v.
func reflection(dt kernels.DType, n int, r *rand.Rand) matrix {
	v := random(dt, n, 1, r)
	size := v.norm()
	return identity(n).minus(v.times(v.adjoint()).mapped(func(_, _ int, z complex128) complex128 {
		return 2 * z / complex(size*size, 0)
	}))
}

// spectrum is a matrix with these singular values, or a Hermitian one with these eigenvalues.
func spectrum(dt kernels.DType, hermitian bool, r *rand.Rand, values ...float64) matrix {
	n := len(values)
	d := zeros(n, n)
	for i, x := range values {
		d.set(i, i, complex(x, 0))
	}
	left := reflection(dt, n, r).times(reflection(dt, n, r))
	right := left.adjoint()
	if !hermitian {
		right = reflection(dt, n, r)
	}
	return left.times(d).times(right).rounded(dt)
}

// repeated is n values: one, a few twice, and zeros.
func repeated(n int) []float64 {
	values := make([]float64, n)
	for i := range n * 2 / 3 {
		values[i] = float64(1 + i/2)
	}
	return values
}

func TestSpecialSVD(t *testing.T) {
	thorough.Slow(t)
	s, b := solver(t)
	for offset, dt := range types {
		for _, n := range thorough.Sample([]int{2, 9, 32, 40}, 4, offset) {
			r := rand.New(rand.NewPCG(uint64(n), 8))
			ones := zeros(n, n).mapped(func(int, int, complex128) complex128 { return 1 })
			permutation := zeros(n, n).mapped(func(i, j int, _ complex128) complex128 {
				return complex(float64((i+1)%n-j), 0)
			}).mapped(func(_, _ int, z complex128) complex128 {
				if z == 0 {
					return 1
				}
				return 0
			})
			huge, small := random(dt, n, n, r), random(dt, n, n, r)
			for i := range huge.v {
				huge.v[i] *= 1e37 / complex(float64(n), 0)
				small.v[i] *= 1e-36
			}
			as := []matrix{zeros(n, n), identity(n), ones, permutation, spectrum(dt, false, r, repeated(n)...),
				huge.rounded(dt), small.rounded(dt)}
			as[0].set(n-1, 0, 3)
			for i, d := range svd(t, s, b, dt, true, append(as, zeros(n, n))...) {
				what := fmt.Sprintf("%v, n = %d, matrix %d", dt, n, i)
				if i == len(as) {
					orthonormal(t, what, dt, d.u)
					if d.sv[0] != 0 || d.info != 0 {
						t.Errorf("%s: the largest singular value of 0 is %v, info %d", what, d.sv[0], d.info)
					}
					continue
				}
				d.check(t, what, dt, as[i])
			}
			want := repeated(n)
			for i, got := range svd(t, s, b, dt, false, as[4])[0].sv {
				if k := n*2/3 - 1 - i; k >= 0 {
					within(t, "a repeated singular value", dt, math.Abs(got-want[k]), want[n*2/3-1], 10*n)
				}
			}
		}
	}
}

// TestGradedSVD: columns of very different sizes have singular values that are accurate relative to themselves.
func TestGradedSVD(t *testing.T) {
	s, b := solver(t)
	for _, dt := range types {
		n := 12
		a := zeros(n, n).mapped(func(i, j int, _ complex128) complex128 {
			if i == j {
				return 1
			}
			return complex(0.1/float64(i+j+1), 0)
		})
		exact := svd(t, s, b, kernels.F64, false, a.mapped(func(_, j int, z complex128) complex128 {
			return z * complex(math.Ldexp(1, -5*j), 0)
		}).rounded(dt))[0].sv
		got := svd(t, s, b, dt, false, a.mapped(func(_, j int, z complex128) complex128 {
			return z * complex(math.Ldexp(1, -5*j), 0)
		}).rounded(dt))[0].sv
		if exact[n-1] > exact[0]*0x1p-50 {
			t.Fatalf("the matrix is not graded: %v", exact)
		}
		for i := range got {
			within(t, fmt.Sprintf("%v: singular value %d", dt, i), dt, math.Abs(got[i]-exact[i]), exact[i], 20*n)
		}
	}
}

// TestNotFinite: matrices with NaN or infinities give NaN and info 1, and leave the others as they are.
func TestNotFinite(t *testing.T) {
	thorough.Slow(t)
	s, b := solver(t)
	for offset, dt := range types {
		for _, n := range thorough.Sample([]int{3, 20, 40}, 3, offset) {
			r := rand.New(rand.NewPCG(uint64(n), 9))
			as := randoms(dt, 4, n, n, r)
			as[1].set(n-1, 0, cmplx.NaN())
			as[2].set(n-1, 1, complex(math.Inf(-1), 0))
			if !dt.IsComplex() {
				as[1].set(n-1, 0, complex(math.NaN(), 0))
			}
			for i, d := range svd(t, s, b, dt, true, as...) {
				what := fmt.Sprintf("%v, n = %d, matrix %d", dt, n, i)
				if i == 0 || i == 3 {
					d.check(t, what, dt, as[i])
				} else if d.info != 1 || !math.IsNaN(d.sv[0]) || !cmplx.IsNaN(d.u.at(0, 0)) || !cmplx.IsNaN(d.vh.at(n-1, n-1)) {
					t.Errorf("%s: info %d, values %v", what, d.info, d.sv)
				}
			}
			w, v, info, ok, err := s.Eigh(upload(t, b, dt, as...), 4, n, true)
			done(t, ok, err)
			if got := fmt.Sprint(integers(t, b, info, 4)); got != "[0 1 1 0]" {
				t.Errorf("%v, n = %d: info is %s", dt, n, got)
			}
			ws, vs := download(t, b, dt.Real(), w, 4, n, 1), download(t, b, dt, v, 4, n, n)
			for i := range as {
				nan := i == 1 || i == 2
				if cmplx.IsNaN(ws[i].v[0]) != nan || cmplx.IsNaN(vs[i].v[n]) != nan {
					t.Errorf("%v, n = %d, matrix %d: %v", dt, n, i, ws[i].v)
				}
			}
		}
	}
}

// hermitian is a random matrix with real diagonal, equal to its adjoint.
func hermitian(dt kernels.DType, n int, r *rand.Rand) matrix {
	g := random(dt, n, n, r)
	return g.mapped(func(i, j int, z complex128) complex128 {
		switch {
		case i == j:
			return complex(real(z), 0)
		case i < j:
			return cmplx.Conj(g.at(j, i))
		}
		return z
	})
}

// checkEigh compares the results of a batch with its matrices, of which only the lower triangles are given.
func checkEigh(
	t *testing.T, s *gpu.Solver, b backend.Backend, what string, dt kernels.DType, as ...matrix,
) [][]float64 {
	t.Helper()
	batch, n := len(as), as[0].rows
	given := make([]matrix, batch)
	for i := range as {
		given[i] = as[i].mapped(func(row, col int, z complex128) complex128 {
			if row < col {
				return cmplx.NaN() // is not read
			}
			return z
		})
	}
	w, v, info, ok, err := s.Eigh(upload(t, b, dt, given...), batch, n, true)
	done(t, ok, err)
	ws, vs := download(t, b, dt.Real(), w, batch, n, 1), download(t, b, dt, v, batch, n, n)
	infos := integers(t, b, info, batch)
	alone, none, _, ok, err := s.Eigh(upload(t, b, dt, given...), batch, n, false)
	done(t, ok, err)
	if none != nil {
		t.Error("there are vectors")
	}
	lone := download(t, b, dt.Real(), alone, batch, n, 1)
	var all [][]float64
	for i, a := range as {
		values := reals(ws[i])
		all = append(all, values)
		scaled := vs[i].mapped(func(_, j int, z complex128) complex128 { return z * complex(values[j], 0) })
		orthonormal(t, what+": V", dt, vs[i])
		within(t, what+": A·V - V·W", dt, a.times(vs[i]).minus(scaled).norm(), a.norm(), 10*(n+4))
		for j, x := range values {
			if j > 0 && x < values[j-1] {
				t.Fatalf("%s: eigenvalues %v", what, values)
			}
			if x != real(lone[i].v[j]) {
				t.Errorf("%s: eigenvalue %d is %v with vectors, %v without", what, j, x, real(lone[i].v[j]))
			}
		}
		if infos[i] != 0 {
			t.Errorf("%s: info is %d", what, infos[i])
		}
	}
	return all
}

func TestEigh(t *testing.T) {
	thorough.Slow(t)
	s, b := solver(t)
	for offset, dt := range types {
		for _, n := range thorough.Sample(sides, 6, 2*offset) {
			r := rand.New(rand.NewPCG(uint64(n), 10))
			as := make([]matrix, batchOf(n, n))
			for i := range as {
				as[i] = hermitian(dt, n, r)
			}
			checkEigh(t, s, b, fmt.Sprintf("%v, n = %d", dt, n), dt, as...)
		}
	}
}

func TestSpecialEigh(t *testing.T) {
	thorough.Slow(t)
	s, b := solver(t)
	for offset, dt := range types {
		for _, n := range thorough.Sample([]int{2, 9, 32, 40}, 4, offset) {
			r := rand.New(rand.NewPCG(uint64(n), 11))
			huge := hermitian(dt, n, r)
			for i := range huge.v {
				huge.v[i] *= 1e37 / complex(float64(n), 0)
			}
			exchange := zeros(n, n)
			for i := range n {
				exchange.set(i, n-1-i, 1)
			}
			values := repeated(n)
			what := fmt.Sprintf("%v, n = %d", dt, n)
			got := checkEigh(t, s, b, what, dt, zeros(n, n), identity(n), exchange, huge.rounded(dt),
				spectrum(dt, true, r, values...))
			zeros := n - n*2/3
			for i, x := range got[4] {
				want := 0.0
				if i >= zeros {
					want = values[i-zeros]
				}
				within(t, what+": a repeated eigenvalue", dt, math.Abs(x-want), values[n*2/3-1], 10*n)
			}
		}
	}
}

// TestGradedEigh: eigenvalues of a scaled positive definite matrix are accurate relative to themselves.
func TestGradedEigh(t *testing.T) {
	s, b := solver(t)
	for _, dt := range types {
		n := 10
		a := zeros(n, n).mapped(func(i, j int, _ complex128) complex128 {
			x := 0.1 / float64(i+j+1)
			if i == j {
				x = 1
			}
			return complex(math.Ldexp(x, -4*(i+j)), 0)
		}).rounded(dt)
		exact := checkEigh(t, s, b, "exact", kernels.F64, a)[0]
		if exact[0] > exact[n-1]*0x1p-60 {
			t.Fatalf("the matrix is not graded: %v", exact)
		}
		for i, x := range checkEigh(t, s, b, dt.String(), dt, a)[0] {
			within(t, fmt.Sprintf("%v: eigenvalue %d", dt, i), dt, math.Abs(x-exact[i]), exact[i], 20*n)
		}
	}
}
