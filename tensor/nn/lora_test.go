package nn_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/quant"
)

// peftRun is lora.json: a model, and what PEFT has made of adapters beside it.
type peftRun struct {
	Weights, Start, Merged map[string]plainTensor
	X, Y, Output           plainTensor
	Losses                 []float64
}

func readPEFT(t *testing.T) (r peftRun) {
	t.Helper()
	text, err := os.ReadFile("testdata/lora.json")
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *peftRun) base(dev *tensor.Device) *nn.Params {
	var list []formats.Named
	for name, w := range r.Weights {
		list = append(list, formats.Named{Name: name, Tensor: w.on(dev, tensor.F32)})
	}
	return nn.ParamsOf(list, tensor.F32, dev)
}

func twoLayers(p *nn.Params) func(x *tensor.Tensor) *tensor.Tensor {
	first, last := nn.NewLinear(6, 5, p.At("first")), nn.NewLinear(5, 3, p.At("last"))
	return func(x *tensor.Tensor) *tensor.Tensor { return last.Forward(first.Forward(x).Tanh()) }
}

// TestLoRABesidePEFT trains adapters as PEFT does, saves what it saves, reads what it has saved, and merges.
func TestLoRABesidePEFT(t *testing.T) {
	r := readPEFT(t)
	for _, where := range []string{"cpu", "rocm"} {
		dev, err := tensor.NewDevice(where)
		if err != nil {
			t.Skip(err)
		}
		x, y := r.X.on(dev, tensor.F32), r.Y.on(dev, tensor.I64)
		config := nn.DefaultLoRA("first", "last")
		config.Rank, config.Alpha = 2, 6
		lora := nn.NewLoRA(config, tensor.F32, dev)
		net := twoLayers(r.base(dev).Adapt(lora))
		if d := far(net(x), bits(twoLayers(r.base(dev))(x))); d != 0 {
			t.Errorf("new adapters change the output by %v", d)
		}
		for _, p := range lora.Params().All() {
			p.Tensor.Set(r.Start[strings.Replace(p.Name, ".weight", ".default.weight", 1)].on(dev, tensor.F32))
		}
		opt := nn.NewAdamW(lora.Params().Vars(), adamConfig(0.05))
		trainer := nn.NewTrainer(opt, func(in ...*tensor.Tensor) *tensor.Tensor { return nn.CrossEntropy(net(in[0]), in[1]) })
		for i, want := range r.Losses {
			if got := trainer.Step(x, y).ToScalar(); math.Abs(got-want) > 1e-5 {
				t.Errorf("%v: loss %d is %v, PEFT's %v", dev, i, got, want)
			}
		}
		if d := far(net(x), r.Output.Data); d > 1e-5 {
			t.Errorf("%v: the output differs from PEFT's by %v", dev, d)
		}
		folder := t.TempDir()
		if err := lora.Save(folder); err != nil {
			t.Fatal(err)
		}
		for _, from := range []string{folder, "testdata/lora"} {
			opened, err := nn.OpenLoRA(from, tensor.F32, dev)
			if err != nil {
				t.Fatal(err)
			}
			again := twoLayers(r.base(dev).Adapt(opened))
			if err := opened.Check(); err != nil {
				t.Error(err)
			}
			if d := far(again(x), r.Output.Data); d > 1e-5 || !slices.Equal(opened.Layers(), []string{"first", "last"}) {
				t.Errorf("%v %s: the output differs by %v; layers %v", dev, from, d, opened.Layers())
			}
		}
		merged := lora.Merged(r.base(dev))
		if d := far(twoLayers(merged)(x), r.Output.Data); d > 1e-5 {
			t.Errorf("%v: merged, the output differs by %v", dev, d)
		}
		for name, want := range r.Merged {
			if d := far(merged.Get(name, want.Shape, nil), want.Data); d > 1e-5 {
				t.Errorf("%v: %s differs by %v from that of PEFT", dev, name, d)
			}
		}
	}
}

