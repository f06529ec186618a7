package signal_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
)

// onDevices runs f on every device of this machine: an AMD GPU may be the emulated one.
func onDevices(t *testing.T, f func(t *testing.T, dev *tensor.Device)) {
	for _, name := range []string{"cpu", "rocm", "cuda"} {
		t.Run(name, func(t *testing.T) {
			dev, err := tensor.NewDevice(name)
			if err != nil {
				t.Skip(err)
			}
			f(t, dev)
		})
	}
}

// array is an array that SciPy computed. The parts of complex numbers are a last dim.
type array struct {
	Shape  []int
	Values []float64
}

func recorded(t *testing.T) map[string]array {
	t.Helper()
	text, err := os.ReadFile("testdata/scipy.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]array
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// suite runs cases on a device.
type suite struct {
	t    *testing.T
	dev  *tensor.Device
	dt   tensor.DType
	want map[string]array
	seen map[string]bool
}

func (s *suite) input(name string) *tensor.Tensor {
	s.seen[name] = true
	a := s.want[name]
	x := s.dev.FromSlice(a.Values, a.Shape...)
	if name == "z" {
		x = x.ViewAsComplex()
		if s.dt == tensor.F32 {
			return x.ToDType(tensor.C64)
		}
		return x
	}
	return x.ToDType(s.dt)
}

// check compares with what SciPy computed.
func (s *suite) check(name string, got *tensor.Tensor) {
	s.t.Helper()
	s.seen[name] = true
	want, ok := s.want[name]
	if !ok {
		s.t.Errorf("%s is not recorded", name)
		return
	}
	if got.DType().IsComplex() {
		got = got.ViewAsReal()
	}
	if !slices.Equal(got.Dims(), want.Shape) {
		s.t.Errorf("%s: shape %v, want %v", name, got.Dims(), want.Shape)
		return
	}
	s.numbers(name, got.Float64s(), want.Values)
}

func (s *suite) numbers(name string, got, want []float64) {
	s.t.Helper()
	tolerance, largest := 2e-10, 0.0
	if s.dt == tensor.F32 {
		tolerance = 4e-6
	}
	for _, w := range want {
		largest = math.Max(largest, math.Abs(w))
	}
	for i, w := range want {
		if !(math.Abs(got[i]-w) <= tolerance*math.Max(largest, 1e-300)) {
			s.t.Errorf("%s: number %d is %g, want %g of at most %g", name, i, got[i], w, largest)
			return
		}
	}
}

// list compares numbers on the host.
func (s *suite) list(name string, got []float64) {
	s.t.Helper()
	s.check(name, tensor.CPU().FromSlice(got, len(got)))
}

// TestSciPy compares all functions with SciPy's.
func TestSciPy(t *testing.T) {
	thorough.Slow(t)
	want := recorded(t)
	onDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, dt := range []tensor.DType{tensor.F64, tensor.F32} {
			t.Run(dt.String(), func(t *testing.T) {
				s := &suite{t, dev, dt, want, map[string]bool{}}
				s.filters()
				s.spectra()
				s.resampling()
				if dt == tensor.F64 {
					s.designs()
					for name := range want {
						if !s.seen[name] {
							t.Errorf("%s is not compared", name)
						}
					}
				}
			})
		}
	})
}
