package kernels_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
)

func TestCast(t *testing.T) {
	for n, s := range kernels.Numbers {
		for k, d := range thorough.Sample(kernels.Numbers, 1, n) {
			if s == d {
				continue
			}
			t.Run(fmt.Sprintf("%s_%s", s, d), func(t *testing.T) {
				for _, i := range someViews(n + k) {
					v := views[i]
					switch n := v.a.size(); {
					case s.IsFloat() && d.IsFloat():
						checkCast(t, s, d, v.a, i, castFloats(s, n, i),
							func(x float64) float64 { return kernels.Round(d, x) })
					case s.IsFloat():
						checkCast(t, s, d, v.a, i, castFloats(s, n, i),
							func(x float64) int64 { return saturated(d, x) })
					case d.IsFloat():
						checkCast(t, s, d, v.a, i, integers(s, n, uint64(i)),
							func(x int64) float64 { return rounded(s, d, x) })
					default:
						checkCast(t, s, d, v.a, i, integers(s, n, uint64(i)), func(x int64) int64 { return wrap(d, x) })
					}
				}
			})
		}
	}
}

// castFloats are floats and some that lie at the ends of the integer types and between values of the 16-bit types.
func castFloats(t kernels.DType, n, seed int) []float64 {
	edges := []float64{
		127.5, 128, 255, 255.99, 256, -0.99, -1, 32767.5, 32768, -32768.9, -32769, 65519.99, 65520, 2147483647,
		2147483648, -2147483649,
		4294967295, 4294967296, 9223372036854774784, 9223372036854775808, -9223372036854775808, -1e19, 1e19,
		1 + 0x1p-11, 1 + 0x1p-11 + 0x1p-30, 1 + 0x1p-8 + 0x1p-40, 1 - 0x1p-12, 0x1p-24, 0x1.8p-25, 0x1p-25 + 0x1p-60,
		3.3961e38, 0x1p-140,
	}
	values := floats(t, n, uint64(seed))
	for i := range values {
		if i%2 == 1 {
			values[i] = kernels.Round(t, edges[i/2%len(edges)])
		}
	}
	return values
}

func checkCast[S, D number](t *testing.T, s, d kernels.DType, v view, seed int, in []S, ref func(S) D) {
	t.Helper()
	dev := newDevice(t)
	n := v.count()
	p := dev.put(encode(s, in), 0) + uint64(int(v.offset)*s.Size())
	out := dev.put(make([]byte, n*d.Size()), 0)
	dev.launch(fmt.Sprintf("cast_%s_%s", s, d), grid, p, out, layout1(v, seed%2 == 0), uint64(n))
	got := decode[D](d, dev.get(out, n*d.Size()))
	for i, x := range picked(v, in) {
		if want := ref(x); got[i] != want && !(want != want && got[i] != got[i]) {
			t.Errorf("%s: element %d: of %v got %v, want %v", v.name, i, x, got[i], want)
			break
		}
	}
	dev.reset()
}

func saturated(t kernels.DType, x float64) int64 {
	bits := 8 * t.Size()
	low, end := -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1)
	if unsigned(t) {
		low, end = 0, math.Ldexp(1, bits)
	}
	switch {
	case x != x:
		return 0
	case x <= low:
		return int64(low)
	case x >= end && end == 0x1p64:
		return -1 // the bits of the maximum
	case x >= end:
		return int64(uint64(end) - 1)
	case low == 0:
		return int64(uint64(x))
	}
	return int64(x)
}

// rounded is x, of an integer type, as a value of a float type, rounded once.
func rounded(from, t kernels.DType, x int64) float64 {
	exact := new(big.Float).SetInt64(x)
	if from == kernels.U64 {
		exact.SetUint64(uint64(x))
	}
	switch t {
	case kernels.F64:
		f, _ := exact.Float64()
		return f
	case kernels.F32:
		f, _ := exact.Float32()
		return float64(f)
	}
	digits := uint(11)
	switch t {
	case kernels.BF16:
		digits = 8
	case kernels.F8E4M3:
		digits = 4
	}
	f, _ := exact.SetMode(big.ToNearestEven).SetPrec(digits).Float64()
	switch {
	case t == kernels.F16 && math.Abs(f) > 65504:
		return math.Inf(exact.Sign())
	case t == kernels.F8E4M3:
		return max(-448, min(448, f))
	}
	return f
}
