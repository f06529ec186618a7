package display

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/printing"
	"github.com/gorocm/gorocm/internal/thorough"
)

// TestQuartiles: numbers of numpy.quantile and matplotlib.cbook.boxplot_stats.
func TestQuartiles(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		in       []float64
		want     [5]float64
		outliers []float64
		left     int
	}{
		{[]float64{1, 2, 3, 4}, [5]float64{1, 1.75, 2.5, 3.25, 4}, nil, 0},
		{[]float64{7}, [5]float64{7, 7, 7, 7, 7}, nil, 0},
		{[]float64{3, nan, 1, math.Inf(1)}, [5]float64{1, 1.5, 2, 2.5, 3}, nil, 2},
		{[]float64{1, 2, 3, 4, 100, -90}, [5]float64{1, 1.25, 2.5, 3.75, 4}, []float64{-90, 100}, 0},
		{[]float64{5, 5, 5, 5, 6}, [5]float64{5, 5, 5, 5, 5}, []float64{6}, 0},
		{[]float64{-1e299, 1e299}, [5]float64{-1e299, -5e298, 0, 5e298, 1e299}, nil, 0},
	} {
		q := quartilesOf(c.in)
		if got := [5]float64{q.low, q.q1, q.mid, q.q3, q.high}; got != c.want || !slices.Equal(q.outliers, c.outliers) ||
			q.left != c.left {
			t.Errorf("%v: %v, outliers %v, %d left; want %v, %v, %d", c.in, got, q.outliers, q.left, c.want, c.outliers, c.left)
		}
	}
	if q := quartilesOf(nil); q.n != 0 || !math.IsNaN(q.mid) {
		t.Errorf("quartiles of nothing: %+v", q)
	}
	many := make([]float64, 3000)
	for i := 2000; i < len(many); i++ {
		many[i] = float64(i)
	}
	if q := quartilesOf(many); q.q3 > 2250 || len(q.outliers) > maxOutliers {
		t.Errorf("quartiles %v, %d outliers", q.q3, len(q.outliers))
	}
	many = append(make([]float64, 9000), many[2000:]...)
	if text := Box(nil, many).caption(); text != "chart, 1 box of 10000 numbers, 500 of 1000 outliers drawn" {
		t.Error(text)
	}
}

// TestContourLines: each point of a line has its level, in each cell lines join its edges, and a line ends only at the
// edge of the matrix or at a number that is not finite.
func TestContourLines(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for trial := range 40 {
		h, w := 2+r.IntN(12), 2+r.IntN(12)
		f := &field{x: counting(w), y: counting(h), z: make([]float64, h*w)}
		for i := range f.z {
			f.z[i] = math.Round(4*r.NormFloat64()) / 2 // often equal to the level
		}
		if trial%3 == 0 {
			f.z[r.IntN(len(f.z))] = math.NaN()
		}
		pieces := 0
		for i := range h - 1 {
			for j := range w - 1 {
				pieces += len(f.pieces(i, j, 0.5))
			}
		}
		joined := 0
		for _, line := range f.lines(0.5) {
			joined += len(line) - 1
			for _, p := range line {
				if v, ok := f.value(p[0], p[1]); ok && !math.IsNaN(v) && math.Abs(v-0.5) > 1e-12 {
					t.Fatalf("%v has %v on a line of 0.5", p, v)
				}
			}
			first, last := line[0], line[len(line)-1]
			for _, p := range [][2]float64{first, last} {
				edge := p[0] == 0 || p[1] == 0 || p[0] == float64(w-1) || p[1] == float64(h-1)
				if first != last && !edge && trial%3 != 0 {
					t.Errorf("a line ends at %v, inside", p)
				}
			}
		}
		if joined != pieces {
			t.Errorf("%d × %d: lines have %d pieces of %d", h, w, joined, pieces)
		}
	}
	// A saddle is joined as its mean says.
	f := &field{x: counting(2), y: counting(2), z: []float64{1, 0, 0, 1}}
	if got := f.pieces(0, 0, 0.4); !slices.Equal(got, [][2]int{{0, 3}, {4, 1}}) {
		t.Errorf("above the mean: %v", got)
	}
	if got := f.pieces(0, 0, 0.6); !slices.Equal(got, [][2]int{{1, 0}, {3, 4}}) {
		t.Errorf("below the mean: %v", got)
	}
}

