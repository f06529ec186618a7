package formats_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
)

// refusedPictures are valid files that are not read, and what their errors say.
var refusedPictures = map[string]string{"big.tif": "BigTIFF", "planar.tif": "PlanarConfiguration 2"}

// TestPicturesOfPillow: channels, sizes and pixels are those that Pillow 13 reads (testdata/pictures.py), colours of
// lossy WebP files to the bit.
func TestPicturesOfPillow(t *testing.T) {
	raw, err := os.ReadFile("testdata/pictures/pixels.json")
	if err != nil {
		t.Fatal(err)
	}
	var pictures map[string]struct {
		Shape  []int
		Pixels string
	}
	if err := json.Unmarshal(raw, &pictures); err != nil || len(pictures) < 30 {
		t.Fatal(len(pictures), err)
	}
	for name, p := range pictures {
		got, err := formats.ReadImage("testdata/pictures/"+name, tensor.CPU())
		if says := refusedPictures[name]; says != "" {
			if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "invalid") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want, err := base64.StdEncoding.DecodeString(p.Pixels)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Dims(), p.Shape) || got.DType() != tensor.U8 {
			t.Errorf("%s: shape %v, want %v", name, got.Dims(), p.Shape)
			continue
		}
		pixels, n := got.ToBytes(), p.Shape[1]*p.Shape[2]
		for i, v := range pixels {
			clear := p.Shape[0] == 4 && i < 3*n && pixels[3*n+i%n] == 0
			if v != want[i] && !clear { // a colour that is not seen
				t.Errorf("%s: pixel %d of channel %d is %d, want %d", name, i%n, i/n, v, want[i])
				break
			}
		}
	}
}

// TestBrokenAnimations: a frame that lies, or is cut off, is an error.
func TestBrokenAnimations(t *testing.T) {
	whole, err := os.ReadFile("testdata/pictures/animated_alpha.webp")
	if err != nil {
		t.Fatal(err)
	}
	for i := 12; i < len(whole); i++ {
		if _, err := formats.DecodeImage(whole[:i], tensor.CPU()); err == nil && i < 200 {
			t.Errorf("the first %d bytes were read", i)
		}
		for _, v := range []byte{0, 0xff} {
			bad := slices.Clone(whole)
			bad[i] = v
			if _, err := formats.DecodeImage(bad, tensor.CPU()); err != nil && errors.Unwrap(err) == nil &&
				!strings.Contains(err.Error(), "possible") && !strings.Contains(err.Error(), "limits.Image") {
				t.Errorf("byte %d: %v", i, err)
			}
		}
	}
}
