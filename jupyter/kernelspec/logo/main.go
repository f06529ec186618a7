// Command logo draws the kernel's logo, a 3×3 tensor with one bright element: logo-svg.svg, logo-32x32.png,
// logo-64x64.png.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log"
	"math"
	"os"
	"path/filepath"
)

// square is a square with round corners, in a picture of 64 by 64.
type square struct {
	x, y, side, radius float64
	fill               color.RGBA
}

var (
	ground = color.RGBA{0x12, 0x2b, 0x39, 0xff}
	bright = color.RGBA{0xff, 0x6b, 0x3d, 0xff}
	blues  = []color.RGBA{{0x00, 0x7d, 0x9c, 0xff}, {0x00, 0xad, 0xd8, 0xff}, {0x5d, 0xc9, 0xe2, 0xff}}
)

// squares are the logo, back to front.
func squares() []square {
	list := []square{{0, 0, 64, 12, ground}}
	for row := range 3 {
		for column := range 3 {
			fill := blues[(row+column)/2]
			if row == 1 && column == 1 {
				fill = bright
			}
			list = append(list, square{9 + 16*float64(column), 9 + 16*float64(row), 14, 3, fill})
		}
	}
	return list
}

func svg() []byte {
	var b bytes.Buffer
	b.WriteString("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 64 64\">\n")
	for _, s := range squares() {
		fmt.Fprintf(&b, "  <rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" rx=\"%g\" fill=\"#%02x%02x%02x\"/>\n",
			s.x, s.y, s.side, s.side, s.radius, s.fill.R, s.fill.G, s.fill.B)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// draw paints the squares with 8×8 samples a pixel.
func draw(size int) *image.RGBA {
	const samples = 8
	img := image.NewRGBA(image.Rect(0, 0, size, size))
	scale := 64 / float64(size)
	for y := range size {
		for x := range size {
			var r, g, b, a float64
			for i := range samples * samples {
				sx := (float64(x) + (float64(i%samples)+0.5)/samples) * scale
				sy := (float64(y) + (float64(i/samples)+0.5)/samples) * scale
				c := at(sx, sy)
				r, g, b, a = r+float64(c.R), g+float64(c.G), b+float64(c.B), a+float64(c.A)
			}
			mean := func(v float64) uint8 { return uint8(math.Round(v / (samples * samples))) }
			img.SetRGBA(x, y, color.RGBA{mean(r), mean(g), mean(b), mean(a)})
		}
	}
	return img
}

// at returns the colour of the front square at a point.
func at(x, y float64) (c color.RGBA) {
	for _, s := range squares() {
		// The distance to the square that the corners' centres span decides.
		dx := math.Max(math.Abs(x-s.x-s.side/2)-s.side/2+s.radius, 0)
		dy := math.Max(math.Abs(y-s.y-s.side/2)-s.side/2+s.radius, 0)
		if math.Hypot(dx, dy) <= s.radius {
			c = s.fill
		}
	}
	return c
}

func main() {
	dir := flag.String("dir", ".", "folder to write to")
	flag.Parse()
	files := map[string][]byte{"logo-svg.svg": svg()}
	for _, size := range []int{32, 64} {
		var b bytes.Buffer
		if err := png.Encode(&b, draw(size)); err != nil {
			log.Fatal(err)
		}
		files[fmt.Sprintf("logo-%dx%d.png", size, size)] = b.Bytes()
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(*dir, name), data, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
