package ndimage

import (
	"fmt"
	"math"
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
)

// Order is the degree of the splines of a transform.
type Order int

// The orders of transforms.
const (
	Cubic     Order = iota // 3, as in SciPy unless another is asked for
	Quadratic              // 2
	Linear                 // 1
	Step                   // 0: the nearest element
)

func (o Order) String() string {
	if o < Cubic || o > Step {
		return fmt.Sprintf("Order(%d)", int(o))
	}
	return [...]string{"Cubic", "Quadratic", "Linear", "Step"}[o]
}

func (o Order) degree() int { return 3 - int(o) }

// edgePad is how far SciPy continues an image with Nearest before it finds a spline through it.
const edgePad = 12

// samples is what transforms evaluate at positions: an image, or the coefficients of the spline through it.
type samples struct {
	y      *tensor.Tensor
	rank   int // the first dims, along which positions are
	o      TransformOptions
	pad    int
	degree int
}

// newSamples finds the coefficients along the first rank dims of y: the inverse of the B-spline's values at whole
// numbers is z^|k|, times a factor, where z is its pole (Unser, Aldroubi, Eden, B-spline signal processing, 1993).
// z³⁰ is below all rounding errors, so a correlation is exact, and continues the image as the mode says.
func newSamples(y *tensor.Tensor, rank int, o TransformOptions) samples {
	s := samples{y: y, rank: rank, o: o, degree: o.Order.degree()}
	if s.degree < 2 || y.ElemCount() == 0 {
		return s
	}
	mode := o.Mode
	switch o.Mode {
	case Constant:
		mode = Mirror
	case Nearest:
		s.pad, mode = edgePad, Reflect
		ends := slices.Repeat([]int{edgePad}, rank)
		s.y = Border{Mode: Nearest}.extended(y, ends, ends)
	}
	pole, gain := math.Sqrt(3)-2, 6.0
	if s.degree == 2 {
		pole, gain = math.Sqrt(8)-3, 8
	}
	for d := range rank {
		if direct(s.y) {
			s.y = prefilteredOnHost(s.y, pole, gain, d, Border{Mode: mode})
			continue
		}
		s.y = along(s.y, inverse(pole, gain), d, Border{Mode: mode})
	}
	return s
}

// reach is where the powers of poles are below all rounding errors.
const reach = 30

// inverse returns the weights of elements up to reach away.
func inverse(pole, gain float64) []float64 {
	weights := make([]float64, 2*reach+1)
	for i := range weights {
		weights[i] = -gain * pole / (1 - pole*pole) * math.Pow(pole, math.Abs(float64(i-reach)))
	}
	return weights
}

// taps are the elements of one dim that count at positions: the index and the weight of each.
type taps struct {
	ids     []*tensor.Tensor // I64
	weights []*tensor.Tensor
	outside *tensor.Tensor // where the value of Constant is; nil for other modes
}

// at returns the taps of positions c along dim d, in F64 and of any shape.
func (s samples) at(c *tensor.Tensor, d int) taps {
	n, t := s.y.Dim(d), taps{}
	last, mode := float64(n-1), s.o.Mode
	c = c.Add(s.pad)
	switch mode {
	case Constant: // positions that are outside by rounding are at the border
		room := 1e-12 * float64(n)
		t.outside = c.Ge(-room).And(c.Le(last + room)).Not()
		c, mode = c.Clamp(0, last), Mirror
	case Nearest:
		c = c.Clamp(0, last)
	case Mirror:
		c = folded(c, math.Max(2*last, 1))
		if n == 1 {
			c = c.ZerosLike()
		}
	case Reflect:
		c = folded(c.Add(0.5), float64(2*n)).Sub(0.5)
	case Wrap:
		c = c.Sub(c.Div(n).Floor().Mul(n))
	}
	c = c.Clamp(-0.5, float64(n)) // of huge positions the remainders are lost
	start := c.Floor()
	if s.degree%2 == 0 {
		start = c.Add(0.5).Floor()
	}
	start = start.Sub(s.degree / 2)
	table := make([]int64, n+2*beyond)
	for i := range table {
		table[i] = int64(mode.index(i-beyond, n))
	}
	ids := s.y.Device().FromSlice(table, len(table))
	first := start.Detach().Add(beyond)
	first = first.IsFinite().WhereCond(first, beyond).ToDType(tensor.I64) // NaN is in the weights
	for k := range s.degree + 1 {
		id := ids.IndexSelect(first.Add(k).FlattenAll(), 0)
		t.ids = append(t.ids, id.Reshape(c.Dims()...))
		t.weights = append(t.weights, bspline(c.Sub(start.Add(k)), s.degree).ToDType(s.y.DType()))
	}
	return t
}

