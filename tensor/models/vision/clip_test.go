package vision_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/vision"
)

// TestPairs: tokens and pixels are those of transformers' processors, vectors and logits those of CLIP and SigLIP
// there.
func TestPairs(t *testing.T) {
	thorough.Slow(t)
	texts := []string{"a photo of a cat", "A photo of the dog.", "cat", "", "the photo of a cat, of a dog, and of all that is in this world"}
	for _, dev := range devices(t) {
		for _, name := range []string{"clip", "clipold", "siglip"} {
			t.Run(dev.Location()+"/"+name, func(t *testing.T) {
				g := golden(t, "testdata/"+name+"/golden.safetensors")
				m, err := vision.OpenCLIP("testdata/"+name, dev)
				if err != nil {
					t.Fatal(err)
				}
				images := pictures(t, dev)
				for i, image := range images {
					near(t, "pixels", m.Processor.Pixels(image), g["pixels"].Get(i), 0)
				}
				for i, want := range g["ids"].ToVec2() {
					ids := m.Tokenizer.Shorten(m.Tokenizer.Encode(texts[i]), m.Text.Context)
					for k, id := range ids {
						if float64(id) != want[k] {
							t.Fatalf("tokens of %q are %v, want %v", texts[i], ids, want)
						}
					}
				}
				rows, columns := m.Images(images...), m.Texts(texts...)
				near(t, "images", rows, g["images"], 5e-5)
				near(t, "texts", columns, g["texts"], 5e-5)
				near(t, "one text", m.Texts(texts[1]), g["texts"].Narrow(0, 1, 1), 5e-5)
				logits := m.Logits(rows, columns)
				near(t, "logits", logits, g["logits"], 5e-5)
				classes := m.Classify(images[0], texts...)
				if len(classes) != len(texts) || !slices.IsSortedFunc(classes, func(a, b vision.Class) int {
					return int(math.Copysign(1, b.Score-a.Score))
				}) {
					t.Error(classes)
				}
				p := logits.Get(0).Softmax(-1)
				if name == "siglip" {
					p = logits.Get(0).Sigmoid()
				}
				for _, c := range classes {
					if want := p.ToVec1()[slices.Index(texts, c.Label)]; math.Abs(c.Score-want) > 1e-5 {
						t.Errorf("%q has %v, want %v", c.Label, c.Score, want)
					}
				}
			})
		}
	}
}

func TestPairMistakes(t *testing.T) {
	m, err := vision.OpenCLIP("testdata/clip", tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	mistakes(t, map[string]func(){"at least one text": func() { m.Texts() }, "at least one image": func() { m.Images() }})
}
