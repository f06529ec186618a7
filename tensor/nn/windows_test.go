package nn_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/autograd"
)

// grid is an array of float64s, for definitions that are written as loops.
type grid struct {
	shape  []int
	values []float64
}

func newGrid(shape ...int) grid {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return grid{shape, make([]float64, n)}
}

// draws is how many random cases of each kind a test tries.
func draws(dev *tensor.Device) int {
	if thorough.On() {
		return 40
	}
	return few(dev, 10)
}

// dims is how many dims windows are tried in: two on an emulated GPU, if not thorough, else three.
func dims(dev *tensor.Device) int {
	if dev.Emulated() && !thorough.On() {
		return 2
	}
	return 3
}

// few is n, or a third of that on an emulated GPU, if not thorough: what differs is drawn from one list.
func few(dev *tensor.Device, n int) int {
	if !dev.Emulated() || thorough.On() {
		return n
	}
	return (n + 2) / 3
}

// drawn returns a grid of whole numbers from -4 to 4, of which every float type has all, and sums are exact.
func drawn(r *rand.Rand, shape ...int) grid {
	g := newGrid(shape...)
	for i := range g.values {
		g.values[i] = float64(r.IntN(9) - 4)
	}
	return g
}

// offset is where an element stands, and whether there is one.
func (g grid) offset(at []int) (i int, ok bool) {
	for d, n := range g.shape {
		if at[d] < 0 || at[d] >= n {
			return 0, false
		}
		i = i*n + at[d]
	}
	return i, true
}

// at is an element, or 0 outside.
func (g grid) at(at ...int) float64 {
	if i, ok := g.offset(at); ok {
		return g.values[i]
	}
	return 0
}

// add adds to an element, if there is one.
func (g grid) add(v float64, at ...int) {
	if i, ok := g.offset(at); ok {
		g.values[i] += v
	}
}

// tensor returns the grid on a device.
func (g grid) tensor(dt tensor.DType, dev *tensor.Device) *tensor.Tensor {
	return dev.FromSlice(g.values, g.shape...).ToDType(dt)
}

// each calls f with all positions in a shape.
func each(shape []int, f func(at []int)) {
	at := make([]int, len(shape))
	var walk func(d int)
	walk = func(d int) {
		if d == len(shape) {
			f(append([]int(nil), at...))
			return
		}
		for at[d] = 0; at[d] < shape[d]; at[d]++ {
			walk(d + 1)
		}
	}
	walk(0)
}

// same fails when a tensor differs from a grid by more than units of its type.
func same(t *testing.T, what string, got *tensor.Tensor, want grid, units float64) {
	t.Helper()
	if fmt.Sprint(got.Dims()) != fmt.Sprint(want.shape) {
		t.Fatalf("%s: shape %v, want %v", what, got.Dims(), want.shape)
	}
	eps := map[tensor.DType]float64{tensor.F64: 0x1p-52, tensor.F32: 0x1p-23, tensor.F16: 0x1p-10}[got.DType()]
	for i, g := range got.Float64s() {
		if w := want.values[i]; !(math.Abs(g-w) <= units*eps*(1+math.Abs(w))) && !(g != g && w != w) && g != w {
			t.Fatalf("%s: element %d is %v, want %v", what, i, g, w)
		}
	}
}

// slopes fails when the gradient of a function by x, or the product of its Hessian with a direction, differs from
// differences. The loss is not linear in the result of f, so that the second derivatives are not 0.
func slopes(t *testing.T, what string, x *tensor.Tensor, f tensor.Func) {
	t.Helper()
	loss := func(x *tensor.Tensor) *tensor.Tensor {
		y := f(x)
		w := y.Device().Arange(y.DType(), 1, float64(y.ElemCount()+1)).Reshape(y.Dims()...).Sin()
		return y.Mul(w).Sum().Add(y.Sqr().Mul(w).Sum().Div(2))
	}
	v := x.Device().Arange(x.DType(), 1, float64(x.ElemCount()+1)).Reshape(x.Dims()...).Cos()
	const h = 1e-4
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
			t.Errorf("%s: %v, and %v by differences", what, got, want)
		}
	}
	ahead, behind := x.Add(v.Mul(h)), x.Sub(v.Mul(h))
	g, hv := autograd.HVP(loss, x, v)
	near(what+": gradient", g.Mul(v).Sum().ToScalar(), (loss(ahead).ToScalar()-loss(behind).ToScalar())/(2*h))
	change := autograd.Grad(loss, ahead).Sub(autograd.Grad(loss, behind)).Mul(v).Sum().ToScalar() / (2 * h)
	near(what+": second derivative", hv.Mul(v).Sum().ToScalar(), change)
}
