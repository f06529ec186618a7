package tensor_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/quant"
)

// The rules are checked by devicetest.Gradients.

func TestBackward(t *testing.T) {
	x, y := tensor.NewVar(tensor.Of(1, 2, 3)), tensor.Of(10, 20, 30)
	z := x.Sqr().Mul(y).Sum()
	if got := z.BackwardRetain(nil).Get(x).String(); got != tensor.Of(20, 80, 180).String() {
		t.Error(got)
	}
	if got := z.Backward().Get(x).ToVec1(); !slices.Equal(got, []float64{20, 80, 180}) {
		t.Error("a second time:", got)
	}
	if _, err := tensor.Try(func() *tensor.Tensor { z.Backward(); return nil }); !errors.Is(err, tensor.ErrGradient) ||
		!strings.Contains(err.Error(), "has passed sum") {
		t.Error("a third time:", err)
	}
	grads := x.Mul(2).BackwardWith(tensor.Of(1, 0, -1))
	if got := grads.Get(x).ToVec1(); !slices.Equal(got, []float64{2, 0, -2}) {
		t.Error(got)
	}
	if grads.Len() != 1 || grads.GetID(x.ID()) != grads.Get(x) || grads.Get(y) != nil ||
		!slices.Equal(grads.IDs(), []uint64{x.ID()}) {
		t.Error(grads)
	}
	if old := grads.Insert(x, tensor.Of(5, 5, 5)); old.ToVec1()[0] != 2 || grads.Remove(x).ToVec1()[0] != 5 ||
		grads.Len() != 0 || grads.Remove(x) != nil {
		t.Error("Insert, Remove", grads)
	}
	small := tensor.NewVar(tensor.Of(1, 2).ToDType(tensor.BF16))
	if g := small.ToDType(tensor.F32).Mul(3).To("cpu").ToDType(tensor.F64).Sum().Backward().Get(small); g.DType() != tensor.BF16 || g.ToVec1()[1] != 3 {
		t.Error(g)
	}
}

func TestVariable(t *testing.T) {
	start := tensor.Of(1, 2)
	w := tensor.NewVar(start)
	w.Set(tensor.Of(3, 4))
	if start.ToVec1()[0] != 1 || w.ToVec1()[0] != 3 || !w.IsVariable() || start.TrackOp() || !w.Mul(2).TrackOp() ||
		w.Mul(2).IsVariable() {
		t.Error(start, w)
	}
	for _, plain := range []*tensor.Tensor{w.Detach(), w.Detach().Mul(2), w.Gt(1), w.ToDType(tensor.I32), w.ArgMax(0),
		start.Mul(2)} {
		if plain.TrackOp() {
			t.Errorf("%v depends on a variable", plain)
		}
	}
	if got := w.String(); got != "[3., 4.]\nTensor[[2], f32, variable]" {
		t.Error(got)
	}
	w.Detach().ZeroSet() // which shares its elements
	if w.ToVec1()[1] != 0 {
		t.Error(w)
	}
}

// TestGradientErrors: what cannot have a gradient says so, and what to do.
// TestClampGradient: the gradient is that of PyTorch, 0 where an element equals a bound.
func TestClampGradient(t *testing.T) {
	for _, spec := range []string{"cpu", "rocm"} {
		x := tensor.NewVar(device(t, spec).New([]float64{-1, 0, 2, 6, 7}))
		if got := x.Clamp(0, 6).Sqr().Sum().Backward().Get(x).ToVec1(); !slices.Equal(got, []float64{0, 0, 4, 0, 0}) {
			t.Errorf("%s: %v", spec, got)
		}
		first := x.Clamp(0, 6).Powf(3).Sum().BackwardGraph(nil).Get(x)
		if got := first.Sum().Backward().Get(x).ToVec1(); !slices.Equal(got, []float64{0, 0, 12, 0, 0}) {
			t.Errorf("%s: second derivatives %v", spec, got)
		}
	}
}

