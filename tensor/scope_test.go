package tensor_test

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/autograd"
	"github.com/gorocm/gorocm/tensor/devicetest"
	"github.com/gorocm/gorocm/tensor/nn"
)

// onEach runs a test on the CPU and on each GPU there is.
func onEach(t *testing.T, f func(t *testing.T, dev *tensor.Device)) {
	t.Run("cpu", func(t *testing.T) { f(t, tensor.CPU()) })
	devicetest.OnGPUs(t, func(t *testing.T, dev *tensor.Device, _ *rocm.Device) { f(t, dev) })
}

// inUse is the memory of live tensors. Nothing is deferred then.
func inUse(dev *tensor.Device) int64 {
	dev.Synchronize()
	return dev.Memory().InUse
}

// TestScopeFrees: the memory of what a scope has made is free when it ends, when Backward has used it, or when the
// result is freed, without a collection; the result, variables and what was kept stay.
func TestScopeFrees(t *testing.T) {
	devicetest.OnGPUs(t, func(t *testing.T, dev *tensor.Device, d *rocm.Device) {
		const n = 1 << 18
		x := dev.Ones(tensor.F32, n)
		w := tensor.NewVar(x)
		one := int64(x.Bytes())
		runtime.GC() // what other tests have left
		before := inUse(dev)
		grown := func(what string, tensors int64) {
			t.Helper()
			if got := inUse(dev) - before; got < tensors*one-one/8 || got > tensors*one+one/8 {
				t.Errorf("%s: %d bytes more in use, want %d of %d", what, got, tensors, one)
			}
		}
		cube := func(x *tensor.Tensor) *tensor.Tensor { return x.Sqr().Contiguous().Mul(x).Exp() }
		y := tensor.Scoped(func() *tensor.Tensor { return cube(x).Softmax(0) })
		grown("a result that depends on no variable", 1)
		y.Free()
		grown("freed", 0)

		loss := tensor.Scoped(func() *tensor.Tensor { return cube(w).Softmax(0).Max() })
		if got := inUse(dev) - before; got < one {
			t.Errorf("a loss keeps %d bytes for gradients", got)
		}
		grads := loss.Backward()
		grown("a gradient", 1)
		grads.Get(w).Free()
		loss = tensor.Scoped(func() *tensor.Tensor { return cube(w).Softmax(0).Max() })
		loss.Free()
		grown("a loss that was freed", 0)

		var kept, lost, v *tensor.Tensor
		tensor.Scoped(func() *tensor.Tensor {
			kept, lost, v = x.Mul(2).Kept(), x.Mul(3), tensor.NewVar(x)
			return nil
		})
		if kept.Sum().ToScalar() != 2*n || v.Sum().ToScalar() != n || !lost.IsFreed() {
			t.Error("what was kept is lost, or what was not is kept")
		}
		kept.Buffer() // a chain that the sum has closed needs no memory for it
		grown("kept, and a variable", 2)
		runtime.KeepAlive([]*tensor.Tensor{kept, v, w, x})
	})
}

// TestScopesWithin: an inner scope leaves what its result needs for gradients to the outer one.
func TestScopesWithin(t *testing.T) {
	onEach(t, func(t *testing.T, dev *tensor.Device) {
		w := tensor.NewVar(tensor.Of(1, 2, 3).ToDevice(dev))
		layer := func(x *tensor.Tensor) *tensor.Tensor {
			return tensor.Scoped(func() *tensor.Tensor { return x.Mul(w).Sin().Exp() })
		}
		loss := tensor.Scoped(func() *tensor.Tensor { return layer(layer(w)).Sum() })
		plain := func(x *tensor.Tensor) *tensor.Tensor { return x.Mul(w).Sin().Exp() }
		want := plain(plain(w)).Sum().Backward().Get(w).ToVec1()
		if got := loss.BackwardRetain(nil).Get(w).ToVec1(); !slices.Equal(got, want) {
			t.Errorf("gradient %v, want %v", got, want)
		}
		if got := loss.Backward().Get(w).ToVec1(); !slices.Equal(got, want) {
			t.Errorf("once more %v, want %v", got, want)
		}
		_, err := tensor.Try(func() *tensor.Tensor { loss.Backward(); return nil })
		if !errors.Is(err, tensor.ErrGradient) || !strings.Contains(err.Error(), "has passed sum") {
			t.Errorf("a third time: %v", err)
		}
		loss = tensor.Scoped(func() *tensor.Tensor { return layer(w).Sum() })
		loss.Free()
		if _, err = tensor.Try(func() *tensor.Tensor { loss.Backward(); return nil }); !errors.Is(err, tensor.ErrMemory) {
			t.Errorf("the gradient of a freed loss: %v", err)
		}
	})
}

