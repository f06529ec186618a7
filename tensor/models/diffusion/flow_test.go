package diffusion_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models/diffusion"
)

var flowFolders = []string{"sd3", "sd35", "flux", "schnell"}

// openFlow is open, for as many tokens of T5 as were recorded.
func openFlow(t testing.TB, folder string, dev *tensor.Device) (*diffusion.Pipeline, recorded) {
	t.Helper()
	p, r := open(t, folder, dev), readRecorded(t, folder)
	p.Options.TextTokens = r.Tokens
	return p, r
}

// TestTransformers: rows of texts, each layer and the whole of a step of the transformer, and pictures out of the VAE are
// those of diffusers.
func TestTransformers(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		for _, folder := range flowFolders {
			t.Run(dev.Location()+"/"+folder, func(t *testing.T) {
				p, r := openFlow(t, folder, dev)
				g := golden(t, folder)
				for i, text := range r.Texts {
					rows, whole := p.Encode(text)
					near(t, fmt.Sprintf("rows of %q", text), rows, g[fmt.Sprint("text", i)], 5e-5)
					near(t, fmt.Sprintf("row of %q", text), whole, g[fmt.Sprint("pooled", i)], 5e-5)
				}
				layers := 0
				diffusion.After(p.Transformer, func(layer int, rows, text *tensor.Tensor) {
					layers++
					near(t, fmt.Sprint("rows after layer ", layer), rows, g[fmt.Sprint("layer", layer)], 5e-5)
					if want := g[fmt.Sprintf("layer%d_text", layer)]; want != nil {
						near(t, fmt.Sprint("text after layer ", layer), text, want, 5e-5)
					}
				})
				both := func(name string) *tensor.Tensor {
					return tensor.Cat([]*tensor.Tensor{g[name+"0"], g[name+"2"]}, 0).ToDevice(dev)
				}
				o := diffusion.Condition{Text: both("text"), Added: both("pooled"), Guidance: 4.5}
				x := noise(3, []int{2, p.Transformer.Config.Latents, 6, 10}).ToDevice(dev)
				near(t, "transformer", p.Transformer.Forward(x, 481, o), g["transformer"], 5e-5)
				if c := p.Transformer.Config; layers != c.Layers+c.Singles {
					t.Errorf("%d layers, want %d and %d", layers, c.Layers, c.Singles)
				}
				near(t, "decoded", p.VAE.Decode(noise(5, []int{1, 4, 6, 10}).ToDevice(dev)), g["decoded"], 5e-5)
			})
		}
	}
}

// TestFlowPictures: pictures of texts and of pictures are those of diffusers' pipelines.
func TestFlowPictures(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		for f, folder := range flowFolders {
			p, recorded := openFlow(t, folder, dev)
			g, usual := golden(t, folder), p.Options.Guidance
			for _, i := range some(dev, len(recorded.Runs), f) {
				r := recorded.Runs[i]
				t.Run(fmt.Sprint(dev.Location(), "/", folder, i), func(t *testing.T) {
					var latents *tensor.Tensor
					o := &p.Options
					o.Steps, o.Negative, o.Width, o.Height, o.Guidance = r.Steps, r.Negative, r.Width, r.Height, usual
					if o.Strength = r.Strength; r.Guidance != nil {
						o.Guidance = *r.Guidance
					}
					o.Each = func(_, _ int, x *tensor.Tensor) { latents = x }
					var got *diffusion.Picture
					if r.Kind == "image" {
						got = p.Change(picture(24, 40), r.Prompt)
					} else {
						got = p.Picture(r.Prompt)
					}
					near(t, "latents", latents, g[fmt.Sprint("latents", i)], 5e-5)
					d := got.Pixels.ToDType(tensor.F32).Sub(g[fmt.Sprint("picture", i)].ToDType(tensor.F32)).Abs()
					if d.Max().ToScalar() > 1 || d.Sum().ToScalar() > 3 {
						t.Errorf("bytes differ by at most %v, together by %v", d.Max(), d.Sum())
					}
				})
			}
		}
	}
}

