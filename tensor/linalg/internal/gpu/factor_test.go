package gpu_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/linalg/internal/host"
)

// shapes are rows and columns of matrices, square, tall and wide.
func shapes() (list [][2]int) {
	for _, n := range sides {
		list = append(list, [2]int{n, n})
	}
	return append(list, [][2]int{{1, 7}, {7, 1}, {5, 3}, {3, 5}, {32, 9}, {11, 32}, {40, 33}, {20, 70}, {90, 6}}...)
}

// batchOf is small for large matrices, and never a multiple of what a block takes.
func batchOf(m, n int) int {
	switch {
	case m*n <= 64:
		return 19
	case m*n <= 1024:
		return 5
	}
	return 2
}

// eachShape tests every few of the shapes, others for each type, and all of them in thorough tests.
func eachShape(t *testing.T, every int, f func(t *testing.T, dt kernels.DType, batch, m, n int, r *rand.Rand)) {
	for offset, dt := range types {
		for i, shape := range thorough.Sample(shapes(), every, offset) {
			m, n := shape[0], shape[1]
			t.Run(fmt.Sprintf("%v/%dx%d", dt, m, n), func(t *testing.T) {
				f(t, dt, batchOf(m, n), m, n, rand.New(rand.NewPCG(uint64(i), 1)))
			})
		}
	}
}

func randoms(dt kernels.DType, batch, m, n int, r *rand.Rand) []matrix {
	xs := make([]matrix, batch)
	for i := range xs {
		xs[i] = random(dt, m, n, r)
	}
	return xs
}

// exchange makes the exchanges of rows that pivots tell.
func exchange(x matrix, pivots []int) matrix {
	y := x.mapped(func(_, _ int, z complex128) complex128 { return z })
	for k, p := range pivots {
		for j := range y.cols {
			a, b := y.at(k, j), y.at(p, j)
			y.set(k, j, b)
			y.set(p, j, a)
		}
	}
	return y
}

func lower(lu matrix) matrix {
	l := zeros(lu.rows, min(lu.rows, lu.cols))
	return l.mapped(func(i, j int, _ complex128) complex128 {
		switch {
		case i == j:
			return 1
		case i < j:
			return 0
		}
		return lu.at(i, j)
	})
}

func upper(lu matrix) matrix {
	u := zeros(min(lu.rows, lu.cols), lu.cols)
	return u.mapped(func(i, j int, _ complex128) complex128 {
		if i > j {
			return 0
		}
		return lu.at(i, j)
	})
}

func TestLU(t *testing.T) {
	s, b := solver(t)
	eachShape(t, 1, func(t *testing.T, dt kernels.DType, batch, m, n int, r *rand.Rand) {
		as := randoms(dt, batch, m, n, r)
		lu, pivots, info, ok, err := s.LU(upload(t, b, dt, as...), batch, m, n)
		done(t, ok, err)
		k := min(m, n)
		ps := integers(t, b, pivots, batch*k)
		for i, x := range download(t, b, dt, lu, batch, m, n) {
			p := ps[i*k : (i+1)*k]
			for row, other := range p {
				if other < row || other >= m {
					t.Fatalf("row %d is exchanged with row %d of %d", row, other, m)
				}
			}
			l := lower(x)
			for _, z := range l.v {
				if cmplx.Abs(z) > math.Sqrt2*(1+4*epsilon(dt)) {
					t.Fatalf("an element of L is %v: the pivot was not the largest", z)
				}
			}
			within(t, "P·A - L·U", dt, exchange(as[i], p).minus(l.times(upper(x))).norm(), as[i].norm(), 4*(k+2))
		}
		for i, f := range integers(t, b, info, batch) {
			if f != 0 {
				t.Errorf("info of matrix %d is %d", i, f)
			}
		}
	})
}

// TestOrder compares permutations with those that the host makes of the pivots.
func TestOrder(t *testing.T) {
	s, b := solver(t)
	r := rand.New(rand.NewPCG(3, 1))
	for _, shape := range append(shapes(), [2]int{700, 300}, [2]int{300, 700}) {
		m, n := shape[0], shape[1]
		batch, k := batchOf(m, n), min(m, n)
		pivots := make([]int32, batch*k)
		for i := range pivots {
			pivots[i] = int32(i%k + r.IntN(m-i%k))
		}
		store, err := b.Upload(memoryOf(pivots))
		if err != nil {
			t.Fatal(err)
		}
		order, inverse, err := s.Order(store, batch, m, n)
		if err != nil {
			t.Fatal(err)
		}
		wantOrder, wantInverse := host.Order(pivots, batch, m, n)
		if got := bytesOf(t, b, order, batch*m*8); !slices.Equal(got, memoryOf(wantOrder)) {
			t.Errorf("%d matrices of %d by %d: another order", batch, m, n)
		}
		if got := bytesOf(t, b, inverse, batch*m*8); !slices.Equal(got, memoryOf(wantInverse)) {
			t.Errorf("%d matrices of %d by %d: another inverse", batch, m, n)
		}
	}
}

