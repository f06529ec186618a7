package host_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/host"
)

// fuseAs sets how deferral works during a test, and returns what counts chains.
func fuseAs(t *testing.T, mode string) func() int {
	fused, restore := host.FuseAs(mode)
	t.Cleanup(restore)
	return fused
}

// bits are the elements as text that tells zeros apart. All NaNs are one: which it is depends on where vectors end.
func bits(x *tensor.Tensor) string {
	x = x.Contiguous()
	switch e := x.Data().(type) {
	case []float32:
		out := make([]uint32, len(e))
		for i, v := range e {
			if v != v {
				v = float32(math.NaN())
			}
			out[i] = math.Float32bits(v)
		}
		return fmt.Sprint(out)
	case []float64:
		out := make([]uint64, len(e))
		for i, v := range e {
			if v != v {
				v = math.NaN()
			}
			out[i] = math.Float64bits(v)
		}
		return fmt.Sprint(out)
	default:
		return fmt.Sprint(e)
	}
}

// chain makes tensors of tensors, the same ones for the same seed, and returns them all.
func chain(seed uint64) []*tensor.Tensor {
	r := rand.New(rand.NewPCG(seed, 7))
	shape := []int{1 + r.IntN(5), 1 + r.IntN(130), 1 + r.IntN(70)}
	if r.IntN(3) == 0 {
		shape = []int{2*host.TileElems + r.IntN(9)}
	}
	dts := []tensor.DType{tensor.F32, tensor.F32, tensor.F64, tensor.BF16, tensor.F16}
	leaf := func(dt tensor.DType) *tensor.Tensor {
		s := slices.Clone(shape)
		for d := range s {
			if r.IntN(4) == 0 {
				s[d] = 1
			}
		}
		n := 1
		for _, d := range s {
			n *= d
		}
		e := make([]float64, n)
		for i := range e {
			e[i] = r.NormFloat64() * 3
			if r.IntN(50) == 0 {
				e[i] = []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN()}[r.IntN(5)]
			}
		}
		x := tensor.FromSlice(e, s...).ToDType(dt)
		if len(s) == 3 && s[1] == s[2] && r.IntN(2) == 0 {
			x = x.Transpose(1, 2)
		}
		return x
	}
	dt := dts[r.IntN(len(dts))]
	all := []*tensor.Tensor{leaf(dt), leaf(dt), leaf(dt).Add(tensor.Zeros(shape...).ToDType(dt))}
	pick := func() *tensor.Tensor { return all[r.IntN(len(all))].ToDType(dt) }
	for range 3 + r.IntN(20) {
		x := pick()
		switch r.IntN(14) {
		case 0:
			x = x.Tanh()
		case 1:
			x = x.Affine(float64(r.IntN(3)), float64(r.IntN(3)))
		case 2:
			x = x.Gelu()
		case 3:
			x = x.Sin()
		case 4:
			x = x.Powf(2)
		case 5:
			x = x.Exp().Neg()
		case 6:
			x = x.Lt(pick()).BroadcastAs(shape...).WhereCond(pick().BroadcastAs(shape...), pick().BroadcastAs(shape...))
		case 7:
			dt = dts[r.IntN(len(dts))]
			x = x.ToDType(dt)
		case 8:
			x = x.Maximum(pick())
		case 9:
			x = x.Sum(-1)
		case 10:
			x = x.Reshape(-1).Reshape(x.Dims()...)
		case 11:
			x = x.MaxKeepDim(-1)
		default:
			x = x.Mul(pick()).Sub(pick())
		}
		if x.Rank() == len(shape) {
			all = append(all, x)
		}
		if r.IntN(6) == 0 {
			_ = bits(anyOf(r, all).Copy()) // some results are needed early
		}
	}
	return all
}

func anyOf(r *rand.Rand, all []*tensor.Tensor) *tensor.Tensor { return all[r.IntN(len(all))] }

// TestFusedBits: chains have the bits of the operations one by one, in any order in which they are needed.
func TestFusedBits(t *testing.T) {
	thorough.Slow(t)
	seeds := uint64(20)
	if thorough.On() {
		seeds = 80
	}
	for seed := range seeds {
		_, restore := host.FuseAs("0")
		want := chain(seed)
		texts := make([]string, len(want))
		for i, x := range want {
			texts[i] = bits(x)
		}
		restore()
		fused, restore := host.FuseAs("wait")
		got := chain(seed)
		order := rand.New(rand.NewPCG(seed, 9)).Perm(len(got))
		for _, i := range order {
			if text := bits(got[i]); text != texts[i] {
				t.Errorf("seed %d: tensor %d of %d, %v, has other bits", seed, i, len(got), got[i].Dims())
			}
		}
		if fused() == 0 && len(got) > 12 {
			t.Logf("seed %d: no chain", seed)
		}
		restore()
	}
}

func ramp(n int) *tensor.Tensor { return tensor.Arange(0, float64(n)).ToDType(tensor.F32) }

