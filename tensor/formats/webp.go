package formats

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/draw"

	"golang.org/x/image/webp"
)

// decodeWebP decodes a WebP file, of an animation the first picture on its canvas, as Pillow does. It reports whether
// the file has opacity.
func decodeWebP(data []byte) (img image.Image, alpha bool, err error) {
	list := data[min(12, len(data)):]
	head, first := webpChunks.find(list, "VP8X"), webpChunks.find(list, "ANMF")
	if bits := webpChunks.find(list, "VP8L"); len(bits) >= 5 {
		alpha = bits[4]&0x10 != 0
	}
	if len(head) >= 10 {
		alpha = head[0]&0x10 != 0
	}
	if first == nil || len(head) < 10 {
		img, err = decodeStill(data)
		return img, alpha, err
	}
	const frameHead = 16
	if len(first) < frameHead {
		return nil, false, errors.New("webp: the first picture of the animation is cut off")
	}
	still := stillWebP(first[frameHead:], first[6:12])
	at := image.Pt(2*u24(first), 2*u24(first[3:]))
	place := image.Rectangle{at, at.Add(image.Pt(u24(first[6:])+1, u24(first[9:])+1))}
	canvas := image.NewNRGBA(image.Rect(0, 0, u24(head[4:])+1, u24(head[7:])+1))
	config, err := webp.DecodeConfig(bytes.NewReader(still))
	if err != nil {
		return nil, false, err
	}
	if !place.In(canvas.Rect) || place.Dx() != config.Width || place.Dy() != config.Height {
		return nil, false, fmt.Errorf("webp: the first picture of the animation has %d × %d pixels at %v, which are not "+
			"those of its frame, or not on the canvas of %d × %d", config.Width, config.Height, at, canvas.Rect.Dx(),
			canvas.Rect.Dy())
	}
	if img, err = decodeStill(still); err != nil {
		return nil, false, err
	}
	draw.Draw(canvas, place, img, img.Bounds().Min, draw.Src)
	return canvas, alpha, nil
}

// stillWebP is a file with the chunks of a picture of an animation. size is the picture's, as the frame has it.
func stillWebP(chunks, size []byte) []byte {
	body := []byte("WEBP")
	if webpChunks.find(chunks, "ALPH") != nil {
		body = append(append(body, "VP8X\x0a\x00\x00\x00\x10\x00\x00\x00"...), size...)
	}
	body = append(body, chunks...)
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

func u24(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 }

// decodeStill decodes a file of one picture. Colours of a lossy one are not those of JPEG, for which package image
// takes them: black is 16, and white 235.
func decodeStill(data []byte) (image.Image, error) {
	r := &counted{r: bytes.NewReader(data)}
	img, err := webp.Decode(r)
	if err != nil {
		return nil, fmt.Errorf("at byte %d or before: %w", r.n, err)
	}
	switch m := img.(type) {
	case *image.YCbCr:
		return studioColours(m, nil), nil
	case *image.NYCbCrA:
		return studioColours(&m.YCbCr, func(x, y int) byte { return m.A[m.AOffset(x, y)] }), nil
	}
	return img, nil
}

// studioColours converts the colours of VP8, those of ITU-R BT.601 with a luminance from 16 to 235, as libwebp does:
// in fixed point, with the chrominance of a pixel from the four nearest samples.
func studioColours(m *image.YCbCr, opacity func(x, y int) byte) *image.NRGBA {
	b := m.Bounds()
	img := image.NewNRGBA(b)
	wide, high := (b.Dx()+1)/2, (b.Dy()+1)/2
	for y := range b.Dy() {
		row, otherRow := neighbours(y, high)
		for x := range b.Dx() {
			column, otherColumn := neighbours(x, wide)
			blend := func(c []byte) int {
				at := func(row, column int) int { return int(c[row*m.CStride+column]) }
				return (9*at(row, column) + 3*at(row, otherColumn) + 3*at(otherRow, column) +
					at(otherRow, otherColumn) + 8) >> 4
			}
			luminance, blue, red := int(m.Y[y*m.YStride+x])*19077>>8, blend(m.Cb), blend(m.Cr)
			p := img.Pix[img.PixOffset(x, y):][:4]
			p[0] = clipped(luminance + red*26149>>8 - 14234)
			p[1] = clipped(luminance - blue*6419>>8 - red*13320>>8 + 8708)
			p[2] = clipped(luminance + blue*33050>>8 - 17685)
			if p[3] = 255; opacity != nil {
				p[3] = opacity(x, y)
			}
		}
	}
	return img
}

// neighbours are the sample of n that is nearest to a pixel of twice as many, and the next one on the pixel's side.
func neighbours(i, n int) (near, other int) {
	return i / 2, min(max(i/2-1+i%2*2, 0), n-1)
}

// clipped is a number of 6 bits after the point as a byte.
func clipped(v int) byte { return byte(min(max(v>>6, 0), 255)) }