// TestOrderOfNoRows has pivots of which the second and the third are no rows.
func TestOrderOfNoRows(t *testing.T) {
	s, b := solver(t)
	store, err := b.Upload(memoryOf([]int32{2, -1, 3}))
	if err != nil {
		t.Fatal(err)
	}
	order, inverse, err := s.Order(store, 1, 3, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range []backend.Storage{order, inverse} {
		if b := bytesOf(t, b, got, 3*8); !slices.Equal(b, memoryOf([]int64{2, 1, 0})) {
			t.Errorf("the order is % x", b)
		}
	}
}

// memoryOf gives integers their bytes.
func memoryOf(values any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, values)
	if err != nil {
		panic(err)
	}
	return b
}

// TestSingularLU has matrices whose pivots of some columns are 0, among others that have none.
func TestSingularLU(t *testing.T) {
	s, b := solver(t)
	for _, dt := range types {
		for _, n := range []int{3, 20, 50} {
			r := rand.New(rand.NewPCG(uint64(n), 2))
			as := randoms(dt, 4, n, n, r)
			as[1] = zeros(n, n)
			for i := range n {
				as[2].set(i, n-2, 0) // the column stays 0
				as[3].set(i, 1, 0)
			}
			lu, pivots, info, ok, err := s.LU(upload(t, b, dt, as...), 4, n, n)
			done(t, ok, err)
			if got, want := fmt.Sprint(integers(t, b, info, 4)), fmt.Sprint([]int{0, 1, n - 1, 2}); got != want {
				t.Errorf("%v, n = %d: info is %s, want %s", dt, n, got, want)
			}
			ps := integers(t, b, pivots, 4*n)
			for i, x := range download(t, b, dt, lu, 4, n, n) {
				within(t, fmt.Sprintf("%v, n = %d, matrix %d", dt, n, i), dt,
					exchange(as[i], ps[i*n:(i+1)*n]).minus(lower(x).times(upper(x))).norm(), as[i].norm(), 4*(n+2))
			}
		}
	}
}

// positive is a Hermitian positive definite matrix.
func positive(dt kernels.DType, n int, r *rand.Rand) matrix {
	g := random(dt, n, n, r)
	x := g.times(g.adjoint())
	for i := range n {
		x.set(i, i, complex(real(x.at(i, i))+1, 0))
	}
	return x.rounded(dt)
}

func TestCholesky(t *testing.T) {
	s, b := solver(t)
	for _, dt := range types {
		for _, n := range sides {
			r := rand.New(rand.NewPCG(uint64(n), 3))
			batch := batchOf(n, n)
			as, given := make([]matrix, batch), make([]matrix, batch)
			for i := range as {
				as[i] = positive(dt, n, r)
				given[i] = as[i].mapped(func(row, col int, z complex128) complex128 {
					if row < col {
						return cmplx.NaN() // is not read
					}
					return z
				})
			}
			l, info, ok, err := s.Cholesky(upload(t, b, dt, given...), batch, n)
			done(t, ok, err)
			for i, x := range download(t, b, dt, l, batch, n, n) {
				for row := range n {
					for col := row + 1; col < n; col++ {
						if x.at(row, col) != 0 {
							t.Fatalf("%v, n = %d: element %d, %d is %v", dt, n, row, col, x.at(row, col))
						}
					}
				}
				within(t, fmt.Sprintf("%v, n = %d: A - L·Lᴴ", dt, n), dt, as[i].minus(x.times(x.adjoint())).norm(),
					as[i].norm(), 4*(n+2))
			}
			for i, f := range integers(t, b, info, batch) {
				if f != 0 {
					t.Errorf("%v, n = %d: info of matrix %d is %d", dt, n, i, f)
				}
			}
		}
	}
}

