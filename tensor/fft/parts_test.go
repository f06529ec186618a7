package fft_test

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/fft"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
)

// TestWindows has values of NumPy 2.4 and SciPy 1.17.
func TestWindows(t *testing.T) {
	cpu := tensor.CPU()
	for _, c := range []struct {
		name string
		got  *tensor.Tensor
		want []float64
	}{
		{"hann, symmetric", fft.Hann(5, false, tensor.F64, cpu), []float64{0, 0.5, 1, 0.5, 0}},
		{"hann", fft.Hann(6, true, tensor.F64, cpu), []float64{0, 0.25, 0.75, 1, 0.75, 0.25}},
		{"hamming", fft.Hamming(6, true, tensor.F64, cpu), []float64{0.08, 0.31, 0.77, 1, 0.77, 0.31}},
		{"blackman, symmetric", fft.Blackman(6, false, tensor.F64, cpu), []float64{0, 0.20077014326253051,
			0.84922985673746942, 0.84922985673746942, 0.20077014326253051, 0}},
		{"blackman_harris", fft.BlackmanHarris(6, true, tensor.F64, cpu), []float64{6e-05, 0.055645, 0.520575, 1,
			0.520575, 0.055645}},
		{"bartlett, symmetric", fft.Bartlett(6, false, tensor.F64, cpu), []float64{0, 0.4, 0.8, 0.8, 0.4, 0}},
		{"bartlett", fft.Bartlett(6, true, tensor.F64, cpu), []float64{0, 1.0 / 3, 2.0 / 3, 1, 2.0 / 3, 1.0 / 3}},
		{"kaiser, symmetric", fft.Kaiser(5, 8.6, false, tensor.F64, cpu), []float64{0.0013325139979024198,
			0.34039362244018856, 1, 0.34039362244018856, 0.0013325139979024198}},
		{"kaiser", fft.Kaiser(6, 14, true, tensor.F64, cpu), []float64{7.7268668352703676e-06, 0.032885525977867799,
			0.46271649780079116, 1, 0.46271649780079116, 0.032885525977867799}},
		{"gaussian", fft.Gaussian(6, 1.5, true, tensor.F64, cpu), []float64{0.1353352832366127, 0.41111229050718745,
			0.8007374029168081, 1, 0.8007374029168081, 0.41111229050718745}},
		{"one element", fft.Hann(1, false, tensor.F64, cpu), []float64{1}},
	} {
		if got := c.got.Float64s(); !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 4e-16 }) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestFrequencies(t *testing.T) {
	cpu := tensor.CPU()
	for _, c := range []struct {
		name string
		got  *tensor.Tensor
		want []float64
	}{
		{"two, real", fft.RFreq(2, 0.5, tensor.F64, cpu), []float64{0, 1}},
		{"two", fft.Freq(2, 0.5, tensor.F64, cpu), []float64{0, -1}},
		{"fftfreq", fft.Freq(5, 0.1, tensor.F64, cpu), []float64{0, 2, 4, -4, -2}},
		{"fftfreq, even", fft.Freq(4, 1, tensor.F32, cpu), []float64{0, 0.25, -0.5, -0.25}},
		{"rfftfreq", fft.RFreq(6, 0.5, tensor.F32, cpu), []float64{0, float64(float32(1.0 / 3)), float64(float32(2.0 / 3)), 1}},
		{"shift", fft.Shift(tensor.Of(0, 1, 2, 3, 4)), []float64{3, 4, 0, 1, 2}},
		{"ishift", fft.IShift(fft.Shift(tensor.Of(0, 1, 2, 3, 4))), []float64{0, 1, 2, 3, 4}},
		{"shift of one dim", fft.Shift(tensor.Of(0, 1, 2, 3).Reshape(2, 2), 1), []float64{1, 0, 3, 2}},
	} {
		if got := c.got.Float64s(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestNorms: the factors, lengths that are cut and padded, and transforms of Hermitian signals, from the definition.
func TestNorms(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		x := draw(10, 5, false)
		y := put(x, []int{10}, tensor.C128, dev)
		whole := direct(x, []int{10}, []int{0}, -1)
		near(t, "ortho", fft.Form{Norm: fft.Ortho}.FFT(y), times(whole, 1/math.Sqrt(10)))
		near(t, "forward", fft.Form{Norm: fft.Forward}.FFT(y), times(whole, 0.1))
		near(t, "inverse, forward", fft.Form{Norm: fft.Forward}.IFFT(y), direct(x, []int{10}, []int{0}, 1))
		near(t, "cut", fft.Form{Sizes: []int{7}}.FFT(y), direct(x[:7], []int{7}, []int{0}, -1))
		near(t, "padded", fft.Form{Sizes: []int{12}}.FFT(y), direct(append(slices.Clone(x), 0, 0), []int{12}, []int{0}, -1))
		real := y.Real().Contiguous()
		for _, norm := range []fft.Norm{fft.Backward, fft.Ortho, fft.Forward} {
			f := fft.Form{Norm: norm, Sizes: []int{10}}
			near(t, "irfft(rfft)", f.IRFFT(f.RFFT(real)), get(real))
			near(t, "hfft(ihfft)", f.HFFT(f.IHFFT(real)), get(real))
			near(t, "ifft(fft)", f.IFFT(f.FFT(y)), x)
		}
		// values of NumPy 2.4
		h := put([]complex128{1, 2 + 1i, 3 - 1i, 4}, []int{4}, tensor.C128, dev)
		near(t, "hfft", fft.HFFT(h, 0), []complex128{15, -4, 3.4641016151377544, -1, -3.4641016151377544, -4})
		near(t, "ihfft", fft.IHFFT(dev.New([]float64{1, 2, 3, 4, 5})), []complex128{3, -0.5 - 0.6881909602355867i, -0.5 - 0.1624598481164532i})
	})
}

func TestTypes(t *testing.T) {
	for _, c := range []struct {
		from, forward, back tensor.DType
	}{
		{tensor.F32, tensor.C64, tensor.F32}, {tensor.F64, tensor.C128, tensor.F64}, {tensor.F16, tensor.C64, tensor.F32},
		{tensor.BF16, tensor.C64, tensor.F32}, {tensor.I64, tensor.C64, tensor.F32}, {tensor.Bool, tensor.C64, tensor.F32},
	} {
		x := tensor.Of(0, 1, 1, 0, 1).ToDType(c.from)
		y := fft.RFFT(x)
		z := fft.IRFFT(y, 5)
		if y.DType() != c.forward || z.DType() != c.back || fft.FFT(x).DType() != c.forward {
			t.Errorf("%v: transforms of %v and %v, back as %v", c.from, y.DType(), fft.FFT(x).DType(), z.DType())
		}
		near(t, c.from.String(), z, []complex128{0, 1, 1, 0, 1})
	}
}

// TestSTFT compares every number with a transform of its frame.
func TestSTFT(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		x := draw(2*41, 7, true)
		signal := put(x, []int{2, 41}, tensor.F64, dev)
		window := fft.Hann(8, true, tensor.F64, dev)
		w := make([]complex128, 10) // in the middle of a frame of 10
		copy(w[1:], get(window))
		for _, c := range []struct {
			name string
			f    fft.Frames
		}{
			{"centred", fft.Frames{Size: 10, Hop: 3, Window: window}},
			{"zeros", fft.Frames{Size: 10, Hop: 3, Window: window, Pad: 0}},
			{"not centred", fft.Frames{Size: 10, Hop: 4, Window: window, NoCenter: true}},
			{"normalized", fft.Frames{Size: 10, Window: window, Normalized: true}},
			{"two-sided", fft.Frames{Size: 10, Hop: 3, Window: window, TwoSided: true}},
		} {
			got := fft.STFT(signal, c.f)
			hop, bins := c.f.Hop, 6
			if hop == 0 {
				hop = 2
			}
			if c.f.TwoSided {
				bins = 10
			}
			var want []complex128
			count := 0
			for b := range 2 {
				row := func(i int) complex128 {
					if !c.f.NoCenter {
						i -= 5
					}
					if i >= 0 && i < 41 {
						return x[b*41+i]
					}
					if c.f.Pad == 0 {
						return 0
					}
					return x[b*41+40-int(math.Abs(40-math.Abs(float64(i))))]
				}
				n := 51
				if c.f.NoCenter {
					n = 41
				}
				count = (n-10)/hop + 1
				part := make([]complex128, bins*count)
				for i := range count {
					frame := make([]complex128, 10)
					for j := range frame {
						frame[j] = row(i*hop+j) * w[j]
					}
					for k, v := range direct(frame, []int{10}, []int{0}, -1)[:bins] {
						if c.f.Normalized {
							v /= complex(math.Sqrt(10), 0)
						}
						part[k*count+i] = v
					}
				}
				want = append(want, part...)
			}
			if !slices.Equal(got.Dims(), []int{2, bins, count}) {
				t.Fatalf("%s: shape %v, want %v", c.name, got.Dims(), []int{2, bins, count})
			}
			near(t, c.name, got, want)
			if c.f.NoCenter {
				continue // the first elements are in no frame but under a zero of the window
			}
			length := (count-1)*hop + 10 - 10 // without the padding
			back := fft.ISTFT(got, c.f, 0)
			if !slices.Equal(back.Dims(), []int{2, length}) {
				t.Fatalf("%s: back with shape %v, want %v", c.name, back.Dims(), []int{2, length})
			}
			near(t, c.name+", back", back, get(signal.Narrow(1, 0, length)))
			if got := fft.ISTFT(got, c.f, 30).Dim(-1); got != 30 {
				t.Errorf("%s: length %d, want 30", c.name, got)
			}
		}
	})
}

