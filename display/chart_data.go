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
	s.names, err = namesOf(names, len(s.y), "heights")
	return s, err
}

// namesOf are the names of n bars or boxes; nil numbers them.
func namesOf(names any, n int, what string) (list []string, err error) {
	r := reflect.ValueOf(names)
	switch {
	case names == nil:
		for i := range n {
			list = append(list, fmt.Sprint(i))
		}
	case r.Kind() != reflect.Slice && r.Kind() != reflect.Array:
		return nil, fmt.Errorf("names are a %T: want a slice of strings, or nil", names)
	default:
		cell := cells()
		for i := range r.Len() {
			list = append(list, cell(r.Index(i)))
		}
	}
	if len(list) != n {
		return nil, fmt.Errorf("%d names for %d %s", len(list), n, what)
	}
	return list, nil
}

// finite reports whether x can stand on an axis. Beyond 1e300, and below 1e-300 on a logarithmic axis, the ends of the
// axis would leave the range of float64.
func finite(x float64, log bool) bool {
	return math.Abs(x) < 1e300 && (!log || x > 1e-300) // false for NaN
}

// stretches are the finite parts of a line, thinned out to about that many points each; points are one stretch.
func (s *series) stretches(logX, logY bool, limit int) (out [][][2]float64) {
	var part [][2]float64
	flush := func() {
		if len(part) > 0 {
			out = append(out, thin(part, limit))
		}
		part = nil
	}
	for i, y := range s.y {
		if finite(s.x[i], logX) && finite(y, logY) {
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

// plotted is a series with what its drawing depends on.
type plotted struct {
	*series
	logX, logY bool
	right      bool // drawn against the axis at the right
	tint       tint
	beside     int // which of the series that stand side by side, of so many
	of         int
}

// drawings are the series of the chart and of its right axis, in the order of their colours.
func (c *Chart) drawings() (list []plotted) {
	standing := c.count(barKind) + c.count(boxKind)
	beside := 0
	for _, s := range c.series {
		d := plotted{series: s, logX: c.logX, logY: c.logY, tint: palette[len(list)%len(palette)], of: 1}
		if s.standing() {
			d.beside, d.of = beside, standing
			beside++
		}
		list = append(list, d)
	}
	if c.right != nil {
		for _, s := range c.right.series {
			list = append(list, plotted{series: s, logX: c.logX, logY: c.right.logY, right: true,
				tint: palette[len(list)%len(palette)], of: 1})
		}
	}
	return list
}

// place is the middle of a bar or box, and its width.
func (d plotted) place(i int) (at, wide float64) {
	wide = 0.8 / float64(d.of)
	return d.x[i] - 0.4 + (float64(d.beside)+0.5)*wide, wide
}

// labels are the names of the series that have one.
func (c *Chart) labels() (list []string) {
	for _, d := range c.drawings() {
		if d.label != "" {
			list = append(list, d.label)
		}
	}
	return list
}

// extrema is the range of the numbers that it has been told; low is above high before the first.
type extrema struct {
	low, high float64
	log       bool
}

func newExtrema(log bool) extrema { return extrema{math.Inf(1), math.Inf(-1), log} }

func (r *extrema) grow(list ...float64) {
	for _, v := range list {
		if finite(v, r.log) {
			r.low, r.high = min(r.low, v), max(r.high, v)
		}
	}
}

// ranges are the ends of both axes, from the limits or from what is drawn.
func (c *Chart) ranges() (x, y [2]float64) {
	across, up := newExtrema(c.logX), newExtrema(c.logY)
	for _, d := range c.drawings() {
		switch {
		case d.standing():
			across.grow(-0.5, float64(len(d.x))-0.5)
		default:
			across.grow(d.x...)
		}
		if d.errors != nil && !d.standing() {
			for i, v := range d.x {
				across.grow(v-d.errors.at(d.errors.left, i), v+d.errors.at(d.errors.right, i))
			}
		}
		if !d.right {
			d.growUp(&up)
		}
	}
	return settle(across, c.xlim), settle(up, c.ylim)
}

// growUp adds what a series takes of its vertical axis.
func (d plotted) growUp(up *extrema) {
	up.grow(d.y...)
	if d.kind == histKind || d.kind == barKind {
		up.grow(0)
	}
	if d.errors != nil {
		for i, v := range d.y {
			up.grow(v-d.errors.at(d.errors.down, i), v+d.errors.at(d.errors.up, i))
		}
	}
	for _, b := range d.boxes {
		up.grow(b.low, b.high)
		up.grow(b.outliers...)
	}
}

// rightRange are the ends of the axis at the right.
func (c *Chart) rightRange() [2]float64 {
	up := newExtrema(c.right.logY)
	for _, d := range c.drawings() {
		if d.right {
			d.growUp(&up)
		}
	}
	return settle(up, c.right.ylim)
}

// settle gives an axis without numbers, or with one only, some width.
func settle(s extrema, limit *[2]float64) [2]float64 {
	r := [2]float64{s.low, s.high}
	if s.log && limit != nil && limit[0] <= 0 { // an end that the axis cannot have is left to the data
		limit = &[2]float64{min(s.low, limit[1]/10), limit[1]}
		if limit[1] <= 0 {
			limit = nil
		}
	}
	switch {
	case limit != nil:
		return *limit
	case s.log && r[0] > r[1]:
		return [2]float64{1, 10}
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
	for _, s := range c.drawings() {
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
		case boxKind:
			text = boxCaption(s.boxes)
		case contourKind:
			text = s.field.caption()
		}
		if s.errors != nil {
			text += " with error bars"
		}
		if s.right {
			text += " (right axis)"
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
