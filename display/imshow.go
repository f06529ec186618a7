package display

import (
	"encoding/base64"
	"fmt"
	"html"
	"image"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// raster is the picture inside a chart's axes.
type raster struct {
	values  array // of a matrix, whose colours Cmap and Clim change
	lo, hi  float64
	img     image.Image
	caption string
	extent  [4]float64 // left, right, bottom, top
	square  bool       // elements are squares
	bar     bool
	table   *[256]color.NRGBA
	ends    [2]string // what the first and the last colour of the table look like
}

// text is the line below the picture: for a matrix, its range and the values of the first and the last colour.
func (r *raster) text() string {
	if !r.bar {
		return r.caption
	}
	least, greatest := r.values.bounds()
	size := r.img.Bounds().Size()
	text := fmt.Sprintf("picture, %d × %d, values from ", size.Y, size.X)
	if least != r.lo || greatest != r.hi {
		text += fmt.Sprintf("%.4g to %.4g, drawn from ", least, greatest)
	}
	return text + fmt.Sprintf("%.4g (%s) to %.4g (%s)", r.lo, r.ends[0], r.hi, r.ends[1]) + r.values.left()
}

// Imshow draws a picture in axes that count its rows and columns. v is a tensor or nested slices of numbers: [height
// width] is drawn in the colours of viridis with a colour bar beside it; [height width 3] or 4 and [3 height width] or
// 4 in its own colours, as Image does. Row 0 is at the top. Cmap, Clim and Extent change colours, range and axes. It
// panics when v is none of these.
func Imshow(v any) *Chart {
	c := newChart()
	if err := c.imshow(v); err != nil {
		panic("display.Imshow: " + err.Error())
	}
	return c
}

func (c *Chart) imshow(v any) error {
	a, err := arrayOf(v)
	if err != nil {
		return err
	}
	r := &raster{values: a, square: true, table: &colourTable, ends: darkToBright}
	height, width, flat := a.matrix()
	if flat == nil {
		r.lo, r.hi = a.bounds()
		r.bar = true
		r.paint(height, width)
	} else {
		if r.img, err = a.image(nil); err != nil {
			return err
		}
		r.caption = a.caption()
		size := r.img.Bounds().Size()
		height, width = size.Y, size.X
	}
	down, across := a.pictureSteps()
	r.extent = [4]float64{-0.5, float64(width)*across - 0.5, float64(height)*down - 0.5, -0.5}
	c.picture = r
	c.width = 448
	c.height = min(640, max(160, (c.width-120)*height/width+60))
	return nil
}

// pictureSteps are the sampling steps of the dims that are drawn vertically and horizontally.
func (a *array) pictureSteps() (down, across float64) {
	var steps []float64
	for i, n := range a.dims {
		if n > 4 || len(a.dims) <= 2 {
			steps = append(steps, a.step(i))
		}
	}
	if len(steps) != 2 {
		return 1, 1
	}
	return steps[0], steps[1]
}

// paint makes the image of a matrix.
func (r *raster) paint(height, width int) {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i, x := range r.values.data {
		tint := notFinite
		if !math.IsNaN(x) {
			tint = r.table[int(math.Round(255*fraction(x, r.lo, r.hi)))]
		}
		img.SetNRGBA(i%width, i/width, tint)
	}
	r.img = img
}

// again repaints the matrix of Imshow after its colours have changed; it does nothing for other charts.
func (c *Chart) again(op string, change func(*raster)) *Chart {
	if c.picture == nil || !c.picture.bar {
		panic("Chart." + op + ": only pictures that Imshow made of a matrix have a colour map")
	}
	change(c.picture)
	size := c.picture.img.Bounds().Size()
	c.picture.paint(size.Y, size.X)
	return c
}

// Clim sets the values that have the first and the last colour of an Imshow of a matrix. It panics for other charts,
// and when low is not below high.
func (c *Chart) Clim(low, high float64) *Chart {
	l := limits("Clim", low, high)
	return c.again("Clim", func(r *raster) { r.lo, r.hi = l[0], l[1] })
}

// Cmap sets the colour map of an Imshow of a matrix: "viridis", "gray", or "coolwarm", which runs from blue over grey
// to red and suits values on both sides of a centre. It panics for other charts and other names.
func (c *Chart) Cmap(name string) *Chart {
	table, ok := colourMaps[name]
	if !ok {
		panic(fmt.Sprintf("Chart.Cmap: no colour map %q: want viridis, gray or coolwarm", name))
	}
	return c.again("Cmap", func(r *raster) {
		r.table, r.ends = table(), darkToBright
		if name == "coolwarm" {
			r.ends = [2]string{"blue", "red"}
		}
	})
}

// Extent sets the ranges of an Imshow's axes: the numbers at the left, right, bottom and top edge of the picture, as in
// matplotlib. The picture then fills the chart's width, whatever the shape of its elements. It panics for other charts
// and for an edge that equals the opposite one.
func (c *Chart) Extent(left, right, bottom, top float64) *Chart {
	if c.picture == nil || left == right || bottom == top {
		panic("Chart.Extent: want an Imshow, and edges that differ")
	}
	c.picture.extent, c.picture.square = [4]float64{left, right, bottom, top}, false
	if c.width == 448 {
		c.width, c.height = chartWidth, chartHeight
	}
	return c
}

var darkToBright = [2]string{"dark", "bright"}

var colourMaps = map[string]func() *[256]color.NRGBA{
	"viridis": func() *[256]color.NRGBA { return &colourTable },
	"gray": func() *[256]color.NRGBA {
		var t [256]color.NRGBA
		for i := range t {
			t[i] = color.NRGBA{uint8(i), uint8(i), uint8(i), 255}
		}
		return &t
	},
	"coolwarm": func() *[256]color.NRGBA {
		var t [256]color.NRGBA
		m := moreland.SmoothBlueRed()
		m.SetMin(0)
		m.SetMax(255)
		for i := range t {
			if tint, err := m.At(float64(i)); err == nil {
				t[i] = color.NRGBAModel.Convert(tint).(color.NRGBA)
			}
		}
		return &t
	},
}

func (c *Chart) drawPicture(canvas draw.Canvas) {
	r := c.picture
	p := c.axes()
	p.X.Min, p.X.Max = min(r.extent[0], r.extent[1]), max(r.extent[0], r.extent[1])
	p.Y.Min, p.Y.Max = min(r.extent[2], r.extent[3]), max(r.extent[2], r.extent[3])
	if r.extent[0] > r.extent[1] {
		p.X.Scale = plot.InvertedScale{Normalizer: plot.LinearScale{}}
	}
	if r.extent[2] > r.extent[3] {
		p.Y.Scale = plot.InvertedScale{Normalizer: plot.LinearScale{}}
	}
	img := r.img
	size := img.Bounds().Size()
	switch longest := max(size.X, size.Y); {
	case longest > largeSide/2:
		img = shrink(img, largeSide/2)
	case longest < smallSide:
		img = enlarge(img, (smallSide+longest-1)/longest)
	}
	p.Add(filling{img})
	c.fillBackground(canvas)
	inner := inset(canvas)
	if r.bar {
		legend := c.axes()
		legend.Title.Text, legend.X.Label.Text, legend.Y.Label.Text = "", "", ""
		legend.Y.Min, legend.Y.Max = r.lo, r.hi
		if r.lo == r.hi {
			legend.Y.Min, legend.Y.Max = r.lo-0.5, r.hi+0.5
		}
		legend.HideX()
		column := image.NewNRGBA(image.Rect(0, 0, 1, 256))
		for i := range 256 {
			column.SetNRGBA(0, 255-i, r.table[i])
		}
		legend.Add(filling{column})
		right := inner
		right.Min.X = inner.Max.X - 58
		inner.Max.X -= 66
		inner = r.squared(inner, p)
		data := p.DataCanvas(inner)
		right.Min.X, right.Max.X = inner.Max.X+8, inner.Max.X+66
		right.Min.Y, right.Max.Y = data.Min.Y-4, data.Max.Y+4
		legend.Draw(right)
	} else {
		inner = r.squared(inner, p)
	}
	p.Draw(inner)
}

// squared shrinks a canvas so that the elements of the picture become squares.
func (r *raster) squared(canvas draw.Canvas, p *plot.Plot) draw.Canvas {
	if !r.square {
		return canvas
	}
	size := r.img.Bounds().Size()
	data := p.DataCanvas(canvas).Rectangle.Size()
	if wanted := data.Y * vg.Length(size.X) / vg.Length(size.Y); wanted < data.X {
		canvas.Max.X -= data.X - wanted
	} else {
		canvas.Min.Y += data.Y - data.X*vg.Length(size.Y)/vg.Length(size.X)
	}
	return canvas
}

// filling is an image that fills the axes.
type filling struct{ img image.Image }

// Plot draws the image; it implements plot.Plotter.
func (f filling) Plot(canvas draw.Canvas, _ *plot.Plot) { canvas.DrawImage(canvas.Rectangle, f.img) }

// bundle returns a chart in the representations of Render. The SVG is embedded in an HTML element as a whole document:
// as inline SVG it would lose its styles where nbconvert sanitises it, and leak them into the page elsewhere. The PNG
// is for viewers without HTML.
func (c *Chart) bundle() Bundle {
	if c.picture == nil {
		c.note()
	}
	out := Bundle{MIMEText: c.String(), MIMEHTML: fmt.Sprintf(`<img alt="%s" width="%d" height="%d" style="max-width:100%%;height:auto" src="%s%s">`,
		html.EscapeString(c.name()), c.width, c.height, svgData, base64.StdEncoding.EncodeToString([]byte(c.SVG())))}
	if b := c.PNG(); b != nil {
		out[MIMEPNG] = base64.StdEncoding.EncodeToString(b)
	}
	return out
}

const svgData = "data:image/svg+xml;base64,"

// name is the chart's alternative text.
func (c *Chart) name() string {
	if c.title != "" {
		return c.title
	}
	return c.caption()
}

// note adds a note about omitted data.
func (c *Chart) note() {
	c.notes = nil
	for _, s := range c.series {
		if s.kind == scatterKind && len(s.y) > maxPoints {
			c.notes = append(c.notes, fmt.Sprintf("every %dth of %d points is drawn", (len(s.y)+maxPoints-1)/maxPoints,
				len(s.y)))
		}
	}
}

// String draws the chart in characters, at most 80 columns wide, above a line that lists its series.
func (c *Chart) String() string {
	var b strings.Builder
	if c.title != "" {
		b.WriteString(cellText(c.title, lineWidth()) + "\n")
	}
	switch {
	case c.picture != nil:
		b.WriteString(Blocks(c.picture.img, lineWidth(), false))
	case c.count(barKind) > 0:
		b.WriteString(c.barText())
	default:
		b.WriteString(c.dotText())
	}
	return b.String() + c.caption()
}
