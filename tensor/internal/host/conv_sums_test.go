package host

import (
	"fmt"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// TestDepthwiseSums compares sums with their definition, bit for bit: windows with all kinds of strides and padding,
// rows that are longer than a block of sums, and more taps than input.
func TestDepthwiseSums(t *testing.T) {
	thorough.Slow(t)
	for _, x := range []kernels.Window{
		{In: 40, Taps: 9, Out: 32, OutStep: 1, InStep: 1, TapStep: 1},
		{In: 40, Taps: 11, Out: 48, OutStep: 1, InStep: 1, TapStep: 1, Offset: -9},
		{In: 3, Taps: 10, Out: 9, OutStep: 1, InStep: 1, TapStep: 1, Offset: -8},
		{In: 1, Taps: 4, Out: 12, OutStep: 1, InStep: 1, TapStep: 1, Offset: -6},
		{In: 41, Taps: 5, Out: 23, OutStep: 2, InStep: 1, TapStep: 1, Offset: -3},
		{In: 41, Taps: 6, Out: 30, OutStep: 1, InStep: 1, TapStep: 3, Offset: -2},
		{In: 9, Taps: 6, Out: 20, OutStep: 1, InStep: 2, TapStep: 1, Offset: -5},
		{In: 3*sumsAtOnce + 7, Taps: 13, Out: 3*sumsAtOnce + 7, OutStep: 1, InStep: 1, TapStep: 1, Offset: -6},
		{In: 2 * sumsAtOnce, Taps: 7, Out: 2*sumsAtOnce + 10, OutStep: 1, InStep: 1, TapStep: -1, Offset: 2},
	} {
		for _, y := range []kernels.Window{
			{In: 1, Taps: 1, Out: 1, OutStep: 1, InStep: 1, TapStep: 1},
			{In: 4, Taps: 3, Out: 4, OutStep: 1, InStep: 1, TapStep: 1, Offset: -1},
		} {
			p := kernels.Conv{Planes: 6, Channels: 3, Multiplier: 2, Y: y, X: x}
			t.Run(fmt.Sprint(x, y), func(t *testing.T) {
				testDepthwise[float64, float64](t, kernels.F64, p)
				testDepthwise[float32, float64](t, kernels.F32, p)
				testDepthwise[int16, int64](t, kernels.I16, p)
			})
		}
	}
}

func testDepthwise[T element, S int64 | float64](t *testing.T, dt kernels.DType, p kernels.Conv) {
	t.Helper()
	operand := func(n int) (backend.Operand, []T) {
		h, e := newElems[T](n, sizeOf[T]())
		for i := range e {
			e[i] = T((i*7919)%201-100) / 3 // sums depend on their order
		}
		return backend.Operand{Store: h, DType: dt, Layout: backend.Dense([]int{n})}, e
	}
	in, src := operand(int(p.Planes * p.Y.In * p.X.In))
	weight, w := operand(int(p.Channels * p.Multiplier * p.Y.Taps * p.X.Taps))
	got := View[T](depthwiseSums[T, S](in, weight, p).(*Storage).Data)
	at := 0
	for plane := range int(p.Planes * p.Multiplier) {
		image := src[plane/int(p.Multiplier)*int(p.Y.In*p.X.In):]
		taps := w[plane%int(p.Channels*p.Multiplier)*int(p.Y.Taps*p.X.Taps):]
		for r := range int(p.Y.Out) {
			for c := range int(p.X.Out) {
				sum := S(0)
				for j := range int(p.Y.Taps) {
					for k := range int(p.X.Taps) {
						if y, x := inputIndex(p.Y, r, j), inputIndex(p.X, c, k); x >= 0 && y >= 0 {
							sum += S(S(image[y*int(p.X.In)+x]) * S(taps[j*int(p.X.Taps)+k]))
						}
					}
				}
				if got[at] != T(sum) {
					t.Fatalf("%v: plane %d, row %d, column %d is %v, want %v", dt, plane, r, c, got[at], T(sum))
				}
				at++
			}
		}
	}
}
