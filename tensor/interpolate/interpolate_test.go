package interpolate_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
	"github.com/gorocm/gorocm/tensor/interpolate"
)

// suite compares with SciPy on a device.
type suite struct{ *testutil.Suite }

func newSuite(t *testing.T, dev *tensor.Device, dt tensor.DType) *suite {
	s := &suite{testutil.NewSuite(t, dev, dt, 3e-4, 1e-9)}
	s.Huge = math.NaN()
	return s
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
	thorough.Slow(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
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
			if dev.IsCPU() && dt == tensor.F64 {
				s.All("smoothing gcv", "noisy x", "noisy y")
			}
		}
	})
}

func (s *suite) points(n int) (x, y, q *tensor.Tensor) {
	return s.Input(fmt.Sprint("x ", n)), s.Input(fmt.Sprint("y ", n)), s.Input(fmt.Sprint("q ", n))
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
		s.Check(fmt.Sprintf("cubic %s %d", name, n), p.At(q))
		s.Check(fmt.Sprintf("cubic %s integral %d", name, n), p.Integrate(first+0.1, last-0.05))
		s.Check(fmt.Sprintf("cubic %s derivative %d", name, n), p.Derivative(1).At(q))
		for i, bounds := range [][2]float64{{0, 1}, {-0.3, 0.4}, {0.6, 1.2}, {-1.5, 2.25}, {1.5, -0.75}, {2, 5}, {-3, -3.5}, {7.1, 7.1}} {
			s.Check(fmt.Sprintf("cubic %s integral %d beyond %d", name, n, i),
				p.Integrate(first+bounds[0]*(last-first), first+bounds[1]*(last-first)))
		}
	}
	s.Check(fmt.Sprint("antiderivative ", n), interpolate.CubicSpline(x, y, interpolate.SplineOptions{}).Antiderivative().At(q))
}

func (s *suite) locals(n int) {
	x, y, q := s.points(n)
	far := interpolate.Options{Outside: interpolate.Extrapolate}
	s.Check(fmt.Sprint("pchip ", n), interpolate.PCHIP(x, y, far).At(q))
	s.Check(fmt.Sprint("akima ", n), interpolate.Akima(x, y, far).At(q))
	s.Check(fmt.Sprint("makima ", n), interpolate.Makima(x, y, far).At(q))
	for kind, name := range []string{"linear", "nearest", "previous", "next"} {
		p := interpolate.Interp1D(x, y, interpolate.Interp1DOptions{Kind: interpolate.Kind(kind), Outside: interpolate.Clamp})
		s.Check(fmt.Sprintf("%s %d", name, n), p.At(q))
	}
}

func (s *suite) splines(n int) {
	x, y, q := s.points(n)
	for k := 1; k <= 5 && k < n; k++ {
		s.Check(fmt.Sprintf("spline %d %d", k, n), interpolate.MakeInterpSpline(x, y, interpolate.InterpSplineOptions{Degree: k}).At(q))
	}
	if n < 5 {
		return
	}
	for _, lam := range []float64{1e-3, 1, 1e3} {
		s.Check(fmt.Sprintf("smoothing %g %d", lam, n),
			interpolate.MakeSmoothingSpline(x, y, interpolate.SmoothingOptions{Lam: lam}).At(q))
	}
	w := s.Array(fmt.Sprint("weights ", n)).Values
	s.Check(fmt.Sprint("smoothing weights ", n),
		interpolate.MakeSmoothingSpline(x, y.GetOnDim(1, 0), interpolate.SmoothingOptions{Lam: 0.1, Weights: w}).At(q))
}

func (s *suite) grids() {
	var axes []*tensor.Tensor
	for i := range 3 {
		axes = append(axes, s.Input(fmt.Sprint("axis ", i)))
	}
	values, places := s.Input("values"), s.Input("places")
	if s.DType == tensor.F32 {
		places = places.Minimum(tensor.Stack([]*tensor.Tensor{axes[0].Max(), axes[1].Max(), axes[2].Max()}, 0)) // rounding
	}
	for method, name := range []string{"linear", "nearest", "cubic"} {
		m := interpolate.GridMethod(method)
		s.Check("grid "+name, interpolate.RegularGrid(axes, values, interpolate.GridOptions{Method: m}).At(places))
		far := interpolate.RegularGrid(axes, values, interpolate.GridOptions{Method: m, Outside: interpolate.Extrapolate})
		s.Check("grid "+name+" far", far.At(places.Affine(1.2, -0.2)))
	}
}

func (s *suite) scattered() {
	points, to, heights := s.Input("scattered"), s.Input("to"), s.Input("heights")
	for k, name := range []string{"thin_plate_spline", "linear", "cubic", "quintic", "gaussian", "multiquadric",
		"inverse_multiquadric", "inverse_quadratic"} {
		f := interpolate.RBF(points, heights, interpolate.RBFOptions{Kernel: interpolate.Kernel(k), Epsilon: 1.5})
		s.Check("rbf "+name, f.At(to))
	}
	s.Check("rbf smooth", interpolate.RBF(points, heights, interpolate.RBFOptions{Smoothing: 0.1, Degree: new(2)}).At(to))
	line := interpolate.RBF(s.Dev.Arange(tensor.F64, 30).Unsqueeze(1), heights.GetOnDim(1, 0), interpolate.RBFOptions{Kernel: interpolate.CubicKernel})
	s.Check("rbf line", line.At(to.I(":, :1").Mul(10)))
	places := s.Input("scattered places")
	for name, method := range map[string]interpolate.GridMethod{"linear": interpolate.GridLinear,
		"nearest": interpolate.GridNearest, "cubic": interpolate.GridCubic} {
		s.Check("griddata "+name, interpolate.GridData(points, heights, places, method))
	}
}

// TestCrossValidation: the weight of the curvature that SciPy chooses, too.
func TestCrossValidation(t *testing.T) {
	s := newSuite(t, tensor.CPU(), tensor.F64)
	x := s.Input("noisy x")
	got := interpolate.MakeSmoothingSpline(x, s.Input("noisy y"), interpolate.SmoothingOptions{}).At(x)
	want := s.Input("smoothing gcv")
	if worst := got.Sub(want).Abs().Max().ToScalar(); !(worst < 1e-4) {
		t.Errorf("differs by %g", worst)
	}
}
