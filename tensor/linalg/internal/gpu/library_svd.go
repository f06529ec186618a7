package gpu

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// librarySVD is SVD by Jacobi's rotations where the library has them and they converge, which is faster, else by a
// bidiagonal matrix.
func (s *Solver) librarySVD(
	a backend.Operand, batch, m, n int, vectors, full bool,
) (u, sv, vh, info backend.Storage, ok bool, err error) {
	bad, err := s.notFinite(a, batch, m, n, false)
	if err != nil {
		return nil, nil, nil, nil, false, err
	}
	for _, routine := range []string{"gesvdj", "gesvd"} {
		r := &svdResults{dt: a.DType, batch: batch, m: m, n: n, uCols: columns(m, n, full), vRows: columns(n, m, full)}
		if err = s.allocSVD(r, vectors); err != nil {
			return nil, nil, nil, nil, false, err
		}
		ok, err = refusal(s.svdBy(routine, a, r, bad, vectors, full))
		if ok && routine == "gesvdj" {
			ok, err = s.converged(r.info, batch, bad)
		}
		if ok && err == nil {
			err = r.fill(s, bad)
		}
		if ok || err != nil {
			return r.u, r.values, r.vh, r.info, ok && err == nil, err
		}
		for _, x := range []backend.Storage{r.u, r.values, r.vh, r.info} {
			if x != nil {
				x.Release()
			}
		}
	}
	return nil, nil, nil, nil, false, nil
}

// svdResults are what a decomposition of matrices [batch m n] consists of, with the sizes of u, [batch m uCols], and
// vh, [batch vRows n].
type svdResults struct {
	dt                  kernels.DType
	batch, m, n         int
	uCols, vRows        int
	u, values, vh, info backend.Storage // u and vh are nil without vectors
}

func (s *Solver) allocSVD(r *svdResults, vectors bool) error {
	perVector := 0
	if vectors {
		perVector = r.batch * r.dt.Size()
	}
	values := r.batch * min(r.m, r.n) * r.dt.Real().Size()
	out, err := s.alloc(values, r.batch*4, r.m*r.uCols*perVector, r.vRows*r.n*perVector)
	if err == nil {
		r.values, r.info, r.u, r.vh = out[0], out[1], out[2], out[3]
	}
	return err
}

// fill makes NaN of the results of matrices that no routine was given.
func (r *svdResults) fill(s *Solver, bad []bool) error {
	nan := math.NaN()
	return errors.Join(s.fill(r.u, r.dt, r.m*r.uCols, bad, nan), s.fill(r.vh, r.dt, r.vRows*r.n, bad, nan),
		s.fill(r.values, r.dt.Real(), min(r.m, r.n), bad, nan), s.fill(r.info, kernels.I32, 1, bad, 1))
}

// svdBy makes the decompositions by one routine, which takes matrices with at least as many rows as columns. Rows in
// place of columns are those of the transposed matrix: its U is Vᴴ, and its Vᴴ is U, with rows in place of columns.
func (s *Solver) svdBy(
	routine string, a backend.Operand, r *svdResults, bad []bool, vectors, full bool,
) error {
	m, n, k, size := r.m, r.n, min(r.m, r.n), r.dt.Size()
	step := rocm.Factor{Routine: routine, Elem: r.dt.String(), M: n, N: m, Vectors: vectors, Full: full}
	var x backend.Storage
	var err error
	if m > n {
		step.M, step.N = m, n
		x, err = s.columnMajor(a, r.batch, m, n, n)
	} else {
		x, err = s.clone(a, r.batch*m*n)
	}
	if err != nil {
		return err
	}
	defer x.Release()
	err = s.eachFactor(r.batch, bad, step, func(f *rocm.Factor, i int) {
		f.A, f.Values = span(x, i*m*n, size), span(r.values, i*k, r.dt.Real().Size())
		f.U, f.VH, f.Info = span(r.u, i*m*r.uCols, size), span(r.vh, i*r.vRows*n, size), span(r.info, i, 4)
		if m <= n {
			f.U, f.VH = f.VH, f.U
		}
	})
	if err != nil || !vectors {
		return err
	}
	return s.svdRows(r, routine == "gesvdj")
}

// svdRows makes rows of the columns of vectors that a routine has left, and of V, for Vᴴ, the latter.
func (s *Solver) svdRows(r *svdResults, isV bool) error {
	if r.m > r.n || isV {
		u, err := s.rowMajor(r.u, r.dt, r.batch, r.m, r.uCols, r.m, r.uCols)
		if err := exchange(&r.u, u, err); err != nil {
			return err
		}
	}
	if r.m > r.n && !isV {
		vh, err := s.rowMajor(r.vh, r.dt, r.batch, r.vRows, r.n, r.vRows, r.n)
		return exchange(&r.vh, vh, err)
	}
	if !isV || !r.dt.IsComplex() {
		return nil
	}
	vectors, n := &r.u, r.batch*r.m*r.uCols
	if r.m > r.n {
		vectors, n = &r.vh, r.batch*r.vRows*r.n
	}
	all := backend.Operand{Store: *vectors, DType: r.dt, Layout: backend.Dense([]int{n})}
	conjugates, err := s.b.Complex(backend.ComplexOps["conj"], all)
	return exchange(vectors, conjugates, err)
}

// exchange puts one storage, unless there was an error, in the place of another, which it gives back.
func exchange(at *backend.Storage, with backend.Storage, err error) error {
	if err == nil {
		(*at).Release()
		*at = with
	}
	return err
}

// converged reports whether Jacobi's rotations came to an end for all matrices but the bad ones, which they were not
// given.
func (s *Solver) converged(info backend.Storage, batch int, bad []bool) (bool, error) {
	data := make([]byte, batch*4)
	if err := s.b.Download(data, info, 0); err != nil {
		return false, err
	}
	for i := range batch {
		if !bad[i] && binary.LittleEndian.Uint32(data[4*i:]) != 0 {
			return false, nil
		}
	}
	return true, nil
}
