package display

import (
	"fmt"
	"image"
	"strings"
)

// maxLines bounds the height of a picture in characters, so that it does not fill several screens.
const maxLines = 24

// Blocks draws img in half-block characters, two pixels each, at most columns wide and 24 lines high, every line ended.
// With colour the lines carry 24-bit ANSI colours; without, bright pixels are drawn and areas keep their brightness by
// dithering.
func Blocks(img image.Image, columns int, colour bool) string {
	size := img.Bounds().Size()
	if size.X <= 0 || size.Y <= 0 || columns < 1 {
		return ""
	}
	width, height := fit(size, columns, 2*maxLines)
	small := resize(img, width, height)
	flatten(small)
	if colour {
		return colourBlocks(small)
	}
	return plainBlocks(dither(small))
}

// fit scales size down into width × height, never up, keeping its proportions.
func fit(size image.Point, width, height int) (w, h int) {
	w, h = size.X, size.Y
	if w > width {
		w, h = width, max(1, h*width/w)
	}
	if h > height {
		w, h = max(1, w*height/h), height
	}
	return w, h
}

func plainBlocks(img *image.Paletted) string {
	var b strings.Builder
	size := img.Bounds().Size()
	for y := 0; y < size.Y; y += 2 {
		var line strings.Builder
		for x := range size.X {
			below := y+1 < size.Y && img.ColorIndexAt(x, y+1) == 1
			switch above := img.ColorIndexAt(x, y) == 1; {
			case above && below:
				line.WriteRune('█')
			case above:
				line.WriteRune('▀')
			case below:
				line.WriteRune('▄')
			default:
				line.WriteByte(' ')
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

func colourBlocks(img *image.NRGBA) string {
	var b strings.Builder
	size := img.Bounds().Size()
	for y := 0; y < size.Y; y += 2 {
		last := ""
		for x := range size.X {
			above := img.NRGBAAt(x, y)
			code := fmt.Sprintf("\x1b[38;2;%d;%d;%dm", above.R, above.G, above.B)
			if y+1 < size.Y {
				below := img.NRGBAAt(x, y+1)
				code += fmt.Sprintf("\x1b[48;2;%d;%d;%dm", below.R, below.G, below.B)
			}
			if code != last {
				b.WriteString(code)
				last = code
			}
			b.WriteRune('▀')
		}
		b.WriteString("\x1b[0m\n")
	}
	return b.String()
}
