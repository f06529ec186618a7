package gpu

import (
	"errors"
	"math"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// libraryLU is LU with getrf, whose pivots count from 1.
func (s *Solver) libraryLU(
	a backend.Operand, batch, m, n int,
) (lu, pivots, info backend.Storage, ok bool, err error) {
	size, k := a.DType.Size(), min(m, n)
	out, err := s.alloc(batch*k*4, batch*4)
	if err != nil {
		return nil, nil, nil, false, err
	}
	x, err := s.columnMajor(a, batch, m, n, n)
	if err != nil {
		return nil, nil, nil, false, err
	}
	err = s.eachFactor(batch, nil, rocm.Factor{Routine: "getrf", Elem: a.DType.String(), M: m, N: n},
		func(f *rocm.Factor, i int) {
			f.A, f.Pivots, f.Info = span(x, i*m*n, size), span(out[0], i*k, 4), span(out[1], i, 4)
		})
	if err == nil {
		lu, err = s.rowMajor(x, a.DType, batch, m, n, m, n)
	}
	if err == nil {
		from1 := backend.Operand{Store: out[0], DType: kernels.I32, Layout: backend.Dense([]int{batch * k})}
		pivots, err = s.b.Affine(from1, backend.Scalar{Int: 1}, backend.Scalar{Int: -1})
	}
	if err == nil {
		err = pivots.Materialize()
	}
	ok, err = refusal(err)
	return lu, pivots, out[1], ok, err
}

// libraryCholesky is Cholesky with potrf. cuSOLVER is several times as fast with lower triangles as with upper ones,
// which rows in place of columns would be.
func (s *Solver) libraryCholesky(a backend.Operand, batch, n int) (l, info backend.Storage, ok bool, err error) {
	dt := a.DType
	bad, err := s.notFinite(a, batch, n, n, true)
	if err == nil {
		info, err = s.b.Alloc(batch * 4)
	}
	if err != nil {
		return nil, nil, false, err
	}
	x, err := s.columnMajor(a, batch, n, n, n)
	if err != nil {
		return nil, nil, false, err
	}
	defer x.Release()
	err = s.eachFactor(batch, bad, rocm.Factor{Routine: "potrf", Elem: dt.String(), M: n, N: n},
		func(f *rocm.Factor, i int) {
			f.A, f.Info = span(x, i*n*n, dt.Size()), span(info, i, 4)
		})
	if err == nil {
		l, err = s.rowMajor(x, dt, batch, n, n, n, n)
	}
	if err == nil {
		err = s.clearTriangle(l, dt, batch, n, n, true)
	}
	if err == nil {
		err = errors.Join(s.fill(l, dt, n*n, bad, math.NaN()), s.fill(info, kernels.I32, 1, bad, 1))
	}
	ok, err = refusal(err)
	return l, info, ok, err
}

// libraryQR is QR with geqrf, which leaves R above Householder's vectors, and orgqr, which makes Q of them.
func (s *Solver) libraryQR(
	a backend.Operand, batch, m, n int, full bool,
) (q, r backend.Storage, ok bool, err error) {
	size, k, least := a.DType.Size(), columns(m, n, full), min(m, n)
	cols := max(n, k)
	work, err := s.alloc(batch*least*size, batch*4)
	if err != nil {
		return nil, nil, false, err
	}
	x, err := s.columnMajor(a, batch, m, n, cols)
	if err != nil {
		return nil, nil, false, err
	}
	at := func(f *rocm.Factor, i int) {
		f.A, f.Tau, f.Info = span(x, i*m*cols, size), span(work[0], i*least, size), span(work[1], i, 4)
	}
	err = s.eachFactor(batch, nil, rocm.Factor{Routine: "geqrf", Elem: a.DType.String(), M: m, N: n}, at)
	if err == nil {
		r, err = s.rowMajor(x, a.DType, batch, m, cols, k, n)
	}
	if err == nil {
		err = s.clearTriangle(r, a.DType, batch, k, n, false)
	}
	if err == nil {
		err = s.eachFactor(batch, nil, rocm.Factor{Routine: "orgqr", Elem: a.DType.String(), M: m, N: k, K: least}, at)
	}
	if err == nil {
		q, err = s.rowMajor(x, a.DType, batch, m, cols, m, k)
	}
	ok, err = refusal(err)
	return q, r, ok, err
}

// libraryEigh is Eigh with syevd, which replaces the matrix by the vectors.
func (s *Solver) libraryEigh(
	a backend.Operand, batch, n int, vectors bool,
) (w, v, info backend.Storage, ok bool, err error) {
	dt := a.DType
	out, err := s.alloc(batch*n*dt.Real().Size(), batch*4)
	if err != nil {
		return nil, nil, nil, false, err
	}
	x, err := s.columnMajor(a, batch, n, n, n)
	if err != nil {
		return nil, nil, nil, false, err
	}
	bad, err := s.notFinite(a, batch, n, n, true)
	if err != nil {
		return nil, nil, nil, false, err
	}
	err = s.eachFactor(batch, bad, rocm.Factor{Routine: "syevd", Elem: dt.String(), M: n, N: n, Vectors: vectors},
		func(f *rocm.Factor, i int) {
			f.A, f.Info = span(x, i*n*n, dt.Size()), span(out[1], i, 4)
			f.Values = span(out[0], i*n, dt.Real().Size())
		})
	if err == nil && vectors {
		v, err = s.rowMajor(x, dt, batch, n, n, n, n)
	}
	if err == nil {
		err = errors.Join(s.fill(v, dt, n*n, bad, math.NaN()), s.fill(out[0], dt.Real(), n, bad, math.NaN()),
			s.fill(out[1], kernels.I32, 1, bad, 1))
	}
	ok, err = refusal(err)
	return out[0], v, out[1], ok, err
}

// libraryTriangular is SolveTriangular with trsm. Rows in place of columns are those of transposed matrices: X·op(T) =
// B has the same mode, and the other triangle.
func (s *Solver) libraryTriangular(
	t, b backend.Operand, batch, n, k int, upper, transposed, conjugated, unit bool,
) (x backend.Storage, ok bool, err error) {
	if x, err = s.clone(b, batch*n*k); err != nil {
		return nil, false, err
	}
	size := t.DType.Size()
	for i := range batch {
		done, err := s.Library.SolveTriangular(&rocm.Triangular{
			Elem: t.DType.String(), M: k, N: n, Upper: !upper, Transposed: transposed, Conjugated: conjugated, Unit: unit,
			T: span(t.Store, t.Layout.Offset+i*n*n, size), B: span(x, i*n*k, size),
		})
		if !done || err != nil {
			return nil, false, err
		}
	}
	return x, true, nil
}
