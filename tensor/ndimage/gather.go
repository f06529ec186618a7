package ndimage

import (
	"math"
	"runtime"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/team"
)

// places sets to, a slice for each dim, to the positions of results from q on.
type places func(q int, to [][]float64)

// placesOf are the elements of a tensor of positions along each dim.
func placesOf(list []*tensor.Tensor) places {
	elements := make([][]float64, len(list))
	for d, c := range list {
		list[d] = c.Contiguous()
		elements[d] = extend.Elements[float64]("map coordinates", list[d])
	}
	return func(q int, to [][]float64) {
		for d := range to {
			copy(to[d], elements[d][q:])
		}
		runtime.KeepAlive(list)
	}
}

// placesBy are a matrix times the positions of a grid, plus an offset.
func placesBy(matrix [][]float64, offset []float64, shape []int) places {
	return func(q int, to [][]float64) {
		at := make([]int, len(shape))
		for d := len(shape) - 1; d >= 0; d-- {
			at[d], q = q%shape[d], q/shape[d]
		}
		last := len(shape) - 1
		for done := 0; done < len(to[0]); { // rows
			n := min(len(to[0])-done, shape[last]-at[last])
			for d, row := range matrix {
				base := offset[d]
				for k, i := range at[:last] {
					base += float64(float64(i) * row[k])
				}
				for i := range n {
					to[d][done+i] = base + float64(float64(at[last]+i)*row[last])
				}
			}
			done += n
			at[last] += n - 1
			step(at, shape)
		}
	}
}

const gatherBlock = 256

// axis finds the taps of positions along a dim, as samples.at does.
type axis struct {
	n, stride, pad, degree int
	mode                   Mode
	table                  []int // where element i - beyond of the image is in memory
	ids                    [4][gatherBlock]int
	weights                [4][gatherBlock]float64
}

const beyond = 3 // elements of the table before the first one

func (s samples) axis(d, stride int) *axis {
	a := &axis{n: s.y.Dim(d), stride: stride, pad: s.pad, degree: s.degree, mode: s.o.Mode}
	inner := a.mode
	if inner == Constant {
		inner = Mirror
	}
	a.table = make([]int, a.n+2*beyond)
	for i := range a.table {
		a.table[i] = inner.index(i-beyond, a.n) * stride
	}
	return a
}

// at finds the taps of positions c, and marks those that are outside.
func (a *axis) at(c []float64, outside []bool) {
	n, last := float64(a.n), float64(a.n-1)
	room, period := 1e-12*n, max(2*last, 1)
	for q, v := range c {
		v += float64(a.pad)
		switch a.mode {
		case Constant:
			if !(v >= -room && v <= last+room) {
				outside[q] = true
			}
			v = min(max(v, 0), last)
		case Nearest:
			v = min(max(v, 0), last)
		case Mirror:
			v = foldedNumber(v, period)
			if a.n == 1 {
				v = 0
			}
		case Reflect:
			v = foldedNumber(v+0.5, 2*n) - 0.5
		case Wrap:
			v -= float64(math.Floor(v/n) * n)
		}
		v = min(max(v, -0.5), n)
		start := v
		if a.degree%2 == 0 {
			start += 0.5
		}
		start = math.Floor(start) - float64(a.degree/2)
		first := 0
		if start == start {
			first = int(start)
		}
		for k := range a.degree + 1 {
			a.ids[k][q] = a.table[first+k+beyond]
			a.weights[k][q] = bsplineNumber(v-(start+float64(k)), a.degree)
		}
	}
}

func foldedNumber(c, period float64) float64 {
	c -= float64(math.Floor(c/period) * period)
	return min(c, period-c)
}

// bsplineNumber is bspline of a number.
func bsplineNumber(t float64, degree int) float64 {
	a := math.Abs(t)
	switch degree {
	case 0:
		return 1 + t*0
	case 1:
		return 1 - a
	case 2:
		if a < 0.5 {
			return 0.75 - float64(a*a)
		}
		return (1.5 - a) * (1.5 - a) * 0.5
	}
	if a < 1 {
		return float64(a*a*(float64(a*0.5)-1)) + 2.0/3
	}
	rest := 2 - a
	return rest * rest * rest / 6
}

