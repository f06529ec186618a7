package signal_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/fft"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
	"github.com/gorocm/gorocm/tensor/signal"
)

// direct is LFilter by its definition.
func direct(b, a, x []float64) []float64 {
	y := make([]float64, len(x))
	for t := range x {
		for k := 0; k < len(b) && k <= t; k++ {
			y[t] += b[k] * x[t-k]
		}
		for k := 1; k < len(a) && k <= t; k++ {
			y[t] -= a[k] * y[t-k]
		}
	}
	return y
}

func noise(n int) []float64 {
	r := rand.New(rand.NewPCG(5, 1))
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Round(r.NormFloat64()*1024) / 1024
	}
	return x
}

// TestLong filters signals of so many blocks that their ends take several levels of groups.
func TestLong(t *testing.T) {
	thorough.Slow(t)
	const n = 100_000
	x := noise(n)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, f := range [][2][]float64{{{0.1, 0.2}, {1, -0.9999}}, {{1}, {1, -1}}, {{0.5, 0, 1}, {1, -1.9, 0.95}},
			{{1}, {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, -0.5}}} {
			both := dev.FromSlice(append(x[:n:n], x...), 2, n)
			got := signal.LFilter(f[0], f[1], both, 1).Float64s()
			for i, w := range direct(f[0], f[1], x) {
				if math.Abs(got[i]-w) > 1e-9*(1+math.Abs(w)) || got[n+i] != got[i] {
					t.Fatalf("%v: element %d is %g and %g, want %g", f, i, got[i], got[n+i], w)
				}
			}
		}
	})
}

// TestParts filters a signal in parts, each from the state at the end of the one before.
func TestParts(t *testing.T) {
	thorough.Slow(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		x := dev.FromSlice(noise(3*400), 3, 400)
		b, a := signal.Butter(4, signal.Highpass, 0.3).BA()
		state, parts := dev.Zeros(tensor.F64, 3, 4), []*tensor.Tensor(nil)
		sos := signal.Butter(4, signal.Highpass, 0.3).SOS()
		states, cascade := dev.Zeros(tensor.F64, 2, 3, 2), []*tensor.Tensor(nil)
		for at := 0; at < 400; {
			n := min(at+1, 400-at) // 1, 2, 4, …
			var y *tensor.Tensor
			y, state = signal.LFilterFrom(b, a, x.Narrow(1, at, n), state, 1)
			parts = append(parts, y)
			y, states = signal.SOSFiltFrom(sos, x.Narrow(1, at, n).T(), states.Transpose(1, 2), 0)
			cascade, states = append(cascade, y.T()), states.Transpose(1, 2)
			at += n
		}
		for i, got := range []*tensor.Tensor{tensor.Cat(parts, 1), tensor.Cat(cascade, 1)} {
			if want := signal.LFilter(b, a, x, 1); !got.AllClose(want, 1e-10, 1e-10) {
				t.Errorf("%d: parts differ from the whole: by at most %v", i, got.Sub(want).Abs().Max())
			}
		}
	})
}

