package gpu_test

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/linalg/internal/gpu"
)

// fakeLibrary does what rocSOLVER and cuSOLVER do, with the kernels.
type fakeLibrary struct {
	t      *testing.T
	b      backend.Backend
	plain  *gpu.Solver
	calls  []string
	refuse string               // the routine that is not taken
	stuck  bool                 // rotations do not come to an end
	q      map[rocm.Span]matrix // of geqrf
}

// withLibrary is a solver with a library, on the emulated GPU.
func withLibrary(t *testing.T) (*gpu.Solver, backend.Backend, *fakeLibrary) {
	t.Helper()
	plain, b := solver(t)
	s, _ := gpu.On(b)
	if !plain.Library.(*rocm.Device).Emulated() {
		t.Skip("the GPU has a library of its own")
	}
	f := &fakeLibrary{t: t, b: b, plain: plain, q: map[rocm.Span]matrix{}}
	s.Library = f
	return s, b, f
}

func (l *fakeLibrary) Solver() rocm.LibraryInfo { return rocm.LibraryInfo{Name: "fake"} }
func (l *fakeLibrary) BLAS() rocm.LibraryInfo   { return rocm.LibraryInfo{Name: "fake"} }

func (x matrix) transposed() matrix {
	return zeros(x.cols, x.rows).mapped(func(i, j int, _ complex128) complex128 { return x.at(j, i) })
}

func typeOf(elem string) kernels.DType {
	return types[slices.IndexFunc(types, func(dt kernels.DType) bool { return dt.String() == elem })]
}

// read and write have column-major matrices.
func (l *fakeLibrary) read(dt kernels.DType, at rocm.Span, rows, cols int) matrix {
	l.t.Helper()
	data := make([]byte, rows*cols*dt.Size())
	if err := at.Buffer.Download(data, at.Offset); err != nil {
		l.t.Fatal(err)
	}
	return decode(dt, cols, rows, data).transposed()
}

func (l *fakeLibrary) write(dt kernels.DType, at rocm.Span, x matrix) {
	l.t.Helper()
	l.put(at, encode(dt, x.transposed()))
}

func (l *fakeLibrary) put(at rocm.Span, data []byte) {
	l.t.Helper()
	if err := at.Buffer.Upload(at.Offset, data); err != nil {
		l.t.Fatal(err)
	}
}

func (l *fakeLibrary) putInts(at rocm.Span, values ...int) {
	l.t.Helper()
	var data []byte
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, uint32(v))
	}
	l.put(at, data)
}

func (l *fakeLibrary) Factor(f *rocm.Factor) (bool, error) {
	t, b, dt := l.t, l.b, typeOf(f.Elem)
	if f.Routine == l.refuse {
		return false, nil
	}
	l.calls = append(l.calls, f.Routine)
	switch f.Routine {
	case "getrf":
		a := l.read(dt, f.A, f.M, f.N)
		lu, pivots, info, ok, err := l.plain.LU(upload(t, b, dt, a), 1, f.M, f.N)
		done(t, ok, err)
		l.write(dt, f.A, download(t, b, dt, lu, 1, f.M, f.N)[0])
		ps := integers(t, b, pivots, min(f.M, f.N))
		for i := range ps {
			ps[i]++
		}
		l.putInts(f.Pivots, ps...)
		l.putInts(f.Info, integers(t, b, info, 1)...)
	case "potrf":
		a := l.read(dt, f.A, f.N, f.N)
		if f.Upper {
			t.Fatal("cuSOLVER is slow with the upper triangle")
		}
		lower, info, ok, err := l.plain.Cholesky(upload(t, b, dt, a), 1, f.N)
		done(t, ok, err)
		factor := download(t, b, dt, lower, 1, f.N, f.N)[0]
		l.write(dt, f.A, factor.mapped(func(i, j int, z complex128) complex128 {
			if i < j {
				return a.at(i, j)
			}
			return z
		}))
		l.putInts(f.Info, integers(t, b, info, 1)...)
	case "geqrf", "orgqr":
		l.qr(dt, f)
	case "gesvd", "gesvdj":
		l.svd(dt, f)
	case "syevd":
		if f.Upper {
			t.Fatal("the upper triangle is read")
		}
		w, v, info, ok, err := l.plain.Eigh(upload(t, b, dt, l.read(dt, f.A, f.N, f.N)), 1, f.N, f.Vectors)
		done(t, ok, err)
		l.put(f.Values, bytesOf(t, b, w, f.N*dt.Real().Size()))
		if f.Vectors {
			l.write(dt, f.A, download(t, b, dt, v, 1, f.N, f.N)[0])
		}
		l.putInts(f.Info, integers(t, b, info, 1)...)
	}
	return true, nil
}