// TestFusedOnce counts chains: one for several operations, none where a single result is stored, and a result that
// others are made of is stored beside them.
func TestFusedOnce(t *testing.T) {
	fused := fuseAs(t, "wait")
	x := ramp(10000)
	y := x.Mul(2).Add(1).Tanh().Mul(x)
	if fused() != 0 {
		t.Fatal("the chain was computed before anybody needs it")
	}
	_ = bits(y)
	if fused() != 1 {
		t.Errorf("%d chains, want 1", fused())
	}
	_ = bits(y)
	_ = bits(x.Neg())
	if fused() != 1 {
		t.Errorf("%d chains after one operation more, want 1", fused())
	}
	a := x.Mul(3).Exp()
	b, c := a.Add(1), a.Add(2)
	_ = bits(b) // stores a, of which c is made
	_, _ = bits(c), bits(a)
	if fused() != 2 {
		t.Errorf("%d chains, want 2", fused())
	}
	_ = bits(x.Sub(1).Sqr().Reshape(100, 100).Sum(-1))
	x.Device().Synchronize() // does not compute what was only reduced
	if fused() != 3 {
		t.Errorf("%d chains with a reduction, want 3", fused())
	}
}

// TestFusedWrites: results keep the elements from before a write, whoever writes.
func TestFusedWrites(t *testing.T) {
	fuseAs(t, "wait")
	for name, write := range map[string]func(x *tensor.Tensor){
		"set":   func(x *tensor.Tensor) { x.SliceSet(tensor.Zeros(5), 0, 3) },
		"data":  func(x *tensor.Tensor) { clear(x.Data().([]float32)) },
		"copy":  func(x *tensor.Tensor) { x.CopySet(tensor.Zeros(6000)) },
		"freed": func(x *tensor.Tensor) { x.Free(); ramp(6000).Mul(0).Add(7).Device().Synchronize() },
	} {
		x := ramp(6000)
		middle := x.Add(1)
		y := middle.Mul(2)
		view := x.Narrow(0, 3, 5).Neg()
		write(x)
		z := middle.Mul(3)
		for i, v := range y.Data().([]float32) {
			if v != float32(2*(i+1)) {
				t.Fatalf("%s: y[%d] is %v after a write to its operand", name, i, v)
			}
		}
		if z.Data().([]float32)[4] != 15 || view.Data().([]float32)[0] != -3 {
			t.Errorf("%s: results have the elements from after a write", name)
		}
	}
	x := ramp(6000)
	d := x.Data().([]float32)
	y := x.Add(1).Mul(2) // x may be written to at any time now
	clear(d)
	if y.Data().([]float32)[5] != 12 {
		t.Error("a result of memory that was given away was deferred")
	}
}

// TestFusedFree: freed results and operands in the middle of chains do no harm, and the memory of operands is used
// again after the last result that is made of them.
func TestFusedFree(t *testing.T) {
	thorough.Slow(t)
	fuseAs(t, "wait")
	for range 20 {
		x := ramp(1 << 20).Mul(1)
		x.Device().Synchronize()
		a := x.Add(1)
		b := a.Mul(2)
		x.Free()
		a.Free()
		c := b.Sub(1)
		b.Free()
		if got := c.Data().([]float32); got[3] != 7 || got[1<<20-1] != 2*(1<<20)-1 {
			t.Fatalf("c is %v … %v", got[3], got[1<<20-1])
		}
		c.Free()
	}
	if err := tensor.Catch(func() error { x := ramp(100).Neg(); x.Free(); _ = x.Add(1); return nil }); err == nil {
		t.Error("a freed result that was deferred could be used")
	}
}

// TestFusedPending: results that nobody asks for are computed when there are many.
func TestFusedPending(t *testing.T) {
	thorough.Slow(t)
	fuseAs(t, "wait")
	x := ramp(5000)
	var all []*tensor.Tensor
	for i := range 3 * host.MaxPending {
		all = append(all, x.Add(i).Mul(2))
	}
	for i, y := range all {
		if v := y.Data().([]float32)[7]; v != float32(2*(7+i)) {
			t.Fatalf("result %d is %v", i, v)
		}
	}
	long := x // far longer than a chain may be
	for range 200 {
		long = long.Add(1).Mul(1).Maximum(long)
	}
	if v := long.Data().([]float32)[7]; v != 207 {
		t.Errorf("a chain of 600 operations gives %v, want 207", v)
	}
}

// TestFusedConcurrently: goroutines may share deferred results, write and free what they are made of.
func TestFusedConcurrently(t *testing.T) {
	thorough.Slow(t)
	fuseAs(t, "wait")
	for round := range 20 {
		x := ramp(20000)
		a := x.Add(1)
		b := a.Mul(2)
		var all sync.WaitGroup
		for g := range 6 {
			c := b.Add(g)
			all.Go(func() {
				d := c.Sub(1).Mul(1)
				if v := d.Data().([]float32)[9]; v != float32(20+g-1) {
					t.Errorf("round %d: goroutine %d got %v", round, g, v)
				}
				if v := b.Sum(0).Data().([]float32)[0]; g == 3 && v == 0 {
					t.Error("the sum is 0")
				}
			})
		}
		all.Go(func() { x.CopySet(tensor.Zeros(20000)) })
		all.Wait()
	}
}