// TestIndefiniteCholesky has matrices that fail at a known pivot, beside one that does not.
func TestIndefiniteCholesky(t *testing.T) {
	s, b := solver(t)
	for _, dt := range types {
		for _, n := range []int{4, 33, 60} {
			r := rand.New(rand.NewPCG(uint64(n), 4))
			as := []matrix{positive(dt, n, r), positive(dt, n, r), zeros(n, n), positive(dt, n, r)}
			as[1].set(2, 2, -1)
			as[3].set(n-1, n-1, complex(math.NaN(), 0))
			_, info, ok, err := s.Cholesky(upload(t, b, dt, as...), 4, n)
			done(t, ok, err)
			if got, want := fmt.Sprint(integers(t, b, info, 4)), fmt.Sprint([]int{0, 3, 1, n}); got != want {
				t.Errorf("%v, n = %d: info is %s, want %s", dt, n, got, want)
			}
		}
	}
}

func TestQR(t *testing.T) {
	s, b := solver(t)
	eachShape(t, 1, func(t *testing.T, dt kernels.DType, batch, m, n int, r *rand.Rand) {
		as := randoms(dt, batch, m, n, r)
		for _, full := range thorough.Sample([]bool{false, true}, 2, m+n) {
			q, upper, ok, err := s.QR(upload(t, b, dt, as...), batch, m, n, full)
			done(t, ok, err)
			k := min(m, n)
			if full {
				k = m
			}
			qs, rs := download(t, b, dt, q, batch, m, k), download(t, b, dt, upper, batch, k, n)
			for i := range as {
				for row := range k {
					for col := range min(row, n) {
						if rs[i].at(row, col) != 0 {
							t.Fatalf("element %d, %d of R is %v", row, col, rs[i].at(row, col))
						}
					}
				}
				orthonormal(t, fmt.Sprintf("Q, full %v", full), dt, qs[i])
				within(t, fmt.Sprintf("A - Q·R, full %v", full), dt, as[i].minus(qs[i].times(rs[i])).norm(), as[i].norm(),
					8*(m+2))
			}
		}
	})
}

// TestLong has matrices of many rows, or columns, and few of the others.
func TestLong(t *testing.T) {
	s, b := solver(t)
	for _, dt := range types {
		for _, shape := range [][2]int{{2000, 3}, {2, 1500}} {
			m, n, what := shape[0], shape[1], fmt.Sprintf("%v, %v", dt, shape)
			a := random(dt, m, n, rand.New(rand.NewPCG(1, 13)))
			q, r, ok, err := s.QR(upload(t, b, dt, a), 1, m, n, false)
			done(t, ok, err)
			k := min(m, n)
			qs, rs := download(t, b, dt, q, 1, m, k)[0], download(t, b, dt, r, 1, k, n)[0]
			orthonormal(t, what+": Q", dt, qs)
			within(t, what+": A - Q·R", dt, a.minus(qs.times(rs)).norm(), a.norm(), 8*(m+2))
			svd(t, s, b, dt, false, a)[0].check(t, what, dt, a)
			lu, pivots, _, ok, err := s.LU(upload(t, b, dt, a), 1, m, n)
			done(t, ok, err)
			x := download(t, b, dt, lu, 1, m, n)[0]
			within(t, what+": P·A - L·U", dt,
				exchange(a, integers(t, b, pivots, k)).minus(lower(x).times(upper(x))).norm(), a.norm(), 4*(k+2))
		}
	}
}

// TestHardQR has columns that are 0, that are equal, and whose squares overflow or underflow.
func TestHardQR(t *testing.T) {
	s, b := solver(t)
	for _, dt := range types {
		for _, n := range []int{6, 40} {
			r := rand.New(rand.NewPCG(uint64(n), 5))
			as := randoms(dt, 5, n+3, n, r)
			for i := range n + 3 {
				as[0].set(i, 2, 0)
				as[1].set(i, 3, as[1].at(i, 1))
				for j := range n {
					as[2].set(i, j, as[2].at(i, j)*1e30)
					as[3].set(i, j, as[3].at(i, j)*1e-30)
				}
			}
			as[4] = zeros(n+3, n)
			q, upper, ok, err := s.QR(upload(t, b, dt, as...), 5, n+3, n, true)
			done(t, ok, err)
			qs, rs := download(t, b, dt, q, 5, n+3, n+3), download(t, b, dt, upper, 5, n+3, n)
			for i := range as {
				what := fmt.Sprintf("%v, n = %d, matrix %d", dt, n, i)
				orthonormal(t, what, dt, qs[i])
				within(t, what, dt, as[i].minus(qs[i].times(rs[i])).norm(), as[i].norm(), 8*(n+5))
			}
		}
	}
}
