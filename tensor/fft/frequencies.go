package fft

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Freq returns the frequencies of the n numbers of a transform, for samples that are `spacing` apart, in cycles per
// unit of the spacing: [0, 1, …, -2, -1]/(n·spacing), as a vector. It panics with ErrShape for n below 1.
func Freq(n int, spacing float64, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	return frequencies("fftfreq", n, false, spacing, dtype, dev)
}

// RFreq returns the frequencies of the n/2 + 1 numbers of RFFT: [0, 1, …, n/2]/(n·spacing).
func RFreq(n int, spacing float64, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	return frequencies("rfftfreq", n, true, spacing, dtype, dev)
}

// frequencies returns those of n numbers, or of the half of them that RFFT computes.
func frequencies(
	op string, n int, half bool, spacing float64, dtype tensor.DType, dev *tensor.Device,
) *tensor.Tensor {
	if n < 1 {
		extend.Shape(op, nil, "%d frequencies: want at least one", n)
	}
	count := n
	if half {
		count = n/2 + 1
	}
	t, list := extend.OnHost[float64](op, tensor.F64, count)
	for k := range list {
		list[k] = float64(k) / (float64(n) * spacing)
		if !half && k >= (n+1)/2 {
			list[k] = float64(k-n) / (float64(n) * spacing)
		}
	}
	return t.ToDevice(dev).ToDType(dtype)
}

// Shift moves frequency 0 to the middle of dims, or of all dims if none are given: element i goes to i + n/2, modulo n.
func Shift(x *tensor.Tensor, dims ...int) *tensor.Tensor { return shift("fftshift", x, dims, 1) }

// IShift is the inverse of Shift.
func IShift(x *tensor.Tensor, dims ...int) *tensor.Tensor { return shift("ifftshift", x, dims, -1) }

func shift(op string, x *tensor.Tensor, dims []int, sign int) *tensor.Tensor {
	if len(dims) == 0 {
		for d := range x.Rank() {
			dims = append(dims, d)
		}
	}
	whole := x
	for _, d := range dims {
		d = axis(op, x, d)
		x = x.Roll(sign*(x.Dim(d)/2), d)
	}
	return extend.Own(x, whole)
}
