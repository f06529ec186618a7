package interpolate_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
	"github.com/gorocm/gorocm/tensor/interpolate"
	"github.com/gorocm/gorocm/tensor/linalg"
)

// TestGradients: those of interpolants with respect to positions are their derivatives, and those with respect to
// values are the differences of interpolants of other values.
func TestGradients(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		x := dev.New([]float64{0, 0.7, 1.5, 2.1, 3, 4.2})
		y0 := []float64{1, 3, 2, 2.5, -1, 0}
		loop := slices.Clone(y0)
		loop[5] = loop[0]
		q := dev.New([]float64{0.2, 0.9, 1.5, 2.4, 4})
		of := map[string]func(y *tensor.Tensor) *interpolate.Poly{
			"pchip":  func(y *tensor.Tensor) *interpolate.Poly { return interpolate.PCHIP(x, y, interpolate.Options{}) },
			"akima":  func(y *tensor.Tensor) *interpolate.Poly { return interpolate.Akima(x, y, interpolate.Options{}) },
			"makima": func(y *tensor.Tensor) *interpolate.Poly { return interpolate.Makima(x, y, interpolate.Options{}) },
			"linear": func(y *tensor.Tensor) *interpolate.Poly {
				return interpolate.Interp1D(x, y, interpolate.Interp1DOptions{})
			},
			"quintic": func(y *tensor.Tensor) *interpolate.Poly {
				return interpolate.MakeInterpSpline(x, y, interpolate.InterpSplineOptions{Degree: 5})
			},
			"smoothing": func(y *tensor.Tensor) *interpolate.Poly {
				return interpolate.MakeSmoothingSpline(x, y, interpolate.SmoothingOptions{Lam: 0.1})
			},
		}
		for b := interpolate.NotAKnot; b <= interpolate.Curvatures; b++ {
			if b != interpolate.PeriodicSpline {
				of["cubic "+string(rune('0'+b))] = func(y *tensor.Tensor) *interpolate.Poly {
					return interpolate.CubicSpline(x, y, interpolate.SplineOptions{Boundary: b})
				}
			}
		}
		of["periodic"] = func(y *tensor.Tensor) *interpolate.Poly { // of values without the last one
			return interpolate.CubicSpline(x, tensor.Cat([]*tensor.Tensor{y.Narrow(0, 0, 5), y.Narrow(0, 0, 1)}, 0),
				interpolate.SplineOptions{Boundary: interpolate.PeriodicSpline})
		}
		for name, f := range of {
			at, y := tensor.NewVar(q), tensor.NewVar(dev.New(y0))
			p := f(y)
			g := p.At(at).Sum().Backward()
			if d := p.Derivative(1).At(q); !g.Get(at).AllClose(d.Detach(), 1e-9, 1e-9) {
				t.Errorf("%s: gradient %v, derivative %v", name, g.Get(at), d)
			}
			for i, got := range g.Get(y).ToVec1() {
				const h = 1e-6
				sum := func(by float64) float64 {
					v := slices.Clone(y0)
					v[i] += by
					return f(dev.New(v)).At(q).Sum().ToScalar()
				}
				if want := (sum(h) - sum(-h)) / (2 * h); math.Abs(got-want) > 1e-6 {
					t.Errorf("%s: gradient %d is %g, want %g", name, i, got, want)
				}
			}
		}
		axes := []*tensor.Tensor{x, x.Narrow(0, 0, 4)}
		places := tensor.NewVar(dev.New([][]float64{{0.5, 1}, {3.3, 0.2}}))
		values := tensor.NewVar(dev.Arange(tensor.F64, 24).Sin().Reshape(6, 4))
		for _, m := range []interpolate.GridMethod{interpolate.GridLinear, interpolate.GridCubic} {
			total := func(v, p *tensor.Tensor) *tensor.Tensor {
				return interpolate.RegularGrid(axes, v, interpolate.GridOptions{Method: m}).At(p).Sum()
			}
			g := total(values, places).Backward()
			const h = 1e-6
			for k, v := range []*tensor.Tensor{values, places} {
				d := dev.Arange(tensor.F64, float64(v.ElemCount())).Cos().Reshape(v.Dims()...) // a direction
				shifted := func(by float64) float64 {
					args := []*tensor.Tensor{values.Detach(), places.Detach()}
					args[k] = args[k].Add(d.Mul(by))
					return total(args[0], args[1]).ToScalar()
				}
				want := (shifted(h) - shifted(-h)) / (2 * h)
				if got := g.Get(v).Mul(d).Sum().ToScalar(); math.Abs(got-want) > 1e-6 {
					t.Errorf("grid %d, argument %d: %g, want %g", m, k, got, want)
				}
			}
		}
	})
}

