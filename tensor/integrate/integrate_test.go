package integrate_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/integrate"
	"github.com/gorocm/gorocm/tensor/internal/testutil"
)

var inf = math.Inf(1)

// vector is a vector that a tensor is to be.
func vector(values ...float64) testutil.Array {
	return testutil.Array{Shape: []int{len(values)}, Values: values}
}

// near compares a tensor with an array, with a tolerance relative to the larger of the element and 1.
func near(t *testing.T, what string, got *tensor.Tensor, want testutil.Array, tol float64) {
	t.Helper()
	if got == nil || !slices.Equal(got.Dims(), want.Shape) {
		t.Errorf("%s: %v, want shape %v", what, got, want.Shape)
		return
	}
	values := got.Float64s()
	for i, w := range want.Values {
		if !(math.Abs(values[i]-w) <= tol*max(1, math.Abs(w))) {
			t.Errorf("%s: element %d is %.12g, want %.12g", what, i, values[i], w)
			return
		}
	}
}

func close(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
		t.Errorf("%s: %.12g, want %.12g", what, got, want)
	}
}

// fails checks an error.
func fails(t *testing.T, what string, err, kind error) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("%s: %v, want the error %q", what, err, kind)
	}
}

// panics checks that f panics with an error of a kind.
func panics(t *testing.T, what string, kind error, f func()) {
	t.Helper()
	err := tensor.Catch(func() error { f(); return nil })
	if !errors.Is(err, kind) {
		t.Errorf("%s: %v, want the error %q", what, err, kind)
	}
}

// TestQuad compares integrals with SciPy's; the errors are within the estimates.
func TestQuad(t *testing.T) {
	want := testutil.SciPy(t)
	for _, c := range []struct {
		name string
		f    func(x float64) float64
		a, b float64
	}{
		{"exp", math.Exp, 0, 1},
		{"gauss", func(x float64) float64 { return math.Exp(-x * x) }, -inf, inf},
		{"lorentz", func(x float64) float64 { return 1 / (1 + x*x) }, -inf, 1},
		{"root end", func(x float64) float64 { return 1 / math.Sqrt(1-x) }, 0, 1},
		{"log end", math.Log, 0, 1},
		{"steep end", func(x float64) float64 { return math.Pow(x, -0.9) }, 0, 1},
		{"both ends", func(x float64) float64 { return 1 / math.Sqrt(x*(1-x)) }, 0, 1},
		{"root and infinity", func(x float64) float64 { return math.Exp(-x) / math.Sqrt(x) }, 0, inf},
		{"tail", func(x float64) float64 { return math.Pow(x, -1.2) }, 1, inf},
		{"backwards", math.Sin, 3, 1},
	} {
		q, err := integrate.Quad(c.f, c.a, c.b, integrate.QuadOptions{})
		w := want["quad "+c.name].Values[0]
		if err != nil || !(math.Abs(q.Value-w) <= q.Error+1e-11*math.Abs(w)) || !(math.Abs(q.Value-w) <= 2e-9*math.Abs(w)) {
			t.Errorf("%s: %+v, %v; want %.12g", c.name, q, err, w)
		}
	}
	step := func(x float64) float64 { return math.Copysign(math.Exp(x), x-0.3) }
	q, err := integrate.Quad(step, 0, 1, integrate.QuadOptions{Points: []float64{0.3}})
	if close(t, "points", q.Value, want["quad points"].Values[0], 1e-11); err != nil || q.Intervals != 2 {
		t.Error(q, err)
	}
	q, err = integrate.DblQuad(func(y, x float64) float64 { return x*y*y + 1 }, 0, 2,
		func(x float64) float64 { return x }, func(x float64) float64 { return x*x + 2 }, integrate.QuadOptions{})
	if close(t, "dblquad", q.Value, want["dblquad"].Values[0], 1e-10); err != nil || q.Calls != 441 {
		t.Error(q, err)
	}
	q, err = integrate.Quad(math.Exp, 2, 2, integrate.QuadOptions{})
	if err != nil || q.Value != 0 {
		t.Error(q, err)
	}
	q, err = integrate.Quad(func(x float64) float64 { return 0 }, -inf, inf, integrate.QuadOptions{})
	if err != nil || q.Value != 0 {
		t.Error(q, err)
	}
}

