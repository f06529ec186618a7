package interpolate

import (
	"fmt"
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Outside says what an interpolant is beyond the first and the last point.
type Outside int

// What interpolants are outside.
const (
	Auto        Outside = iota // as in SciPy: each function says which of the others
	Extrapolate                // the outermost pieces go on
	NaN                        // not a number
	Clamp                      // the values at the first and the last point
	Refuse                     // evaluation panics with ErrValue
	Periodic                   // the points repeat
	zero                       // 0: the derivative of Clamp
)

func (o Outside) String() string {
	names := [...]string{"Auto", "Extrapolate", "NaN", "Clamp", "Refuse", "Periodic", "0"}
	if o < Auto || int(o) >= len(names) {
		return fmt.Sprintf("Outside(%d)", int(o))
	}
	return names[o]
}

// Poly is a function of one number that is a polynomial in each interval between points, with values of any shape. It
// is on the device of the values that were interpolated; evaluation is tensor operations, and has gradients with
// respect to the positions and, if these were variables, to the values.
type Poly struct {
	op      string
	x       []float64        // the ends of the intervals, ascending
	at      *tensor.Tensor   // the same, in the type of computation
	c       []*tensor.Tensor // coefficients of 1, u, u², … for u from the left end, each [intervals, values]
	shape   []int            // of a value
	dt      tensor.DType     // of results
	outside Outside
	closed  bool // a piece has its right end, not its left one
}

// points are the positions and values of an interpolation.
type points struct {
	op    string
	x     []float64
	at    *tensor.Tensor // x, in the type of computation
	y     *tensor.Tensor // [n, values], in the type of computation
	shape []int
	dt    tensor.DType
}

// prepared checks positions x [n] and values y [n …], of which there must be least or more.
func prepared(op string, x, y *tensor.Tensor, least int) points {
	extend.SameDevice(op, x, y)
	both := []*tensor.Tensor{x, y}
	if x.Rank() != 1 || y.Rank() == 0 || y.Dim(0) != x.Dim(0) {
		extend.ShapeNoting(op, both, "y.Transpose(0, dim) brings the dim of the points to the front",
			"want positions [n] and values [n …], not %v and %v", x.Dims(), y.Dims())
	}
	n := x.Dim(0)
	if n < least {
		extend.Shape(op, both, "want %d points or more, not %d", least, n)
	}
	if y.DType().IsComplex() || x.DType().IsComplex() {
		extend.Fail(op, tensor.ErrDType, both, "y.ViewAsReal() has the parts as a last dim",
			"want real numbers, not %v and %v", x.DType(), y.DType())
	}
	v, dt := extend.Precise(y)
	v = apart(v, x)
	p := points{op: op, at: x.Detach().ToDType(v.DType()), y: v.Reshape(n, -1), shape: y.Dims()[1:], dt: dt}
	if y.ElemCount() == 0 {
		extend.Shape(op, both, "the values have no elements: shape %v", y.Dims())
	}
	p.x = p.at.Float64s()
	ascending(op, p.x, both)
	return p
}

// apart returns values in a type in which their positions differ as they do in their own: F64, but for small floats.
func apart(v *tensor.Tensor, positions ...*tensor.Tensor) *tensor.Tensor {
	for _, x := range positions {
		if dt := x.DType(); !dt.IsFloat() || dt == tensor.F64 {
			return v.ToDType(tensor.F64)
		}
	}
	return v
}

// ascending checks that positions are finite and ascend.
func ascending(op string, x []float64, ts []*tensor.Tensor) {
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			extend.Fail(op, tensor.ErrValue, ts, "", "position %d is %v", i, v)
		}
		if i > 0 && !(v > x[i-1]) {
			note := "x, ids := x.Sort(0, true); y = y.IndexSelect(ids, 0) sorts them"
			if v == x[i-1] {
				note = "take the mean of values at the same position"
			}
			extend.Fail(op, tensor.ErrValue, ts, note, "want positions in ascending order: number %d is %.8g, after %.8g",
				i, v, x[i-1])
		}
	}
}

