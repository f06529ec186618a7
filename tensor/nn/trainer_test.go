package nn_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/random"
)

// graphDevice is a stream of the emulated GPU, or of a real one, with memory and random numbers of its own.
func graphDevice(t *testing.T) (*tensor.Device, *rocm.Device) {
	t.Helper()
	gpu, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Skip(err)
	}
	dev, err := gpu.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	dev.SetSeed(5)
	return dev, extend.Backend(dev).(backend.GPU).Device()
}

// learner is a perceptron of two layers, with an optimizer.
type learner struct {
	vars []*tensor.Tensor
	opt  nn.Optimizer
	loss func(in ...*tensor.Tensor) *tensor.Tensor
}

func newLearner(dev *tensor.Device, dt tensor.DType, scale, drop float64, opt func([]*tensor.Tensor) nn.Optimizer) *learner {
	weights := func(n, m int) *tensor.Tensor {
		return tensor.NewVar(tensor.CPU().Arange(tensor.F32, float64(n*m)).Sin().Reshape(n, m).ToDevice(dev).To(dt))
	}
	w1, b1, w2 := weights(3, 5), weights(1, 5), weights(5, 2)
	l := &learner{vars: []*tensor.Tensor{w1, b1, w2}}
	l.opt = opt(l.vars)
	l.loss = func(in ...*tensor.Tensor) *tensor.Tensor {
		h := in[0].To(dt).MatMul(w1).Add(b1).Tanh()
		if drop > 0 {
			h = nn.Dropout(drop).ForwardT(h, true)
		}
		return nn.CrossEntropy(h.MatMul(w2).To(tensor.F32), in[1]).Mul(scale)
	}
	return l
}

// batch is the input of a step.
func batch(dev *tensor.Device, rows, step int) (x, y *tensor.Tensor) {
	n := float64(3 * rows)
	x = dev.Arange(tensor.F32, n).Affine(0.7, float64(step)).Sin().Reshape(rows, 3)
	return x, dev.Arange(tensor.U32, float64(rows)).BitAnd(1)
}

func adamW(change func(c *nn.AdamWConfig)) func(vars []*tensor.Tensor) nn.Optimizer {
	return func(vars []*tensor.Tensor) nn.Optimizer {
		c := nn.DefaultAdamW()
		c.LR = 0.05
		change(&c)
		return nn.NewAdamW(vars, c)
	}
}

// bits are the elements of a tensor, exactly.
func bits(x *tensor.Tensor) []float64 { return x.FlattenAll().ToVec1() }

var trainers = []struct {
	name        string
	dtype       tensor.DType
	scale, drop float64
	opt         func(vars []*tensor.Tensor) nn.Optimizer
}{
	{"adamw", tensor.F32, 1, 0, adamW(func(*nn.AdamWConfig) {})},
	{"adamw clipped, dropout", tensor.F32, 1, 0.5, adamW(func(c *nn.AdamWConfig) {
		c.Gradients.ClipNorm, c.Gradients.ClipValue = 0.5, 0.1
	})},
	{"adamw master weights, scaled", tensor.BF16, 1024, 0, adamW(func(c *nn.AdamWConfig) {
		c.MasterWeights, c.Gradients = true, nn.Gradients{Scale: 1024, SkipNotFinite: true}
	})},
	{"sgd", tensor.F32, 1, 0, func(vars []*tensor.Tensor) nn.Optimizer { return nn.NewSGD(vars, 0.1) }},
	{"sgd momentum", tensor.F64, 1, 0, func(vars []*tensor.Tensor) nn.Optimizer {
		s := nn.NewSGD(vars, 0.1)
		s.Momentum, s.Nesterov, s.WeightDecay, s.Gradients.ClipNorm = 0.9, true, 0.01, 1
		return s
	}},
	{"rmsprop", tensor.F32, 1, 0, func(vars []*tensor.Tensor) nn.Optimizer {
		c := nn.DefaultRMSprop()
		c.Centered, c.Momentum, c.Gradients.SkipNotFinite = true, 0.5, true
		return nn.NewRMSprop(vars, c)
	}},
}

