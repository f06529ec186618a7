package nn_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/nn"
)

// goldenTensor is a tensor in testdata/golden.json, which PyTorch wrote: see golden.py.
type goldenTensor struct {
	Shape []int
	Data  []float64
}

func (g goldenTensor) on(dev *tensor.Device) *tensor.Tensor {
	return tensor.FromSlice(g.Data, g.Shape...).ToDType(tensor.F32).ToDevice(dev)
}

type goldenCase struct {
	Name    string
	Tensors map[string]goldenTensor
	Output  goldenTensor
}

// devices are the host and a GPU, the emulated one where there is none.
func devices(t *testing.T) []*tensor.Device {
	t.Helper()
	gpu, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	return []*tensor.Device{tensor.CPU(), gpu}
}

func TestGolden(t *testing.T) {
	raw, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []goldenCase
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	for _, dev := range devices(t) {
		for _, c := range cases {
			t.Run(dev.Location()+"/"+c.Name, func(t *testing.T) {
				got := compute(t, c, dev)
				if !slices.Equal(got.Dims(), c.Output.Shape) {
					t.Fatalf("shape %v, want %v", got.Dims(), c.Output.Shape)
				}
				for i, v := range got.Float64s() {
					if want := c.Output.Data[i]; !(math.Abs(v-want) <= 2e-6*max(1, math.Abs(want))) {
						t.Fatalf("element %d is %v, want %v", i, v, want)
					}
				}
			})
		}
	}
}

// compute does what a case names.
func compute(t *testing.T, c goldenCase, dev *tensor.Device) *tensor.Tensor {
	in := func(name string) *tensor.Tensor { return c.Tensors[name].on(dev) }
	var list []formats.Named
	for name := range c.Tensors {
		if strings.ContainsAny(name, "_") || name == "weight" || name == "bias" {
			list = append(list, formats.Named{Name: name, Tensor: in(name)})
		}
	}
	p := nn.ParamsOf(list, tensor.F32, dev)
	var y *tensor.Tensor
	err := p.Build(func() {
		y = layer(t, c.Name, in, p)
	})
	if err != nil {
		t.Fatal(err)
	}
	return y
}

func layer(t *testing.T, name string, in func(string) *tensor.Tensor, p *nn.Params) *tensor.Tensor {
	if kind, ok := strings.CutPrefix(name, "attention"); ok {
		return nn.Attention(in("q"), in("k"), in("v"), attend(kind, in))
	}
	x := in("x")
	switch name {
	case "Linear":
		return nn.NewLinear(5, 3, p).Forward(x)
	case "PRelu":
		return nn.NewPRelu(3, p).Forward(x)
	case "LayerNorm":
		return nn.NewLayerNorm(6, 1e-5, p).Forward(x)
	case "GroupNorm":
		return nn.NewGroupNorm(2, 4, 1e-5, p).Forward(x)
	case "BatchNorm":
		return nn.BatchNormOf(3, p).Forward(x)
	case "Conv1d":
		return nn.NewConv1d(4, 6, 3, nn.ConvConfig{Padding: 2, Stride: 2, Dilation: 2, Groups: 2}, p).Forward(x)
	case "Conv2d":
		return nn.NewConv2d(2, 3, 3, nn.ConvConfig{Padding: 1, Stride: 2}, p).Forward(x)
	case "ConvTranspose1d":
		return nn.NewConvTranspose1d(4, 6, 3, nn.ConvConfig{Padding: 1, OutputPadding: 1, Stride: 2, Groups: 2},
			p).Forward(x)
	case "ConvTranspose2d":
		return nn.NewConvTranspose2d(2, 3, 3, nn.ConvConfig{Padding: 1, OutputPadding: 1, Stride: 2}, p).Forward(x)
	case "Embedding":
		return nn.NewEmbedding(7, 3, p).Forward(x.ToDType(tensor.U32))
	case "LSTM":
		l := nn.NewLSTM(3, 4, "l0", p)
		var outputs []*tensor.Tensor
		for _, s := range l.Seq(x, l.ZeroState(2)) {
			outputs = append(outputs, s.H)
		}
		return tensor.Stack(outputs, 1)
	case "GRU":
		g := nn.NewGRU(3, 4, "l0", p)
		return tensor.Stack(g.Seq(x, g.ZeroState(2)), 1)
	case "PixelShuffle":
		return nn.PixelShuffle(x, 2)
	case "PixelUnshuffle":
		return nn.PixelUnshuffle(x, 2)
	case "ReplicationPad2d":
		return nn.ReplicationPad2d(x, 2)
	}
	f, err := nn.ParseActivation(name)
	if err != nil {
		t.Fatal(err)
	}
	return f(x)
}

func attend(kind string, in func(string) *tensor.Tensor) nn.Attend {
	switch strings.TrimSpace(kind) {
	case "causal", "one query", "heads":
		return nn.Attend{Causal: true}
	case "window":
		return nn.Attend{Causal: true, Window: 2}
	case "softcap":
		return nn.Attend{Causal: true, Softcap: 0.5}
	case "scale":
		return nn.Attend{Scale: 0.3}
	case "mask":
		return nn.Attend{Mask: in("mask").ToDType(tensor.U8)}
	case "bias":
		return nn.Attend{Mask: in("mask")}
	}
	return nn.Attend{}
}
