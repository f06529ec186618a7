package fft_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/fft"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
)

// gradientCases take the parts of complex numbers x [2, 7], or the real ones alone.
var gradientCases = []struct {
	name string
	run  func(x *tensor.Tensor) *tensor.Tensor
}{
	{"fft", func(x *tensor.Tensor) *tensor.Tensor { return fft.FFT(x) }},
	{"fft of real numbers", func(x *tensor.Tensor) *tensor.Tensor { return fft.FFT(x.Real()) }},
	{"ifft of two dims", func(x *tensor.Tensor) *tensor.Tensor { return fft.IFFT(x, 1, 0) }},
	{"ortho", func(x *tensor.Tensor) *tensor.Tensor { return fft.Form{Norm: fft.Ortho}.FFT(x) }},
	{"padded and cut", func(x *tensor.Tensor) *tensor.Tensor {
		return fft.Form{Dims: []int{0, 1}, Sizes: []int{3, 4}}.FFT(x)
	}},
	{"rfft of odd length", func(x *tensor.Tensor) *tensor.Tensor { return fft.RFFT(x.Real()) }},
	{"rfft of even length", func(x *tensor.Tensor) *tensor.Tensor { return fft.Form{Sizes: []int{8}}.RFFT(x.Real()) }},
	{"rfft of two dims", func(x *tensor.Tensor) *tensor.Tensor { return fft.RFFT(x.Imag(), 1, 0) }},
	{"irfft to even length", func(x *tensor.Tensor) *tensor.Tensor { return fft.IRFFT(x, 0) }},
	{"irfft to odd length", func(x *tensor.Tensor) *tensor.Tensor { return fft.IRFFT(x, 13) }},
	{"irfft of two dims", func(x *tensor.Tensor) *tensor.Tensor { return fft.IRFFT(x, 6, 0, 1) }},
	{"hfft", func(x *tensor.Tensor) *tensor.Tensor { return fft.HFFT(x, 9) }},
	{"ihfft", func(x *tensor.Tensor) *tensor.Tensor { return fft.IHFFT(x.Real()) }},
	{"shift", func(x *tensor.Tensor) *tensor.Tensor { return fft.Shift(x) }},
	{"stft", func(x *tensor.Tensor) *tensor.Tensor {
		return fft.STFT(x.Real(), fft.Frames{Size: 4, Hop: 2, Window: fft.Hann(4, true, tensor.F64, x.Device())})
	}},
	{"istft", func(x *tensor.Tensor) *tensor.Tensor {
		f := fft.Frames{Size: 12, Hop: 3, Window: fft.Hamming(12, true, tensor.F64, x.Device())}
		return fft.ISTFT(x.T(), f, 0) // [7 frequencies, 2 frames]
	}},
	{"convolve", func(x *tensor.Tensor) *tensor.Tensor { return fft.Convolve(x, x.Narrow(1, 0, 3), fft.Same) }},
	{"correlate", func(x *tensor.Tensor) *tensor.Tensor {
		return fft.Correlate(x.Real(), x.Imag().Narrow(1, 0, 3), fft.Valid)
	}},
}

// TestGradients compares gradients with central differences in F64.
func TestGradients(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		values := draw(14, 11, false)
		for _, c := range gradientCases {
			loss := func(parts *tensor.Tensor) *tensor.Tensor {
				y := c.run(parts.ViewAsComplex())
				if y.DType().IsComplex() {
					y = y.ViewAsReal()
				}
				n := y.ElemCount()
				weights := y.Device().Arange(tensor.F64, 0.5, 0.5+0.25*float64(n)-0.1, 0.25).Sin()
				return y.FlattenAll().Mul(weights).Sum()
			}
			x := put(values, []int{2, 7}, tensor.C128, dev).ViewAsReal().Contiguous()
			v := tensor.NewVar(x)
			grads := loss(v).Backward().Get(v).Float64s()
			if dev.Emulated() { // differences are too slow there, and those of the CPU are tested
				v := tensor.NewVar(x.ToDevice(tensor.CPU()))
				for i, want := range loss(v).Backward().Get(v).Float64s() {
					if !(math.Abs(grads[i]-want) <= 1e-10*(1+math.Abs(want))) {
						t.Fatalf("%s: the gradient with respect to part %d is %v, on the CPU %v", c.name, i, grads[i], want)
					}
				}
				continue
			}
			flat := x.FlattenAll().Float64s()
			for i := range flat {
				const step = 1e-5
				shifted := func(d float64) float64 {
					list := append([]float64(nil), flat...)
					list[i] += d
					return loss(dev.New(list).Reshape(2, 7, 2)).ToScalar()
				}
				if want := (shifted(step) - shifted(-step)) / (2 * step); math.Abs(grads[i]-want) > 1e-7*(1+math.Abs(want)) {
					t.Fatalf("%s: the gradient with respect to part %d is %v, differences give %v", c.name, i, grads[i], want)
				}
			}
		}
	})
}