// TestTrainer: steps that are replayed give the bits of steps that are launched, with a learning rate that changes in
// each, random numbers, and a step that is skipped, and launch nothing but a graph and copies of inputs and result.
func TestTrainer(t *testing.T) {
	thorough.Slow(t)
	for _, c := range trainers {
		t.Run(c.name, func(t *testing.T) {
			graphed, device := graphDevice(t)
			plain, _ := graphDevice(t)
			a, b := newLearner(graphed, c.dtype, c.scale, c.drop, c.opt), newLearner(plain, c.dtype, c.scale, c.drop, c.opt)
			trainer := nn.NewTrainer(a.opt, a.loss)
			rate := nn.Warmup(0.1, 5, nn.CosineDecay(0.1, 0, 15))
			for step := range 20 {
				a.opt.SetLearningRate(rate(step))
				b.opt.SetLearningRate(rate(step))
				x, y := batch(graphed, 4, step)
				px, py := batch(plain, 4, step)
				if counts, ok := a.opt.(interface{ Skipped() int }); ok && step == 12 && c.scale > 1 {
					x, px = x.Mul(math.Inf(1)), px.Mul(math.Inf(1))
					defer func() {
						if counts.Skipped() != 1 || b.opt.(interface{ Skipped() int }).Skipped() != 1 {
							t.Errorf("%d steps were skipped, want 1", counts.Skipped())
						}
					}()
				}
				graphed.Synchronize()
				launches := device.Launches()
				got := trainer.Step(x, y)
				launches = device.Launches() - launches
				want := nn.TrainStep(b.opt, func() *tensor.Tensor { return b.loss(px, py) })
				if got.String() != want.To(tensor.F32).ToDevice(plain).String() && got.ToScalar() == got.ToScalar() &&
					got.ToScalar() != want.ToScalar() {
					t.Fatalf("step %d: the loss is %v, want %v", step, got, want)
				}
				if g, err := trainer.Graph(); step > 1 && (err != nil || g.Launches() < 10) {
					t.Fatalf("step %d: %v", step, err)
				}
				if step > 1 && launches > 3 {
					t.Errorf("step %d: %d launches beside the graph, want those of inputs and result", step, launches)
				}
			}
			for i, v := range a.vars {
				if got, want := bits(v), bits(b.vars[i]); !slices.Equal(got, want) {
					t.Errorf("variable %d is %v, want %v", i, got, want)
				}
			}
		})
	}
}

// TestTrainerChanges: a graph follows what it can, and is captured anew after other changes: the bits are those of
// steps that are launched.
func TestTrainerChanges(t *testing.T) {
	graphed, _ := graphDevice(t)
	plain, _ := graphDevice(t)
	opt := adamW(func(*nn.AdamWConfig) {})
	a, b := newLearner(graphed, tensor.F32, 1, 0, opt), newLearner(plain, tensor.F32, 1, 0, opt)
	trainer := nn.NewTrainer(a.opt, a.loss)
	path := t.TempDir() + "/state.safetensors"
	both := func(f func(l *learner)) { f(a); f(b) }
	config := func(f func(c *nn.AdamWConfig)) func() {
		return func() { both(func(l *learner) { f(&l.opt.(*nn.AdamW).Config) }) }
	}
	for _, change := range []struct {
		name    string
		do      func()
		follows bool
	}{
		{"nothing", func() {}, false},
		{"weight decay, betas", config(func(c *nn.AdamWConfig) { c.WeightDecay, c.Beta1 = 0.1, 0.8 }), true},
		{"a variable is set", func() { both(func(l *learner) { l.vars[0].Set(l.vars[0].Mul(0.5).Detach()) }) }, true},
		{"clipping begins", config(func(c *nn.AdamWConfig) { c.Gradients.ClipNorm = 0.1 }), false},
		{"clipping changes", config(func(c *nn.AdamWConfig) { c.Gradients.ClipNorm = 0.05 }), true},
		{"scale", config(func(c *nn.AdamWConfig) { c.Gradients.Scale = 2 }), false},
		{"state is loaded", func() {
			both(func(l *learner) {
				o := l.opt.(*nn.AdamW)
				if err := errors.Join(o.Save(path), o.Load(path)); err != nil {
					t.Fatal(err)
				}
			})
		}, false},
		{"reset", func() { trainer.Reset() }, false},
	} {
		change.do()
		for step := range 4 {
			x, y := batch(graphed, 4, step)
			px, py := batch(plain, 4, step)
			trainer.Step(x, y)
			nn.TrainStep(b.opt, func() *tensor.Tensor { return b.loss(px, py) })
			if _, err := trainer.Graph(); (err == nil) != (change.follows || step > 1) {
				t.Errorf("%s: step %d: %v", change.name, step, err)
			}
		}
		for i, v := range a.vars {
			if got, want := bits(v), bits(b.vars[i]); !slices.Equal(got, want) {
				t.Fatalf("%s: variable %d is %v, want %v", change.name, i, got, want)
			}
		}
	}
	y := a.vars[0].Sqr().Sum()
	x, labels := batch(graphed, 4, 0)
	trainer.Step(x, labels)
	if _, err := tensor.Try(func() *tensor.Tensor { y.Backward(); return y }); !errors.Is(err, tensor.ErrGradient) {
		t.Errorf("gradients of what was computed before a replay: %v", err)
	}
}

