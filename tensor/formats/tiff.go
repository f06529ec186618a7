package formats

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"

	"golang.org/x/image/tiff"
)

// Tags of a TIFF file, and values of them.
const (
	tiffCompression  = 0x0103
	tiffPhotometric  = 0x0106
	tiffOrientation  = 0x0112
	tiffPlanes       = 0x011c
	tiffExtraSamples = 0x0152

	faxGroup3, faxGroup4     = 3, 4
	whiteIsZero, blackIsZero = 0, 1
	separatePlanes           = 2
)

// errBigTIFF is of files that golang.org/x/image/tiff does not know.
var errBigTIFF = errors.New("image: the file is a BigTIFF, which is not read: " +
	"save it as a TIFF, as in Pillow's Image.open(path).save(\"x.tif\")")

// isBigTIFF reports whether a file is a TIFF with offsets of 64 bits.
func isBigTIFF(data []byte) bool {
	return bytes.HasPrefix(data, []byte("II+\x00")) || bytes.HasPrefix(data, []byte("MM\x00+"))
}

// checkTIFF refuses what golang.org/x/image/tiff would misread, or call invalid.
func checkTIFF(data []byte) error {
	if tiffTag(data, tiffPlanes) == separatePlanes && tiffTag(data, tiffPhotometric) > blackIsZero {
		return errors.New("image: the TIFF has its channels one after the other (PlanarConfiguration 2), which is not " +
			"read: save it with the channels of a pixel together, as Pillow does")
	}
	if isFax(data) && tiffTag(data, tiffPhotometric) > blackIsZero {
		return fmt.Errorf("image: the TIFF has CCITT compression of colours (PhotometricInterpretation %d), which is "+
			"not read", tiffTag(data, tiffPhotometric))
	}
	return nil
}

func isFax(data []byte) bool {
	c := tiffTag(data, tiffCompression)
	return c == faxGroup3 || c == faxGroup4
}

// decodeTIFF decodes a TIFF file and reports whether it has opacity.
func decodeTIFF(data []byte) (image.Image, bool, error) {
	r := &counted{r: bytes.NewReader(data)}
	img, err := tiff.Decode(r)
	if err != nil {
		return nil, false, fmt.Errorf("at byte %d or before: %w", r.n, err)
	}
	// The decoder has white as 1 in what CCITT compresses, also where the file says that 1, a black run, is white.
	if grey, ok := img.(*image.Gray); ok && isFax(data) && tiffTag(data, tiffPhotometric) == blackIsZero {
		for i, v := range grey.Pix {
			grey.Pix[i] = 255 - v
		}
	}
	return img, tiffTag(data, tiffExtraSamples) > 0, nil
}

// tiffTag reads a tag with one short number from the first directory of a TIFF file, -1 where there is none.
func tiffTag(tiff []byte, tag uint16) int {
	const short, entry = 3, 12
	if len(tiff) < 8 {
		return -1
	}
	var order binary.ByteOrder = binary.BigEndian
	if tiff[0] == 'I' {
		order = binary.LittleEndian
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return -1
	}
	entries := int(order.Uint16(tiff[at:]))
	for list := tiff[at+2:]; entries > 0 && len(list) >= entry; list, entries = list[entry:], entries-1 {
		if order.Uint16(list) == tag && order.Uint16(list[2:]) == short && order.Uint32(list[4:]) == 1 {
			return int(order.Uint16(list[8:]))
		}
	}
	return -1
}
