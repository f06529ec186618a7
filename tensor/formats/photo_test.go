package formats_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
)

// exifOf is EXIF data that have an orientation, after another tag.
func exifOf(order binary.AppendByteOrder, orientation uint16) []byte {
	b := []byte("II*\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		b = []byte("MM\x00*")
	}
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 2)
	for _, e := range [][2]uint16{{0x0100, 7}, {0x0112, orientation}} {
		b = order.AppendUint16(b, e[0])
		b = order.AppendUint16(b, 3)
		b = order.AppendUint32(b, 1)
		b = order.AppendUint16(b, e[1])
		b = order.AppendUint16(b, 0)
	}
	return order.AppendUint32(b, 0)
}

// withEXIF puts EXIF data into a JPEG or PNG file.
func withEXIF(file, data []byte) []byte {
	if file[0] == 0xff {
		content := append([]byte("Exif\x00\x00"), data...)
		segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(content)+2))
		return slices.Concat(file[:2], segment, content, file[2:])
	}
	const header = 8 + 8 + 13 + 4 // the signature and the first chunk
	chunk := append([]byte("eXIf"), data...)
	sum := crc32.ChecksumIEEE(chunk)
	chunk = binary.BigEndian.AppendUint32(chunk, sum)
	return slices.Concat(file[:header], binary.BigEndian.AppendUint32(nil, uint32(len(data))), chunk, file[header:])
}

// quarters is a picture of 32 by 16 pixels whose corners are black, dark, light and white, from the upper left.
func quarters() image.Image {
	img := image.NewGray(image.Rect(0, 0, 32, 16))
	for y := range 16 {
		for x := range 32 {
			img.SetGray(x, y, color.Gray{uint8(x/16*80 + y/8*160)})
		}
	}
	return img
}

// TestPhotoOrientation: the eight ways to hold a camera, with the corners in their places as EXIF 2.32 says.
func TestPhotoOrientation(t *testing.T) {
	var jpg, pic bytes.Buffer
	if err := jpeg.Encode(&jpg, quarters(), &jpeg.Options{Quality: 100}); err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(&pic, quarters()); err != nil {
		t.Fatal(err)
	}
	// Black, dark, light and white are 0 to 3: those of the upper left, the upper right, the lower left, the lower right.
	corners := [][4]int{{0, 1, 2, 3}, {0, 1, 2, 3}, {1, 0, 3, 2}, {3, 2, 1, 0}, {2, 3, 0, 1}, {0, 2, 1, 3}, {2, 0, 3, 1},
		{3, 1, 2, 0}, {1, 3, 0, 2}, {0, 1, 2, 3}}
	for _, file := range [][]byte{jpg.Bytes(), pic.Bytes()} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			for orientation, want := range corners {
				x, err := formats.DecodePhoto(withEXIF(file, exifOf(order, uint16(orientation))), tensor.CPU())
				if err != nil {
					t.Fatal(err)
				}
				h, w := x.Dim(1), x.Dim(2)
				if turned := orientation >= 5 && orientation <= 8; turned != (h == 32 && w == 16) || h*w != 512 {
					t.Errorf("orientation %d: %v", orientation, x.Dims())
				}
				v := x.ToDType(tensor.F32).ToVec3()[0]
				var got [4]int
				for i, c := range [][2]int{{2, 2}, {2, w - 3}, {h - 3, 2}, {h - 3, w - 3}} {
					got[i] = int(v[c[0]][c[1]]+40) / 80
				}
				if got != want {
					t.Errorf("orientation %d of %.4q: corners %v, want %v", orientation, file, got, want)
				}
			}
		}
	}
}

// TestReadPhoto: files without EXIF data, and with damaged ones, are read as ReadImage reads them.
func TestReadPhoto(t *testing.T) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, quarters(), nil); err != nil {
		t.Fatal(err)
	}
	plain, err := formats.DecodeImage(b.Bytes(), tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	whole := exifOf(binary.LittleEndian, 6)
	for n := range len(whole) {
		file := filepath.Join(t.TempDir(), "photo.jpg")
		if err := os.WriteFile(file, withEXIF(b.Bytes(), whole[:n]), 0o600); err != nil {
			t.Fatal(err)
		}
		x, err := formats.ReadPhoto(file, tensor.CPU())
		if err != nil {
			t.Fatal(n, err)
		}
		want := plain
		if n >= 8+2+2*12 { // the entry is whole
			want = plain.Transpose(1, 2).Flip(2)
		}
		if fmt.Sprint(x.ToDType(tensor.F32).ToVec3()) != fmt.Sprint(want.ToDType(tensor.F32).ToVec3()) {
			t.Errorf("%d bytes: %v", n, x.Dims())
		}
	}
	if _, err := formats.ReadPhoto(filepath.Join(t.TempDir(), "none.jpg"), tensor.CPU()); err == nil {
		t.Error("no error")
	}
}

// FuzzPhoto: whatever EXIF data are, the picture is read.
func FuzzPhoto(f *testing.F) {
	var jpg, pic bytes.Buffer
	if jpeg.Encode(&jpg, quarters(), nil) != nil || png.Encode(&pic, quarters()) != nil {
		f.Fatal("no picture")
	}
	f.Add(exifOf(binary.LittleEndian, 6))
	f.Add(exifOf(binary.BigEndian, 8))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 60000 {
			return
		}
		for _, file := range [][]byte{jpg.Bytes(), pic.Bytes()} {
			x, err := formats.DecodePhoto(withEXIF(file, data), tensor.CPU())
			if err != nil || x.ElemCount() != 512 {
				t.Error(err)
			}
		}
	})
}
