package display

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// area is where the data of a chart is in its document, in points from the lower left corner, and what it is: what the
// script of a notebook needs to tell values and to enlarge a part.
type area struct {
	Rect   [4]float64 `json:"rect"` // left, bottom, right, top
	Axes   []axis     `json:"axes"` // the horizontal one, the left one, and the one at the right if there is one
	Series []about    `json:"series"`
}

// axis is the range of an axis. Min is at the left or at the bottom.
type axis struct {
	Min   float64  `json:"min"`
	Max   float64  `json:"max"`
	Log   bool     `json:"log,omitempty"`
	Names []string `json:"names,omitempty"` // at 0, 1, 2, …
}

// about is what a series is, in the order of the groups of the document.
type about struct {
	Label string   `json:"label"`
	Kind  string   `json:"kind"`
	Right bool     `json:"right,omitempty"`
	Spans [][3]any `json:"spans,omitempty"` // of each bin, bar or box: its left and right side, and what is said of it
	// Cells has the numbers of a heatmap, by rows.
	Cells [][]string `json:"cells,omitempty"`
}

func areaOf(c *Chart, data draw.Canvas, p, second *plot.Plot) area {
	points := func(v vg.Length) float64 { return v.Points() }
	out := area{Rect: [4]float64{points(data.Min.X), points(data.Min.Y), points(data.Max.X), points(data.Max.Y)}}
	ends := func(a *plot.Axis, log bool) axis {
		if _, ok := a.Scale.(plot.InvertedScale); ok {
			return axis{Min: a.Max, Max: a.Min}
		}
		return axis{Min: a.Min, Max: a.Max, Log: log}
	}
	out.Axes = []axis{ends(&p.X, c.logX), ends(&p.Y, c.logY)}
	if c.right != nil {
		out.Axes = append(out.Axes, ends(&second.Y, c.right.logY))
	}
	if c.picture != nil {
		picture := about{Kind: "picture"}
		if c.picture.heat != nil {
			picture.Cells = c.picture.cells()
			out.Axes[0].Names, out.Axes[1].Names = c.picture.heat.columns, c.picture.heat.rows
		}
		out.Series = append(out.Series, picture)
	}
	for _, d := range c.drawings() {
		if d.standing() && out.Axes[0].Names == nil {
			out.Axes[0].Names = d.names
		}
		out.Series = append(out.Series, about{Label: d.label, Kind: kindNames[d.kind], Right: d.right,
			Spans: d.spans()})
	}
	return out
}

var kindNames = map[kind]string{lineKind: "line", scatterKind: "points", histKind: "bins", barKind: "bars",
	boxKind: "boxes", contourKind: "contours"}

// maxSpans is the largest number of bins that have a text of their own.
const maxSpans = 400

// spans are what is said of each bin, bar or box.
func (d plotted) spans() (list [][3]any) {
	if len(d.y) > maxSpans {
		return nil
	}
	for i, v := range d.y {
		text := ""
		switch d.kind {
		case histKind:
			text = fmt.Sprintf("%s to %s: %.0f", short(d.x[i]), short(d.x[i+1]), v)
		case barKind:
			text = fmt.Sprintf("%s: %s", elide(d.names[i], 40), short(v))
			if d.errors != nil {
				text = fmt.Sprintf("%s: %s", elide(d.names[i], 40), d.number(i))
			}
		case boxKind:
			q := d.boxes[i]
			text = fmt.Sprintf("%s: median %s\nquartiles %s and %s\nwhiskers %s and %s\n%s", elide(d.names[i], 40),
				short(q.mid), short(q.q1), short(q.q3), short(q.low), short(q.high), counted(q.n, "number", "numbers"))
		default:
			return nil
		}
		left, right := d.sides(i)
		if finite(left, false) && finite(right, false) {
			list = append(list, [3]any{left, right, text})
		}
	}
	return list
}

//go:embed chart.js
var chartSource string

// chartScript is what chart.js does, without its comments and indentation.
var chartScript = func() string {
	var b strings.Builder
	for line := range strings.Lines(chartSource) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}()

const svgData = "data:image/svg+xml;base64,"

// page is an SVG document as HTML: an image, and the script that shows values and enlarges parts where scripts run. The
// document is embedded as a whole: as inline SVG it would lose its styles where nbconvert sanitises it, and leak them
// into the page elsewhere.
func page(svg, name string, width, height int, charts []area) string {
	data, err := json.Marshal(charts) // escapes what could end the script
	script := ""
	if err == nil {
		script = fmt.Sprintf("<script>(()=>{const charts=%s;\n%s})()</script>", data, chartScript)
	}
	return fmt.Sprintf(`<img alt="%s" width="%d" height="%d" style="max-width:100%%;height:auto" src="%s%s">%s`,
		html.EscapeString(name), width, height, svgData, base64.StdEncoding.EncodeToString([]byte(svg)), script)
}
