package display

import (
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	stddraw "image/draw"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// raster is the picture inside a chart's axes.
type raster struct {
	values  array  // of a matrix, whose colours Cmap and Clim change
	field   *field // of ContourFilled; img is nil then
	lo, hi  float64
	img     image.Image
	caption string
	extent  [4]float64 // left, right, bottom, top
	aspect  float64    // height of the drawn picture by its width; 0: it fills the chart
	bar     bool
	table   *[256]color.NRGBA
	ends    [2]string // what the first and the last colour of the table look like
	heat    *heatmap  // of Heatmap
}

// text is the line below the picture: for a matrix, its range and the values of the first and the last colour.
func (r *raster) text() string {
	if !r.bar {
		return r.caption
	}
	least, greatest := r.values.bounds()
	if r.field != nil {
		return r.fieldText()
	}
	size, caption := r.img.Bounds().Size(), "picture, "
	if r.heat != nil {
		caption = heatCaption
	}
	text := caption + fmt.Sprintf("%d × %d, values from ", size.Y, size.X)
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
	a, err := arrayOf(v)
	if err == nil {
		err = c.imshow(a)
	}
	if err != nil {
		panic("display.Imshow: " + err.Error())
	}
	return c
}

func (c *Chart) imshow(a array) (err error) {
	r := &raster{values: a, table: &colourTable, ends: darkToBright}
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
	c.shape(float64(height) / float64(width))
	return nil
}

// pictureWidth is the width of a chart whose picture has a shape of its own, which sets its height.
const pictureWidth = 448

// shape makes a picture so many times as high as wide, and gives the chart a size that suits it.
func (c *Chart) shape(aspect float64) {
	c.picture.aspect = aspect
	c.width = pictureWidth
	c.height = min(640, max(160, int((pictureWidth-120)*aspect)+60))
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
		panic("Chart." + op +
			": only pictures that Imshow or ContourFilled made of a matrix have a colour map")
	}
	change(c.picture)
	if c.picture.field != nil {
		return c // painted when it is drawn
	}
	size := c.picture.img.Bounds().Size()
	c.picture.paint(size.Y, size.X)
	return c
}

// Clim sets the values that have the first and the last colour of an Imshow of a matrix, or the range of the default
// levels of a ContourFilled. It panics for other charts,
// and when low is not below high.
func (c *Chart) Clim(low, high float64) *Chart {
	l := limits("Clim", low, high)
	return c.again("Clim", func(r *raster) { r.lo, r.hi = l[0], l[1] })
}

