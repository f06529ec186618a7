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
	canvas := vgsvg.New(vg.Length(c.width)*pixel, vg.Length(c.height)*pixel)
	c.draw(draw.New(canvas))
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return "" // a buffer takes everything
	}
	return themed(b.String(), c)
}

// PNG returns the chart as a PNG file, on white.
func (c *Chart) PNG() []byte {
	canvas := vgimg.NewWith(vgimg.UseWH(vg.Length(c.width)*pixel, vg.Length(c.height)*pixel), vgimg.UseDPI(96))
	c.draw(draw.New(canvas))
	var b bytes.Buffer
	if err := png.Encode(&b, canvas.Image()); err != nil {
		return nil
	}
	return b.Bytes()
}

func (c *Chart) draw(canvas draw.Canvas) {
	if c.picture != nil {
		c.drawPicture(canvas)
		return
	}
	p := c.axes()
	x, y := c.ranges()
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = x[0], x[1], y[0], y[1]
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = gridColour.light, gridColour.light
	p.Add(grid)
	bars, beside := c.count(barKind), 0
	for i, s := range c.series {
		tint := palette[i%len(palette)].light
		var thumb plot.Thumbnailer
		switch s.kind {
		case lineKind:
			thumb = c.drawLine(p, s, tint)
		case scatterKind:
			thumb = c.drawPoints(p, s, tint)
		default:
			boxes := &boxes{s: s, colour: tint, at: 0, wide: 1}
			if s.kind == barKind {
				boxes.wide = 0.8 / float64(bars)
				boxes.at = float64(beside)*boxes.wide - 0.4
				if beside == 0 {
					p.X.Tick.Marker = nominal(shortened(s.names))
				}
				beside++
			} else if c.count(histKind) > 1 {
				boxes.colour.A = barOpacity
			}
			p.Add(boxes)
			thumb = boxes
		}
		if s.label != "" {
			p.Legend.Add(s.label, thumb)
		}
	}
	// The data has widened the axes; a margin keeps lines off the frame and the legend off the lines.
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = x[0], x[1], y[0], y[1]
	c.widenAxes(p, len(c.labels()))
	c.fillBackground(canvas)
	p.Draw(inset(canvas))
}

// fillBackground fills the background of the whole chart, beyond the axes too.
func (c *Chart) fillBackground(canvas draw.Canvas) {
	canvas.FillPolygon(background.light, []vg.Point{canvas.Min, {X: canvas.Max.X, Y: canvas.Min.Y}, canvas.Max,
		{X: canvas.Min.X, Y: canvas.Max.Y}})
}

// inset is a canvas without its margins.
func inset(canvas draw.Canvas) draw.Canvas { return draw.Crop(canvas, 5, -12, 4, -7) }

// widenAxes widens the axes without limits.
func (c *Chart) widenAxes(p *plot.Plot, labels int) {
	if c.ylim == nil {
		below, above := 0.04, 0.04
		if labels > 0 {
			above += 0.07 * float64(min(labels, 4))
		}
		solid := c.count(histKind)+c.count(barKind) > 0
		if solid && p.Y.Min == 0 {
			below = 0
		}
		if solid && p.Y.Max == 0 {
			above = 0
		}
		p.Y.Min, p.Y.Max = widened(p.Y.Min, p.Y.Max, below, above, c.logY)
	}
	if c.xlim == nil && c.count(scatterKind) > 0 {
		p.X.Min, p.X.Max = widened(p.X.Min, p.X.Max, 0.03, 0.03, c.logX)
	}
}

func widened(low, high, below, above float64, log bool) (float64, float64) {
	if log {
		ratio := high / low
		return low / math.Pow(ratio, below), high * math.Pow(ratio, above)
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
		a.Padding = 0
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

func (c *Chart) drawLine(p *plot.Plot, s *series, tint color.NRGBA) plot.Thumbnailer {
	var thumb *plotter.Line
	for _, part := range c.stretches(s, 4*c.width) {
		if len(part) == 1 { // a line of one point would be invisible
			c.drawDots(p, part, tint)
			continue
		}
		if line, err := plotter.NewLine(points(part)); err == nil {
			line.Color, line.Width = tint, 1.2
			p.Add(line)
			thumb = line
		}
	}
	if thumb == nil {
		thumb = &plotter.Line{LineStyle: draw.LineStyle{Color: tint, Width: 1.2}}
	}
	return thumb
}

func (c *Chart) drawPoints(p *plot.Plot, s *series, tint color.NRGBA) plot.Thumbnailer {
	for _, part := range c.stretches(s, math.MaxInt) {
		part, _ = every(part, maxPoints)
		c.drawDots(p, part, tint)
	}
	return &plotter.Scatter{GlyphStyle: dot(tint)}
}

func (c *Chart) drawDots(p *plot.Plot, part [][2]float64, tint color.NRGBA) {
	if dots, err := plotter.NewScatter(points(part)); err == nil {
		dots.GlyphStyle = dot(tint)
		p.Add(dots)
	}
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

// boxes draws the bins of a histogram or the bars of a bar chart, which begin at beside of each position.
type boxes struct {
	s        *series
	colour   color.NRGBA
	at, wide float64
}

// Plot draws the boxes; it implements plot.Plotter.
func (b *boxes) Plot(canvas draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&canvas)
	base := max(p.Y.Min, min(p.Y.Max, 0))
	for i, height := range b.s.y {
		left, right := b.s.x[i]+b.at, b.s.x[i]+b.at+b.wide
		if b.s.kind == histKind {
			left, right = b.s.x[i], b.s.x[i+1]
		}
		if !finite(height, false) || height == 0 || right <= p.X.Min || left >= p.X.Max {
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