// TestErrors: what is wrong, and what the messages say.
func TestErrors(t *testing.T) {
	x := tensor.Of(1, 2, 3, 4)
	for _, c := range []struct {
		name string
		run  func() *tensor.Tensor
		kind error
		want string
	}{
		{"scalar", func() *tensor.Tensor { return fft.FFT(x.Sum()) }, tensor.ErrShape, "a scalar has no dim to transform"},
		{"no such dim", func() *tensor.Tensor { return fft.FFT(x, 1) }, tensor.ErrShape,
			"fft: no dim 1 in a tensor of shape [4]"},
		{"no such dim to shift", func() *tensor.Tensor { return fft.Shift(x, -2) }, tensor.ErrShape, "fftshift: no dim -2"},
		{"twice", func() *tensor.Tensor { return fft.IFFT(x, 0, -1) }, tensor.ErrShape, "given twice"},
		{"empty", func() *tensor.Tensor { return fft.FFT(x.Narrow(0, 0, 0)) }, tensor.ErrShape, "want at least one"},
		{"one number", func() *tensor.Tensor { return fft.IRFFT(x.Narrow(0, 0, 1), 0) }, tensor.ErrShape, "want at least one"},
		{"negative", func() *tensor.Tensor { return fft.Form{Sizes: []int{-3}}.RFFT(x) }, tensor.ErrShape, "want at least one"},
		{"sizes", func() *tensor.Tensor { return fft.Form{Dims: []int{0}, Sizes: []int{1, 2}}.FFT(x) }, tensor.ErrShape,
			"2 sizes for 1 dims"},
		{"norm", func() *tensor.Tensor { return fft.Form{Norm: 3}.FFT(x) }, tensor.ErrShape, "no norm 3"},
		{"complex", func() *tensor.Tensor { return fft.RFFT(fft.FFT(x)) }, tensor.ErrDType, "the elements are complex"},
		{"window", func() *tensor.Tensor { return fft.Hann(0, true, tensor.F32, tensor.CPU()) }, tensor.ErrShape, "at least one"},
		{"frequencies", func() *tensor.Tensor { return fft.Freq(0, 1, tensor.F32, tensor.CPU()) }, tensor.ErrShape, "at least one"},
		{"short", func() *tensor.Tensor { return fft.STFT(x, fft.Frames{Size: 16}) }, tensor.ErrShape, "to reflect on each side"},
		{"frame", func() *tensor.Tensor { return fft.STFT(x, fft.Frames{Size: 5, NoCenter: true}) }, tensor.ErrShape,
			"shorter than a frame"},
		{"no frame", func() *tensor.Tensor { return fft.STFT(x, fft.Frames{}) }, tensor.ErrShape, "frames of 0 elements"},
		{"hop", func() *tensor.Tensor { return fft.STFT(x, fft.Frames{Size: 2, Hop: -1}) }, tensor.ErrShape, "a hop of -1"},
		{"long window", func() *tensor.Tensor { return fft.STFT(x, fft.Frames{Size: 2, Window: x}) }, tensor.ErrShape,
			"at most 2 numbers"},
		{"frequencies of istft", func() *tensor.Tensor {
			return fft.ISTFT(fft.FFT(x).Reshape(2, 2), fft.Frames{Size: 4}, 0)
		}, tensor.ErrShape, "want [… 3 frequencies, frames]"},
		{"gaps", func() *tensor.Tensor {
			f := fft.Frames{Size: 2, Hop: 3, NoCenter: true}
			return fft.ISTFT(fft.STFT(tensor.Of(1, 2, 3, 4, 5, 6), f), f, 0)
		}, tensor.ErrShape, "the squares of the windows"},
		{"ranks", func() *tensor.Tensor { return fft.Convolve(x, x.Unsqueeze(0), fft.Full) }, tensor.ErrShape, "one rank"},
		{"scalars", func() *tensor.Tensor { return fft.Correlate(x.Sum(), x.Sum(), fft.Full) }, tensor.ErrShape,
			"correlate: want operands of one rank"},
		{"mode", func() *tensor.Tensor { return fft.Convolve(x, x, 7) }, tensor.ErrShape, "no mode 7"},
		{"mel", func() *tensor.Tensor { return fft.Mel{Count: 3}.Filters(8, tensor.F32, tensor.CPU()) }, tensor.ErrShape,
			"no 3 filters"},
	} {
		_, err := tensor.Try(c.run)
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %v with %q", c.name, err, c.kind, c.want)
		}
	}
	if got := fft.FFT(tensor.Zeros(0, 4)); got.Dim(0) != 0 || got.DType() != tensor.C64 {
		t.Errorf("no rows give %v %v", got.Dims(), got.DType())
	}
}
