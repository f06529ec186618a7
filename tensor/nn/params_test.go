package nn_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/formats"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/quant"
)

// net is a model of two layers.
type net struct{ first, second *nn.Linear }

func newNet(p *nn.Params) *net {
	return &net{nn.NewLinear(3, 4, p.At("layers", 0)), nn.NewLinearNoBias(4, 2, p.At("layers.1"))}
}

func TestParams(t *testing.T) {
	p := nn.NewParams(tensor.F32, tensor.CPU())
	var n *net
	if err := p.Build(func() { n = newNet(p) }); err != nil {
		t.Fatal(err)
	}
	want := []string{"layers.0.weight", "layers.0.bias", "layers.1.weight"}
	if got := p.Names(); !slices.Equal(got, want) || len(p.Vars()) != 3 || p.Count() != 3*4+4+2*4 {
		t.Errorf("names %v, %d variables, %d numbers", got, len(p.Vars()), p.Count())
	}
	if below := p.At("layers", 1); !slices.Equal(below.Names(), []string{"weight"}) || len(below.Vars()) != 1 ||
		!below.Has("weight") || below.Has("bias") || below.Path("x") != "layers.1.x" {
		t.Errorf("below layers.1: %v", below.Names())
	}
	if again := p.Get("layers.0.weight", []int{4, 3}, nil); again != n.first.Weight {
		t.Error("asked for again, another variable came")
	}
	if _, err := tensor.Try(func() *tensor.Tensor {
		return p.Get("layers.0.weight", []int{3, 4},
			nil)
	}); !errors.Is(err, tensor.ErrShape) {
		t.Errorf("with another shape: %v", err)
	}
	for _, v := range n.first.Weight.Float64s() {
		if !(v > -0.58 && v < 0.58) { // 1/√3
			t.Errorf("a weight begins with %v", v)
		}
	}
}

// TestParamsDetached: a model of detached parameters follows the trained one, buffers too, and has no gradients.
func TestParamsDetached(t *testing.T) {
	p := nn.NewParams(tensor.F32, tensor.CPU())
	build := func(p *nn.Params) func(x *tensor.Tensor, train bool) *tensor.Tensor {
		l, b := nn.NewLinear(2, 3, p.At("l")), nn.BatchNormOf(3, p.At("b"))
		return func(x *tensor.Tensor, train bool) *tensor.Tensor { return b.ForwardT(l.Forward(x), train) }
	}
	net := build(p.At("net"))
	d := p.At("net").Detach()
	var use func(x *tensor.Tensor, train bool) *tensor.Tensor
	if err := d.Build(func() { use = build(d) }); err != nil {
		t.Fatal(err)
	}
	x := tensor.Of(1, 2, 3, 5).Reshape(2, 2)
	before := use(x, false).Float64s()
	opt := nn.NewSGD(p.Vars(), 0.5)
	for range 3 {
		nn.BackwardStep(opt, nn.Mse(net(x, true), tensor.Ones(2, 3)))
	}
	y := use(x, false)
	if got, want := y.Float64s(), net(x, false).Float64s(); !slices.Equal(got, want) || slices.Equal(got, before) {
		t.Errorf("got %v, want %v, which were %v", got, want, before)
	}
	if y.TrackOp() || !net(x, false).TrackOp() || len(d.Vars()) != 0 {
		t.Errorf("tracked: %v; variables: %v", y.TrackOp(), d.Vars())
	}
	if !slices.Equal(d.Names(), p.At("net").Names()) || d.Count() != p.Count() {
		t.Errorf("%v, %d numbers", d.Names(), d.Count())
	}
}

