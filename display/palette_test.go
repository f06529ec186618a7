package display

import (
	"image"
	"image/color"
	"testing"
)

// TestPaletted: what most of a chart is keeps its colour; what there is too much of is stood for by colours that are
// near.
func TestPaletted(t *testing.T) {
	paper, ink := color.RGBA{252, 252, 251, 255}, color.RGBA{31, 119, 180, 255}
	img := image.NewRGBA(image.Rect(0, 0, 64, 64))
	for y := range 64 {
		for x := range 64 {
			switch {
			case y < 40:
				img.Set(x, y, paper)
			case y < 50:
				img.Set(x, y, ink)
			default: // 896 colours
				img.Set(x, y, color.RGBA{uint8(4 * x), uint8(16 * (y - 50)), uint8(x + y), 255})
			}
		}
	}
	p := paletted(img)
	if len(p.Palette) != 256 {
		t.Errorf("%d colours", len(p.Palette))
	}
	for y := range 64 {
		for x := range 64 {
			got, want := color.RGBAModel.Convert(p.At(x, y)).(color.RGBA), img.RGBAAt(x, y)
			if y < 50 && got != want {
				t.Fatalf("at %d,%d: %v, want %v", x, y, got, want)
			}
			if d := max(apart(got.R, want.R), apart(got.G, want.G), apart(got.B, want.B)); d > 48 {
				t.Fatalf("at %d,%d: %v is far from %v", x, y, got, want)
			}
		}
	}
	few := image.NewRGBA(image.Rect(0, 0, 16, 16))
	for i := range 256 {
		few.Set(i%16, i/16, color.RGBA{uint8(i), uint8(255 - i), uint8(7 * i), 255})
	}
	p = paletted(few)
	for i := range 256 {
		if got, want := p.At(i%16, i/16), few.At(i%16, i/16); got != want {
			t.Fatalf("of 256 colours, %v became %v", want, got)
		}
	}
}

func apart(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }
