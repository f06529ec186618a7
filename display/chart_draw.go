package display

import (
	"bytes"
	"image/color"
	"image/png"
	"math"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// pixel is the length of one pixel of a page at its usual size.
const pixel = vg.Inch / 96

// SVG returns the chart as an SVG document. Its colours follow the reader's light or dark theme.
func (c *Chart) SVG() string {
	svg, _ := c.document()
	return svg
}

// document returns the chart as an SVG document, and where its data is in it.
func (c *Chart) document() (string, []area) {
	canvas := vgsvg.New(vg.Length(c.width)*pixel, vg.Length(c.height)*pixel)
	at := c.draw(draw.New(canvas))
	return themed(canvas, c.name()), []area{at}
}

// PNG returns the chart as a PNG file, on white.
func (c *Chart) PNG() []byte {
	canvas := vgimg.NewWith(vgimg.UseWH(vg.Length(c.width)*pixel, vg.Length(c.height)*pixel), vgimg.UseDPI(96))
	c.draw(draw.New(canvas))
	return pngOf(canvas)
}

func pngOf(canvas *vgimg.Canvas) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, canvas.Image()); err != nil {
		return nil
	}
	return b.Bytes()
}

// draw draws the chart, and returns where its data is.
func (c *Chart) draw(canvas draw.Canvas) area {
	p, second := c.axes(), c.axes()
	c.setRanges(p, second)
	p.Add(gridLines{lines: c.picture == nil})
	if c.picture != nil {
		p.Add(filling{c.picture, c})
	}
	for _, d := range c.drawings() {
		var on *plot.Plot
		if d.right {
			on = second
		}
		plotters, thumb := c.plotters(d)
		p.Add(group{plotters, on})
		if d.standing() && d.beside == 0 {
			p.X.Tick.Marker = nominal(shortened(d.names))
		}
		if d.label != "" {
			p.Legend.Add(d.label, thumb)
		}
	}
	if len(c.labels()) > 0 {
		p.Add(legendBox{})
	}
	fillBackground(canvas)
	inner := inset(canvas)
	if c.right != nil {
		inner.Max.X -= rightAxis{&second.Y, c.right.ylabel}.width()
	}
	if c.picture != nil {
		inner = c.picture.shaped(c.drawBar(inner, p), p)
	}
	data := p.DataCanvas(inner)
	canvas.Push()
	canvas.Translate(vg.Point{}) // the group of the axes, which the grid ends
	p.Draw(inner)
	if c.right != nil {
		canvas.Push()
		canvas.Translate(vg.Point{})
		rightAxis{&second.Y, c.right.ylabel}.draw(data)
		canvas.Pop()
	}
	return areaOf(c, data, p, second)
}

// setRanges sets the ends of the axes.
func (c *Chart) setRanges(p, second *plot.Plot) {
	if c.picture != nil {
		c.pictureRanges(p)
		return
	}
	x, y := c.ranges()
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = x[0], x[1], y[0], y[1]
	// A margin keeps lines off the frame and the legend off the lines.
	c.widenAxes(p)
	if c.right != nil {
		if c.right.logY {
			second.Y.Scale, second.Y.Tick.Marker = plot.LogScale{}, logTicks{}
		} else {
			second.Y.Scale, second.Y.Tick.Marker = plot.LinearScale{}, plot.TickerFunc(ticks)
		}
		r := c.rightRange()
		second.X.Min, second.X.Max, second.Y.Min, second.Y.Max = p.X.Min, p.X.Max, r[0], r[1]
		c.widenUp(&second.Y, c.right, len(c.labels()))
	}
}

// plotters draw a series and its error bars, and its mark in the legend.
func (c *Chart) plotters(d plotted) (list []plot.Plotter, thumb plot.Thumbnailer) {
	tint := d.tint.light
	switch d.kind {
	case lineKind:
		list, thumb = linePlotters(c, d)
	case scatterKind:
		list, thumb = pointPlotters(d)
	case boxKind:
		b := boxPlot{d, tint}
		list, thumb = []plot.Plotter{b}, b
	case contourKind:
		line := &contourPlot{d: d, over: c.picture != nil}
		list, thumb = []plot.Plotter{line}, line
	default:
		b := &boxes{d: d, colour: tint}
		if d.kind == histKind && c.count(histKind) > 1 {
			b.colour.A = barOpacity
		}
		list, thumb = []plot.Plotter{b}, b
	}
	if d.errors != nil {
		style := draw.LineStyle{Color: tint, Width: 0.9}
		if d.kind == barKind {
			style.Color = ink.light
		}
		list = append(list, errorPlot{d, style})
	}
	return list, thumb
}

// group draws a series as a group of its own, on the axis at the right if there is one; it implements plot.Plotter.
type group struct {
	plotters []plot.Plotter
	on       *plot.Plot
}