// TestParamsOfVariables: gradients of a model in another dtype are those of the variables that it was made of.
func TestParamsOfVariables(t *testing.T) {
	p := nn.NewParams(tensor.F32, tensor.CPU())
	nn.NewLinear(2, 3, p.At("l"))
	l := nn.NewLinear(2, 3, nn.ParamsOf(p.All(), tensor.BF16, tensor.CPU()).At("l"))
	y := l.Forward(tensor.Of(1, 2).ToDType(tensor.BF16).Unsqueeze(0))
	grads := y.Sum().Backward()
	if w := grads.Get(p.Vars()[0]); y.DType() != tensor.BF16 || w == nil || w.DType() != tensor.F32 ||
		!slices.Equal(w.Float64s(), []float64{1, 2, 1, 2, 1, 2}) {
		t.Errorf("%v: %v", y.DType(), w)
	}
}

func TestParamsOfFile(t *testing.T) {
	one := func(name string, shape ...int) formats.Named {
		return formats.Named{Name: name, Tensor: tensor.CPU().Ones(tensor.F64, shape...)}
	}
	list := []formats.Named{one("layers.0.weight", 4, 3), one("layers.0.bias", 5), one("layers.2.weight", 1),
		one("step", 1)}
	p := nn.ParamsOf(list, tensor.F16, tensor.CPU())
	err := p.Build(func() { newNet(p); p.Ignore("step") })
	var e *nn.ParamsError
	if !errors.As(err, &e) || !slices.Equal(e.Missing, []string{"layers.1.weight"}) ||
		!slices.Equal(e.Unexpected, []string{"layers.2.weight"}) || len(e.Wrong) != 1 {
		t.Fatalf("%v", err)
	}
	const want = "nn: the parameters are not those of the model: 1 missing: layers.1.weight; 1 unexpected: layers.2.weight; 1 wrong: layers.0.bias has shape [5], not [4]"
	if err.Error() != want {
		t.Errorf("%v\nwant\n%v", err, want)
	}
	if w := p.Get("layers.0.weight", []int{4, 3}, nil); w.DType() != tensor.F16 || w.IsVariable() {
		t.Errorf("the weight is %v", w)
	}
	_, err = tensor.Try(func() *tensor.Tensor { return p.Get("nothing", []int{1}, nil) })
	var te *tensor.Error
	if !errors.As(err, &te) || !strings.Contains(te.Error(), "there is no nothing") || len(te.Notes) == 0 {
		t.Errorf("outside of Build: %v", err)
	}
}

