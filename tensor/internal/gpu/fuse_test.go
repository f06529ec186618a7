package gpu_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/access"
	"github.com/gorocm/gorocm/tensor/internal/gpu"
)

// fusing is a device of its own that computes chains as the mode says, and tells what it launches.
func fusing(t *testing.T, mode gpu.FuseMode) (dev *tensor.Device, launched *[]string) {
	t.Helper()
	return fusingOn(t, "rocm", mode)
}

func fusingOn(t *testing.T, kind string, mode gpu.FuseMode) (dev *tensor.Device, launched *[]string) {
	t.Helper()
	location := kind + ":0"
	b, err := gpu.Open(location)
	if err != nil {
		t.Skipf("no %s device: %v", kind, err)
	}
	a := b.(*gpu.Backend)
	if !a.Device().CanCompile() {
		t.Skip("no compiler for the device: clang 17 or newer, or hiprtc")
	}
	a.FuseAs(mode)
	a.AssumeCompiler()
	launched = new([]string)
	a.OnLaunch = func(kernel string) { *launched = append(*launched, kernel) }
	return access.NewDevice(kind, location, a).(*tensor.Device), launched
}

// expectLaunches compares what was launched since the last time.
func expectLaunches(t *testing.T, launched *[]string, want ...string) {
	t.Helper()
	if !slices.Equal(*launched, want) {
		t.Errorf("launched %v, want %v", *launched, want)
	}
	*launched = nil
}

