package host

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor/fft/internal/plan"
)

// direct is the transform by its definition, in float64 with exact roots: the numbers that sample lists.
func direct(x []complex128, inverse bool) []complex128 {
	n := len(x)
	roots := plan.Roots(n, n)
	var y []complex128
	for _, k := range sample(n) {
		y = append(y, pairwise(0, n, func(j int) complex128 {
			w := roots[j*k%n]
			if inverse {
				w = cmplx.Conj(w)
			}
			return x[j] * w
		}))
	}
	return y
}

// pairwise adds f(lo) to f(hi-1) in halves: the error grows with the logarithm of their number.
func pairwise(lo, hi int, f func(j int) complex128) complex128 {
	if hi-lo > 8 {
		return pairwise(lo, (lo+hi)/2, f) + pairwise((lo+hi)/2, hi, f)
	}
	sum := 0i
	for j := lo; j < hi; j++ {
		sum += f(j)
	}
	return sum
}

// sample lists numbers of a transform that are compared: all of a short one.
func sample(n int) (list []int) {
	for k := 0; k < n; k += 1 + n/300*7 {
		list = append(list, k)
	}
	return list
}

// sampled are those of all numbers of a transform.
func sampled(x []complex128) (some []complex128) {
	for _, k := range sample(len(x)) {
		some = append(some, x[k])
	}
	return some
}

func randomParts[T number](n int, r *rand.Rand) []T {
	x := make([]T, n)
	for i := range x {
		x[i] = T(r.NormFloat64())
	}
	return x
}

// column is transform number i of the numbers of x that begin at first, step apart.
func column[T number](x []T, first, step, n int) []complex128 {
	c := make([]complex128, n)
	for k := range c {
		at := 2 * (first + k*step)
		c[k] = complex(float64(x[at]), float64(x[at+1]))
	}
	return c
}

// distance is the error of a result relative to its norm.
func distance(got, want []complex128) float64 {
	diff, norm := 0.0, 1e-300
	for i, w := range want {
		d := cmplx.Abs(got[i] - w)
		diff, norm = diff+d*d, norm+real(w)*real(w)+imag(w)*imag(w)
	}
	return math.Sqrt(diff / norm)
}

// tolerance is a few units in the last place for each doubling of the length.
func tolerance[T number](n int) float64 {
	eps := 0x1p-53
	if width[T]() == 16 {
		eps = 0x1p-24
	}
	return eps * (2 + 2*math.Log2(float64(n)))
}

func lengths() []int {
	list := []int{128, 243, 256, 257, 343, 360, 385, 512, 1000, 1009, 1155, 2048, 2310}
	for n := 1; n <= 64; n++ {
		list = append(list, n)
	}
	if best.name != "Go" { // the loops in Go are slow
		list = append(list, 509, 625, 1001, 4096, 5005)
	}
	return list
}

// onLevels runs tests with the loops of each instruction set, and with those in Go.
func onLevels(t *testing.T, f32, f64 func(t *testing.T)) {
	defer func(l level) { best = l }(best)
	for _, l := range append(levels(), level{name: "Go"}) {
		best = l
		t.Run(l.name+"/f32", f32)
		t.Run(l.name+"/f64", f64)
	}
}

func TestRows(t *testing.T) {
	thorough.Slow(t)
	onLevels(t, testRows[float32], testRows[float64])
}

func testRows[T number](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range lengths() {
		for _, count := range []int{1, 19} {
			if n > 600 && count > 1 {
				count = 8
			}
			for _, inverse := range []bool{false, true} {
				src := randomParts[T](2*count*(n+1), r) // with a number between rows
				dst := make([]T, 2*count*(n+2))
				transformRows(dst, src, n, count, n+2, n+1, form[T]{inverse, 0.5})
				for _, i := range []int{0, count - 1}[:min(count, 2)] {
					want := direct(column(src, i*(n+1), 1, n), inverse)
					for k := range want {
						want[k] /= 2
					}
					if d := distance(sampled(column(dst, i*(n+2), 1, n)), want); !(d <= tolerance[T](n)) {
						t.Fatalf("row %d of %d, length %d, inverse %v: error %.2g, want at most %.2g",
							i, count, n, inverse, d, tolerance[T](n))
					}
				}
			}
		}
	}
}

func TestColumns(t *testing.T) {
	thorough.Slow(t)
	onLevels(t, testColumns[float32], testColumns[float64])
}