// gradientCases are functions of signals [2 40].
var gradientCases = []struct {
	name string
	run  func(x *tensor.Tensor) *tensor.Tensor
}{
	{"lfilter", func(x *tensor.Tensor) *tensor.Tensor {
		return signal.LFilter([]float64{1, 0.5}, []float64{1, -0.5, 0.25}, x, 1)
	}},
	{"lfilter of dim 0", func(x *tensor.Tensor) *tensor.Tensor {
		return signal.LFilter([]float64{1, 0.5}, []float64{1, -0.5}, x, 0)
	}},
	{"state", func(x *tensor.Tensor) *tensor.Tensor {
		y, end := signal.LFilterFrom([]float64{1, 0.5}, []float64{1, -0.5, 0.25}, x, x.Narrow(1, 3, 2), 1)
		return tensor.Cat([]*tensor.Tensor{y, end.Mul(3)}, 1)
	}},
	{"filtfilt", func(x *tensor.Tensor) *tensor.Tensor {
		return signal.FiltFilt([]float64{1, 0.5}, []float64{1, -0.5, 0.25}, x, 1)
	}},
	{"sosfiltfilt", func(x *tensor.Tensor) *tensor.Tensor {
		return signal.SOSFiltFilt(signal.Butter(3, signal.Lowpass, 0.3).SOS(), x, 1)
	}},
	{"convolve", func(x *tensor.Tensor) *tensor.Tensor { return signal.Convolve(x, x.Get(0).Narrow(0, 0, 3), fft.Same) }},
	{"welch", func(x *tensor.Tensor) *tensor.Tensor { _, p := signal.Welch(x, signal.Segments{Size: 16}); return p }},
	{"hilbert", func(x *tensor.Tensor) *tensor.Tensor { return signal.Hilbert(x, 1).ViewAsReal() }},
	{"detrend", func(x *tensor.Tensor) *tensor.Tensor { return signal.Detrend(x, signal.Linear, 1) }},
	{"resample", func(x *tensor.Tensor) *tensor.Tensor { return signal.Resample(x, 26, 1) }},
	{"resample poly", func(x *tensor.Tensor) *tensor.Tensor { return signal.ResamplePoly(x, 3, 4, 1) }},
	{"savgol", func(x *tensor.Tensor) *tensor.Tensor { return signal.SavgolFilter(x, 5, 2, 0, 1, 1) }},
	{"medfilt", func(x *tensor.Tensor) *tensor.Tensor { return signal.MedFilt(x, 3, 1) }},
	{"decimate", func(x *tensor.Tensor) *tensor.Tensor { return signal.Decimate(x, 3, 1) }},
}

// TestGradients compares gradients with differences in F64.
func TestGradients(t *testing.T) {
	thorough.Slow(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		values := noise(80)
		for _, c := range gradientCases {
			loss := func(x *tensor.Tensor) *tensor.Tensor {
				y := c.run(x).FlattenAll()
				return y.Mul(x.Device().Arange(tensor.F64, float64(y.ElemCount())).Mul(0.7).Sin()).Sum()
			}
			x := tensor.NewVar(dev.FromSlice(values, 2, 40))
			grad := loss(x).Backward().Get(x).Float64s()
			if dev.Emulated() { // differences are too slow there, and those of the CPU are tested
				x := tensor.NewVar(tensor.FromSlice(values, 2, 40))
				for i, want := range loss(x).Backward().Get(x).Float64s() {
					if !(math.Abs(grad[i]-want) <= 1e-10*(1+math.Abs(want))) {
						t.Errorf("%s: gradient %d is %g, on the CPU %g", c.name, i, grad[i], want)
					}
				}
				continue
			}
			for i := 0; i < len(values); i += 7 {
				const h = 1e-5
				ends := [2]float64{}
				for k, d := range []float64{-h, h} {
					moved := append([]float64{}, values...)
					moved[i] += d
					ends[k] = loss(dev.FromSlice(moved, 2, 40)).ToScalar()
				}
				if want := (ends[1] - ends[0]) / (2 * h); math.Abs(grad[i]-want) > 1e-6*(1+math.Abs(want)) {
					t.Errorf("%s: gradient %d is %g, want %g", c.name, i, grad[i], want)
				}
			}
		}
	})
}

// TestTypes: small floats are computed in F32 and rounded, integers are floats, and empty signals stay empty.
func TestTypes(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		b, a := signal.Butter(2, signal.Lowpass, 0.3).BA()
		x := dev.FromSlice(noise(60), 60)
		want := signal.LFilter(b, a, x, 0)
		for dt, result := range map[tensor.DType]tensor.DType{tensor.F16: tensor.F16, tensor.BF16: tensor.BF16,
			tensor.F32: tensor.F32, tensor.I32: tensor.F32, tensor.U8: tensor.F32} {
			y := signal.LFilter(b, a, x.ToDType(dt), 0)
			if y.DType() != result {
				t.Errorf("%v gives %v", dt, y.DType())
			}
			if dt.IsFloat() && !y.ToDType(tensor.F64).AllClose(want, 0.02, 0.02) {
				t.Errorf("%v: %v, want %v", dt, y, want)
			}
			for _, y := range []*tensor.Tensor{signal.MedFilt(x.ToDType(dt), 3, 0), signal.Resample(x.ToDType(dt), 9, 0),
				signal.Convolve(x.ToDType(dt), x.Narrow(0, 0, 3).ToDType(dt), fft.Full),
				signal.SavgolFilter(x.ToDType(dt), 5, 2, 0, 1, 0)} {
				if y.DType() != result {
					t.Errorf("%v gives %v", dt, y.DType())
				}
			}
		}
		if y := signal.LFilter(b, a, dev.Zeros(tensor.F32, 0, 5), 1); y.ElemCount() != 0 {
			t.Errorf("no signals give %v", y)
		}
		if ids, _ := signal.FindPeaks(dev.Zeros(tensor.F32, 0), signal.Peaks{}); ids.ElemCount() != 0 {
			t.Errorf("peaks of nothing: %v", ids)
		}
		if ids, _ := signal.FindPeaks(dev.New([]float64{0, 1, math.NaN(), 2, 1, 3, 1}), signal.Peaks{}); ids.ElemCount() != 1 {
			t.Errorf("peaks beside NaN: %v", ids)
		}
	})
}