// Plot draws the group.
func (g group) Plot(canvas draw.Canvas, p *plot.Plot) {
	if g.on != nil {
		p = g.on
	}
	canvas.Push()
	canvas.Scale(1, 1) // a group in the document, which themed gives its name
	for _, one := range g.plotters {
		one.Plot(canvas, p)
	}
	canvas.Pop()
}

// gridLines ends the group of the axes, which draw began, and draws the lines behind the data; it implements
// plot.Plotter.
type gridLines struct{ lines bool }

// Plot draws the lines.
func (g gridLines) Plot(canvas draw.Canvas, p *plot.Plot) {
	if g.lines {
		lines := plotter.NewGrid()
		lines.Horizontal.Color, lines.Vertical.Color = gridColour.light, gridColour.light
		lines.Plot(canvas, p)
	}
	canvas.Pop()
}

// legendOpacity is the opacity, of 255, of the background of the legend.
const legendOpacity = 200

// legendBox is the background of the legend, over the data; it implements plot.Plotter.
type legendBox struct{}

// Plot draws the background.
func (legendBox) Plot(canvas draw.Canvas, p *plot.Plot) {
	size := p.Legend.Rectangle(canvas).Size()
	right, top := canvas.Max.X+p.Legend.XOffs, canvas.Max.Y+p.Legend.YOffs
	fill := background.light
	fill.A = legendOpacity
	canvas.FillPolygon(fill, rectangle(right-size.X-6, top-size.Y-4, right+3, top+1))
}

func rectangle(left, bottom, right, top vg.Length) []vg.Point {
	return []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}}
}

// fillBackground fills the background of the whole chart, beyond the axes too.
func fillBackground(canvas draw.Canvas) {
	canvas.FillPolygon(background.light, []vg.Point{canvas.Min, {X: canvas.Max.X, Y: canvas.Min.Y}, canvas.Max,
		{X: canvas.Min.X, Y: canvas.Max.Y}})
}

// inset is a canvas without its margins.
func inset(canvas draw.Canvas) draw.Canvas { return draw.Crop(canvas, 5, -12, 4, -7) }

// widenAxes widens the axes without limits.
func (c *Chart) widenAxes(p *plot.Plot) {
	c.widenUp(&p.Y, c, len(c.labels()))
	free := c.count(scatterKind) > 0 || c.right != nil && c.right.count(scatterKind) > 0
	for _, d := range c.drawings() {
		free = free || d.errors != nil && !d.standing()
	}
	if c.xlim == nil && free {
		p.X.Min, p.X.Max = widened(p.X.Min, p.X.Max, 0.03, 0.03, c.logX)
	}
}

// widenUp widens a vertical axis with the series of the chart of, above them by so many labels.
func (c *Chart) widenUp(y *plot.Axis, of *Chart, labels int) {
	if of.ylim != nil || onlyContours(of) {
		return
	}
	below, above := 0.04, 0.04
	if labels > 0 {
		above += 0.07 * float64(min(labels, 4))
	}
	solid := of.count(histKind)+of.count(barKind) > 0
	if solid && y.Min == 0 {
		below = 0
	}
	if solid && y.Max == 0 {
		above = 0
	}
	y.Min, y.Max = widened(y.Min, y.Max, below, above, of.logY)
}

func onlyContours(c *Chart) bool {
	return len(c.series) > 0 && c.count(contourKind) == len(c.series)
}

func widened(low, high, below, above float64, log bool) (float64, float64) {
	if log {
		ratio := high / low
		return max(1e-305, low/math.Pow(ratio, below)), min(1e305, high*math.Pow(ratio, above))
	}
	size := high - low
	return low - below*size, high + above*size
}

func (c *Chart) count(k kind) (n int) {
	for _, s := range c.series {
		if s.kind == k {
			n++
		}
	}
	return n
}

// axes makes an empty plot in the chart's style.
func (c *Chart) axes() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = background.light
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.title, c.xlabel, c.ylabel
	p.Title.TextStyle = textStyle(11, xfont.WeightBold, text.XCenter)
	p.Title.TextStyle.YAlign = text.YTop
	p.Title.Padding = 6
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Tick.Color, a.LineStyle.Color, a.Tick.LineStyle.Color = ink.light, ink.light, ink.light, ink.light
		rotation, xalign, yalign := a.Label.TextStyle.Rotation, a.Label.TextStyle.XAlign, a.Label.TextStyle.YAlign
		a.Label.TextStyle = textStyle(9, xfont.WeightNormal, xalign)
		a.Label.TextStyle.Rotation, a.Label.TextStyle.YAlign = rotation, yalign
		xalign, yalign = a.Tick.Label.XAlign, a.Tick.Label.YAlign
		a.Tick.Label = textStyle(8, xfont.WeightNormal, xalign)
		a.Tick.Label.YAlign = yalign
		a.Padding, a.Tick.Length = 0, 4
		a.Tick.Marker = plot.TickerFunc(ticks)
	}
	if c.logX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks{}
	}
	if c.logY {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, logTicks{}
	}
	yalign := p.Legend.TextStyle.YAlign
	p.Legend.TextStyle = textStyle(8, xfont.WeightNormal, p.Legend.TextStyle.XAlign)
	p.Legend.TextStyle.YAlign = yalign
	p.Legend.Top, p.Legend.XOffs, p.Legend.YOffs = true, -6, -3
	p.Legend.ThumbnailWidth = 16
	p.Legend.Padding = 3
	return p
}