// TestNoGrad: nothing is recorded by the goroutine that called it, and by others everything is.
func TestNoGrad(t *testing.T) {
	w := tensor.NewVar(tensor.Of(1, 2))
	var inside, after, other *tensor.Tensor
	tensor.NoGrad(func() {
		inside = w.Sqr()
		var wait sync.WaitGroup
		wait.Go(func() { other = w.Sqr() })
		wait.Wait()
	})
	after = w.Sqr()
	if inside.TrackOp() || !after.TrackOp() || !other.TrackOp() {
		t.Errorf("recorded: inside %v, after %v, by another goroutine %v", inside.TrackOp(), after.TrackOp(), other.TrackOp())
	}
	_ = tensor.Catch(func() error { tensor.NoGrad(func() { w.MatMul(tensor.Of(1, 2, 3)) }); return nil })
	if !w.Sqr().TrackOp() {
		t.Error("after a panic nothing is recorded")
	}
}

// TestCheckpoint: what is computed once more has the gradients of what is kept, with the same random numbers; and
// gradients of gradients.
func TestCheckpoint(t *testing.T) {
	onEach(t, func(t *testing.T, dev *tensor.Device) {
		x := tensor.NewVar(dev.Linspace(tensor.F64, 0.1, 0.9, 12).Reshape(3, 4))
		w := tensor.NewVar(dev.Linspace(tensor.F64, -1, 1, 16).Reshape(4, 4))
		calls := 0
		layer := func(xs ...*tensor.Tensor) *tensor.Tensor {
			calls++
			y := xs[0].MatMul(w).Tanh()
			return nn.Dropout(0.5).ForwardT(y, true).Add(xs[0])
		}
		kept := func(x *tensor.Tensor) *tensor.Tensor { return layer(x) }
		again := func(x *tensor.Tensor) *tensor.Tensor { return nn.Checkpoint(layer, x) }
		nested := func(x *tensor.Tensor) *tensor.Tensor {
			return nn.Checkpoint(func(xs ...*tensor.Tensor) *tensor.Tensor { return again(xs[0]) }, x)
		}
		gradients := func(f func(x *tensor.Tensor) *tensor.Tensor, graph bool) (out []float64) {
			dev.SetSeed(5)
			calls = 0
			loss := f(f(x).Mul(2)).Sqr().Sum()
			if graph {
				g := loss.BackwardGraph(nil)
				loss = g.Get(x).Sqr().Sum().Add(g.Get(w).Sqr().Sum())
			}
			grads := loss.Backward()
			return slices.Concat(grads.Get(x).Float64s(), grads.Get(w).Float64s(), dev.Rand(tensor.F64, 2).Float64s())
		}
		for _, graph := range []bool{false, true} {
			want := gradients(kept, graph)
			for name, f := range map[string]func(x *tensor.Tensor) *tensor.Tensor{"again": again, "nested": nested} {
				for i, got := range gradients(f, graph) { // sums of gradients may be in another order
					if math.Abs(got-want[i]) > 1e-12*(1+math.Abs(want[i])) {
						t.Fatalf("%s, gradients of gradients %v: number %d is %v, want %v", name, graph, i, got, want[i])
					}
				}
				if calls <= 2 {
					t.Errorf("%s: the function was called %d times", name, calls)
				}
			}
		}
		y := nn.Checkpoint(layer, x)
		w.Set(w.Detach().Mul(2))
		if _, err := tensor.Try(func() *tensor.Tensor { y.Sum().Backward(); return nil }); !errors.Is(err, tensor.ErrGradient) {
			t.Errorf("a variable was changed: %v", err)
		}
		first := true
		z := nn.Checkpoint(func(xs ...*tensor.Tensor) *tensor.Tensor {
			if first {
				first = false
				return xs[0].Sum()
			}
			return xs[0].Sqr()
		}, x)
		if _, err := tensor.Try(func() *tensor.Tensor { z.Backward(); return nil }); err == nil ||
			!strings.Contains(err.Error(), "now something else") {
			t.Errorf("another result the second time: %v", err)
		}
		if y := nn.Checkpoint(layer, x.Detach().Add(1).Detach()); !y.TrackOp() {
			t.Error("a variable that the function uses is forgotten")
		}
		if same := nn.Checkpoint(func(xs ...*tensor.Tensor) *tensor.Tensor { return xs[0] }, x); same != x {
			t.Error("an input that is returned is another tensor")
		}
	})
}

// TestHookKeeps: a gradient that a program has seen is not freed.
func TestHookKeeps(t *testing.T) {
	onEach(t, func(t *testing.T, dev *tensor.Device) {
		w := tensor.NewVar(tensor.Of(1, 2, 3).ToDevice(dev))
		var seen, made *tensor.Tensor
		y := autograd.Hook(w.Sqr(), func(g *tensor.Tensor) *tensor.Tensor {
			seen, made = g, g.Mul(3).Contiguous()
			return made
		})
		y.Mul(w).Sum().Backward()
		if got := slices.Concat(seen.ToVec1(), made.ToVec1()); !slices.Equal(got, []float64{1, 2, 3, 3, 6, 9}) {
			t.Errorf("gradients %v", got)
		}
	})
}
