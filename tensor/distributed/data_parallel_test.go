package distributed

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/nn"
)

// launch runs a test in two child processes at a time, with the variables of a launcher: each with an emulated GPU, and
// then with one of two NVIDIA GPUs, if this machine has them.
func launch(t *testing.T, test string) {
	t.Helper()
	launchOn(t, test, "GOROCM_TEST_DEVICE=rocm", "GOROCM_EMULATE=1", "GOROCM_REQUIRE_GPU=",
		"GOROCM_EMULATED_MEMORY=67108864")
	if _, err := tensor.NewDevice("cuda:1"); err == nil {
		launchOn(t, test, "GOROCM_TEST_DEVICE=cuda")
	}
}

func launchOn(t *testing.T, test string, env ...string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close() // the port is free, for now
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	var both sync.WaitGroup
	for rank := range 2 {
		both.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$", "-test.v")
			cmd.Env = append(append(os.Environ(), env...), "GOROCM_TEST_GROUP="+test, fmt.Sprint("RANK=", rank), fmt.Sprint("LOCAL_RANK=", rank), "WORLD_SIZE=2",
				"MASTER_ADDR=127.0.0.1", "MASTER_PORT="+port)
			if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+test) {
				t.Errorf("rank %d: %v\n%s", rank, err, out)
			}
		})
	}
	both.Wait()
}

// joined is the group of a child process of launch, and its device.
func joined(t *testing.T) (*Group, *tensor.Device) {
	t.Helper()
	if os.Getenv("GOROCM_TEST_GROUP") != t.Name() {
		t.Skip("run by another test, in a child process")
	}
	p, err := Environment()
	if err != nil {
		t.Fatal(err)
	}
	name := os.Getenv("GOROCM_TEST_DEVICE")
	if name == "cuda" {
		name += fmt.Sprint(":", p.LocalRank)
	}
	dev, err := tensor.NewDevice(name)
	if err != nil {
		t.Fatal(err)
	}
	g, err := p.Join(dev)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g, dev
}

func TestDataParallel(t *testing.T) {
	thorough.Slow(t)
	launch(t, "TestDataParallelChild")
}

// TestDataParallelChild: two processes, each with half of a batch, train to the parameters of one process with the
// whole batch.
func TestDataParallelChild(t *testing.T) {
	g, dev := joined(t)
	bucketBytes = 100 // the two matrices, and both vectors, each in a bucket
	dev.SetSeed(3)    // the same data in both
	x, y := dev.Randn(tensor.F32, 8, 3), dev.Randn(tensor.F32, 8, 2)
	start := []*tensor.Tensor{dev.Randn(tensor.F32, 3, 5), dev.Randn(tensor.F32, 5), dev.Randn(tensor.F32, 5, 2),
		dev.Randn(tensor.F32, 2)}
	variables := func(seed float64) (list []*tensor.Tensor) {
		for _, p := range start {
			list = append(list, tensor.NewVar(p.Add(seed)))
		}
		return list
	}
	loss := func(p []*tensor.Tensor, x, y *tensor.Tensor) *tensor.Tensor {
		return x.MatMul(p[0]).Add(p[1]).Tanh().MatMul(p[2]).Add(p[3]).Sub(y).Sqr().Mean()
	}
	alone, shared := variables(0), variables(float64(g.Rank())) // rank 1 begins elsewhere, and gets those of rank 0
	dp := NewDataParallel(g, shared)
	one, all := nn.NewAdamW(alone, nn.DefaultAdamW()), nn.NewAdamW(shared, nn.DefaultAdamW())
	before := g.reductions.Load()
	const steps = 5
	for range steps {
		one.Step(loss(alone, x, y).Backward())
		all.Step(dp.Backward(loss(shared, x.Narrow(0, 4*g.Rank(), 4), y.Narrow(0, 4*g.Rank(), 4))))
	}
	if got := g.reductions.Load() - before; got != 2*steps {
		t.Errorf("%d steps with %d parameters took %d reductions, want 2 a step", steps, len(shared), got)
	}
	for i, p := range shared {
		if far := p.Detach().Sub(alone[i].Detach()).Abs().Max().ToScalar(); !(far < 1e-5) {
			t.Errorf("parameter %d is off by %g", i, far)
		}
		for rank, other := range tensor.ToVec2[float32](g.AllGather(p.Detach().FlattenAll().Unsqueeze(0))[0]) {
			if fmt.Sprint(other) != fmt.Sprint(tensor.ToVec1[float32](p.Detach().FlattenAll())) {
				t.Errorf("parameter %d differs in rank %d", i, rank)
			}
		}
	}
}

func TestDataParallelOverlap(t *testing.T) { launch(t, "TestDataParallelOverlapChild") }