// Cmap sets the colour map of an Imshow of a matrix or of a ContourFilled: "viridis", "gray", or "coolwarm", which runs
// from blue over grey to red and suits values on both sides of a centre. It panics for other charts and other names.
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
// matplotlib. The picture is a square if both ranges are as long; otherwise, as with seconds and hertz, it fills the
// chart. It panics for other charts and for an edge that equals the opposite one.
func (c *Chart) Extent(left, right, bottom, top float64) *Chart {
	if c.picture == nil || c.picture.field != nil || c.picture.heat != nil || left == right || bottom == top {
		panic("Chart.Extent: want an Imshow, and edges that differ")
	}
	c.picture.extent = [4]float64{left, right, bottom, top}
	width, height, own := c.width, c.height, c.width != pictureWidth
	if across, up := math.Abs(right-left), math.Abs(top-bottom); math.Abs(across-up) < 1e-6*up {
		c.shape(1)
	} else {
		c.picture.aspect, c.width, c.height = 0, chartWidth, chartHeight
	}
	if own { // by Size
		c.width, c.height = width, height
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

// pictureRanges sets the axes of a picture, whose rows may run downwards.
func (c *Chart) pictureRanges(p *plot.Plot) {
	r := c.picture
	ends := func(a *plot.Axis, from, to float64, limit *[2]float64) {
		a.Min, a.Max = min(from, to), max(from, to)
		if limit != nil {
			a.Min, a.Max = limit[0], limit[1]
		}
		if from > to {
			a.Scale = plot.InvertedScale{Normalizer: plot.LinearScale{}}
		}
	}
	if r.field != nil {
		across, up := newExtrema(c.logX), newExtrema(c.logY)
		across.grow(r.field.x...)
		up.grow(r.field.y...)
		x, y := settle(across, c.xlim), settle(up, c.ylim)
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = x[0], x[1], y[0], y[1]
		return
	}
	ends(&p.X, r.extent[0], r.extent[1], c.xlim)
	ends(&p.Y, r.extent[2], r.extent[3], c.ylim)
	if r.heat != nil {
		r.heat.label(p)
	}
}

// sized is an image of the size in which it is drawn.
func sized(img image.Image) image.Image {
	size := img.Bounds().Size()
	switch longest := max(size.X, size.Y); {
	case longest > largeSide/2:
		return shrink(img, largeSide/2)
	case longest < smallSide:
		return enlarge(img, (smallSide+longest-1)/longest)
	}
	return img
}

// filling is the picture of a chart in its axes; it implements plot.Plotter.
type filling struct {
	r *raster
	c *Chart
}

// Plot draws that part of the image that lies in the axes, as a group.
func (f filling) Plot(canvas draw.Canvas, p *plot.Plot) {
	canvas.Push()
	defer canvas.Pop()
	canvas.Scale(1, 1)
	if f.r.field != nil {
		size := canvas.Size()
		img := f.r.paintField([2]float64{p.X.Min, p.X.Max}, [2]float64{p.Y.Min, p.Y.Max},
			max(1, int(2*size.X)), max(1, int(2*size.Y)), f.c)
		canvas.DrawImage(canvas.Rectangle, img)
		return
	}
	img := sized(f.r.img)
	if f.c.xlim == nil && f.c.ylim == nil {
		canvas.DrawImage(canvas.Rectangle, img)
		if f.r.heat != nil {
			f.r.write(canvas)
		}
		return
	}
	part, x, y := f.r.within(img, [2]float64{p.X.Min, p.X.Max}, [2]float64{p.Y.Min, p.Y.Max})
	if part == nil {
		return
	}
	tx, ty := p.Transforms(&canvas)
	canvas.DrawImage(vg.Rectangle{Min: vg.Point{X: min(tx(x[0]), tx(x[1])), Y: min(ty(y[0]), ty(y[1]))},
		Max: vg.Point{X: max(tx(x[0]), tx(x[1])), Y: max(ty(y[0]), ty(y[1]))}}, part)
}

// within is the part of an image whose pixels' middles are inside limits, and the ends of its sides; nil for none.
func (r *raster) within(img image.Image, xlim, ylim [2]float64) (part image.Image, x, y [2]float64) {
	size := img.Bounds().Size()
	left, right, x0, x1 := visible(r.extent[0], r.extent[1], size.X, xlim[0], xlim[1])
	top, bottom, y0, y1 := visible(r.extent[3], r.extent[2], size.Y, ylim[0], ylim[1])
	if left >= right || top >= bottom {
		return nil, x, y
	}
	out := image.NewNRGBA(image.Rect(0, 0, right-left, bottom-top))
	stddraw.Draw(out, out.Bounds(), img, image.Pt(left, top), stddraw.Src)
	return out, [2]float64{x0, x1}, [2]float64{y0, y1}
}

// visible are the pixels of an image of n, from one edge to the other, whose middles lie within the limits, and where
// the first begins and the last ends.
func visible(from, to float64, n int, low, high float64) (first, last int, begin, end float64) {
	step := (to - from) / float64(n)
	first = n
	for i := range n {
		if at := from + (float64(i)+0.5)*step; at >= low && at <= high {
			first, last = min(first, i), i+1
		}
	}
	inside := func(v float64) float64 { return max(low, min(high, v)) }
	return first, last, inside(from + float64(first)*step), inside(from + float64(last)*step)
}

// bundle returns a chart in the representations of Render. The PNG is for viewers without HTML.
func (c *Chart) bundle() Bundle {
	if c.picture == nil {
		c.note()
	}
	svg, charts := c.document()
	out := Bundle{MIMEText: c.String(), MIMEHTML: page(svg, c.name(), c.width, c.height, charts)}
	if b := c.PNG(); b != nil {
		out[MIMEPNG] = base64.StdEncoding.EncodeToString(b)
	}
	return out
}

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

// String draws the chart in characters, at most as wide as the terminal, above a line that lists its series.
func (c *Chart) String() string {
	text := c.body(chartColumns()) + c.caption()
	if c.picture != nil && len(c.series) > 0 {
		text += fmt.Sprintf("; %s over it, which characters do not show", counted(len(c.series), "series", "series"))
	}
	return text
}

// body is the chart in characters, so many columns wide inside its axes, without its caption.
func (c *Chart) body(columns int) string {
	columns = max(fewestColumns, columns)
	title := ""
	if c.title != "" {
		title = cellText(c.title, lineWidth()) + "\n"
	}
	only := func(k kind) bool { return c.right == nil && len(c.series) > 0 && c.count(k) == len(c.series) }
	switch {
	case c.picture != nil && c.picture.heat != nil && c.picture.heat.numbers:
		return title + c.picture.grid()
	case c.picture != nil:
		return title + Blocks(c.small(columns), lineWidth(), false)
	case only(barKind):
		return title + c.barText(columns)
	case only(boxKind):
		return title + c.boxText(columns)
	}
	return title + c.dotText(columns)
}

// small is the picture of a chart for a drawing in characters, which show brightness alone.
func (c *Chart) small(columns int) image.Image {
	p := c.axes()
	c.pictureRanges(p)
	x, y := [2]float64{p.X.Min, p.X.Max}, [2]float64{p.Y.Min, p.Y.Max}
	if c.picture.field != nil {
		columns = min(columns, dotColumns)
		grey := *c.picture
		grey.table = colourMaps["gray"]()
		return grey.paintField(x, y, columns, columns/2, c)
	}
	if c.xlim == nil && c.ylim == nil {
		return c.picture.img
	}
	part, _, _ := c.picture.within(c.picture.img, x, y)
	if part == nil {
		return image.NewNRGBA(image.Rect(0, 0, 1, 1))
	}
	return part
}
