package optim_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/nn/optim"
)

// optimizer is what all of the package are.
type optimizer interface {
	nn.Optimizer
	Save(path string) error
	Load(path string) error
	Skipped() int
}

// makers have a constructor for each kind, for defaults with changes.
var makers = map[string]func(vars []*tensor.Tensor, change func(config any)) optimizer{
	"nadam": func(vars []*tensor.Tensor, change func(config any)) optimizer {
		c := optim.DefaultNAdam()
		change(&c)
		return optim.NewNAdam(vars, c)
	},
	"radam": func(vars []*tensor.Tensor, change func(config any)) optimizer {
		c := optim.DefaultRAdam()
		change(&c)
		return optim.NewRAdam(vars, c)
	},
	"adadelta": func(vars []*tensor.Tensor, change func(config any)) optimizer {
		c := optim.DefaultAdadelta()
		change(&c)
		return optim.NewAdadelta(vars, c)
	},
	"asgd": func(vars []*tensor.Tensor, change func(config any)) optimizer {
		c := optim.DefaultASGD()
		change(&c)
		return optim.NewASGD(vars, c)
	},
	"rprop": func(vars []*tensor.Tensor, change func(config any)) optimizer {
		c := optim.DefaultRprop()
		change(&c)
		return optim.NewRprop(vars, c)
	},
}

func devices(t *testing.T) []*tensor.Device {
	t.Helper()
	gpu, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	return []*tensor.Device{tensor.CPU(), gpu}
}

// variables are those of testdata/steps.py.
func variables(dev *tensor.Device, dt tensor.DType) []*tensor.Tensor {
	return []*tensor.Tensor{tensor.NewVar(dev.New([][]float64{{1, -2}, {0.5, 3}}).ToDType(dt)),
		tensor.NewVar(dev.New([]float64{0.25, -1, 4}).ToDType(dt))}
}

// take takes a step of testdata/steps.py, with gradients multiplied by a factor.
func take(o nn.Optimizer, vars []*tensor.Tensor, step int, factor float64) {
	grads := tensor.NewVar(vars[0].Device().Zeros(tensor.F32)).Sum().Backward()
	for k, v := range vars {
		if k == 1 && step%3 == 0 {
			continue
		}
		list := make([]float64, v.ElemCount())
		for i := range list {
			list[i] = factor * math.Sin(float64(7*k)+float64(3*i)+float64(step)/float64(2+i)) *
				[]float64{1, 0.01, 0, 30}[(i+step)%4]
		}
		grads.Insert(v, tensor.CPU().FromSlice(list, v.Dims()...).ToDType(v.DType()).ToDevice(v.Device()))
	}
	o.Step(grads)
}

func elements(list []*tensor.Tensor) (all []float64) {
	for _, t := range list {
		all = append(all, t.Float64s()...)
	}
	return all
}

func compare(t *testing.T, what string, got, want []float64, within float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= within*max(1, math.Abs(want[i]))) {
			t.Errorf("%s: element %d is %v, want %v", what, i, got[i], want[i])
			return
		}
	}
}