// TestRBF: gradients, types, points that do not determine a function, and many places at once.
func TestRBF(t *testing.T) {
	thorough.Slow(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		points := dev.New([][]float64{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0.4, 0.7}})
		values, places := tensor.NewVar(dev.New([]float64{1, 2, 0, 3, 5})), tensor.NewVar(dev.New([][]float64{{0.5, 0.5}, {1, 0}}))
		for k := interpolate.ThinPlate; k <= interpolate.InverseQuadratic; k++ {
			o := interpolate.RBFOptions{Kernel: k}
			if k == interpolate.QuinticKernel {
				o.Smoothing = 0.1 // there are too few points for its polynomial
				fails(t, "few points", tensor.ErrShape, func() { interpolate.RBF(points, values, o) })
				continue
			}
			of := func(v, p *tensor.Tensor) *tensor.Tensor { return interpolate.RBF(points, v, o).At(p).Sum() }
			g := of(values, places.Narrow(0, 0, 1)).Backward()
			const h = 1e-6
			for i, v := range []*tensor.Tensor{values, places} {
				d := dev.Arange(tensor.F64, float64(v.ElemCount())).Cos().Reshape(v.Dims()...)
				shifted := func(by float64) float64 {
					args := []*tensor.Tensor{values.Detach(), places.Detach()}
					args[i] = args[i].Add(d.Mul(by))
					return of(args[0], args[1].Narrow(0, 0, 1)).ToScalar()
				}
				want := (shifted(h) - shifted(-h)) / (2 * h)
				if got := g.Get(v).Mul(d).Sum().ToScalar(); math.Abs(got-want) > 1e-5 {
					t.Errorf("%v, argument %d: %g, want %g", k, i, got, want)
				}
			}
			if at := of(values, places.Narrow(0, 1, 1)).Backward().Get(places); at.IsFinite().All().ToScalar() != 1 {
				t.Errorf("%v: the gradient at a point is %v", k, at)
			}
		}
	})
	points, values := tensor.Of(0, 0, 1, 0, 0, 1, 1, 1).Reshape(4, 2), tensor.Of(1, 2, 3, 4)
	f := interpolate.RBF(points, values, interpolate.RBFOptions{})
	if got := f.At(points); !got.AllClose(values, 1e-5, 1e-5) || got.DType() != tensor.F32 {
		t.Error(got)
	}
	if got := f.At(tensor.Full(0.5, 700, 500, 2)); !slices.Equal(got.Dims(), []int{700, 500}) || math.Abs(got.Std().ToScalar()) > 1e-6 {
		t.Error(got.Dims())
	}
	if got := f.At(tensor.Zeros(0, 2)); got.ElemCount() != 0 {
		t.Error(got)
	}
	line := tensor.Arange(4).Unsqueeze(1).Mul(tensor.Of(1, 2))
	fails(t, "on a line", linalg.ErrSingular, func() { interpolate.RBF(line, values, interpolate.RBFOptions{}) })
	twice := points.I([]int{0, 1, 2, 1})
	fails(t, "twice", tensor.ErrValue, func() { interpolate.RBF(twice, values, interpolate.RBFOptions{}) })
	if got := interpolate.RBF(twice, values, interpolate.RBFOptions{Smoothing: 1}).At(twice); got.IsFinite().All().ToScalar() != 1 {
		t.Error(got)
	}
	fails(t, "degree", tensor.ErrValue, func() { interpolate.RBF(points, values, interpolate.RBFOptions{Degree: new(0)}) })
	fails(t, "places", tensor.ErrShape, func() { f.At(tensor.Zeros(2, 3)) })
	fails(t, "shapes", tensor.ErrShape, func() { interpolate.RBF(values, values, interpolate.RBFOptions{}) })
}

