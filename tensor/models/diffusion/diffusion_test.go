package diffusion_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/models/diffusion"
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

// noise is that of testdata/pipelines.py.
func noise(k int, dims []int) *tensor.Tensor {
	n := 1
	for _, d := range dims {
		n *= d
	}
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(1.4 * math.Sin(1.37*float64(i)+0.71*float64(k)+0.3))
	}
	return tensor.CPU().FromSlice(list, dims...)
}

// golden is what diffusers computed with a pipeline, by name.
func golden(t testing.TB, folder string) map[string]*tensor.Tensor {
	t.Helper()
	list, err := formats.ReadSafetensors("testdata/"+folder+"/golden.safetensors", tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*tensor.Tensor{}
	for _, named := range list {
		all[named.Name] = named.Tensor
	}
	return all
}

// run is a picture of golden.json.
type run struct {
	Kind, Prompt, Scheduler string
	Negative                string `json:"negative_prompt"`
	Steps                   int    `json:"num_inference_steps"`
	Height, Width           int
	Guidance                *float64 `json:"guidance_scale"`
	Rescale                 float64  `json:"guidance_rescale"`
	Strength                float64
	Size                    []int // of the picture that it begins with
}

type recorded struct {
	Texts  []string
	Tokens int // of T5
	Runs   []run
}

func readRecorded(t testing.TB, folder string) (r recorded) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + folder + "/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func open(t testing.TB, folder string, dev *tensor.Device) *diffusion.Pipeline {
	t.Helper()
	p, err := diffusion.OpenAs("testdata/"+folder, tensor.F32, dev)
	if err != nil {
		t.Fatal(err)
	}
	diffusion.SetNoise(p, noise)
	return p
}

// near compares the elements of two tensors of one shape, within a part of the largest one above 1.
func near(t *testing.T, what string, got, want *tensor.Tensor, within float64) {
	t.Helper()
	if !slices.Equal(got.Dims(), want.Dims()) {
		t.Fatalf("%s: shape %v, want %v", what, got.Dims(), want.Dims())
	}
	a, b := got.FlattenAll().ToVec1(), want.FlattenAll().ToVec1()
	largest, worst := 1.0, 0.0
	for i := range a {
		largest = max(largest, math.Abs(b[i]))
		if worst = max(worst, math.Abs(a[i]-b[i])); math.IsNaN(a[i]) {
			t.Fatalf("%s: number %d is NaN", what, i)
		}
	}
	if worst > within*largest {
		t.Errorf("%s: numbers differ by %v, with %v the largest", what, worst, largest)
	}
}

// picture and mask are those of testdata/pipelines.py.
func picture(h, w int) *tensor.Tensor {
	pix := make([]byte, 0, 3*h*w)
	for k := range 3 {
		for y := range h {
			for x := range w {
				pix = append(pix, byte(math.RoundToEven(127+100*math.Sin(float64(x)/float64(3+k)+float64(y)/float64(7-k)))))
			}
		}
	}
	return tensor.CPU().FromBytes(tensor.U8, pix, 3, h, w)
}

func mask(h, w int) *tensor.Tensor {
	pix := make([]byte, h*w)
	for y := 6; y < 18; y++ {
		for x := 10; x < 33; x++ {
			pix[y*w+x] = 255
		}
	}
	return tensor.CPU().FromBytes(tensor.U8, pix, h, w)
}

var folders = []string{"sd15", "sd21", "sdxl", "inpaint"}

// TestParts: rows of texts, a step of the UNet, and pictures in and out of the VAE are those of diffusers.
func TestParts(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		for _, folder := range folders {
			t.Run(dev.Location()+"/"+folder, func(t *testing.T) {
				p, g, r := open(t, folder, dev), golden(t, folder), readRecorded(t, folder)
				for i, text := range r.Texts {
					rows, whole := p.Encode(text)
					near(t, fmt.Sprintf("rows of %q", text), rows, g[fmt.Sprint("text", i)], 5e-5)
					if want := g[fmt.Sprint("pooled", i)]; want != nil {
						near(t, fmt.Sprintf("row of %q", text), whole, want, 5e-5)
					}
				}
				o := diffusion.Condition{Text: tensor.Cat([]*tensor.Tensor{g["text0"], g["text2"]}, 0).ToDevice(dev)}
				if folder == "sdxl" {
					o.Added = g["added"].ToDevice(dev)
				}
				x := noise(3, []int{2, p.UNet.Config.Inputs, 6, 10}).ToDevice(dev)
				near(t, "unet", p.UNet.Forward(x, 481, o), g["unet"], 5e-5)
				pixels := func(h, w int) *tensor.Tensor {
					return picture(h, w).ToDevice(dev).ToDType(tensor.F32).Affine(1/127.5, -1).Unsqueeze(0)
				}
				mean, std := p.VAE.Encode(pixels(24, 40))
				near(t, "mean", mean, g["mean"], 5e-5)
				near(t, "standard deviation", std, g["std"], 5e-5)
				near(t, "decoded", p.VAE.Decode(noise(5, []int{1, 4, 6, 10}).ToDevice(dev)), g["decoded"], 5e-5)
				p.VAE.Tile = p.VAE.Config.Size
				mean, _ = p.VAE.Encode(pixels(64, 72))
				near(t, "mean of tiles", mean, g["tiled_mean"], 5e-5)
				near(t, "tiles", p.VAE.Decode(noise(5, []int{1, 4, 10, 17}).ToDevice(dev)), g["tiled"], 5e-5)
			})
		}
	}
}

// some are the positions of n runs that are tried on a device: all, or a sample on an emulated one, where the rest use
// the same kernels.
func some(dev *tensor.Device, n, offset int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	if !dev.Emulated() {
		return all
	}
	return thorough.Sample(all, 2, offset)
}

// TestPictures: pictures of texts, of pictures and of parts of pictures are those of diffusers' pipelines.
func TestPictures(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range devices(t) {
		for f, folder := range folders {
			p, g := open(t, folder, dev), golden(t, folder)
			own := p.Scheduler
			runs := readRecorded(t, folder).Runs
			for _, i := range some(dev, len(runs), f) {
				r := runs[i]
				t.Run(fmt.Sprint(dev.Location(), "/", folder, i), func(t *testing.T) {
					p.Scheduler = own
					if r.Scheduler != "" {
						s, err := own.As(r.Scheduler)
						if err != nil {
							t.Fatal(err)
						}
						p.Scheduler = s
					}
					var latents *tensor.Tensor
					o := &p.Options
					o.Steps, o.Negative, o.Width, o.Height, o.Rescale = r.Steps, r.Negative, r.Width, r.Height, r.Rescale
					o.Guidance, o.Strength = 7.5, r.Strength
					if folder == "sdxl" {
						o.Guidance = 5
					}
					if r.Guidance != nil {
						o.Guidance = *r.Guidance
					}
					o.Each = func(_, _ int, x *tensor.Tensor) { latents = x }
					var got *diffusion.Picture
					switch r.Kind {
					case "image":
						size := append(r.Size, 24, 40)
						got = p.Change(picture(size[0], size[1]), r.Prompt)
					case "inpaint":
						got = p.Fill(picture(24, 40), mask(24, 40), r.Prompt)
					default:
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
