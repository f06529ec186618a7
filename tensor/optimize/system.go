package optimize

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/autograd"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// residuals are a vector function of points as lists of numbers, with its Jacobian, and the counts of calls.
type residuals struct {
	op        string
	value     func(x []float64) *tensor.Tensor // [m] in F64, where they were computed
	jacobian  func(x []float64) *tensor.Tensor // [m n], likewise
	result    func(x []float64) *tensor.Tensor
	calls     int
	jacobians int
}

// residualsOf are those that a function of tensors returns. Its Jacobian is that of package autograd.
func residualsOf(op string, f func(x *tensor.Tensor) *tensor.Tensor, s space) *residuals {
	checked := func(x *tensor.Tensor) *tensor.Tensor {
		return s.recorded(x, f(x)).FlattenAll().ToDType(tensor.F64)
	}
	r := &residuals{op: op, result: s.at}
	r.value = func(x []float64) *tensor.Tensor {
		r.calls++
		return checked(s.at(x)).Detach()
	}
	r.jacobian = func(x []float64) *tensor.Tensor {
		r.jacobians++
		j := autograd.Jacobian(checked, s.at(x)).Detach()
		if j.Rank() == 2 {
			return j // Reshape would copy its columns, which are contiguous
		}
		return j.Reshape(j.Dim(0), len(x))
	}
	return r
}

// residualsOfNumbers are those that a function of numbers returns. Without a Jacobian they take differences.
func residualsOfNumbers(
	op string, f func(x []float64) []float64, jacobian func(x []float64) [][]float64, n int,
) *residuals {
	r := &residuals{op: op, result: func(x []float64) *tensor.Tensor { return tensor.CPU().FromSlice(x, n) }}
	own := func(x []float64) []float64 { return append([]float64{}, x...) }
	call := func(x []float64) []float64 {
		r.calls++
		return own(f(own(x)))
	}
	r.value = func(x []float64) *tensor.Tensor {
		y := call(x)
		return tensor.CPU().FromSlice(y, len(y))
	}
	r.jacobian = func(x []float64) *tensor.Tensor {
		r.jacobians++
		if jacobian == nil {
			return slopes(call, x)
		}
		rows := jacobian(own(x))
		var flat []float64
		for i, row := range rows {
			if len(row) != n {
				extend.Shape(op, nil, "row %d of the Jacobian has %d elements for a point of %d", i, len(row), n)
			}
			flat = append(flat, row...)
		}
		return tensor.CPU().FromSlice(flat, len(rows), n)
	}
	return r
}

// slopes is the Jacobian of f by central differences.
func slopes(f func(x []float64) []float64, x []float64) *tensor.Tensor {
	x = append([]float64{}, x...)
	columns := make([]*tensor.Tensor, len(x))
	for i, at := range x {
		h := math.Cbrt(epsilon) * max(1, math.Abs(at))
		x[i] = at + h
		up, above := f(x), x[i]
		x[i] = at - h
		d := plus(up, -1, f(x))
		for k := range d {
			d[k] /= above - x[i]
		}
		x[i] = at
		columns[i] = tensor.CPU().FromSlice(d, len(d))
	}
	return tensor.Stack(columns, 1)
}

// RootOptions are those of Root and RootFunc. Zeros are the defaults.
type RootOptions struct {
	XTol    float64 // relative size of a step at which the search has converged: 1.5e-8
	MaxIter int     // the largest number of iterations: 200 for each unknown
	// Jacobian is that of RootFunc's function, a row for each equation; it takes differences if it is nil.
	Jacobian func(x []float64) [][]float64
}