// TestTrainerShapes: other shapes have graphs of their own, and a shape that comes once has none.
func TestTrainerShapes(t *testing.T) {
	dev, _ := graphDevice(t)
	l := newLearner(dev, tensor.F32, 1, 0, adamW(func(*nn.AdamWConfig) {}))
	trainer := nn.NewTrainer(l.opt, l.loss)
	if _, err := trainer.Graph(); err == nil {
		t.Error("there is a graph before the first step")
	}
	graphs := map[int]*rocm.Graph{}
	for step := range 18 {
		rows := []int{4, 4, 6, 8, 10, 12}[step%6]
		trainer.Step(batch(dev, rows, step))
		g, err := trainer.Graph()
		if kept := rows < 12; (err == nil) != (kept && (step >= 12 || step >= 6 && rows == 4)) {
			t.Errorf("step %d, %d rows: %v", step, rows, err)
		}
		if before := graphs[rows]; before != nil && before != g {
			t.Errorf("step %d, %d rows: another graph", step, rows)
		}
		graphs[rows] = g
	}
}

// TestTrainerPlain: what no graph can do runs without one, and Graph says why.
func TestTrainerPlain(t *testing.T) {
	dev, device := graphDevice(t)
	opt := adamW(func(*nn.AdamWConfig) {})
	l := newLearner(dev, tensor.F32, 1, 0, opt)
	host := newLearner(tensor.CPU(), tensor.F32, 1, 0, opt)
	calls := 0.0
	for _, c := range []struct {
		name string
		of   *learner
		loss func(in ...*tensor.Tensor) *tensor.Tensor
		opt  nn.Optimizer
		want string
	}{
		{"host", host, host.loss, host.opt, "cpu has no graphs"},
		{"reads", l, func(in ...*tensor.Tensor) *tensor.Tensor {
			y := l.loss(in...)
			y.ToScalar()
			return y
		}, l.opt, "a capture is under way"},
		{"numbers", l, func(in ...*tensor.Tensor) *tensor.Tensor {
			calls++
			return l.loss(in...).Affine(calls, 0)
		}, l.opt, "has other arguments: pass what changes as an input"},
		{"memory", l, func(in ...*tensor.Tensor) *tensor.Tensor {
			x, y := batch(dev, 4, 1)
			_ = x
			return l.loss(in[0], y)
		}, l.opt, ""},
		{"optimizer", l, l.loss, struct{ *nn.AdamW }{l.opt.(*nn.AdamW)}, "cannot go on in replays"},
	} {
		trainer := nn.NewTrainer(c.opt, c.loss)
		d := c.of.vars[0].Device()
		for step := range 6 {
			trainer.Step(batch(d, 4, step))
		}
		_, err := trainer.Graph()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", c.name, err)
		}
		trainer.Reset()
	}
	var rebound *tensor.Tensor // a tensor that the function does not get as an input
	trainer := nn.NewTrainer(l.opt, func(in ...*tensor.Tensor) *tensor.Tensor { return l.loss(rebound, in[0]) })
	var keep []*tensor.Tensor
	for step := range 6 {
		x, y := batch(dev, 4, step)
		dev.Synchronize()
		rebound, keep = x, append(keep, x)
		trainer.Step(y)
	}
	if _, err := trainer.Graph(); err == nil || !strings.Contains(err.Error(), "uses other memory") {
		t.Errorf("a tensor that is no input: %v", err)
	}
	_ = device
	if n := len(slices.Compact(keep)); n != 6 {
		t.Errorf("%d tensors", n)
	}
}

