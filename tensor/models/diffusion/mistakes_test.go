package diffusion_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/interrupt"
	"github.com/gorocm/gorocm/internal/monitor"
	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models/diffusion"
)

type fields = map[string]any

// changed is a copy of a folder of testdata, of which a file of JSON has other fields; nil removes one.
func changed(t testing.TB, folder, file string, other fields) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS("testdata/"+folder)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(to, filepath.FromSlash(file))
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all fields
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(data), "-Infinity", "null")), &all); err != nil {
		t.Fatal(err)
	}
	for key, value := range other {
		if all[key] = value; value == nil {
			delete(all, key)
		}
	}
	if data, err = json.Marshal(all); err == nil {
		err = os.WriteFile(path, data, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// TestRefused: what is not supported, or not there, is an error that names it.
func TestRefused(t *testing.T) {
	thorough.Slow(t)
	const unet, vae, text, scheduler = "unet/config.json", "vae/config.json", "text_encoder/config.json", "scheduler/scheduler_config.json"
	for _, c := range []struct {
		folder, file string
		other        fields
		want         string
	}{
		{"sd15", "model_index.json", fields{"_class_name": "KolorsPipeline"}, `a "KolorsPipeline" is not supported: want FluxImg2ImgPipeline`},
		{"sd15", "model_index.json", fields{"unet": []string{"diffusers", "UNet3D"}}, "unet is a UNet3D: want UNet2DConditionModel"},
		{"sdxl", "model_index.json", fields{"text_encoder": []any{nil, nil}}, "there is no text_encoder, which is not supported"},
		{"sd15", "model_index.json", fields{"controlnet": []string{"diffusers", "ControlNetModel"}}, `the key controlnet (["diffusers","ControlNetModel"]) is not known`},
		{"sd15", unet, fields{"time_cond_proj_dim": 256}, "unet/config.json: time_cond_proj_dim is 256, which is not supported: want null"},
		{"sd15", unet, fields{"new_attention": true}, "unet/config.json: the key new_attention (true) is not known"},
		{"sd15", unet, fields{"attention_head_dim": 3}, "attention_head_dim is [3 3 3 3]: want numbers of heads that divide"},
		{"sd15", unet, fields{"attention_head_dim": []int{2, 2}}, "attention_head_dim has 2 values: want 4"},
		{"sd15", unet, fields{"down_block_types": []string{"A", "B", "C", "D"}}, `down_block_types has a "A"`},
		{"sd15", unet, fields{"up_block_types": []string{"UpBlock2D"}}, "up_block_types has 1 blocks, and block_out_channels 4"},
		{"sd15", unet, fields{"mid_block_type": "UNetMidBlock2D"}, `mid_block_type is "UNetMidBlock2D", which is not supported`},
		{"sd15", unet, fields{"block_out_channels": []int{4, 4, 8, 9}}, "block_out_channels has 9: want multiples of norm_num_groups, 2"},
		{"sd15", unet, fields{"block_out_channels": []int{}}, "block_out_channels is []: want 1 to 16 numbers"},
		{"sd15", unet, fields{"layers_per_block": -1}, "layers_per_block is [-1 -1 -1 -1]"},
		{"sd15", unet, fields{"cross_attention_dim": 32}, "text encoders give rows of width 16, and cross_attention_dim of the UNet is 32"},
		{"sd15", unet, fields{"in_channels": 8}, "a UNet of in_channels 8 and out_channels 4 does not fit"},
		{"sd15", unet, fields{"act_fn": "maxout"}, "act_fn: nn: no activation"},
		{"sd15", unet, fields{"norm_eps": "small"}, `norm_eps is "small": want a value as 1e-05`},
		{"sd15", unet, fields{"use_linear_projection": true}, "unet: nn: the parameters are not those of the model"},
		{"sd15", unet, fields{"block_out_channels": []int{4096, 4096, 4096, 4096}}, "config.json declares about"},
		{"sdxl", unet, fields{"projection_class_embeddings_input_dim": 40}, "is 40, and the text encoders give 36"},
		{"sdxl", unet, fields{"addition_embed_type": "image"}, `addition_embed_type is "image", which is not supported: want null or "text_time"`},
		{"sd15", vae, fields{"shift_factor": 0.1}, "shift_factor of the VAE is 0.1, which is not supported with a UNet"},
		{"sd15", vae, fields{"scaling_factor": 0}, "scaling_factor is 0"},
		{"sd15", vae, fields{"latents_mean": []int{1}, "latents_std": []int{1}}, "latents_mean has 1 values"},
		{"sd15", vae, fields{"layers_per_block": 2}, "vae: nn: the parameters are not those of the model"},
		{"sd15", text, fields{"model_type": "t5"}, `model_type is "t5", which is not supported`},
		{"sd15", text, fields{"hidden_size": 15}, "num_attention_heads is 2, which does not divide hidden_size, 15"},
		{"sd15", text, fields{"vocab_size": 10}, "tokenizer has 93 tokens, and the text encoder 10"},
		{"sd15", text, fields{"rope_theta": 10}, "the key rope_theta (10) is not known"},
		{"sd15", scheduler, fields{"_class_name": "DEISMultistepScheduler"}, "UniPCMultistepScheduler; they read the same file, if it has one of these for _class_name"},
		{"sd15", scheduler, fields{"skip_prk_steps": false}, "skip_prk_steps is false, which is not supported"},
		{"sd15", scheduler, fields{"prediction_type": "flow"}, `prediction_type is "flow", which is not supported: want "epsilon" or "v_prediction"`},
		{"sd15", scheduler, fields{"beta_schedule": "sigmoid"}, `beta_schedule is "sigmoid"`},
		{"sd15", scheduler, fields{"beta_end": 2}, "give a beta of"},
		{"sd15", scheduler, fields{"trained_betas": []float64{0.1}}, "trained_betas has 1 values: want 1000"},
		{"sd15", scheduler, fields{"num_train_timesteps": 2, "trained_betas": []float64{0.1, 1}}, "trained_betas has 1: want numbers from 0 to 1"},
		{"sd15", scheduler, fields{"timestep_spacing": "log"}, `timestep_spacing is "log"`},
		{"sd15", scheduler, fields{"shift": 3}, "the key shift (3) is not known"},
		{"sd21", scheduler, fields{"thresholding": true}, "thresholding is true"},
		{"sdxl", scheduler, fields{"use_beta_sigmas": true}, "use_beta_sigmas is true"},
		{"sdxl", scheduler, fields{"use_karras_sigmas": true, "use_exponential_sigmas": true}, "want one of them"},
		{"sd15", "model_index.json", fields{"_class_name": "FluxPipeline"}, "there is no t"},
		{"sd15", scheduler, fields{"_class_name": "FlowMatchEulerDiscreteScheduler"}, "the key beta_end"},
		{"sd3", scheduler, fields{"_class_name": "EulerDiscreteScheduler"}, "the key base_image_seq_len"},
		{"sd3", scheduler, fields{"shift_terminal": 0.1}, "shift_terminal is 0.1, which is not supported"},
		{"sd3", scheduler, fields{"shift": 0}, "shift is 0"},
		{"sd3", "model_index.json", fields{"text_encoder_2": []any{nil, nil}}, "there is no text_encoder_2"},
		{"sd3", "model_index.json", fields{"text_encoder_3": []string{"transformers", "GemmaModel"}}, "text_encoder_3 is a GemmaModel: want T5EncoderModel"},
		{"sd3", "transformer/config.json", fields{"num_layers": 1000000000}, "num_layers is 1000000000: want 1 to"},
		{"sd3", "transformer/config.json", fields{"qk_norm": "layer_norm"}, `qk_norm is "layer_norm", which is not supported`},
		{"sd3", "transformer/config.json", fields{"dual_attention_layers": []int{2}}, "dual_attention_layers has layer 2: there are 2"},
		{"sd3", "transformer/config.json", fields{"joint_attention_dim": 40}, "joint_attention_dim of the transformer is 40"},
		{"sd3", "transformer/config.json", fields{"pooled_projection_dim": 40}, "width 18, and pooled_projection_dim of the transformer is 40"},
		{"sd3", "transformer/config.json", fields{"attention_head_dim": 60000, "num_attention_heads": 60000}, "num_attention_heads is 60000: want 1 to"},
		{"sd3", "transformer/config.json", fields{"pos_embed_max_size": 15}, "transformer: nn: the parameters are not those of the model"},
		{"flux", "transformer/config.json", fields{"axes_dims_rope": []int{2, 2, 4}}, "whose sum is attention_head_dim, 6"},
		{"flux", "transformer/config.json", fields{"in_channels": 18}, "in_channels is 18: want a multiple of 4"},
		{"flux", "transformer/config.json", fields{"guidance_embeds": false}, "transformer: nn: the parameters are not those of the model"},
		{"flux", "vae/config.json", fields{"latent_channels": 8}, "does not fit a VAE of latent_channels 8"},
		{"flux", "text_encoder_2/config.json", fields{"model_type": "bert"}, `text_encoder_2: models: model_type "bert" is not a T5`},
		{"inpaint", scheduler, fields{"algorithm_type": "dpmsolver"}, `algorithm_type is "dpmsolver"`},
		{"inpaint", scheduler, fields{"use_flow_sigmas": true}, "use_flow_sigmas is true"},
	} {
		_, err := diffusion.Open(changed(t, c.folder, c.file, c.other), tensor.CPU())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s %v: %v, want an error with %q", c.folder, c.file, c.other, err, c.want)
		}
	}
	for file, want := range map[string]string{"model_index.json": "want a folder of diffusers", "tokenizer/vocab.json": "neither a tokenizer.json nor a vocab.json",
		"unet/diffusion_pytorch_model.safetensors": "unet: there is neither a diffusion_pytorch_model.safetensors nor a .bin"} {
		folder := changed(t, "sd15", "model_index.json", nil)
		os.Remove(filepath.Join(folder, filepath.FromSlash(file)))
		if _, err := diffusion.Open(folder, tensor.CPU()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("without %s: %v, want an error with %q", file, err, want)
		}
	}
	if _, err := diffusion.OpenAs("testdata/sd15", tensor.I32, tensor.CPU()); err == nil || !strings.Contains(err.Error(), "floats, not in i32") {
		t.Error(err)
	}
}

// TestOtherKeys: keys of other schedulers, and a safety checker, change nothing.
func TestOtherKeys(t *testing.T) {
	_, err := diffusion.Open(changed(t, "sd21", "scheduler/scheduler_config.json", fields{"skip_prk_steps": true, "algorithm_type": "dpmsolver", "thresholding": json.RawMessage("null")}), tensor.CPU())
	if err != nil {
		t.Error(err)
	}
	p, err := diffusion.Open(changed(t, "sd15", "model_index.json", fields{"safety_checker": []string{"stable_diffusion", "StableDiffusionSafetyChecker"}}), tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	if text := p.String(); !strings.Contains(text, "Stable Diffusion, blocks of [4 4 8 8] channels, pictures of 32 pixels, PNDMScheduler, f32 on cpu, without its safety checker") {
		t.Error(text)
	}
	if !diffusion.IsPipeline("testdata/sd15") || diffusion.IsPipeline("testdata") {
		t.Error("IsPipeline")
	}
}

// TestMistakes: options and pictures that are not possible are errors that say so.
func TestMistakes(t *testing.T) {
	p, fills := open(t, "sd15", tensor.CPU()), open(t, "inpaint", tensor.CPU())
	p.Options.Steps = 2
	with := func(change func(o *diffusion.Options), f func()) func() {
		return func() {
			before := p.Options
			defer func() { p.Options = before }()
			change(&p.Options)
			f()
		}
	}
	horse := func() { p.Picture("a horse") }
	x := picture(24, 40)
	for want, f := range map[string]func(){
		"inpaint fills parts of pictures: want Fill":                       func() { fills.Picture("a horse") },
		"0 steps: want 1 to 1000":                                          with(func(o *diffusion.Options) { o.Steps = 0 }, horse),
		"begin at time 1000, and there are 0 to 999: want fewer steps":     with(func(o *diffusion.Options) { o.Steps = 1000 }, horse),
		"a picture of 30 × 32 pixels: want sides that 4 divides":           with(func(o *diffusion.Options) { o.Width = 30 }, horse),
		"Rescale 2: want a number, and one of 0 to 1":                      with(func(o *diffusion.Options) { o.Rescale = 2 }, horse),
		"a Strength of 0.3 with 2 steps: want above 0 to 1, and at least":  with(func(o *diffusion.Options) { o.Strength = 0.3 }, func() { p.Change(x, "") }),
		"a Strength of 0 with 2 steps":                                     with(func(o *diffusion.Options) { o.Strength = 0 }, func() { p.Fill(x, mask(24, 40), "") }),
		"want a picture [channels height width]":                           func() { p.Change(x.Get(0), "a horse") },
		"the image is of f32":                                              func() { p.Change(x.ToDType(tensor.F32), "a horse") },
		"want a mask [height width], such as [24 40]":                      func() { p.Fill(x, x, "a horse") },
		"want pictures [n 4 height width]":                                 func() { p.UNet.Forward(x, 1, diffusion.Condition{}) },
		"want rows of texts [1 rows 16]":                                   func() { p.UNet.Forward(noise(0, []int{1, 4, 8, 8}), 1, diffusion.Condition{}) },
		"want pictures [n 3 height width] with sizes that 4 divides":       func() { p.VAE.Encode(noise(0, []int{1, 3, 9, 8})) },
		"want latents [n 4 height width]":                                  func() { p.VAE.Decode(x) },
		`there is no scheduler "Euler": want one of DDIMScheduler, DPMSol`: func() { must(p.Scheduler.As("Euler")) },
	} {
		if err := tensor.Catch(func() error { f(); return nil }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

// TestNotFinite: a picture that cannot be computed is an error, and not black.
func TestNotFinite(t *testing.T) {
	folder := changed(t, "sd15", "vae/config.json", fields{"scaling_factor": 1e-38})
	p, err := diffusion.Open(folder, tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	p.Options.Steps = 1
	if err := tensor.Catch(func() error { p.Picture("a horse"); return nil }); err == nil || !strings.Contains(err.Error(), "numbers that are not finite") {
		t.Error(err)
	}
	folder = changed(t, "sd21", "scheduler/scheduler_config.json", fields{"rescale_betas_zero_snr": true, "prediction_type": "epsilon", "timestep_spacing": "trailing"})
	if p, err = diffusion.Open(folder, tensor.CPU()); err != nil {
		t.Fatal(err)
	}
	if err := tensor.Catch(func() error { p.Picture("a horse"); return nil }); err == nil || !strings.Contains(err.Error(), "noise alone, at time 999") {
		t.Error(err)
	}
}

// FuzzConfigs: a file of any bytes is an error, or gives a pipeline that makes a picture.
func FuzzConfigs(f *testing.F) {
	thorough.Slow(f)
	files := []string{"model_index.json", "unet/config.json", "vae/config.json", "text_encoder/config.json", "scheduler/scheduler_config.json", "tokenizer/tokenizer_config.json", "tokenizer/vocab.json", "tokenizer/merges.txt"}
	for i, file := range files {
		data, err := os.ReadFile(filepath.Join("testdata/sd15", filepath.FromSlash(file)))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), data)
	}
	f.Fuzz(func(t *testing.T, file uint8, data []byte) {
		folder := changed(t, "sd15", "model_index.json", nil)
		if err := os.WriteFile(filepath.Join(folder, filepath.FromSlash(files[int(file)%len(files)])), data, 0o666); err != nil {
			t.Fatal(err)
		}
		tensor.Catch(func() error { // an error of a tensor is allowed
			if p, err := diffusion.Open(folder, tensor.CPU()); err == nil && p.UNet != nil && p.UNet.Config.Size <= 16 {
				p.Options.Steps = 1
				p.Picture("a horse")
			}
			return nil
		})
	})
}

func must(_ *diffusion.Scheduler, err error) {
	if err != nil {
		panic(&tensor.Error{Message: err.Error()})
	}
}

// steps counts what a monitor is told.
type steps struct {
	title   string
	updates []int
	ended   bool
}

func (s *steps) Update(step, total int, _ map[string]float64) {
	s.updates = append(s.updates, step, total)
}
func (s *steps) End() { s.ended = true }

// TestProgress: a monitor of the session sees all steps, and an interruption ends a picture after one.
func TestProgress(t *testing.T) {
	var shown *steps
	monitor.Set(func(title string) monitor.Monitor { shown = &steps{title: title}; return shown })
	defer monitor.Set(nil)
	p := open(t, "inpaint", tensor.CPU())
	p.Options.Steps = 3
	p.Options.Strength = 1
	p.Fill(picture(24, 40), mask(24, 40), "a horse")
	if shown.title != "picture" || len(shown.updates) != 6 || shown.updates[4] != 3 || shown.updates[5] != 3 || !shown.ended {
		t.Error(shown)
	}
	p.Options.Each = func(step, of int, _ *tensor.Tensor) { interrupt.Stop(interrupt.Goroutine()) }
	err := tensor.Catch(func() error { p.Fill(picture(24, 40), mask(24, 40), "a horse"); return nil })
	if err == nil || !strings.Contains(err.Error(), "it was interrupted after 1 of 3 steps") || !shown.ended {
		t.Error(err)
	}
	p.Options.Quiet, shown = true, nil
	p.Options.Each = nil
	if p.Fill(picture(24, 40), mask(24, 40), "a horse"); shown != nil {
		t.Error("a quiet picture was shown")
	}
}

// TestWeightFiles: weights of 16 bits, in files of other names and in several, are read, and whole numbers before them.
func TestWeightFiles(t *testing.T) {
	const plain, half = "unet/diffusion_pytorch_model.safetensors", "unet/diffusion_pytorch_model.fp16.safetensors"
	folder := changed(t, "sd15", "model_index.json", nil)
	path := func(name string) string { return filepath.Join(folder, filepath.FromSlash(name)) }
	list, err := formats.ReadSafetensors(path(plain), tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		list[i].Tensor = list[i].Tensor.ToDType(tensor.F16)
	}
	write := func(name string, list []formats.Named) {
		t.Helper()
		if err := formats.WriteSafetensors(path(name), list, nil); err != nil {
			t.Fatal(err)
		}
	}
	unet := func() *tensor.Tensor {
		t.Helper()
		p, err := diffusion.Open(folder, tensor.CPU())
		if err != nil {
			t.Fatal(err)
		}
		text := noise(1, []int{1, 4, 16})
		return p.UNet.Forward(noise(0, []int{1, 4, 8, 8}), 500, diffusion.Condition{Text: text})
	}
	want := unet()
	if write(half, list); !unet().Equal(want) {
		t.Error("halves were read instead of whole numbers")
	}
	os.Remove(path(plain))
	got := unet()
	if near(t, "of halves", got, want, 2e-3); got.Equal(want) {
		t.Error("whole numbers were read")
	}
	os.Remove(path(half))
	index := map[string]map[string]string{"weight_map": {}}
	for i, part := range [][]formats.Named{list[:7], list[7:]} {
		name := []string{"a.safetensors", "b.safetensors"}[i]
		write("unet/"+name, part)
		for _, named := range part {
			index["weight_map"][named.Name] = name
		}
	}
	data, _ := json.Marshal(index)
	if err := os.WriteFile(path("unet/diffusion_pytorch_model.safetensors.index.fp16.json"), data, 0o666); err != nil {
		t.Fatal(err)
	}
	if !unet().Equal(got) {
		t.Error("files of an index differ")
	}
}

// TestSeeds: the same seed gives the same picture, another one another; all devices have the same noise.
func TestSeeds(t *testing.T) {
	p, err := diffusion.Open("testdata/sd15", tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	p.Options.Steps = 2
	make := func(seed uint64) *tensor.Tensor { p.Options.Seed = seed; return p.Picture("a horse").Pixels }
	first := make(1)
	if !first.Equal(make(1)) || first.Equal(make(2)) {
		t.Error("pictures do not follow the seed")
	}
	if first.Device() != tensor.CPU() || first.DType() != tensor.U8 || first.Dim(1) != 32 || first.Dim(2) != 32 {
		t.Error(first)
	}
}

// TestSizes: pictures have the size of the Options, also those that begin with another one.
func TestSizes(t *testing.T) {
	p := open(t, "sd15", tensor.CPU())
	p.Options.Steps, p.Options.Width, p.Options.Height = 2, 48, 32
	for name, x := range map[string]*diffusion.Picture{"Picture": p.Picture("a horse"), "Change": p.Change(picture(24, 40), "a horse"),
		"Fill": p.Fill(picture(24, 40), mask(20, 36), "a horse")} {
		if x.Pixels.Dim(1) != 32 || x.Pixels.Dim(2) != 48 {
			t.Errorf("%s: %v", name, x)
		}
	}
}

// TestHalf: pipelines compute in types of 16 bits too, near what they compute in F32.
func TestHalf(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		full := open(t, "sdxl", dev) // in F32
		full.Options.Steps = 2
		want := full.Picture("the horse").Pixels.ToDType(tensor.F32)
		for _, dtype := range thorough.Sample([]tensor.DType{tensor.F16, tensor.BF16}, 2, 0) {
			p, err := diffusion.OpenAs("testdata/sdxl", dtype, dev)
			if err != nil {
				t.Fatal(err)
			}
			diffusion.SetNoise(p, noise)
			p.Options = full.Options
			d := p.Picture("the horse").Pixels.ToDType(tensor.F32).Sub(want).Abs()
			if mean := d.Mean().ToScalar(); !(mean > 0 && mean < 3) || !strings.Contains(p.String(), dtype.String()) {
				t.Errorf("%v on %v: bytes differ by %v on average", dtype, dev, mean)
			}
		}
	}
}
