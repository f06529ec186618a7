package formats

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	_ "image/gif" // registered for ReadImage
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	_ "golang.org/x/image/bmp" // registered for ReadImage, as the two that follow
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/limits"
)

const (
	// A byte of an image file may stand for limits.ImageExpansion pixels, of a PNG for four times as many: it makes a
	// thousandth of pictures of one colour, and has pixels of one bit. freePixels need no byte. A file that claims more
	// is refused before memory is allocated.
	ofPNG      = 4
	freePixels = 1 << 20
)

// ReadImage reads a PNG, JPEG, GIF, WebP, BMP or TIFF file (its first picture) onto a device: as U8, [channels height
// width], as PyTorch and Candle have images; with elements up to 65535 of type I32 if the file has 16 bits for each.
// The file says how many channels there are, whatever the pixels: grey pictures have one, others red, green and blue,
// and those with opacity (an alpha channel, or a transparent colour) a fourth; x.Narrow(0, 0, 3) leaves that out. U8
// wraps: convert it before arithmetic, as in x.ToDType(tensor.F32).
func ReadImage(path string, dev *tensor.Device) (*tensor.Tensor, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	t, err := DecodeImage(data, dev)
	return t, named(path, err)
}

// DecodeImage is ReadImage for the bytes of a file.
func DecodeImage(data []byte, dev *tensor.Device) (*tensor.Tensor, error) {
	if isBigTIFF(data) {
		return nil, errBigTIFF
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("image: %w (PNG, JPEG, GIF, WebP, BMP and TIFF are read)", err)
	}
	most := 1
	if format == "png" {
		most = ofPNG
	}
	what := fmt.Sprintf("image: %d × %d pixels in %d bytes", config.Width, config.Height, len(data))
	pixels, ok := count([]int{config.Height, config.Width}, math.MaxInt)
	if !ok || config.Width < 0 || config.Height < 0 {
		return nil, fmt.Errorf("%s are not possible", what)
	}
	if err := limits.ImagePixels.Check(pixels, what); err != nil {
		return nil, err
	}
	if pixels > freePixels {
		if err := limits.ImageExpansion.Check(pixels/most/max(len(data), 1), what); err != nil {
			return nil, err
		}
	}
	if format == "tiff" {
		if err := checkTIFF(data); err != nil {
			return nil, err
		}
	}
	img, channels, err := decodeAs(format, data, image.Rect(0, 0, config.Width, config.Height))
	if err != nil {
		return nil, fmt.Errorf("image: %w", err)
	}
	return pixelsOf(img, channels, dev), nil
}

// decodeAs decodes a file of a format, and returns how many channels its pixels have.
func decodeAs(format string, data []byte, screen image.Rectangle) (img image.Image, channels int, err error) {
	var alpha bool
	switch format {
	case "webp":
		img, alpha, err = decodeWebP(data)
	case "tiff":
		img, alpha, err = decodeTIFF(data)
	default:
		r := &counted{r: bytes.NewReader(data)}
		if img, _, err = image.Decode(r); err != nil {
			err = fmt.Errorf("at byte %d or before: %w", r.n, err)
		}
	}
	if err != nil {
		return nil, 0, err
	}
	switch m := img.(type) {
	case *image.YCbCr:
		return interpolated(m), 3, nil
	case *image.Gray, *image.Gray16:
		return img, 1, nil
	case *image.NRGBA, *image.NRGBA64:
		alpha = alpha || format == "png" || format == "bmp"
	case *image.Paletted:
		if format == "bmp" && isRamp(m.Palette) {
			return img, 1, nil
		}
		clear := slices.IndexFunc(m.Palette, isClear)
		if alpha = clear >= 0; format == "gif" && m.Rect != screen {
			img = onScreen(m, screen, uint8(max(clear, 0)))
		}
	}
	if alpha {
		return img, 4, nil
	}
	return img, 3, nil
}

// onScreen lays the first picture of a GIF on its screen, which has a colour of the palette around it: the transparent
// one, or the first, as Pillow has it.
func onScreen(m *image.Paletted, screen image.Rectangle, around uint8) image.Image {
	whole := image.NewPaletted(screen, m.Palette)
	for i := range whole.Pix {
		whole.Pix[i] = around
	}
	for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
		copy(whole.Pix[whole.PixOffset(m.Rect.Min.X, y):], m.Pix[m.PixOffset(m.Rect.Min.X, y):][:m.Rect.Dx()])
	}
	return whole
}

// isRamp reports whether the colours of a palette are the greys of their numbers, or black and white.
func isRamp(p color.Palette) bool {
	for i, c := range p {
		grey := uint8(i)
		if len(p) == 2 {
			grey *= 255
		}
		if color.RGBAModel.Convert(c) != (color.RGBA{R: grey, G: grey, B: grey, A: 255}) {
			return false
		}
	}
	return true
}

func isClear(c color.Color) bool {
	_, _, _, a := c.RGBA()
	return a != 0xffff
}