func textStyle(size font.Length, weight xfont.Weight, align text.XAlignment) text.Style {
	return text.Style{
		Color: ink.light, XAlign: align, Handler: plot.DefaultTextHandler,
		Font: font.Font{Typeface: "Liberation", Variant: "Sans", Weight: weight, Size: size},
	}
}

func linePlotters(c *Chart, d plotted) (list []plot.Plotter, thumb plot.Thumbnailer) {
	style := draw.LineStyle{Color: d.tint.light, Width: 1.2}
	for _, part := range d.stretches(d.logX, d.logY, 4*c.width) {
		if len(part) == 1 { // a line of one point would be invisible
			list = append(list, dotPlotters(part, d.tint.light)...)
			continue
		}
		if line, err := plotter.NewLine(points(part)); err == nil {
			line.LineStyle = style
			list = append(list, line)
		}
	}
	return list, &plotter.Line{LineStyle: style}
}

func pointPlotters(d plotted) (list []plot.Plotter, thumb plot.Thumbnailer) {
	for _, part := range d.stretches(d.logX, d.logY, math.MaxInt) {
		part, _ = every(part, maxPoints)
		list = append(list, dotPlotters(part, d.tint.light)...)
	}
	return list, &plotter.Scatter{GlyphStyle: dot(d.tint.light)}
}

func dotPlotters(part [][2]float64, tint color.NRGBA) []plot.Plotter {
	points, err := plotter.NewScatter(points(part))
	if err != nil {
		return nil
	}
	points.GlyphStyle = dot(tint)
	return []plot.Plotter{points}
}

func dot(tint color.NRGBA) draw.GlyphStyle {
	return draw.GlyphStyle{Color: tint, Radius: 1.8, Shape: draw.CircleGlyph{}}
}

func points(part [][2]float64) plotter.XYs {
	out := make(plotter.XYs, len(part))
	for i, q := range part {
		out[i].X, out[i].Y = q[0], q[1]
	}
	return out
}

// boxes draws the bins of a histogram or the bars of a bar chart.
type boxes struct {
	d      plotted
	colour color.NRGBA
}

// Plot draws the boxes; it implements plot.Plotter.
func (b *boxes) Plot(canvas draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&canvas)
	base := max(p.Y.Min, min(p.Y.Max, 0))
	for i, height := range b.d.y {
		left, right := b.d.sides(i)
		if !finite(height, false) || height == 0 || right <= p.X.Min || left >= p.X.Max || b.d.logX && right <= 0 {
			continue
		}
		left, right = max(left, p.X.Min), min(right, p.X.Max)
		top := max(p.Y.Min, min(p.Y.Max, height))
		gap := min(0.5, (tx(right)-tx(left))/8)
		canvas.FillPolygon(b.colour, []vg.Point{
			{X: tx(left) + gap, Y: ty(base)}, {X: tx(right) - gap, Y: ty(base)},
			{X: tx(right) - gap, Y: ty(top)}, {X: tx(left) + gap, Y: ty(top)},
		})
	}
}

// sides are the left and the right side of a bin or a bar.
func (d plotted) sides(i int) (left, right float64) {
	if d.kind == histKind {
		return d.x[i], d.x[i+1]
	}
	at, wide := d.place(i)
	return at - wide/2, at + wide/2
}

// Thumbnail draws the box of the legend; it implements plot.Thumbnailer.
func (b *boxes) Thumbnail(canvas *draw.Canvas) {
	canvas.FillPolygon(b.colour, []vg.Point{canvas.Min, {X: canvas.Max.X, Y: canvas.Min.Y}, canvas.Max,
		{X: canvas.Min.X, Y: canvas.Max.Y}})
}

// nominal are the ticks of an axis with names.
func nominal(names []string) (list plot.ConstantTicks) {
	for i, n := range names {
		list = append(list, plot.Tick{Value: float64(i), Label: n})
	}
	return list
}

// shortened omits names if they would overlap.
func shortened(names []string) []string {
	total := 0
	for _, n := range names {
		total += textWidth(n) + 2
	}
	step := 1 + total/90
	out := make([]string, len(names))
	for i := 0; i < len(names); i += step {
		out[i] = names[i]
	}
	return out
}