// qr has NaN for vectors, and remembers Q.
func (l *fakeLibrary) qr(dt kernels.DType, f *rocm.Factor) {
	if f.Routine == "orgqr" {
		q := l.q[f.A]
		l.write(dt, f.A, zeros(f.M, f.N).mapped(func(i, j int, _ complex128) complex128 { return q.at(i, j) }))
		return
	}
	q, r, ok, err := l.plain.QR(upload(l.t, l.b, dt, l.read(dt, f.A, f.M, f.N)), 1, f.M, f.N, true)
	done(l.t, ok, err)
	l.q[f.A] = download(l.t, l.b, dt, q, 1, f.M, f.M)[0]
	l.write(dt, f.A, download(l.t, l.b, dt, r, 1, f.M, f.N)[0].mapped(func(i, j int, z complex128) complex128 {
		if i > j {
			return cmplx.NaN()
		}
		return z
	}))
}

func (l *fakeLibrary) svd(dt kernels.DType, f *rocm.Factor) {
	if f.M < f.N {
		l.t.Fatalf("%s of %d×%d", f.Routine, f.M, f.N)
	}
	a := upload(l.t, l.b, dt, l.read(dt, f.A, f.M, f.N))
	u, sv, vh, info, ok, err := l.plain.SVD(a, 1, f.M, f.N, f.Vectors, f.Full)
	done(l.t, ok, err)
	l.put(f.Values, bytesOf(l.t, l.b, sv, f.N*dt.Real().Size()))
	l.putInts(f.Info, integers(l.t, l.b, info, 1)...)
	if f.Vectors {
		cols := f.N
		if f.Full {
			cols = f.M
		}
		l.write(dt, f.U, download(l.t, l.b, dt, u, 1, f.M, cols)[0])
		right := download(l.t, l.b, dt, vh, 1, f.N, f.N)[0]
		if f.Routine == "gesvdj" {
			right = right.adjoint()
		}
		l.write(dt, f.VH, right)
	}
	if f.Routine == "gesvdj" && l.stuck {
		l.putInts(f.Info, f.N+1)
		l.put(f.Values, make([]byte, f.N*dt.Real().Size()))
	}
}

// SolveTriangular solves op(T)ᵀ·Xᵀ = Bᵀ.
func (l *fakeLibrary) SolveTriangular(s *rocm.Triangular) (bool, error) {
	if s.Conjugated && !s.Transposed {
		return false, nil
	}
	l.calls = append(l.calls, "trsm")
	dt := typeOf(s.Elem)
	t, b := l.read(dt, s.T, s.N, s.N), l.read(dt, s.B, s.M, s.N).transposed()
	x, ok, err := l.plain.SolveTriangular(upload(l.t, l.b, dt, t), upload(l.t, l.b, dt, b), 1, s.N, s.M, s.Upper,
		!s.Transposed, s.Conjugated, s.Unit)
	done(l.t, ok, err)
	l.write(dt, s.B, download(l.t, l.b, dt, x, 1, s.N, s.M)[0].transposed())
	return true, nil
}

// only fails unless routines were called so often, and no others.
func (l *fakeLibrary) only(t *testing.T, times map[string]int) {
	t.Helper()
	got := map[string]int{}
	for _, c := range l.calls {
		got[c]++
	}
	if !maps.Equal(got, times) {
		t.Errorf("calls %v, want %v", got, times)
	}
	l.calls = nil
}

// called fails unless a routine was called so often.
func (l *fakeLibrary) called(t *testing.T, routine string, times int) {
	t.Helper()
	n := 0
	for _, c := range l.calls {
		if c == routine {
			n++
		}
	}
	if n != times {
		t.Errorf("%s was called %d times, want %d: %q", routine, n, times, l.calls)
	}
	l.calls = nil
}

// largeShapes are those that a library is asked for; the fake one is the faster the fewer elements there are.
var largeShapes = [][2]int{{66, 3}, {3, 66}, {65, 65}}

func TestLibraryLU(t *testing.T) {
	s, b, l := withLibrary(t)
	for _, dt := range types {
		for _, shape := range largeShapes {
			m, n := shape[0], shape[1]
			as := randoms(dt, 2, m, n, rand.New(rand.NewPCG(1, 12)))
			for j := range n {
				as[1].set(min(m, n)-1, j, 0) // a row of zeros
			}
			lu, pivots, info, ok, err := s.LU(upload(t, b, dt, as...), 2, m, n)
			done(t, ok, err)
			l.called(t, "getrf", 2)
			k := min(m, n)
			ps, infos := integers(t, b, pivots, 2*k), integers(t, b, info, 2)
			if want := map[bool]int{true: k, false: 0}[m <= n]; infos[0] != 0 || infos[1] != want {
				t.Errorf("%v, %v: info is %v, want %d", dt, shape, infos, want)
			}
			for i, x := range download(t, b, dt, lu, 2, m, n) {
				within(t, fmt.Sprintf("%v, %v: P·A - L·U", dt, shape), dt,
					exchange(as[i], ps[i*k:(i+1)*k]).minus(lower(x).times(upper(x))).norm(), as[i].norm(), 4*(k+2))
			}
		}
	}
}

