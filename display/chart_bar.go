package display

import (
	"image"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The width of a colour bar, and of the space between the picture and it.
const barWidth, barGap = 14, 12

// drawBar draws the colour bar, beside where the picture will be and as high, and returns the canvas that is left for
// the picture. A chart that has no room for both has no colour bar.
func (c *Chart) drawBar(inner draw.Canvas, p *plot.Plot) draw.Canvas {
	r := c.picture
	if !r.bar {
		return inner
	}
	legend, colours := c.colourBar()
	right := rightAxis{&legend.Y, ""}
	width := barGap + barWidth + right.width()
	if inner.Size().X < 3*width {
		return inner
	}
	inner.Max.X -= width
	bar := p.DataCanvas(r.shaped(inner, p))
	bar.Min.X = bar.Max.X + barGap
	bar.Max.X = bar.Min.X + barWidth
	bar.DrawImage(bar.Rectangle, colours)
	right.draw(bar)
	return inner
}

// colourBar is the plot whose vertical axis has the numbers of the colour bar, and the bar's colours.
func (c *Chart) colourBar() (*plot.Plot, image.Image) {
	r, p := c.picture, c.axes()
	p.Y.Scale, p.Y.Tick.Marker = plot.LinearScale{}, plot.TickerFunc(ticks)
	p.Y.Min, p.Y.Max = r.lo, r.hi
	if r.lo == r.hi {
		p.Y.Min, p.Y.Max = r.lo-0.5, r.hi+0.5
	}
	column := image.NewNRGBA(image.Rect(0, 0, 1, 256))
	for i := range 256 {
		column.SetNRGBA(0, 255-i, r.table[i])
	}
	if r.field != nil {
		levels := r.field.drawnLevels(r.lo, r.hi)
		for i, v := range between(p.Y.Min, p.Y.Max, 256, false) {
			column.SetNRGBA(0, 255-i, r.band(v, levels))
		}
		p.Y.Tick.Marker = levelTicks(levels, r.lo, r.hi)
	}
	return p, column
}

// shaped shrinks a canvas so that the picture gets its shape.
func (r *raster) shaped(canvas draw.Canvas, p *plot.Plot) draw.Canvas {
	if r.aspect == 0 {
		return canvas
	}
	data, aspect := p.DataCanvas(canvas).Rectangle.Size(), vg.Length(r.aspect)
	if wanted := data.Y / aspect; wanted < data.X {
		canvas.Max.X -= data.X - wanted
	} else {
		canvas.Min.Y += data.Y - data.X*aspect
	}
	return canvas
}
