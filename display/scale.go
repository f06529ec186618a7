package display

import (
	"image"
	"image/draw"

	ximage "golang.org/x/image/draw"
)

// enlarge repeats every pixel factor times in both directions: elements stay squares with sharp edges.
func enlarge(img image.Image, factor int) image.Image {
	size := img.Bounds().Size()
	out := image.NewNRGBA(image.Rect(0, 0, size.X*factor, size.Y*factor))
	ximage.NearestNeighbor.Scale(out, out.Bounds(), img, img.Bounds(), draw.Src, nil)
	return out
}

// shrink averages img down so that neither side is longer than side.
func shrink(img image.Image, side int) image.Image {
	size := img.Bounds().Size()
	longest := max(size.X, size.Y)
	return resize(img, max(1, size.X*side/longest), max(1, size.Y*side/longest))
}

func resize(img image.Image, width, height int) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, width, height))
	ximage.BiLinear.Scale(out, out.Bounds(), img, img.Bounds(), draw.Src, nil)
	return out
}

// flatten draws img on a black background, the usual background of a terminal.
func flatten(img *image.NRGBA) {
	for i := 0; i < len(img.Pix); i += 4 {
		for c := range 3 {
			img.Pix[i+c] = uint8(int(img.Pix[i+c]) * int(img.Pix[i+3]) / 255)
		}
		img.Pix[i+3] = 255
	}
}
