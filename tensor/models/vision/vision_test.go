package vision_test

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models/vision"
)

// devices are the host, a GPU, the emulated one where there is none, and an NVIDIA GPU where there is one.
func devices(t testing.TB) []*tensor.Device {
	t.Helper()
	gpu, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	list := []*tensor.Device{tensor.CPU(), gpu}
	if nvidia, err := tensor.NewDevice("cuda"); err == nil {
		list = append(list, nvidia)
	}
	return list
}

// pictures are those of testdata/golden.py: wide, high with opacity, and small in grey.
func pictures(t testing.TB, dev *tensor.Device) (all []*tensor.Tensor) {
	t.Helper()
	for _, name := range []string{"wide", "high", "small"} {
		all = append(all, picture(t, name, dev))
	}
	return all
}

func picture(t testing.TB, name string, dev *tensor.Device) *tensor.Tensor {
	t.Helper()
	image, err := formats.ReadImage("testdata/"+name+".png", dev)
	if err != nil {
		t.Fatal(err)
	}
	return image
}

// golden is what transformers computed, by name.
func golden(t testing.TB, path string) map[string]*tensor.Tensor {
	t.Helper()
	list, err := formats.ReadSafetensors(path, tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*tensor.Tensor{}
	for _, named := range list {
		all[named.Name] = named.Tensor
	}
	return all
}

// near compares the elements of two tensors of one shape.
func near(t *testing.T, what string, got, want *tensor.Tensor, within float64) {
	t.Helper()
	if !slices.Equal(got.Dims(), want.Dims()) {
		t.Fatalf("%s: shape %v, want %v", what, got.Dims(), want.Dims())
	}
	a, b := got.FlattenAll().ToVec1(), want.FlattenAll().ToVec1()
	for i := range a {
		if !(math.Abs(a[i]-b[i]) <= within) {
			t.Fatalf("%s: number %d is %v, want %v", what, i, a[i], b[i])
		}
	}
}

// TestResize: bytes are those of Pillow's resize, for all filters, smaller and larger.
func TestResize(t *testing.T) {
	n := 0
	for name, want := range golden(t, "testdata/resized.safetensors") {
		var filter, h, w int
		kind, rest, _ := strings.Cut(name, "_")
		if _, err := fmt.Sscanf(rest, "%d_%d_%d", &filter, &h, &w); err != nil {
			t.Fatal(err)
		}
		image := picture(t, kind, tensor.CPU())
		if kind == "high" { // Pillow's weighs colours by opacity
			image, want = image.Narrow(0, 3, 1), want.Narrow(0, 3, 1)
		}
		near(t, name, vision.Resize(image, h, w, vision.Filter(filter)), want, 0)
		n++
	}
	if n < 60 {
		t.Error(n)
	}
}

// TestModels: pixels are those of transformers' image processors bit for bit, rows, vectors and logits those of its
// models.
func TestModels(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		folders, err := filepath.Glob("testdata/*/golden.safetensors")
		if err != nil || len(folders) < 9 {
			t.Fatal(folders, err)
		}
		for _, file := range folders {
			folder := filepath.Dir(file)
			name := filepath.Base(folder)
			t.Run(dev.Location()+"/"+name, func(t *testing.T) {
				if !vision.IsModel(folder) {
					t.Skip("is a pair")
				}
				g := golden(t, file)
				m, err := vision.Open(folder, dev)
				if err != nil {
					t.Fatal(err)
				}
				images := pictures(t, dev)
				thin := func(x *tensor.Tensor, _ int) *tensor.Tensor { return x }
				if name == "convnext" { // whose images are large
					if dev.Emulated() {
						t.Skip("takes long")
					}
					images = images[:1]
					thin = func(x *tensor.Tensor, step int) *tensor.Tensor {
						return x.Unfold(2, 1, step).Unfold(3, 1, step).Squeeze(5).Squeeze(4)
					}
				}
				for i, image := range images {
					near(t, "pixels", thin(m.Processor.Pixels(image).Unsqueeze(0), 16), g["pixels"].Narrow(0, i, 1), 0)
				}
				near(t, "hidden", thin(m.Hidden(images...), 8), g["hidden"], 5e-5)
				near(t, "features", m.Features(images...), g["features"], 5e-5)
				if g["logits"] == nil {
					if m.Labels != nil {
						t.Error(m.Labels)
					}
					return
				}
				near(t, "logits", m.Logits(images...), g["logits"], 5e-5)
				classes := m.Classify(images[0])
				p := g["logits"].Get(0).Softmax(-1).ToVec1()
				for i, label := range m.Labels {
					at := slices.IndexFunc(classes, func(c vision.Class) bool { return c.Label == label })
					if at < 0 || math.Abs(classes[at].Score-p[i]) > 1e-5 || at > 0 && classes[at].Score > classes[at-1].Score {
						t.Errorf("%v, want %v for %v", classes, p, m.Labels)
					}
				}
				if top := m.ClassifyTop(images[0], 1); len(top) != 1 || top[0] != classes[0] {
					t.Error(top, classes)
				}
			})
		}
	}
}

// TestHalf: models compute in types of 16 bits too, near what they compute in F32.
func TestHalf(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		for _, dtype := range []tensor.DType{tensor.F16, tensor.BF16} {
			close := func(name string, got, want *tensor.Tensor) {
				t.Helper()
				if got.DType() != tensor.F32 {
					t.Errorf("%s in %v: results of %v", name, dtype, got.DType())
				}
				if d := got.Sub(want).Norm().ToScalar() / want.Norm().ToScalar(); !(d > 0 && d < 0.05) {
					t.Errorf("%s in %v on %v: vectors differ by %v", name, dtype, dev, d)
				}
			}
			image := picture(t, "wide", dev)
			for _, name := range []string{"vit", "dinov2", "resnet50", "convnextbase"} {
				full, err := vision.Open("testdata/"+name, dev)
				if err != nil {
					t.Fatal(err)
				}
				half, err := vision.OpenAs("testdata/"+name, dtype, dev)
				if err != nil {
					t.Fatal(err)
				}
				close(name, half.Features(image), full.Features(image))
			}
			for _, name := range []string{"clip", "siglip"} {
				full, err := vision.OpenCLIP("testdata/"+name, dev)
				if err != nil {
					t.Fatal(err)
				}
				half, err := vision.OpenCLIPAs("testdata/"+name, dtype, dev)
				if err != nil {
					t.Fatal(err)
				}
				close(name, half.Images(image), full.Images(image))
				close(name, half.Texts("a cat"), full.Texts("a cat"))
			}
		}
	}
	if _, err := vision.OpenAs("testdata/vit", tensor.I32, tensor.CPU()); err == nil || !strings.Contains(err.Error(), "floats, not in i32") {
		t.Error(err)
	}
}
