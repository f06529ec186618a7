package nn_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// everywhere are the CPU and the GPUs that there are, or the emulated one.
func everywhere(t *testing.T) []*tensor.Device {
	all := devices(t)
	if nvidia, err := tensor.NewDevice("cuda"); err == nil {
		all = append(all, nvidia)
	}
	return all
}

// definition takes a step with one number.
type definition func(w, g float64, s *[3]float64, n int) float64

// gradientOf is the gradient of element i of variable k in a step: some are large, and some 0.
func gradientOf(k, i, step int) float64 {
	return math.Sin(float64(7*k+3*i+step)) * []float64{1, 0.01, 0, 30}[(i+step)%4]
}

func adamReference(c nn.AdamWConfig) definition {
	return func(w, g float64, s *[3]float64, n int) float64 {
		s[0] = s[0]*c.Beta1 + g*(1-c.Beta1)
		s[1] = s[1]*c.Beta2 + g*g*(1-c.Beta2)
		mean, square := s[0]/(1-math.Pow(c.Beta1, float64(n))), s[1]/(1-math.Pow(c.Beta2, float64(n)))
		return w*(1-c.LR*c.WeightDecay) - c.LR*mean/(math.Sqrt(square)+c.Eps)
	}
}

func rmsReference(c nn.RMSpropConfig) definition {
	return func(w, g float64, s *[3]float64, _ int) float64 {
		g += c.WeightDecay * w
		s[0] = c.Alpha*s[0] + (1-c.Alpha)*g*g
		spread := s[0]
		if c.Centered {
			s[1] = c.Alpha*s[1] + (1-c.Alpha)*g
			spread -= s[1] * s[1]
		}
		along := g / (math.Sqrt(spread) + c.Eps)
		s[2] = c.Momentum*s[2] + along
		return w - c.LR*s[2]
	}
}

func adagradReference(c nn.AdagradConfig) definition {
	return func(w, g float64, s *[3]float64, n int) float64 {
		g += c.WeightDecay * w
		if n == 1 {
			s[0] = c.Initial
		}
		s[0] += g * g
		return w - c.LR/(1+float64(n-1)*c.LRDecay)*g/(math.Sqrt(s[0])+c.Eps)
	}
}

func sgdReference(lr, decay, momentum float64, nesterov bool) definition {
	return func(w, g float64, s *[3]float64, _ int) float64 {
		g += decay * w
		s[0] = momentum*s[0] + g
		if nesterov {
			return w - lr*(g+momentum*s[0])
		}
		return w - lr*s[0]
	}
}

// optimizerCases are optimizers with their definitions.
func optimizerCases() map[string]func(vars []*tensor.Tensor) (nn.Optimizer, definition) {
	type of = func(vars []*tensor.Tensor) (nn.Optimizer, definition)
	sgd := func(decay, momentum float64, nesterov bool) of {
		return func(vars []*tensor.Tensor) (nn.Optimizer, definition) {
			s := nn.NewSGD(vars, 0.1)
			s.WeightDecay, s.Momentum, s.Nesterov = decay, momentum, nesterov
			return s, sgdReference(0.1, decay, momentum, nesterov)
		}
	}
	rms := func(change func(c *nn.RMSpropConfig)) of {
		return func(vars []*tensor.Tensor) (nn.Optimizer, definition) {
			c := nn.DefaultRMSprop()
			change(&c)
			return nn.NewRMSprop(vars, c), rmsReference(c)
		}
	}
	return map[string]of{
		"sgd":      sgd(0, 0, false),
		"decay":    sgd(0.1, 0, false),
		"momentum": sgd(0, 0.9, false),
		"nesterov": sgd(0.1, 0.9, true),
		"rmsprop":  rms(func(*nn.RMSpropConfig) {}),
		"rmsprop with all": rms(func(c *nn.RMSpropConfig) {
			c.Alpha, c.Eps, c.Momentum, c.Centered, c.WeightDecay = 0.9, 1e-4, 0.5, true, 0.05
		}),
		"adagrad": func(vars []*tensor.Tensor) (nn.Optimizer, definition) {
			c := nn.DefaultAdagrad()
			c.LR, c.LRDecay, c.WeightDecay, c.Initial = 0.1, 0.25, 0.05, 0.3
			return nn.NewAdagrad(vars, c), adagradReference(c)
		},
		"adamw": func(vars []*tensor.Tensor) (nn.Optimizer, definition) {
			c := nn.DefaultAdamW()
			c.LR, c.WeightDecay = 0.05, 0.1
			return nn.NewAdamW(vars, c), adamReference(c)
		},
	}
}

