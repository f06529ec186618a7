package optimize

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/autograd"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// objective is a function to minimize, of points as lists of numbers, with its derivatives and the counts of calls.
type objective struct {
	op        string
	value     func(x []float64) float64
	gradient  func(x []float64) (f float64, g []float64)
	product   func(x, v []float64) []float64 // of the Hessian at x and v
	result    func(x []float64) *tensor.Tensor
	calls     int // of the function, with its gradient or without
	gradients int
}

// space is where the points of a function of tensors are: lists of numbers become F64 tensors of a shape on a device.
type space struct {
	op    string
	dev   *tensor.Device
	shape []int
}

// start checks the first point of a function of tensors and returns where its points are, and the point as numbers.
func start(op string, x0 *tensor.Tensor) (space, []float64) {
	extend.SameDevice(op, x0)
	if x0.DType().IsComplex() {
		extend.Fail(op, tensor.ErrDType, []*tensor.Tensor{x0}, "x.ViewAsReal() has the parts as real numbers",
			"the first point is complex: %v", x0.DType())
	}
	if x0.ElemCount() == 0 {
		extend.Shape(op, []*tensor.Tensor{x0}, "the first point has no elements: shape %v", x0.Dims())
	}
	return space{op, x0.Device(), x0.Dims()}, x0.Detach().Float64s()
}

// at returns a point as a tensor.
func (s space) at(x []float64) *tensor.Tensor { return s.dev.FromSlice(x, s.shape...) }

// recorded checks that a result of the function has gradients with respect to its argument.
func (s space) recorded(x, y *tensor.Tensor) *tensor.Tensor {
	if y == nil {
		extend.Shape(s.op, nil, "the function returned no tensor")
	}
	if extend.Tracked(x) && !extend.Tracked(y) {
		extend.Fail(s.op, tensor.ErrGradient, []*tensor.Tensor{y},
			"compute it from the argument by methods of tensors; functions of numbers have names that end in Func",
			"the result of the function does not depend on its argument by operations that have gradients")
	}
	return y
}

// scalar returns f as a function whose result is checked to be one number.
func (s space) scalar(f func(x *tensor.Tensor) *tensor.Tensor) func(x *tensor.Tensor) *tensor.Tensor {
	return func(x *tensor.Tensor) *tensor.Tensor {
		y := s.recorded(x, f(x))
		if y.ElemCount() != 1 {
			extend.ShapeNoting(s.op, []*tensor.Tensor{y}, "LeastSquares minimizes the sum of the squares of a vector",
				"want a function whose result is one number, not of shape %v", y.Dims())
		}
		return y.Reshape()
	}
}

// ofTensors is the objective that a function of tensors is: its derivatives are those of package autograd.
func ofTensors(op string, f func(x *tensor.Tensor) *tensor.Tensor, s space) *objective {
	checked := s.scalar(f)
	precise := func(x *tensor.Tensor) *tensor.Tensor { return checked(x).ToDType(tensor.F64) }
	one := s.dev.Ones(tensor.F64)
	o := &objective{op: op, result: s.at}
	o.value = func(x []float64) float64 {
		o.calls++
		return checked(s.at(x)).ToScalar()
	}
	o.gradient = func(x []float64) (float64, []float64) {
		o.calls++
		o.gradients++
		y, g := autograd.VJP(precise, s.at(x), one)
		return y.ToScalar(), g.Float64s()
	}
	o.product = func(x, v []float64) []float64 {
		o.gradients += 2
		_, p := autograd.HVP(checked, s.at(x), s.at(v))
		return p.Float64s()
	}
	return o
}

// ofNumbers is the objective that a function of numbers is. Without a gradient it takes differences.
func ofNumbers(op string, f func(x []float64) float64, gradient func(x []float64) []float64, n int) *objective {
	o := &objective{op: op, result: func(x []float64) *tensor.Tensor { return tensor.CPU().FromSlice(x, n) }}
	own := func(x []float64) []float64 { return append([]float64{}, x...) } // f may change it
	o.value = func(x []float64) float64 {
		o.calls++
		return f(own(x))
	}
	slope := func(x []float64) []float64 {
		o.gradients++
		if gradient == nil {
			return differences(o.value, x)
		}
		g := gradient(own(x))
		if len(g) != n {
			extend.Shape(op, nil, "the gradient has %d elements for a point of %d", len(g), n)
		}
		return own(g)
	}
	o.gradient = func(x []float64) (float64, []float64) {
		return o.value(x), slope(x)
	}
	o.product = func(x, v []float64) []float64 {
		length := norm(v)
		if length == 0 {
			return make([]float64, n)
		}
		h := math.Cbrt(epsilon) * max(1, norm(x)) / length
		up, down := slope(plus(x, h, v)), slope(plus(x, -h, v))
		for i := range up {
			up[i] = (up[i] - down[i]) / (2 * h)
		}
		return up
	}
	return o
}

// epsilon is the distance of 1 and the next F64.
const epsilon = 0x1p-52

// differences is the gradient of f by central differences, whose error is about 1e-10 of the size of f.
func differences(f func(x []float64) float64, x []float64) []float64 {
	x = append([]float64{}, x...)
	g := make([]float64, len(x))
	for i, at := range x {
		h := math.Cbrt(epsilon) * max(1, math.Abs(at))
		x[i] = at + h
		up, above := f(x), x[i]
		x[i] = at - h
		g[i] = (up - f(x)) / (above - x[i])
		x[i] = at
	}
	return g
}

// plus returns x + scale·d.
func plus(x []float64, scale float64, d []float64) []float64 {
	y := make([]float64, len(x))
	for i := range x {
		y[i] = x[i] + scale*d[i]
	}
	return y
}

func dot(x, y []float64) float64 {
	var sum float64
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

func norm(x []float64) float64 { return math.Sqrt(dot(x, x)) }

// most is the largest absolute value, and NaN if there is one.
func most(x []float64) float64 {
	var m float64
	for _, v := range x {
		m = max(m, math.Abs(v))
	}
	return m
}
