package signal_test

import (
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
)

// suite compares with SciPy on a device.
type suite struct{ *testutil.Suite }

func newSuite(t *testing.T, dev *tensor.Device, dt tensor.DType) *suite {
	s := &suite{testutil.NewSuite(t, dev, dt, 4e-6, 2e-10)}
	s.ToLargest, s.OrF64 = true, true // states and prominences are F64
	return s
}

func (s *suite) input(name string) *tensor.Tensor {
	if name != "z" {
		return s.Input(name)
	}
	a := s.Array(name)
	z := s.Dev.FromSlice(a.Values, a.Shape...).ViewAsComplex()
	if s.DType == tensor.F32 {
		z = z.ToDType(tensor.C64)
	}
	return z
}

// list compares numbers on the host.
func (s *suite) list(name string, got []float64) {
	s.Helper()
	s.Check(name, tensor.CPU().FromSlice(got, len(got)))
}

// TestSciPy compares all functions with SciPy's.
func TestSciPy(t *testing.T) {
	thorough.Slow(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, dt := range []tensor.DType{tensor.F64, tensor.F32} {
			t.Run(dt.String(), func(t *testing.T) {
				s := newSuite(t, dev, dt)
				s.filters()
				s.spectra()
				s.resampling()
				if dt == tensor.F64 {
					s.designs()
					s.All()
				}
			})
		}
	})
}
