package fft

import (
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Norm says by what transforms are multiplied. n is the number of elements that a transform has.
type Norm int

// The norms of NumPy and PyTorch.
const (
	Backward Norm = iota // inverse transforms by 1/n
	Ortho                // all transforms by 1/√n
	Forward              // forward transforms by 1/n
)

// Form describes transforms that are not those of one dim with the usual factor:
//
//	fft.Form{Dims: []int{0, 1}, Norm: fft.Ortho}.FFT(x)
//	fft.Form{Sizes: []int{1024}}.RFFT(x) // cut or padded with zeros to 1024 elements
type Form struct {
	Dims  []int // the dims to transform; none means the last one, or as many of the last ones as there are Sizes
	Sizes []int // the length of each of these dims, which is cut or padded with zeros; none, or 0, means its own
	Norm  Norm
}

// FFT returns the Fourier transform of x along dims, or along the last one if none are given: [… n …] gives complex
// numbers of the same shape. It panics with ErrShape when there is no such dim, or one is empty.
func FFT(x *tensor.Tensor, dims ...int) *tensor.Tensor { return Form{Dims: dims}.FFT(x) }

// IFFT returns the inverse Fourier transform along dims, or along the last one if none are given: IFFT(FFT(x)) is x, as
// complex numbers.
func IFFT(x *tensor.Tensor, dims ...int) *tensor.Tensor { return Form{Dims: dims}.IFFT(x) }

// RFFT returns the Fourier transform of real numbers along dims, or along the last one if none are given. Of the last
// of the dims, with n elements, it has numbers 0 to n/2: the others are their conjugates. It takes half the time of
// FFT. It panics with ErrDType for complex numbers.
func RFFT(x *tensor.Tensor, dims ...int) *tensor.Tensor { return Form{Dims: dims}.RFFT(x) }

// IRFFT is the inverse of RFFT. n is the length of the last of the dims, which its n/2 + 1 numbers do not tell: if it
// is 0, the length is even, 2·(numbers-1).
func IRFFT(x *tensor.Tensor, n int, dims ...int) *tensor.Tensor {
	f := Form{Dims: dims, Sizes: make([]int, max(len(dims), 1))}
	f.Sizes[len(f.Sizes)-1] = n
	return f.IRFFT(x)
}

// HFFT returns the transform of a signal whose number -j is the conjugate of number j, from its numbers 0 to n/2 along
// the last dim: n real numbers. If n is 0 it is even, 2·(numbers-1).
func HFFT(x *tensor.Tensor, n int) *tensor.Tensor { return Form{Sizes: []int{n}}.HFFT(x) }

// IHFFT is the inverse of HFFT: numbers 0 to n/2 of the inverse transform of n real numbers along the last dim.
func IHFFT(x *tensor.Tensor) *tensor.Tensor { return Form{}.IHFFT(x) }

// FFT is the function FFT in this form.
func (f Form) FFT(x *tensor.Tensor) *tensor.Tensor { return f.complex("fft", x, false) }

// IFFT is the function IFFT in this form.
func (f Form) IFFT(x *tensor.Tensor) *tensor.Tensor { return f.complex("ifft", x, true) }

func (f Form) complex(op string, x *tensor.Tensor, inverse bool) *tensor.Tensor {
	dims, sizes := f.resolve(op, x, 0)
	y := resize(toComplex(x), dims, sizes)
	return transform(op, y, dims, inverse, f.factor(inverse, sizes))
}

// RFFT is the function RFFT in this form.
func (f Form) RFFT(x *tensor.Tensor) *tensor.Tensor { return f.real("rfft", x, false) }

// IHFFT is the function IHFFT in this form, for one dim or several.
func (f Form) IHFFT(x *tensor.Tensor) *tensor.Tensor { return f.real("ihfft", x, true).Conj() }

// real transforms real numbers. The inverse transform is the conjugate of the result.
func (f Form) real(op string, x *tensor.Tensor, inverse bool) *tensor.Tensor {
	if x.DType().IsComplex() {
		extend.Fail(op, tensor.ErrDType, []*tensor.Tensor{x}, "fft.FFT(x) takes complex numbers",
			"the elements are complex: %v", x.DType())
	}
	dims, sizes := f.resolve(op, x, 0)
	last := len(dims) - 1
	y := resize(toFloat(x), dims, sizes)
	factor := f.factor(inverse, sizes)
	if dims[last] == y.Rank()-1 {
		return forward(op, y, dims[:last], factor)
	}
	y = forward(op, y.Transpose(dims[last], -1), nil, factor).Transpose(dims[last], -1)
	return transform(op, y, dims[:last], false, 1)
}

// IRFFT is the function IRFFT in this form; the last of Sizes is the n of its result.
func (f Form) IRFFT(x *tensor.Tensor) *tensor.Tensor { return f.toReal("irfft", x, true) }

// HFFT is the function HFFT in this form, for one dim or several; the last of Sizes is the n of its result.
func (f Form) HFFT(x *tensor.Tensor) *tensor.Tensor { return f.toReal("hfft", x.Conj(), false) }

// toReal computes real numbers from half of their transform. The forward transform is that of the conjugate.
func (f Form) toReal(op string, x *tensor.Tensor, inverse bool) *tensor.Tensor {
	dims, sizes := f.resolve(op, x, 1)
	last := len(dims) - 1
	n, kept := sizes[last], slices.Clone(sizes)
	kept[last] = n/2 + 1
	y := resize(toComplex(x), dims, kept)
	factor := f.factor(inverse, sizes)
	if dims[last] == y.Rank()-1 {
		return backward(op, y, dims[:last], n, factor)
	}
	y = transform(op, y, dims[:last], true, 1).Transpose(dims[last], -1)
	return backward(op, y, nil, n, factor).Transpose(dims[last], -1)
}

// resolve returns the dims and their lengths. half is 1 if the last of the dims has half of the numbers of a real
// signal, whose length is wanted.
func (f Form) resolve(op string, x *tensor.Tensor, half int) (dims, sizes []int) {
	fail := func(format string, args ...any) { extend.Shape(op, []*tensor.Tensor{x}, format, args...) }
	if x.Rank() == 0 {
		extend.ShapeNoting(op, []*tensor.Tensor{x}, "x.Unsqueeze(0) is a vector with this element",
			"a scalar has no dim to transform")
	}
	switch {
	case len(f.Dims) > 0:
		for _, d := range f.Dims {
			d = axis(op, x, d)
			if slices.Contains(dims, d) {
				fail("dim %d is given twice in %v", d, f.Dims)
			}
			dims = append(dims, d)
		}
	default:
		for i := range max(len(f.Sizes), 1) {
			dims = append(dims, axis(op, x, i-max(len(f.Sizes), 1)))
		}
	}
	if len(f.Sizes) > 0 && len(f.Sizes) != len(dims) {
		fail("%d sizes for %d dims", len(f.Sizes), len(dims))
	}
	if f.Norm < Backward || f.Norm > Forward {
		fail("there is no norm %d", f.Norm)
	}
	for i, d := range dims {
		n := x.Dim(d)
		if half == 1 && i == len(dims)-1 {
			n = 2 * (n - 1)
		}
		if len(f.Sizes) > 0 && f.Sizes[i] != 0 {
			n = f.Sizes[i]
		}
		if n < 1 || x.Dim(d) == 0 {
			fail("dim %d of shape %v would have %d elements: want at least one", d, x.Dims(), max(n, 0))
		}
		sizes = append(sizes, n)
	}
	return dims, sizes
}

// axis is the number of a dim that may count from the end.
func axis(op string, x *tensor.Tensor, dim int) int {
	rank := x.Rank()
	if dim < -rank || dim >= rank {
		extend.ShapeNoting(op, []*tensor.Tensor{x},
			fmt.Sprintf("dims are %d to %d; %d to -1 count from the end", 0, rank-1, -rank),
			"no dim %d in a tensor of shape %v", dim, x.Dims())
	}
	return (dim + rank) % rank
}

// factor is what a transform of dims of some lengths is multiplied by.
func (f Form) factor(inverse bool, sizes []int) float64 {
	n := 1.0
	for _, s := range sizes {
		n *= float64(s)
	}
	switch {
	case f.Norm == Ortho:
		return 1 / math.Sqrt(n)
	case (f.Norm == Forward) != inverse:
		return 1 / n
	}
	return 1
}

// resize cuts dims, or pads them with zeros.
func resize(x *tensor.Tensor, dims, sizes []int) *tensor.Tensor {
	for i, d := range dims {
		switch n := x.Dim(d); {
		case sizes[i] < n:
			x = x.Narrow(d, 0, sizes[i])
		case sizes[i] > n:
			x = x.Pad(d, 0, sizes[i]-n, 0)
		}
	}
	return x
}

// toFloat returns real numbers of the type in which they are transformed, F32 or F64.
func toFloat(x *tensor.Tensor) *tensor.Tensor {
	if !x.DType().IsFloat() {
		x = x.ToDType(tensor.DefaultDType())
	}
	return extend.Wide(x)
}

// toComplex returns complex numbers, C64 or C128.
func toComplex(x *tensor.Tensor) *tensor.Tensor {
	if x.DType().IsComplex() {
		return x
	}
	if x = toFloat(x); x.DType() == tensor.F64 {
		return x.ToDType(tensor.C128)
	}
	return x.ToDType(tensor.C64)
}
