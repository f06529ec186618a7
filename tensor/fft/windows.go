package fft

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// The windows are vectors of n numbers. A periodic one begins again after n numbers, as short-time transforms and
// PyTorch have it; otherwise it is symmetric, as filters and NumPy have it. They panic with ErrShape for n below 1.

// Hann returns the window 0.5 - 0.5·cos(2πi/m), where m is n if it is periodic, and n - 1 otherwise.
func Hann(n int, periodic bool, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	return cosines("hann", n, periodic, dtype, dev, 0.5, 0.5)
}

// Hamming returns the window 0.54 - 0.46·cos(2πi/m), with m as for Hann.
func Hamming(n int, periodic bool, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	return cosines("hamming", n, periodic, dtype, dev, 0.54, 0.46)
}

// Blackman returns the window 0.42 - 0.5·cos(2πi/m) + 0.08·cos(4πi/m), with m as for Hann.
func Blackman(n int, periodic bool, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	return cosines("blackman", n, periodic, dtype, dev, 0.42, 0.5, 0.08)
}

// BlackmanHarris returns the window of four cosines whose side lobes are 92 dB below the main one (Harris, "On the use
// of windows for harmonic analysis with the discrete Fourier transform", 1978), with m as for Hann.
func BlackmanHarris(n int, periodic bool, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	return cosines("blackman_harris", n, periodic, dtype, dev, 0.35875, 0.48829, 0.14128, 0.01168)
}

// Bartlett returns the triangular window 1 - |2i/m - 1|, with m as for Hann.
func Bartlett(n int, periodic bool, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	return window("bartlett", n, periodic, dtype, dev, func(x float64) float64 { return 1 - math.Abs(2*x-1) })
}

// Kaiser returns the window I₀(β·√(1 - (2i/m - 1)²))/I₀(β), with m as for Hann; I₀ is the modified Bessel function of
// order 0. β = 0 is a rectangle, 14 a narrow window with side lobes below rounding errors of F32.
func Kaiser(n int, beta float64, periodic bool, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	return window("kaiser", n, periodic, dtype, dev, func(x float64) float64 {
		return bessel(beta*math.Sqrt(max(0, 1-(2*x-1)*(2*x-1)))) / bessel(beta)
	})
}

// Gaussian returns the window exp(-((i - m/2)/deviation)²/2), with m as for Hann; the standard deviation is in numbers.
func Gaussian(n int, deviation float64, periodic bool, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	m := float64(n - 1)
	if periodic {
		m = float64(n)
	}
	return window("gaussian", n, periodic, dtype, dev, func(x float64) float64 {
		d := m * (x - 0.5) / deviation
		return math.Exp(-d * d / 2)
	})
}

// Tukey returns the window that is 1 but for a fraction of its numbers, half of them at each end, which are those of
// Hann's: 0.5 - 0.5·cos(2πi/(fraction·m)), with m as for Hann. A fraction of 0 is a rectangle, 1 is Hann's window.
func Tukey(n int, fraction float64, periodic bool, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	return window("tukey", n, periodic, dtype, dev, func(x float64) float64 {
		if x >= fraction/2 {
			return 1
		}
		return 0.5 - 0.5*math.Cos(2*math.Pi*x/fraction)
	})
}

// bessel is I₀(x), the sum of (x/2)^2k/k!²: all terms are positive.
func bessel(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > sum*0x1p-60; k++ {
		term *= (x / 2) * (x / 2) / (k * k)
		sum += term
	}
	return sum
}

// cosines is a window of cosines with alternating signs.
func cosines(
	op string, n int, periodic bool, dtype tensor.DType, dev *tensor.Device, factors ...float64,
) *tensor.Tensor {
	return window(op, n, periodic, dtype, dev, func(x float64) float64 {
		sum := 0.0
		for k, f := range factors {
			if k%2 != 0 {
				f = -f
			}
			sum += f * math.Cos(2*math.Pi*float64(k)*x)
		}
		return sum
	})
}

// window is a window whose element i is f(i/m).
func window(
	op string, n int, periodic bool, dtype tensor.DType, dev *tensor.Device, f func(x float64) float64,
) *tensor.Tensor {
	if n < 1 {
		extend.Shape(op, nil, "a window of %d numbers: want at least one", n)
	}
	w, list := extend.OnHost[float64](op, tensor.F64, n)
	m := n - 1
	if periodic {
		m = n
	}
	for i := range list {
		list[i] = 1
		if n > 1 {
			list[i] = f(float64(min(i, m-i)) / float64(m)) // the second half is exactly the first one reversed
		}
	}
	return w.ToDevice(dev).ToDType(dtype)
}
