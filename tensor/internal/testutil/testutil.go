// Package testutil is what the tests of packages of operations share: a run on every device of this machine, and the
// comparison with arrays that SciPy has computed.
package testutil

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
)

// OnDevices runs f on every device of this machine: an AMD GPU may be the emulated one.
func OnDevices(t *testing.T, f func(t *testing.T, dev *tensor.Device)) {
	t.Helper()
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

// Array is an array that SciPy computed. The parts of complex numbers are a last dim.
type Array struct {
	Shape  []int
	Values []float64
}

// SciPy reads the arrays of testdata/scipy.json.
func SciPy(t *testing.T) map[string]Array {
	t.Helper()
	text, err := os.ReadFile("testdata/scipy.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]Array
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// Suite compares what a device computes in a dtype with arrays of SciPy's.
type Suite struct {
	*testing.T
	Dev   *tensor.Device
	DType tensor.DType
	Want  map[string]Array
	Tol   float64 // relative to the larger of an element and 1, or to the largest element
	// ToLargest: the tolerance is relative to the largest element, as errors of filters are.
	ToLargest bool
	// OrF64: results may be F64 also where the suite computes in F32.
	OrF64 bool
	// Huge stands for the recorded 1e300: JSON has no infinity and no NaN.
	Huge float64

	seen map[string]bool
}

// NewSuite reads the arrays of testdata/scipy.json. tol32 is the tolerance in F32, tol64 that in F64.
func NewSuite(t *testing.T, dev *tensor.Device, dt tensor.DType, tol32, tol64 float64) *Suite {
	t.Helper()
	s := &Suite{T: t, Dev: dev, DType: dt, Want: SciPy(t), Tol: tol64, Huge: 1e300, seen: map[string]bool{}}
	if dt == tensor.F32 {
		s.Tol = tol32
	}
	return s
}

// Array is a recorded array.
func (s *Suite) Array(name string) Array {
	s.Helper()
	a, ok := s.Want[name]
	if !ok {
		s.Fatalf("%s is not recorded", name)
	}
	s.seen[name] = true
	return a
}

// Input is a recorded array in the suite's dtype.
func (s *Suite) Input(name string) *tensor.Tensor {
	s.Helper()
	a := s.Array(name)
	return s.Dev.FromSlice(a.Values, a.Shape...).ToDType(s.DType)
}

// Check compares a tensor with the array of a name: its shape, that its dtype is the suite's if it has floats, and its
// elements.
func (s *Suite) Check(name string, got *tensor.Tensor) {
	s.Helper()
	want := s.Array(name)
	if got.DType().IsComplex() {
		got = got.ViewAsReal()
	}
	if !slices.Equal(got.Dims(), want.Shape) {
		s.Errorf("%s: shape %v, want %v", name, got.Dims(), want.Shape)
		return
	}
	if dt := got.DType(); dt.IsFloat() && dt != s.DType && !(s.OrF64 && dt == tensor.F64) {
		s.Errorf("%s: dtype %v, want %v", name, dt, s.DType)
	}
	s.Numbers(name, got.ToDType(tensor.F64).Float64s())
}

// Numbers compares numbers with the array of a name.
func (s *Suite) Numbers(name string, got []float64) {
	s.Helper()
	want := s.Array(name).Values
	if len(got) != len(want) {
		s.Errorf("%s: %d numbers, want %d", name, len(got), len(want))
		return
	}
	largest := 1e-300
	for _, w := range want {
		largest = max(largest, math.Abs(w))
	}
	for i, w := range want {
		scale := max(1, math.Abs(w))
		if s.ToLargest {
			scale = largest
		}
		if w == 1e300 {
			w = s.Huge
		}
		if g := got[i]; !(g == w || math.Abs(g-w) <= s.Tol*scale || g != g && w != w) {
			s.Errorf("%s: element %d is %.12g, want %.12g", name, i, g, w)
			return
		}
	}
}

// All reports what is recorded and has not been compared, but for some.
func (s *Suite) All(but ...string) {
	s.Helper()
	for name := range s.Want {
		if !s.seen[name] && !slices.Contains(but, name) {
			s.Errorf("%s is recorded and not compared", name)
		}
	}
}