// TestFilledBands: a pixel's colour is that of the range between levels in which its number lies.
func TestFilledBands(t *testing.T) {
	c := ContourFilled([]float64{0, 1, 2}, []float64{5, 4}, [][]float64{{0, 1, 2}, {0, 1, 2}}).Levels(0.5, 1.5)
	img := c.picture.paintField([2]float64{0, 2}, [2]float64{4, 5}, 8, 1, c)
	for i, want := range []int{0, 0, 127, 127, 127, 127, 255, 255} {
		if got := img.At(i, 0); got != colourTable[want] {
			t.Errorf("pixel %d is %v, want %v", i, got, colourTable[want])
		}
	}
	if text := c.caption(); text != "picture, 2 × 3, filled between the levels 0.5, 1.5, from dark to bright" {
		t.Error(text)
	}
}

func TestFormMistakes(t *testing.T) {
	line := Line([]int{1, 2})
	for want, draw := range map[string]func(){
		"1 names for 2 groups":               func() { Box([]string{"a"}, []int{1}, []int{2}) },
		"a group has dims [1 1 1]":           func() { Box(nil, [][][]int{{{1}}}) },
		"want z, or x, y and z":              func() { Contour([]int{1}, []int{2}) },
		"z has dims [1 3]":                   func() { Contour([][]int{{1, 2, 3}}) },
		"x has dims [3]: want [2]":           func() { Contour([]int{1, 2, 3}, []int{1, 2}, [][]int{{1, 2}, {3, 4}}) },
		"y does not run in one direction":    func() { ContourFilled([]int{1, 2}, []int{2, 2}, [][]int{{1, 2}, {3, 4}}) },
		"the chart has no contours":          func() { Line([]int{1}).Levels(1) },
		"finite numbers that ascend":         func() { Contour(waves(3, 3)).Levels(2, 1) },
		"not a line, points or bars":         func() { Hist([]int{1}).ErrorBars(1) },
		"errors have dims [3]":               func() { Line([]int{1, 2}).ErrorBars([]int{1, 2, 3}) },
		"error -1 at 1 is negative":          func() { Line([]int{1, 2}).ErrorBars([]int{1, -1}) },
		"bars have errors in y alone":        func() { Bar(nil, []int{1}).ErrorBars(1, 1) },
		"cannot read numbers":                func() { Line([]int{1}).ErrorBars("x") },
		"want another chart":                 func() { line.Right(line) },
		"belong to the axis at the left":     func() { line.Right(Bar(nil, []int{1})) },
		"a picture has no axis at the right": func() { Imshow(waves(3, 3)).Right(Line([]int{1})) },
		"the axes of Imshow are linear":      func() { Imshow(waves(3, 3)).LogX() },
		"Chart.LogX: an axis with names":     func() { Box(nil, []int{1}).LogX() },
		"display.Bar: an axis with names":    func() { Line([]int{1}).LogX().Bar(nil, []int{1}) },
		"want an Imshow":                     func() { ContourFilled(waves(3, 3)).Extent(0, 1, 0, 1) },
		"1 to 16 columns":                    func() { Grid(0, line) },
		"and 0":                              func() { Grid(1) },
	} {
		t.Run(want, func(t *testing.T) {
			defer func() {
				if text, ok := recover().(string); !ok || !strings.Contains(text, want) {
					t.Errorf("panic %q, want one with %q", text, want)
				}
			}()
			draw()
		})
	}
}

// odd are charts of what numbers can be at worst.
func odd() map[string]*Chart {
	nan, inf := math.NaN(), math.Inf(1)
	list := map[string]*Chart{}
	for name, y := range map[string][]float64{"none": {}, "one": {3}, "nan": {nan, nan}, "inf": {inf, -inf, 1},
		"negative": {-1, -10, -3}, "zero": {0, 0}, "huge": {1e308, -1e308, 1e299, -1e299}, "tiny": {5e-324, 1e-300}} {
		list["line "+name] = Line(y).ErrorBars(1).Label("l")
		list["points "+name] = Scatter(y, y).ErrorBars(inf, 2).Label("p")
		list["bars "+name] = Bar(nil, y).ErrorBars(nan)
		list["box "+name] = Box([]string{"a"}, y)
		list["right "+name] = Line([]float64{1, 2}).Right(Line(y).Label("r"))
		list["mixed "+name] = Box([]string{"a"}, y).Line(y).Bar(nil, y).Hist(y)
		list["errors "+name] = Line([]float64{1, -2, 3}[:min(3, len(y))]).ErrorBars(absolute(y[:min(3, len(y))]))
		if len(y) > 1 {
			list["contour "+name] = Contour([][]float64{y, y})
			list["filled "+name] = ContourFilled([][]float64{y, y}).Contour([][]float64{y, y})
			list["levels "+name] = Contour([][]float64{y, y}).Levels(-1e9, 0, 1e9)
		}
	}
	return list
}