// TestOutside: what interpolants are beyond their points, at NaN, and for no positions.
func TestOutside(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		x, y := dev.New([]float64{0, 1, 2}), dev.New([]float64{0, 1, 4})
		q := dev.New([]float64{-1, 1.5, 3, math.NaN()})
		nan := math.NaN()
		for o, want := range map[interpolate.Outside][]float64{
			interpolate.Extrapolate: {1, 2.25, 9, nan}, interpolate.NaN: {nan, 2.25, nan, nan},
			interpolate.Clamp: {0, 2.25, 4, nan}, interpolate.Periodic: {1, 2.25, 1, nan}, interpolate.Auto: {1, 2.25, 9, nan},
		} {
			p := interpolate.CubicSpline(x, y, interpolate.SplineOptions{Outside: o})
			for i, got := range p.At(q).ToVec1() {
				if !(math.Abs(got-want[i]) < 1e-12) && !(math.IsNaN(got) && math.IsNaN(want[i])) {
					t.Errorf("%v: at %v %v, want %v", o, q, p.At(q), want)
				}
			}
		}
		p := interpolate.Interp1D(x, y, interpolate.Interp1DOptions{})
		fails(t, "beyond", tensor.ErrValue, func() { p.At(q) })
		if got := p.At(dev.New([]float64{0, 2})).ToVec1(); got[0] != 0 || got[1] != 4 {
			t.Error(got)
		}
		if got := interpolate.Akima(x, y, interpolate.Options{}).At(q).ToVec1(); !math.IsNaN(got[0]) || math.IsNaN(got[1]) {
			t.Error(got)
		}
		for _, shape := range [][]int{{0}, {2, 0}, {}, {2, 1}} {
			if got := p.At(dev.Zeros(tensor.F32, shape...)); !slices.Equal(got.Dims(), shape) || got.DType() != tensor.F64 {
				t.Error(shape, got)
			}
		}
		for kind := interpolate.Nearest; kind <= interpolate.Next; kind++ { // one point, and NaN
			one := interpolate.Interp1D(x.Narrow(0, 0, 1), y.Narrow(0, 0, 1),
				interpolate.Interp1DOptions{Kind: kind, Outside: interpolate.Extrapolate})
			if got := one.At(q).ToVec1(); got[0] != 0 || got[2] != 0 || !math.IsNaN(got[3]) {
				t.Error(kind, got)
			}
		}
		grid := interpolate.RegularGrid([]*tensor.Tensor{x, x}, dev.Ones(tensor.F32, 3, 3),
			interpolate.GridOptions{Outside: interpolate.NaN})
		if got := grid.At(dev.New([][]float64{{1, 2}, {1, 3}, {nan, 0}})).ToVec1(); got[0] != 1 || !math.IsNaN(got[1]) || !math.IsNaN(got[2]) {
			t.Error(got)
		}
		if got := grid.At(dev.Zeros(tensor.F32, 0, 2)); got.Dim(0) != 0 {
			t.Error(got)
		}
	})
}

