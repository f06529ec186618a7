package display

import (
	"math"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// contourPlot draws contour lines with their levels; it implements plot.Plotter and plot.Thumbnailer.
type contourPlot struct {
	d    plotted
	over bool // over a picture
}

// Plot draws the lines. The longest one of each level is broken for its number.
func (l *contourPlot) Plot(canvas draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&canvas)
	style := draw.LineStyle{Color: l.d.tint.light, Width: 1}
	write := textStyle(7, xfont.WeightNormal, text.XCenter)
	write.YAlign = text.YCenter
	if l.over {
		style.Color, write.Color = overPicture, onOverPicture
	}
	for _, level := range l.d.field.ownLevels() {
		label := short(level)
		room := write.Rectangle(label).Size().X/2 + 2
		var pieces [][]vg.Point
		longest, length := -1, 8*room // a shorter line has no number
		for _, line := range l.d.field.lines(level) {
			for _, part := range l.d.finiteParts(line) {
				var points []vg.Point
				for _, q := range part {
					points = append(points, vg.Point{X: tx(q[0]), Y: ty(q[1])})
				}
				for _, piece := range canvas.ClipLinesXY(points) {
					if n := lengthOf(piece); n > length {
						longest, length = len(pieces), n
					}
					pieces = append(pieces, piece)
				}
			}
		}
		for i, piece := range pieces {
			if i != longest {
				canvas.StrokeLines(style, piece)
				continue
			}
			at := halfway(piece, length/2)
			at.X = max(canvas.Min.X+room, min(canvas.Max.X-room, at.X))
			at.Y = max(canvas.Min.Y+5, min(canvas.Max.Y-5, at.Y))
			canvas.StrokeLines(style, outside(piece, at, room)...)
			if l.over {
				box := overPicture
				box.A = legendOpacity
				canvas.FillPolygon(box, rectangle(at.X-room+1, at.Y-4.5, at.X+room-1, at.Y+4.5))
			}
			canvas.FillText(write, at, label)
		}
	}
}

// The colours of contour lines over a picture, which has the same colours in both themes, and of numbers on them.
var overPicture, onOverPicture = nrgba("#f6f8fa"), nrgba("#1f2328")

// finiteParts are the parts of a line that a logarithmic axis can show.
func (d plotted) finiteParts(line [][2]float64) (out [][][2]float64) {
	var part [][2]float64
	for _, q := range line {
		if finite(q[0], d.logX) && finite(q[1], d.logY) {
			part = append(part, q)
			continue
		}
		if len(part) > 1 {
			out = append(out, part)
		}
		part = nil
	}
	if len(part) > 1 {
		out = append(out, part)
	}
	return out
}

func distance(a, b vg.Point) vg.Length {
	return vg.Length(math.Hypot(float64(a.X-b.X), float64(a.Y-b.Y)))
}

func lengthOf(line []vg.Point) (n vg.Length) {
	for i := 1; i < len(line); i++ {
		n += distance(line[i-1], line[i])
	}
	return n
}

// halfway is the point of a line after some length.
func halfway(line []vg.Point, after vg.Length) vg.Point {
	for i := 1; i < len(line); i++ {
		n := distance(line[i-1], line[i])
		if n >= after && n > 0 {
			return mixed(line[i-1], line[i], float64(after/n))
		}
		after -= n
	}
	return line[len(line)-1]
}

func mixed(a, b vg.Point, part float64) vg.Point {
	return vg.Point{X: a.X + vg.Length(part)*(b.X-a.X), Y: a.Y + vg.Length(part)*(b.Y-a.Y)}
}

// outside are the parts of a line that are farther from a point than a distance.
func outside(line []vg.Point, from vg.Point, radius vg.Length) (out [][]vg.Point) {
	part := []vg.Point{}
	flush := func() {
		if len(part) > 1 {
			out = append(out, part)
		}
		part = nil
	}
	for i := 1; i < len(line); i++ {
		steps := max(1, int(distance(line[i-1], line[i])))
		for k := range steps + 1 {
			q := mixed(line[i-1], line[i], float64(k)/float64(steps))
			near := distance(q, from) < radius
			switch {
			case near:
				flush()
			case k == 0 && len(part) > 0:
			case k == 0 || k == steps || len(part) == 0:
				part = append(part, q)
			case distance(mixed(line[i-1], line[i], float64(k+1)/float64(steps)), from) < radius:
				part = append(part, q)
			}
		}
	}
	flush()
	return out
}

// Thumbnail draws the line of the legend.
func (l *contourPlot) Thumbnail(canvas *draw.Canvas) {
	colour := l.d.tint.light
	if l.over {
		colour = overPicture
	}
	y := canvas.Center().Y
	canvas.StrokeLine2(draw.LineStyle{Color: colour, Width: 1}, canvas.Min.X, y, canvas.Max.X, y)
}