// TestComplexSTFT: a complex signal has all frequencies, and comes back.
func TestComplexSTFT(t *testing.T) {
	x := draw(64, 9, false)
	signal := put(x, []int{64}, tensor.C128, tensor.CPU())
	f := fft.Frames{Size: 16, Window: fft.Hamming(16, true, tensor.F64, tensor.CPU()), TwoSided: true}
	y := fft.STFT(signal, f)
	if y.Dim(0) != 16 {
		t.Errorf("%d frequencies, want 16", y.Dim(0))
	}
	near(t, "back", fft.ISTFT(y, f, 64), x)
}

// convolved is a convolution along a vector by the definition.
func convolved(x, y []complex128) []complex128 {
	z := make([]complex128, len(x)+len(y)-1)
	for i, a := range x {
		for j, b := range y {
			z[i+j] += a * b
		}
	}
	return z
}

func TestConvolve(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, sizes := range [][2]int{{1, 1}, {7, 3}, {3, 8}, {40, 17}} {
			n, m := sizes[0], sizes[1]
			for _, dt := range []tensor.DType{tensor.F32, tensor.F64, tensor.C64, tensor.C128} {
				x, y := draw(n, 1, !dt.IsComplex()), draw(m, 2, !dt.IsComplex())
				a, b := put(x, []int{n}, dt, dev), put(y, []int{m}, dt, dev)
				full := convolved(x, y)
				what := fmt.Sprintf("%d by %d %v", n, m, dt)
				near(t, "full "+what, fft.Convolve(a, b, fft.Full), full)
				near(t, "same "+what, fft.Convolve(a, b, fft.Same), full[(m-1)/2:][:n])
				near(t, "valid "+what, fft.Convolve(a, b, fft.Valid), full[min(n, m)-1:][:max(n, m)-min(n, m)+1])
				slices.Reverse(y)
				for i := range y {
					y[i] = cmplx.Conj(y[i])
				}
				near(t, "correlate "+what, fft.Correlate(a, b, fft.Full), convolved(x, y))
			}
		}
		// two dims: the product of two convolutions
		row, col := []complex128{1, 2, 3}, []complex128{1, -1}
		a := put(row, []int{1, 3}, tensor.F64, dev).Mul(put(col, []int{2, 1}, tensor.F64, dev))
		want := []complex128{}
		for _, c := range convolved(col, col) {
			want = append(want, times(convolved(row, row), real(c))...)
		}
		near(t, "two dims", fft.Convolve(a, a, fft.Full, 0, 1), want)
		near(t, "integers", fft.Convolve(a.ToDType(tensor.I32), a.ToDType(tensor.I32), fft.Full, -2, -1), want)
	})
	// values of SciPy 1.17
	near(t, "scipy, same", fft.Convolve(tensor.Of(1, 2, 3), tensor.Of(0, 1, 0.5, 2), fft.Same), []complex128{1, 2.5, 6})
}

