package signal_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/fft"
	"github.com/gorocm/gorocm/tensor/signal"
)

func sections(s signal.Sections) *tensor.Tensor {
	var list []float64
	for _, c := range s {
		list = append(list, c[:]...)
	}
	return tensor.CPU().FromSlice(list, len(s), 6)
}

func (s *suite) filters() {
	x, xs, long, z := s.input("x"), s.input("xs"), s.input("long"), s.input("z")
	b, a := s.Array("b").Values, s.Array("a").Values
	s.Check("lfilter", signal.LFilter(b, a, x, 0))
	s.Check("lfilter fir", signal.LFilter([]float64{0.5, 0.25, 0.25}, []float64{2}, x, -1))
	s.Check("lfilter recursive", signal.LFilter([]float64{2}, []float64{1, -0.9, 0.5}, x, -1))
	s.Check("lfilter long", signal.LFilter(b, a, long, -1))
	s.Check("lfilter order 1", signal.LFilter([]float64{1}, []float64{1, -0.999}, long, -1))
	b9, a9 := signal.Butter(9, signal.Lowpass, 0.3).BA()
	s.Check("lfilter order 9", signal.LFilter(b9, a9, long, -1))
	state := s.Dev.New([]float64{0.5, -0.25, 0.125}).ToDType(s.DType)
	y, end := signal.LFilterFrom(b, a, xs, state.Reshape(1, 3, 1).BroadcastAs(3, 3, 2), 1)
	s.Check("lfilter dim", y)
	s.Check("lfilter end", end)
	y, end = signal.LFilterFrom(b, a, x.Narrow(0, 0, 2), state, 0)
	s.Check("lfilter short", y)
	s.Check("lfilter short end", end)
	s.Check("lfilter complex", signal.LFilter(b, a, z, 0))
	s.list("lfilter state", signal.LFilterState(b, a))
	s.Check("lfilter order", signal.LFilter(b, []float64{1, 0.25}, x, 0))
	s.Check("lfilter many", signal.LFilter(signal.FirWin(201, signal.Lowpass, nil, 0.3), []float64{1}, long, 0))
	s.Check("filtfilt", signal.FiltFilt(b, a, x, 0))
	s.Check("filtfilt dim", signal.FiltFilt(b, a, xs, -2))
	s.Check("filtfilt fir", signal.FiltFilt([]float64{0.5, 0.5}, []float64{1}, x, 0))
	s.cascades(x, xs, long)
	for mode, name := range []string{"full", "same", "valid"} {
		for _, n := range []int{4, 5, 150} {
			s.Check(fmt.Sprintf("convolve %s %d", name, n), signal.Convolve(x, x.Narrow(0, 0, n), fft.Mode(mode)))
			of := z
			if n > 100 {
				of = x
			}
			s.Check(fmt.Sprintf("correlate %s %d", name, n), signal.Correlate(of, of.Narrow(0, 0, n), fft.Mode(mode)))
		}
	}
}

func (s *suite) cascades(x, xs, long *tensor.Tensor) {
	butter := signal.Butter(5, signal.Bandpass, 0.2, 0.4).SOS()
	s.Check("sosfilt", signal.SOSFilt(butter, x, 0))
	s.Check("sosfilt long", signal.SOSFilt(butter, long, -1))
	var flat []float64
	for _, z := range butter.State() {
		flat = append(flat, z[:]...)
	}
	states := s.Dev.FromSlice(flat, 5, 2)
	s.Check("sosfilt state", states)
	y, end := signal.SOSFiltFrom(butter, x, states.ToDType(s.DType), 0)
	s.Check("sosfilt from", y)
	s.Check("sosfilt end", end)
	s.Check("sosfiltfilt", signal.SOSFiltFilt(butter, x, 0))
	s.Check("sosfiltfilt odd", signal.SOSFiltFilt(signal.Butter(3, signal.Lowpass, 0.3).SOS(), xs, 1))
}

func (s *suite) spectra() {
	x, xs, z := s.input("x"), s.input("xs"), s.input("z")
	for name, o := range map[string]signal.Segments{"": {}, " linear": {Trend: signal.Linear},
		" raw": {Trend: signal.NoTrend, Power: true}, " rate": {Rate: 8}} {
		_, p := signal.Periodogram(x, o)
		s.Check("periodogram"+name, p)
		o.Size = 64
		_, p = signal.Welch(x, o)
		s.Check("welch"+name, p)
		o.Size = 50
		if name != " raw" {
			_, _, p = signal.Spectrogram(x, o)
			s.Check("spectrogram"+name, p)
		}
	}
	f, _ := signal.Periodogram(x, signal.Segments{Rate: 8})
	s.Check("periodogram f", f)
	f, p := signal.Welch(x, signal.Segments{Rate: 8})
	s.Check("welch f", f)
	s.Check("welch defaults", p)
	_, p = signal.Welch(x, signal.Segments{Size: 45})
	s.Check("welch odd", p)
	_, p = signal.Welch(z, signal.Segments{Size: 32})
	s.Check("welch complex", p)
	f, t, p := signal.Spectrogram(x, signal.Segments{Rate: 8})
	s.Check("spectrogram f", f)
	s.Check("spectrogram t", t)
	s.Check("spectrogram defaults", p)
	s.Check("detrend", signal.Detrend(xs, signal.Linear, 1))
	s.Check("detrend constant", signal.Detrend(x, signal.Constant, 0))
	s.Check("hilbert", signal.Hilbert(x, 0))
	s.Check("hilbert odd", signal.Hilbert(xs.Narrow(1, 0, 39), 1))
	s.peaks(x)
}

