package display

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
)

// Picture is an image that a cell can end with or Show: a PNG in notebooks, characters in terminals.
type Picture struct {
	img     image.Image // one pixel per element, or as drawn
	caption string      // said below the characters
	bar     *bar
}

// Sizes of pictures, in pixels. Smaller ones are enlarged by a whole factor so that elements can be told apart; larger ones
// are thinned out, because a notebook keeps every picture in its file.
const (
	smallSide = 384
	largeSide = 2048
	// maxPixels bounds what is read of an image: image.Uniform, for one, claims to have 4e18 pixels.
	maxPixels = 1 << 28
)

// Image makes a picture of v: an image.Image, or anything with Dims() []int and Float64s() []float64, like a tensor, or
// [][]float64 and nested slices of numbers. Dims are [height width], [height width channels] or [channels height width], with
// 1 (grey), 3 (RGB) or 4 (RGBA) channels. Values from 0 to 255 that are all whole are bytes; other values are
// scaled so that the smallest is black and the largest white (values between 0 and 1 that span more than half of that range are
// taken as they are). It panics when v is none of these.
func Image(v any) *Picture {
	if img, ok := v.(image.Image); ok && !isNil(v) {
		return pictureOf(img)
	}
	a, err := arrayOf(v)
	if err != nil {
		panic("display.Image: " + err.Error())
	}
	img, err := a.image(nil)
	if err != nil {
		panic("display.Image: " + err.Error())
	}
	return &Picture{img: img, caption: a.caption()}
}

func pictureOf(img image.Image) *Picture {
	size := img.Bounds().Size()
	return &Picture{img: img, caption: fmt.Sprintf("picture, %d × %d pixels", size.X, size.Y)}
}

// PNG returns the picture as a PNG file.
func (p *Picture) PNG() []byte {
	drawn, err := p.draw()
	if err != nil {
		return nil
	}
	var b bytes.Buffer
	if err := png.Encode(&b, drawn); err != nil {
		return nil // an image without pixels
	}
	return b.Bytes()
}

// String draws the picture in characters, at most 80 columns wide, above a line that tells its size.
func (p *Picture) String() string {
	if _, err := p.draw(); err != nil {
		return p.caption + ": " + err.Error()
	}
	return Blocks(p.img, lineWidth(), false) + p.caption
}

func (p *Picture) bundle() Bundle {
	out := Bundle{MIMEText: p.String()}
	if b := p.PNG(); b != nil {
		out[MIMEPNG] = base64.StdEncoding.EncodeToString(b)
	}
	return out
}

// draw scales the picture to a size that can be looked at and adds what stands beside it.
func (p *Picture) draw() (image.Image, error) {
	size := p.img.Bounds().Size()
	if size.X <= 0 || size.Y <= 0 {
		return nil, fmt.Errorf("it has no pixels")
	}
	if size.X > maxPixels/size.Y {
		return nil, fmt.Errorf("it is too large to draw")
	}
	img := p.img
	switch longest := max(size.X, size.Y); {
	case longest > largeSide:
		img = shrink(img, largeSide)
	case longest < smallSide/2:
		img = enlarge(img, smallSide/longest)
	}
	if p.bar != nil {
		img = p.bar.beside(img)
	}
	return img, nil
}

// pngText is the text form of a PNG file: its characters when it can be decoded, its size in any case.
func pngText(b []byte, config image.Config) string {
	caption := fmt.Sprintf("picture, %d × %d pixels", config.Width, config.Height)
	if config.Width > maxPixels/max(1, config.Height) {
		return caption
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return caption
	}
	return Blocks(img, lineWidth(), false) + caption
}
