package interpolate

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// GridMethod is a way to interpolate on a grid.
type GridMethod int

// The methods of RegularGrid.
const (
	GridLinear  GridMethod = iota // of the 2ᵈ points around
	GridNearest                   // the nearest point, the lower one in the middle
	GridCubic                     // cubic splines along each dim
)

// GridOptions are those of RegularGrid.
type GridOptions struct {
	Method  GridMethod
	Outside Outside // Refuse
}

// Grid is a function of d numbers, by its values on a grid. It is on the device of the values.
type Grid struct {
	op      string
	axes    []axis
	c       *tensor.Tensor // of the B-splines, or the values, [points, values]
	counts  []int
	shape   []int // of a value
	dt      tensor.DType
	outside Outside
}

// axis is a dim of a grid: its points, and the B-splines of its degree, of which the weights are polynomials.
type axis struct {
	x      []float64
	ends   *tensor.Tensor
	degree int
	powers [][]*tensor.Tensor // [spline][power] of each interval; nil for the nearest point
}

// RegularGrid interpolates values [n0 n1 … …] at the points of a grid, whose positions along each dim are the vectors
// [n0], [n1], … in ascending order, as scipy.interpolate.RegularGridInterpolator. It panics with ErrShape for other
// shapes, and for dims with less than 2 points, or 4 with GridCubic, and with ErrValue for positions that do not
// ascend.
//
//	g := interpolate.RegularGrid([]*tensor.Tensor{lat, lon}, height, interpolate.GridOptions{})
//	g.At(places) // [100 2] → [100]
func RegularGrid(positions []*tensor.Tensor, values *tensor.Tensor, o GridOptions) *Grid {
	const op = "regular grid"
	d := len(positions)
	extend.SameDevice(op, append([]*tensor.Tensor{values}, positions...)...)
	if d == 0 || d > values.Rank() || d > 6 {
		extend.Shape(op, []*tensor.Tensor{values}, "want positions for 1 to 6 dims of values of shape %v, not %d",
			values.Dims(), d)
	}
	if o.Method < GridLinear || o.Method > GridCubic {
		extend.Fail(op, tensor.ErrValue, nil, "", "there is no method %d", int(o.Method))
	}
	if o.Outside == Auto {
		o.Outside = Refuse
	}
	if values.DType().IsComplex() {
		extend.Fail(op, tensor.ErrDType, []*tensor.Tensor{values}, "values.ViewAsReal() has the parts as a last dim",
			"want real numbers, not %v", values.DType())
	}
	v, dt := extend.Precise(values)
	v = apart(v, positions...)
	g := &Grid{op: op, counts: values.Dims()[:d], shape: values.Dims()[d:], dt: dt, outside: o.Outside}
	degree := map[GridMethod]int{GridLinear: 1, GridNearest: 0, GridCubic: 3}[o.Method]
	for i, x := range positions {
		if x.Rank() != 1 || x.Dim(0) != values.Dim(i) {
			extend.Shape(op, []*tensor.Tensor{x, values}, "want %d positions for dim %d of values of shape %v, not %v",
				values.Dim(i), i, values.Dims(), x.Dims())
		}
		if x.Dim(0) < degree+1 {
			extend.Shape(op, []*tensor.Tensor{x, values}, "dim %d has %d points: the method takes %d or more", i, x.Dim(0),
				degree+1)
		}
		at := x.Detach().ToDType(v.DType()).Float64s()
		ascending(fmt.Sprintf("%s, dim %d", op, i), at, []*tensor.Tensor{x})
		a := newAxis(at, degree, v)
		if degree == 3 {
			n := v.Dim(i)
			front := v.Transpose(0, i)
			dims := front.Dims()
			c := solved(op, notAKnot(at, 3).collocation(at), front.Reshape(n, -1), false)
			v = c.Reshape(dims...).Transpose(0, i)
		}
		g.axes = append(g.axes, a)
	}
	points := 1
	for _, n := range g.counts {
		points *= n
	}
	g.c = v.Reshape(points, -1)
	return g
}

func newAxis(x []float64, degree int, like *tensor.Tensor) axis {
	put := func(list []float64) *tensor.Tensor {
		return like.Device().FromSlice(list, len(list)).ToDType(like.DType())
	}
	a := axis{x: x, degree: degree}
	if degree == 0 {
		ends := []float64{x[0]}
		for i := 1; i < len(x); i++ {
			ends = append(ends, x[i-1]+(x[i]-x[i-1])/2)
		}
		a.ends = put(append(ends, x[len(x)-1]))
		return a
	}
	b := notAKnot(x, degree)
	a.ends = put(b.ends)
	for k := range degree + 1 {
		var powers []*tensor.Tensor
		for power := range degree + 1 {
			w := make([]float64, len(b.powers))
			for i, p := range b.powers {
				w[i] = p[k][power]
			}
			powers = append(powers, put(w))
		}
		a.powers = append(a.powers, powers)
	}
	return a
}

// at returns the index of the first point that counts for each position, and the weights of it and its neighbours.
func (a axis) at(q *tensor.Tensor) (first *tensor.Tensor, weights []*tensor.Tensor) {
	ids := piece(a.ends, q, a.degree == 0)
	if a.degree == 0 {
		return ids.ToDType(tensor.I64), []*tensor.Tensor{q.IsNaN().WhereCond(q, q.OnesLike())}
	}
	u := q.Sub(a.ends.IndexSelect(ids, 0))
	for _, powers := range a.powers {
		w := powers[a.degree].IndexSelect(ids, 0)
		for k := a.degree - 1; k >= 0; k-- {
			w = w.Mul(u).Add(powers[k].IndexSelect(ids, 0))
		}
		weights = append(weights, w)
	}
	return ids.ToDType(tensor.I64), weights
}

// At returns the values at places x [… d], on the device of the values: the dims of x before the last one, then those
// of a value. It has gradients with respect to x and to the values. NaN gives NaN. It panics with ErrShape for places
// of another number of dims, and with ErrValue for those outside the grid with Refuse.
func (g *Grid) At(x *tensor.Tensor) *tensor.Tensor {
	extend.SameDevice(g.op, g.c, x)
	d := len(g.axes)
	if x.Rank() == 0 || x.Dim(-1) != d {
		extend.Shape(g.op, []*tensor.Tensor{x}, "want places [… %d], not %v", d, x.Dims())
	}
	flat := x.ToDType(g.c.DType()).Reshape(-1, d)
	if x.ElemCount() == 0 {
		return g.c.Device().Zeros(g.dt, append(x.Dims()[:x.Rank()-1], g.shape...)...)
	}
	type corner struct{ ids, weight *tensor.Tensor }
	corners := []corner{{}}
	for i, a := range g.axes {
		q := inside(fmt.Sprintf("%s, dim %d", g.op, i), flat.GetOnDim(1, i), a.x[0], a.x[len(a.x)-1], g.outside)
		first, weights := a.at(q)
		var more []corner
		for _, c := range corners {
			for k, w := range weights {
				ids := first.Add(k)
				if c.ids != nil {
					ids, w = c.ids.Mul(g.counts[i]).Add(ids), c.weight.Mul(w)
				}
				more = append(more, corner{ids, w})
			}
		}
		corners = more
	}
	var sum *tensor.Tensor
	for _, c := range corners {
		part := g.c.IndexSelect(c.ids, 0).Mul(c.weight.Unsqueeze(1))
		if sum == nil {
			sum = part
		} else {
			sum = sum.Add(part)
		}
	}
	return sum.Reshape(append(x.Dims()[:x.Rank()-1], g.shape...)...).ToDType(g.dt)
}