// TestPyTorch: 50 steps are those of PyTorch, and so they are if the state is saved and loaded in between.
func TestPyTorch(t *testing.T) {
	thorough.Slow(t)
	text, err := os.ReadFile("testdata/steps.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Kind               string
		Config             map[string]any
		Five, Fifty, Means []float64
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, dev := range devices(t) {
		for _, c := range cases {
			for _, saved := range []int{0, 3, 20} {
				what := fmt.Sprintf("%v, %s %v, saved after step %d", dev, c.Kind, c.Config, saved)
				vars := variables(dev, tensor.F64)
				o := makers[c.Kind](vars, func(config any) {
					for name, x := range c.Config {
						reflect.ValueOf(config).Elem().FieldByName(name).Set(reflect.ValueOf(x))
					}
				})
				for step := 1; step <= 50; step++ {
					take(o, vars, step, 1)
					if step == 5 {
						compare(t, what+", 5 steps", elements(vars), c.Five, 1e-12)
					}
					if step != saved {
						continue
					}
					path := filepath.Join(t.TempDir(), "state.safetensors")
					if err := o.Save(path); err != nil {
						t.Fatal(err)
					}
					o = makers[c.Kind](vars, func(any) {})
					if err := o.Load(path); err != nil {
						t.Fatal(err)
					}
				}
				compare(t, what+", 50 steps", elements(vars), c.Fifty, 1e-12)
				if a, ok := o.(*optim.ASGD); ok {
					compare(t, what+", means", elements(a.Means()), c.Means, 1e-12)
				}
			}
		}
	}
}

// TestTypes: the emulated GPU computes the bits of the host, of every type, with and without copies in F32, and small
// floats stay near F64.
func TestTypes(t *testing.T) {
	types := map[tensor.DType]float64{tensor.F64: 0, tensor.F32: 1e-4, tensor.F16: 0.02, tensor.BF16: 0.1}
	for kind, build := range makers {
		var exact []float64
		for _, dt := range []tensor.DType{tensor.F64, tensor.F32, tensor.F16, tensor.BF16} {
			for _, master := range []bool{true, false} {
				var host []float64
				for _, dev := range devices(t) {
					vars := variables(dev, dt)
					o := build(vars, func(c any) {
						reflect.ValueOf(c).Elem().FieldByName("MasterWeights").SetBool(master)
					})
					for step := range 4 {
						take(o, vars, step, 1)
					}
					got := elements(vars)
					if dt == tensor.F64 {
						exact = got
					}
					if host != nil {
						compare(t, fmt.Sprintf("%s of %v on %v", kind, dt, dev), got, host, 0)
					}
					host = got
				}
				if master {
					compare(t, fmt.Sprintf("%s of %v", kind, dt), host, exact, types[dt])
				}
			}
		}
	}
}

// TestSkipped: a step whose gradients are infinite changes nothing, and does not count.
func TestSkipped(t *testing.T) {
	for _, dev := range devices(t) {
		for kind, build := range makers {
			plain, skips := variables(dev, tensor.F64), variables(dev, tensor.F64)
			a := build(plain, func(any) {})
			b := build(skips, func(c any) {
				reflect.ValueOf(c).Elem().FieldByName("Gradients").Set(reflect.ValueOf(nn.Gradients{SkipNotFinite: true}))
			})
			for step := 1; step < 12; step++ {
				if step == 2 || step == 6 || step == 7 {
					take(b, skips, step, math.Inf(1))
				}
				take(a, plain, step, 1)
				take(b, skips, step, 1)
			}
			compare(t, fmt.Sprintf("%s on %v", kind, dev), elements(skips), elements(plain), 1e-14)
			if n := b.Skipped(); n != 3 {
				t.Errorf("%s on %v: %d steps were skipped, want 3", kind, dev, n)
			}
		}
	}
}

// TestReplays: the replays of a captured step are steps, also when the learning rate changes, and after skipped ones.
func TestReplays(t *testing.T) {
	dev := devices(t)[1]
	for kind, build := range makers {
		run := func(captured bool) []float64 {
			v := tensor.NewVar(dev.New([]float64{1, -2, 0.5}))
			o := build([]*tensor.Tensor{v}, func(c any) {
				reflect.ValueOf(c).Elem().FieldByName("Gradients").Set(reflect.ValueOf(nn.Gradients{SkipNotFinite: true}))
			})
			f := func(in ...*tensor.Tensor) *tensor.Tensor { return v.Mul(in[0]).Sum().Sqr() }
			trainer := nn.NewTrainer(o, f)
			for k := range 9 {
				if k == 6 {
					o.SetLearningRate(o.LearningRate() / 2)
				}
				x := dev.New([]float64{math.Sin(float64(k)), 0.5, math.Cos(float64(2 * k))})
				if k == 1 || k == 5 {
					x = x.Mul(math.Inf(1))
				}
				if captured {
					trainer.Step(x)
				} else {
					nn.BackwardStep(o, f(x))
				}
			}
			return v.Float64s()
		}
		compare(t, kind, run(true), run(false), 0)
	}
}

// TestGroups: the optimizers are some of groups, and say what they are.
func TestGroups(t *testing.T) {
	vars := variables(tensor.CPU(), tensor.F64)
	c := optim.DefaultRAdam()
	c.Decoupled = true
	g := nn.NewGroups(optim.NewRAdam(vars[:1], c), optim.NewRprop(vars[1:], optim.DefaultRprop()))
	for step := 1; step < 3; step++ {
		take(g, vars, step, 1)
	}
	want := []string{"optim.RAdam: LR 0.001, Beta1 0.9, Beta2 0.999, Eps 1e-08, Decoupled; 1 variable of 4 elements",
		"optim.Rprop: LR 0.01, Down 0.5, Up 1.2, Least 1e-06, Most 50; 1 variable of 3 elements"}
	for _, line := range want {
		if !strings.Contains(g.String(), line) {
			t.Errorf("got %s, want %s", g, line)
		}
	}
	alone := variables(tensor.CPU(), tensor.F64)
	a, b := optim.NewRAdam(alone[:1], c), optim.NewRprop(alone[1:], optim.DefaultRprop())
	for step := 1; step < 3; step++ {
		take(a, alone[:1], step, 1)
		take(b, alone, step, 1)
	}
	compare(t, "groups", elements(vars), elements(alone), 0)
}

// TestRefused: numbers that make no sense, and tensors that are no variables.
func TestRefused(t *testing.T) {
	cpu := tensor.CPU()
	for _, c := range []struct {
		kind, field string
		value       float64
	}{
		{"nadam", "Beta1", 1}, {"nadam", "MomentumDecay", -1}, {"radam", "Beta2", -0.1}, {"radam", "LR", math.NaN()},
		{"adadelta", "Eps", 0}, {"adadelta", "Rho", 1.5}, {"asgd", "Lambda", -1}, {"rprop", "Up", 1}, {"rprop", "Most", 0},
	} {
		_, err := tensor.Try(func() *tensor.Tensor {
			makers[c.kind](variables(cpu, tensor.F64), func(config any) {
				reflect.ValueOf(config).Elem().FieldByName(c.field).SetFloat(c.value)
			})
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), "a number makes no sense") {
			t.Errorf("%s with %s %v: %v", c.kind, c.field, c.value, err)
		}
	}
	for kind, build := range makers {
		for what, v := range map[string]*tensor.Tensor{"is not a variable": cpu.Ones(tensor.F32, 2),
			"is complex": tensor.NewVar(cpu.Ones(tensor.C64, 2))} {
			_, err := tensor.Try(func() *tensor.Tensor { build([]*tensor.Tensor{v}, func(any) {}); return nil })
			if err == nil || !strings.Contains(err.Error(), what) {
				t.Errorf("%s: %v", kind, err)
			}
		}
	}
}

// BenchmarkStep takes steps of a variable of 2²⁰ elements on the host.
func BenchmarkStep(b *testing.B) {
	for kind, build := range makers {
		b.Run(kind, func(b *testing.B) {
			v := tensor.NewVar(tensor.CPU().Randn(tensor.F32, 1<<20))
			o, grads := build([]*tensor.Tensor{v}, func(any) {}), v.Sum().Backward()
			for b.Loop() {
				o.Step(grads)
			}
		})
	}
}
