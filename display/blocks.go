package display

import (
	"fmt"
	"image"
	"image/color"
	"strings"
)

// maxLines bounds the height of a picture in characters, so that it does not fill several screens.
const maxLines = 24

// Blocks draws img in block characters, two pixels each, at most columns wide and 24 lines high, every line ended. With
// colour the lines carry 24-bit ANSI colours; without, brightness is shown by half blocks where the two pixels differ
// much and by shades where they do not, bright on a dark background.
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
	return plainBlocks(small)
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

var shades = []rune(" ░▒▓█")

func plainBlocks(img *image.NRGBA) string {
	var b strings.Builder
	size := img.Bounds().Size()
	for y := 0; y < size.Y; y += 2 {
		var line strings.Builder
		for x := range size.X {
			above := brightness(img, x, y)
			below := above // in the last line of an odd height
			if y+1 < size.Y {
				below = brightness(img, x, y+1)
			}
			switch {
			case above-below > 127:
				line.WriteRune('▀')
			case below-above > 127:
				line.WriteRune('▄')
			default:
				line.WriteRune(shades[(above+below)/2*len(shades)/256])
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// brightness is from 0 to 255.
func brightness(img *image.NRGBA, x, y int) int {
	return int(color.GrayModel.Convert(img.NRGBAAt(x, y)).(color.Gray).Y)
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