// TestFlowUsual: options begin as in diffusers, pictures are of the size of the training, and small floats are computed
// with.
func TestFlowUsual(t *testing.T) {
	for folder, want := range map[string]string{
		"sd3":     "sd3: Stable Diffusion 3, 2 layers of width 12, pictures of 48 pixels, FlowMatchEulerDiscreteScheduler, bf16 on cpu",
		"schnell": "schnell: FLUX, 1 and 1 layers of width 12, pictures of 512 pixels, FlowMatchEulerDiscreteScheduler, bf16 on cpu",
	} {
		p, err := diffusion.OpenAs("testdata/"+folder, tensor.BF16, tensor.CPU())
		if err != nil {
			t.Fatal(err)
		}
		if got := p.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		o := p.Options
		if o.Steps != 28 || o.Strength != 0.6 || o.Guidance != map[string]float64{"sd3": 7, "schnell": 3.5}[folder] {
			t.Errorf("%s: %+v", folder, o)
		}
		if rows, _ := p.Encode("a horse"); rows.Dim(1) != map[string]int{"sd3": 16 + 256, "schnell": 512}[folder] {
			t.Errorf("%s: rows of a text are %v", folder, rows.Dims())
		}
		p.Options.Steps, p.Options.Width, p.Options.Height = 2, 16, 24
		if pixels := p.Picture("a horse").Pixels; fmt.Sprint(pixels.Dims()) != "[3 24 16]" {
			t.Errorf("%s: a picture %v", folder, pixels.Dims())
		}
	}
}

func TestFlowMistakes(t *testing.T) {
	p, _ := openFlow(t, "flux", tensor.CPU())
	three, _ := openFlow(t, "sd3", tensor.CPU())
	sd := open(t, "sd15", tensor.CPU())
	usual, own, ownSD := diffusion.Options{Steps: 2, Guidance: 2}, three.Scheduler, sd.Scheduler
	x := noise(0, []int{1, 4, 8, 8})
	for want, f := range map[string]func(){
		"want Picture or Change":    func() { p.Fill(picture(24, 40), mask(24, 40), "a horse") },
		"want no Negative text":     func() { p.Options.Negative = "bad"; p.Picture("a horse") },
		"want sides that 8 divides": func() { p.Options.Width = 20; p.Picture("a horse") },
		"TextTokens is -1":          func() { three.Options.TextTokens = -1; three.Picture("a horse") },
		"of at most 28 latents":     func() { three.Options.Width = 128; three.Picture("a horse") },
		"EulerDiscreteScheduler is for UNets": func() {
			three.Scheduler, _ = sd.Scheduler.As("EulerDiscreteScheduler")
			three.Picture("a horse")
		},
		"FlowMatchEulerDiscreteScheduler is for Transformers": func() { sd.Scheduler = own; sd.Picture("a horse") },
		"want rows of whole texts [1 16]": func() {
			p.Transformer.Forward(x, 1, diffusion.Condition{Text: noise(0, []int{1, 3, 32})})
		},
		"want rows of texts [1 rows 32]":   func() { p.Transformer.Forward(x, 1, diffusion.Condition{}) },
		"want pictures [n 4 height width]": func() { p.Transformer.Forward(noise(0, []int{1, 4, 7, 8}), 1, diffusion.Condition{}) },
	} {
		p.Options, three.Options, sd.Options = usual, usual, usual
		three.Scheduler, sd.Scheduler = own, ownSD
		err := tensor.Catch(func() error { f(); return nil })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
	if _, err := diffusion.Open("testdata/flux", tensor.CPU(), diffusion.Adapter{Path: "nowhere"}); err == nil ||
		!strings.Contains(err.Error(), "adapters are for pipelines with a UNet") {
		t.Error(err)
	}
}
