package formats

import (
	"bytes"
	"encoding/binary"

	"github.com/gorocm/gorocm/tensor"
)

// ReadPhoto is ReadImage with the picture upright: turned and mirrored as its EXIF data say that the camera was held,
// as Pillow's ImageOps.exif_transpose does. A picture without such data stays as it is.
func ReadPhoto(path string, dev *tensor.Device) (*tensor.Tensor, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	t, err := DecodePhoto(data, dev)
	return t, named(path, err)
}

// DecodePhoto is ReadPhoto for the bytes of a file.
func DecodePhoto(data []byte, dev *tensor.Device) (*tensor.Tensor, error) {
	t, err := DecodeImage(data, dev)
	if err != nil {
		return nil, err
	}
	return upright(t, tiffTag(exif(data), tiffOrientation)), nil
}

// upright turns an image of the given orientation, a number of EXIF: where the first row and column of the pixels are.
// 1, or anything that is none, is upright.
func upright(t *tensor.Tensor, orientation int) *tensor.Tensor {
	const height, width = 1, 2
	if orientation >= 5 && orientation <= 8 {
		t = t.Transpose(height, width)
	}
	switch orientation {
	case 2, 6:
		t = t.Flip(width)
	case 3, 7:
		t = t.Flip(height, width)
	case 4, 8:
		t = t.Flip(height)
	}
	return t.Contiguous()
}

// exif finds the EXIF data of a file, which are those of a small TIFF file; nil where there are none.
func exif(data []byte) []byte {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xd8")):
		return exifOfJPEG(data[2:])
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		return pngChunks.find(data[8:], "eXIf")
	case len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return bytes.TrimPrefix(webpChunks.find(data[12:], "EXIF"), []byte("Exif\x00\x00"))
	case bytes.HasPrefix(data, []byte("II*\x00")), bytes.HasPrefix(data, []byte("MM\x00*")):
		return data
	}
	return nil
}

// exifOfJPEG looks for the segment APP1 that begins with "Exif", before the pixels.
func exifOfJPEG(data []byte) []byte {
	const app1, startOfScan = 0xe1, 0xda
	for len(data) >= 4 && data[0] == 0xff {
		if data[1] == 0xff { // fill
			data = data[1:]
			continue
		}
		n := int(binary.BigEndian.Uint16(data[2:]))
		if n < 2 || 2+n > len(data) || data[1] == startOfScan {
			return nil
		}
		if content, ok := bytes.CutPrefix(data[4:2+n], []byte("Exif\x00\x00")); ok && data[1] == app1 {
			return content
		}
		data = data[2+n:]
	}
	return nil
}

// chunks are how PNG and WebP write their parts: eight bytes with the name and the length, the content, and what
// follows it.
type chunks struct {
	order            binary.ByteOrder
	nameAt, lengthAt int
	after            func(length int) int
}

var (
	pngChunks  = chunks{binary.BigEndian, 4, 0, func(int) int { return 4 }}                    // a checksum
	webpChunks = chunks{binary.LittleEndian, 0, 4, func(length int) int { return length & 1 }} // to an even number
)

// find returns the content of the chunk of a name, nil where there is none.
func (c *chunks) find(data []byte, name string) []byte {
	for len(data) >= 8 {
		n := int(c.order.Uint32(data[c.lengthAt:]))
		if n > len(data)-8 {
			return nil
		}
		if string(data[c.nameAt:c.nameAt+4]) == name {
			return data[8 : 8+n]
		}
		data = data[min(8+n+c.after(n), len(data)):]
	}
	return nil
}
