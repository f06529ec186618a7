package display_test

import (
	"fmt"
	"image"
	"net/url"

	"github.com/gorocm/gorocm/display"
)

func ExampleLine() {
	c := display.Line([]float64{0, 1, 2}, []float64{1, 0.5, 0.25}).Label("train").
		Line([]float64{0, 1, 2}, []float64{1, 0.6, 0.4}).Label("test").
		Title("loss").XLabel("epoch").LogY()
	fmt.Println(len(c.SVG()) > 0, len(c.PNG()) > 0)
	// Output: true true
}

func ExampleScatter() {
	points := [][]float64{{0, 0}, {1, 2}, {2, 1}} // one a row
	fmt.Println(len(display.Scatter(points).Title("three").PNG()) > 0)
	// Output: true
}

func ExampleHist() {
	c := display.Hist([]float64{1, 1, 2, 3, 3, 3}, 3)
	fmt.Println(last(c.String()))
	// Output: chart, histogram of 6 numbers in 3 bins
}

func ExampleBar() {
	fmt.Println(display.Bar([]string{"cpu", "rocm"}, []float64{1, 4}))
	// Output:
	// cpu   1  ████████████
	// rocm  4  ████████████████████████████████████████████████
	// chart, 2 bars
}

func ExampleImshow() {
	c := display.Imshow([][]float64{{-1, 0}, {0, 1}}).Cmap("coolwarm").Clim(-1, 1).Extent(0, 10, 0, 5).XLabel("seconds")
	fmt.Println(last(c.String()))
	// Output: picture, 2 × 2, values from -1 (blue) to 1 (red)
}

func ExampleHeatmap() {
	confusion := [][]int{{12, 1}, {2, 9}}
	classes := []string{"cat", "dog"}
	fmt.Println(last(display.Heatmap(confusion).Names(classes, classes).XLabel("predicted").String()))
	// Output: heatmap, 2 × 2, values from 1 (dark) to 12 (bright)
}

func ExampleImage() {
	grey := [][]uint8{{0, 255}, {255, 0}}
	fmt.Println(last(display.Image(grey).String()))
	batch := [][][]float64{{{0, 1}}, {{1, 0}}} // two pictures of one line: a grid
	fmt.Println(last(display.Image(batch).Clim(0, 1).String()))
	// Output:
	// picture, 2 × 2, values from 0 to 255
	// picture, 2 × 1 × 2, values from 0 to 1
}

func ExampleAnimate() {
	frames := [][][]float64{{{0, 0}, {0, 1}}, {{0, 0}, {1, 0}}, {{0, 1}, {0, 0}}}
	fmt.Println(last(display.Animate(frames, 10).String()))
	// Output: animation, 3 frames of 192 × 192 pixels, 0.3 s
}

func ExampleAudio() {
	s := display.Audio([]float64{0, 0.5, 0, -0.5}, 8000)
	fmt.Println(last(s.String()), len(s.WAV()), "bytes")
	// Output: sound, 0.0005 s at 8000 Hz 52 bytes
}

func ExampleTable() {
	type city struct {
		Name   string
		People int
	}
	cities := []city{{"Oslo", 717710}, {"Bergen", 291940}, {"Trondheim", 214565}}
	fmt.Println(display.Table(cities).PageSize(2).Page(1))
	// Output:
	//    Name       People
	// 2  Trondheim  214565
	// (page 1 of 2, rows 2 to 2 of 3; Page chooses another)
}

func ExampleRegister() {
	display.Register(func(u *url.URL) string { return "page of " + u.Host })
	u, _ := url.Parse("https://go.dev/doc")
	fmt.Println(display.Render(u).Text())
	// Output: page of go.dev
}

func ExampleSet() {
	old := display.Set(display.Options{Precision: 8, EdgeItems: 2})
	defer display.Set(old)
	fmt.Println(old.Precision, old.Threshold, old.EdgeItems, old.LineWidth)
	// Output: 4 1000 3 80
}

type celsius float64

func (c celsius) String() string { return fmt.Sprintf("%.1f °C", float64(c)) }

func (c celsius) HTML() string { return fmt.Sprintf("<b>%.1f</b> °C", float64(c)) }

func ExampleRender() {
	b := display.Render(celsius(21))
	fmt.Println(b[display.MIMEText])
	fmt.Println(b[display.MIMEHTML])
	// Output:
	// 21.0 °C
	// <b>21.0</b> °C
}

func ExampleLive() {
	display.SetPublisher(func(m display.Message) { fmt.Println(m.Kind, m.Data.Text()) })
	defer display.SetPublisher(nil)
	h := display.Live(0)
	h.Update(1)
	// Output:
	// display_data 0
	// update_display 1
}

func ExampleShow() {
	display.Show([]int{1, 2}, map[string]int{"a": 1})
	// Output:
	// [1 2]
	// map["a":1]
}

func ExampleJSON() {
	fmt.Println(display.JSON(map[string]any{"sizes": []int{1, 2}}).Text())
	// Output:
	// {
	//   "sizes": [
	//     1,
	//     2
	//   ]
	// }
}

func ExampleMarkdown() {
	fmt.Println(display.Markdown("**bold**")[display.MIMEMarkdown])
	// Output: **bold**
}

func ExampleLaTeX() {
	fmt.Println(display.LaTeX(`\frac{a}{b}`)[display.MIMELaTeX])
	// Output: $$\frac{a}{b}$$
}

func ExampleTerminal_Draw() {
	b := display.Render(image.NewGray(image.Rect(0, 0, 2, 2)))
	fmt.Printf("%q\n", last(display.Terminal{Columns: 80}.Draw(b)))
	// Output: "picture, 2 × 2 pixels"
}

// last is the last line of a text, where pictures say what they are.
func last(text string) string {
	for i := len(text) - 1; i >= 0; i-- {
		if text[i] == '\n' {
			return text[i+1:]
		}
	}
	return text
}
