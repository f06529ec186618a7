package display

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"

	"github.com/lucasb-eyer/go-colorful"
	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
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

// Heatmap draws a matrix as colours: v is anything with Dims() []int and Float64s() []float64, like a tensor, or
// [][]float64 and other nested slices of numbers, with two dims apart from dims of 1; one dim is a single row. Row 0 is
// at the top. The minimum is dark blue, the maximum yellow (the viridis colour map), NaN is grey. It panics when v is
// not a matrix.
func Heatmap(v any) *Picture {
	a, err := arrayOf(v)
	if err != nil {
		panic("display.Heatmap: " + err.Error())
	}
	height, width, err := a.matrix()
	if err != nil {
		panic("display.Heatmap: " + err.Error())
	}
	lo, hi := a.bounds()
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i, x := range a.data {
		c := notFinite
		if !math.IsNaN(x) {
			c = colourTable[int(math.Round(255*fraction(x, lo, hi)))]
		}
		img.SetNRGBA(i%width, i/width, c)
	}
	caption := fmt.Sprintf("heatmap, %d × %d, values from %.4g (dark) to %.4g (bright)%s", height, width, lo, hi,
		a.left())
	return &Picture{img: img, caption: caption, bar: &bar{lo: lo, hi: hi, hidden: true}}
}

// WithBar returns the heatmap with a colour bar at its right, labelled with the minimum and the maximum. Other pictures
// are returned unchanged.
func (p *Picture) WithBar() *Picture {
	if p.bar == nil {
		return p
	}
	out := *p
	out.bar = &bar{lo: p.bar.lo, hi: p.bar.hi}
	return &out
}

// bar is the legend of a heatmap.
type bar struct {
	lo, hi float64
	hidden bool
}

// beside returns img with the bar at its right.
func (b *bar) beside(img image.Image) image.Image {
	if b.hidden {
		return img
	}
	const gap, thick = 8, 16
	face := basicfont.Face7x13
	low, high := fmt.Sprintf("%.4g", b.lo), fmt.Sprintf("%.4g", b.hi)
	label := max(len(low), len(high)) * face.Advance
	size := img.Bounds().Size()
	height := max(size.Y, 3*face.Height)
	out := image.NewNRGBA(image.Rect(0, 0, size.X+gap+thick+gap/2+label, height))
	draw.Draw(out, out.Bounds(), image.White, image.Point{}, draw.Src)
	draw.Draw(out, image.Rectangle{Max: size}, img, img.Bounds().Min, draw.Over)
	for y := range height {
		c := colourTable[255-255*y/max(1, height-1)]
		draw.Draw(out, image.Rect(size.X+gap, y, size.X+gap+thick, y+1), image.NewUniform(c), image.Point{}, draw.Src)
	}
	text := font.Drawer{Dst: out, Src: image.Black, Face: face}
	for _, l := range []struct {
		text string
		y    int
	}{{high, face.Ascent}, {low, height - face.Descent}} {
		text.Dot = fixed.P(size.X+gap+thick+gap/2, l.y)
		text.DrawString(l.text)
	}
	return out
}