// counted counts what a decoder has read.
type counted struct {
	r io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// FromImage returns the pixels of an image as a tensor on a device, as ReadImage does, with a fourth channel for
// opacity if there is a pixel that is not opaque.
func FromImage(img image.Image, dev *tensor.Device) *tensor.Tensor {
	channels := 3
	if o, ok := img.(interface{ Opaque() bool }); ok && !o.Opaque() {
		channels = 4
	}
	switch img.ColorModel() {
	case color.GrayModel, color.Gray16Model:
		channels = 1
	}
	return pixelsOf(img, channels, dev)
}

// pixelsOf returns the first channels of the pixels of an image.
func pixelsOf(img image.Image, channels int, dev *tensor.Device) *tensor.Tensor {
	b := img.Bounds()
	shape := []int{channels, b.Dy(), b.Dx()}
	switch img.ColorModel() {
	case color.Gray16Model, color.RGBA64Model, color.NRGBA64Model:
		return dev.FromSlice(channelsOf[int32](img, channels, func(c color.Color) [4]int32 {
			n := color.NRGBA64Model.Convert(c).(color.NRGBA64)
			return [4]int32{int32(n.R), int32(n.G), int32(n.B), int32(n.A)}
		}), shape...)
	}
	return dev.FromBytes(tensor.U8, channelsOf(img, channels, func(c color.Color) [4]byte {
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		return [4]byte{n.R, n.G, n.B, n.A}
	}), shape...)
}

// channelsOf returns the first channels of the pixels, one after the other.
func channelsOf[T any](img image.Image, channels int, of func(color.Color) [4]T) []T {
	b := img.Bounds()
	h, w := b.Dy(), b.Dx()
	data := make([]T, channels*h*w)
	for y := range h {
		for x := range w {
			values := of(img.At(b.Min.X+x, b.Min.Y+y))
			for k := range channels {
				data[(k*h+y)*w+x] = values[k]
			}
		}
	}
	return data
}

// WriteImage writes a tensor [height width] or [channels height width] with 1, 3 or 4 channels as a picture: PNG or
// JPEG, as the ending of the name says. U8 is written as it is, and I32 as a PNG of 16 bits, whose elements are 0 to
// 65535; of floats, 0 is dark and 1 bright, and values beyond are clipped.
func WriteImage(path string, t *tensor.Tensor) error {
	img, err := ToImage(t)
	if err != nil {
		return named(path, err)
	}
	return named(path, writeFile(path, func(w io.Writer) error {
		switch ext := strings.ToLower(filepath.Ext(path)); ext {
		case ".png":
			return png.Encode(w, img)
		case ".jpg", ".jpeg":
			if t.DType() == tensor.I32 {
				return fmt.Errorf("image: JPEG has no 16 bits for an element: .png has, and " +
					"x.ToDType(tensor.F32).Div(65535) is written with 8")
			}
			return jpeg.Encode(w, img, &jpeg.Options{Quality: 95})
		default:
			return fmt.Errorf("image: the ending %q names no format that is written: .png and .jpg do", ext)
		}
	}))
}

// ToImage returns the picture that WriteImage writes.
func ToImage(t *tensor.Tensor) (image.Image, error) {
	dims := t.Dims()
	if len(dims) == 2 {
		dims = append([]int{1}, dims...)
	}
	if len(dims) != 3 || dims[0] != 1 && dims[0] != 3 && dims[0] != 4 || dims[1] == 0 || dims[2] == 0 {
		return nil, fmt.Errorf("image: shape %v is not an image: want [height width], or [channels height width] "+
			"with 1, 3 or 4 channels", t.Dims())
	}
	switch {
	case t.DType().IsFloat():
		t = t.ToDType(tensor.F32).Clamp(0, 1).Mul(255).Round().ToDType(tensor.U8)
	case t.DType() == tensor.I32:
		return toImage16(t, dims)
	case t.DType() != tensor.U8:
		return nil, fmt.Errorf("image: elements are %v: want u8, i32 from 0 to 65535, or floats from 0 to 1", t.DType())
	}
	data := t.ToBytes()
	h, w := dims[1], dims[2]
	if dims[0] == 1 {
		return &image.Gray{Pix: data, Stride: w, Rect: image.Rect(0, 0, w, h)}, nil
	}
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range h * w {
		c := img.Pix[4*i : 4*i+4]
		c[3] = 255
		for k := range dims[0] {
			c[k] = data[k*h*w+i]
		}
	}
	return img, nil
}

// toImage16 is ToImage for 16 bits.
func toImage16(t *tensor.Tensor, dims []int) (image.Image, error) {
	data := tensor.ToVec1[int32](t.FlattenAll())
	for i, v := range data {
		if v < 0 || v > 65535 {
			return nil, fmt.Errorf("image: element %d is %d: want i32 from 0 to 65535", i, v)
		}
	}
	h, w := dims[1], dims[2]
	at := func(k, i int) uint16 { return uint16(data[k*h*w+i]) }
	if dims[0] == 1 {
		img := image.NewGray16(image.Rect(0, 0, w, h))
		for i := range h * w {
			img.SetGray16(i%w, i/w, color.Gray16{Y: at(0, i)})
		}
		return img, nil
	}
	img := image.NewNRGBA64(image.Rect(0, 0, w, h))
	for i := range h * w {
		c := color.NRGBA64{R: at(0, i), G: at(1, i), B: at(2, i), A: 65535}
		if dims[0] == 4 {
			c.A = at(3, i)
		}
		img.SetNRGBA64(i%w, i/w, c)
	}
	return img, nil
}

// readFile reads a file whole; its errors name it.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	return data, named(path, err)
}