// TestQLoRA: weights under adapters stay packed, gradients are those of dequantised weights, and steps of a graph have
// the bits of others.
func TestQLoRA(t *testing.T) {
	for _, where := range []string{"cpu", "rocm"} {
		dev, err := tensor.NewDevice(where)
		if err != nil {
			t.Skip(err)
		}
		for _, format := range []quant.Type{quant.Q8_0, quant.Q4_0} {
			w := tensor.CPU().Arange(tensor.F32, 64*32).Affine(0.37, 1).Sin().Reshape(32, 64)
			packed := quant.Quantize(w, format).ToDevice(dev)
			x := tensor.CPU().Arange(tensor.F32, 5*64).Affine(0.11, 0).Cos().Reshape(5, 64).ToDevice(dev)
			make := func(p *nn.Params, pack *quant.Type) (*nn.LoRA, *nn.Linear) {
				config := nn.DefaultLoRA("*")
				config.Rank, config.Pack = 4, pack
				lora := nn.NewLoRA(config, tensor.F32, dev)
				l := nn.NewLinearNoBias(64, 32, p.Adapt(lora).At("only"))
				for i, v := range lora.Params().Vars() {
					v.Set(dev.Arange(tensor.F32, float64(v.ElemCount())).Add(float64(i)).Sin().Mul(0.1).Reshape(v.Dims()...))
				}
				return lora, l
			}
			dense := []formats.Named{{Name: "only.weight", Tensor: packed.Dequantize(dev)}}
			qlora, thin := make(nn.ParamsOf([]formats.Named{{Name: "only.weight", Tensor: w}}, tensor.F32, dev), &format)
			plain, thick := make(nn.ParamsOf(dense, tensor.F32, dev), nil)
			if thin.Packed == nil || thin.Weight != nil || thin.Packed.Type() != format || thick.Packed != nil {
				t.Fatalf("packed %v and %v", thin.Packed, thick.Packed)
			}
			in := tensor.NewVar(x)
			got, want := thin.Forward(in).Tanh().Sqr().Sum().Backward(), thick.Forward(in).Tanh().Sqr().Sum().Backward()
			tolerance := 0.05 // the host rounds activations to eight bits for products with packed weights
			check := func(name string, a, b *tensor.Tensor) {
				if d := a.Sub(b).Abs().Max().ToScalar() / b.Abs().Max().ToScalar(); !(d < tolerance) {
					t.Errorf("%v %v: the gradient of %s differs by %v", dev, format, name, d)
				}
			}
			check("the input", got.Get(in), want.Get(in))
			for i, v := range qlora.Params().Vars() {
				check(qlora.Params().All()[i].Name, got.Get(v), want.Get(plain.Params().Vars()[i]))
			}
			check("rows", thin.Rows(8, 16).Forward(x), thin.Forward(x).Narrow(1, 8, 16))
			merged := qlora.Merged(nn.ParamsOf(dense, tensor.F32, dev))
			check("merged", nn.NewLinearNoBias(64, 32, merged.At("only")).Forward(x), thick.Forward(x))
		}
	}
}

// TestLoRATargets: which layers get adapters.
func TestLoRATargets(t *testing.T) {
	build := func(p *nn.Params) {
		for _, name := range []string{"layers.0.q_proj", "layers.0.not_q_proj", "layers.1.mlp.up", "head"} {
			nn.NewLinear(2, 2, p.At(name))
		}
	}
	for _, test := range []struct{ target, want string }{
		{"q_proj", "layers.0.q_proj"},
		{"layers.*.up", "layers.1.mlp.up"},
		{"layers.?.*q_proj", "layers.0.q_proj layers.0.not_q_proj"},
		{"mlp.up", "layers.1.mlp.up"},
		{"all-linear", "layers.0.q_proj layers.0.not_q_proj layers.1.mlp.up head"},
		{"proj", ""},
	} {
		lora := nn.NewLoRA(nn.DefaultLoRA(test.target), tensor.F32, tensor.CPU())
		build(nn.NewParams(tensor.F32, tensor.CPU()).Adapt(lora))
		if got := strings.Join(lora.Layers(), " "); got != test.want || (lora.Check() == nil) != (test.want != "") {
			t.Errorf("%s: %s, want %s; %v", test.target, got, test.want, lora.Check())
		}
	}
}

// TestLoRAMistakes: settings that make no sense, and files that say more than adapters can.
func TestLoRAMistakes(t *testing.T) {
	for _, c := range []nn.LoRAConfig{{Rank: 0, Targets: []string{"a"}}, {Rank: 1}, {Rank: 1, Targets: []string{"["}},
		{Rank: 1, Targets: []string{"a"}, Dropout: 1}} {
		err := tensor.Catch(func() error { nn.NewLoRA(c, tensor.F32, tensor.CPU()); return nil })
		if !errors.Is(err, tensor.ErrShape) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	weights, err := os.ReadFile("testdata/lora/adapter_model.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	for config, want := range map[string]string{
		`{"peft_type":"LORA","r":2,"use_dora":true}`:                     "use_dora",
		`{"peft_type":"LORA","r":2,"rank_pattern":{"a":3}}`:              "rank_pattern",
		`{"peft_type":"IA3","r":2}`:                                      "IA3",
		`{"peft_type":"LORA","r":2,"bias":"all","target_modules":["a"]}`: "bias",
		`{"peft_type":"LORA","r":0,"target_modules":["a"]}`:              "r is 0",
		`{"peft_type":"LORA","r":2,"target_modules":3}`:                  "target_modules is 3",
		`{"peft_type":`: "unexpected end",
		`{"peft_type":"LORA","r":2,"target_modules":"all-linear"}`:         "",
		`{"peft_type":"LORA","r":2,"lora_alpha":6,"target_modules":["x"]}`: "",
	} {
		folder := t.TempDir()
		if err := errors.Join(os.WriteFile(filepath.Join(folder, "adapter_model.safetensors"), weights, 0o600),
			os.WriteFile(filepath.Join(folder, "adapter_config.json"), []byte(config), 0o600)); err != nil {
			t.Fatal(err)
		}
		l, err := nn.OpenLoRA(folder, tensor.F32, tensor.CPU())
		if want == "" && err == nil {
			nn.NewLinear(6, 5, nn.NewParams(tensor.F32, tensor.CPU()).Adapt(l).At("first"))
			if err := l.Check(); err == nil || !strings.Contains(err.Error(), "last.lora_A") {
				t.Errorf("%s: %v", config, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", config, err, want)
		}
	}
}
