package display

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// maxPoints is the largest number of points of a scatter plot: an SVG image has an element for each.
const maxPoints = 5000

// pointsOf makes series from the arguments of Line and Scatter: y, or x and y.
func pointsOf(k kind, xy []any) ([]*series, error) {
	if len(xy) != 1 && len(xy) != 2 {
		return nil, fmt.Errorf("want y, or x and y, not %d values", len(xy))
	}
	y, err := arrayOf(xy[len(xy)-1])
	if err != nil {
		return nil, err
	}
	var x array
	if len(xy) == 2 {
		if x, err = arrayOf(xy[0]); err != nil {
			return nil, err
		}
		if len(x.dims) != 1 {
			return nil, fmt.Errorf("x has dims %v: want [n]", x.dims)
		}
	}
	columns := y.columns()
	switch {
	case columns == nil:
		return nil, fmt.Errorf("y has dims %v: want [n] or [n m]", y.dims)
	case k == scatterKind && len(xy) == 1:
		if len(columns) != 2 {
			return nil, fmt.Errorf("dims %v are not points: want x and y, or one value of dims [n 2]", y.dims)
		}
		x, columns = array{dims: y.dims[:1], data: columns[0]}, columns[1:]
	case len(xy) == 1:
		x = array{dims: y.dims[:1], data: counting(y.dims[0])}
		for i := range x.data {
			x.data[i] *= y.step(0)
		}
	}
	var list []*series
	for _, c := range columns {
		if len(c) != len(x.data) {
			return nil, fmt.Errorf("%d x and %d y", len(x.data), len(c))
		}
		list = append(list, &series{kind: k, x: x.data, y: c})
	}
	return list, nil
}

func counting(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = float64(i)
	}
	return out
}

// columns returns the numbers of each column, or nil if a is neither a vector nor a matrix.
func (a *array) columns() [][]float64 {
	switch len(a.dims) {
	case 1:
		return [][]float64{a.data}
	case 2:
		out := make([][]float64, a.dims[1])
		for j := range out {
			for i := range a.dims[0] {
				out[j] = append(out[j], a.data[i*a.dims[1]+j])
			}
		}
		return out
	}
	return nil
}

// histogram is implemented by tensors, so that only the counts leave the device.
type histogram interface {
	Histogram(bins int) (counts []int, low, high float64)
}

func histOf(v any, bins int) (*series, error) {
	if bins < 1 || bins > 1<<16 {
		return nil, fmt.Errorf("want 1 to %d bins, not %d", 1<<16, bins)
	}
	s := &series{kind: histKind}
	if t, ok := v.(histogram); ok && !isNil(v) {
		counts, low, high := t.Histogram(bins)
		for _, n := range counts {
			s.y = append(s.y, float64(n))
		}
		s.x = edges(low, high, len(counts))
		return s, nil
	}
	a, err := arrayOf(v)
	if err != nil {
		return nil, err
	}
	low, high := a.bounds()
	s.x, s.y = edges(low, high, bins), make([]float64, bins)
	low, high = s.x[0], s.x[bins]
	for _, x := range a.data {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			s.y[min(bins-1, int(fraction(x, low, high)*float64(bins)))]++
		}
	}
	return s, nil
}

// edges returns the edges of n bins from low to high; numbers that are all equal are centred in bins of width one
// together.
func edges(low, high float64, n int) []float64 {
	if low == high {
		low, high = low-0.5, high+0.5
	}
	out := make([]float64, n+1)
	for i := range out {
		at := float64(i) / float64(n)
		out[i] = low*(1-at) + high*at
	}
	return out
}

func barsOf(names, heights any) (*series, error) {
	a, err := arrayOf(heights)
	if err != nil {
		return nil, err
	}
	if len(a.dims) != 1 {
		return nil, fmt.Errorf("heights have dims %v: want [n]", a.dims)
	}
	s := &series{kind: barKind, x: counting(len(a.data)), y: a.data}
	r := reflect.ValueOf(names)
	switch {
	case names == nil:
		for i := range a.data {
			s.names = append(s.names, fmt.Sprint(i))
		}
	case r.Kind() != reflect.Slice && r.Kind() != reflect.Array:
		return nil, fmt.Errorf("names are a %T: want a slice of strings, or nil", names)
	default:
		cell := cells()
		for i := range r.Len() {
			s.names = append(s.names, cell(r.Index(i)))
		}
	}
	if len(s.names) != len(s.y) {
		return nil, fmt.Errorf("%d names for %d heights", len(s.names), len(s.y))
	}
	return s, nil
}

