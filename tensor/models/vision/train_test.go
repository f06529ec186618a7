package vision_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/vision"
	"github.com/gorocm/gorocm/tensor/nn"
)

// kinds are models of each family, for images of 16 × 16.
var kinds = map[string]vision.Config{
	"vit":      {ModelType: "vit", Dim: 16, Hidden: 24, Layers: 2, Heads: 2, Image: [2]int{16, 16}, Patch: 4},
	"dinov2":   {ModelType: "dinov2", Dim: 16, Hidden: 32, Layers: 1, Heads: 2, Image: [2]int{16, 16}, Patch: 4},
	"dinov2r":  {ModelType: "dinov2_with_registers", Dim: 16, Hidden: 32, Layers: 1, Heads: 2, Image: [2]int{16, 16}, Patch: 4, Registers: 2},
	"resnet":   {ModelType: "resnet", Stem: 8, Dims: []int{8, 12}, Depths: []int{1, 1}, Basic: true},
	"resnet50": {ModelType: "resnet", Stem: 8, Dims: []int{16, 16}, Depths: []int{1, 1}},
	"convnext": {ModelType: "convnext", Dims: []int{8, 12}, Depths: []int{1, 1}, Patch: 2},
}

// halvesOf are images whose upper or lower half is bright, with noise, and 1 for each of the lower.
func halvesOf(dev *tensor.Device) (images []*tensor.Tensor, lower *tensor.Tensor) {
	var ids []uint32
	for i := range 16 {
		noise := dev.Rand(tensor.F32, 3, 16, 16).Mul(90)
		mark := dev.Zeros(tensor.F32, 3, 16, 16)
		mark.Narrow(1, 8*(i%2), 8).CopySet(dev.Full(tensor.F32, 140, 3, 8, 16))
		images = append(images, noise.Add(mark).ToDType(tensor.U8))
		ids = append(ids, uint32(i%2))
	}
	return images, dev.FromSlice(ids, len(ids))
}

// TestTrain: models of each family learn, are written, and are opened again with the same scores; with a new classifier
// they begin as they were.
func TestTrain(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		n := 0
		for name, c := range kinds {
			if n++; dev.Emulated() && n > 1 && !thorough.On() { // another kind in another run
				break
			}
			t.Run(dev.Location()+"/"+name, func(t *testing.T) { trainSmall(t, dev, c) })
		}
	}
}

func trainSmall(t *testing.T, dev *tensor.Device, c vision.Config) {
	dev.SetSeed(2)
	p := nn.NewParams(tensor.F32, dev)
	m, err := vision.New(c, []string{"upper", "lower"}, p)
	if err != nil {
		t.Fatal(err)
	}
	images, lower := halvesOf(dev)
	pixels := make([]*tensor.Tensor, len(images))
	for i, image := range images {
		pixels[i] = m.Processor.Pixels(image)
	}
	x := tensor.Stack(pixels, 0)
	o := nn.DefaultAdamW()
	o.LR = 0.01
	opt := nn.NewAdamW(p.Vars(), o)
	loss := func() *tensor.Tensor { return nn.CrossEntropy(m.ForwardT(x, true), lower) }
	first := loss().ToScalar()
	steps, part := 30, 0.8
	if dev.Emulated() {
		steps, part = 8, 0.98
	}
	for range steps {
		nn.TrainStep(opt, loss)
	}
	if last := loss().ToScalar(); !(last < part*first) {
		t.Errorf("the loss went from %v to %v", first, last)
	}
	folder := filepath.Join(t.TempDir(), "model")
	if err := m.Save(folder); err != nil {
		t.Fatal(err)
	}
	opened, err := vision.Open(folder, dev)
	if err != nil {
		t.Fatal(err)
	}
	want := m.Logits(images...)
	same(t, "opened", opened.Logits(images...), want, 1e-4)
	same(t, "Forward", m.Forward(x), want, 1e-5)
	if !slices.Equal(opened.Labels, m.Labels) || opened.String() == "" {
		t.Errorf("labels %q", opened.Labels)
	}
	q := nn.NewParams(tensor.F32, dev)
	again, err := vision.Adapt(folder, nil, q)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "adapted", again.Logits(images...), want, 1e-5)
	head := nn.NewParams(tensor.F32, dev)
	other, err := vision.Adapt(folder, []string{"a", "b", "c"}, head)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "features", other.Features(images...), m.Features(images...), 1e-5)
	if n := len(head.At("classifier").Vars()); n != 2 || other.Logits(images[0]).Dim(1) != 3 {
		t.Errorf("the new classifier has %d parameters", n)
	}
	if err := other.Save(folder); err != nil {
		t.Fatal(err)
	}
	if opened, err := vision.Open(folder, dev); err != nil || len(opened.Classify(images[0])) != 3 {
		t.Error(err)
	}
}

func same(t *testing.T, what string, got, want *tensor.Tensor, within float64) {
	t.Helper()
	if d := got.Sub(want).Abs().Max(0).Max(0).ToScalar(); !(d < within) {
		t.Errorf("%s: differs by %g", what, d)
	}
}

// TestTrainMistakes: what is not possible is an error that says so.
func TestTrainMistakes(t *testing.T) {
	p := nn.NewParams(tensor.F32, tensor.CPU())
	read := nn.ParamsOf(nil, tensor.F32, tensor.CPU())
	for want, f := range map[string]func() error{
		`ModelType "lenet" is not supported`: func() error { _, err := vision.New(vision.Config{ModelType: "lenet"}, nil, p); return err },
		"do not divide a width":              func() error { c := kinds["vit"]; c.Heads = 3; _, err := vision.New(c, nil, p); return err },
		"those of nn.NewParams":              func() error { _, err := vision.New(kinds["vit"], nil, read); return err },
		"only models of New and Adapt":       func() error { return (&vision.Model{}).Save("x") },
		"config.json":                        func() error { _, err := vision.Adapt(t.TempDir(), nil, p); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestAdaptGolden: models of transformers that are opened to be trained give its logits.
func TestAdaptGolden(t *testing.T) {
	thorough.Slow(t)
	for _, name := range []string{"resnet", "convnext", "vit", "dinov2"} {
		folder := filepath.Join("testdata", name)
		m, err := vision.Adapt(folder, nil, nn.NewParams(tensor.F32, tensor.CPU()))
		if err != nil {
			t.Fatal(err)
		}
		opened, err := vision.Open(folder, tensor.CPU())
		if err != nil {
			t.Fatal(err)
		}
		image := tensor.CPU().Rand(tensor.F32, 3, 40, 40).Mul(255).ToDType(tensor.U8)
		same(t, name, m.Features(image), opened.Features(image), 1e-5)
		out := filepath.Join(t.TempDir(), name)
		if err := m.Save(out); err != nil {
			t.Fatal(err)
		}
		again, err := vision.Open(out, tensor.CPU())
		if err != nil {
			t.Fatal(err)
		}
		same(t, name+" saved", again.Features(image), opened.Features(image), 1e-5)
	}
}
