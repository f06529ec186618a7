package gpu_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
)

// kinds make matrices of random ones that iterations may find hard.
var kinds = []struct {
	name string
	of   func(dt kernels.DType, g matrix, r *rand.Rand) matrix
}{
	{"random", func(_ kernels.DType, g matrix, _ *rand.Rand) matrix { return g }},
	{"graded columns", func(_ kernels.DType, g matrix, _ *rand.Rand) matrix {
		return g.mapped(func(_, j int, z complex128) complex128 { return z * complex(math.Ldexp(1, -3*j), 0) })
	}},
	{"graded rows", func(_ kernels.DType, g matrix, _ *rand.Rand) matrix {
		return g.mapped(func(i, _ int, z complex128) complex128 { return z * complex(math.Ldexp(1, -3*i), 0) })
	}},
	{"graded in disorder", func(_ kernels.DType, g matrix, _ *rand.Rand) matrix {
		return g.mapped(func(i, j int, z complex128) complex128 {
			return z * complex(math.Ldexp(1, -(7*i)%17-(5*j)%13), 0)
		})
	}},
	{"rank 2", func(dt kernels.DType, g matrix, r *rand.Rand) matrix {
		return random(dt, g.rows, 2, r).times(random(dt, 2, g.cols, r))
	}},
	{"whole numbers", func(_ kernels.DType, g matrix, _ *rand.Rand) matrix {
		return g.mapped(func(_, _ int, z complex128) complex128 { return complex(math.Round(real(z)), 0) })
	}},
	{"Hilbert's", func(_ kernels.DType, g matrix, _ *rand.Rand) matrix {
		return g.mapped(func(i, j int, _ complex128) complex128 { return complex(1/float64(i+j+1), 0) })
	}},
	{"Kahan's", func(_ kernels.DType, g matrix, _ *rand.Rand) matrix { // 1 on the diagonal, -1 above
		return g.mapped(func(i, j int, _ complex128) complex128 {
			if j < i {
				return 0
			}
			return complex(1-2*float64(min(1, j-i)), 0)
		})
	}},
}

// TestKinds decomposes matrices of all kinds, and eigenvalues of their Hermitian parts.
func TestKinds(t *testing.T) {
	thorough.Slow(t)
	s, b := solver(t)
	for offset, dt := range types {
		for _, n := range thorough.Sample([]int{3, 6, 11, 16, 24, 33}, 6, offset) {
			r := rand.New(rand.NewPCG(uint64(n), 14))
			var as, hs []matrix
			for _, k := range kinds {
				a := k.of(dt, random(dt, n, n, r), r).rounded(dt)
				h := a.adjoint()
				hs = append(hs, a.mapped(func(i, j int, z complex128) complex128 { return (z + h.at(i, j)) / 2 }).rounded(dt))
				as = append(as, a)
			}
			for i, d := range svd(t, s, b, dt, true, as...) {
				d.check(t, fmt.Sprintf("%v, n = %d, %s", dt, n, kinds[i].name), dt, as[i])
			}
			checkEigh(t, s, b, fmt.Sprintf("%v, n = %d, Hermitian parts", dt, n), dt, hs...)
		}
	}
}