func TestGradientErrors(t *testing.T) {
	w := tensor.NewVar(tensor.Of(1, 2))
	for _, tt := range []struct {
		name string
		run  func()
		kind error
		want string
	}{
		{"no variable", func() { tensor.Of(1).Backward() }, tensor.ErrGradient, "tensor.NewVar(w) makes one"},
		{"integers", func() { tensor.NewVar(tensor.New([]int32{1})) }, tensor.ErrDType, "ToDType"},
		{"a gradient of another shape", func() { w.Mul(2).BackwardWith(tensor.Of(1)) }, tensor.ErrShape,
			"[1] for a tensor of shape [2]"},
		{"a gradient of another dtype", func() { w.Mul(2).BackwardWith(tensor.Of(1, 2).ToDType(tensor.F64)) },
			tensor.ErrDType, "f64"},
		{"a gradient that is nil", func() { w.Mul(2).BackwardWith(nil) }, tensor.ErrShape, "nil"},
		{"set of a plain tensor", func() { tensor.Of(1).Set(tensor.Of(2)) }, tensor.ErrGradient, "CopySet"},
		{"set of another shape", func() { w.Set(tensor.Of(1)) }, tensor.ErrShape, "[1] for a variable of shape [2]"},
		{"writing to a result", func() { w.Mul(2).ZeroSet() }, tensor.ErrGradient, "computed from variables (by mul)"},
		{"writing to a view", func() { w.Narrow(0, 0, 1).ConstSet(7) }, tensor.ErrGradient, "narrow"},
		{"writing a result", func() { tensor.Of(1, 2).CopySet(w.Mul(2)) }, tensor.ErrGradient, "SliceAssign"},
		{"a custom op without a gradient", func() { w.ApplyOp1(double{}).Backward() }, tensor.ErrGradient,
			"tensor.Backward1"},
		{"a custom op with a wrong gradient", func() { w.ApplyOp1(wrong{}).Backward() }, tensor.ErrShape, "[1]"},
		{"a variable that was set", func() {
			v := tensor.NewVar(tensor.Of(1, 2))
			loss := v.Sqr().Sum()
			v.Set(tensor.Of(3, 4))
			loss.Backward()
		}, tensor.ErrGradient, "changed after sqr had used it"},
	} {
		err := attempt(tt.run)
		var e *tensor.Error
		if !errors.As(err, &e) || !errors.Is(err, tt.kind) || !strings.Contains(fmt.Sprintf("%+v", e), tt.want) {
			t.Errorf("%s: %+v", tt.name, err)
		}
	}
}

type double struct{}

func (double) Name() string                                         { return "double" }
func (double) CPUForward(x *tensor.Tensor) (*tensor.Tensor, error)  { return x.Mul(2), nil }
func (double) ROCmForward(x *tensor.Tensor) (*tensor.Tensor, error) { return x.Mul(2), nil }

type wrong struct{ double }

func (wrong) Backward(x, y, g *tensor.Tensor) (*tensor.Tensor, error) { return tensor.Of(1), nil }

// muladd is x·y + z, with gradients but for z.
type muladd struct{ calls *int }

func (muladd) Name() string { return "muladd" }
func (muladd) CPUForward(x, y, z *tensor.Tensor) (*tensor.Tensor, error) {
	if x.TrackOp() {
		return nil, errors.New("the operands are plain")
	}
	return x.Mul(y).Add(z), nil
}
func (m muladd) Backward(x, y, z, result, g *tensor.Tensor) (dx, dy, dz *tensor.Tensor, err error) {
	*m.calls++
	return g.Mul(y), g.Mul(x), nil, nil
}

func TestCustomGradient(t *testing.T) {
	calls := 0
	x, z := tensor.NewVar(tensor.Of(1, 2)), tensor.NewVar(tensor.Of(5, 5))
	grads := x.ApplyOp3(tensor.Of(3, 4), z, muladd{&calls}).Sqr().Sum().Backward()
	if got := grads.Get(x).ToVec1(); !slices.Equal(got, []float64{48, 104}) || grads.Get(z) != nil || calls != 1 {
		t.Error(got, grads.Get(z), calls)
	}
}

func TestQuantizedGradient(t *testing.T) {
	tensor.CPU().SetSeed(5)
	w := tensor.Randn(4, 64)
	q := quant.Quantize(w, quant.Q8_0)
	x := tensor.NewVar(tensor.Randn(3, 64))
	got := q.MatMul(x).Sqr().Sum().Backward().Get(x)
	want := x.Detach().MatMul(w.T()).Mul(2).MatMul(w)
	if far := got.Sub(want).Abs().Max().ToScalar() / want.Abs().Max().ToScalar(); far > 0.02 {
		t.Error("the gradient is off by", far)
	}
}

