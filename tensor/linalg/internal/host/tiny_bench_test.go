package host

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkTiny compares own code with a library, for the choice of tinyQR, tinySVD and tinyEigh. Libraries share the
// work of one matrix among threads unless OPENBLAS_NUM_THREADS=1.
func BenchmarkTiny(b *testing.B) {
	b.Run("f32", benchmarkTiny[float32])
	b.Run("f64", benchmarkTiny[float64])
	b.Run("c64", benchmarkTiny[complex64])
	b.Run("c128", benchmarkTiny[complex128])
}

func benchmarkTiny[T Number](b *testing.B) {
	for _, n := range []int{2, 4, 6, 8, 10, 12, 16} {
		c := checker[T]{rng: rand.New(rand.NewPCG(1, uint64(n)))}
		a := c.random(n * n)
		for i := range n {
			a[i*n+i] = fromComplex[T](complex(c.rng.NormFloat64(), 0))
		}
		x, q, r, s := make([]T, n*n), make([]T, n*n), make([]T, n*n), make([]float64, n)
		for name, e := range map[string]engine[T]{"own": tinyFor(engineFor[T]()), "library": engineFor[T]()} {
			for op, f := range map[string]func(){
				"qr":   func() { e.qr(x, q, r, n, n, n) },
				"svd":  func() { e.svd(x, q, r, s, n, n, n, n) },
				"eigh": func() { e.eigh(x, s, n, true) },
			} {
				b.Run(fmt.Sprintf("%s_%d/%s", op, n, name), func(b *testing.B) {
					for b.Loop() {
						copy(x, a)
						f()
					}
				})
			}
		}
	}
}