// Root returns a point near x0 at which all elements of f(x) are zero, for as many equations as unknowns, by Newton's
// method within a trust region, as scipy.optimize.root. f takes an F64 tensor of the shape and on the device of x0, and
// its Jacobian is that of package autograd. The error is ErrNotConverged, also where the search ends at a point where
// the equations come closest to being met without being met, or ErrNotFinite. It panics as Minimize, and with ErrShape
// if the numbers of equations and of unknowns differ: LeastSquares has none of that.
//
//	f := func(x *tensor.Tensor) *tensor.Tensor { return x.Sqr().Sub(tensor.Of(2, 9)) }
//	r, err := optimize.Root(f, tensor.Of(1, 1), optimize.RootOptions{}) // r.X is [√2, 3]
func Root(f func(x *tensor.Tensor) *tensor.Tensor, x0 *tensor.Tensor, o RootOptions) (Result, error) {
	const op = "root"
	s, x := start(op, x0)
	if o.Jacobian != nil {
		extend.Fail(op, tensor.ErrValue, nil, "leave it out: the Jacobian is computed by package autograd",
			"RootOptions.Jacobian is for RootFunc")
	}
	return root(residualsOf(op, f, s), x, o)
}

// RootFunc is Root for a function of numbers. Its Jacobian is RootOptions.Jacobian, or is computed by central
// differences.
func RootFunc(f func(x []float64) []float64, x0 []float64, o RootOptions) (Result, error) {
	const op = "root"
	if len(x0) == 0 {
		extend.Shape(op, nil, "the first point has no elements")
	}
	return root(residualsOfNumbers(op, f, o.Jacobian, len(x0)), append([]float64{}, x0...), o)
}

func root(p *residuals, x []float64, o RootOptions) (Result, error) {
	if !(o.XTol >= 0) || o.MaxIter < 0 {
		extend.Fail(p.op, tensor.ErrValue, nil, "0 is the default", "XTol is %g, MaxIter is %d", o.XTol, o.MaxIter)
	}
	fit := &fit{residuals: p, x: x, loss: Linear, FitOptions: FitOptions{XTol: or(o.XTol, 1.5e-8), MaxIter: o.MaxIter,
		FTol: epsilon * epsilon, GTol: math.SmallestNonzeroFloat64}}
	fit.scale = 1
	unit := p.normalized(x)
	if err := fit.first(); err != nil {
		return fit.report(err), err
	}
	if m := fit.r.ElemCount(); m != len(x) {
		extend.ShapeNoting(p.op, nil, "LeastSquares takes any number of them", "%d equations for %d unknowns", m,
			len(x))
	}
	size := math.Sqrt(2 * fit.cost)
	err := fit.run()
	if now := math.Sqrt(2 * fit.cost); err == nil && now > math.Sqrt(epsilon)*max(1, size) {
		err = failed(ErrNotConverged, "the search ended where the equations come closest to being met: "+
			"f(x) has norm %.6g at x = %.6g. Begin at another point; the equations may have no solution", now*unit, fit.x)
	}
	r := fit.report(err)
	r.F = math.Sqrt(2*fit.cost) * unit
	return r, err
}

// normalized divides residuals by a unit, so that their squares at x neither overflow nor underflow.
func (p *residuals) normalized(x []float64) (unit float64) {
	value, jacobian, first := p.value, p.jacobian, p.value(x)
	unit = most(first.Float64s())
	if unit == 0 || unit > 1e-100 && unit < 1e100 || !finite(unit) {
		unit = 1
	}
	p.value = func(x []float64) *tensor.Tensor {
		y := first // at the first point, which is asked for once more
		if first = nil; y == nil {
			y = value(x)
		}
		return y.Div(unit)
	}
	p.jacobian = func(x []float64) *tensor.Tensor { return jacobian(x).Div(unit) }
	return unit
}

// triangle reduces the least squares problem J·step = -r to one of n+1 rows, by a QR factorisation of [J r] where they
// are.
func triangle(op string, j, r *tensor.Tensor) (rows [][]float64, right []float64) {
	n := j.Dim(1)
	if rows, m := j.Dim(0), r.Dim(0); rows != m {
		extend.Shape(op, nil, "the Jacobian has %d rows for %d residuals", rows, m)
	}
	for _, row := range triangular(j, r) {
		rows, right = append(rows, row[:n]), append(right, row[n])
	}
	return rows, right
}