// manyVars returns more variables than one launch takes, of sizes around those of packs and chunks.
func manyVars(dt tensor.DType, dev *tensor.Device) (vars []*tensor.Tensor) {
	for k := range 67 {
		n := []int{1, 3, 4, 7, 33, 0}[k%6]
		if k == 5 {
			n = 16384 + 5
		}
		vars = append(vars, tensor.NewVar(tensor.CPU().Arange(tensor.F64, float64(n)).Add(k).Sin().ToDType(dt).ToDevice(dev)))
	}
	return vars
}

// gradients are those of a loss that is linear in the variables; every third is not contiguous.
func gradients(vars []*tensor.Tensor, step int) *tensor.GradStore {
	loss := vars[0].Device().Zeros(vars[0].DType())
	grads := tensor.NewVar(loss).Sum().Backward()
	for k, v := range vars {
		list := make([]float64, v.ElemCount())
		for i := range list {
			list[i] = gradientOf(k, i, step)
		}
		g := tensor.FromSlice(list, v.Dims()...).ToDType(v.DType()).ToDevice(v.Device())
		if k%3 == 0 {
			g = tensor.Stack([]*tensor.Tensor{g, g}, 1).GetOnDim(1, 1)
		}
		grads.Insert(v, g)
	}
	return grads
}

// TestOptimizers: steps with variables of every type, on every device, are those of the definitions.
func TestOptimizers(t *testing.T) {
	for _, dev := range everywhere(t) {
		if dev.Emulated() {
			continue // TestOptimizersAgree
		}
		for name, build := range optimizerCases() {
			for dt, within := range map[tensor.DType]float64{tensor.F32: 1e-5, tensor.F64: 1e-12, tensor.F16: 0.01, tensor.BF16: 0.05} {
				t.Run(fmt.Sprintf("%v/%s/%v", dev, name, dt), func(t *testing.T) {
					vars := manyVars(dt, dev)
					o, step := build(vars)
					want := make([][]float64, len(vars))
					state := make([][][3]float64, len(vars))
					for k, v := range vars {
						want[k], state[k] = v.Float64s(), make([][3]float64, v.ElemCount())
					}
					for n := 1; n <= 3; n++ {
						grads := gradients(vars, n)
						o.Step(grads)
						for k := range vars {
							g := grads.Get(vars[k]).Float64s()
							for i := range want[k] {
								if i > 40 {
									break
								}
								want[k][i] = step(want[k][i], g[i], &state[k][i], n)
							}
						}
					}
					for k, v := range vars {
						for i, got := range v.Float64s() {
							if i > 40 {
								break
							}
							if math.Abs(got-want[k][i]) > within*max(1, math.Abs(want[k][i])) {
								t.Fatalf("element %d of variable %d is %v, want %v", i, k, got, want[k][i])
							}
						}
					}
				})
			}
		}
	}
}

// TestOptimizersAgree: the emulated GPU computes the bits of the host, of every type.
func TestOptimizersAgree(t *testing.T) {
	thorough.Slow(t)
	all := everywhere(t)
	cases := optimizerCases()
	for i, name := range slices.Sorted(maps.Keys(cases)) {
		build := cases[name]
		types := []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.BF16, tensor.F8E4M3}
		for _, dt := range thorough.Sample(types, 3, i) {
			var want [][]float64
			for _, dev := range all {
				vars := manyVars(dt, tensor.CPU())
				for k, v := range vars {
					vars[k] = tensor.NewVar(v.Detach().ToDevice(dev))
				}
				o, _ := build(vars)
				for n := range 3 {
					o.Step(gradients(vars, n))
				}
				for k, v := range vars {
					got := v.Float64s()
					if dev.IsCPU() {
						want = append(want, got)
						continue
					}
					sameBits(t, fmt.Sprintf("%s, %v, variable %d", name, dt, k), got, want[k])
				}
			}
		}
	}
}

