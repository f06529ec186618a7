package display

import (
	"image"
	"image/color"
	"image/draw"
	"slices"
)

// paletted reduces a picture to 256 colours: its own when they are not more, else 256 that stand for them, mixed by
// dithering.
func paletted(img image.Image) *image.Paletted {
	size := img.Bounds().Size()
	flat := image.NewRGBA(image.Rectangle{Max: size})
	draw.Draw(flat, flat.Bounds(), image.Black, image.Point{}, draw.Src)
	draw.Draw(flat, flat.Bounds(), img, img.Bounds().Min, draw.Over)
	pixels := map[color.RGBA]int{}
	for y := range size.Y {
		for x := range size.X {
			pixels[flat.RGBAAt(x, y)]++
		}
	}
	shades := make([]shade, 0, len(pixels))
	for c, n := range pixels {
		shades = append(shades, shade{[3]uint8{c.R, c.G, c.B}, n})
	}
	out := image.NewPaletted(flat.Bounds(), medianCut(shades, 256))
	if len(shades) > 256 {
		draw.FloydSteinberg.Draw(out, out.Bounds(), flat, image.Point{})
	} else {
		draw.Draw(out, out.Bounds(), flat, image.Point{}, draw.Src)
	}
	return out
}

// shade is a colour, and how many pixels have it.
type shade struct {
	rgb    [3]uint8
	pixels int
}

// medianCut returns n colours, or fewer, that stand for the shades, whose order it changes. It splits boxes of the
// colour cube in two that have as many pixels each; the next one is the one that has the most to gain, with many pixels
// or wide (P. Heckbert, Color Image Quantization, 1982).
func medianCut(shades []shade, n int) color.Palette {
	boxes := []box{newBox(shades)}
	for len(boxes) < n {
		at := 0
		for i, b := range boxes {
			if b.gain > boxes[at].gain {
				at = i
			}
		}
		b := boxes[at]
		if b.gain == 0 {
			break
		}
		slices.SortFunc(b.shades, func(x, y shade) int {
			if d := int(x.rgb[b.longest]) - int(y.rgb[b.longest]); d != 0 {
				return d
			}
			return slices.Compare(x.rgb[:], y.rgb[:])
		})
		half, cut := 0, 0
		for cut < len(b.shades)-1 && (cut == 0 || half+b.shades[cut].pixels <= b.pixels/2) {
			half += b.shades[cut].pixels
			cut++
		}
		boxes[at] = newBox(b.shades[:cut])
		boxes = append(boxes, newBox(b.shades[cut:]))
	}
	palette := make(color.Palette, len(boxes))
	for i, b := range boxes {
		palette[i] = b.mean()
	}
	slices.SortFunc(palette, func(x, y color.Color) int {
		a, b := x.(color.RGBA), y.(color.RGBA)
		return slices.Compare([]uint8{a.R, a.G, a.B}, []uint8{b.R, b.G, b.B})
	})
	return palette
}

// box is a part of the colour cube.
type box struct {
	shades  []shade
	pixels  int
	longest int // of its three sides
	gain    int // of splitting it: its pixels, times that side; 0 for one colour
}

func newBox(shades []shade) box {
	b := box{shades: shades}
	low, high := [3]uint8{255, 255, 255}, [3]uint8{}
	for _, s := range shades {
		b.pixels += s.pixels
		for i, v := range s.rgb {
			low[i], high[i] = min(low[i], v), max(high[i], v)
		}
	}
	for i := range low {
		if side := b.pixels * int(high[i]-low[i]); len(shades) > 1 && side > b.gain {
			b.longest, b.gain = i, side
		}
	}
	return b
}

// mean is the colour that stands for those of the box.
func (b box) mean() color.RGBA {
	var sum [3]int
	for _, s := range b.shades {
		for i, v := range s.rgb {
			sum[i] += int(v) * s.pixels
		}
	}
	c := func(i int) uint8 { return uint8((sum[i] + b.pixels/2) / max(1, b.pixels)) }
	return color.RGBA{c(0), c(1), c(2), 255}
}