// steps are the distances of the positions [n-1 1], and slopes those of the lines between the points [n-1, values].
func (p points) steps() (h, slopes *tensor.Tensor) {
	h = p.at.Diff(1, 0).Unsqueeze(1)
	return h, p.y.Diff(1, 0).Div(h)
}

// poly makes a Poly of coefficients.
func (p points) poly(c []*tensor.Tensor, outside, auto Outside) *Poly {
	if outside == Auto {
		outside = auto
	}
	if outside < Auto || outside >= zero {
		extend.Fail(p.op, tensor.ErrValue, nil, "", "there is no %v", outside)
	}
	return &Poly{op: p.op, x: p.x, at: p.at, c: c, shape: p.shape, dt: p.dt, outside: outside}
}

// hermite is the cubic Poly with slopes at the points [n, values].
func (p points) hermite(slopes *tensor.Tensor, outside, auto Outside) *Poly {
	n := len(p.x)
	h, d := p.steps()
	left, right := slopes.Narrow(0, 0, n-1), slopes.Narrow(0, 1, n-1)
	return p.poly([]*tensor.Tensor{p.y.Narrow(0, 0, n-1), left, d.Mul(3).Sub(left.Mul(2)).Sub(right).Div(h),
		left.Add(right).Sub(d.Mul(2)).Div(h.Sqr())}, outside, auto)
}

// String says what it is.
func (p *Poly) String() string {
	return fmt.Sprintf("%s: %d pieces of degree %d from %g to %g, %v outside", p.op, len(p.x)-1, p.Degree(), p.x[0],
		p.x[len(p.x)-1], p.outside)
}

// Degree returns the degree of the pieces.
func (p *Poly) Degree() int { return len(p.c) - 1 }

// Breaks returns the ends of the pieces [n], in ascending order, as F64 on the CPU.
func (p *Poly) Breaks() *tensor.Tensor {
	return tensor.CPU().FromSlice(append([]float64{}, p.x...), len(p.x))
}

// Coefficients returns those of degree 0, 1, … for the distance from the left end of each piece: [degree+1 n-1 …], in
// the type of computation.
func (p *Poly) Coefficients() *tensor.Tensor {
	return tensor.Stack(p.c, 0).Reshape(append([]int{len(p.c), len(p.x) - 1}, p.shape...)...)
}

// At returns the values at positions x of any shape: that of x, then that of a value. It computes on the device of the
// values, where x must be. NaN gives NaN. It panics with ErrValue for positions outside with Refuse.
func (p *Poly) At(x *tensor.Tensor) *tensor.Tensor {
	extend.SameDevice(p.op, p.at, x)
	all := x.ToDType(p.at.DType()).FlattenAll()
	q := inside(p.op, all, p.x[0], p.x[len(p.x)-1], p.outside)
	ids := piece(p.at, q, p.closed)
	u := q.Sub(p.at.IndexSelect(ids, 0)).Unsqueeze(1)
	y := p.c[len(p.c)-1].IndexSelect(ids, 0)
	if len(p.c) == 1 {
		y = u.IsNaN().WhereCond(math.NaN(), y)
	}
	for k := len(p.c) - 2; k >= 0; k-- {
		y = y.Mul(u).Add(p.c[k].IndexSelect(ids, 0))
	}
	if p.outside == zero {
		y = all.Lt(p.x[0]).Or(all.Gt(p.x[len(p.x)-1])).Unsqueeze(1).WhereCond(0.0, y)
	}
	return y.Reshape(append(x.Dims(), p.shape...)...).ToDType(p.dt)
}

// inside treats positions that are outside. Those that have no value become NaN.
func inside(op string, q *tensor.Tensor, first, last float64, outside Outside) *tensor.Tensor {
	if q.ElemCount() == 0 {
		return q
	}
	switch outside {
	case NaN:
		return q.Lt(first).Or(q.Gt(last)).WhereCond(math.NaN(), q)
	case Clamp, zero:
		return q.IsNaN().WhereCond(math.NaN(), q.Maximum(first).Minimum(last))
	case Refuse:
		if d := q.Detach(); d.Lt(first).Or(d.Gt(last)).Any().ToScalar() != 0 {
			extend.Fail(op, tensor.ErrValue, []*tensor.Tensor{q}, "Outside: interpolate.Extrapolate, Clamp or NaN allows them",
				"positions from %.8g to %.8g are beyond the points, which are from %.8g to %.8g", d.NanMin().ToScalar(),
				d.NanMax().ToScalar(), first, last)
		}
	case Periodic:
		return q.Sub(first).Mod(last - first).Add(first)
	}
	return q
}