// sameBits reports the first element that differs.
func sameBits(t *testing.T, of string, got, want []float64) {
	t.Helper()
	for i := range got {
		if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
			t.Fatalf("%s: element %d is %v, want %v", of, i, got[i], want[i])
		}
	}
}

// TestGradientsOfSteps: what a step does with gradients first is what the functions do with those of a GradStore.
func TestGradientsOfSteps(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range everywhere(t) {
		for _, dt := range []tensor.DType{tensor.F32, tensor.F64, tensor.BF16} {
			t.Run(fmt.Sprintf("%v/%v", dev, dt), func(t *testing.T) { gradientsOfSteps(t, dt, dev) })
		}
	}
}

func gradientsOfSteps(t *testing.T, dt tensor.DType, dev *tensor.Device) {
	exact := map[tensor.DType]float64{tensor.F32: 1e-6, tensor.F64: 1e-14, tensor.BF16: 0.01}[dt]
	vars := manyVars(dt, dev)
	grads := gradients(vars, 1)
	whole := normOf(vars, grads)
	if got := nn.GradNorm(grads, vars).ToScalar(); math.Abs(got/whole-1) > 1e-12 {
		t.Errorf("the norm is %v, want %v", got, whole)
	}
	for name, c := range map[string]struct {
		options nn.Gradients
		change  func(grads *tensor.GradStore)
	}{
		"norm": {nn.Gradients{ClipNorm: 3}, func(grads *tensor.GradStore) {
			if had := nn.ClipGradNorm(grads, vars, 3).ToScalar(); math.Abs(had/whole-1) > 1e-12 {
				t.Errorf("the norm was %v, want %v", had, whole)
			}
			if now := normOf(vars, grads); math.Abs(now-3) > 3*exact+1e-6 {
				t.Errorf("the norm is %v after it was limited to 3", now)
			}
		}},
		"no limit": {nn.Gradients{ClipNorm: 2 * whole}, func(grads *tensor.GradStore) {
			nn.ClipGradNorm(grads, vars, 2*whole)
		}},
		"value": {nn.Gradients{ClipValue: 0.25}, func(grads *tensor.GradStore) {
			nn.ClipGradValue(grads, vars, 0.25)
			for _, v := range vars {
				for _, x := range grads.Get(v).Float64s() {
					if math.Abs(x) > 0.25 {
						t.Fatalf("an element is %v after it was limited to 0.25", x)
					}
				}
			}
		}},
		"scale": {nn.Gradients{Scale: 4}, func(grads *tensor.GradStore) { nn.ScaleGrads(grads, vars, 0.25) }},
	} {
		by, steps := copies(vars), copies(vars)
		after := gradients(vars, 1)
		c.change(after)
		for k, v := range vars {
			after.Insert(by[k], after.Get(v))
		}
		nn.NewSGD(by, 0.1).Step(after)
		o := nn.NewSGD(steps, 0.1)
		o.Gradients = c.options
		o.Step(gradients(steps, 1))
		for k := range by {
			a, b := by[k].Float64s(), steps[k].Float64s()
			for i := range a {
				if math.Abs(a[i]-b[i]) > 3*exact {
					t.Fatalf("%s: element %d of variable %d is %v, and %v in steps", name, i, k, a[i], b[i])
				}
			}
		}
	}
}

func copies(vars []*tensor.Tensor) (list []*tensor.Tensor) {
	for _, v := range vars {
		list = append(list, tensor.NewVar(v))
	}
	return list
}

func normOf(vars []*tensor.Tensor, grads *tensor.GradStore) float64 {
	sum := 0.0
	for _, v := range vars {
		for _, x := range grads.Get(v).Float64s() {
			sum += x * x
		}
	}
	return math.Sqrt(sum)
}