// TestPoly: integrals and derivatives of all orders, and their types.
func TestPoly(t *testing.T) {
	x, y := tensor.CPU().New([]float64{0, 1, 3}), tensor.CPU().New([]float64{0, 1, 9})
	p := interpolate.CubicSpline(x, y, interpolate.SplineOptions{}) // x²
	for order, want := range []float64{4, 4, 2, 0, 0, 0} {
		if got := p.Derivative(order).At(tensor.Of(2)).ToVec1()[0]; math.Abs(got-want) > 1e-12 {
			t.Errorf("derivative %d is %g, want %g", order, got, want)
		}
	}
	if got := p.Antiderivative().Derivative(1).At(tensor.Of(2.5)).ToVec1()[0]; math.Abs(got-6.25) > 1e-12 {
		t.Error(got)
	}
	if got := p.Integrate(3, 0).ToScalar(); math.Abs(got+9) > 1e-12 {
		t.Error(got)
	}
	if p.Degree() != 3 || !slices.Equal(p.Breaks().ToVec1(), []float64{0, 1, 3}) ||
		!slices.Equal(p.Coefficients().Dims(), []int{4, 2}) {
		t.Error(p)
	}
	if got, want := p.String(), "cubic spline: 2 pieces of degree 3 from 0 to 3, Extrapolate outside"; got != want {
		t.Error(got)
	}
	// times in seconds that F32 cannot tell apart, of F32 values
	times := tensor.CPU().New([]float64{1.7e9, 1.7e9 + 1, 1.7e9 + 3})
	late := tensor.CPU().New([]float64{1.7e9 + 2})
	for _, at := range []*tensor.Tensor{times, times.ToDType(tensor.I64)} {
		got := interpolate.CubicSpline(at, y.ToDType(tensor.F32), interpolate.SplineOptions{}).At(late)
		if got.DType() != tensor.F32 || math.Abs(got.ToVec1()[0]-4) > 1e-6 {
			t.Error(got)
		}
		grid := interpolate.RegularGrid([]*tensor.Tensor{at}, y.ToDType(tensor.F32), interpolate.GridOptions{}).At(late)
		if grid.DType() != tensor.F32 || math.Abs(grid.ToScalar()-5) > 1e-6 {
			t.Error(grid)
		}
	}
	for _, dt := range []tensor.DType{tensor.F16, tensor.BF16, tensor.I64} {
		want := dt
		if dt == tensor.I64 {
			want = tensor.DefaultDType()
		}
		got := interpolate.PCHIP(x, y.ToDType(dt), interpolate.Options{}).At(x)
		if got.DType() != want || !slices.Equal(got.ToVec1(), y.ToVec1()) {
			t.Error(dt, got)
		}
	}
}

// TestMistakes: wrong points are errors that say so.
func TestMistakes(t *testing.T) {
	x, y := tensor.Of(0, 1, 2, 3), tensor.Of(1, 2, 3, 4)
	cubic := func(x, y *tensor.Tensor) func() {
		return func() { interpolate.CubicSpline(x, y, interpolate.SplineOptions{}) }
	}
	grid := func(m interpolate.GridMethod, v *tensor.Tensor, axes ...*tensor.Tensor) func() {
		return func() { interpolate.RegularGrid(axes, v, interpolate.GridOptions{Method: m}) }
	}
	for _, c := range []struct {
		name string
		kind error
		f    func()
	}{
		{"one point", tensor.ErrShape, cubic(tensor.Of(1), tensor.Of(1))},
		{"lengths", tensor.ErrShape, cubic(x, tensor.Of(1, 2))},
		{"matrix", tensor.ErrShape, cubic(x.Reshape(2, 2), y)},
		{"nil", tensor.ErrShape, cubic(nil, y)},
		{"no values", tensor.ErrShape, cubic(x, tensor.Zeros(4, 0))},
		{"descending", tensor.ErrValue, cubic(x.Flip(0), y)},
		{"twice", tensor.ErrValue, cubic(tensor.Of(0, 1, 1, 2), y)},
		{"NaN", tensor.ErrValue, cubic(tensor.Of(0, 1, math.NaN(), 2), y)},
		{"infinite", tensor.ErrValue, cubic(tensor.Of(0, 1, 2, math.Inf(1)), y)},
		{"complex", tensor.ErrDType, cubic(x, tensor.Complex(y, y))},
		{"the same in F32", tensor.ErrValue, cubic(tensor.Of(1, 1+1e-9), tensor.Of(1, 2))},
		{"open period", tensor.ErrValue, func() {
			interpolate.CubicSpline(x, y, interpolate.SplineOptions{Boundary: interpolate.PeriodicSpline})
		}},
		{"boundary", tensor.ErrValue, func() { interpolate.CubicSpline(x, y, interpolate.SplineOptions{Boundary: 9}) }},
		{"outside", tensor.ErrValue, func() { interpolate.PCHIP(x, y, interpolate.Options{Outside: 9}) }},
		{"kind", tensor.ErrValue, func() { interpolate.Interp1D(x, y, interpolate.Interp1DOptions{Kind: 9}) }},
		{"degree", tensor.ErrValue, func() { interpolate.MakeInterpSpline(x, y, interpolate.InterpSplineOptions{Degree: 8}) }},
		{"few points", tensor.ErrShape, func() { interpolate.MakeInterpSpline(x, y, interpolate.InterpSplineOptions{Degree: 4}) }},
		{"few to smooth", tensor.ErrShape, func() { interpolate.MakeSmoothingSpline(x, y, interpolate.SmoothingOptions{}) }},
		{"weights", tensor.ErrShape, func() {
			x := tensor.Arange(6)
			interpolate.MakeSmoothingSpline(x, x, interpolate.SmoothingOptions{Weights: []float64{1}})
		}},
		{"derivative", tensor.ErrValue, func() { interpolate.PCHIP(x, y, interpolate.Options{}).Derivative(-1) }},
		{"no axes", tensor.ErrShape, grid(interpolate.GridLinear, y)},
		{"axis length", tensor.ErrShape, grid(interpolate.GridLinear, y, tensor.Of(1, 2))},
		{"cubic axis", tensor.ErrShape, grid(interpolate.GridCubic, tensor.Of(1, 2), tensor.Of(1, 2))},
		{"axis order", tensor.ErrValue, grid(interpolate.GridLinear, y, x.Flip(0))},
		{"places", tensor.ErrShape, func() {
			interpolate.RegularGrid([]*tensor.Tensor{x}, y, interpolate.GridOptions{}).At(tensor.Zeros(3, 2))
		}},
		{"far", tensor.ErrValue, func() {
			interpolate.RegularGrid([]*tensor.Tensor{x}, y, interpolate.GridOptions{}).At(tensor.Full(9, 1, 1))
		}},
	} {
		fails(t, c.name, c.kind, c.f)
	}
}