func TestLibraryCholesky(t *testing.T) {
	s, b, l := withLibrary(t)
	for _, dt := range types {
		r := rand.New(rand.NewPCG(2, 12))
		as := []matrix{positive(dt, 66, r), positive(dt, 66, r)}
		as[1].set(5, 5, -1)
		given := as[0].mapped(func(i, j int, z complex128) complex128 {
			if i < j {
				return complex(math.NaN(), 0)
			}
			return z
		})
		x, info, ok, err := s.Cholesky(upload(t, b, dt, given, as[1]), 2, 66)
		done(t, ok, err)
		l.called(t, "potrf", 2)
		if got := fmt.Sprint(integers(t, b, info, 2)); got != "[0 6]" {
			t.Errorf("%v: info is %s", dt, got)
		}
		first := download(t, b, dt, x, 2, 66, 66)[0]
		within(t, dt.String()+": A - L·Lᴴ", dt, as[0].minus(first.times(first.adjoint())).norm(), as[0].norm(), 4*68)
	}
}

func TestLibraryQR(t *testing.T) {
	thorough.Slow(t)
	s, b, l := withLibrary(t)
	for i, dt := range types {
		for _, shape := range thorough.Sample(largeShapes, 2, i) {
			for _, full := range []bool{false, true} {
				m, n, what := shape[0], shape[1], fmt.Sprintf("%v, %v, full %v", dt, shape, full)
				as := randoms(dt, 2, m, n, rand.New(rand.NewPCG(3, 12)))
				q, r, ok, err := s.QR(upload(t, b, dt, as...), 2, m, n, full)
				done(t, ok, err)
				l.called(t, "orgqr", 2)
				k := min(m, n)
				if full {
					k = m
				}
				qs, rs := download(t, b, dt, q, 2, m, k), download(t, b, dt, r, 2, k, n)
				for i, a := range as {
					orthonormal(t, what+": Q", dt, qs[i])
					within(t, what+": A - Q·R", dt, a.minus(qs[i].times(rs[i])).norm(), a.norm(), 8*(m+2))
				}
			}
		}
	}
}

// TestLibrarySVD has a library by Jacobi's rotations, one without them, and one in which they do not come to an end.
func TestLibrarySVD(t *testing.T) {
	thorough.Slow(t)
	t.Run("gesvdj", func(t *testing.T) { librarySVD(t, "", false, map[string]int{"gesvdj": 2}) })
	t.Run("gesvd", func(t *testing.T) { librarySVD(t, "gesvdj", false, map[string]int{"gesvd": 2}) })
	t.Run("stuck", func(t *testing.T) { librarySVD(t, "", true, map[string]int{"gesvdj": 2, "gesvd": 2}) })
}

func librarySVD(t *testing.T, refuse string, stuck bool, calls map[string]int) {
	s, b, l := withLibrary(t)
	l.refuse, l.stuck = refuse, stuck
	for n, dt := range types {
		for i, shape := range largeShapes[:2] {
			for _, full := range thorough.Sample([]bool{false, true}, 2, n+i+n/2) {
				as := randoms(dt, 2, shape[0], shape[1], rand.New(rand.NewPCG(4, 12)))
				for i, d := range svd(t, s, b, dt, full, as...) {
					d.check(t, fmt.Sprintf("%v, %v, full %v", dt, shape, full), dt, as[i])
				}
				l.only(t, calls)
				_, sv, _, _, ok, err := s.SVD(upload(t, b, dt, as...), 2, shape[0], shape[1], false, full)
				done(t, ok, err)
				l.only(t, calls)
				if x := reals(download(t, b, dt.Real(), sv, 2, 3, 1)[1]); !(x[0] >= x[1] && x[1] >= x[2] && x[2] > 0) {
					t.Errorf("%v, %v: singular values %v", dt, shape, x)
				}
			}
		}
	}
}

func TestLibraryEigh(t *testing.T) {
	thorough.Slow(t)
	s, b, l := withLibrary(t)
	for _, dt := range thorough.Sample(types[2:], 2, 0) {
		r := rand.New(rand.NewPCG(5, 12))
		checkEigh(t, s, b, dt.String(), dt, hermitian(dt, 66, r))
		l.called(t, "syevd", 2)
	}
}

