package diffusion_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models/diffusion"
)

// TestAdapters: texts and a step of the UNet with adapters are those of diffusers: see testdata/adapters.py.
func TestAdapters(t *testing.T) {
	thorough.Slow(t)
	var cases []struct {
		Base     string
		Adapters []diffusion.Adapter
	}
	data, err := os.ReadFile("testdata/adapters/golden.json")
	if err == nil {
		err = json.Unmarshal(data, &cases)
	}
	if err != nil || len(cases) < 6 {
		t.Fatal(cases, err)
	}
	g := golden(t, "adapters")
	for _, dev := range devices(t) {
		for i, c := range cases {
			if dev.Emulated() && i%4 != 1 && !thorough.On() {
				continue
			}
			t.Run(fmt.Sprint(dev.Location(), "/", c.Adapters), func(t *testing.T) {
				for k := range c.Adapters {
					c.Adapters[k].Path = filepath.Join("testdata/adapters", filepath.Base(c.Adapters[k].Path))
				}
				p, err := diffusion.OpenAs("testdata/"+c.Base, tensor.F32, dev, c.Adapters...)
				if err != nil {
					t.Fatal(err)
				}
				text, whole := p.Encode("a photo of the horse")
				near(t, "text", text, g[fmt.Sprint("text", i)], 5e-5)
				o := diffusion.Condition{Text: g[fmt.Sprint("text", i)].ToDevice(dev)}
				if c.Base == "sdxl" {
					near(t, "row", whole, g[fmt.Sprint("pooled", i)], 5e-5)
					sizes := golden(t, "sdxl")["added"].ToDevice(dev).Narrow(0, 0, 1)
					pooled := g[fmt.Sprint("pooled", i)].ToDevice(dev)
					o.Added = tensor.Cat([]*tensor.Tensor{pooled, sizes.Narrow(1, 12, 24)}, 1)
				}
				x := noise(3, []int{1, 4, 6, 10}).ToDevice(dev)
				near(t, "unet", p.UNet.Forward(x, 481, o), g[fmt.Sprint("unet", i)], 5e-5)
			})
		}
	}
}

// TestAdapterMistakes: what an adapter has and is not supported, or does not fit, is an error with names and shapes.
func TestAdapterMistakes(t *testing.T) {
	open := func(base string, a diffusion.Adapter) error {
		_, err := diffusion.OpenAs("testdata/"+base, tensor.F32, tensor.CPU(), a)
		return err
	}
	const layer = "unet.mid_block.attentions.0.transformer_blocks.0.attn1.to_q."
	of := func(meta map[string]string, names ...string) diffusion.Adapter {
		file := filepath.Join(t.TempDir(), "lora.safetensors")
		var all []formats.Named
		for _, name := range names {
			all = append(all, formats.Named{Name: name, Tensor: tensor.Ones(1, 1)})
		}
		if err := formats.WriteSafetensors(file, all, meta); err != nil {
			t.Fatal(err)
		}
		return diffusion.Adapter{Path: file}
	}
	pair := []string{layer + "lora_A.weight", layer + "lora_B.weight"}
	for _, c := range []struct {
		name, base string
		adapter    diffusion.Adapter
		want       string
	}{
		{"no file", "sd15", diffusion.Adapter{Path: "testdata/none"}, "no such file"},
		{"no such folder", "sd15", diffusion.Adapter{Path: "testdata/sd15/scheduler"}, "there is no pytorch_lora_weights.safetensors"},
		{"of SDXL", "sd15", diffusion.Adapter{Path: "testdata/adapters/xl.safetensors"}, "is for text_encoder_2 too"},
		{"of another width", "sd15", of(nil, pair...), "to_q.weight: adapter: lora.safetensors has [1 1] × [1 1]"},
		{"of another UNet", "inpaint", diffusion.Adapter{Path: "testdata/adapters/kohya.safetensors"}, "are not in this model"},
		{"half a pair", "sd15", of(nil, pair[0]), "one matrix of a pair alone"},
		{"LoHa", "sd15", of(nil, "lora_unet_mid_block_attentions_0_proj_in.hada_w1_a"), "hada_w1_a is not supported"},
		{"FLUX", "sd15", of(nil, "transformer.single_transformer_blocks.0.attn.to_q.lora_A.weight"), "is not supported: want pairs of LoRA"},
		{"a note", "sd15", of(map[string]string{"lora_adapter_metadata": `{"unet.r": 1, "unet.lora_bias": true}`}, pair...), "lora_bias is not supported"},
		{"ranks", "sd15", of(map[string]string{"lora_adapter_metadata": `{"unet.r": 2}`}, pair...), "its rank is 1, and that of its config 2"},
		{"nothing", "sd15", of(nil), "has no tensors"},
	} {
		if err := open(c.base, c.adapter); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