// piece returns the index of the piece of each position, the outermost ones for those outside. Pieces have their left
// ends, or, if they are closed, their right ends.
func piece(ends, q *tensor.Tensor, closed bool) *tensor.Tensor {
	n := ends.Dim(0)
	if n <= 2 {
		return q.Device().Zeros(tensor.U32, q.Dim(0))
	}
	return ends.Narrow(0, 1, n-2).SearchSorted(q.Detach(), !closed)
}

// Derivative returns the derivative of an order, 1 or more, as a Poly. Outside, that of one that is clamped is 0.
func (p *Poly) Derivative(order int) *Poly {
	if order < 0 {
		extend.Fail(p.op, tensor.ErrValue, nil, "Antiderivative is the integral", "a derivative of order %d", order)
	}
	d := *p
	if order > 0 && d.outside == Clamp {
		d.outside = zero
	}
	for range order {
		if len(d.c) == 1 {
			d.c = []*tensor.Tensor{d.c[0].ZerosLike()}
			continue
		}
		var c []*tensor.Tensor
		for k := 1; k < len(d.c); k++ {
			c = append(c, d.c[k].Mul(k))
		}
		d.c = c
	}
	return &d
}

// Antiderivative returns the integral from the first point on, as a Poly. That of a periodic function is NaN outside,
// and that of one that is clamped goes on as with Extrapolate: Integrate is right there.
func (p *Poly) Antiderivative() *Poly {
	d := *p
	switch d.outside {
	case Periodic:
		d.outside = NaN
	case Clamp:
		d.outside = Extrapolate
	case zero:
		d.outside = Clamp
	}
	h := p.at.Diff(1, 0).Unsqueeze(1)
	c := []*tensor.Tensor{nil}
	area, power := p.c[0].ZerosLike(), h
	for k, a := range p.c {
		a = a.Div(k + 1)
		c = append(c, a)
		area = area.Add(a.Mul(power))
		power = power.Mul(h)
	}
	c[0] = area.CumSum(0).Sub(area)
	d.c = c
	return &d
}

// Integrate returns the integral from a to b, of what At returns, in the shape of a value. It panics with ErrValue for
// bounds outside with Refuse.
func (p *Poly) Integrate(a, b float64) *tensor.Tensor {
	first, last := p.x[0], p.x[len(p.x)-1]
	dev := p.at.Device()
	switch p.outside {
	case Periodic:
		period := last - first
		periods := math.Floor((b - a) / period)
		from := first + math.Mod(math.Mod(a-first, period)+period, period)
		to := from + min(max(b-a-periods*period, 0), period)
		whole := p.Antiderivative()
		ends := whole.At(dev.New([]float64{from, min(to, last), min(max(first, first+to-last), last), last}))
		sum := ends.Get(1).Sub(ends.Get(0)).Add(ends.Get(3).Mul(periods))
		if to > last {
			sum = sum.Add(ends.Get(2))
		}
		return sum
	case Clamp:
		ends := p.Antiderivative().At(dev.New([]float64{min(max(a, first), last), min(max(b, first), last)}))
		values := p.At(dev.New([]float64{first, last}))
		sum := ends.Get(1).Sub(ends.Get(0))
		if before := min(b, first) - min(a, first); before != 0 {
			sum = sum.Add(values.Get(0).Mul(before))
		}
		if after := max(b, last) - max(a, last); after != 0 {
			sum = sum.Add(values.Get(1).Mul(after))
		}
		return sum
	}
	ends := p.Antiderivative().At(dev.New([]float64{a, b}))
	return ends.Get(1).Sub(ends.Get(0))
}
