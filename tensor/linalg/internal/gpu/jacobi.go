package gpu

import (
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// SVD factors matrices [batch m n]: A = U·diag(sv)·Vᴴ. sv [batch k], k = min(m, n), are the singular values,
// descending, of the real type. u is [batch m k] and vh [batch k n], or square if full; both are nil without vectors.
// info, I32 [batch], is 0, or 1 for matrices with elements that are not finite, whose results are NaN, and for those
// whose iteration did not converge.
func (s *Solver) SVD(
	a backend.Operand, batch, m, n int, vectors, full bool,
) (u, sv, vh, info backend.Storage, ok bool, err error) {
	if !takes(a.DType) {
		return nil, nil, nil, nil, false, nil
	}
	k, size := min(m, n), a.DType.Size()
	taken := s.within(max(m, n), k, largestJacobi)
	if full {
		taken = s.within(max(m, n), max(m, n), largestJacobi)
	}
	if s.asksLibrary(batch, max(m, n), taken, s.Library.Solver) {
		if u, sv, vh, info, ok, err = s.librarySVD(a, batch, m, n, vectors, full); ok || err != nil {
			return u, sv, vh, info, ok, err
		}
	}
	if !taken {
		return nil, nil, nil, nil, false, nil
	}
	uBytes, vBytes, ld := batch*m*columns(m, n, full)*size, batch*n*columns(n, m, full)*size, max(m, n)+k
	if !vectors {
		uBytes, vBytes, ld = 0, 0, max(m, n)
	}
	out, err := s.alloc(uBytes, batch*k*a.DType.Real().Size(), vBytes, batch*4)
	if err != nil {
		return nil, nil, nil, nil, false, err
	}
	args := add(rocm.NewArgs(), a)
	for _, o := range out {
		args = addStore(args, o)
	}
	args.U32(uint32(m)).U32(uint32(n)).U32(flag(full))
	// a group has a pair of columns in two threads
	err = s.run("svd", a.DType, s.choosePlace(a.DType, batch, k, k+2, oddRows(ld)), args)
	return out[0], out[1], out[2], out[3], err == nil, err
}

// Eigh gives the eigenvalues of Hermitian matrices [batch n n], of which it reads the lower triangle, and their
// eigenvectors: A·V = V·diag(w). w [batch n] is ascending, of the real type; v [batch n n] has the vectors as columns,
// and is nil without vectors. info is that of SVD.
func (s *Solver) Eigh(a backend.Operand, batch, n int, vectors bool) (w, v, info backend.Storage, ok bool, err error) {
	if !takes(a.DType) {
		return nil, nil, nil, false, nil
	}
	taken := s.within(n, n, largestJacobi)
	if s.asksLibrary(batch, n, taken, s.Library.Solver) {
		if w, v, info, ok, err = s.libraryEigh(a, batch, n, vectors); ok || err != nil {
			return w, v, info, ok, err
		}
	}
	if !taken {
		return nil, nil, nil, false, nil
	}
	players := n + n%2 // of a tournament
	vBytes, rows := batch*n*n*a.DType.Size(), 2*players+3
	if !vectors {
		vBytes, rows = 0, players+3
	}
	out, err := s.alloc(vBytes, batch*n*a.DType.Real().Size(), batch*4)
	if err != nil {
		return nil, nil, nil, false, err
	}
	args := add(rocm.NewArgs(), a)
	for _, o := range out {
		args = addStore(args, o)
	}
	args.U32(uint32(n)).U32(0) // C's struct ends on 8 bytes
	err = s.run("eigh", a.DType, s.choosePlace(a.DType, batch, n, rows, players+2), args)
	return out[1], out[0], out[2], err == nil, err
}
