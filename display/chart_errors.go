package display

import (
	"fmt"
	"math"
	"reflect"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// errorBars are the lengths of bars from each point of a series in four directions; a list is empty, has one number for
// all points, or one for each.
type errorBars struct{ down, up, left, right []float64 }

// at is the length of a bar; NaN for a point without one.
func (*errorBars) at(list []float64, i int) float64 {
	switch len(list) {
	case 0:
		return math.NaN()
	case 1:
		return list[0]
	}
	return list[i]
}

// ErrorBars adds bars to the points, the line or the bars that were added last: y is how far they reach up and down,
// x, which may be left out, how far to both sides. Each is a number, a tensor or slice of dims [n], or of dims [2 n]
// with the lower errors and the upper ones; y may be nil. A point whose error is NaN has no bar. It corresponds to
// matplotlib's errorbar. It panics when the sizes differ, and when an error is negative.
func (c *Chart) ErrorBars(y any, x ...any) *Chart {
	if len(c.series) == 0 || len(x) > 1 {
		panic("Chart.ErrorBars: want a chart with a line, points or bars, and errors in y, or in y and x")
	}
	s := c.series[len(c.series)-1]
	if s.kind != lineKind && s.kind != scatterKind && s.kind != barKind {
		panic("Chart.ErrorBars: what was added last is not a line, points or bars")
	}
	e := &errorBars{}
	var err error
	if e.down, e.up, err = errorsOf(y, len(s.y)); err == nil && len(x) == 1 {
		e.left, e.right, err = errorsOf(x[0], len(s.y))
	}
	if err != nil {
		panic("Chart.ErrorBars: " + err.Error())
	}
	if s.kind == barKind && e.left != nil {
		panic("Chart.ErrorBars: bars have errors in y alone")
	}
	s.errors = e
	return c
}

// errorsOf reads the errors of n points: the lower and the upper ones.
func errorsOf(v any, n int) (lower, upper []float64, err error) {
	if v == nil {
		return nil, nil, nil
	}
	var a array
	if r := reflect.ValueOf(v); r.CanInt() || r.CanUint() || r.CanFloat() {
		a.dims = []int{1}
		err = a.read(r, 1)
	} else {
		a, err = arrayOf(v)
	}
	if err != nil {
		return nil, nil, err
	}
	switch {
	case len(a.data) == 1 && len(a.dims) <= 1:
		lower, upper = a.data, a.data
	case len(a.dims) == 1 && a.dims[0] == n:
		lower, upper = a.data, a.data
	case len(a.dims) == 2 && a.dims[0] == 2 && a.dims[1] == n:
		lower, upper = a.data[:n], a.data[n:]
	default:
		return nil, nil, fmt.Errorf("errors have dims %v: want a number, [%d] or [2 %d]", a.dims, n, n)
	}
	for i, x := range a.data {
		if x < 0 {
			return nil, nil, fmt.Errorf("error %v at %d is negative", x, i)
		}
	}
	return lower, upper, nil
}

// whisker is the bar of a point: from low to high on one axis, at a place on the other.
type whisker struct {
	at, low, high   float64
	across          bool // lies along the horizontal axis
	lowCap, highCap bool // ends inside the axis
}

// whiskers are the error bars of a series that can be drawn, cut off at the ends of the axes.
func (d plotted) whiskers(x, y [2]float64) (list []whisker) {
	if d.errors == nil {
		return nil
	}
	for i := range d.y {
		px, py := d.x[i], d.y[i]
		if d.standing() {
			px, _ = d.place(i)
		}
		if !finite(px, d.logX) || !finite(py, d.logY) || px < x[0] || px > x[1] && !d.standing() {
			continue
		}
		if w, ok := cutBar(py, d.errors.at(d.errors.down, i), d.errors.at(d.errors.up, i), y); ok {
			w.at = px
			list = append(list, w)
		}
		inside := py >= y[0] && py <= y[1]
		if w, ok := cutBar(px, d.errors.at(d.errors.left, i), d.errors.at(d.errors.right, i), x); ok && inside {
			w.at, w.across = py, true
			list = append(list, w)
		}
	}
	return list
}

// cutBar is the part of an error bar that lies within an axis. An error without end reaches the end of the axis.
func cutBar(v, down, up float64, axis [2]float64) (w whisker, ok bool) {
	if math.IsNaN(down) {
		down = 0
	}
	if math.IsNaN(up) {
		up = 0
	}
	w.low, w.high = v-down, v+up
	if w.low == w.high || w.high < axis[0] || w.low > axis[1] {
		return w, false
	}
	w.lowCap, w.highCap = down > 0 && w.low >= axis[0], up > 0 && w.high <= axis[1]
	w.low, w.high = max(w.low, axis[0]), min(w.high, axis[1])
	return w, true
}

// errorPlot draws error bars with caps; it implements plot.Plotter.
type errorPlot struct {
	d     plotted
	style draw.LineStyle
}

// Plot draws the bars.
func (e errorPlot) Plot(canvas draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&canvas)
	const half = 2.5
	for _, w := range e.d.whiskers([2]float64{p.X.Min, p.X.Max}, [2]float64{p.Y.Min, p.Y.Max}) {
		point := func(v float64, off vg.Length) vg.Point { return vg.Point{X: tx(w.at) + off, Y: ty(v)} }
		if w.across {
			point = func(v float64, off vg.Length) vg.Point { return vg.Point{X: tx(v), Y: ty(w.at) + off} }
		}
		lines := [][]vg.Point{{point(w.low, 0), point(w.high, 0)}}
		if w.lowCap {
			lines = append(lines, []vg.Point{point(w.low, -half), point(w.low, half)})
		}
		if w.highCap {
			lines = append(lines, []vg.Point{point(w.high, -half), point(w.high, half)})
		}
		canvas.StrokeLines(e.style, lines...)
	}
}
