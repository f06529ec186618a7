package gpu

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/fft/internal/plan"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/gpu"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// TestMatrices transforms lengths that are several times what a block takes, by lowering that.
func TestMatrices(t *testing.T) {
	b, err := gpu.Open("rocm")
	if err != nil {
		t.Skip(err)
	}
	defer func(f func(kernels.DType) int) { room = f }(room)
	room = func(kernels.DType) int { return 16 }
	r := rand.New(rand.NewPCG(1, 1))
	for _, shape := range [][]int{{1, 32, 1}, {2, 256, 1}, {3, 60, 5}, {1, 480, 2}, {2, 2000, 1}, {1, 4096, 3}, {1, 211, 2}} {
		outer, n, inner := shape[0], shape[1], shape[2]
		x := make([]complex128, outer*n*inner)
		for i := range x {
			x[i] = complex(r.NormFloat64(), r.NormFloat64())
		}
		s, err := b.Upload(host.BytesOf(x))
		if err != nil {
			t.Fatal(err)
		}
		in := backend.Operand{Store: s, DType: kernels.C128, Layout: backend.Dense(shape)}
		for _, inverse := range []bool{false, true} {
			out, err := Complex(b, in, []int{1}, inverse, 1)
			if err != nil {
				t.Fatal(err)
			}
			y := make([]complex128, len(x))
			if err := b.Download(host.BytesOf(y), out, 0); err != nil {
				t.Fatal(err)
			}
			roots := plan.Roots(n, n)
			for _, first := range []int{0, (outer-1)*n*inner + inner - 1} {
				what := fmt.Sprintf("%v, inverse %v, first %d", shape, inverse, first)
				for _, k := range []int{0, 1, n / 3, n - 1} {
					sum := 0i
					for j := range n {
						w := roots[j*k%n]
						if inverse {
							w = cmplx.Conj(w)
						}
						sum += x[first+j*inner] * w
					}
					if d := cmplx.Abs(y[first+k*inner] - sum); !(d <= 1e-14*math.Sqrt(float64(n))) {
						t.Fatalf("%s: number %d is %v, want %v", what, k, y[first+k*inner], sum)
					}
				}
			}
		}
	}
}