// TestLongGraph: a chain of 200,000 operations needs no stack, and is let go with its result.
func TestLongGraph(t *testing.T) {
	thorough.Slow(t)
	x := tensor.NewVar(tensor.Of(1, 2))
	freed := make(chan bool, 1)
	func() {
		y := x.Mul(1)
		runtime.AddCleanup(y, func(c chan bool) { c <- true }, freed)
		z := y
		for range 50000 {
			z = z.Add(1e-6)
		}
		if got := z.Sum().Backward().Get(x).ToVec1(); !slices.Equal(got, []float64{1, 1}) {
			t.Error(got)
		}
		if n := len(z.SortedNodes()); n != 50002 {
			t.Error(n, "nodes")
		}
	}()
	for range 10 {
		runtime.GC()
	}
	<-freed
}

func TestSortedNodes(t *testing.T) {
	x := tensor.NewVar(tensor.Of(1, 2))
	nodes := x.Exp().Mul(x).Sum().SortedNodes()
	var ops []string
	for _, n := range nodes {
		ops = append(ops, n.Op)
	}
	if got := strings.Join(ops, " "); got != "sum mul exp variable" || nodes[3].ID != x.ID() ||
		len(nodes[1].From) != 2 {
		t.Error(nodes)
	}
	if tensor.Of(1).SortedNodes() != nil {
		t.Error("of a plain tensor")
	}
}

// TestOptimizers: each finds the least of a function, with what belongs to it.
func TestOptimizers(t *testing.T) {
	for _, spec := range []string{"cpu", "rocm"} {
		dev := device(t, spec)
		for name, make := range map[string]func(vars []*tensor.Tensor) nn.Optimizer{
			"SGD": func(v []*tensor.Tensor) nn.Optimizer { return nn.NewSGD(v, 0.1) },
			"momentum": func(v []*tensor.Tensor) nn.Optimizer {
				o := nn.NewSGD(v, 0.02)
				o.Momentum = 0.9
				return o
			},
			"Nesterov": func(v []*tensor.Tensor) nn.Optimizer {
				o := nn.NewSGD(v, 0.02)
				o.Momentum, o.Nesterov = 0.9, true
				return o
			},
			"AdamW": func(v []*tensor.Tensor) nn.Optimizer {
				c := nn.DefaultAdamW()
				c.LR, c.WeightDecay = 0.2, 0
				return nn.NewAdamW(v, c)
			},
		} {
			w := tensor.NewVar(tensor.Of(4, -3).ToDevice(dev))
			unused := tensor.NewVar(tensor.Of(1).ToDevice(dev))
			o := make([]*tensor.Tensor{w, unused})
			decay := nn.CosineDecay(o.LearningRate(), o.LearningRate()/50, 200)
			for i := range 200 {
				o.SetLearningRate(decay(i))
				nn.BackwardStep(o, w.Sub(tensor.Of(1, 2).ToDevice(dev)).Sqr().Sum())
			}
			if far := w.Sub(tensor.Of(1, 2).ToDevice(dev)).Abs().Max().ToScalar(); far > 0.01 ||
				unused.ToVec1()[0] != 1 {
				t.Errorf("%s on %s: %v, %v", name, spec, w, unused)
			}
		}
	}
}

func TestClipGradNorm(t *testing.T) {
	x, y := tensor.NewVar(tensor.Of(3)), tensor.NewVar(tensor.Of(4))
	grads := x.Sqr().Add(y.Sqr()).Mul(0.5).Sum().Backward()
	if norm := nn.ClipGradNorm(grads, []*tensor.Tensor{x, y}, 1).ToScalar(); norm != 5 {
		t.Error(norm)
	}
	if a, b := grads.Get(x).ToVec1()[0], grads.Get(y).ToVec1()[0]; a < 0.599 || a > 0.6 || b < 0.799 || b > 0.8 {
		t.Error(a, b)
	}
}

func TestSchedules(t *testing.T) {
	s := nn.Warmup(1, 4, nn.CosineDecay(1, 0.1, 10))
	for step, want := range map[int]float64{0: 0.25, 3: 1, 4: 1, 9: 0.55, 14: 0.1, 99: 0.1} {
		if got := s(step); got < want-1e-12 || got > want+1e-12 {
			t.Errorf("step %d: %v, want %v", step, got, want)
		}
	}
	if got := nn.StepDecay(1, 0.5, 10)(25); got != 0.25 {
		t.Error(got)
	}
}
