package interpolate_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/interpolate"
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

// array is an array that SciPy computed.
type array struct {
	Shape  []int
	Values []float64
}

// suite runs cases on a device.
type suite struct {
	*testing.T
	dev  *tensor.Device
	dt   tensor.DType
	want map[string]array
	seen map[string]bool
}

func newSuite(t *testing.T, dev *tensor.Device, dt tensor.DType) *suite {
	text, err := os.ReadFile("testdata/scipy.json")
	if err != nil {
		t.Fatal(err)
	}
	s := &suite{T: t, dev: dev, dt: dt, seen: map[string]bool{}}
	if err := json.Unmarshal(text, &s.want); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *suite) input(name string) *tensor.Tensor {
	s.seen[name] = true
	a := s.want[name]
	return s.dev.FromSlice(a.Values, a.Shape...).ToDType(s.dt)
}

// check compares a result with SciPy's, with a tolerance relative to the larger of the element and 1.
func (s *suite) check(name string, got *tensor.Tensor) {
	s.Helper()
	want, ok := s.want[name]
	s.seen[name] = true
	if !ok || !slices.Equal(got.Dims(), want.Shape) || got.DType() != s.dt {
		s.Errorf("%s: %v of %v, want shape %v of %v", name, got.Dims(), got.DType(), want.Shape, s.dt)
		return
	}
	tol := map[tensor.DType]float64{tensor.F64: 1e-9, tensor.F32: 3e-4}[s.dt]
	values := got.Float64s()
	for i, w := range want.Values {
		if w == 1e300 && math.IsNaN(values[i]) {
			continue
		}
		if !(math.Abs(values[i]-w) <= tol*max(1, math.Abs(w))) {
			s.Errorf("%s: element %d is %.12g, want %.12g", name, i, values[i], w)
			return
		}
	}
}

// fails checks that f panics with an error of a kind.
func fails(t *testing.T, what string, kind error, f func()) {
	t.Helper()
	err := tensor.Catch(func() error { f(); return nil })
	if !errors.Is(err, kind) {
		t.Errorf("%s: %v, want the error %q", what, err, kind)
	}
}

// TestSciPy compares all interpolants with SciPy's, with few points and many.
func TestSciPy(t *testing.T) {
	onDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, dt := range []tensor.DType{tensor.F64, tensor.F32} {
			s := newSuite(t, dev, dt)
			for _, n := range []int{2, 3, 4, 5, 12} {
				if dev.IsCPU() || n != 4 {
					s.cubics(n)
					s.locals(n)
				}
				s.splines(n)
			}
			s.grids()
			if dt == tensor.F64 {
				s.scattered()
			}
			if dev.IsCPU() {
				for name := range s.want {
					if dt == tensor.F64 && !s.seen[name] && name != "smoothing gcv" && name != "noisy x" && name != "noisy y" {
						t.Errorf("%s is recorded and not compared", name)
					}
				}
			}
		}
	})
}

func (s *suite) points(n int) (x, y, q *tensor.Tensor) {
	return s.input(fmt.Sprint("x ", n)), s.input(fmt.Sprint("y ", n)), s.input(fmt.Sprint("q ", n))
}

func (s *suite) cubics(n int) {
	x, y, q := s.points(n)
	loop := tensor.Cat([]*tensor.Tensor{y.Narrow(0, 0, n-1), y.Narrow(0, 0, 1)}, 0)
	first, last := x.ToVec1()[0], x.ToVec1()[n-1]
	for name, o := range map[string]interpolate.SplineOptions{
		"not-a-knot": {}, "natural": {Boundary: interpolate.Natural}, "clamped": {Boundary: interpolate.Clamped},
		"periodic":   {Boundary: interpolate.PeriodicSpline},
		"slopes":     {Boundary: interpolate.Slopes, Ends: [2]float64{0.5, -2}},
		"curvatures": {Boundary: interpolate.Curvatures, Ends: [2]float64{0.5, -2}},
	} {
		v := y
		if name == "periodic" {
			v = loop
		}
		p := interpolate.CubicSpline(x, v, o)
		s.check(fmt.Sprintf("cubic %s %d", name, n), p.At(q))
		s.check(fmt.Sprintf("cubic %s integral %d", name, n), p.Integrate(first+0.1, last-0.05))
		s.check(fmt.Sprintf("cubic %s derivative %d", name, n), p.Derivative(1).At(q))
		for i, bounds := range [][2]float64{{0, 1}, {-0.3, 0.4}, {0.6, 1.2}, {-1.5, 2.25}, {1.5, -0.75}, {2, 5}, {-3, -3.5}, {7.1, 7.1}} {
			s.check(fmt.Sprintf("cubic %s integral %d beyond %d", name, n, i),
				p.Integrate(first+bounds[0]*(last-first), first+bounds[1]*(last-first)))
		}
	}
	s.check(fmt.Sprint("antiderivative ", n), interpolate.CubicSpline(x, y, interpolate.SplineOptions{}).Antiderivative().At(q))
}