func TestLibraryTriangular(t *testing.T) {
	thorough.Slow(t)
	s, b, l := withLibrary(t)
	const n, k = 66, 3
	for _, dt := range types {
		for mode := range 16 {
			upper, transposed, conjugated, unit := mode&1 != 0, mode&2 != 0, mode&4 != 0, mode&8 != 0
			r := rand.New(rand.NewPCG(uint64(mode), 12))
			x, given := triangle(dt, n, upper, unit, r)
			rhs := randoms(dt, 2, n, k, r)
			got, ok, err := s.SolveTriangular(upload(t, b, dt, given, given), upload(t, b, dt, rhs...), 2, n, k, upper,
				transposed, conjugated, unit)
			done(t, ok, err)
			if transposed || !conjugated {
				l.called(t, "trsm", 2)
			} else {
				l.called(t, "trsm", 0) // the library has no such mode
			}
			op := x
			if transposed {
				op = op.adjoint()
			}
			if transposed != conjugated {
				op = op.mapped(func(_, _ int, z complex128) complex128 { return cmplx.Conj(z) })
			}
			for i, x := range download(t, b, dt, got, 2, n, k) {
				within(t, fmt.Sprintf("%v, mode %d", dt, mode), dt, op.times(x).minus(rhs[i]).norm(), op.norm()*x.norm(),
					4*(n+2))
			}
		}
	}
}

// TestLibraryNotFinite: matrices with NaN or infinities are not given to a library, and the others are.
func TestLibraryNotFinite(t *testing.T) {
	thorough.Slow(t)
	s, b, l := withLibrary(t)
	for _, dt := range types {
		r := rand.New(rand.NewPCG(9, 12))
		as := randoms(dt, 3, 3, 66, r)
		as[0].set(2, 65, complex(math.Inf(1), 0))
		as[2].set(0, 7, complex(math.NaN(), 0))
		for i, d := range svd(t, s, b, dt, true, as...) {
			if i == 1 {
				d.check(t, dt.String(), dt, as[1])
			} else if d.info != 1 || !math.IsNaN(d.sv[2]) || !cmplx.IsNaN(d.u.at(2, 2)) || !cmplx.IsNaN(d.vh.at(65, 65)) {
				t.Errorf("%v, matrix %d: info %d, values %v", dt, i, d.info, d.sv)
			}
		}
		l.only(t, map[string]int{"gesvdj": 1})
		hs := []matrix{hermitian(dt, 66, r), positive(dt, 66, r)}
		hs[0].set(65, 0, complex(math.Inf(-1), 0))
		w, v, info, ok, err := s.Eigh(upload(t, b, dt, hs[0]), 1, 66, true)
		done(t, ok, err)
		values, vectors := download(t, b, dt.Real(), w, 1, 66, 1)[0], download(t, b, dt, v, 1, 66, 66)[0]
		if !cmplx.IsNaN(values.v[65]) || !cmplx.IsNaN(vectors.v[0]) || integers(t, b, info, 1)[0] != 1 {
			t.Errorf("%v: eigenvalues %v", dt, values.v)
		}
		x, info, ok, err := s.Cholesky(upload(t, b, dt, hs...), 2, 66)
		done(t, ok, err)
		l.called(t, "potrf", 1)
		if got := fmt.Sprint(integers(t, b, info, 2)); got != "[1 0]" || !cmplx.IsNaN(download(t, b, dt, x, 2, 66, 66)[0].v[0]) {
			t.Errorf("%v: info of Cholesky is %s", dt, got)
		}
	}
}

// TestRefused: what a library refuses is done by the kernels, as far as they go, and otherwise not at all.
func TestRefused(t *testing.T) {
	s, b, l := withLibrary(t)
	l.refuse = "getrf"
	for n, want := range map[int]bool{70: true, 100: false} {
		a := random(kernels.F32, n, n, rand.New(rand.NewPCG(6, 12)))
		if _, _, _, ok, err := s.LU(upload(t, b, kernels.F32, a), 1, n, n); ok != want || err != nil {
			t.Errorf("%d: %v, %v", n, ok, err)
		}
	}
	l.refuse = "orgqr" // after geqrf
	a := random(kernels.F32, 66, 5, rand.New(rand.NewPCG(7, 12)))
	q, _, ok, err := s.QR(upload(t, b, kernels.F32, a), 1, 66, 5, false)
	done(t, ok, err)
	orthonormal(t, "Q", kernels.F32, download(t, b, kernels.F32, q, 1, 66, 5)[0])
	many := randoms(kernels.F32, 16, 2, 66, rand.New(rand.NewPCG(8, 12)))
	_, _, ok, err = s.QR(upload(t, b, kernels.F32, many...), 16, 2, 66, false)
	done(t, ok, err)
	l.called(t, "geqrf", 1) // a library is not asked for many
}