func testColumns[T number](t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 3, 5, 8, 12, 17, 60, 128, 257, 4096, 4100, 6561} {
		for _, inner := range []int{2, 16, 35} {
			for _, inverse := range []bool{false, true} {
				src := randomParts[T](2*2*n*inner, r)
				dst := make([]T, len(src))
				transformColumns(dst, src, 2, n, inner, form[T]{inverse, 2})
				for _, i := range []int{0, inner - 1} {
					want := direct(column(src, n*inner+i, inner, n), inverse)
					for k := range want {
						want[k] *= 2
					}
					if d := distance(sampled(column(dst, n*inner+i, inner, n)), want); !(d <= tolerance[T](n)) {
						t.Fatalf("column %d of %d, length %d, inverse %v: error %.2g, want at most %.2g",
							i, inner, n, inverse, d, tolerance[T](n))
					}
				}
			}
			if n > 1000 {
				break
			}
		}
	}
}

// TestLong compares lengths beyond the tables with a transform of a few frequencies, for which there is a closed form.
func TestLong(t *testing.T) {
	thorough.Slow(t)
	onLevels(t, testLong[float32], testLong[float64])
}

func testLong[T number](t *testing.T) {
	for _, n := range []int{1 << 17, 3 << 15, 40009} {
		roots := plan.Roots(n, n)
		x := make([]T, 2*n)
		at := []int{1, 5, n / 3, n - 2}
		for i, k := range at {
			for j := range n {
				w := cmplx.Conj(roots[j*k%n])
				x[2*j] += T(float64(i+1) * real(w))
				x[2*j+1] += T(float64(i+1) * imag(w))
			}
		}
		y := make([]T, 2*n)
		transformRows(y, x, n, 1, n, n, form[T]{scale: T(1 / float64(n))})
		want := make([]complex128, n)
		for i, k := range at {
			want[k] = complex(float64(i+1), 0)
		}
		if d := distance(column(y, 0, 1, n), want); !(d <= tolerance[T](n)) {
			t.Errorf("length %d: error %.2g, want at most %.2g", n, d, tolerance[T](n))
		}
	}
}

func TestReal(t *testing.T) { onLevels(t, testReal[float32], testReal[float64]) }

func testReal[T number](t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range lengths() {
		const count = 3
		h := n / 2
		src := randomParts[T](n*count, r)
		dst := make([]T, 2*count*(h+1))
		forward(dst, src, n, count, 1)
		for i := range count {
			x := make([]complex128, n)
			for j := range x {
				x[j] = complex(float64(src[i*n+j]), 0)
			}
			whole := column(dst, i*(h+1), 1, h+1)
			for k := h + 1; k < n; k++ {
				whole = append(whole, cmplx.Conj(whole[n-k]))
			}
			if d := distance(sampled(whole), direct(x, false)); !(d <= tolerance[T](n)) {
				t.Fatalf("length %d: error %.2g, want at most %.2g", n, d, tolerance[T](n))
			}
			dst[2*i*(h+1)+1] = 7 // an imaginary part that is not looked at
		}
		back := make([]T, n*count)
		backward(back, dst, n, count, T(1/float64(n)))
		for i, v := range back {
			if d := math.Abs(float64(v - src[i])); !(d <= 8*tolerance[T](n)) {
				t.Fatalf("length %d: %v came back as %v", n, src[i], v)
			}
		}
	}
}

// TestBits: the bits of a result do not depend on the number of goroutines.
func TestBits(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	const n = 3 * 5 * 7 * 11 << 9
	src := randomParts[float32](n, rand.New(rand.NewPCG(7, 8)))
	var first []float32
	for _, cores := range []int{1, 2, 3, 5} {
		runtime.GOMAXPROCS(cores)
		y, z := make([]float32, n+2), make([]float32, n)
		forward(y, src, n, 1, 1)
		backward(z, y, n, 1, 1)
		y = append(y, z...)
		if first == nil {
			first = y
		}
		if !slices.Equal(y, first) {
			t.Fatalf("on %d cores other bits than on one", cores)
		}
	}
}

func BenchmarkRows(b *testing.B) {
	for _, n := range []int{64, 1024, 1000, 1009, 1 << 16, 1 << 20, 1 << 24} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			count := max(1, (1<<18)/n)
			x := make([]float32, 2*n*count)
			y := make([]float32, 2*n*count)
			b.SetBytes(int64(8 * n * count))
			for b.Loop() {
				transformRows(y, x, n, count, n, n, form[float32]{scale: 1})
			}
		})
	}
}