func TestParamsSaved(t *testing.T) {
	folder := t.TempDir()
	p := nn.NewParams(tensor.F32, tensor.CPU())
	n := newNet(p)
	path := filepath.Join(folder, "net.safetensors")
	if err := p.Save(path); err != nil {
		t.Fatal(err)
	}
	if err := formats.WriteNpz(filepath.Join(folder, "net.npz"), p.All()); err != nil {
		t.Fatal(err)
	}
	want := n.first.Weight.Float64s()
	for _, ending := range []string{".safetensors", ".npz"} {
		n.first.Weight.Set(n.first.Weight.ZerosLike())
		if err := p.Load(filepath.Join(folder, "net"+ending)); err != nil ||
			!slices.Equal(n.first.Weight.Float64s(), want) {
			t.Errorf("%s: %v %v", ending, n.first.Weight, err)
		}
	}
	other := nn.NewParams(tensor.F32, tensor.CPU())
	o := nn.NewLinear(3, 4, other.At("layers", 0))
	before := o.Weight.Float64s()
	var e *nn.ParamsError
	if err := other.Load(path); !errors.As(err, &e) || !slices.Equal(e.Unexpected, []string{"layers.1.weight"}) ||
		!slices.Equal(o.Weight.Float64s(), before) {
		t.Errorf("of another model: %v", err)
	}
	if _, err := nn.OpenParams(filepath.Join(folder, "net.txt"), tensor.F32, tensor.CPU()); err == nil ||
		!strings.Contains(err.Error(), ".txt") {
		t.Errorf("another kind of file: %v", err)
	}
	if err := p.Save(filepath.Join(folder, "saved.npz")); err == nil ||
		!strings.Contains(err.Error(), ".safetensors, not \".npz\"") {
		t.Errorf("saved as what Load would not read: %v", err)
	}
	// In several files.
	if err := formats.WriteSafetensors(filepath.Join(folder, "a.safetensors"), p.All()[:1], nil); err != nil {
		t.Fatal(err)
	}
	if err := formats.WriteSafetensors(filepath.Join(folder, "b.safetensors"), p.All()[1:], nil); err != nil {
		t.Fatal(err)
	}
	parts, err := nn.OpenParamFiles([]string{filepath.Join(folder, "a.safetensors"),
		filepath.Join(folder, "b.safetensors")}, tensor.F32, tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	defer parts.Close()
	if err := parts.Build(func() { n = newNet(parts) }); err != nil || !slices.Equal(n.first.Weight.Float64s(), want) {
		t.Errorf("in two files: %v", err)
	}
}

// TestParamsBuffers: what a norm of batches has learnt is saved with what was trained, and comes back, from PyTorch's
// files too.
func TestParamsBuffers(t *testing.T) {
	for _, dev := range devices(t) {
		path := filepath.Join(t.TempDir(), "norm.safetensors")
		p := nn.NewParams(tensor.F32, dev)
		b := nn.BatchNormOf(2, p.At("norm"))
		x := dev.New([][]float32{{1, 10}, {3, 10}, {8, 4}})
		b.ForwardT(x, true)
		b.ForwardT(x, true)
		if len(p.Vars()) != 2 || len(p.All()) != 4 {
			t.Fatalf("%d variables of %v", len(p.Vars()), p.Names())
		}
		want := b.Forward(x).Float64s()
		steps := formats.Named{Name: "norm.num_batches_tracked", Tensor: dev.Ones(tensor.I64)}
		if err := formats.WriteSafetensors(path, append(p.All(), steps), nil); err != nil {
			t.Fatal(err)
		}
		again := nn.NewParams(tensor.F32, dev)
		other := nn.BatchNormOf(2, again.At("norm"))
		if slices.Equal(other.Forward(x).Float64s(), want) {
			t.Error("a norm that has learnt nothing gives the same")
		}
		if err := again.Load(path); err != nil || !slices.Equal(other.Forward(x).Float64s(), want) {
			t.Errorf("loaded: %v %v", other.RunningVar, err)
		}
		file, err := nn.OpenParams(path, tensor.F32, dev)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if err := file.Build(func() { other = nn.BatchNormOf(2, file.At("norm")) }); err != nil ||
			!slices.Equal(other.Forward(x).Float64s(), want) {
			t.Errorf("opened: %v %v", other.RunningVar, err)
		}
		mine := dev.Ones(tensor.F32, 2)
		list := []formats.Named{{Name: "running_mean", Tensor: mine}, {Name: "running_var", Tensor: mine},
			{Name: "weight", Tensor: mine}, {Name: "bias", Tensor: mine}}
		nn.BatchNormOf(2, nn.ParamsOf(list, tensor.F32, dev)).ForwardT(x, true)
		if !slices.Equal(mine.Float64s(), []float64{1, 1}) {
			t.Errorf("a tensor that a norm began with became %v", mine)
		}
	}
}

func TestParamsPacked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.gguf")
	w := tensor.Randn(4, 32)
	packed := []formats.Packed{{Name: "w", Tensor: quant.Quantize(w, quant.Q8_0)},
		{Name: "v", Tensor: quant.Quantize(w, quant.F32)}}
	if err := formats.WriteGGUF(path, packed, nil); err != nil {
		t.Fatal(err)
	}
	p, err := nn.OpenParams(path, tensor.F32, tensor.CPU())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if q := p.GetPacked("w", 4, 32); q == nil || q.Type() != quant.Q8_0 {
		t.Errorf("packed: %v", q)
	}
	if p.GetPacked("v", 4, 32) != nil || p.GetPacked("w", 32, 4) != nil || p.GetPacked("x", 4, 32) != nil {
		t.Error("what is not packed, has another shape or is not there came packed")
	}
	if d := p.Get("w", []int{4, 32}, nil).Sub(w).Abs().Max().ToScalar(); !(d < 0.02) {
		t.Errorf("unpacked it differs by %v", d)
	}
}
