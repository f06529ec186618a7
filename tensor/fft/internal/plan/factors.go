package plan

import (
	"math"
	"math/bits"
)

// largestRadix is the largest prime for which there are passes. Lengths with larger prime factors take Bluestein's
// algorithm.
const largestRadix = 13

// Smooth reports whether a length has prime factors of at most 13 only.
func Smooth(n int) bool {
	for _, p := range []int{2, 3, 5, 7, 11, largestRadix} {
		for n%p == 0 {
			n /= p
		}
	}
	return n == 1
}

// Radices returns the factors of a smooth length, one for each pass: primes from 13 to 3, then 4 and 8, or one 2 where
// the length is not a multiple of 4. Length 1 has none.
func Radices(n int) []int {
	var list []int
	for _, p := range []int{largestRadix, 11, 7, 5, 3} {
		for n%p == 0 {
			list = append(list, p)
			n /= p
		}
	}
	for n > 1 {
		r := 8
		switch k := bits.TrailingZeros(uint(n)); {
		case k == 1:
			r = 2
		case k%3 != 0:
			r = 4
		}
		list = append(list, r)
		n /= r
	}
	return list
}

// Split returns two factors of a smooth length, n1 ≤ n2: n1 is the largest one up to the square root, and up to `most`.
func Split(n, most int) (n1, n2 int) {
	for n1 = int(math.Sqrt(float64(n))); (n1+1)*(n1+1) <= n; n1++ {
	}
	n1 = min(n1, most)
	for n1 > 1 && n%n1 != 0 {
		n1--
	}
	return n1, n / n1
}

// Padded returns a length of at least n for convolutions: the smallest multiple of 16 whose factors are 2, 3 and 5,
// since such transforms are the fastest. Up to 16 it is n, unless that has other factors.
func Padded(n int) int {
	if n <= 16 && Smooth(n) {
		return max(n, 1)
	}
	best := 16
	for best < n {
		best *= 2
	}
	for five := 16; five < best; five *= 5 {
		for three := five; three < best; three *= 3 {
			m := three
			for m < n {
				m *= 2
			}
			best = min(best, m)
		}
	}
	return best
}