// TestErrors: mistakes are errors of a kind that say what is wrong.
func TestErrors(t *testing.T) {
	x := tensor.CPU().Ones(tensor.F32, 20)
	one := []float64{1}
	for _, c := range []struct {
		run  func() *tensor.Tensor
		kind error
		want string
	}{
		{func() *tensor.Tensor { return signal.LFilter(one, []float64{0, 1}, x, 0) }, tensor.ErrValue, "first one is not 0"},
		{func() *tensor.Tensor { return signal.LFilter(one, []float64{1, math.NaN()}, x, 0) }, tensor.ErrValue, "not finite"},
		{func() *tensor.Tensor { return signal.LFilter(one, one, x, 1) }, tensor.ErrShape, "no dim 1"},
		{func() *tensor.Tensor { y, _ := signal.LFilterFrom(one, []float64{1, 2}, x, x, 0); return y }, tensor.ErrShape,
			"a state of 1 numbers"},
		{func() *tensor.Tensor { return signal.FiltFilt(one, []float64{1, -1}, x, 0) }, tensor.ErrValue, "sums to 0"},
		{func() *tensor.Tensor { return signal.FiltFilt(make([]float64, 7), []float64{1, 0.5}, x, 0) }, tensor.ErrShape,
			"more than 21 elements"},
		{func() *tensor.Tensor { return signal.SOSFilt(nil, x, 0) }, tensor.ErrValue, "no sections"},
		{func() *tensor.Tensor { signal.Butter(2, signal.Lowpass, 50); return x }, tensor.ErrValue, "fractions of half"},
		{func() *tensor.Tensor { signal.Butter(2, signal.Bandpass, 0.5); return x }, tensor.ErrValue, "1 cutoff"},
		{func() *tensor.Tensor { signal.Butter(0, signal.Lowpass, 0.5); return x }, tensor.ErrValue, "an order of"},
		{func() *tensor.Tensor { signal.ZPK{Poles: []complex128{1i}}.SOS(); return x }, tensor.ErrValue, "no conjugate"},
		{func() *tensor.Tensor { signal.FirWin(20, signal.Highpass, nil, 0.5); return x }, tensor.ErrValue, "an odd number"},
		{func() *tensor.Tensor { _, p := signal.Welch(x, signal.Segments{Size: 21}); return p }, tensor.ErrShape,
			"segments of 21"},
		{func() *tensor.Tensor { return signal.Hilbert(x.ToDType(tensor.C64), 0) }, tensor.ErrDType, "complex"},
		{func() *tensor.Tensor { return signal.MedFilt(x, 4, 0) }, tensor.ErrValue, "an odd number"},
		{func() *tensor.Tensor { return signal.SavgolFilter(x, 5, 5, 0, 1, 0) }, tensor.ErrValue, "an odd size"},
		{func() *tensor.Tensor { return signal.ResamplePoly(x, 0, 5, 0) }, tensor.ErrValue, "positive factors"},
		{func() *tensor.Tensor { return signal.Convolve(x, x.Narrow(0, 0, 0), fft.Full) }, tensor.ErrShape, "with elements"},
	} {
		_, err := tensor.Try(c.run)
		if err == nil || !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}
