package gpu_test

import (
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/internal/gpu"
)

// TestDrop: memory that was dropped is free when the last deferred result that needs it is computed, and nothing is
// computed for that.
func TestDrop(t *testing.T) {
	first, _ := fusing(t, gpu.FuseWait)
	dev, err := first.NewStream() // with memory of its own
	if err != nil {
		t.Fatal(err)
	}
	b := backendOf(dev)
	b.FuseAs(gpu.FuseWait)
	b.AssumeCompiler()
	launches := 0
	b.OnLaunch = func(string) { launches++ }
	const n = 1 << 12
	expect := func(when string, tensors, launched int) {
		t.Helper()
		if got := b.Device().Memory().InUse; got/(4*n) != int64(tensors) {
			t.Errorf("%s: %d bytes in use, want %d of %d", when, got, tensors, 4*n)
		}
		if launches != launched {
			t.Errorf("%s: %d launches, want %d", when, launches, launched)
		}
		launches = 0
	}
	x := dev.Ones(tensor.F32, n)
	expect("an operand", 1, 1)
	y := x.Neg()
	z := y.Sqr()
	extend.Drop(x)
	extend.Drop(x)
	extend.Drop(y)
	expect("deferred", 1, 0)
	numbersAre(t, z.Narrow(0, 0, 2), 1, 1)
	expect("the result instead", 1, 1)
	a, w := z.Exp(), z.Neg()
	extend.Drop(z)
	extend.Drop(a)
	expect("one of two deferred results was dropped", 1, 0)
	w.Buffer()
	expect("the other was computed", 1, 1)
	extend.Drop(w)
	expect("memory whose address was given away", 1, 0)
	v := dev.Ones(tensor.F32, n)
	launches = 0
	u := v.Exp()
	extend.Drop(v)
	extend.Drop(u)
	expect("a chain that nobody needs", 1, 0)
}