// folded returns positions that go up and down with a period, from 0 to half of it.
func folded(c *tensor.Tensor, period float64) *tensor.Tensor {
	c = c.Sub(c.Div(period).Floor().Mul(period))
	return c.Minimum(c.Neg().Add(period))
}

// bspline returns the B-spline of a degree at a distance of less than (degree+1)/2 from its middle.
func bspline(t *tensor.Tensor, degree int) *tensor.Tensor {
	a := t.Abs()
	switch degree {
	case 0:
		return t.OnesLike().Add(t.Mul(0)) // a position that is not a number has none
	case 1:
		return a.Neg().Add(1)
	case 2:
		far := a.Neg().Add(1.5).Sqr().Mul(0.5)
		return a.Lt(0.5).WhereCond(a.Sqr().Neg().Add(0.75), far)
	}
	rest := a.Neg().Add(2)
	near := a.Sqr().Mul(a.Mul(0.5).Sub(1)).Add(2.0 / 3)
	return a.Lt(1).WhereCond(near, rest.Sqr().Mul(rest).Div(6))
}

// separable returns the image at positions that are a grid: of each dim the vector of its positions, or nil.
func (s samples) separable(positions []*tensor.Tensor) *tensor.Tensor {
	y := s.y
	outside := []*tensor.Tensor{}
	for d, c := range positions {
		if c == nil {
			continue
		}
		t, shape := s.at(c, d), ones(y.Rank())
		shape[d] = c.Dim(0)
		var total *tensor.Tensor
		for k, id := range t.ids {
			term := y.IndexSelect(id, d).Mul(t.weights[k].Reshape(shape...))
			if k > 0 {
				term = total.Add(term)
			}
			total = term
		}
		y = total
		if t.outside != nil {
			outside = append(outside, t.outside.Reshape(shape...))
		}
	}
	for _, mask := range outside {
		y = mask.BroadcastAs(y.Dims()...).WhereCond(s.o.Value, y)
	}
	return y
}

func ones(rank int) []int { return slices.Repeat([]int{1}, rank) }

// plain reports whether loops on the host evaluate the image at positions.
func (s samples) plain(positions ...*tensor.Tensor) bool {
	return direct(s.y) && s.rank < 16 && !slices.ContainsFunc(positions, extend.Tracked)
}

// flat returns the image with the first dims as one.
func (s samples) flat() *tensor.Tensor {
	count := backend.Product(s.y.Dims()[:s.rank])
	return s.y.Reshape(count, s.y.ElemCount()/max(1, count))
}

// scattered returns the image at positions, of each of the first dims those along it [q]: [q, rest].
func (s samples) scattered(positions []*tensor.Tensor) *tensor.Tensor {
	if s.plain(positions...) {
		return s.onHost("map coordinates", s.flat(), positions[0].ElemCount(), placesOf(positions))
	}
	strides := stridesOf(s.y.Dims()[:s.rank])
	all := make([]taps, len(positions))
	var outside *tensor.Tensor
	for d, c := range positions {
		all[d] = s.at(c, d)
		for k, id := range all[d].ids {
			all[d].ids[k] = id.Mul(strides[d])
		}
		if mask := all[d].outside; mask != nil && outside != nil {
			outside = outside.Or(mask)
		} else if mask != nil {
			outside = mask
		}
	}
	total := nested(s.flat(), all, nil)
	if outside != nil {
		total = outside.Unsqueeze(1).BroadcastAs(total.Dims()...).WhereCond(s.o.Value, total)
	}
	return total
}

// nested returns the sum of the elements of dims from the first of all on, below the elements of those before.
func nested(flat *tensor.Tensor, all []taps, before *tensor.Tensor) *tensor.Tensor {
	if len(all) == 0 {
		return flat.IndexSelect(before, 0)
	}
	var total *tensor.Tensor
	for k, id := range all[0].ids {
		if before != nil {
			id = id.Add(before)
		}
		term := nested(flat, all[1:], id).Mul(all[0].weights[k].Unsqueeze(1))
		if k > 0 {
			term = total.Add(term)
		}
		total = term
	}
	return total
}

// SplineFilter returns the coefficients of the spline through an image, as scipy.ndimage.spline_filter with the border
// of the options, Mirror by default. Linear and Step have the image itself. It panics as MapCoordinates.
func SplineFilter(x *tensor.Tensor, o TransformOptions) *tensor.Tensor {
	if o.Mode == Auto {
		o.Mode = Mirror
	}
	y, dt := o.begin("spline filter", x)
	if o.Mode == Nearest {
		o.Mode = Reflect
	}
	return extend.Own(newSamples(y, y.Rank(), o).y.ToDType(dt), x)
}
