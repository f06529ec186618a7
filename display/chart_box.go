package display

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// quartiles describe the distribution of numbers: the ends of the whiskers, the quartiles, and what lies beyond.
type quartiles struct {
	n, left                int // numbers, and those that were left out: NaN and infinities
	low, q1, mid, q3, high float64
	outliers               []float64
	beyond                 int // outliers, of which some may have been left out
}

// maxOutliers is the largest number of outliers of a box that are drawn.
const maxOutliers = 500

// Box draws a box plot of each group of numbers: a box from the first quartile to the third with a line at the median,
// whiskers to the last number within 1.5 times the box's height, and the numbers beyond as points. A group is a tensor
// or slice of numbers of dims [n]; one of dims [n m] is m groups. Names stand below the boxes: strings or any printable
// values; nil numbers them. Quartiles are interpolated linearly, as NumPy's and matplotlib's. NaN and infinities are
// left out, which the caption counts. It panics when the numbers of names and groups differ.
func Box(names any, groups ...any) *Chart { return newChart().Box(names, groups...) }

// Box adds boxes to the chart, beside others, as display.Box draws them.
func (c *Chart) Box(names any, groups ...any) *Chart {
	s, err := boxesOf(names, groups)
	return c.stand("display.Box", s, err)
}

func boxesOf(names any, groups []any) (*series, error) {
	s := &series{kind: boxKind}
	for _, g := range groups {
		a, err := arrayOf(g)
		if err != nil {
			return nil, err
		}
		columns := a.columns()
		if columns == nil {
			return nil, fmt.Errorf("a group has dims %v: want [n], or [n m] for m groups", a.dims)
		}
		for _, numbers := range columns {
			s.boxes = append(s.boxes, quartilesOf(numbers))
		}
	}
	s.x = counting(len(s.boxes))
	for _, b := range s.boxes {
		s.y = append(s.y, b.mid)
	}
	var err error
	s.names, err = namesOf(names, len(s.boxes), "groups")
	return s, err
}

// quartilesOf describes numbers.
func quartilesOf(numbers []float64) (b quartiles) {
	var sorted []float64
	for _, x := range numbers {
		if finite(x, false) {
			sorted = append(sorted, x)
		}
	}
	b.n, b.left = len(sorted), len(numbers)-len(sorted)
	if b.n == 0 {
		nan := math.NaN()
		b.low, b.q1, b.mid, b.q3, b.high = nan, nan, nan, nan, nan
		return b
	}
	slices.Sort(sorted)
	b.q1, b.mid, b.q3 = quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75)
	reach := 1.5 * (b.q3 - b.q1)
	first, last := 0, len(sorted)
	for first < len(sorted) && sorted[first] < b.q1-reach {
		first++
	}
	for last > first && sorted[last-1] > b.q3+reach {
		last--
	}
	// With few numbers a quartile may lie beyond the last number that a whisker may reach.
	b.low, b.high = min(sorted[first], b.q1), max(sorted[last-1], b.q3)
	out := slices.Concat(sorted[:first], sorted[last:])
	b.beyond = len(out)
	if len(out) > maxOutliers {
		all := out
		out = nil
		for i := range maxOutliers {
			out = append(out, all[i*(len(all)-1)/(maxOutliers-1)])
		}
	}
	b.outliers = out
	return b
}

// quantile is a quantile of sorted numbers, interpolated linearly between its neighbours (definition 7 of R. Hyndman
// and Y. Fan, Sample Quantiles in Statistical Packages, 1996).
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	part := at - float64(i)
	return sorted[i]*(1-part) + sorted[i+1]*part
}

// boxCaption tells how many numbers the boxes describe.
func boxCaption(boxes []quartiles) string {
	n, left, beyond, shown := 0, 0, 0, 0
	for _, b := range boxes {
		n, left, beyond, shown = n+b.n, left+b.left, beyond+b.beyond, shown+len(b.outliers)
	}
	text := fmt.Sprintf("%s of %s", counted(len(boxes), "box", "boxes"), counted(n, "number", "numbers"))
	if left > 0 {
		text += fmt.Sprintf(", %d not finite left out", left)
	}
	if shown < beyond {
		text += fmt.Sprintf(", %d of %d outliers drawn", shown, beyond)
	}
	return text
}

func counted(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// boxPlot draws box plots; it implements plot.Plotter and plot.Thumbnailer.
type boxPlot struct {
	d      plotted
	colour color.NRGBA
}

// Plot draws the boxes.
func (b boxPlot) Plot(canvas draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&canvas)
	style := draw.LineStyle{Color: b.colour, Width: 1}
	inside := func(v float64) float64 { return max(p.Y.Min, min(p.Y.Max, v)) }
	for i, q := range b.d.boxes {
		if q.n == 0 {
			continue
		}
		at, wide := b.d.place(i)
		if at < p.X.Min || at > p.X.Max {
			continue
		}
		left, right, middle := tx(at-0.4*wide), tx(at+0.4*wide), tx(at)
		across := func(v, from, to float64, width vg.Length) { // a line at v, between parts of the box's width
			if finite(v, b.d.logY) && v >= p.Y.Min && v <= p.Y.Max {
				size := right - left
				canvas.StrokeLines(draw.LineStyle{Color: b.colour, Width: width}, []vg.Point{
					{X: left + vg.Length(from)*size, Y: ty(v)}, {X: left + vg.Length(to)*size, Y: ty(v)}})
			}
		}
		bottom, top := ty(inside(q.q1)), ty(inside(q.q3))
		fill := b.colour
		fill.A = boxOpacity
		corners := rectangle(left, bottom, right, top)
		canvas.FillPolygon(fill, corners)
		canvas.StrokeLines(style, append(corners, corners[0]),
			[]vg.Point{{X: middle, Y: ty(inside(q.low))}, {X: middle, Y: bottom}},
			[]vg.Point{{X: middle, Y: top}, {X: middle, Y: ty(inside(q.high))}})
		across(q.mid, 0, 1, 2)
		across(q.low, 0.25, 0.75, 1)
		across(q.high, 0.25, 0.75, 1)
		for _, v := range q.outliers {
			if finite(v, b.d.logY) && v >= p.Y.Min && v <= p.Y.Max {
				canvas.DrawGlyph(draw.GlyphStyle{Color: b.colour, Radius: 1.6, Shape: draw.RingGlyph{}},
					vg.Point{X: middle, Y: ty(v)})
			}
		}
	}
}

// boxOpacity is the opacity, of 255, of the inside of a box.
const boxOpacity = 60

// Thumbnail draws the box of the legend.
func (b boxPlot) Thumbnail(canvas *draw.Canvas) {
	fill := b.colour
	fill.A = boxOpacity
	corners := rectangle(canvas.Min.X, canvas.Min.Y, canvas.Max.X, canvas.Max.Y)
	canvas.FillPolygon(fill, corners)
	canvas.StrokeLines(draw.LineStyle{Color: b.colour, Width: 1}, append(corners, corners[0]))
}
