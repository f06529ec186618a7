package nn_test

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// lateOptimizer is an optimizer that counts steps, and what PyTorch 2.15 makes of two variables after seven steps, of
// which the second one has a gradient in the steps 3, 4, 6 and 7.
type lateOptimizer struct {
	make func(vars []*tensor.Tensor) interface {
		nn.Optimizer
		Save(path string) error
		Load(path string) error
	}
	want []float64
}

func lateOptimizers() map[string]lateOptimizer {
	type optimizer = interface {
		nn.Optimizer
		Save(path string) error
		Load(path string) error
	}
	adam := func(clip float64, skip bool) func(vars []*tensor.Tensor) optimizer {
		return func(vars []*tensor.Tensor) optimizer {
			c := nn.DefaultAdam()
			c.LR, c.WeightDecay, c.Gradients = 0.1, 0.01, nn.Gradients{ClipNorm: clip, SkipNotFinite: skip}
			return nn.NewAdam(vars, c)
		}
	}
	plain := []float64{1.0169031427553716, -2.278358343427626, 0.4954921051194052, 2.6027520862848577}
	return map[string]lateOptimizer{
		"adam":         {adam(0, false), plain},
		"adam, skips":  {adam(0, true), plain},
		"adam, a norm": {adam(0.7, false), []float64{0.9924899735312799, -2.3066950613769963, 0.5066740284511015, 2.5993758464245964}},
		"adamw": {func(vars []*tensor.Tensor) optimizer {
			c := nn.DefaultAdamW()
			c.LR, c.AMSGrad = 0.1, true
			return nn.NewAdamW(vars, c)
		}, []float64{1.0180923031219693, -2.275416189289105, 0.4952368717414584, 2.591641106492511}},
		"adagrad": {func(vars []*tensor.Tensor) optimizer {
			c := nn.DefaultAdagrad()
			c.LR, c.LRDecay = 0.1, 0.2
			return nn.NewAdagrad(vars, c)
		}, []float64{0.9814678936632439, -2.1142310723844404, 0.5122591026502086, 2.736746396530392}},
		"adafactor": {func(vars []*tensor.Tensor) optimizer {
			c := nn.DefaultAdafactor()
			c.LR = 0.1
			return nn.NewAdafactor(vars, c)
		}, []float64{0.9359158364796357, -2.0194567826208085, 0.46410731613140915, 2.1978596195427067}},
	}
}

// TestLateVariables: each variable is corrected by its own number of steps, also after Save and Load, and where a step
// in between is skipped.
func TestLateVariables(t *testing.T) {
	for _, dev := range devices(t) {
		for name, c := range lateOptimizers() {
			for _, saved := range []int{0, 2, 3, 5} { // after which step the state is saved and loaded
				vars := []*tensor.Tensor{tensor.NewVar(dev.New([]float64{1, -2})), tensor.NewVar(dev.New([]float64{0.5, 3}))}
				opt := c.make(vars)
				for k := 1.0; k < 8; k++ {
					step := func(factor float64) {
						loss := vars[0].Mul(dev.New([]float64{math.Cos(k), math.Sin(k)})).Sum()
						if k == 3 || k == 4 || k > 5 {
							loss = loss.Add(vars[1].Mul(dev.New([]float64{math.Sin(2 * k), 0.3 * k})).Sum())
						}
						nn.BackwardStep(opt, loss.Mul(factor))
					}
					if name == "adam, skips" && (k == 2 || k == 3 || k == 5) {
						step(math.Inf(1))
					}
					step(1)
					if int(k) == saved {
						path := filepath.Join(t.TempDir(), "state.safetensors")
						if err := opt.Save(path); err != nil {
							t.Fatal(err)
						}
						opt = c.make(vars)
						if err := opt.Load(path); err != nil {
							t.Fatal(err)
						}
					}
				}
				got := append(vars[0].Float64s(), vars[1].Float64s()...)
				for i, w := range c.want {
					if math.Abs(got[i]-w) > 1e-12 {
						t.Errorf("%v, %s, saved after step %d: got %v, want %v", dev, name, saved, got, c.want)
						break
					}
				}
			}
		}
	}
}

// TestLateReplays: the replays of a captured step count each variable's own steps.
func TestLateReplays(t *testing.T) {
	for _, dev := range devices(t) {
		if dev.IsCPU() {
			continue
		}
		for _, clip := range []float64{0, 0.7} {
			run := func(step func(opt nn.Optimizer, f func(in ...*tensor.Tensor) *tensor.Tensor) func(x *tensor.Tensor)) []float64 {
				vars := []*tensor.Tensor{tensor.NewVar(dev.New([]float64{1, -2})), tensor.NewVar(dev.New([]float64{0.5, 3}))}
				c := nn.DefaultAdam()
				c.LR, c.Gradients.ClipNorm = 0.1, clip
				opt := nn.NewAdam(vars, c)
				for k := range 3 { // the second variable is three steps late
					nn.BackwardStep(opt, vars[0].Mul(dev.New([]float64{math.Cos(float64(k)), 1})).Sum())
				}
				next := step(opt, func(in ...*tensor.Tensor) *tensor.Tensor {
					return vars[0].Mul(in[0]).Sum().Add(vars[1].Mul(in[0]).Sum())
				})
				for k := range 8 {
					next(dev.New([]float64{math.Sin(float64(k)), 0.5}))
				}
				return append(vars[0].Float64s(), vars[1].Float64s()...)
			}
			want := run(func(opt nn.Optimizer, f func(in ...*tensor.Tensor) *tensor.Tensor) func(x *tensor.Tensor) {
				return func(x *tensor.Tensor) { nn.BackwardStep(opt, f(x)) }
			})
			got := run(func(opt nn.Optimizer, f func(in ...*tensor.Tensor) *tensor.Tensor) func(x *tensor.Tensor) {
				trainer := nn.NewTrainer(opt, f)
				return func(x *tensor.Tensor) { trainer.Step(x) }
			})
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("%v, norm %v: replays give %v, steps %v", dev, clip, got, want)
					break
				}
			}
		}
	}
}