// TestMel compares with librosa's documentation and with the properties of the filters.
func TestMel(t *testing.T) {
	cpu := tensor.CPU()
	m := fft.Mel{Count: 128, Rate: 22050, Slaney: true, Area: true}.Filters(2048, tensor.F64, cpu)
	if !slices.Equal(m.Dims(), []int{128, 1025}) {
		t.Fatalf("shape %v", m.Dims())
	}
	if row := m.Get(0).Float64s(); row[0] != 0 || math.Abs(row[1]-0.016) > 0.0005 || math.Abs(row[2]-0.032) > 0.0005 {
		t.Errorf("the first filter begins with %.4f, librosa's with [0 0.016 0.032]", row[:3])
	}
	// filters without Area add up to 1 between the first and the last centre
	f := fft.Mel{Count: 20, Rate: 16000, Low: 100}.Filters(512, tensor.F64, cpu)
	sums := f.Sum(0).Float64s()
	low, high := 2595*math.Log10(1+100.0/700), 2595*math.Log10(1+8000.0/700)
	hz := func(i float64) float64 { return 700 * (math.Pow(10, (low+(high-low)*i/21)/2595) - 1) }
	for k, s := range sums {
		at := float64(k) * 16000 / 512
		if at >= hz(1) && at <= hz(20) && math.Abs(s-1) > 1e-12 || at <= 100 && s != 0 {
			t.Errorf("the filters add up to %v at %v Hz", s, at)
		}
	}
}
