package gpu

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// narrowColumns is the number of right-hand sides up to which 32 threads have one; for more, each thread has its own.
const narrowColumns = 8

// SolveTriangular solves op(T)·X = B for matrices T [batch n n] and right-hand sides B [batch n k], where op may
// transpose and conjugate. It reads one triangle of T, without the diagonal if that is of ones (unit). Where the
// diagonal has a 0, elements of x are infinite or NaN. Matrices may have any size.
func (s *Solver) SolveTriangular(
	t, b backend.Operand, batch, n, k int, upper, transposed, conjugated, unit bool,
) (x backend.Storage, ok bool, err error) {
	if !takes(t.DType) || t.DType != b.DType {
		return nil, false, nil
	}
	taken := !s.dev.Emulated() || s.within(n, n, largestEmulated)
	if s.asksLibrary(batch, n, taken, s.Library.BLAS) {
		x, ok, err = s.libraryTriangular(t, b, batch, n, k, upper, transposed, conjugated, unit)
		if ok || err != nil {
			return x, ok, err
		}
	}
	if !taken {
		return nil, false, nil
	}
	out, err := s.alloc(batch * n * k * t.DType.Size())
	if err != nil {
		return nil, false, err
	}
	flags := flag(upper)*kernels.TriangularUpper | flag(transposed)*kernels.TriangularTransposed |
		flag(conjugated)*kernels.TriangularConjugated | flag(unit)*kernels.TriangularUnit
	kernel, groups := "triangular_wide_", batch*((k+31)/32)
	if k <= narrowColumns {
		kernel, groups = "triangular_narrow_", batch*k
	}
	args := addStore(add(add(rocm.NewArgs(), t), b), out[0]).U64(uint64(batch)).U32(uint32(n)).U32(uint32(k)).
		U32(flags).U32(0) // C's struct ends on 8 bytes
	grid := min((groups+groupsOfBlock-1)/groupsOfBlock, mostBlocks)
	err = s.launch.Launch(kernel+t.DType.String(), [3]int{grid, 1, 1}, args)
	return out[0], err == nil, err
}
