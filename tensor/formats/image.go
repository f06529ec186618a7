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
	"os"
	"path/filepath"
	"strings"

	_ "golang.org/x/image/bmp" // registered for ReadImage, as the two that follow
	_ "golang.org/x/image/tiff"
	_ "golang.org/x/image/webp"

	"github.com/gorocm/gorocm/tensor"
)

const (
	maxPixels = 1 << 28 // of an image
	// A byte of an image file may stand for so many pixels, and freePixels come without any: what claims more is refused before memory
	// is taken for it. PNG makes a thousandth of pictures of one colour, and has pixels of one bit.
	pixelsPerByte    = 2048
	pixelsPerPNGByte = 8192
	freePixels       = 1 << 20
)

// ReadImage reads a PNG, JPEG, GIF, WebP, BMP or TIFF file (its first picture) onto a device: as U8, [channels height width], as PyTorch and Candle have images.
// Grey pictures have one channel, others red, green and blue, and those that are transparent somewhere a fourth for opacity.
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
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("image: %w (PNG, JPEG, GIF, WebP, BMP and TIFF are read)", err)
	}
	most := pixelsPerByte
	if format == "png" {
		most = pixelsPerPNGByte
	}
	pixels, ok := count([]int{config.Height, config.Width}, maxPixels)
	if !ok || pixels > freePixels && pixels/most > len(data) {
		return nil, fmt.Errorf("image: %d × %d pixels are not possible in %d bytes", config.Width, config.Height, len(data))
	}
	r := &counted{r: bytes.NewReader(data)}
	img, _, err := image.Decode(r)
	if err != nil {
		return nil, fmt.Errorf("image: at byte %d or before: %w", r.n, err)
	}
	return FromImage(img, dev), nil
}

// counted says how far a decoder has come.
type counted struct {
	r io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// FromImage returns the pixels of an image as a tensor on a device, as ReadImage does.
func FromImage(img image.Image, dev *tensor.Device) *tensor.Tensor {
	b := img.Bounds()
	h, w := b.Dy(), b.Dx()
	channels := 3
	if o, ok := img.(interface{ Opaque() bool }); ok && !o.Opaque() {
		channels = 4
	}
	switch img.ColorModel() {
	case color.GrayModel, color.Gray16Model:
		channels = 1
	}
	data := make([]byte, channels*h*w)
	for y := range h {
		for x := range w {
			c := color.NRGBAModel.Convert(img.At(b.Min.X+x, b.Min.Y+y)).(color.NRGBA)
			for k, v := range [4]uint8{c.R, c.G, c.B, c.A} {
				if k < channels {
					data[(k*h+y)*w+x] = v
				}
			}
		}
	}
	return tensor.FromBytes(data, tensor.U8, []int{channels, h, w}, dev)
}

// WriteImage writes a tensor [height width] or [channels height width] with 1, 3 or 4 channels as a picture: PNG or JPEG, as the ending of
// the name says. U8 is written as it is; of floats, 0 is dark and 1 bright, and what is beyond is cut off.
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
		return nil, fmt.Errorf("image: shape %v is no picture: want [height width], or [channels height width] with 1, 3 or 4 channels", t.Dims())
	}
	switch {
	case t.DType().IsFloat():
		t = t.ToDType(tensor.F32).Clamp(0, 1).Mul(255).Round().ToDType(tensor.U8)
	case t.DType() != tensor.U8:
		return nil, fmt.Errorf("image: elements are %v: want u8, or floats from 0 to 1", t.DType())
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