// finite reports whether x can stand on an axis.
func finite(x float64, log bool) bool {
	return !math.IsNaN(x) && !math.IsInf(x, 0) && math.Abs(x) < 1e300 && !(log && x <= 0)
}

// stretches are the finite parts of a line, thinned out to about that many points each; points are one stretch.
func (c *Chart) stretches(s *series, limit int) (out [][][2]float64) {
	var part [][2]float64
	flush := func() {
		if len(part) > 0 {
			out = append(out, thin(part, limit))
		}
		part = nil
	}
	for i, y := range s.y {
		if finite(s.x[i], c.logX) && finite(y, c.logY) {
			part = append(part, [2]float64{s.x[i], y})
		} else if s.kind == lineKind {
			flush()
		}
	}
	flush()
	return out
}

// thin keeps of each group of neighbours the lowest and the highest, which is what a line of that many points looks
// like.
func thin(part [][2]float64, limit int) [][2]float64 {
	if len(part) <= limit {
		return part
	}
	groups := max(1, limit/2)
	out := make([][2]float64, 0, 2*groups)
	for g := range groups {
		group := part[g*len(part)/groups : (g+1)*len(part)/groups]
		low, high := 0, 0
		for i, p := range group {
			if p[1] < group[low][1] {
				low = i
			}
			if p[1] > group[high][1] {
				high = i
			}
		}
		out = append(out, group[min(low, high)])
		if low != high {
			out = append(out, group[max(low, high)])
		}
	}
	return out
}

// every returns about limit of the points, and a note when it left some out.
func every(points [][2]float64, limit int) ([][2]float64, string) {
	if len(points) <= limit {
		return points, ""
	}
	step := (len(points) + limit - 1) / limit
	var out [][2]float64
	for i := 0; i < len(points); i += step {
		out = append(out, points[i])
	}
	return out, fmt.Sprintf("%d of %d points", len(out), len(points))
}

// labels are the names of the series that have one.
func (c *Chart) labels() (list []string) {
	for _, s := range c.series {
		if s.label != "" {
			list = append(list, s.label)
		}
	}
	return list
}

// ranges are the ends of both axes, from the limits or from what is drawn.
func (c *Chart) ranges() (x, y [2]float64) {
	x, y = [2]float64{math.Inf(1), math.Inf(-1)}, [2]float64{math.Inf(1), math.Inf(-1)}
	grow := func(r *[2]float64, v float64, log bool) {
		if finite(v, log) {
			r[0], r[1] = min(r[0], v), max(r[1], v)
		}
	}
	for _, s := range c.series {
		if s.kind != barKind {
			for _, v := range s.x {
				grow(&x, v, c.logX)
			}
		} else {
			grow(&x, -0.5, c.logX)
			grow(&x, float64(len(s.x))-0.5, c.logX)
		}
		for _, v := range s.y {
			grow(&y, v, c.logY)
		}
		if s.kind >= histKind {
			grow(&y, 0, c.logY)
		}
	}
	x, y = settle(x, c.xlim), settle(y, c.ylim)
	return x, y
}

// settle gives an axis without numbers, or with one only, some width.
func settle(r [2]float64, limit *[2]float64) [2]float64 {
	switch {
	case limit != nil:
		return *limit
	case r[0] > r[1]:
		return [2]float64{0, 1}
	case r[0] == r[1] && r[0] > 0:
		return [2]float64{r[0] / 2, r[0] * 1.5}
	case r[0] == r[1]:
		return [2]float64{r[0] - 1, r[0] + 1}
	}
	return r
}

const chartCaption = "chart, "

// caption is the line that tells what the chart holds.
func (c *Chart) caption() string {
	if c.picture != nil {
		return strings.Join(append([]string{c.picture.text()}, c.notes...), ", ")
	}
	var parts []string
	for _, s := range c.series {
		text := ""
		switch s.kind {
		case lineKind:
			text = fmt.Sprintf("line of %d points", len(s.y))
		case scatterKind:
			text = fmt.Sprintf("%d points", len(s.y))
		case histKind:
			total := 0.0
			for _, n := range s.y {
				total += n
			}
			text = fmt.Sprintf("histogram of %.0f numbers in %d bins", total, len(s.y))
		case barKind:
			text = fmt.Sprintf("%d bars", len(s.y))
		}
		if s.label != "" {
			text = s.label + ": " + text
		}
		parts = append(parts, text)
	}
	if len(parts) > 4 {
		parts = append(slices.Clip(parts[:3]), fmt.Sprintf("%d more", len(parts)-3))
	}
	return chartCaption + strings.Join(append(parts, c.notes...), "; ")
}
