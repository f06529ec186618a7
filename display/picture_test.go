package display

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"math"
	"strings"
	"testing"
)

// fakeTensor has the methods by which pictures read tensors.
type fakeTensor struct {
	dims []int
	data []float64
}

func (f fakeTensor) Dims() []int         { return f.dims }
func (f fakeTensor) Float64s() []float64 { return f.data }

// corner is the colour of a picture's first pixel, as its PNG shows it.
func corner(t *testing.T, p *Picture) color.NRGBA {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(p.PNG()))
	if err != nil {
		t.Fatal(err)
	}
	return color.NRGBAModel.Convert(img.At(0, 0)).(color.NRGBA)
}

func TestImageLayouts(t *testing.T) {
	for _, c := range []struct {
		name string
		v    any
		want color.NRGBA // of the corner
	}{
		{"HW bytes", fakeTensor{[]int{1, 2}, []float64{200, 0}}, color.NRGBA{200, 200, 200, 255}},
		{"HW unit floats", fakeTensor{[]int{1, 3}, []float64{0.5, 0, 1}}, color.NRGBA{128, 128, 128, 255}},
		{"HW scaled", fakeTensor{[]int{1, 3}, []float64{0, -10, 10}}, color.NRGBA{128, 128, 128, 255}},
		{"HW constant", fakeTensor{[]int{1, 2}, []float64{7.5, 7.5}}, color.NRGBA{0, 0, 0, 255}},
		{"HWC", fakeTensor{[]int{1, 2, 3}, []float64{10, 20, 30, 0, 0, 255}}, color.NRGBA{10, 20, 30, 255}},
		{"HWC with alpha", fakeTensor{[]int{1, 1, 4}, []float64{10, 20, 30, 255}}, color.NRGBA{10, 20, 30, 255}},
		{"CHW", fakeTensor{[]int{3, 1, 2}, []float64{10, 0, 20, 0, 30, 255}}, color.NRGBA{10, 20, 30, 255}},
		{"one channel", fakeTensor{[]int{1, 2, 2}, []float64{9, 0, 0, 255}}, color.NRGBA{9, 9, 9, 255}},
		{"slices of bytes", [][]uint8{{1, 255}}, color.NRGBA{1, 1, 1, 255}},
		{"NaN", [][]float64{{math.NaN(), 1}, {math.Inf(1), 0}}, color.NRGBA{0, 0, 0, 255}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := corner(t, Image(c.v)); got != c.want {
				t.Errorf("corner %v, want %v", got, c.want)
			}
		})
	}
}

// TestImageBatch: a batch is a grid whose pictures share one range, and Clim sets it.
func TestImageBatch(t *testing.T) {
	data := make([]float64, 5*8*16)
	for i := range data {
		data[i] = float64(i/(8*16)) - 1 // pictures of one grey each, from -1 to 3
	}
	batch := Image(fakeTensor{[]int{5, 8, 16}, data})
	if size := batch.img.Bounds().Size(); size.X < 2*16 || size.Y < 2*8 {
		t.Errorf("the grid has %v pixels", size)
	}
	if c := corner(t, batch); c != (color.NRGBA{0, 0, 0, 255}) {
		t.Errorf("the least is %v, want black", c)
	}
	if c := corner(t, batch.Clim(-2, 0)); c != (color.NRGBA{128, 128, 128, 255}) {
		t.Errorf("the middle of Clim is %v, want grey", c)
	}
	for _, dims := range [][]int{{2, 3, 4, 5}, {2, 4, 5, 3}, {2, 1, 4, 5}} {
		n := 1
		for _, d := range dims {
			n *= d
		}
		if b := Render(Image(fakeTensor{dims, make([]float64, n)})); b[MIMEPNG] == "" {
			t.Errorf("dims %v give no picture", dims)
		}
	}
}