// TestSkippedSteps: a step with a gradient that is not finite changes nothing, and the ones after it are those of an
// optimizer that has never seen it.
func TestSkippedSteps(t *testing.T) {
	thorough.Slow(t)
	for _, dev := range everywhere(t) {
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			c := nn.DefaultAdamW()
			c.Gradients.SkipNotFinite = true
			skips, never := manyVars(tensor.F32, dev), manyVars(tensor.F32, dev)
			a, b := nn.NewAdamW(skips, c), nn.NewAdamW(never, nn.DefaultAdamW())
			for n := range 3 {
				grads := gradients(skips, n)
				last := skips[len(skips)-3]
				grads.Insert(last, grads.Get(last).FullLike(bad))
				a.Step(grads)
				a.Step(gradients(skips, n))
				b.Step(gradients(never, n))
			}
			if a.Skipped() != 3 {
				t.Errorf("%v: %d steps were skipped, want 3", dev, a.Skipped())
			}
			for k := range skips {
				sameBits(t, fmt.Sprintf("%v, variable %d", dev, k), skips[k].Float64s(), never[k].Float64s())
			}
		}
	}
}

// TestMasterWeights: steps that are too small for BF16 add up, and what is set meanwhile is taken over.
func TestMasterWeights(t *testing.T) {
	for _, dev := range everywhere(t) {
		for master, want := range map[bool]float64{false: 1, true: 1 - 64./1024} {
			w := tensor.NewVar(dev.Ones(tensor.BF16, 5))
			o := nn.NewSGD([]*tensor.Tensor{w}, 1./1024)
			o.MasterWeights = master
			for range 64 {
				nn.BackwardStep(o, w.Sum())
			}
			if got := w.Float64s(); got[4] != want {
				t.Errorf("%v: after small steps %v, want %v", dev, got, want)
			}
			w.Narrow(0, 1, 1).Detach().ConstSet(8)
			nn.BackwardStep(o, w.Sum())
			if got := w.Float64s(); got[1] != 8 || master && got[0] != 0.9375 {
				t.Errorf("%v: after an element was set to 8: %v", dev, got)
			}
		}
	}
}

// TestVariablesOfDevicesAndTypes: one optimizer, variables everywhere; their norm is one.
func TestVariablesOfDevicesAndTypes(t *testing.T) {
	var vars []*tensor.Tensor
	for _, dev := range everywhere(t) {
		for _, dt := range []tensor.DType{tensor.F32, tensor.F64, tensor.F16, tensor.C64} {
			vars = append(vars, tensor.NewVar(tensor.Of(3, 4).ToDType(dt).ToDevice(dev)))
		}
	}
	o := nn.NewSGD(vars, 1)
	o.Gradients.ClipNorm = 0.5
	grads := tensor.NewVar(tensor.Of(0)).Sum().Backward()
	for _, v := range vars {
		grads.Insert(v, v.Detach())
	}
	whole := 5 * math.Sqrt(float64(len(vars)))
	if got := nn.GradNorm(grads, vars).ToScalar(); math.Abs(got-whole) > 1e-6 {
		t.Errorf("the norm is %v, want %v", got, whole)
	}
	o.Step(grads)
	for _, v := range vars {
		if got, want := v.Abs().ToDType(tensor.F64).Get(1).ToScalar(), 4-4*0.5/whole; math.Abs(got-want) > 2e-3 {
			t.Errorf("%v on %v is %v, want %v", v.DType(), v.Device(), got, want)
		}
	}
}

// TestMistakesOfOptimizers names what optimizers refuse.
func TestMistakesOfOptimizers(t *testing.T) {
	w := tensor.NewVar(tensor.Of(1, 2))
	for want, f := range map[string]func(){
		"tensor 1 is tensor 0 once more": func() { nn.NewSGD([]*tensor.Tensor{w, w}, 1) },
		"a number makes no sense":        func() { nn.NewRMSprop([]*tensor.Tensor{w}, nn.RMSpropConfig{LR: 1}) },
		"is complex": func() {
			nn.NewRMSprop([]*tensor.Tensor{tensor.NewVar(tensor.New(1i))}, nn.DefaultRMSprop())
		},
		"a limit of gradients makes no sense": func() {
			s := nn.NewSGD([]*tensor.Tensor{w}, 1)
			s.Gradients.ClipNorm = -1
			nn.BackwardStep(s, w.Sum())
		},
		"none of 1 variables has a gradient": func() {
			nn.GradNorm(w.Sum().Backward(), []*tensor.Tensor{tensor.NewVar(w)})
		},
	} {
		if _, err := tensor.Try(func() *tensor.Tensor { f(); return nil }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q: %v", want, err)
		}
	}
}