// TestQuadFails: divergent integrals, whose extrapolated limits would be finite, NaN and too few intervals are errors.
func TestQuadFails(t *testing.T) {
	quad := func(f func(x float64) float64, a, b float64, o integrate.QuadOptions) error {
		_, err := integrate.Quad(f, a, b, o)
		return err
	}
	power := func(p float64) func(x float64) float64 { return func(x float64) float64 { return math.Pow(x, p) } }
	for _, p := range []float64{-1, -1.1, -1.5, -2, -3} {
		fails(t, "divergent", quad(power(p), 0, 1, integrate.QuadOptions{}), integrate.ErrNotConverged)
	}
	fails(t, "divergent", quad(power(-0.5), 1, inf, integrate.QuadOptions{}), integrate.ErrNotConverged)
	fails(t, "constant", quad(power(0), 1, inf, integrate.QuadOptions{}), integrate.ErrNotConverged)
	fails(t, "sine", quad(math.Sin, 0, inf, integrate.QuadOptions{}), integrate.ErrNotConverged)
	fails(t, "cos(3x)/x", quad(func(x float64) float64 { return math.Cos(3*x) / x }, 0, 1, integrate.QuadOptions{}),
		integrate.ErrNotConverged)
	fails(t, "NaN", quad(math.Log, -1, 1, integrate.QuadOptions{}), integrate.ErrNotFinite)
	pole := func(x float64) float64 { return 1 / math.Sqrt(math.Abs(x)) }
	fails(t, "pole in the middle", quad(pole, -1, 1, integrate.QuadOptions{}), integrate.ErrNotFinite)
	q, err := integrate.Quad(pole, -1, 1, integrate.QuadOptions{Points: []float64{0}})
	if close(t, "pole that is named", q.Value, 4, 1e-8); err != nil {
		t.Error(err)
	}
	fast := func(x float64) float64 { return math.Cos(500 * x) }
	fails(t, "few intervals", quad(fast, 0, 10, integrate.QuadOptions{Limit: 20}), integrate.ErrNotConverged)
	_, err = integrate.DblQuad(func(y, x float64) float64 { return 1 / y }, 0, 1, func(x float64) float64 { return 0 },
		func(x float64) float64 { return 1 }, integrate.QuadOptions{})
	fails(t, "divergent inside", err, integrate.ErrNotConverged)
	panics(t, "NaN end", tensor.ErrValue, func() { quad(math.Sin, 0, math.NaN(), integrate.QuadOptions{}) })
	panics(t, "point outside", tensor.ErrValue, func() { quad(math.Sin, 0, 1, integrate.QuadOptions{Points: []float64{2}}) })
	panics(t, "tolerance", tensor.ErrValue, func() { quad(math.Sin, 0, 1, integrate.QuadOptions{RelTol: -1}) })
}

// TestQuadDiverges: poles anywhere are no integrals, though the sums around those of 1/x and of odd powers have limits:
// the principal values, or other numbers.
func TestQuadDiverges(t *testing.T) {
	thorough.Slow(t)
	r := rand.New(rand.NewPCG(1, 2))
	n := 300
	if thorough.On() {
		n = 3000
	}
	for i := range n {
		at := []float64{0, 0.25, 1.0 / 3, 0.3, 0.2, r.Float64()}[min(i%20, 5)]
		power := []float64{1, 1.05, 1.5, 2, 3, 5}[r.IntN(6)]
		a, b := -2*r.Float64(), 1+2*r.Float64()
		switch i % 3 {
		case 0:
			a, b = 0, 1
		case 1:
			a, b = -1, 2
		}
		isOdd, more := i%2 == 0, float64(i/2%2)
		f := func(x float64) float64 {
			y := math.Pow(math.Abs(x-at), -power)
			if isOdd && x < at {
				y = -y
			}
			return y + more*math.Cos(x)
		}
		if q, err := integrate.Quad(f, a, b, integrate.QuadOptions{}); err == nil {
			t.Errorf("|x - %v|^-%v (odd: %v) + %v·cos x from %v to %v: %+v", at, power, isOdd, more, a, b, q)
		}
	}
	for _, power := range []float64{0.1, 0.5, 0.9, 0.95, 0.99} { // these are integrals
		for range 20 {
			b, more := 1+r.Float64(), 5*r.Float64()
			f := func(x float64) float64 { return math.Pow(x, -power) + more*math.Cos(x) }
			q, err := integrate.Quad(f, 0, b, integrate.QuadOptions{})
			if err != nil {
				t.Errorf("x^-%v + %v·cos x from 0 to %v: %v", power, more, b, err)
			}
			close(t, "root", q.Value, math.Pow(b, 1-power)/(1-power)+more*math.Sin(b), 1e-8)
		}
	}
}

// TestSimpsonInfinities: an infinite value anywhere makes the integral infinite, of its sign.
func TestSimpsonInfinities(t *testing.T) {
	for n := 3; n < 9; n++ {
		for i := range n {
			y := make([]float64, n)
			y[i] = math.Inf(-1)
			if s := integrate.Simpson(tensor.CPU().New(y), 0.5, 0).ToScalar(); s != y[i] {
				t.Errorf("the integral of %v is %v", y, s)
			}
		}
	}
}