func absolute(y []float64) (out []float64) {
	for _, v := range y {
		out = append(out, math.Abs(v))
	}
	return out
}

// TestOddNumbers: whatever the numbers, all forms are drawn, without numbers in the document that are none.
func TestOddNumbers(t *testing.T) {
	thorough.Slow(t)
	for name, c := range odd() {
		c.Size(128, 96)
		for _, log := range []bool{false, true} {
			if log {
				c.LogY()
				if c.count(barKind)+c.count(boxKind) == 0 {
					c.LogX()
				}
				if c.right != nil {
					c.right.LogY()
				}
			}
			svg := c.SVG()
			if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") || len(svg) < 1000 || c.String() == "" {
				t.Errorf("%s, log %v: %s", name, log, svg)
			}
		}
		c.YLim(-1, 1)
		_, _ = c.SVG(), c.String()
	}
}

// TestFormColumns: every chart fits the terminal, alone and in a grid.
func TestFormColumns(t *testing.T) {
	thorough.Slow(t)
	defer printing.SetColumns(0)
	all := charts()
	var list []*Chart
	for _, c := range all {
		list = append(list, c)
	}
	all["grid"] = nil
	for _, columns := range []int{40, 80, 160} {
		printing.SetColumns(columns)
		for name, c := range all {
			text := Grid(3, list...).String()
			if c != nil {
				text = c.String()
			}
			lines := strings.Split(text, "\n")
			if n := widest(lines[:len(lines)-1]); n > columns {
				t.Errorf("%s is %d wide in %d columns:\n%s", name, n, columns, text)
			}
		}
	}
}

// TestGrid: charts have their places, and the text says how many there are.
func TestGrid(t *testing.T) {
	g := Grid(2, Line([]int{1, 2}), nil, Hist([]int{1, 2, 2}).Size(400, 300), Imshow(waves(4, 4))).Title("all")
	places, width, height := g.places()
	if len(places) != 3 || places[1].x != 0 || places[1].width != 400 || places[2].x != places[0].width ||
		places[0].y != gridTitle || width > 2*gridWidth/2+1 || height <= places[1].y+300-1 {
		t.Errorf("%+v, %d × %d", places, width, height)
	}
	b := Render(g)
	for mime, want := range map[string]string{MIMEText: "chart, 3 in a grid: line of 2 points; histogram of 3 numbers",
		MIMEHTML: `alt="all" width="`, MIMEPNG: "iVBOR"} {
		if !strings.Contains(b[mime], want) {
			t.Errorf("%s has no %q: %.300s", mime, want, b[mime])
		}
	}
	if n := strings.Count(g.SVG(), `<g class="axes">`); n != 3 {
		t.Errorf("%d groups of axes", n)
	}
}

// TestChartScript: the script is told where the data is, in as many groups as the document has.
func TestChartScript(t *testing.T) {
	thorough.Slow(t)
	for name, c := range charts() {
		svg, areas := c.document()
		series := strings.Count(svg, `<g class="series">`)
		if len(areas) != 1 || len(areas[0].Series) != series {
			t.Errorf("%s: %d series in the document, %d areas: %+v", name, series, len(areas), areas)
		}
		if n := strings.Count(svg, `<g class="axes">`); n != len(areas[0].Axes)-1 {
			t.Errorf("%s: %d groups of axes for %d axes", name, n, len(areas[0].Axes))
		}
	}
	const evil = `</script><b>`
	html := Bar([]string{evil}, []int{1}).Label(evil).Title(evil).bundle()[MIMEHTML]
	if strings.Count(html, "</script>") != 1 || strings.Contains(html, "<b>") {
		t.Error("markup from a label in the script's data")
	}
	_, data, _ := strings.Cut(html, "const charts=")
	data, _, _ = strings.Cut(data, ";\n")
	var areas []area
	if err := json.Unmarshal([]byte(data), &areas); err != nil || areas[0].Series[0].Label != evil {
		t.Errorf("%v: %s", err, data)
	}
	if !strings.HasSuffix(strings.TrimSpace(chartScript), "});") || strings.Contains(chartScript, "\n//") {
		t.Error("the script is cut off")
	}
}