func (s *suite) peaks(x *tensor.Tensor) {
	ids := func(name string, x *tensor.Tensor, p signal.Peaks) signal.PeakProperties {
		at, found := signal.FindPeaks(x, p)
		s.Check(name, at)
		return found
	}
	ids("peaks", x, signal.Peaks{})
	ids("peaks height", x, signal.Peaks{Height: signal.Between(1, 8)})
	ids("peaks distance", x, signal.Peaks{Distance: 9})
	p := ids("peaks prominence", x, signal.Peaks{Prominence: signal.AtLeast(1)})
	s.Check("prominences", p.Prominences)
	s.Check("left bases", p.LeftBases)
	s.Check("right bases", p.RightBases)
	p = ids("peaks flat", s.input("steps"), signal.Peaks{})
	s.Check("flat prominences", p.Prominences)
	s.Check("flat left", p.LeftBases)
	s.Check("flat right", p.RightBases)
}

func (s *suite) resampling() {
	x, xs, z := s.input("x"), s.input("xs"), s.input("z")
	for _, n := range []int{100, 101, 299, 300, 301, 450, 601} {
		s.Check(fmt.Sprintf("resample %d", n), signal.Resample(x, n, 0))
		s.Check(fmt.Sprintf("resample odd %d", n), signal.Resample(x.Narrow(0, 0, 299), n, 0))
	}
	s.Check("resample complex", signal.Resample(z, 70, 0))
	for _, f := range [][2]int{{1, 2}, {2, 1}, {3, 2}, {4, 6}, {5, 7}, {7, 5}, {1, 10}} {
		s.Check(fmt.Sprintf("poly %d %d", f[0], f[1]), signal.ResamplePoly(x, f[0], f[1], 0))
	}
	s.Check("poly dim", signal.ResamplePoly(xs, 3, 4, 1))
	for _, c := range [][3]int{{5, 2, 0}, {11, 3, 0}, {11, 3, 1}, {21, 4, 2}, {3, 0, 0}, {1, 0, 0}} {
		s.Check(fmt.Sprintf("savgol %d %d %d", c[0], c[1], c[2]), signal.SavgolFilter(x, c[0], c[1], c[2], 0.5, 0))
	}
	s.Check("savgol dim", signal.SavgolFilter(xs, 7, 2, 0, 1, 1))
	s.Check("medfilt", signal.MedFilt(x, 5, 0))
	s.Check("medfilt 1", signal.MedFilt(x, 1, 0))
	s.Check("decimate", signal.Decimate(x, 4, 0))
	s.Check("decimate dim", signal.Decimate(xs, 3, 1))
	s.Check("tukey", fft.Tukey(20, 0.4, false, s.DType, s.Dev))
	s.Check("tukey periodic", fft.Tukey(20, 0.25, true, s.DType, s.Dev))
}

func (s *suite) designs() {
	b, a := signal.Butter(3, signal.Lowpass, 0.2).BA()
	s.list("b", b)
	s.list("a", a)
	sos := signal.Butter(5, signal.Bandpass, 0.2, 0.4).SOS()
	s.Check("sos", sections(sos))
	for name := range s.Want {
		var kind, part, design string
		var order int
		n, _ := fmt.Sscan(name, &design, &kind, &order, &part)
		if n != 4 || design != "butter" && design != "cheby1" {
			continue
		}
		band, w := bandOf(kind)
		f := signal.Butter(order, band, w...)
		if design == "cheby1" {
			f = signal.Cheby1(order, 0.5, band, w...)
		}
		b, a := f.BA()
		switch part {
		case "b":
			s.list(name, b)
		case "a":
			s.list(name, a)
		case "sos":
			s.Check(name, sections(f.SOS()))
		}
	}
	for _, kind := range []string{"lowpass", "highpass", "bandpass", "bandstop"} {
		band, w := bandOf(kind)
		s.list("firwin "+kind, signal.FirWin(21, band, nil, w...))
		s.list("firwin "+kind+" kaiser", signal.FirWin(21, band, fft.Kaiser(21, 4, false, tensor.F64, s.Dev), w...))
	}
	s.list("firwin even", signal.FirWin(20, signal.Lowpass, nil, 0.3))
	w, h := signal.FreqZ(b, a, 50)
	s.Check("freqz w", w)
	s.Check("freqz", h)
	_, h = sos.FreqZ(33)
	s.Check("sosfreqz", h)
}

func bandOf(kind string) (signal.Band, []float64) {
	i := slices.Index(strings.Fields("lowpass highpass bandpass bandstop"), kind)
	if i < 2 {
		return signal.Band(i), []float64{0.3}
	}
	return signal.Band(i), []float64{0.2, 0.5}
}
