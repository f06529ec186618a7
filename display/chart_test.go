package display

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

func sine(n int, step float64) (x, y []float64) {
	for i := range n {
		x = append(x, float64(i)*step)
		y = append(y, math.Sin(float64(i)*step))
	}
	return x, y
}

func waves(height, width int) [][]float64 {
	out := make([][]float64, height)
	for i := range out {
		for j := range width {
			out[i] = append(out[i], math.Sin(float64(i)/5)*math.Cos(float64(j)/7))
		}
	}
	return out
}

// charts are those whose text, SVG and PNG forms are kept in testdata/charts.
func charts() map[string]*Chart {
	x, y := sine(100, 0.1)
	decay, cloud := make([]float64, len(x)), make([][]float64, len(x))
	for i := range x {
		decay[i] = math.Exp(-x[i] / 4)
		cloud[i] = []float64{math.Sin(17 * x[i]), math.Cos(29 * x[i])}
	}
	broken := append([]float64{}, y...)
	broken[40], broken[41], broken[70] = math.NaN(), math.Inf(1), math.Inf(-1)
	growth, few := make([]float64, len(x)), []float64{0.1, 0.2, 0.05, 0.3, math.NaN(), 0.1, 0.2, 0}
	for i := range x {
		growth[i] = math.Exp(x[i])
	}
	holed := waves(20, 30)
	holed[4][5], holed[12][20] = math.NaN(), math.Inf(1)
	return map[string]*Chart{
		"lines": Line(x, y).Label("sine").Line(x,
			decay).Label("decay").Title("Two lines").XLabel("seconds").YLabel("volts"),
		"broken":  Line(broken),
		"log":     Line(x, decay).LogY().Title("loss"),
		"scatter": Scatter(cloud).Label("a").Scatter(y, decay).Label("b"),
		"hist":    Hist(y, 12).Title("spread"),
		"bars":    Bar([]string{"cpu", "rocm"}, []float64{3, 9.5}).Label("f32").Bar(nil, []float64{-2, 5}).Label("f16"),
		"imshow":  Imshow(waves(20, 30)).Title("waves").XLabel("column"),
		"extent":  Imshow(waves(20, 30)).Cmap("coolwarm").Clim(-1, 1).Extent(0, 4, 0, 8000).YLabel("Hz"),
		"square":  Imshow(waves(20, 30)).Extent(-3, 3, 3, 9).Title("as long"),
		"heatmap": Heatmap([][]float64{{50, 3, 0.25}, {-2, math.NaN(), 1234.5}}).Title("numbers"),
		"confusion": Heatmap([][]int{{12, 1, 0}, {2, 9, 3}, {0, 1, 14}}).Names([]string{"cat", "dog", "<bird>"},
			[]string{"cat", "a dog of a long name", "bird of a long name"}).Cmap("gray").XLabel("predicted").YLabel("actual"),
		"colours": Imshow(fakeTensor{[]int{1, 2, 3}, []float64{255, 0, 0, 0, 0, 255}}),
		"empty":   Line([]float64{}),
		"right": Line(x, decay).Label("loss").YLabel("loss").XLabel("seconds").
			Right(Scatter(x[:30], growth[:30]).Label("rate").Line(x, growth).Label("limit").YLabel("per second").LogY()),
		"errors": Scatter(x[:8], decay[:8]).ErrorBars(few, 0.03).Label("both").
			Line(x[:8], y[:8]).ErrorBars([][]float64{few, make([]float64, 8)}).Label("below"),
		"bar-errors": Bar([]string{"a", "b", "c"}, []float64{3, 5, -2}).ErrorBars([]float64{0.5, math.NaN(), 1}),
		"boxes": Box([]string{"flat", "wide", "none"}, append([]float64{9, -8}, y...), decay, []float64{math.NaN()}).
			Title("spread").YLabel("volts"),
		"box-and-line": Box([]string{"a", "b", "c"}, y, decay, growth[:40]).Label("samples").
			Line([]float64{0, 0.5, 1}).Label("model"),
		"contour":   Contour(waves(20, 30)).XLabel("column"),
		"contour-x": Contour(x[:30], decay[:20], waves(20, 30)).Levels(-0.5, 0, 0.25).Label("height").Scatter(x[:9], y[:9]).Label("place"),
		"filled":    ContourFilled(holed).Contour(holed).Cmap("coolwarm").Title("field"),
		"over":      Imshow(waves(20, 30)).Contour(waves(20, 30)).Line([]float64{5, 9, 2}).Label("path").XLim(2, 20),
		"log-errors": Line([]float64{1, 10, 100}, []float64{1e-3, 1, 1e3}).ErrorBars([]float64{1, 0.5, math.Inf(1)}).
			LogX().LogY(),
		"bins-and-line": Hist(y, 12).Label("counted").Line([]float64{-1, 0, 1}, []float64{4, 5, 20}).Label("expected"),
	}
}