// TestDataParallelOverlapChild: the sum of a bucket begins when its gradients are complete, before Backward computes
// those of earlier layers, and buckets come in one order, whichever is complete first. A Backward that fails leaves the
// group as it was.
func TestDataParallelOverlapChild(t *testing.T) {
	g, dev := joined(t)
	bucketBytes = 1 // one for each parameter
	params := make([]*tensor.Tensor, 3)
	for i := range params {
		params[i] = tensor.NewVar(dev.Full(tensor.F32, float64(i+2), 2))
	}
	dp := NewDataParallel(g, params)
	var before []int64 // sums that had begun when the gradient of each layer was computed, the last layer first
	begun := g.reductions.Load()
	layer := func(x, p *tensor.Tensor) *tensor.Tensor {
		y := x.Mul(p)
		return extend.By(y.Affine(1, 0), "layer", []*tensor.Tensor{y}, func(d *tensor.Tensor) []*tensor.Tensor {
			before = append(before, g.reductions.Load()-begun)
			return []*tensor.Tensor{d}
		})
	}
	model := func(order ...int) *tensor.Tensor {
		x := dev.Full(tensor.F32, float64(g.Rank()+1), 2)
		for _, i := range order {
			x = layer(x, params[i])
		}
		return x.Sum()
	}
	grads := dp.Backward(model(0, 1, 2))
	if want := []int64{0, 1, 2}; !slices.Equal(before, want) || g.reductions.Load()-begun != 3 {
		t.Errorf("%d sums, begun before the layers %d, want %d", g.reductions.Load()-begun, before, want)
	}
	means := func(grads *tensor.GradStore) (got []float64) {
		for _, p := range params {
			got = append(got, grads.Get(p).Float64s()...)
		}
		return got
	}
	want := []float64{18, 18, 12, 12, 9, 9} // 1.5 times the product of the others
	if got := means(grads); !slices.Equal(got, want) {
		t.Errorf("gradients %v, want %v", got, want)
	}
	before, begun = nil, g.reductions.Load()
	if got := means(dp.Backward(model(2, 0, 1))); !slices.Equal(got, want) {
		t.Errorf("in another order %v, want %v", got, want)
	}
	if want := []int64{0, 0, 0}; !slices.Equal(before, want) { // the first bucket is that of the first layer now
		t.Errorf("sums begun before the layers %d, want %d", before, want)
	}
	fails := extend.By(params[2].Sum(), "fails", params[:1], func(*tensor.Tensor) []*tensor.Tensor { panic("no gradient") })
	if fmt.Sprint(recovered(func() { dp.Backward(fails.Add(params[2].Sum())) })) == "<nil>" {
		t.Error("a gradient that panics: no panic")
	}
	if got := means(dp.Backward(model(0, 1, 2))); !slices.Equal(got, want) {
		t.Errorf("after a panic %v, want %v", got, want)
	}
}

func recovered(f func()) (err any) {
	defer func() { err = recover() }()
	f()
	return nil
}

func TestDataParallelMissing(t *testing.T) { launch(t, "TestDataParallelMissingChild") }

// TestDataParallelMissingChild: a parameter without a gradient in one process counts as zeros there, one without in all
// stays without. Parameters of several dtypes are averaged in one step.
func TestDataParallelMissingChild(t *testing.T) {
	g, dev := joined(t)
	used, once, never := tensor.NewVar(dev.Ones(tensor.F32, 2)), tensor.NewVar(dev.Ones(tensor.F32, 3)),
		tensor.NewVar(dev.Ones(tensor.F32, 4))
	half, empty := tensor.NewVar(dev.Ones(tensor.F16, 2)), tensor.NewVar(dev.Ones(tensor.F64, 0))
	dp := NewDataParallel(g, []*tensor.Tensor{used, half, once, never, empty})
	loss := used.Mul(g.Rank() + 1).Sum().Add(half.Mul(40000).Sum().ToDType(tensor.F32)) // 40000+40000 is no f16
	if g.Rank() == 1 {
		loss = loss.Add(once.Mul(3).Sum())
	}
	grads := dp.Backward(loss)
	for name, c := range map[string]struct {
		of   *tensor.Tensor
		want []float64
	}{"used": {used, []float64{1.5, 1.5}}, "half": {half, []float64{40000, 40000}}, "once": {once, []float64{1.5, 1.5, 1.5}}} {
		if got := grads.Get(c.of); got == nil || got.DType() != c.of.DType() || fmt.Sprint(got.Float64s()) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if grads.Get(never) != nil || grads.Get(empty) != nil {
		t.Errorf("gradients of parameters without: %v, %v", grads.Get(never), grads.Get(empty))
	}
}

func TestDataParallelMistakes(t *testing.T) { launch(t, "TestDataParallelMistakesChild") }

// TestDataParallelMistakesChild: parameters that differ are an error in both processes, which names the parameter.
func TestDataParallelMistakesChild(t *testing.T) {
	g, dev := joined(t)
	fails := func(want string, kind error, params ...*tensor.Tensor) {
		t.Helper()
		err := tensor.Catch(func() error { NewDataParallel(g, params); return nil })
		if !errors.Is(err, kind) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	rank := g.Rank()
	w := tensor.NewVar(dev.Ones(tensor.F32, 2, 3))
	fails("parameter 1 is f32 [3 4] in rank 0, f32 [4 3] in rank 1", tensor.ErrShape, w,
		tensor.NewVar(dev.Ones(tensor.F32, 3+rank, 4-rank)))
	fails("parameter 0 is f32 [1] in rank 0, f16 [1] in rank 1", tensor.ErrShape,
		tensor.NewVar(dev.Ones([]tensor.DType{tensor.F32, tensor.F16}[rank], 1)))
	fails("2 parameters in rank 0, 1 in rank 1", tensor.ErrShape, []*tensor.Tensor{w, w}[rank:]...)
	fails("1 parameters in rank 0, 0 in rank 1", tensor.ErrShape, []*tensor.Tensor{w}[rank:]...)
	fails("parameter 1 is not a variable", tensor.ErrGradient, w, w.Detach())
	fails("parameter 0 is nil", tensor.ErrShape, nil)
	fails("parameter 0 is on cpu", tensor.ErrDevice, tensor.NewVar(tensor.Of(1)))
	fails("no sums over a group", tensor.ErrDType, tensor.NewVar(dev.Ones(tensor.F8E4M3, 1)))
	a, b := New(dev)
	if b != nil {
		t.Fatal(b)
	}
	if grads := NewDataParallel(a, []*tensor.Tensor{w}).Backward(w.Sum()); a.reductions.Load() != 0 || grads.Get(w) == nil {
		t.Errorf("a group of one made %d reductions for %v", a.reductions.Load(), grads.Get(w))
	}
}
