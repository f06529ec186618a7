package nn_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/nn"
)

// savedOptimizer is what both optimizers are.
type savedOptimizer interface {
	nn.Optimizer
	Save(path string) error
	Load(path string) error
}

var savedOptimizers = map[string]func(vars []*tensor.Tensor) savedOptimizer{
	"sgd": func(vars []*tensor.Tensor) savedOptimizer { return nn.NewSGD(vars, 0.1) },
	"nesterov": func(vars []*tensor.Tensor) savedOptimizer {
		s := nn.NewSGD(vars, 0.1)
		s.Momentum, s.Nesterov, s.WeightDecay = 0.9, true, 0.01
		return s
	},
	"adamw": func(vars []*tensor.Tensor) savedOptimizer { return nn.NewAdamW(vars, nn.DefaultAdamW()) },
	"adamw with masters": func(vars []*tensor.Tensor) savedOptimizer {
		c := nn.DefaultAdamW()
		c.MasterWeights, c.Gradients = true, nn.Gradients{ClipNorm: 0.1, SkipNotFinite: true}
		return nn.NewAdamW(vars, c)
	},
	"adagrad": func(vars []*tensor.Tensor) savedOptimizer {
		c := nn.DefaultAdagrad()
		c.Initial, c.LRDecay = 0.1, 0.1
		return nn.NewAdagrad(vars, c)
	},
	"rmsprop": func(vars []*tensor.Tensor) savedOptimizer {
		c := nn.DefaultRMSprop()
		c.Momentum, c.Centered = 0.9, true
		return nn.NewRMSprop(vars, c)
	},
}

// TestGoingOn: training that was interrupted, and went on from files in a new model and a new optimizer, has the bits
// of training that was not.
func TestGoingOn(t *testing.T) {
	thorough.Slow(t)
	for _, spec := range []string{"cpu", "rocm"} {
		dev, err := tensor.NewDevice(spec)
		if err != nil {
			t.Skip(err)
		}
		for i, name := range slices.Sorted(maps.Keys(savedOptimizers)) {
			newOptimizer := savedOptimizers[name]
			for _, dt := range thorough.Sample([]tensor.DType{tensor.F32, tensor.BF16, tensor.F64}, 3, i) {
				t.Run(fmt.Sprintf("%s/%s/%v", spec, name, dt), func(t *testing.T) { goOn(t, newOptimizer, dt, dev) })
			}
		}
	}
}

func goOn(t *testing.T, newOptimizer func([]*tensor.Tensor) savedOptimizer, dt tensor.DType, dev *tensor.Device) {
	x := dev.Arange(tensor.F64, 24).Mul(0.7).Sin().Reshape(8, 3).ToDType(dt)
	build := func() (*nn.Params, func(first, last int, o savedOptimizer)) {
		dev.SetSeed(3)
		p := nn.NewParams(dt, dev)
		a, b := nn.NewLinear(3, 5, p.At("a")), nn.NewLinear(5, 2, p.At("b"))
		p.Get("unused", []int{2}, nil) // has no gradient, and so no state
		return p, func(first, last int, o savedOptimizer) {
			decay := nn.CosineDecay(0.05, 0.001, 20)
			for step := first; step < last; step++ {
				o.SetLearningRate(decay(step))
				nn.BackwardStep(o, b.Forward(a.Forward(x).Tanh()).Sqr().Mean())
			}
		}
	}
	whole, train := build()
	train(0, 12, newOptimizer(whole.Vars()))

	folder := t.TempDir()
	before, train := build()
	o := newOptimizer(before.Vars())
	train(0, 5, o)
	for _, err := range []error{before.Save(filepath.Join(folder, "model.safetensors")),
		o.Save(filepath.Join(folder, "optimizer.safetensors"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	after, train := build()
	o = newOptimizer(after.Vars())
	o.SetLearningRate(7) // what is loaded is another
	for _, err := range []error{after.Load(filepath.Join(folder, "model.safetensors")),
		o.Load(filepath.Join(folder, "optimizer.safetensors"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if o.LearningRate() == 7 {
		t.Error("the learning rate was not loaded")
	}
	train(5, 12, o)
	for i, v := range whole.All() {
		if got := after.All()[i].Tensor; !slices.Equal(got.ToBytes(), v.Tensor.ToBytes()) {
			t.Errorf("%s is %v, and %v without the interruption", v.Name, got, v.Tensor)
		}
	}
}

// TestStateOfOthers: the state of another optimizer, or of other variables, is an error that says so, and changes
// nothing.
func TestStateOfOthers(t *testing.T) {
	v := func(shape ...int) *tensor.Tensor { return tensor.NewVar(tensor.Ones(shape...)) }
	folder := t.TempDir()
	path := filepath.Join(folder, "state.safetensors")
	w := v(2, 3)
	o := nn.NewAdamW([]*tensor.Tensor{w}, nn.DefaultAdamW())
	nn.BackwardStep(o, w.Sqr().Sum())
	if err := o.Save(path); err != nil {
		t.Fatal(err)
	}
	wrong := filepath.Join(folder, "wrong.safetensors")
	if err := formats.WriteSafetensors(wrong, []formats.Named{{Name: "0.mean", Tensor: w.Detach()}},
		map[string]string{"optimizer": "adamw", "variables": "1"}); err != nil {
		t.Fatal(err)
	}
	other := nn.NewAdamW([]*tensor.Tensor{v(3, 2)}, nn.AdamWConfig{LR: 0.5, Beta2: 0.9})
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"kind": {nn.NewSGD([]*tensor.Tensor{v(2, 3)}, 1).Load(path), `"adamw", not of sgd`},
		"count": {nn.NewAdamW([]*tensor.Tensor{v(2, 3), v(1)}, nn.DefaultAdamW()).Load(path),
			"for 1 variables, the optimizer has 2"},
		"shape":    {other.Load(path), "0.mean has shape [2 3] of f32, and the variable asks for [3 2] of f32"},
		"numbers":  {o.Load(wrong), `is "", not a number`},
		"ending":   {o.Save(filepath.Join(folder, "state.npz")), ".npz"},
		"no file":  {o.Load(filepath.Join(folder, "none.safetensors")), "none.safetensors"},
		"no state": {o.Load("testdata/params.safetensors"), ""},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", name, c.err, c.want)
		}
	}
	if other.Config.LR != 0.5 {
		t.Error("an error has changed the optimizer")
	}
}