func TestChartGolden(t *testing.T) {
	thorough.Slow(t)
	for name, c := range charts() {
		t.Run(name, func(t *testing.T) {
			base := filepath.Join("testdata", "charts", name)
			svg, text, picture := c.SVG(), c.String(), c.PNG()
			if *update {
				for ext, data := range map[string][]byte{".svg": []byte(svg), ".txt": []byte(text), ".png": picture} {
					if err := os.WriteFile(base+ext, data, 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
			for ext, got := range map[string]string{".svg": svg, ".txt": text} {
				want, err := os.ReadFile(base + ext)
				if err != nil {
					t.Fatal(err)
				}
				if rounded(got) != rounded(string(want)) {
					t.Errorf("%s%s differs (go test -update rewrites it)", base, ext)
				}
			}
			want, err := os.ReadFile(base + ".png")
			if err != nil {
				t.Fatal(err)
			}
			if d := difference(t, picture, want); d > 1 {
				t.Errorf("%s.png differs by %.2f of 255 in the mean", base, d)
			}
		})
	}
}

var long = regexp.MustCompile(`\d+\.\d{9,}`)

// rounded has numbers with no more than six decimals: where a processor multiplies and adds in one step, the last ones
// are others.
func rounded(text string) string {
	return long.ReplaceAllStringFunc(text, func(s string) string {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return s
		}
		return strconv.FormatFloat(x, 'f', 6, 64)
	})
}

// difference is the mean difference of two PNG files' pixels, of 255; files of different sizes differ in everything.
func difference(t *testing.T, a, b []byte) float64 {
	t.Helper()
	decode := func(data []byte) image.Image {
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		return img
	}
	p, q := decode(a), decode(b)
	if p.Bounds() != q.Bounds() {
		return 255
	}
	sum, size := 0.0, p.Bounds().Size()
	for y := range size.Y {
		for x := range size.X {
			r0, g0, b0, _ := p.At(x, y).RGBA()
			r1, g1, b1, _ := q.At(x, y).RGBA()
			for _, d := range [3]float64{float64(r0) - float64(r1), float64(g0) - float64(g1),
				float64(b0) - float64(b1)} {
				sum += math.Abs(d) / 257
			}
		}
	}
	return sum / float64(3*size.X*size.Y)
}

// TestChartSVG: the document is XML, names itself, and brings both themes' colours.
func TestChartSVG(t *testing.T) {
	const evil = `<script>alert("x")</script>`
	c := Line([]float64{1, 2}).Label(evil).Title(evil + `" onload="x`).XLabel(evil).YLabel(evil)
	for _, svg := range []string{c.SVG(), Bar([]string{evil}, []float64{1}).SVG()} {
		if strings.Contains(svg, "<script") || strings.Contains(svg, `" onload`) {
			t.Errorf("markup from a label in %s", svg)
		}
		d := xml.NewDecoder(strings.NewReader(svg))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range []string{"prefers-color-scheme:dark", code(background.light), code(background.dark),
			code(palette[0].dark), `role="img"`} {
			if !strings.Contains(svg, want) {
				t.Errorf("no %s", want)
			}
		}
	}
	// Bars that are seen through change their colour too.
	if svg := Hist([]int{1, 2}).Hist([]int{3, 4}).SVG(); strings.Count(svg, code(palette[1].dark)) != 1 {
		t.Errorf("bars that are seen through have no dark colour: %s", svg)
	}
	b := Render(c)
	if strings.Contains(b[MIMEHTML], evil) || strings.Count(b[MIMEHTML], "<script") != 1 || !strings.Contains(b[MIMEHTML], svgData) || b[MIMEPNG] == "" ||
		!strings.Contains(b.Text(), "line of 2 points") {
		t.Errorf("forms: %v", b.Text())
	}
}

// TestChartThins: whatever is drawn, the picture stays small.
func TestChartThins(t *testing.T) {
	thorough.Slow(t)
	_, long := sine(1<<20, 0.001)
	c := Scatter(long, long)
	b := c.bundle()
	if n := len(b[MIMEHTML]); n > 1<<20 || !strings.Contains(b.Text(), "every 210th of 1048576 points is drawn") {
		t.Errorf("%d bytes, %s", n, c.caption())
	}
	if n := len(Line(long).SVG()); n > 1<<17 {
		t.Errorf("a line of 2^20 points takes %d bytes", n)
	}
	// The extremes of a long line are drawn.
	part := thin([][2]float64{{0, 0}, {1, 9}, {2, 0}, {3, -9}, {4, 0}, {5, 1}}, 4)
	want := [][2]float64{{0, 0}, {1, 9}, {3, -9}, {5, 1}}
	if len(part) != 4 || part[1] != want[1] || part[2] != want[2] {
		t.Errorf("thinned to %v, want %v", part, want)
	}
}

func TestChartMistakes(t *testing.T) {
	for _, c := range []struct {
		name string
		draw func()
		want string
	}{
		{"nothing", func() { Line() }, "want y, or x and y, not 0 values"},
		{"text", func() { Line("abc") }, "cannot read numbers from a value of type string"},
		{"lengths", func() { Line([]int{1, 2}, []int{1}) }, "2 x and 1 y"},
		{"rank", func() { Line(fakeTensor{[]int{1, 1, 1}, []float64{1}}) }, "y has dims [1 1 1]"},
		{"points", func() { Scatter([]int{1, 2}, []int{1, 2}, []int{3}) }, "not 3 values"},
		{"point rows", func() { Scatter([][]int{{1, 2, 3}}) }, "are not points"},
		{"bins", func() { Hist([]int{1}, 0) }, "want 1 to 65536 bins, not 0"},
		{"names", func() { Bar([]string{"a"}, []int{1, 2}) }, "1 names for 2 heights"},
		{"labels", func() { Line([]int{1}).Label("a", "b") }, "2 labels for 1 series"},
		{"limits", func() { Line([]int{1}).XLim(2, 1) }, "low before high"},
		{"size", func() { Line([]int{1}).Size(1, 1) }, "not 1 × 1"},
		{"colour map", func() { Imshow(waves(2, 2)).Cmap("jet") }, `no colour map "jet"`},
		{"no picture", func() { Line([]int{1}).Cmap("gray") }, "only pictures that Imshow or ContourFilled made"},
		{"names of cells", func() { Heatmap(waves(2, 3)).Names([]string{"a", "b"}, []string{"c"}) }, "1 names for 3 columns"},
		{"names of a line", func() { Line([]int{1}).Names(nil, nil) }, "only a Heatmap has names"},
		{"extent", func() { Heatmap(waves(2, 3)).Extent(0, 1, 0, 1) }, "want an Imshow"},
		{"picture", func() { Imshow(fakeTensor{[]int{2, 2, 2, 2}, make([]float64, 16)}) }, "[2 2 2 2]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() {
				text, ok := recover().(string)
				if !ok || !strings.Contains(text, c.want) {
					t.Errorf("panic %q, want one with %q", text, c.want)
				}
			}()
			c.draw()
		})
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{-0.9, 1.1, "-0.5 0.0 0.5 1.0"},
		{0, 9.95, "0 2 4 6 8"},
		{1e6, 1.000004e6, "1000000 1000000.5 1000001 1000001.5 1000002 1000002.5 1000003 1000003.5 1000004"},
		{0, 1e-7, "0 2e-08 4e-08 6e-08 8e-08 1e-07"},
		{3, 3, ""},
	} {
		var got []string
		for _, tick := range ticks(c.low, c.high) {
			got = append(got, tick.Label)
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%v to %v: %s, want %s", c.low, c.high, text, c.want)
		}
	}
}

func TestLogTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{1e-10, 2, "1e-10 1e-09 1e-08 1e-07 1e-06 1e-05 0.0001 0.001 0.01 0.1 1"},
		{1e-20, 2, "1e-20 1e-18 1e-16 1e-14 1e-12 1e-10 1e-08 1e-06 0.0001 0.01 1"},
		{2e-5, 3e-3, "0.0001 0.001"},
		{2.5, 40, "3 4 5 6 7 8 9 10 20 30 40"},
		{1, 1000, "1 10 100 1000"},
		{3, 3, "3"},
	} {
		var got []string
		for _, tick := range (logTicks{}).Ticks(c.low, c.high) {
			if tick.Label != "" {
				got = append(got, tick.Label)
			}
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%v to %v: %s, want %s", c.low, c.high, text, c.want)
		}
	}
}

// TestChartsTogether: goroutines draw at once, which the race detector watches.
func TestChartsTogether(t *testing.T) {
	want := Line([]float64{1, 3, 2}).Title("one").SVG()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			c := Line([]float64{1, 3, 2}).Title("one")
			if got := c.SVG(); got != want || len(c.PNG()) == 0 {
				t.Error("charts drawn at once differ")
			}
		})
	}
	wg.Wait()
}