func numbersAre(t *testing.T, x *tensor.Tensor, want ...float64) {
	t.Helper()
	if got := x.Float64s(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestChainIsOneKernel(t *testing.T) {
	dev, launched := fusing(t, gpu.FuseWait)
	x, y := dev.Randn(tensor.F32, 5, 12), dev.Randn(tensor.F32, 5, 12)
	b := dev.Randn(tensor.F32, 12)
	f := func() *tensor.Tensor { return x.Mul(2).Add(1).Tanh().Mul(y).Add(b).Gelu() }
	f()
	*launched = nil
	got := f().Float64s()
	expectLaunches(t, launched, "fused_mul_add_tanh_mul_add_gelu")
	backendOf(dev).FuseAs(gpu.FuseNever)
	if want := f().Float64s(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	expectLaunches(t, launched, "mul_f32", "add_f32", "tanh_f32", "mul_f32", "add_f32", "gelu_f32")
}

// TestOneOperation: a result of one operation costs what it did.
func TestOneOperation(t *testing.T) {
	dev, launched := fusing(t, gpu.FuseWait)
	x := dev.Arange(tensor.F32, 4)
	*launched = nil
	numbersAre(t, x.Neg(), 0, -1, -2, -3)
	expectLaunches(t, launched, "neg_f32")
}

// TestSpecialKernels: on a GPU, single operations have kernels for the layouts of their operands. They give the same
// bits.
func TestSpecialKernels(t *testing.T) {
	dev, _ := fusing(t, gpu.FuseWait)
	a := backendOf(dev)
	x, y := dev.Randn(tensor.F16, 5, 16), dev.Randn(tensor.F16, 5, 16)
	row, wide := dev.Randn(tensor.F16, 16), dev.Randn(tensor.F16, 16, 5)
	for name, f := range map[string]func() *tensor.Tensor{
		"dense":      func() *tensor.Tensor { return x.Add(y) },
		"a row":      func() *tensor.Tensor { return x.Add(row) },
		"transposed": func() *tensor.Tensor { return x.Sub(wide.T()) },
		"a number":   func() *tensor.Tensor { return x.Mul(3) },
		"beside":     func() *tensor.Tensor { return x.Narrow(1, 3, 8).Gelu() },
		"where":      func() *tensor.Tensor { return x.Gt(y).WhereCond(x, row) },
		"cast":       func() *tensor.Tensor { return wide.T().ToDType(tensor.F32) },
		"affine":     func() *tensor.Tensor { return x.Affine(2, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			a.Specialize(false)
			want := f().Float64s()
			a.Specialize(true)
			before, _, _ := a.Fused()
			for _, mode := range []string{"deferred", "at once"} {
				if got := f().Float64s(); !slices.Equal(got, want) {
					t.Errorf("%s: got %v, want %v", mode, got, want)
				}
				x.Buffer() // nothing is put off from now on
			}
			if chains, _, _ := a.Fused(); chains == before {
				t.Error("no special kernel")
			}
		})
	}
}

// TestFusedLater: the operations of a chain run one by one until its kernel is compiled.
// TestFusedEvicted: of many chains the kernels used last stay loaded.
func TestFusedEvicted(t *testing.T) {
	dev, launched := fusing(t, gpu.FuseWait)
	b := access.Backend(dev).(*gpu.Backend)
	t.Cleanup(gpu.LimitKernels(3, 100))
	x := dev.Arange(tensor.F32, 4)
	chains := []func() *tensor.Tensor{
		func() *tensor.Tensor { return x.Mul(2).Add(1) },
		func() *tensor.Tensor { return x.Mul(2).Sub(1).Abs() },
		func() *tensor.Tensor { return x.Add(x).Mul(x).Relu() },
		func() *tensor.Tensor { return x.Neg().Add(3).Sqr() },
		func() *tensor.Tensor { return x.Sqr().Add(x).Neg() },
	}
	want := [][]float64{{1, 3, 5, 7}, {1, 1, 3, 5}, {0, 2, 8, 18}, {9, 4, 1, 0}, {0, -2, -6, -12}}
	for round := range 3 {
		for i, chain := range chains {
			numbersAre(t, chain(), want[i]...)
			numbersAre(t, chains[0](), want[0]...) // in use all the time
			if _, _, n := b.Fused(); n > 3 {
				t.Fatalf("round %d, chain %d: %d kernels are loaded", round, i, n)
			}
		}
	}
	for _, name := range *launched {
		if !strings.HasPrefix(name, "fused") && name != "fill_b32" && name != "arange_f32" {
			t.Errorf("launched %s: a chain had no kernel", name)
			break
		}
	}
}

func TestFusedLater(t *testing.T) {
	thorough.Slow(t)
	t.Setenv("GOROCM_CACHE", t.TempDir())
	dev, launched := fusing(t, gpu.FuseLater)
	a := backendOf(dev)
	x := dev.Arange(tensor.F32, 4)
	chain := func() { numbersAre(t, x.Sqr().Neg().Sqr().Abs(), 0, 1, 16, 81) }
	for range gpu.OftenMet {
		*launched = nil
		chain()
		expectLaunches(t, launched, "sqr_f32", "neg_f32", "sqr_f32", "abs_f32")
	}
	for compiling := true; compiling; time.Sleep(time.Millisecond) {
		compiling = a.Compiling()
	}
	chain()
	expectLaunches(t, launched, "fused_sqr_neg_sqr_abs")

	again, launched := fusing(t, gpu.FuseLater) // another process would find it on the disk
	x = again.Arange(tensor.F32, 4)
	*launched = nil
	chain()
	expectLaunches(t, launched, "fused_sqr_neg_sqr_abs")
}

// TestFusedProblem: without a kernel for the chain, operations run one by one.
func TestFusedProblem(t *testing.T) {
	dev, launched := fusing(t, gpu.FuseWait)
	a := backendOf(dev)
	x := dev.Arange(tensor.F32, 4)
	y := x.Neg().Abs()
	if err := a.FailToCompile(access.Operand(y).Store, []int{4}); err != nil {
		t.Fatal(err)
	}
	*launched = nil
	numbersAre(t, y, 0, 1, 2, 3)
	expectLaunches(t, launched, "neg_f32", "abs_f32")
	a.ReportProblem(errors.New("compile fused: no room\nmore"))
	if info := dev.Info(); !strings.HasSuffix(info,
		"; chains of elementwise operations run one by one: compile fused: no room") {
		t.Error(info)
	}
}

// TestWriteAfterDeferredRead: what is made of elements sees them as they were when it was asked for.
func TestWriteAfterDeferredRead(t *testing.T) {
	for name, write := range map[string]func(x *tensor.Tensor){
		"const set": func(x *tensor.Tensor) { x.ConstSet(9) },
		"copy set":  func(x *tensor.Tensor) { x.CopySet(x.ZerosLike()) },
		"slice set": func(x *tensor.Tensor) { x.SliceSet(x.OnesLike().Narrow(0, 0, 2), 0, 1) },
		"view":      func(x *tensor.Tensor) { x.Narrow(0, 1, 2).ZeroSet() },
		"scatter": func(x *tensor.Tensor) {
			x.ScatterSet(x.Device().FromSlice([]uint32{2}, 1),
				x.Device().Full(tensor.F32, 7, 1), 0)
		},
		"scatter add set": func(x *tensor.Tensor) {
			x.ScatterAddSet(x.Device().FromSlice([]uint32{2}, 1),
				x.Device().Full(tensor.F32, 7, 1), 0)
		},
		"buffer": func(x *tensor.Tensor) {
			b, _ := x.Buffer()
			if err := b.Upload(0, make([]byte, 16)); err != nil {
				panic(err)
			}
		},
		"free": func(x *tensor.Tensor) { x.Free(); x.Device().Full(tensor.F32, 5, 4).Sqr().Float64s() },
	} {
		t.Run(name, func(t *testing.T) {
			dev, _ := fusing(t, gpu.FuseWait)
			x := dev.Arange(tensor.F32, 4)
			doubled := x.Mul(2)
			sum := doubled.Add(1)
			square := x.Sqr()
			write(x)
			numbersAre(t, sum, 1, 3, 5, 7)
			numbersAre(t, doubled, 0, 2, 4, 6)
			numbersAre(t, square, 0, 1, 4, 9)
		})
	}
}

// TestWriteToDeferred writes to a result that is not computed yet, after others were made of it.
func TestWriteToDeferred(t *testing.T) {
	dev, _ := fusing(t, gpu.FuseWait)
	x := dev.Arange(tensor.F32, 4)
	y := x.Mul(2)
	z := y.Add(1)
	y.Narrow(0, 0, 2).ConstSet(10)
	numbersAre(t, y.Add(0), 10, 10, 4, 6)
	numbersAre(t, z, 1, 3, 5, 7)
}

// TestSetOfStep: an optimizer's step is one kernel and a copy, although what led there is not collected yet.
func TestSetOfStep(t *testing.T) {
	dev, launched := fusing(t, gpu.FuseWait)
	w, g := tensor.NewVar(dev.Arange(tensor.F32, 4)), dev.Arange(tensor.F32, 4, 8)
	step := func() *tensor.Tensor {
		decayed := w.Detach().Mul(0.5)
		w.Set(decayed.Sub(g.Mul(2)))
		return decayed
	}
	step()
	w.Set(dev.Arange(tensor.F32, 4))
	*launched = nil
	decayed := step()
	expectLaunches(t, launched, "fused_mul_mul_sub", "copy without a kernel")
	numbersAre(t, w, -8, -9.5, -11, -12.5)
	numbersAre(t, decayed, 0, 0.5, 1, 1.5)
	kept := w.Detach().Mul(2)
	w.Set(g)
	numbersAre(t, kept, -16, -19, -22, -25)
	numbersAre(t, w, 4, 5, 6, 7)
}

// TestExposed: nothing is put off where a program of the user's own may write at any time.
func TestExposed(t *testing.T) {
	dev, launched := fusing(t, gpu.FuseWait)
	x := dev.Arange(tensor.F32, 4)
	x.Buffer()
	*launched = nil
	y := x.Neg()
	expectLaunches(t, launched, "neg_f32")
	b, _ := x.Buffer()
	if err := b.Upload(0, make([]byte, 16)); err != nil {
		t.Fatal(err)
	}
	numbersAre(t, y, 0, -1, -2, -3)
}

// TestFreedDeferred frees deferred results: others that are made of them have their elements, and no memory stays.
func TestFreedDeferred(t *testing.T) {
	dev, launched := fusing(t, gpu.FuseWait)
	x := dev.Arange(tensor.F32, 4)
	y := x.Mul(2)
	z := y.Add(1)
	y.Free()
	if _, err := tensor.Try(func() *tensor.Tensor { return y.Neg() }); !errors.Is(err, tensor.ErrMemory) {
		t.Errorf("use of a freed result: %v", err)
	}
	*launched = nil
	x.Free()
	expectLaunches(t, launched, "fused_mul_add")
	numbersAre(t, z, 1, 3, 5, 7)
	if err := gpu.BufferOf(access.Operand(x).Store).Download(make([]byte, 16), 0); err == nil {
		t.Error("the memory of x is still there")
	}
	w := dev.Arange(tensor.F32, 4)
	w.Sqr().Free()
	*launched = nil
	w.Free()
	expectLaunches(t, launched)
	runtime.KeepAlive(y)
}

// TestSynchronizeComputes: waiting for the device computes what was put off, chains as a whole.
func TestSynchronizeComputes(t *testing.T) {
	dev, launched := fusing(t, gpu.FuseWait)
	a := backendOf(dev)
	x := dev.Arange(tensor.F32, 4)
	x.Mul(3).Add(1).Float64s() // numbers and kernels
	*launched = nil
	for name, wait := range map[string]func() error{
		"tensor":  func() error { dev.Synchronize(); return nil },
		"device":  a.Device().Synchronize,
		"profile": func() error { _, err := a.Device().StopProfile(); return err },
		"timer":   func() error { _, err := a.Device().StopTimer(); return err },
	} {
		y := x.Mul(3).Add(1)
		expectLaunches(t, launched)
		if err := wait(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		expectLaunches(t, launched, "fused_mul_add")
		runtime.KeepAlive(y)
	}
}

// TestCaptureDeferred captures operations while some results are put off: these are computed before, and those of the
// graph at each replay.
func TestCaptureDeferred(t *testing.T) {
	dev, launched := fusing(t, gpu.FuseWait)
	a := backendOf(dev)
	x := dev.Arange(tensor.F32, 4)
	x.Mul(2).Add(1).Sqr().Neg().Float64s() // numbers and kernels
	runtime.GC()                           // of what led there
	before := x.Mul(2)
	open := before.Add(1)
	*launched = nil
	var y *tensor.Tensor
	g, err := a.Device().Capture(func() {
		expectLaunches(t, launched, "fused_mul_add", "mul_f32")
		y = before.Sqr().Neg()
		expectLaunches(t, launched, "sqr_f32", "neg_f32")
	})
	if err != nil {
		t.Fatal(err)
	}
	if g.Launches() != 2 {
		t.Errorf("%d launches, want 2", g.Launches())
	}
	for i, want := range [][]float64{{0, -4, -16, -36}, {-25, -25, -25, -25}} {
		if err := g.Replay(); err != nil {
			t.Fatal(err)
		}
		last := y.Add(0) // not put off: the next replay writes to y
		if i == 0 {
			before.ConstSet(5)
			if err := g.Replay(); err != nil {
				t.Fatal(err)
			}
		}
		numbersAre(t, last, want...)
	}
	numbersAre(t, open, 1, 3, 5, 7)
}

// TestSetOfCaptured: a graph sees what was written to its operands, also where deferred results are made of what they
// were.
func TestSetOfCaptured(t *testing.T) {
	dev, _ := fusing(t, gpu.FuseWait)
	a := backendOf(dev)
	w := dev.Arange(tensor.F32, 4)
	w.Neg().Float64s()
	var y *tensor.Tensor
	g, err := a.Device().Capture(func() { y = w.Neg() })
	if err != nil {
		t.Fatal(err)
	}
	doubled := w.Mul(2)
	sum := doubled.Add(1)
	w.CopySet(w.OnesLike())
	if err := g.Replay(); err != nil {
		t.Fatal(err)
	}
	numbersAre(t, y, -1, -1, -1, -1)
	numbersAre(t, sum, 1, 3, 5, 7)
	numbersAre(t, doubled, 0, 2, 4, 6)
}

// TestDeferredGradients: gradients have the same bits, fused and unfused.
func TestDeferredGradients(t *testing.T) {
	dev, _ := fusing(t, gpu.FuseWait)
	x, w := dev.Randn(tensor.F32, 3, 4),
		tensor.NewVar(dev.Randn(tensor.F32, 3, 4))
	grad := func() []float64 {
		y := x.Mul(w).Add(1).Gelu()
		y = y.Mul(y.Sigmoid()).Add(w)
		return y.Sqr().Mean().Backward().Get(w).Float64s()
	}
	got := grad()
	backendOf(dev).FuseAs(gpu.FuseNever)
	if want := grad(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestDeferredOnce: several goroutines that want one result compute it once.
func TestDeferredOnce(t *testing.T) {
	dev, launched := fusing(t, gpu.FuseWait)
	x := dev.Arange(tensor.F32, 64)
	x.Mul(2).Add(1).Float64s()
	for range 10 {
		*launched = nil
		y := x.Mul(2).Add(1)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				z := y.Add(y)
				if got := y.Float64s()[3]; got != 7 {
					t.Errorf("got %v, want 7", got)
				}
				if got := z.Float64s()[3]; got != 14 {
					t.Errorf("got %v, want 14", got)
				}
			})
		}
		wg.Wait()
		count := 0
		for _, k := range *launched {
			if k == "fused_mul_add" {
				count++
			}
		}
		if count != 1 {
			t.Errorf("launched %v", *launched)
		}
	}
}

// TestDeferredError: an error says which operations could not be computed, and the result is there when there is room
// again.
func TestDeferredError(t *testing.T) {
	thorough.Slow(t)
	dev, _ := fusing(t, gpu.FuseWait)
	x := dev.Arange(tensor.F32, 4)
	x.Mul(2).Neg().Float64s()
	y := x.Mul(2).Neg()
	s := access.Operand(y).Store.(*gpu.Storage)
	s.SetBytes(1 << 62)
	_, err := tensor.Try(func() *tensor.Tensor { y.Float64s(); return nil })
	if e := (*tensor.Error)(nil); !errors.As(err, &e) || e.Op != "mul, neg" || e.Kind != tensor.ErrMemory ||
		!errors.Is(err, rocm.ErrOutOfMemory) {
		t.Errorf("%v", err)
	}
	s.SetBytes(y.Bytes())
	numbersAre(t, y, 0, -2, -4, -6)
}

// TestChainsAreBounded: however long a program goes on, chains have an end, and memory does not grow.
func TestChainsAreBounded(t *testing.T) {
	thorough.Slow(t)
	dev, launched := fusing(t, gpu.FuseWait)
	a := backendOf(dev)
	x := dev.Zeros(tensor.F32, 1<<16)
	add := dev.Ones(tensor.F32, 1<<16)
	y := x
	for range 3 * gpu.MaxChain {
		y = y.Add(add)
	}
	for _, kernel := range *launched {
		if n := strings.Count(kernel, "add"); n > gpu.MaxChain {
			t.Errorf("%s has %d operations", kernel, n)
		}
	}
	if got := y.Narrow(0, 5, 1).Float64s()[0]; got != 3*gpu.MaxChain {
		t.Errorf("got %v, want %d", got, 3*gpu.MaxChain)
	}
	runtime.GC()
	start := a.Device().Memory().InUse
	var most int64
	for i := range 400 { // every step has an operand of its own, and a result that is kept for some time
		y = y.Add(dev.Ones(tensor.F32, 1<<16)).Mul(x)
		if i%50 == 0 {
			runtime.GC()
		}
		most = max(most, a.Device().Memory().InUse-start)
	}
	if limit := int64(200 * 4 << 16); most > limit {
		t.Errorf("%d bytes in use, want at most %d", most, limit)
	}
}

// TestUsedTwice: a result that a chain uses twice is computed once in it, and what another chain needs again is
// computed there again.
func TestUsedTwice(t *testing.T) {
	dev, launched := fusing(t, gpu.FuseWait)
	x := dev.Arange(tensor.F32, 4)
	y := x.Add(1)
	*launched = nil
	z := y.Mul(y).Sub(y)
	numbersAre(t, z, 0, 2, 6, 12)
	expectLaunches(t, launched, "fused_add_mul_sub")
	numbersAre(t, y.Narrow(0, 1, 2), 2, 3)
	expectLaunches(t, launched, "add_f32")
	numbersAre(t, y.Neg(), -1, -2, -3, -4)
	expectLaunches(t, launched, "neg_f32")
}

// TestUsedOften: a result that many others are made of is computed in the kernels of some, and then kept.
func TestUsedOften(t *testing.T) {
	dev, launched := fusing(t, gpu.FuseWait)
	x := dev.Arange(tensor.F32, 4)
	y := x.Add(1)
	*launched = nil
	for range gpu.MaxRepeats {
		numbersAre(t, y.Neg(), -1, -2, -3, -4)
	}
	numbersAre(t, y.Neg(), -1, -2, -3, -4)
	expectLaunches(t, launched, "fused_add_neg", "fused_add_neg", "add_f32", "neg_f32")
}

// TestShortOfMemory: what is deferred is computed before memory runs out, so that its operands can go.
func TestShortOfMemory(t *testing.T) {
	dev, launched := fusing(t, gpu.FuseWait)
	a := backendOf(dev)
	runtime.GC()
	x := dev.Arange(tensor.F32, 4)
	y, z := x.Mul(2), x.Mul(2)
	*launched = nil
	if !a.Relieve() || a.Relieve() {
		t.Error("there was something to compute the first time, and nothing the second")
	}
	expectLaunches(t, launched, "mul_f32", "mul_f32")
	numbersAre(t, y.Add(z), 0, 4, 8, 12)
}

// TestViewsOfDeferred: other layouts of a result need it in memory; reshaped ones do not.
func TestViewsOfDeferred(t *testing.T) {
	dev, launched := fusing(t, gpu.FuseWait)
	x := dev.Arange(tensor.F32, 6).Reshape(2, 3)
	*launched = nil
	numbersAre(t, x.Neg().Reshape(6).Sqr().Unsqueeze(0).Neg(), 0, -1, -4, -9, -16, -25)
	expectLaunches(t, launched, "fused_neg_sqr_neg")
	numbersAre(t, x.T().Neg().Reshape(6).Sqr(), 0, 9, 1, 16, 4, 25)
	expectLaunches(t, launched, "neg_f32", "sqr_f32")
	numbersAre(t, x.Neg().Narrow(0, 1, 1).Sqr(), 9, 16, 25)
	expectLaunches(t, launched, "neg_f32", "sqr_f32")
}

func TestFuseMode(t *testing.T) {
	for text, want := range map[string]gpu.FuseMode{"": gpu.FuseLater, "1": gpu.FuseLater, "0": gpu.FuseNever,
		"wait": gpu.FuseWait} {
		if got := gpu.FuseModeOf(text); got != want {
			t.Errorf("GOROCM_FUSE=%s: %v, want %v", text, got, want)
		}
	}
	dev, launched := fusing(t, gpu.FuseNever)
	x := dev.Arange(tensor.F32, 4)
	*launched = nil
	x.Neg().Abs()
	expectLaunches(t, launched, "neg_f32", "abs_f32")
}

// BenchmarkDefer times operations on a few elements.
func BenchmarkDefer(b *testing.B) {
	d, err := tensor.NewDevice("rocm")
	if err != nil {
		b.Skip(err)
	}
	a := backendOf(d)
	for _, mode := range []gpu.FuseMode{gpu.FuseNever, gpu.FuseLater} {
		a.FuseAs(mode)
		for _, n := range []int{1, 8} {
			b.Run(fmt.Sprintf("mode %d/chain of %d", mode, n), func(b *testing.B) {
				x := d.Arange(tensor.F32, 16)
				b.ReportAllocs()
				for b.Loop() {
					y := x
					for range n {
						y = y.Add(x)
					}
					access.Operand(y).Store.Materialize()
				}
			})
		}
	}
	a.FuseAs(gpu.FuseLater)
}
