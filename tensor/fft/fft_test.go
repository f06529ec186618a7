package fft_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/fft"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
)

// draw returns n complex numbers that a C64 has, or their real parts alone.
func draw(n int, seed uint64, real bool) []complex128 {
	r := rand.New(rand.NewPCG(seed, 1))
	x := make([]complex128, n)
	for i := range x {
		x[i] = complex(float64(float32(r.NormFloat64())), float64(float32(r.NormFloat64())))
		if real {
			x[i] = complex(re(x[i]), 0)
		}
	}
	return x
}

func re(c complex128) float64 { return real(c) }

// put returns numbers as a tensor of a type.
func put(x []complex128, shape []int, dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
	t := dev.New(x).Reshape(shape...)
	if !dt.IsComplex() {
		t = t.Real()
	}
	return t.ToDType(dt)
}

// get returns the elements of a tensor.
func get(t *tensor.Tensor) []complex128 {
	return tensor.ToVec1[complex128](t.ToDType(tensor.C128).FlattenAll())
}

// direct transforms the dims of x [shape] by the definition.
func direct(x []complex128, shape, dims []int, sign float64) []complex128 {
	for _, d := range dims {
		n, inner := shape[d], 1
		for _, s := range shape[d+1:] {
			inner *= s
		}
		roots := make([]complex128, n)
		for k := range roots {
			roots[k] = cmplx.Exp(complex(0, sign*2*math.Pi*float64(k)/float64(n)))
		}
		y := make([]complex128, len(x))
		for o := 0; o < len(x); o += n * inner {
			for i := range inner {
				for k := range n {
					sum := 0i
					for j := range n {
						sum += x[o+j*inner+i] * roots[j*k%n]
					}
					y[o+k*inner+i] = sum
				}
			}
		}
		x = y
	}
	return x
}

func times(x []complex128, factor float64) []complex128 {
	y := slices.Clone(x)
	for i := range y {
		y[i] *= complex(factor, 0)
	}
	return y
}

// near compares a result with what is wanted, within some units in the last place of its type times the norm of that,
// growing with the logarithm of the number of elements.
func near(t *testing.T, what string, got *tensor.Tensor, want []complex128) {
	t.Helper()
	values := get(got)
	if len(values) != len(want) {
		t.Fatalf("%s: %d elements, want %d", what, len(values), len(want))
	}
	eps := 0x1p-53
	if dt := got.DType(); dt == tensor.C64 || dt == tensor.F32 {
		eps = 0x1p-24
	}
	diff, norm := 0.0, 0.0
	for i, w := range want {
		d, n := cmplx.Abs(values[i]-w), cmplx.Abs(w)
		diff, norm = diff+d*d, norm+n*n
	}
	e, most := math.Sqrt(diff/max(norm, 1e-300)), eps*(4+4*math.Log2(float64(len(want)+1)))
	if !(e <= most) {
		t.Fatalf("%s: error %.2g of the norm, want at most %.2g", what, e, most)
	}
}

var lengths = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 19, 27, 31, 32, 37, 49, 53, 60, 64, 77, 100,
	121, 128, 169, 251, 256, 385, 512, 1000, 1024}

func TestLengths(t *testing.T) {
	thorough.Slow(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, n := range lengths {
			for _, dt := range []tensor.DType{tensor.C64, tensor.C128} {
				x := draw(2*n, uint64(n), false)
				shape := []int{2, n}
				y := put(x, shape, dt, dev)
				want := direct(x, shape, []int{1}, -1)
				near(t, fmt.Sprintf("FFT of %d %v", n, dt), fft.FFT(y), want)
				near(t, fmt.Sprintf("IFFT of %d %v", n, dt), fft.IFFT(y), times(direct(x, shape, []int{1}, 1), 1/float64(n)))
			}
			for _, dt := range []tensor.DType{tensor.F32, tensor.F64} {
				x := draw(2*n, uint64(n), true)
				y := put(x, []int{2, n}, dt, dev)
				var want []complex128
				all := direct(x, []int{2, n}, []int{1}, -1)
				for i := range 2 {
					want = append(want, all[i*n:][:n/2+1]...)
				}
				z := fft.RFFT(y)
				near(t, fmt.Sprintf("RFFT of %d %v", n, dt), z, want)
				near(t, fmt.Sprintf("IRFFT of %d %v", n, dt), fft.IRFFT(z, n), x)
			}
		}
	})
}

func TestDims(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, shape := range [][]int{{5, 6}, {17, 4, 3}, {2, 8, 1, 9}, {3, 40, 20}} {
			n := 1
			for _, s := range shape {
				n *= s
			}
			x := draw(n, 3, false)
			for _, dims := range [][]int{{0}, {1}, {0, 1}, {len(shape) - 1, 0}} {
				y, size := put(x, shape, tensor.C64, dev), 1
				for _, d := range dims {
					size *= shape[d]
				}
				what := fmt.Sprintf("dims %v of %v", dims, shape)
				near(t, "FFT of "+what, fft.FFT(y, dims...), direct(x, shape, dims, -1))
				near(t, "IFFT of "+what, fft.IFFT(y, dims...), times(direct(x, shape, dims, 1), 1/float64(size)))
				real := y.Real().Contiguous()
				back := fft.IRFFT(fft.RFFT(real, dims...), shape[dims[len(dims)-1]], dims...)
				near(t, "IRFFT and RFFT of "+what, back, get(real))
				// a view, whose elements are strided
				near(t, "FFT of a view, "+what, fft.FFT(y.T().T().Flip(0).Flip(0), dims...), direct(x, shape, dims, -1))
			}
		}
	})
}

// TestOffset transforms a part of a tensor that begins with an odd element.
func TestOffset(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		x := draw(13, 8, true)
		y := put(x, []int{13}, tensor.F32, dev).Narrow(0, 3, 10)
		near(t, "RFFT", fft.RFFT(y), direct(x[3:], []int{10}, []int{0}, -1)[:6])
		near(t, "FFT", fft.FFT(put(x, []int{13}, tensor.C64, dev).Narrow(0, 3, 10)), direct(x[3:], []int{10}, []int{0}, -1))
	})
}
