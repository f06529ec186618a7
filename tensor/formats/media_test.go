package formats_test

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
)

func TestImageRoundTrip(t *testing.T) {
	folder, dev := t.TempDir(), tensor.CPU()
	for _, shape := range [][]int{{1, 5, 7}, {3, 5, 7}, {4, 5, 7}, {5, 7}} {
		n := 1
		for _, d := range shape {
			n *= d
		}
		x := dev.FromSlice(upTo(n), shape...).ToDType(tensor.U8)
		path := filepath.Join(folder, "x.png")
		if err := formats.WriteImage(path, x); err != nil {
			t.Fatal(err)
		}
		got, err := formats.ReadImage(path, dev)
		if err != nil {
			t.Fatal(err)
		}
		if len(shape) == 2 {
			shape = []int{1, 5, 7}
		}
		same(t, got, tensor.U8, shape, upTo(n))
	}
	smooth := dev.Linspace(tensor.F32, 0, 1, 64*64).Reshape(1, 64, 64).Expand(3, 64, 64)
	path := filepath.Join(folder, "x.jpg")
	if err := formats.WriteImage(path, smooth); err != nil {
		t.Fatal(err)
	}
	got, err := formats.ReadImage(path, dev)
	if err != nil || !slices.Equal(got.Dims(), []int{3, 64, 64}) {
		t.Fatal(got, err)
	}
	if off := got.ToDType(tensor.F32).Mul(1.0 / 255).Sub(smooth).Abs().Max().ToScalar(); off > 0.03 {
		t.Errorf("a picture came back off by %v", off)
	}
	for what, bad := range map[string]*tensor.Tensor{"rank": dev.Ones(tensor.F32, 2),
		"channels": dev.Ones(tensor.F32, 2, 3, 3), "type": dev.Ones(tensor.I64, 3, 3)} {
		if err := formats.WriteImage(filepath.Join(folder, "bad.png"), bad); err == nil {
			t.Errorf("a picture of a wrong %s was written", what)
		}
	}
	if err := formats.WriteImage(filepath.Join(folder, "x.tga"), smooth); err == nil ||
		!strings.Contains(err.Error(), ".png") {
		t.Errorf("an unknown ending: %v", err)
	}
}

// TestDeepImages: pictures of 16 bits keep them.
func TestDeepImages(t *testing.T) {
	folder, dev := t.TempDir(), tensor.CPU()
	for _, shape := range [][]int{{1, 5, 7}, {3, 5, 7}, {4, 5, 7}} {
		n := shape[0] * 35
		want := make([]float64, n)
		for i := range want {
			want[i] = float64(i * 1873 % 65536)
		}
		x := dev.FromSlice(want, shape...).ToDType(tensor.I32)
		path := filepath.Join(folder, "x.png")
		if err := formats.WriteImage(path, x); err != nil {
			t.Fatal(err)
		}
		got, err := formats.ReadImage(path, dev)
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, tensor.I32, shape, want)
	}
	for _, ending := range []string{"png", "tiff"} { // as Pillow wrote them
		got, err := formats.ReadImage("testdata/grey16."+ending, dev)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float64, 35)
		for i := range want {
			want[i] = float64(i * 1873 % 65536)
		}
		same(t, got, tensor.I32, []int{1, 5, 7}, want)
	}
	deep := dev.Full(tensor.I32, 65535, 3, 4, 4)
	path := filepath.Join(folder, "x.jpg")
	if err := formats.WriteImage(path, deep); err == nil ||
		!strings.Contains(err.Error(), "x.ToDType(tensor.F32).Div(65535)") {
		t.Errorf("a JPEG of 16 bits: %v", err)
	}
	if err := formats.WriteImage(path, deep.ToDType(tensor.F32).Div(65535)); err != nil { // what the error proposes
		t.Error(err)
	}
	if err := formats.WriteImage(filepath.Join(folder, "x.png"), deep.Add(1)); err == nil ||
		!strings.Contains(err.Error(), "65536") {
		t.Errorf("more than 16 bits: %v", err)
	}
}

// TestImagesOfOthers: pictures that Pillow wrote.
func TestImagesOfOthers(t *testing.T) {
	want := tensor.FromSlice(upTo(5*7*3), 5, 7, 3).Permute(2, 0, 1).Float64s()
	for _, ending := range []string{"webp", "bmp", "tiff"} {
		got, err := formats.ReadImage("testdata/picture."+ending, tensor.CPU())
		if err != nil {
			t.Fatal(err)
		}
		same(t, got, tensor.U8, []int{3, 5, 7}, want)
	}
}

// grown is a PNG whose head claims another size.
func grown(t *testing.T) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	copy(data[16:], []byte{0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff}) // the width and the height; the checksum is wrong too
	return data
}

func TestImageOfTooManyPixels(t *testing.T) {
	if _, err := formats.DecodeImage(grown(t), tensor.CPU()); err == nil {
		t.Error("a picture of 4 billion pixels in 80 bytes was read")
	}
	var b bytes.Buffer
	if err := gif.Encode(&b, image.NewPaletted(image.Rect(0, 0, 3, 2), color.Palette{color.Black, color.White}),
		nil); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	copy(data[6:], []byte{0xff, 0xff, 0xff, 0xff})
	if _, err := formats.DecodeImage(data, tensor.CPU()); err == nil || !strings.Contains(err.Error(), "pixels") {
		t.Errorf("a picture of 4 billion pixels: %v", err)
	}
}

