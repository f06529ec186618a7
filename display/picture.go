package display

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"math"
)

// Picture is a displayable image: a PNG in notebooks, characters in terminals.
type Picture struct {
	img     image.Image // one pixel per element, or as drawn
	values  *array      // that img was drawn of; nil when it was an image
	caption string      // said below the characters
}

// Sizes of pictures, in pixels. Smaller ones are enlarged by an integer factor to make elements distinguishable; larger
// ones are decimated, because a notebook stores every picture in its file.
const (
	smallSide = 384
	largeSide = 2048
	// maxPixels bounds the part of an image that is read: image.Uniform, for example, claims to have 4e18 pixels.
	maxPixels = 1 << 28
)

// Image makes a picture from v: an image.Image, or a tensor or nested slices of numbers, of any dtype. Dims are [height
// width], [height width channels] or [channels height width], with 1 (grey), 3 (RGB) or 4 (RGBA) channels. A batch of
// these, whose first dim counts them, is drawn as a grid; [n height width] is a batch of grey ones. Integers from 0 to
// 255 are bytes; other values are scaled so that the minimum is black and the maximum white (values between 0 and 1
// that span more than half of that range are not scaled). Clim sets the range. It panics when v is none of these.
func Image(v any) *Picture {
	if img, ok := v.(image.Image); ok && !isNil(v) {
		return pictureOf(img)
	}
	a, err := arrayOf(v)
	if errors.Is(err, errNoNumbers) {
		panic("display.Image: " + err.Error() + ", or an image.Image")
	}
	if err != nil {
		panic("display.Image: " + err.Error())
	}
	p := &Picture{values: &a, caption: a.caption()}
	if err := p.paint(nil); err != nil {
		panic("display.Image: " + err.Error())
	}
	return p
}

// paint draws the numbers, black and white at the limits.
func (p *Picture) paint(limits *[2]float64) (err error) {
	if !p.values.isBatch() {
		p.img, err = p.values.image(limits)
		return err
	}
	frames, err := p.values.images(limits)
	if err == nil && len(frames) == 0 {
		err = fmt.Errorf("dims %v: there is nothing to draw", p.values.dims)
	}
	if err != nil {
		return err
	}
	if len(frames) > maxGrid {
		p.caption += fmt.Sprintf(", the first %d drawn", maxGrid)
		frames = frames[:maxGrid]
	}
	p.img = gridOf(frames)
	return nil
}

// Clim sets the values that are drawn black and white in a picture of numbers. Other pictures are returned unchanged.
// It returns a new picture, and panics when low is not below high.
func (p *Picture) Clim(low, high float64) *Picture {
	l := limits("Clim", low, high)
	if p.values == nil {
		return p
	}
	out := *p
	if err := out.paint(l); err != nil {
		return p // it was painted before
	}
	return &out
}

// maxGrid is the largest number of pictures of a batch that are drawn.
const maxGrid = 100

// gridOf arranges pictures of one size in a grid, slightly wider than high.
func gridOf(frames []image.Image) image.Image {
	size := frames[0].Bounds().Size()
	ratio := float64(size.Y) / float64(size.X)
	columns := max(1, min(len(frames), int(math.Ceil(math.Sqrt(1.5*float64(len(frames))*ratio)))))
	rows := (len(frames) + columns - 1) / columns
	scale := max(1, 64/max(size.X, size.Y))
	gap := max(1, size.X*scale/16)
	out := image.NewNRGBA(image.Rect(0, 0, columns*(size.X*scale+gap)-gap, rows*(size.Y*scale+gap)-gap))
	for i, f := range frames {
		if scale > 1 {
			f = enlarge(f, scale)
		}
		at := image.Pt(i%columns*(size.X*scale+gap), i/columns*(size.Y*scale+gap))
		draw.Draw(out, image.Rectangle{Min: at, Max: at.Add(f.Bounds().Size())}, f, f.Bounds().Min, draw.Src)
	}
	return out
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

// String draws the picture in characters, at most 80 columns wide, above a line with its size.
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

// draw scales the picture to a viewable size.
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
