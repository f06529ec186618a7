package gpu

import (
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// LU factors matrices [batch m n] with partial pivoting: P·A = L·U. lu has U, and L below the diagonal, whose ones are
// left out. pivots, I32 [batch min(m,n)], are the rows, from 0 on, with which row k was exchanged in step k. info, I32
// [batch], is 0, or 1 + the index of the first pivot that is 0.
func (s *Solver) LU(a backend.Operand, batch, m, n int) (lu, pivots, info backend.Storage, ok bool, err error) {
	if !takes(a.DType) {
		return nil, nil, nil, false, nil
	}
	taken := s.within(m, n, largestFactor)
	if s.asksLibrary(batch, max(m, n), taken, s.Library.Solver) {
		if lu, pivots, info, ok, err = s.libraryLU(a, batch, m, n); ok || err != nil {
			return lu, pivots, info, ok, err
		}
	}
	if !taken {
		return nil, nil, nil, false, nil
	}
	out, err := s.alloc(batch*m*n*a.DType.Size(), batch*min(m, n)*4, batch*4)
	if err != nil {
		return nil, nil, nil, false, err
	}
	args := addStore(addStore(addStore(add(rocm.NewArgs(), a), out[0]), out[1]), out[2]).U32(uint32(m)).U32(uint32(n))
	p := s.choosePlace(a.DType, batch, max(m, n), m, oddRows(n))
	if p.kernel == "groups" && a.DType.Real() == a.DType {
		p.kernel = "rows"
	}
	err = s.run("lu", a.DType, p, args)
	return out[0], out[1], out[2], err == nil, err
}

// Order returns the permutations that the pivots of LU make of m rows, I64 [batch m]: row i of L·U is row order[i] of
// the matrix, and inverse is the inverse of that. Pivots that are no rows exchange none.
func (s *Solver) Order(pivots backend.Storage, batch, m, n int) (order, inverse backend.Storage, err error) {
	out, err := s.alloc(batch*m*8, batch*m*8)
	if err != nil {
		return nil, nil, err
	}
	args := addStore(addStore(addStore(rocm.NewArgs(), pivots), out[0]), out[1]).U64(uint64(batch)).U32(uint32(m)).
		U32(uint32(min(m, n)))
	err = s.launch.Launch("lu_order", [3]int{min((batch*m+255)/256, mostBlocks), 1, 1}, args)
	return out[0], out[1], err
}

// Cholesky factors Hermitian positive definite matrices [batch n n], of which it reads the lower triangle: A = L·Lᴴ. l
// is 0 above the diagonal. info, I32 [batch], is 0, or 1 + the index of the first pivot that is not positive; l is then
// of no use.
func (s *Solver) Cholesky(a backend.Operand, batch, n int) (l, info backend.Storage, ok bool, err error) {
	if !takes(a.DType) {
		return nil, nil, false, nil
	}
	taken := s.within(n, n, largestFactor)
	if s.asksLibrary(batch, n, taken, s.Library.Solver) {
		if l, info, ok, err = s.libraryCholesky(a, batch, n); ok || err != nil {
			return l, info, ok, err
		}
	}
	if !taken {
		return nil, nil, false, nil
	}
	out, err := s.alloc(batch*n*n*a.DType.Size(), batch*4)
	if err != nil {
		return nil, nil, false, err
	}
	args := addStore(addStore(add(rocm.NewArgs(), a), out[0]), out[1]).U32(uint32(n))
	err = s.run("cholesky", a.DType, s.choosePlace(a.DType, batch, n, n, oddRows(n)), args)
	return out[0], out[1], err == nil, err
}

// QR factors matrices [batch m n] with Householder's reflections: A = Q·R. q is [batch m k] and r [batch k n], with k =
// min(m, n), or m if full. The diagonal of r is real, of either sign.
func (s *Solver) QR(a backend.Operand, batch, m, n int, full bool) (q, r backend.Storage, ok bool, err error) {
	if !takes(a.DType) {
		return nil, nil, false, nil
	}
	k := columns(m, n, full)
	taken := s.within(m, max(n, k), largestFactor)
	if s.asksLibrary(batch, max(m, n), taken, s.Library.Solver) {
		if q, r, ok, err = s.libraryQR(a, batch, m, n, full); ok || err != nil {
			return q, r, ok, err
		}
	}
	if !taken {
		return nil, nil, false, nil
	}
	out, err := s.alloc(batch*m*k*a.DType.Size(), batch*k*n*a.DType.Size())
	if err != nil {
		return nil, nil, false, err
	}
	args := addStore(addStore(add(rocm.NewArgs(), a), out[0]), out[1]).U32(uint32(m)).U32(uint32(n)).U32(uint32(k))
	err = s.run("qr", a.DType, s.choosePlace(a.DType, batch, max(m, n), m+1, oddRows(max(n, k))), args)
	return out[0], out[1], err == nil, err
}

// columns is the number of columns of an orthonormal basis of m rows: all, or those that n columns span.
func columns(m, n int, full bool) int {
	if full {
		return m
	}
	return min(m, n)
}