func TestPictureMistakes(t *testing.T) {
	for _, c := range []struct {
		name string
		draw func()
		want string
	}{
		{"no picture", func() { Image(3) }, "type int: want a tensor, or nested slices of numbers, or an image.Image"},
		{"nil", func() { Image(nil) }, "cannot read numbers from a value of type <nil>"},
		{"rank", func() { Image(fakeTensor{[]int{2, 2, 2, 2}, make([]float64, 16)}) }, "dims [2 2 2] are not an image"},
		{"channels", func() { Image(fakeTensor{[]int{2, 2, 2, 2, 2}, make([]float64, 32)}) }, "1, 3 or 4 channels"},
		{"empty", func() { Image(fakeTensor{[]int{0, 3}, nil}) }, "nothing to draw"},
		{"ragged", func() { Heatmap([][]float64{{1, 2}, {3}}) }, "different lengths: 2 and 1"},
		{"heatmap rank", func() { Heatmap(fakeTensor{[]int{2, 2, 2}, make([]float64, 8)}) },
			"[2 2 2] are not a matrix"},
		{"dims that lie", func() { Heatmap(fakeTensor{[]int{2, 2}, make([]float64, 3)}) }, "4 elements, but gives 3"},
		{"strings", func() { Heatmap([][]string{{"a"}}) },
			"cannot read numbers from a value of type [][]string: want a tensor, or nested slices"},
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

func TestHeatmap(t *testing.T) {
	m := [][]float64{{0, 1, math.NaN()}, {0.5, math.Inf(1), math.Inf(-1)}}
	img := Heatmap(m).picture.img
	for i, want := range []color.NRGBA{colourTable[0], colourTable[255], notFinite, colourTable[128], colourTable[255],
		colourTable[0]} {
		if got := img.At(i%3, i/3); got != want {
			t.Errorf("element %d is %v, want %v", i, got, want)
		}
	}
	if first, last := colourTable[0], colourTable[255]; first != (color.NRGBA{68, 1, 84, 255}) ||
		last != (color.NRGBA{253, 231, 37, 255}) {
		t.Errorf("viridis runs from %v to %v", first, last)
	}
	// Brightness rises along the whole map: that is what makes it readable without colours.
	for i := 1; i < 256; i++ {
		a, b := color.GrayModel.Convert(colourTable[i-1]).(color.Gray),
			color.GrayModel.Convert(colourTable[i]).(color.Gray)
		if b.Y < a.Y {
			t.Errorf("level %d is darker than level %d", i, i-1)
		}
	}
	if text := Heatmap(m).String(); !strings.HasSuffix(text, "heatmap, 2 × 3, values from 0 (dark) to 1 (bright)") {
		t.Errorf("caption: %q", text)
	}
	if size := Heatmap(fakeTensor{[]int{1, 2, 1, 3}, make([]float64, 6)}).picture.img.Bounds().Size(); size != image.Pt(3, 2) {
		t.Errorf("dims of 1 do not matter, but the picture is %v", size)
	}
	// The range of values must not overflow.
	Heatmap([][]float64{{-math.MaxFloat64, math.MaxFloat64}}).PNG()
	// Numbers are written where they fit, and said by the pointer up to a thousand cells.
	for _, c := range []struct {
		side          int
		written, said bool
	}{{6, true, true}, {16, false, true}, {33, false, false}} {
		svg, charts := Heatmap(waves(c.side, c.side)).document()
		if written, said := strings.Contains(svg, "0.199<"), charts[0].Series[0].Cells != nil; written != c.written || said != c.said {
			t.Errorf("%d cells: numbers written: %v, said: %v", c.side*c.side, written, said)
		}
	}
}

func TestPictureSizes(t *testing.T) {
	for _, c := range []struct {
		name          string
		img           image.Image
		width, height int // of the PNG; 0: none
	}{
		{"small is enlarged", image.NewGray(image.Rect(0, 0, 4, 2)), 384, 192},
		{"usual stays", image.NewGray(image.Rect(5, 5, 305, 205)), 300, 200},
		{"large is thinned out", image.NewGray(image.Rect(0, 0, 4096, 1)), 2048, 1},
		{"empty", image.NewGray(image.Rect(0, 0, 0, 5)), 0, 0},
		{"endless", image.NewUniform(color.White), 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := Render(c.img)
			data, err := base64.StdEncoding.DecodeString(b[MIMEPNG])
			if err != nil {
				t.Fatal(err)
			}
			config, err := png.DecodeConfig(bytes.NewReader(data))
			if c.width == 0 {
				if len(data) != 0 {
					t.Errorf("a PNG of %d × %d", config.Width, config.Height)
				}
				return
			}
			if err != nil || config.Width != c.width || config.Height != c.height {
				t.Errorf("%d × %d, %v; want %d × %d", config.Width, config.Height, err, c.width, c.height)
			}
		})
	}
}

func TestBlocks(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 4, 3))
	for _, p := range []image.Point{{0, 0}, {1, 1}, {2, 0}, {2, 1}, {0, 2}} {
		img.SetGray(p.X, p.Y, color.Gray{255})
	}
	if got, want := Blocks(img, 80, false), "▀▄█\n█\n"; got != want {
		t.Errorf("plain:\n%s\nwant\n%s", got, want)
	}
	if got, want := Blocks(image.NewGray(image.Rect(0, 0, 2, 2)), 80, true),
		"\x1b[38;2;0;0;0m\x1b[48;2;0;0;0m▀▀\x1b[0m\n"; got != want {
		t.Errorf("coloured: %q, want %q", got, want)
	}
	for _, size := range []image.Rectangle{image.Rect(0, 0, 1000, 10), image.Rect(0, 0, 10, 1000),
		image.Rect(0, 0, 500, 500)} {
		lines := strings.Split(strings.TrimSuffix(Blocks(image.NewGray(size), 60, true), "\n"), "\n")
		if n := strings.Count(lines[0], "▀"); n > 60 || len(lines) > maxLines {
			t.Errorf("%v takes %d columns and %d lines", size, n, len(lines))
		}
	}
}
