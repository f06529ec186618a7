package nn_test

import (
	"runtime"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/access"
	"github.com/gorocm/gorocm/tensor/internal/gpu"
	"github.com/gorocm/gorocm/tensor/nn"
)

// watched is a device of its own, what computes on it, and a function that tells which kernels and copies f asks of it.
func watched(t *testing.T) (dev *tensor.Device, a *gpu.Backend,
	watch func(f func() *tensor.Tensor) (*tensor.Tensor, []string)) {
	b, err := gpu.Open("rocm:0")
	if err != nil {
		t.Skipf("no rocm device: %v", err)
	}
	a = b.(*gpu.Backend)
	return access.NewDevice("rocm", "rocm:0", a).(*tensor.Device), a,
		func(f func() *tensor.Tensor) (*tensor.Tensor, []string) {
			var names []string
			a.OnLaunch = func(kernel string) { names = append(names, kernel) }
			defer func() { a.OnLaunch = nil }()
			return f(), names
		}
}

// computed has the elements of x in memory.
func computed(t *testing.T, x *tensor.Tensor) {
	t.Helper()
	if err := access.Operand(x).Store.Materialize(); err != nil {
		t.Fatal(err)
	}
}

// TestAttentionOneLaunch: few queries of many keys take one kernel, and its results have the same bits whenever it
// runs: alone, again, and in a graph.
func TestAttentionOneLaunch(t *testing.T) {
	dev, a, watch := watched(t)
	k, v := dev.Randn(tensor.F16, 1, 2, 1500, 64),
		dev.Randn(tensor.F16, 1, 2, 1500, 64)
	for heads, kernel := range map[int]string{2: "attention_parts_1_f16", 4: "attention_parts_2_f16",
		6: "attention_parts_4_f16"} {
		q := dev.Randn(tensor.F16, 1, heads, 1, 64)
		attend := func() *tensor.Tensor { return nn.Attention(q, k, v, nn.Attend{Scale: 0.125}) }
		for _, x := range []*tensor.Tensor{q, k, v} {
			computed(t, x) // what was deferred
		}
		y, names := watch(attend)
		if !slices.Equal(names, []string{kernel}) {
			t.Errorf("%d heads are the kernels %v", heads, names)
		}
		want := y.Float64s()
		check := func(how string, y *tensor.Tensor) {
			if !slices.Equal(y.Float64s(), want) {
				t.Errorf("%d heads %s: other bits", heads, how)
			}
		}
		check("again", attend())
		var captured *tensor.Tensor
		g, err := a.Device().Capture(func() { captured = attend() })
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := g.Replay(); err != nil {
				t.Fatal(err)
			}
			check("in a graph", captured)
		}
	}
}

// TestPagedLaunches: single tokens of several sequences take one kernel to store keys and values and one to attend, and
// a graph of both follows when other sequences are set.
func TestPagedLaunches(t *testing.T) {
	dev, a, watch := watched(t)
	for size, kernel := range map[int]string{64: "paged_attention_2_f16", 12: "paged_strided_2_f16"} {
		cache := nn.NewPagedCache(16, 16, 2, size, tensor.F16, dev)
		for _, pool := range []*tensor.Tensor{cache.K, cache.V} {
			pool.CopySet(dev.Randn(tensor.F16, pool.Dims()...))
		}
		q, k := dev.Randn(tensor.F16, 2, 4, size), dev.Randn(tensor.F16, 2, 2, size)
		short := []nn.PagedSequence{{BlockTable: []int{3}, SeqLen: 2, Queries: 1}, {BlockTable: []int{1}, SeqLen: 9, Queries: 1}}
		long := []nn.PagedSequence{{BlockTable: []int{9, 2, 5, 7, 11, 12, 13, 14, 15}, SeqLen: 140, Queries: 1},
			{BlockTable: []int{4, 0}, SeqLen: 17, Queries: 1}}
		step := func(b *nn.PagedBatch) *tensor.Tensor {
			cache.Append(k, k, b)
			return nn.PagedAttention(q, cache, b, nn.Attend{Causal: true})
		}
		want := step(nn.NewPagedBatch(cache, short)).Float64s()
		b := nn.NewPagedBatch(cache, long)
		wantLong := step(b).Float64s()
		y, names := watch(func() *tensor.Tensor { return step(b) })
		if !slices.Equal(names, []string{"paged_append_b16", kernel}) || !slices.Equal(y.Float64s(), wantLong) {
			t.Errorf("size %d: kernels %v, or other bits", size, names)
		}
		var captured *tensor.Tensor
		g, err := a.Device().Capture(func() { captured = step(b) })
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range [][]float64{wantLong, want, wantLong} {
			b.Set([][]nn.PagedSequence{long, short, long}[i])
			if err := g.Replay(); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(captured.Float64s(), want) {
				t.Errorf("size %d: replay %d has other bits", size, i)
			}
		}
	}
}

// TestAttentionGradientMemory: attention and its gradients take four kernels, and no memory of the size of queries times
// keys.
func TestAttentionGradientMemory(t *testing.T) {
	thorough.Slow(t)
	const length, size = 512, 32
	dev, a, _ := watched(t)
	for _, dt := range []tensor.DType{tensor.F32, tensor.F16} {
		operands := make([]*tensor.Tensor, 3)
		for i := range operands {
			operands[i] = tensor.NewVar(dev.Randn(tensor.F32, 1, 1, length, size).ToDType(dt))
			computed(t, operands[i])
		}
		g := dev.Randn(tensor.F32, 1, 1, length, size).ToDType(dt)
		computed(t, g)
		runtime.GC()
		start, most, names := a.Device().Memory().InUse, int64(0), []string(nil)
		a.OnLaunch = func(kernel string) {
			most, names = max(most, a.Device().Memory().InUse-start), append(names, kernel)
		}
		grads := nn.Attention(operands[0], operands[1], operands[2], nn.Attend{Causal: true}).BackwardWith(g)
		a.OnLaunch = nil
		if grads.Len() != 3 {
			t.Fatalf("%v: %d gradients", dt, grads.Len())
		}
		suffix := "_64_" + dt.String()
		if want := []string{"attention" + suffix, "attention_dot_" + dt.String(), "attention_keys" + suffix,
			"attention_queries" + suffix}; !slices.Equal(names, want) {
			t.Errorf("%v: the kernels %v, want %v", dt, names, want)
		}
		// the result, three gradients, and three numbers for each query, rounded up to what the pool allocates
		rows := int64(length * size * dt.Size())
		if limit := 4*rows + 3*4*length + 8<<10; most > limit {
			t.Errorf("%v: %d bytes, want at most %d; scores would have %d", dt, most, limit, 4*length*length)
		}
	}
}
