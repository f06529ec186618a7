package kernels

import (
	"bufio"
	"math"
	"math/cmplx"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestComplexInverses compares with recorded values: at branch cuts, near 0 and ±1, far out, and special values.
func TestComplexInverses(t *testing.T) {
	file, err := os.Open("testdata/complex_inverse.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	functions := map[string]func(complex128) complex128{}
	for _, op := range ComplexOps {
		functions[op.Name] = op.Unary
	}
	count := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		f := strings.Fields(lines.Text())
		if f[0] == "#" {
			continue
		}
		count++
		var v [4]float64
		for i := range v {
			if v[i], err = strconv.ParseFloat(f[i+1], 64); err != nil {
				t.Fatal(err)
			}
		}
		x, want := complex(v[0], v[1]), complex(v[2], v[3])
		got := functions[f[0]](x)
		if !sameSigns(got, want) || !near(got, want, 8) && !sameParts(got, want) {
			t.Errorf("%s(%v) = %v, want %v", f[0], x, got, want)
		}
	}
	if count < 800 {
		t.Errorf("%d rows only", count)
	}
}

// sameSigns compares the signs of the parts of numbers that have none that is NaN.
func sameSigns(a, b complex128) bool {
	return cmplx.IsNaN(a) || cmplx.IsNaN(b) || real(a) != real(a) || imag(a) != imag(a) ||
		math.Signbit(real(a)) == math.Signbit(real(b)) && math.Signbit(imag(a)) == math.Signbit(imag(b))
}

// sameParts compares parts one by one, relative to themselves. C99 leaves the sign of some infinities open.
func sameParts(a, b complex128) bool {
	same := func(x, y float64) bool {
		return x != x && y != y || math.IsInf(x, 0) && math.IsInf(y, 0) || math.Abs(x-y) <= 8*0x1p-52*math.Abs(y)
	}
	return same(real(a), real(b)) && same(imag(a), imag(b))
}
