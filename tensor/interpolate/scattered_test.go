package interpolate_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
	"github.com/gorocm/gorocm/tensor/interpolate"
	"github.com/gorocm/gorocm/tensor/spatial"
)

// scatteredPoints are points of a plane and positions between them.
func scatteredPoints(s *suite) (points, x *tensor.Tensor) {
	return s.Input("scattered"), s.Input("scattered places").Narrow(0, 5, 40)
}

// TestPolynomials: polynomials of degree 1 are reproduced by both functions in a plane, and functions are continuous
// with their derivatives where they should be.
func TestPolynomials(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		s := newSuite(t, dev, tensor.F64)
		points, x := scatteredPoints(s)
		plane := func(p *tensor.Tensor) *tensor.Tensor {
			return p.GetOnDim(1, 0).Mul(2).Sub(p.GetOnDim(1, 1)).Add(3)
		}
		found := spatial.Delaunay(points).Find(x)
		for _, method := range []interpolate.GridMethod{interpolate.GridLinear, interpolate.GridCubic} {
			got, triangles := interpolate.GridData(points, plane(points), x, method).Float64s(), found.Float64s()
			for i, w := range plane(x).Float64s() {
				if triangles[i] < 0 {
					w = math.NaN()
				}
				if v := got[i]; math.IsNaN(v) != math.IsNaN(w) || math.Abs(v-w) > 1e-12 {
					t.Errorf("method %d: a plane is %g at %d, want %g", method, v, i, w)
				}
			}
		}
		f := interpolate.CloughTocher2D(points, points.GetOnDim(1, 0).Sin())
		line := tensor.Stack([]*tensor.Tensor{dev.Linspace(tensor.F64, 0.6, 2.2, 4001), dev.Linspace(tensor.F64, 1, 1.9, 4001)}, 1)
		slopes := f.At(line).Diff(1, 0).Float64s()
		for i := 1; i < len(slopes); i++ {
			if math.Abs(slopes[i]-slopes[i-1]) > 0.01*slopes[0] {
				t.Fatalf("the slope changes from %g to %g at step %d", slopes[i-1], slopes[i], i)
			}
		}
	})
}

// TestScatteredGradients compares gradients with differences.
func TestScatteredGradients(t *testing.T) {
	thorough.Slow(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		s := newSuite(t, dev, tensor.F64)
		points, x := scatteredPoints(s)
		heights := s.Input("heights").GetOnDim(1, 0)
		linear := func(v, x *tensor.Tensor) *tensor.Tensor { return interpolate.Linear2D(points, v).At(x) }
		cubic := func(_, x *tensor.Tensor) *tensor.Tensor { return interpolate.CloughTocher2D(points, heights).At(x) }
		nearest := func(v, _ *tensor.Tensor) *tensor.Tensor { return interpolate.NearestND(points, v).At(x) }
		check := func(name string, at *tensor.Tensor, f func(x *tensor.Tensor) *tensor.Tensor) {
			sum := func(x *tensor.Tensor) *tensor.Tensor { return f(x).NanToNum().Sqr().Sum() }
			v := tensor.NewVar(at)
			got := sum(v).Backward().Get(v).Float64s()
			values := at.Float64s()
			for i := range values {
				moved := func(h float64) float64 {
					list := slices.Clone(values)
					list[i] += h
					return sum(dev.FromSlice(list, at.Dims()...)).ToScalar()
				}
				if want := (moved(1e-6) - moved(-1e-6)) / 2e-6; math.Abs(got[i]-want) > 1e-5*max(1, math.Abs(want)) {
					t.Errorf("%s: gradient %d is %g, want %g", name, i, got[i], want)
					return
				}
			}
		}
		check("linear by values", heights, func(v *tensor.Tensor) *tensor.Tensor { return linear(v, x) })
		check("linear by places", x, func(x *tensor.Tensor) *tensor.Tensor { return linear(heights, x) })
		check("cubic by places", x, func(x *tensor.Tensor) *tensor.Tensor { return cubic(heights, x) })
		check("nearest by values", heights, func(v *tensor.Tensor) *tensor.Tensor { return nearest(v, x) })
	})
}

func TestScatteredErrors(t *testing.T) {
	square, v := tensor.Of(0, 0, 1, 0, 0, 1, 1, 1).Reshape(4, 2), tensor.Of(1, 2, 3, 4)
	twice := tensor.Of(0, 0, 1, 0, 0, 1, 1, 0).Reshape(4, 2)
	space := tensor.CPU().Zeros(tensor.F64, 4, 3)
	fails(t, "duplicates", tensor.ErrValue, func() { interpolate.Linear2D(twice, v) })
	fails(t, "space", tensor.ErrShape, func() { interpolate.CloughTocher2D(space, v) })
	fails(t, "variables", tensor.ErrGradient, func() { interpolate.CloughTocher2D(square, tensor.NewVar(v)) })
	fails(t, "counts", tensor.ErrShape, func() { interpolate.NearestND(square, tensor.Of(1)) })
	fails(t, "places", tensor.ErrShape, func() { interpolate.Linear2D(square, v).At(tensor.Of(1)) })
	fails(t, "a method", tensor.ErrValue, func() { interpolate.GridData(square, v, square, 9) })
	if got := interpolate.Linear2D(square, v).At(tensor.Of(0.5, 0.5, 2, 0).Reshape(2, 2)).ToVec1(); !math.IsNaN(got[1]) {
		t.Errorf("outside the value is %g", got[1])
	}
}