// TestTrainerChecksIndices: a label out of range in a replay is an error for who waits, as without a graph.
func TestTrainerChecksIndices(t *testing.T) {
	thorough.Slow(t)
	dev, _ := graphDevice(t)
	l := newLearner(dev, tensor.F32, 1, 0, adamW(func(*nn.AdamWConfig) {}))
	trainer := nn.NewTrainer(l.opt, l.loss)
	x, y := batch(dev, 4, 0)
	for range 4 {
		trainer.Step(x, y).ToScalar()
	}
	_, err := tensor.Try(func() *tensor.Tensor {
		loss := trainer.Step(x, y.ToDType(tensor.I64).Mul(7).ToDType(tensor.U32))
		dev.Synchronize()
		return loss
	})
	if !errors.Is(err, tensor.ErrIndex) || !strings.Contains(err.Error(), "target[1] = 7 is not the number of a class") {
		t.Errorf("a wrong label: %v", err)
	}
	if trainer.Step(x, y); dev.CheckIDs() != nil {
		t.Error("an error was reported twice")
	}
}

// TestCaptureStepByHand: a step that rocm.Capture records goes on in replays; without a step before, or with numbers
// that replays would repeat, it is an error.
func TestCaptureStepByHand(t *testing.T) {
	graphed, device := graphDevice(t)
	plain, _ := graphDevice(t)
	opt := adamW(func(c *nn.AdamWConfig) { c.Gradients.ClipNorm = 1 })
	a, b := newLearner(graphed, tensor.F32, 1, 0.5, opt), newLearner(plain, tensor.F32, 1, 0.5, opt)
	x, y := batch(graphed, 4, 0)
	px, py := batch(plain, 4, 0)
	capture := func(f func()) (g *rocm.Graph, err error) {
		_, failed := tensor.Try(func() *tensor.Tensor { g, err = device.Capture(f); return x })
		return g, errors.Join(err, failed)
	}
	step := func() { nn.TrainStep(a.opt, func() *tensor.Tensor { return a.loss(x, y) }) }
	a.loss(x, y) // loads kernels, and draws
	b.loss(px, py)
	if _, err := capture(step); !errors.Is(err, tensor.ErrMemory) || !strings.Contains(err.Error(), "has no state yet") {
		t.Errorf("without a step before: %v", err)
	}
	if _, err := capture(func() { random.New(1).Uniform(0, 1, []int{3}, tensor.F32, graphed) }); err == nil ||
		!strings.Contains(err.Error(), "each replay would give the same numbers") {
		t.Errorf("numbers of a generator: %v", err)
	}
	if _, err := capture(func() { graphed.FromSlice([]float32{1}, 1) }); err == nil ||
		!strings.Contains(err.Error(), "a capture is under way") {
		t.Errorf("an upload: %v", err)
	}
	step()
	g, err := capture(step)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		if i > 0 {
			x.CopySet(x.Mul(0.9))
			if err := g.Replay(); err != nil {
				t.Fatal(err)
			}
			px = px.Mul(0.9)
		}
		nn.TrainStep(b.opt, func() *tensor.Tensor { return b.loss(px, py) })
	}
	for i, v := range a.vars {
		if got, want := bits(v), bits(b.vars[i]); !slices.Equal(got, want) {
			t.Errorf("variable %d is %v, want %v", i, got, want)
		}
	}
	a.opt.(*nn.AdamW).Config.MasterWeights = true
	if err := g.Replay(); !errors.Is(err, rocm.ErrInvalid) || !strings.Contains(err.Error(), "since the capture") {
		t.Errorf("after MasterWeights was set: %v", err)
	}
}
