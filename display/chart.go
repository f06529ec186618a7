package display

import (
	"errors"
	"fmt"
	"math"
)

// Chart is a plot of numbers in axes, made by Line, Scatter, Hist, Bar, Box, Contour, ContourFilled and Imshow. In
// notebooks it is an SVG image that follows the browser's light or dark theme; where the notebook runs scripts, the
// pointer shows values, a drag enlarges a part and a double click shows all again. In terminals it is a drawing in
// braille characters. Its methods change it and return it, so they chain:
//
//	display.Line(train).Label("train").Line(test).Label("test").Title("loss").XLabel("epoch").LogY()
type Chart struct {
	series                []*series
	picture               *raster // of Imshow and ContourFilled; nil in other charts
	right                 *Chart  // whose series are drawn against an axis at the right
	title, xlabel, ylabel string
	logX, logY            bool
	xlim, ylim            *[2]float64
	width, height         int  // in pixels
	sized                 bool // by Size
	notes                 []string
}

// kind is the form in which a series is drawn.
type kind int

const (
	lineKind kind = iota
	scatterKind
	histKind
	barKind
	boxKind
	contourKind
)

// series holds numbers that are drawn in one colour. For a histogram, x holds the edges of the bins, one more than y.
type series struct {
	kind   kind
	label  string
	x, y   []float64
	names  []string    // of bars and boxes
	errors *errorBars  // nil for none
	boxes  []quartiles // of boxKind, one for each x
	field  *field      // of contourKind
}

// standing reports whether the series stands on an axis with names.
func (s *series) standing() bool { return s.kind == barKind || s.kind == boxKind }

// The size of a chart in pixels, unless Size was called.
const (
	chartWidth  = 576
	chartHeight = 336
)

// Line draws a line through points. It takes y, or x and y: tensors or slices of numbers of any dtype, of dims [n]. The
// x of y alone are 0, 1, 2, …; y of dims [n m] is m lines over one x. NaN and infinities leave gaps in a line. Long
// lines are drawn from the minimum and maximum of each range narrower than a pixel. It corresponds to matplotlib's
// plot. It panics when xy is something else.
func Line(xy ...any) *Chart { return newChart().add("display.Line", lineKind, xy) }

// Scatter draws points. It takes x and y, tensors or slices of numbers of any dtype and dims [n]; or one value of dims
// [n 2], one point a row. Of more than 5000 points every k-th is drawn, as a note below the chart says. It panics when
// xy is something else.
func Scatter(xy ...any) *Chart { return newChart().add("display.Scatter", scatterKind, xy) }

// Hist draws a histogram of v, a tensor or (nested) slices of numbers of any dims and dtype, with bins of equal width,
// by default ten as in matplotlib. NaN and infinities are not counted. Only the counts of a tensor leave the device. It
// panics when v is something else or bins is not positive.
func Hist(v any, bins ...int) *Chart { return newChart().Hist(v, bins...) }

// Bar draws a bar for each height: a tensor or a slice of numbers of dims [n], with a name for each below it. Names are
// strings or any printable values; nil numbers them. Further bars (Chart.Bar) are drawn beside the first. It panics
// when the numbers of names and heights differ.
func Bar(names any, heights any) *Chart { return newChart().Bar(names, heights) }

func newChart() *Chart { return &Chart{width: chartWidth, height: chartHeight} }

// Line adds a line to the chart, as display.Line draws it.
func (c *Chart) Line(xy ...any) *Chart { return c.add("Chart.Line", lineKind, xy) }

// Scatter adds points to the chart, as display.Scatter draws them.
func (c *Chart) Scatter(xy ...any) *Chart { return c.add("Chart.Scatter", scatterKind, xy) }

// Hist adds a histogram to the chart, as display.Hist draws it.
func (c *Chart) Hist(v any, bins ...int) *Chart {
	n := 10
	if len(bins) > 0 {
		n = bins[0]
	}
	s, err := histOf(v, n)
	if err != nil {
		panic("display.Hist: " + err.Error())
	}
	c.series = append(c.series, s)
	return c
}

// Bar adds bars to the chart, as display.Bar draws them.
func (c *Chart) Bar(names any, heights any) *Chart {
	s, err := barsOf(names, heights)
	return c.stand("display.Bar", s, err)
}

func (c *Chart) add(op string, k kind, xy []any) *Chart {
	list, err := pointsOf(k, xy)
	if err != nil {
		panic(op + ": " + err.Error())
	}
	c.series = append(c.series, list...)
	return c
}

// Label sets the legend entry of the series added last. Several labels name the lines of a value of dims [n m].
func (c *Chart) Label(labels ...string) *Chart {
	if len(labels) > len(c.series) {
		panic(fmt.Sprintf("Chart.Label: %d labels for %d series", len(labels), len(c.series)))
	}
	for i, text := range labels {
		c.series[len(c.series)-len(labels)+i].label = text
	}
	return c
}

// Title sets the line above the chart.
func (c *Chart) Title(text string) *Chart { c.title = text; return c }

// XLabel sets the label of the horizontal axis.
func (c *Chart) XLabel(text string) *Chart { c.xlabel = text; return c }

// YLabel sets the label of the vertical axis.
func (c *Chart) YLabel(text string) *Chart { c.ylabel = text; return c }

// XLim sets the limits of the horizontal axis; data outside is not drawn. It panics when low is not below high.
func (c *Chart) XLim(low, high float64) *Chart { c.xlim = limits("XLim", low, high); return c }

// YLim sets the limits of the vertical axis; data outside is not drawn. It panics when low is not below high.
func (c *Chart) YLim(low, high float64) *Chart { c.ylim = limits("YLim", low, high); return c }

func limits(op string, low, high float64) *[2]float64 {
	if !(low < high) || math.IsInf(low, 0) || math.IsInf(high, 0) {
		panic(fmt.Sprintf("Chart.%s: want finite numbers, low before high, not %v and %v", op, low, high))
	}
	return &[2]float64{low, high}
}

// LogX makes the horizontal axis logarithmic. Numbers that are not positive are not drawn. It panics for an Imshow,
// whose elements have equal widths, and for bars and boxes.
func (c *Chart) LogX() *Chart { noLog(c, "LogX"); c.logX = true; return c }

// LogY makes the vertical axis logarithmic. Numbers that are not positive are not drawn. It panics for an Imshow, whose
// elements have equal heights.
func (c *Chart) LogY() *Chart { noLog(c, "LogY"); c.logY = true; return c }

func noLog(c *Chart, op string) {
	if c.picture != nil && c.picture.field == nil {
		panic("Chart." + op + ": the axes of Imshow are linear; ContourFilled draws a matrix on logarithmic ones")
	}
	if op == "LogX" && c.count(barKind)+c.count(boxKind) > 0 {
		panic("Chart.LogX: an axis with names is not logarithmic")
	}
}

// stand adds bars or boxes.
func (c *Chart) stand(op string, s *series, err error) *Chart {
	if err == nil && c.logX {
		err = errors.New("an axis with names is not logarithmic")
	}
	if err != nil {
		panic(op + ": " + err.Error())
	}
	c.series = append(c.series, s)
	return c
}

// Size sets the chart's size in pixels; the default is 576 × 336. It panics below 64 × 64 and above 4096 × 4096.
func (c *Chart) Size(width, height int) *Chart {
	if min(width, height) < 64 || max(width, height) > 4096 {
		panic(fmt.Sprintf("Chart.Size: want 64 × 64 to 4096 × 4096 pixels, not %d × %d", width, height))
	}
	c.width, c.height, c.sized = width, height, true
	return c
}