// onHost is scattered for images that are direct, at positions without gradients.
func (s samples) onHost(op string, flat *tensor.Tensor, count int, at places) *tensor.Tensor {
	if flat.DType() == tensor.F32 {
		return gathered[float32](op, s, flat.Contiguous(), count, at)
	}
	return gathered[float64](op, s, flat.Contiguous(), count, at)
}

func gathered[T float32 | float64](op string, s samples, flat *tensor.Tensor, count int, at places) *tensor.Tensor {
	width := flat.Dim(1)
	out, to := extend.OnHost[T](op, flat.DType(), count, width)
	if len(to) == 0 {
		return out
	}
	from := extend.Elements[T](op, flat)
	combinations := 1
	for range s.rank {
		combinations *= s.degree + 1
	}
	team.Run(count, combinations*(2+width), func(lo, hi int) {
		g := newGather(s, from, width)
		for q := lo; q < hi; q += gatherBlock {
			g.block(q, to[q*width:min(hi, q+gatherBlock)*width], at)
		}
	})
	runtime.KeepAlive(flat)
	return out
}

// gather computes results block by block.
type gather[T float32 | float64] struct {
	from    []T
	width   int
	value   T // of positions that are outside
	taps    int
	axes    []*axis
	outside [gatherBlock]bool
	places  [][]float64
}

func newGather[T float32 | float64](s samples, from []T, width int) *gather[T] {
	g := &gather[T]{from: from, width: width, value: T(s.o.Value), taps: s.degree + 1}
	strides := stridesOf(s.y.Dims()[:s.rank])
	for d := range s.rank {
		g.axes = append(g.axes, s.axis(d, strides[d]))
		g.places = append(g.places, make([]float64, gatherBlock))
	}
	return g
}

// block sets to to the rows of results from q on.
func (g *gather[T]) block(q int, to []T, at places) {
	n := len(to) / g.width
	c := make([][]float64, len(g.places))
	for d := range c {
		c[d] = g.places[d][:n]
	}
	at(q, c)
	clear(g.outside[:])
	for d, a := range g.axes {
		a.at(c[d], g.outside[:])
	}
	switch {
	case len(g.axes) == 2 && g.width == 1:
		g.plane(to)
	default:
		for i := range n {
			g.row(i, to[i*g.width:(i+1)*g.width])
		}
	}
	for i, outside := range g.outside[:n] {
		if outside {
			for k := range g.width {
				to[i*g.width+k] = g.value
			}
		}
	}
}

// plane is row for images of two dims.
func (g *gather[T]) plane(to []T) {
	a, b := g.axes[0], g.axes[1]
	for q := range to {
		var sum T
		for i := range g.taps {
			row, factor := g.from[a.ids[i][q]:], T(a.weights[i][q])
			for k := range g.taps {
				sum += T(factor*T(b.weights[k][q])) * row[b.ids[k][q]]
			}
		}
		to[q] = sum
	}
}

// row sets a row to the sum of those at the taps of position q, times their weights.
func (g *gather[T]) row(q int, row []T) {
	var digits, starts [16]int
	var factors [16]T
	clear(row)
	factors[0] = 1
	for first := 0; first >= 0; { // the first dim whose digit has changed
		for d := first; d < len(g.axes); d++ {
			starts[d+1] = starts[d] + g.axes[d].ids[digits[d]][q]
			factors[d+1] = factors[d] * T(g.axes[d].weights[digits[d]][q])
		}
		at, factor := starts[len(g.axes)]*g.width, factors[len(g.axes)]
		for i, v := range g.from[at : at+g.width] {
			row[i] += factor * v
		}
		for first = len(g.axes) - 1; first >= 0; first-- {
			if digits[first]++; digits[first] < g.taps {
				break
			}
			digits[first] = 0
		}
	}
}
