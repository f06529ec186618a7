package nn_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// recorded is training.json: what training.py has of PyTorch.
type recorded struct {
	Optimizers struct {
		Matrix, Vector plainTensor
		Gradients      [][2]plainTensor
		Runs           []recordedRun
	}
	Schedules []struct {
		Name  string
		Rates []float64
	}
	Losses []recordedLoss
}

type recordedRun struct {
	Name, Kind string
	Config     json.RawMessage
	Matrix     plainTensor
	Vector     *plainTensor
}

type plainTensor struct {
	Shape []int
	Data  []float64
}

func (p plainTensor) on(dev *tensor.Device, dt tensor.DType) *tensor.Tensor {
	return tensor.CPU().FromSlice(p.Data, p.Shape...).ToDType(dt).ToDevice(dev)
}

func readRecorded(t *testing.T) (r recorded) {
	t.Helper()
	text, err := os.ReadFile("testdata/training.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// configured sets fields of a config by their names in JSON.
func configured[C any](t *testing.T, usual C, fields json.RawMessage) C {
	t.Helper()
	if err := json.Unmarshal(fields, &usual); err != nil {
		t.Fatal(err)
	}
	return usual
}

// optimizerOf makes the optimizer of a recorded run.
func optimizerOf(t *testing.T, r recordedRun, vars []*tensor.Tensor) nn.Optimizer {
	t.Helper()
	switch r.Kind {
	case "adam":
		return nn.NewAdam(vars, configured(t, nn.DefaultAdam(), r.Config))
	case "adamw":
		return nn.NewAdamW(vars, configured(t, nn.DefaultAdamW(), r.Config))
	case "lion":
		return nn.NewLion(vars, configured(t, nn.DefaultLion(), r.Config))
	case "sgd":
		c := configured(t, struct {
			LR, Momentum, WeightDecay float64
			Nesterov                  bool
		}{}, r.Config)
		s := nn.NewSGD(vars, c.LR)
		s.Momentum, s.WeightDecay, s.Nesterov = c.Momentum, c.WeightDecay, c.Nesterov
		return s
	case "rmsprop":
		return nn.NewRMSprop(vars, configured(t, nn.DefaultRMSprop(), r.Config))
	case "adagrad":
		return nn.NewAdagrad(vars, configured(t, nn.DefaultAdagrad(), r.Config))
	case "adafactor":
		return nn.NewAdafactor(vars, configured(t, nn.DefaultAdafactor(), r.Config))
	case "muon":
		c := configured(t, nn.DefaultMuon(), r.Config)
		c.DType = vars[0].DType() // as recorded
		return nn.NewMuon(vars, c)
	}
	t.Fatalf("no optimizer %q", r.Kind)
	return nil
}

// far is the largest difference of the elements of a tensor from numbers, relative to those above 1.
func far(got *tensor.Tensor, want []float64) (most float64) {
	list := got.FlattenAll().ToVec1()
	if len(list) != len(want) {
		return math.Inf(1)
	}
	for i, w := range want {
		d := math.Abs(list[i]-w) / max(1, math.Abs(w))
		if list[i] == w || math.IsNaN(w) && math.IsNaN(list[i]) {
			d = 0
		}
		if !(d <= most) {
			most = d
		}
	}
	return most
}

// TestOptimizersBesidePyTorch: six steps with given gradients, half of them after the state was saved and loaded. On
// the emulated GPU the bits are those of the host.
func TestOptimizersBesidePyTorch(t *testing.T) {
	all := readRecorded(t)
	for _, r := range all.Optimizers.Runs {
		t.Run(r.Name, func(t *testing.T) {
			host := map[tensor.DType][]float64{}
			for _, where := range []string{"cpu", "rocm"} {
				dev, err := tensor.NewDevice(where)
				if err != nil {
					t.Skip(err)
				}
				types := map[tensor.DType]float64{tensor.F64: 1e-12, tensor.F32: 3e-6}
				if !dev.IsCPU() && !thorough.On() {
					delete(types, tensor.F64)
				}
				for dt, tolerance := range types {
					got := steps(t, all, r, dev, dt)
					if far(got[0], r.Matrix.Data) > tolerance || r.Vector != nil && far(got[1], r.Vector.Data) > tolerance {
						t.Errorf("%v %v: %v %v", dev, dt, got[0], r.Matrix.Data)
					}
					if before, ok := host[dt]; !ok {
						host[dt] = bits(got[0])
					} else if composed := r.Kind == "muon" || r.Kind == "adafactor"; !composed && !slices.Equal(bits(got[0]), before) {
						t.Errorf("%v: not the bits of the host", dt)
					}
				}
			}
		})
	}
}

// steps takes the steps of a recorded run.
func steps(t *testing.T, all recorded, r recordedRun, dev *tensor.Device, dt tensor.DType) []*tensor.Tensor {
	t.Helper()
	o := all.Optimizers
	vars := []*tensor.Tensor{tensor.NewVar(o.Matrix.on(dev, dt))}
	if r.Vector != nil {
		vars = append(vars, tensor.NewVar(o.Vector.on(dev, dt)))
	}
	opt := optimizerOf(t, r, vars)
	for i, pair := range o.Gradients {
		loss := vars[0].Mul(pair[0].on(dev, dt)).Sum()
		if r.Vector != nil {
			loss = loss.Add(vars[1].Mul(pair[1].on(dev, dt)).Sum())
		}
		nn.BackwardStep(opt, loss)
		if i == 2 {
			path := filepath.Join(t.TempDir(), "state.safetensors")
			if err := opt.(interface{ Save(string) error }).Save(path); err != nil {
				t.Fatal(err)
			}
			opt = optimizerOf(t, recordedRun{Kind: r.Kind, Config: []byte(`{"LR": 9}`)}, vars)
			if err := opt.(interface{ Load(string) error }).Load(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	return vars
}

func TestSchedulesBesidePyTorch(t *testing.T) {
	mine := map[string]nn.Schedule{
		"constant":        nn.Constant(0.5),
		"step":            nn.StepDecay(0.5, 0.3, 7),
		"multi-step":      nn.MultiStepDecay(0.5, 0.3, 4, 11, 12),
		"exponential":     nn.ExponentialDecay(0.5, 0.9),
		"cosine":          nn.CosineDecay(0.5, 0.01, 20),
		"cosine restarts": nn.CosineRestarts(0.5, 0.01, 5, 2),
		"linear":          nn.LinearDecay(0.125, 0.5, 8),
		"polynomial":      nn.PolynomialDecay(0.5, 0, 12, 2),
		"one cycle":       nn.OneCycle(0.5, 31, nn.OneCycleOptions{}),
		"sequence":        nn.Sequence([]int{4, 15}, nn.Constant(0.05), nn.ExponentialDecay(0.5, 0.8), nn.StepDecay(0.5, 0.5, 5)),
	}
	for _, s := range readRecorded(t).Schedules {
		f := mine[s.Name]
		if f == nil {
			t.Errorf("no schedule %q", s.Name)
			continue
		}
		for i, want := range s.Rates {
			if got := f(i); math.Abs(got-want) > 1e-9 {
				t.Errorf("%s: step %d has %v, PyTorch %v", s.Name, i, got, want)
			}
		}
		delete(mine, s.Name)
	}
	for name := range mine {
		t.Errorf("nothing is recorded for %s", name)
	}
}

// TestGroups: groups have their own rates and decay, clip by the norm of all gradients, freeze, and are saved; steps of
// a graph have the bits of others.
func TestGroups(t *testing.T) {
	make := func(dev *tensor.Device) (*learner, *nn.Groups) {
		var g *nn.Groups
		l := newLearner(dev, tensor.F32, 1, 0, func(vars []*tensor.Tensor) nn.Optimizer {
			a, b := nn.DefaultAdamW(), nn.DefaultLion()
			a.LR, a.Gradients.ClipNorm, b.LR, b.Gradients.ClipNorm = 0.05, 0.01, 0.02, 0.01
			g = nn.NewGroups(nn.NewAdamW(vars[:1], a), nn.NewLion(vars[1:], b))
			return g
		})
		return l, g
	}
	gpu, _ := graphDevice(t)
	plain, groups := make(gpu)
	graphed, byGraph := make(gpu)
	trainer := nn.NewTrainer(graphed.opt, graphed.loss)
	path := filepath.Join(t.TempDir(), "groups.safetensors")
	for step := range 9 {
		x, y := batch(gpu, 8, step)
		if step == 4 {
			groups.Freeze(1, true)
			byGraph.Freeze(1, true)
		}
		if step == 7 {
			groups.Freeze(1, false)
			byGraph.Freeze(1, false)
			if err := groups.Save(path); err != nil {
				t.Fatal(err)
			}
			if err := byGraph.Load(path); err != nil {
				t.Fatal(err)
			}
		}
		groups.SetLearningRate(0.05 / float64(step+1))
		byGraph.SetLearningRate(0.05 / float64(step+1))
		frozen := bits(plain.vars[1])
		nn.TrainStep(plain.opt, func() *tensor.Tensor { return plain.loss(x, y) })
		trainer.Step(x, y)
		for i := range plain.vars {
			if !slices.Equal(bits(plain.vars[i]), bits(graphed.vars[i])) {
				t.Fatalf("step %d: variable %d differs between a graph and none", step, i)
			}
		}
		if moved := !slices.Equal(bits(plain.vars[1]), frozen); moved == (step >= 4 && step < 7) {
			t.Errorf("step %d: variable 1 moved: %v", step, moved)
		}
	}
	if _, err := trainer.Graph(); err != nil && fmt.Sprint(err) != "" {
		t.Logf("the last step: %v", err)
	}
	if got := groups.Group(1).LearningRate(); math.Abs(got-0.02/9) > 1e-12 {
		t.Errorf("the second group has the rate %v", got)
	}
	// the same as clipping all gradients before
	one, _ := make(tensor.CPU())
	other, _ := make(tensor.CPU())
	x, y := batch(tensor.CPU(), 8, 0)
	grads := one.loss(x, y).Backward()
	nn.ClipGradNorm(grads, one.vars, 0.01)
	nn.NewAdamW(one.vars[:1], adamConfig(0.05)).Step(grads)
	nn.TrainStep(other.opt, func() *tensor.Tensor { return other.loss(x, y) })
	if d := far(other.vars[0], bits(one.vars[0])); d > 1e-6 {
		t.Errorf("clipped by the norm of its own group: %v away", d)
	}
}

func adamConfig(lr float64) nn.AdamWConfig {
	c := nn.DefaultAdamW()
	c.LR = lr
	return c
}

// TestEMA: averages are those of the recurrence, survive saving, and change places with the variables.
func TestEMA(t *testing.T) {
	for _, dt := range []tensor.DType{tensor.F32, tensor.BF16} {
		v := tensor.NewVar(tensor.Of(1, -2).To(dt))
		e := nn.NewEMA([]*tensor.Tensor{v}, 0.75)
		e.Warmup = true
		want := []float64{1, -2}
		path := filepath.Join(t.TempDir(), "ema.safetensors")
		for n := range 6 {
			v.Set(tensor.Of(float64(n), 2).To(dt))
			e.Update()
			decay := min(0.75, float64(n+2)/float64(n+11))
			want[0] += (1 - decay) * (float64(n) - want[0])
			want[1] += (1 - decay) * (2 - want[1])
			if n == 3 {
				if err := e.Save(path); err != nil {
					t.Fatal(err)
				}
				e = nn.NewEMA([]*tensor.Tensor{v}, 0.75)
				e.Warmup = true
				if err := e.Load(path); err != nil {
					t.Fatal(err)
				}
			}
		}
		tolerance := 1e-6
		if dt == tensor.BF16 {
			tolerance = 1.0 / 256
		}
		if d := far(e.Means()[0], want); d > tolerance {
			t.Errorf("%v: %v, want %v", dt, e.Means()[0], want)
		}
		e.Swap()
		if d := far(v, want); d > tolerance || !slices.Equal(bits(e.Means()[0]), []float64{5, 2}) {
			t.Errorf("%v: swapped %v and %v", dt, v, e.Means()[0])
		}
		if err := tensor.Catch(func() error { e.Update(); return nil }); err == nil {
			t.Error("an update between swaps is no error")
		}
		e.Swap()
		if !slices.Equal(bits(v), []float64{5, 2}) {
			t.Error(v)
		}
	}
}

// TestScalerLeftOut: an optimizer with a Scaler refuses steps against losses that the Scaler did not multiply, and takes
// them when the scale is taken from it.
func TestScalerLeftOut(t *testing.T) {
	one := func() []*tensor.Tensor { return []*tensor.Tensor{tensor.NewVar(tensor.Of(1, 2).Reshape(1, 2))} }
	sgd, adamW, muon := nn.NewSGD(one(), 0.1), nn.NewAdamW(one(), nn.DefaultAdamW()), nn.NewMuon(one(), nn.DefaultMuon())
	first, second := nn.NewSGD(one(), 0.1), nn.NewAdamW(one(), nn.DefaultAdamW())
	for _, c := range []struct {
		opt interface {
			nn.Optimizer
			Vars() []*tensor.Tensor
		}
		without func()
	}{
		{sgd, func() { sgd.Gradients = nn.Gradients{} }},
		{adamW, func() { adamW.Config.Gradients = nn.Gradients{} }},
		{muon, func() { muon.Config.Gradients = nn.Gradients{} }},
		{nn.NewGroups(first, second), func() { first.Gradients, second.Config.Gradients = nn.Gradients{}, nn.Gradients{} }},
	} {
		s := nn.NewScaler(c.opt, nn.DefaultScaler())
		vars := c.opt.Vars()
		loss := func() *tensor.Tensor {
			sum := tensor.Of(0).Sum()
			for _, v := range vars {
				sum = sum.Add(v.Sqr().Sum())
			}
			return sum
		}
		moved := func(step func()) (bool, error) {
			before := vars[len(vars)-1].Copy()
			err := tensor.Catch(func() error { step(); return nil })
			return vars[len(vars)-1].Sub(before).Abs().Min().ToScalar() > 1e-4, err
		}
		refused := func(when string) {
			t.Helper()
			for name, step := range map[string]func(){
				"Step":           func() { c.opt.Step(loss().Backward()) },
				"BackwardStep":   func() { nn.BackwardStep(c.opt, loss()) },
				"AccumulateStep": func() { nn.AccumulateStep(c.opt, loss, loss) },
			} {
				if ok, err := moved(step); ok || !errors.Is(err, tensor.ErrGradient) {
					t.Errorf("%v, %s, %s: %v", c.opt, when, name, err)
				}
			}
		}
		refused("at first")
		for range 2 {
			if ok, err := moved(func() { nn.TrainStep(c.opt, func() *tensor.Tensor { return s.Loss(loss()) }) }); !ok || err != nil {
				t.Errorf("%v: with the scaler: moved %v, %v", c.opt, ok, err)
			}
			s.Update()
		}
		refused("after steps with the Scaler")
		c.without()
		if ok, err := moved(func() { nn.BackwardStep(c.opt, loss()) }); !ok || err != nil {
			t.Errorf("%v: without the scaler: moved %v, %v", c.opt, ok, err)
		}
	}
}

// TestScaler follows PyTorch's GradScaler: growth after so many good steps, backoff after a bad one, which changes
// nothing.
func TestScaler(t *testing.T) {
	v := tensor.NewVar(tensor.Of(1))
	opt := nn.NewSGD([]*tensor.Tensor{v}, 0.5)
	s := nn.NewScaler(opt, nn.ScalerConfig{Scale: 8, Growth: 2, Backoff: 0.25, Interval: 2})
	for i, step := range []struct{ slope, scale, value float64 }{
		{1, 8, 0.5}, {1, 16, 0}, {math.Inf(1), 4, 0}, {1, 4, -0.5}, {math.NaN(), 1, -0.5}, {1, 1, -1}, {1, 2, -1.5},
	} {
		loss := nn.TrainStep(opt, func() *tensor.Tensor { return s.Loss(v.Mul(step.slope).Sum()) })
		skipped := s.Update()
		if bad := step.slope-step.slope != 0; s.Scale() != step.scale || skipped != bad || v.Get(0).ToScalar() != step.value {
			t.Errorf("step %d: scale %v, skipped %v, variable %v, loss %v", i, s.Scale(), skipped, v, loss)
		}
	}
}
