package formats_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
)

// TestPhotosOfPillow: pixels of JPEG files of every subsampling of colours are those that Pillow reads
// (testdata/photos.py), but for the rounding of the transforms of blocks: each sample may be off by 1, which colours
// multiply by up to 1.772.
func TestPhotosOfPillow(t *testing.T) {
	raw, err := os.ReadFile("testdata/photos.json")
	if err != nil {
		t.Fatal(err)
	}
	var photos []struct {
		Name   string
		File   []byte
		Shape  []int
		Pixels []byte
	}
	if err := json.Unmarshal(raw, &photos); err != nil || len(photos) < 90 {
		t.Fatal(len(photos), err)
	}
	for _, p := range photos {
		got, err := formats.DecodeImage(p.File, tensor.CPU())
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		if !slices.Equal(got.Dims(), p.Shape) {
			t.Errorf("%s: shape %v, want %v", p.Name, got.Dims(), p.Shape)
			continue
		}
		sum, most := 0, 0
		for i, v := range got.ToBytes() {
			off := max(int(v)-int(p.Pixels[i]), int(p.Pixels[i])-int(v))
			sum, most = sum+off, max(most, off)
		}
		if mean := float64(sum) / float64(len(p.Pixels)); most > 3 || mean > 0.35 {
			t.Errorf("%s: off by up to %d, on average %.2f", p.Name, most, mean)
		}
	}
}
