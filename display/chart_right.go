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

// rightAxis draws a vertical axis, with its numbers and its label, at the right of the data; package plot draws axes at
// the left only.
type rightAxis struct {
	*plot.Axis
	label string
}

const tickSpace = 3

// width is the width of the axis with its numbers and its label.
func (a rightAxis) width() vg.Length {
	width, widest := a.Tick.Length+tickSpace, vg.Length(0)
	for _, t := range a.Tick.Marker.Ticks(a.Min, a.Max) {
		widest = max(widest, a.Tick.Label.Width(t.Label))
	}
	width += widest
	if a.label != "" {
		width += a.Label.TextStyle.Height(a.label) + tickSpace
	}
	return width
}

func (a rightAxis) draw(data draw.Canvas) {
	left := data.Max.X
	data.StrokeLine2(a.LineStyle, left, data.Min.Y, left, data.Max.Y)
	label := a.Tick.Label
	label.XAlign, label.YAlign = text.XLeft, text.YCenter
	for _, t := range a.Tick.Marker.Ticks(a.Min, a.Max) {
		if t.Value < a.Min || t.Value > a.Max {
			continue
		}
		length := a.Tick.Length
		if t.IsMinor() {
			length /= 2
		}
		y := data.Y(a.Norm(t.Value))
		data.StrokeLine2(a.Tick.LineStyle, left, y, left+length, y)
		if !t.IsMinor() {
			data.FillText(label, vg.Point{X: left + a.Tick.Length + tickSpace, Y: y}, t.Label)
		}
	}
	if a.label != "" {
		style := a.Label.TextStyle
		style.Rotation, style.XAlign, style.YAlign = math.Pi/2, text.XCenter, text.YTop
		at := left + a.width() - style.Height(a.label)
		data.FillText(style, vg.Point{X: at, Y: data.Center().Y}, a.label)
	}
}