func TestWAVRoundTrip(t *testing.T) {
	dev, path := tensor.CPU(), filepath.Join(t.TempDir(), "x.wav")
	x := dev.FromSlice([]float64{0, 0.5, -0.5, 1, -1, 0.25}, 2, 3).ToDType(tensor.F32)
	if err := formats.WriteWAV(path, x, 8000); err != nil {
		t.Fatal(err)
	}
	got, rate, err := formats.ReadWAV(path, dev)
	if err != nil || rate != 8000 {
		t.Fatal(rate, err)
	}
	same(t, got, tensor.F32, []int{2, 3}, x.Float64s())
	if err := formats.WriteWAV(path, dev.FromSlice([]int16{0, 16384, -32768}, 3), 44100); err != nil {
		t.Fatal(err)
	}
	if got, rate, err = formats.ReadWAV(path, dev); err != nil || rate != 44100 {
		t.Fatal(rate, err)
	}
	same(t, got, tensor.F32, []int{1, 3}, []float64{0, 0.5, -1})
	if err := formats.WriteWAV(path, x, 0); err == nil {
		t.Error("a sound of 0 samples a second was written")
	}
}

// wav is a file of one channel.
func wav(code, bits uint16, samples ...byte) []byte {
	frame := bits / 8
	head := []byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00")
	head = append(head, byte(code), byte(code>>8), 1, 0, 0x40, 0x1f, 0, 0, 0, 0, 0, 0, byte(frame), 0, byte(bits), 0)
	head = append(head, "LIST\x03\x00\x00\x00abc\x00data"...)
	return append(append(head, byte(len(samples)), 0, 0, 0), samples...)
}

func TestWAVSamples(t *testing.T) {
	for _, c := range []struct {
		code, bits uint16
		samples    []byte
		want       []float64
	}{
		{1, 8, []byte{0, 128, 192}, []float64{-1, 0, 0.5}},
		{1, 16, []byte{0, 0x80, 0, 0x40}, []float64{-1, 0.5}},
		{1, 24, []byte{0, 0, 0x80, 0, 0, 0x40}, []float64{-1, 0.5}},
		{1, 32, []byte{0, 0, 0, 0x80, 0, 0, 0, 0x40}, []float64{-1, 0.5}},
		{3, 32, []byte{0, 0, 0x80, 0x3f}, []float64{1}},
		{3, 64, []byte{0, 0, 0, 0, 0, 0, 0xe0, 0x3f, 1}, []float64{0.5}}, // and a sample that is not whole
	} {
		got, rate, err := formats.DecodeWAV(wav(c.code, c.bits, c.samples...), tensor.CPU())
		if err != nil || rate != 8000 {
			t.Fatal(rate, err)
		}
		same(t, got, tensor.F32, []int{1, len(c.want)}, c.want)
	}
	for _, data := range [][]byte{nil, []byte("RIFF"), wav(2, 4, 1), wav(1, 12, 1, 2), wav(1, 8)[:30],
		[]byte("RIFF\x00\x00\x00\x00WAVEdata\x04\x00\x00\x00abcd")} {
		if _, _, err := formats.DecodeWAV(data, tensor.CPU()); err == nil {
			t.Errorf("%q was read", data)
		}
	}
}

func TestCSVRoundTrip(t *testing.T) {
	dev, path := tensor.CPU(), filepath.Join(t.TempDir(), "x.csv")
	x := dev.FromSlice([]float64{1, 0.1, -3e40, math.Inf(1), math.NaN(), 6}, 3, 2)
	for _, header := range [][]string{nil, {"a", "b, c"}} {
		if err := formats.WriteCSV(path, header, x); err != nil {
			t.Fatal(err)
		}
		names, got, err := formats.ReadCSV(path, dev)
		if err != nil || !slices.Equal(names, header) || !slices.Equal(got.Dims(), []int{3, 2}) ||
			got.DType() != tensor.F64 {
			t.Fatal(names, got, err)
		}
		for i, v := range got.Float64s() {
			if w := x.Float64s()[i]; v != w && !(v != v && w != w) {
				t.Errorf("element %d is %v, want %v", i, v, w)
			}
		}
	}
	if err := formats.WriteCSV(path, []string{"one"}, x); err == nil {
		t.Error("a table with too few names was written")
	}
}

func TestReadCSV(t *testing.T) {
	for _, c := range []struct {
		text   string
		header []string
		shape  []int
		want   []float64
	}{
		{"1,2\n3,4\n", nil, []int{2, 2}, []float64{1, 2, 3, 4}},
		{"\ufeffx, y\n\n1, 2", []string{"x", "y"}, []int{1, 2}, []float64{1, 2}},
		{"x\n", []string{"x"}, []int{0, 1}, []float64{}},
		{"", nil, []int{0, 0}, []float64{}},
		{"-2,1e3\n", nil, []int{1, 2}, []float64{-2, 1000}},
	} {
		names, got, err := formats.DecodeCSV(strings.NewReader(c.text), ',', tensor.CPU())
		if err != nil || !slices.Equal(names, c.header) {
			t.Fatalf("%q: %v, %v", c.text, names, err)
		}
		same(t, got, tensor.F64, c.shape, c.want)
	}
	for text, want := range map[string]string{"a,b\n1,x\n": "line 2, field 2", "1,2\n3\n": "at byte",
		"\"a\n": "at byte"} {
		if _, _, err := formats.DecodeCSV(strings.NewReader(text), ',', tensor.CPU()); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error with %q", text, err, want)
		}
	}
	path := filepath.Join(t.TempDir(), "x.tsv")
	if err := os.WriteFile(path, []byte("a\tb\n1\t2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if names, got, err := formats.ReadCSV(path, tensor.CPU()); err != nil || len(names) != 2 || got.Dim(1) != 2 {
		t.Error(names, got, err)
	}
}
