package gpu_test

import (
	"fmt"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
)

// triangle is a well-conditioned matrix, and what the solver is given: with NaN where it must not read.
func triangle(dt kernels.DType, n int, upper, unit bool, r *rand.Rand) (x, given matrix) {
	g := random(dt, n, n, r)
	x = g.mapped(func(i, j int, z complex128) complex128 {
		switch {
		case i == j && unit:
			return 1
		case i == j:
			return z + complex(3, 0)
		case (i < j) == upper:
			return z / complex(float64(n), 0)
		}
		return 0
	}).rounded(dt)
	given = x.mapped(func(i, j int, z complex128) complex128 {
		if i == j && unit || i != j && (i < j) != upper {
			return cmplx.NaN()
		}
		return z
	})
	return x, given
}

func TestSolveTriangular(t *testing.T) {
	thorough.Slow(t)
	s, b := solver(t)
	modes := make([]int, 16)
	for i := range modes {
		modes[i] = i
	}
	for offset, dt := range types {
		for _, n := range []int{1, 2, 7, 32, 45, 70} {
			for i, k := range []int{1, 3, 8, 9, 33, 64} { // the types together try all modes, with different k
				for _, mode := range thorough.Sample(modes, 12, 5*i+n+3*offset) {
					upper, transposed, conjugated, unit := mode&1 != 0, mode&2 != 0, mode&4 != 0, mode&8 != 0
					what := fmt.Sprintf("%v, n = %d, k = %d, upper %v, transposed %v, conjugated %v, unit %v", dt, n, k,
						upper, transposed, conjugated, unit)
					r := rand.New(rand.NewPCG(uint64(n*100+k), 6))
					batch := 3
					ts, given := make([]matrix, batch), make([]matrix, batch)
					for i := range ts {
						ts[i], given[i] = triangle(dt, n, upper, unit, r)
					}
					bs := randoms(dt, batch, n, k, r)
					x, ok, err := s.SolveTriangular(upload(t, b, dt, given...), upload(t, b, dt, bs...), batch, n, k,
						upper, transposed, conjugated, unit)
					done(t, ok, err)
					for i, x := range download(t, b, dt, x, batch, n, k) {
						op := ts[i]
						if transposed {
							op = op.adjoint()
						}
						if transposed != conjugated {
							op = op.mapped(func(_, _ int, z complex128) complex128 { return cmplx.Conj(z) })
						}
						within(t, what, dt, op.times(x).minus(bs[i]).norm(), op.norm()*x.norm(), 4*(n+2))
					}
				}
			}
		}
	}
}