func (s *suite) locals(n int) {
	x, y, q := s.points(n)
	far := interpolate.Options{Outside: interpolate.Extrapolate}
	s.check(fmt.Sprint("pchip ", n), interpolate.PCHIP(x, y, far).At(q))
	s.check(fmt.Sprint("akima ", n), interpolate.Akima(x, y, far).At(q))
	s.check(fmt.Sprint("makima ", n), interpolate.Makima(x, y, far).At(q))
	for kind, name := range []string{"linear", "nearest", "previous", "next"} {
		p := interpolate.Interp1D(x, y, interpolate.Interp1DOptions{Kind: interpolate.Kind(kind), Outside: interpolate.Clamp})
		s.check(fmt.Sprintf("%s %d", name, n), p.At(q))
	}
}

func (s *suite) splines(n int) {
	x, y, q := s.points(n)
	for k := 1; k <= 5 && k < n; k++ {
		s.check(fmt.Sprintf("spline %d %d", k, n), interpolate.MakeInterpSpline(x, y, interpolate.InterpSplineOptions{Degree: k}).At(q))
	}
	if n < 5 {
		return
	}
	for _, lam := range []float64{1e-3, 1, 1e3} {
		s.check(fmt.Sprintf("smoothing %g %d", lam, n),
			interpolate.MakeSmoothingSpline(x, y, interpolate.SmoothingOptions{Lam: lam}).At(q))
	}
	w := s.want[fmt.Sprint("weights ", n)].Values
	s.seen[fmt.Sprint("weights ", n)] = true
	s.check(fmt.Sprint("smoothing weights ", n),
		interpolate.MakeSmoothingSpline(x, y.GetOnDim(1, 0), interpolate.SmoothingOptions{Lam: 0.1, Weights: w}).At(q))
}

func (s *suite) grids() {
	var axes []*tensor.Tensor
	for i := range 3 {
		axes = append(axes, s.input(fmt.Sprint("axis ", i)))
	}
	values, places := s.input("values"), s.input("places")
	if s.dt == tensor.F32 {
		places = places.Minimum(tensor.Stack([]*tensor.Tensor{axes[0].Max(), axes[1].Max(), axes[2].Max()}, 0)) // rounding
	}
	for method, name := range []string{"linear", "nearest", "cubic"} {
		m := interpolate.GridMethod(method)
		s.check("grid "+name, interpolate.RegularGrid(axes, values, interpolate.GridOptions{Method: m}).At(places))
		far := interpolate.RegularGrid(axes, values, interpolate.GridOptions{Method: m, Outside: interpolate.Extrapolate})
		s.check("grid "+name+" far", far.At(places.Affine(1.2, -0.2)))
	}
}

func (s *suite) scattered() {
	points, to, heights := s.input("scattered"), s.input("to"), s.input("heights")
	for k, name := range []string{"thin_plate_spline", "linear", "cubic", "quintic", "gaussian", "multiquadric",
		"inverse_multiquadric", "inverse_quadratic"} {
		f := interpolate.RBF(points, heights, interpolate.RBFOptions{Kernel: interpolate.Kernel(k), Epsilon: 1.5})
		s.check("rbf "+name, f.At(to))
	}
	s.check("rbf smooth", interpolate.RBF(points, heights, interpolate.RBFOptions{Smoothing: 0.1, Degree: new(2)}).At(to))
	line := interpolate.RBF(s.dev.Arange(tensor.F64, 30).Unsqueeze(1), heights.GetOnDim(1, 0), interpolate.RBFOptions{Kernel: interpolate.CubicKernel})
	s.check("rbf line", line.At(to.I(":, :1").Mul(10)))
	places := s.input("scattered places")
	for name, method := range map[string]interpolate.GridMethod{"linear": interpolate.GridLinear,
		"nearest": interpolate.GridNearest, "cubic": interpolate.GridCubic} {
		s.check("griddata "+name, interpolate.GridData(points, heights, places, method))
	}
}

// TestCrossValidation: the weight of the curvature that SciPy chooses, too.
func TestCrossValidation(t *testing.T) {
	s := newSuite(t, tensor.CPU(), tensor.F64)
	x := s.input("noisy x")
	got := interpolate.MakeSmoothingSpline(x, s.input("noisy y"), interpolate.SmoothingOptions{}).At(x)
	want := s.input("smoothing gcv")
	if worst := got.Sub(want).Abs().Max().ToScalar(); !(worst < 1e-4) {
		t.Errorf("differs by %g", worst)
	}
}
