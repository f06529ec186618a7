package display

import (
	"encoding/base64"
	"fmt"
	"strings"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/gorocm/gorocm/internal/printing"
)

// Charts are charts in rows and columns, made by Grid. In notebooks they are one SVG image, in which each chart shows
// values and can be enlarged on its own; in terminals they are side by side as far as there is room.
type Charts struct {
	columns int
	list    []*Chart // nil for an empty place
	title   string
}

// The width of a grid of charts in pixels, and the smallest width that it gives to a chart.
const (
	gridWidth      = 864
	leastGridChart = 256
)

// Grid arranges charts in rows of so many columns, from left to right. A chart without Size becomes smaller, so that a
// row of them is as wide as a page; nil leaves a place empty. It corresponds to matplotlib's subplots. It panics
// without charts, and unless there are 1 to 16 columns.
func Grid(columns int, charts ...*Chart) *Charts {
	if columns < 1 || columns > 16 || len(charts) == 0 || len(charts) > 256 {
		panic(fmt.Sprintf("display.Grid: want 1 to 16 columns and 1 to 256 charts, not %d and %d", columns,
			len(charts)))
	}
	return &Charts{columns: min(columns, len(charts)), list: charts}
}

// Title sets the line above the charts.
func (g *Charts) Title(text string) *Charts { g.title = text; return g }

// sizeIn is the size of a chart in a grid of so many columns.
func sizeIn(c *Chart, columns int) (width, height int) {
	if c.sized {
		return c.width, c.height
	}
	width = min(c.width, max(leastGridChart, gridWidth/columns))
	return width, max(leastGridChart*2/3, c.height*width/c.width)
}

// place is where a chart is drawn, in pixels from the upper left corner.
type place struct {
	c                   *Chart
	x, y, width, height int
}

const gridTitle = 24 // the height of a grid's title in pixels

// places are those of the charts, and the size of all.
func (g *Charts) places() (list []place, width, height int) {
	columns := make([]int, g.columns)
	rows := make([]int, (len(g.list)+g.columns-1)/g.columns)
	for i, c := range g.list {
		if c != nil {
			w, h := sizeIn(c, g.columns)
			columns[i%g.columns], rows[i/g.columns] = max(columns[i%g.columns], w), max(rows[i/g.columns], h)
		}
	}
	top := 0
	if g.title != "" {
		top = gridTitle
	}
	for i, c := range g.list {
		p := place{c: c, y: top}
		for _, w := range columns[:i%g.columns] {
			p.x += w
		}
		for _, h := range rows[:i/g.columns] {
			p.y += h
		}
		if c != nil {
			p.width, p.height = sizeIn(c, g.columns)
			list = append(list, p)
		}
	}
	height = top
	for _, w := range columns {
		width += w
	}
	for _, h := range rows {
		height += h
	}
	return list, max(1, width), max(1, height)
}

func (g *Charts) draw(canvas draw.Canvas) (areas []area) {
	list, _, _ := g.places()
	fillBackground(canvas)
	if g.title != "" {
		style := textStyle(12, xfont.WeightBold, text.XCenter)
		style.YAlign = text.YTop
		canvas.FillText(style, vg.Point{X: canvas.Center().X, Y: canvas.Max.Y - 4}, g.title)
	}
	for _, p := range list {
		part := canvas
		part.Min.X = canvas.Min.X + vg.Length(p.x)*pixel
		part.Max.X = part.Min.X + vg.Length(p.width)*pixel
		part.Max.Y = canvas.Max.Y - vg.Length(p.y)*pixel
		part.Min.Y = part.Max.Y - vg.Length(p.height)*pixel
		areas = append(areas, p.c.draw(part))
	}
	return areas
}

// SVG returns the charts as one SVG document. Its colours follow the reader's light or dark theme.
func (g *Charts) SVG() string {
	svg, _ := g.document()
	return svg
}

func (g *Charts) document() (string, []area) {
	_, width, height := g.places()
	canvas := vgsvg.New(vg.Length(width)*pixel, vg.Length(height)*pixel)
	areas := g.draw(draw.New(canvas))
	return themed(canvas, g.name()), areas
}

// PNG returns the charts as one PNG file, on white.
func (g *Charts) PNG() []byte {
	_, width, height := g.places()
	canvas := vgimg.NewWith(vgimg.UseWH(vg.Length(width)*pixel, vg.Length(height)*pixel), vgimg.UseDPI(96))
	g.draw(draw.New(canvas))
	return pngOf(canvas)
}

func (g *Charts) name() string {
	if g.title != "" {
		return g.title
	}
	return g.caption()
}

func (g *Charts) caption() string {
	var parts []string
	for _, c := range g.list {
		if c != nil {
			parts = append(parts, strings.TrimPrefix(c.caption(), chartCaption))
		}
	}
	n := len(parts)
	if n > 4 {
		parts = append(parts[:3:3], fmt.Sprintf("%d more", n-3))
	}
	return fmt.Sprintf("%s%d in a grid: %s", chartCaption, n, strings.Join(parts, "; "))
}

func (g *Charts) bundle() Bundle {
	svg, areas := g.document()
	_, width, height := g.places()
	out := Bundle{MIMEText: g.String(), MIMEHTML: page(svg, g.name(), width, height, areas)}
	if b := g.PNG(); b != nil {
		out[MIMEPNG] = base64.StdEncoding.EncodeToString(b)
	}
	return out
}

// String draws the charts in characters, side by side as far as the terminal is wide enough, above a line that lists
// them.
func (g *Charts) String() string {
	columns := printing.Columns()
	if columns <= 0 {
		columns = 80
	}
	var b strings.Builder
	if g.title != "" {
		b.WriteString(cellText(g.title, lineWidth()) + "\n")
	}
	for row := 0; row < len(g.list); row += g.columns {
		b.WriteString(beside(g.list[row:min(len(g.list), row+g.columns)], columns))
	}
	return b.String() + g.caption()
}

const gridGap = 2 // columns between charts side by side

// beside draws charts side by side in as few rows as there is room for.
func beside(charts []*Chart, columns int) string {
	for n := len(charts); ; n-- {
		inside := (columns-gridGap*(n-1))/n - labelColumns
		if inside < fewestColumns && n > 1 {
			continue
		}
		var blocks [][]string
		fits := true
		for i := range charts {
			block := blockOf(charts[i], inside)
			fits = fits && widest(block) <= inside+labelColumns
			blocks = append(blocks, block)
		}
		if !fits && n > 1 {
			continue
		}
		var b strings.Builder
		for from := 0; from < len(blocks); from += n {
			b.WriteString(joined(blocks[from:min(len(blocks), from+n)], inside+labelColumns))
		}
		return b.String()
	}
}

// blockOf is the chart in lines, without its caption.
func blockOf(c *Chart, columns int) []string {
	if c == nil {
		return nil
	}
	return strings.Split(strings.TrimSuffix(c.body(columns), "\n"), "\n")
}

func widest(block []string) (n int) {
	for _, l := range block {
		n = max(n, textWidth(l))
	}
	return n
}

// joined puts blocks of lines side by side, each so many columns wide.
func joined(blocks [][]string, width int) string {
	high := 0
	for _, block := range blocks {
		high = max(high, len(block))
	}
	var b strings.Builder
	for i := range high {
		line := ""
		for k, block := range blocks {
			l := ""
			if i < len(block) {
				l = block[i]
			}
			line = pad(line, k*(width+gridGap), false) + l
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}
