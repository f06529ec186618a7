package plan_test

import (
	"math"
	"math/big"
	"math/cmplx"
	"testing"

	"github.com/gorocm/gorocm/tensor/fft/internal/plan"
)

func TestRadices(t *testing.T) {
	for n := 1; n <= 5000; n++ {
		if !plan.Smooth(n) {
			continue
		}
		product := 1
		for _, r := range plan.Radices(n) {
			if r < 2 || r > 13 {
				t.Fatalf("length %d has radix %d", n, r)
			}
			product *= r
		}
		if product != n {
			t.Fatalf("the radices of %d have the product %d", n, product)
		}
		if a, b := plan.Split(n, 20); a*b != n || a > min(b, 20) {
			t.Fatalf("%d is split into %d and %d", n, a, b)
		}
	}
	for n, smooth := range map[int]bool{1: true, 13 * 11 * 7 * 8: true, 17: false, 4096: true, 2 * 19: false} {
		if plan.Smooth(n) != smooth {
			t.Errorf("Smooth(%d) is %v", n, !smooth)
		}
	}
}

func TestPadded(t *testing.T) {
	for n := 1; n < 5000; n++ {
		if m := plan.Padded(n); m < n || !plan.Smooth(m) || n > 16 && (m%16 != 0 || m > 2*n) {
			t.Fatalf("Padded(%d) is %d", n, m)
		}
	}
	for n, want := range map[int]int{1: 1, 7: 7, 17: 32, 2017: 2048, 2049: 2160, 100_999: 102_400} {
		if got := plan.Padded(n); got != want {
			t.Errorf("Padded(%d) is %d, want %d", n, got, want)
		}
	}
}

// powers are exp(-2πi·k/n) by repeated multiplication of 200 digits: its first root is a Taylor series.
func powers(n, count int) []complex128 {
	const digits = 200
	pi, _ := new(big.Float).SetPrec(digits).SetString("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")
	angle := new(big.Float).SetPrec(digits).Mul(pi, big.NewFloat(2))
	angle.Quo(angle, new(big.Float).SetPrec(digits).SetInt64(int64(n)))
	series := func(first, i int) *big.Float {
		sum, term := new(big.Float).SetPrec(digits), big.NewFloat(1).SetPrec(digits)
		if first == 1 {
			term.Set(angle)
		}
		for ; i < 200; i += 2 {
			sum.Add(sum, term)
			term.Mul(term, angle).Mul(term, angle).Quo(term, big.NewFloat(float64((i+1)*(i+2)))).Neg(term)
		}
		return sum
	}
	c1, s1 := series(0, 0), series(1, 1)
	c, s := big.NewFloat(1).SetPrec(digits), new(big.Float).SetPrec(digits)
	all := make([]complex128, count)
	mul := func(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(digits).Mul(a, b) }
	for k := range all {
		re, _ := c.Float64()
		im, _ := s.Float64()
		all[k] = complex(re, -im)
		c, s = new(big.Float).SetPrec(digits).Sub(mul(c, c1), mul(s, s1)),
			new(big.Float).SetPrec(digits).Add(mul(s, c1), mul(c, s1))
	}
	return all
}

// near reports whether a number is within one unit in the last place of one of at most 1.
func near(got, want complex128) bool {
	off := func(a, b float64) bool {
		return math.Abs(a-b) <= math.Nextafter(math.Abs(b), 2)-math.Abs(b)+1e-40
	}
	return off(real(got), real(want)) && off(imag(got), imag(want))
}

func TestRoots(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 12, 16, 37, 100, 1009, 4096} {
		want := powers(n, n)
		for k, got := range plan.Roots(n, n) {
			if !near(got, want[k]) {
				t.Fatalf("root %d of %d is %v, want %v", k, n, got, want[k])
			}
		}
		table := plan.NewPowers(n)
		for k := range n {
			if got := table.At(k); cmplx.Abs(got-want[k]) > 4e-16 {
				t.Fatalf("root %d of %d from two tables is %v, want %v", k, n, got, want[k])
			}
		}
	}
}

func TestChirp(t *testing.T) {
	for _, n := range []int{1, 2, 17, 1009} {
		want := powers(2*n, 2*n)
		for k, got := range plan.Chirp(n) {
			if !near(got, want[k*k%(2*n)]) {
				t.Fatalf("element %d of the chirp of %d is %v, want %v", k, n, got, want[k*k%(2*n)])
			}
		}
	}
}