// TestIntegrateOutside: integrals are those of what At returns, whatever is outside, and derivatives those of it.
func TestIntegrateOutside(t *testing.T) {
	x, y := tensor.CPU().New([]float64{0, 1, 2.5, 3}), tensor.CPU().New([]float64{1, 2, 0, 1})
	for o := interpolate.Extrapolate; o <= interpolate.Periodic; o++ {
		for _, b := range []interpolate.Boundary{interpolate.NotAKnot, interpolate.PeriodicSpline} {
			p := interpolate.CubicSpline(x, y, interpolate.SplineOptions{Boundary: b, Outside: o})
			for _, bounds := range [][2]float64{{-4, 8}, {-4, 2}, {2, 8}, {4, 5}, {-2, -1}, {7, -2}, {0, 3}, {3, 6}, {1, 1}} {
				lo, hi := bounds[0], bounds[1]
				beyond := min(lo, hi) < 0 || max(lo, hi) > 3
				if o == interpolate.Refuse && beyond {
					fails(t, "integral", tensor.ErrValue, func() { p.Integrate(lo, hi) })
					continue
				}
				got := p.Integrate(lo, hi).ToScalar()
				if o == interpolate.NaN && beyond {
					if got == got {
						t.Errorf("%v, %v: the integral from %v to %v is %v", o, b, lo, hi, got)
					}
					continue
				}
				const n = 24000 // the midpoint rule, with all points between two samples
				h := (hi - lo) / n
				at := tensor.CPU().Arange(tensor.F64, n).Add(0.5).Mul(h).Add(lo)
				if want := p.At(at).Sum().ToScalar() * h; math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
					t.Errorf("%v, %v: the integral from %v to %v is %v, want %v", o, b, lo, hi, got, want)
				}
			}
		}
		p := interpolate.CubicSpline(x, y, interpolate.SplineOptions{Outside: o})
		if o == interpolate.Refuse || o == interpolate.NaN {
			continue
		}
		for _, at := range []float64{-1.3, 0.4, 2.9, 3.7} {
			const h = 1e-6
			got := p.Derivative(1).At(tensor.CPU().New([]float64{at})).ToVec1()[0]
			ends := p.At(tensor.CPU().New([]float64{at - h, at + h})).ToVec1()
			if want := (ends[1] - ends[0]) / (2 * h); math.Abs(got-want) > 1e-6 {
				t.Errorf("%v: the derivative at %v is %v, want %v", o, at, got, want)
			}
			back := p.Derivative(1).Integrate(0.5, at).ToScalar() // of the derivative of one that is clamped, too
			ends = p.At(tensor.CPU().New([]float64{0.5, at})).ToVec1()
			if want := ends[1] - ends[0]; o != interpolate.Periodic && math.Abs(back-want) > 1e-9 {
				t.Errorf("%v: the integral of the derivative from 0.5 to %v is %v, want %v", o, at, back, want)
			}
		}
	}
}
