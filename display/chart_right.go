package display

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Right draws the lines, points and histograms of another chart against a second vertical axis at the right, which has
// that chart's YLabel, YLim and LogY; all else is this chart's, such as its horizontal axis. It corresponds to
// matplotlib's twinx:
//
//	display.Line(loss).Label("loss").YLabel("loss").Right(display.Line(rate).Label("rate").YLabel("rate").LogY())
//
// It panics when either chart is a picture, and when the other has bars, boxes, contours or an axis at the right.
func (c *Chart) Right(other *Chart) *Chart {
	switch {
	case other == nil || other == c:
		panic("Chart.Right: want another chart")
	case c.picture != nil || other.picture != nil:
		panic("Chart.Right: a picture has no axis at the right")
	case other.right != nil:
		panic("Chart.Right: the other chart has an axis at the right itself")
	case other.count(lineKind)+other.count(scatterKind)+other.count(histKind) < len(other.series):
		panic("Chart.Right: want lines, points or histograms; bars and boxes belong to the axis at the left")
	}
	c.right = other
	return c
}

const tickSpace = 3

// rightWidth is the width of the axis at the right with its numbers and its label.
func rightWidth(c *Chart, second *plot.Plot) vg.Length {
	width := second.Y.Tick.Length + tickSpace
	widest := vg.Length(0)
	for _, t := range second.Y.Tick.Marker.Ticks(second.Y.Min, second.Y.Max) {
		widest = max(widest, second.Y.Tick.Label.Width(t.Label))
	}
	width += widest
	if c.right.ylabel != "" {
		width += second.Y.Label.TextStyle.Height(c.right.ylabel) + tickSpace
	}
	return width
}

// drawRight draws the axis at the right of the data.
func drawRight(c *Chart, data draw.Canvas, second *plot.Plot) {
	_, ty := second.Transforms(&data)
	line := second.Y.LineStyle
	left := data.Max.X
	data.StrokeLine2(line, left, data.Min.Y, left, data.Max.Y)
	label := second.Y.Tick.Label
	label.XAlign, label.YAlign = text.XLeft, text.YCenter
	for _, t := range second.Y.Tick.Marker.Ticks(second.Y.Min, second.Y.Max) {
		if t.Value < second.Y.Min || t.Value > second.Y.Max {
			continue
		}
		length := second.Y.Tick.Length
		if t.IsMinor() {
			length /= 2
		}
		y := ty(t.Value)
		data.StrokeLine2(second.Y.Tick.LineStyle, left, y, left+length, y)
		if !t.IsMinor() {
			data.FillText(label, vg.Point{X: left + second.Y.Tick.Length + tickSpace, Y: y}, t.Label)
		}
	}
	if c.right.ylabel != "" {
		style := second.Y.Label.TextStyle
		style.Rotation, style.XAlign, style.YAlign = math.Pi/2, text.XCenter, text.YTop
		at := left + rightWidth(c, second) - style.Height(c.right.ylabel)
		data.FillText(style, vg.Point{X: at, Y: data.Center().Y}, c.right.ylabel)
	}
}
