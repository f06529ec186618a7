package display

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lucasb-eyer/go-colorful"
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// viridis is sampled at equal steps from matplotlib's colour map of that name (CC0, by Smith and van der Walt), which
// is perceptually uniform and suits colour-blind readers. Between the samples colours are mixed in CIE L*a*b*.
var viridis = mustColours("#440154", "#482475", "#414487", "#355f8d", "#2a788e", "#21918c", "#22a884", "#44bf70",
	"#7ad151", "#bddf26", "#fde725")

func mustColours(codes ...string) (out []colorful.Color) {
	for _, code := range codes {
		c, err := colorful.Hex(code)
		if err != nil {
			panic(err) // the literals above
		}
		out = append(out, c)
	}
	return out
}

// colourTable holds one colour for each of 256 levels from low to high.
var colourTable = func() (table [256]color.NRGBA) {
	for i := range table {
		at := float64(i) / 255 * float64(len(viridis)-1)
		k := min(int(at), len(viridis)-2)
		r, g, b := viridis[k].BlendLab(viridis[k+1], at-float64(k)).Clamped().RGB255()
		table[i] = color.NRGBA{r, g, b, 255}
	}
	return table
}()

// notFinite is the colour of NaN; infinities have the colours of the ends.
var notFinite = color.NRGBA{128, 128, 128, 255}

// Heatmap draws a matrix as coloured cells in axes that count its rows and columns, with a colour bar; the numbers are
// written into the cells of a small one. v is anything with Dims() []int and Float64s() []float64, like a tensor, or
// [][]float64 and other nested slices of numbers, with two dims apart from dims of 1; one dim is a single row. Row 0 is
// at the top, NaN is grey. Names sets names for the rows and columns, as of a confusion matrix; Cmap and Clim change
// the colours. It panics when v is not a matrix.
func Heatmap(v any) *Chart {
	c := newChart()
	a, err := arrayOf(v)
	if err == nil {
		_, _, err = a.matrix()
	}
	if err == nil {
		err = c.imshow(a)
	}
	if err != nil {
		panic("display.Heatmap: " + err.Error())
	}
	c.picture.heat = &heatmap{numbers: len(a.data) <= maxNumbers}
	return c
}

const heatCaption = "heatmap, "

// maxNumbers is the largest number of cells into which numbers are written.
const maxNumbers = 256

// heatmap is what a Heatmap has beyond a picture.
type heatmap struct {
	rows, columns []string // names, if any
	numbers       bool     // written where they fit
}

// Names sets the names of a heatmap's rows and columns, which stand at its axes; nil leaves their numbers. It panics
// for other charts, and when there are not as many names as rows or columns:
//
//	classes := []string{"cat", "dog"}
//	display.Heatmap(confusion).Names(classes, classes).XLabel("predicted").YLabel("actual")
func (c *Chart) Names(rows, columns []string) *Chart {
	if c.picture == nil || c.picture.heat == nil {
		panic("Chart.Names: only a Heatmap has names at its axes")
	}
	size := c.picture.img.Bounds().Size()
	for _, l := range []struct {
		what  string
		names []string
		n     int
	}{{"rows", rows, size.Y}, {"columns", columns, size.X}} {
		if l.names != nil && len(l.names) != l.n {
			panic(fmt.Sprintf("Chart.Names: %d names for %d %s", len(l.names), l.n, l.what))
		}
	}
	c.picture.heat.rows, c.picture.heat.columns = rows, columns
	return c
}

// maxCells is the largest number of cells that the pointer shows the numbers of.
const maxCells = 1024

// cells are the numbers of a heatmap by rows, or nil if they are many.
func (r *raster) cells() (rows [][]string) {
	if len(r.values.data) > maxCells {
		return nil
	}
	for row := range slices.Chunk(r.values.data, r.img.Bounds().Dx()) {
		var list []string
		for _, v := range row {
			list = append(list, short(v))
		}
		rows = append(rows, list)
	}
	return rows
}

// label sets the ticks of a heatmap's axes: its names, or whole numbers.
func (h *heatmap) label(p *plot.Plot) {
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(wholeTicks), plot.TickerFunc(wholeTicks)
	if h.columns != nil {
		p.X.Tick.Marker = nominal(elided(h.columns))
		p.X.Tick.Label.Rotation, p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = 0, text.XCenter, text.YTop
		if total := textWidth(strings.Join(h.columns, "  ")); total > maxAcross {
			p.X.Tick.Label.Rotation, p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = math.Pi/2, text.XRight, text.YCenter
		}
	}
	if h.rows != nil {
		p.Y.Tick.Marker = nominal(elided(h.rows))
	}
}

// maxAcross is how many characters of names stand below a heatmap before they are written upwards.
const maxAcross = 48

func elided(names []string) (list []string) {
	for _, n := range names {
		list = append(list, elide(n, 20))
	}
	return list
}

// grid is a heatmap in characters: its numbers, with the names or indices of rows and columns.
func (r *raster) grid() string {
	size, t := r.img.Bounds().Size(), &table{}
	for x := range size.X {
		t.header, t.number = append(t.header, nameOf(r.heat.columns, x)), append(t.number, true)
	}
	for y := range size.Y {
		t.index = append(t.index, nameOf(r.heat.rows, y))
		var row []string
		for _, v := range r.values.data[y*size.X : (y+1)*size.X] {
			row = append(row, written(v, 3))
		}
		t.rows = append(t.rows, row)
	}
	if text := t.draw(math.MaxInt) + "\n"; textWidth(text[:strings.IndexByte(text, '\n')]) <= lineWidth() {
		return text
	}
	return Blocks(r.img, lineWidth(), false)
}

func nameOf(names []string, i int) string {
	if names == nil {
		return strconv.Itoa(i)
	}
	return cellText(names[i], 20)
}

// written is a number as it is written into a cell.
func written(v float64, digits int) string {
	if size := math.Abs(v); v == math.Trunc(v) && size < 1e6 || size >= 100 && size < 1e6 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}

// write writes the numbers of a heatmap into its cells, if there is room.
func (r *raster) write(canvas draw.Canvas) {
	if !r.heat.numbers {
		return
	}
	size := r.img.Bounds().Size()
	cell := vg.Point{X: canvas.Size().X / vg.Length(size.X), Y: canvas.Size().Y / vg.Length(size.Y)}
	style := textStyle(8, xfont.WeightNormal, text.XCenter)
	style.YAlign = text.YCenter
	texts := r.fitting(style, cell, 3)
	if texts == nil {
		texts = r.fitting(style, cell, 2)
	}
	for i, s := range texts {
		x, y := i%size.X, i/size.X
		style.Color = color.NRGBA{255, 255, 255, 255}
		if color.GrayModel.Convert(r.img.At(x, y)).(color.Gray).Y > 128 {
			style.Color = color.NRGBA{0, 0, 0, 255}
		}
		canvas.FillText(style, vg.Point{X: canvas.Min.X + cell.X*(vg.Length(x)+0.5),
			Y: canvas.Max.Y - cell.Y*(vg.Length(y)+0.5)}, s)
	}
}

// fitting are the numbers of a heatmap with so many digits, or nil if one is larger than a cell.
func (r *raster) fitting(style text.Style, cell vg.Point, digits int) (texts []string) {
	for _, v := range r.values.data {
		s := written(v, digits)
		if style.Width(s)+4 > cell.X || style.Height(s)+2 > cell.Y {
			return nil
		}
		texts = append(texts, s)
	}
	return texts
}