// TestSimpsonRepeats: a position that repeats is a jump, with no area of its own.
func TestSimpsonRepeats(t *testing.T) {
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, c := range []struct {
			x, y []float64
			want float64
		}{
			{[]float64{0, 0, 1, 2, 2}, []float64{1, 1, 1, 1, 1}, 2},
			{[]float64{0, 0, 1, 2, 2}, []float64{5, 0, 1, 2, 7}, 2},
			{[]float64{0, 1, 1, 2}, []float64{1, 1, 3, 3}, 4},
			{[]float64{0, 1, 2, 2}, []float64{0, 1, 4, 9}, 8.0 / 3},
			{[]float64{0, 0, 0, 2}, []float64{7, 8, 1, 3}, 4},
			{[]float64{3, 3, 3, 3}, []float64{1, 2, 3, 4}, 0},
			{[]float64{3, 3, 3}, []float64{1, 2, 3}, 0},
		} {
			v := tensor.NewVar(dev.New(c.y))
			s := integrate.Simpson(v, dev.New(c.x), 0)
			close(t, "simpson", s.ToScalar(), c.want, 1e-12)
			weights := s.Backward().Get(v)
			close(t, "its weights", weights.Mul(dev.New(c.y)).Sum().ToScalar(), c.want, 1e-12)
		}
	})
}

// TestSamples compares integrals of points with SciPy's, on every device, and their gradients with the weights.
func TestSamples(t *testing.T) {
	want := testutil.SciPy(t)
	testutil.OnDevices(t, func(t *testing.T, dev *tensor.Device) {
		for _, dt := range []tensor.DType{tensor.F64, tensor.F32} {
			tol := map[tensor.DType]float64{tensor.F64: 1e-10, tensor.F32: 1e-5}[dt]
			for _, n := range []string{"2", "3", "4", "5", "8", "9"} {
				y := dev.FromSlice(want["y "+n].Values, want["y "+n].Shape...).ToDType(dt)
				x := dev.New(want["x "+n].Values)
				near(t, "simpson "+n, integrate.Simpson(y, 0.5, -1), want["simpson "+n], tol)
				near(t, "simpson x "+n, integrate.Simpson(y, x, 1), want["simpson x "+n], tol)
				near(t, "simpson xs "+n, integrate.Simpson(y, x.BroadcastAs(y.Dims()...), 1), want["simpson x "+n], tol)
				near(t, "simpson dim "+n, integrate.Simpson(y.T(), x, 0), want["simpson dim "+n], tol)
				near(t, "cumulative "+n, integrate.CumulativeTrapezoid(y, x, -1), want["cumulative "+n], tol)
				near(t, "cumulative dim "+n, integrate.CumulativeTrapezoid(y.T(), 2, 0), want["cumulative dim "+n], tol)
				if got := integrate.Simpson(y, x, 1).DType(); got != dt {
					t.Error(got)
				}
			}
		}
		v := tensor.NewVar(dev.New([]float64{1, 2, 5}))
		g := integrate.Simpson(v, 3, 0).Backward().Get(v)
		near(t, "weights", g, vector(1, 4, 1), 1e-12)
		cube := func(x *tensor.Tensor) *tensor.Tensor { return tensor.Stack([]*tensor.Tensor{x.Powf(3), x}, 0) }
		near(t, "gauss", integrate.FixedQuad(cube, 0, 2, 2, tensor.F64, dev), vector(4, 2), 1e-12)
		near(t, "backwards", integrate.FixedQuad(cube, 2, 0, 2, tensor.F64, dev), vector(-4, -2), 1e-12)
	})
	times := tensor.CPU().New([]float64{1.7e9, 1.7e9 + 1, 1.7e9 + 2}) // which F32 cannot tell apart
	for _, x := range []*tensor.Tensor{times, times.ToDType(tensor.I64), times.ToDType(tensor.U32)} {
		if s := integrate.Simpson(tensor.Of(0, 1, 4), x, 0); math.Abs(s.ToScalar()-8.0/3) > 1e-6 || s.DType() != tensor.F32 {
			t.Error(s)
		}
		back := integrate.CumulativeTrapezoid(tensor.Of(0, 1, 4), x.Flip(0), 0).ToVec1()
		if back[2] != -3 {
			t.Error(back)
		}
	}
	if s := integrate.Simpson(tensor.Of(5), 1, 0); s.ToScalar() != 0 || s.Rank() != 0 {
		t.Error(s)
	}
	if c := integrate.CumulativeTrapezoid(tensor.Zeros(2, 0), 1, 1); c.Dim(0) != 2 || c.Dim(1) != 0 {
		t.Error(c)
	}
	panics(t, "no dim", tensor.ErrShape, func() { integrate.Simpson(tensor.Of(1, 2), 1, 1) })
	panics(t, "positions", tensor.ErrShape, func() { integrate.Simpson(tensor.Of(1, 2), tensor.Of(1, 2, 3), 0) })
	panics(t, "points", tensor.ErrValue, func() {
		integrate.FixedQuad((*tensor.Tensor).Sin, 0, 1, 0, tensor.F64, tensor.CPU())
	})
}
