package nn_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// pagedCase is a batch of sequences, each with its tokens in the batch and its positions.
type pagedCase struct {
	name                           string
	heads, groups, size, blockSize int
	queries, lens                  []int
	form                           nn.Attend
}

var pagedCases = []pagedCase{
	{"one query each", 4, 2, 64, 16, []int{1, 1, 1}, []int{37, 1, 16}, nn.Attend{Causal: true}},
	{"a head of each group", 2, 2, 8, 4, []int{1, 1, 1, 1}, []int{5, 4, 33, 2}, nn.Attend{Causal: true}},
	{"several queries", 2, 1, 16, 8, []int{3, 1, 5}, []int{20, 9, 5}, nn.Attend{Causal: true}},
	{"prompts beside single tokens", 4, 1, 16, 8, []int{1, 21, 1, 6}, []int{30, 21, 3, 19}, nn.Attend{Causal: true}},
	{"a window", 2, 1, 16, 4, []int{1, 2, 19}, []int{41, 9, 23}, nn.Attend{Causal: true, Window: 7}},
	{"a cap, and all keys", 2, 2, 24, 2, []int{1, 2}, []int{11, 3}, nn.Attend{Softcap: 2, Scale: 0.7}},
	{"parts of keys", 4, 2, 128, 16, []int{1, 2, 1}, []int{300, 2, 150}, nn.Attend{Causal: true}},
	{"a great window of parts", 1, 1, 32, 32, []int{1, 3}, []int{420, 300}, nn.Attend{Causal: true, Window: 290}},
	{"elements one by one", 6, 2, 13, 8, []int{1, 2}, []int{40, 90}, nn.Attend{Causal: true}},
	{"a prompt alone", 2, 1, 16, 8, []int{40}, []int{50}, nn.Attend{Causal: true}},
	{"wide heads", 2, 1, 256, 8, []int{1, 1}, []int{9, 70}, nn.Attend{Causal: true}},
}

// paged runs a case in blocks, appending the tokens before the batch as a prompt of each sequence, and returns the
// results and those of each sequence alone.
func (c pagedCase) run(dt tensor.DType, dev *tensor.Device) (got, want []*tensor.Tensor) {
	random := rand.New(rand.NewPCG(5, 7))
	cpu, needed := tensor.CPU(), 0
	cpu.SetSeed(11)
	for _, n := range c.lens {
		needed += (n + c.blockSize - 1) / c.blockSize
	}
	cache := nn.NewPagedCache(needed+3, c.blockSize, c.groups, c.size, dt, dev)
	for _, pool := range []*tensor.Tensor{cache.K, cache.V} { // what is not the sequence's must not count
		pool.CopySet(pool.FullLike(math.NaN()))
	}
	free := random.Perm(needed + 3)
	var before, batch []nn.PagedSequence
	var keys, values, queries []*tensor.Tensor // of all positions of the sequences: [positions groups size]
	for i, n := range c.lens {
		blocks := (n + c.blockSize - 1) / c.blockSize
		table := free[:blocks]
		free = free[blocks:]
		rows := func(heads, n int) *tensor.Tensor {
			return cpu.Randn(tensor.F32, n, heads, c.size).ToDType(dt).ToDevice(dev)
		}
		keys, values, queries = append(keys, rows(c.groups, n)), append(values, rows(c.groups, n)),
			append(queries, rows(c.heads, c.queries[i]))
		batch = append(batch, nn.PagedSequence{BlockTable: table, SeqLen: n, Queries: c.queries[i]})
		if first := n - c.queries[i]; first > 0 {
			before = append(before, nn.PagedSequence{BlockTable: table, SeqLen: first, Queries: first})
		}
	}
	part := func(list []*tensor.Tensor, of func(i int) (from, n int)) *tensor.Tensor {
		var parts []*tensor.Tensor
		for i, x := range list {
			if from, n := of(i); n > 0 {
				parts = append(parts, x.Narrow(0, from, n))
			}
		}
		return tensor.Cat(parts, 0)
	}
	prompt := func(i int) (int, int) { return 0, c.lens[i] - c.queries[i] }
	tokens := func(i int) (int, int) { return c.lens[i] - c.queries[i], c.queries[i] }
	if len(before) > 0 {
		cache.Append(part(keys, prompt), part(values, prompt), nn.NewPagedBatch(cache, before))
	}
	b := nn.NewPagedBatch(cache, batch)
	// Keys and values side by side, as a model has them.
	kv := tensor.Cat([]*tensor.Tensor{part(keys, tokens), part(values, tokens)}, 1)
	cache.Append(kv.Narrow(1, 0, c.groups), kv.Narrow(1, c.groups, c.groups), b)
	y, at := nn.PagedAttention(tensor.Cat(queries, 0), cache, b, c.form), 0
	row := func(x *tensor.Tensor) *tensor.Tensor {
		return x.ToDevice(cpu).ToDType(tensor.F32).Unsqueeze(0).Transpose(1, 2)
	}
	for i, n := range c.queries {
		got = append(got, y.Narrow(0, at, n).ToDevice(cpu).ToDType(tensor.F32))
		alone := nn.Attention(row(queries[i]), row(keys[i]), row(values[i]), c.form)
		want = append(want, alone.Transpose(1, 2).Squeeze(0))
		at += n
	}
	return got, want
}

// TestPagedAttention: sequences in blocks get what each gets alone, whichever kernel a sequence takes.
func TestPagedAttention(t *testing.T) {
	thorough.Slow(t)
	for _, spec := range []string{"cpu", "rocm", "cuda"} {
		dev, err := tensor.NewDevice(spec)
		if err != nil {
			continue
		}
		for n, c := range pagedCases {
			for d, dt := range []tensor.DType{tensor.F32, tensor.F16, tensor.BF16, tensor.F64} {
				if !thorough.On() && (n+d)%4 != 0 && dt != tensor.F32 {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%v", spec, c.name, dt), func(t *testing.T) {
					within := map[tensor.DType]float64{tensor.F32: 1e-5, tensor.F64: 1e-5, tensor.F16: 5e-3,
						tensor.BF16: 4e-2}[dt]
					got, want := c.run(dt, dev)
					for i := range got {
						if d := got[i].Sub(want[i]).Abs().Max().ToScalar(); !(d <= within) {
							t.Errorf("sequence %d differs by %v", i, d)
						}
					}
				})
			}
		}
	}
}

// TestPagedBatchSet: another batch of the same shape takes the memory of the first.
func TestPagedBatchSet(t *testing.T) {
	c := nn.NewPagedCache(8, 4, 1, 2, tensor.F32, tensor.CPU())
	b := nn.NewPagedBatch(c, []nn.PagedSequence{{[]int{7, 1, 3}, 6, 2}, {[]int{2}, 1, 1}})
	tables := b.BlockTables
	b.Set([]nn.PagedSequence{{[]int{5}, 4, 2}, {[]int{6, 0}, 8, 1}})
	for _, x := range []struct {
		name string
		t    *tensor.Tensor
		want string
	}{
		{"positions", b.Positions, "[2 3 7]"}, {"slots", b.SlotMapping, "[22 23 3]"}, {"lengths", b.SeqLens, "[4 8]"},
		{"sums", b.CuSeqlens, "[0 2 3]"}, {"tables", tables.FlattenAll(), "[5 0 0 6 0 0]"},
	} {
		if got := fmt.Sprint(tensor.ToVec1[uint32](x.t)); got != x.want {
			t.Errorf("%s are %s, want %s", x.name, got, x.want)
		}
	}
}

func TestPagedMistakes(t *testing.T) {
	cpu := tensor.CPU()
	c := nn.NewPagedCache(4, 2, 1, 3, tensor.F32, cpu)
	b := nn.NewPagedBatch(c, []nn.PagedSequence{{[]int{1}, 2, 2}})
	rows := cpu.Zeros(tensor.F32, 2, 1, 3)
	for _, m := range []struct {
		kind error
		says string
		do   func()
	}{
		{tensor.ErrShape, "power of two", func() { nn.NewPagedCache(4, 3, 1, 2, tensor.F32, cpu) }},
		{tensor.ErrShape, "more positions", func() { nn.NewPagedCache(1<<31, 4, 1, 2, tensor.F32, cpu) }},
		{tensor.ErrShape, "at least one sequence", func() { nn.NewPagedBatch(c, nil) }},
		{tensor.ErrShape, "3 positions in 1 blocks", func() { nn.NewPagedBatch(c, []nn.PagedSequence{{[]int{1}, 3, 1}}) }},
		{tensor.ErrIndex, "block 4 of 4", func() { nn.NewPagedBatch(c, []nn.PagedSequence{{[]int{4}, 1, 1}}) }},
		{tensor.ErrShape, "numbers of tokens", func() { b.Set([]nn.PagedSequence{{[]int{1}, 2, 1}}) }},
		{tensor.ErrShape, "want keys and values of shape [2 1 3]", func() { c.Append(rows, rows.Narrow(0, 0, 1), b) }},
		{tensor.ErrDType, "the cache's type f32", func() { c.Append(rows.ToDType(tensor.F64), rows, b) }},
		{tensor.ErrGradient, "no gradients", func() { nn.PagedAttention(tensor.NewVar(rows), c, b, nn.Attend{}) }},
		{tensor.ErrShape, "want queries [2 heads 3]", func() { nn.PagedAttention(rows.Narrow(2, 0, 2), c, b, nn.Attend{}) }},
		{tensor.ErrShape, "no mask", func() { nn.PagedAttention(rows, c, b, nn.Attend{Mask: rows}) }},
		{tensor.ErrShape, "the cache has 5", func() {
			nn.NewPagedCache(5, 2, 1, 3, tensor.F32, cpu).Append(rows, rows, b)
		}},
	} {
		err := tensor.Catch(func() error { m.do(); return nil })
		if !errors.Is(err, m.kind) || !strings.Contains(fmt.Sprint(err), m.says) {
			t.Errorf("%q: %v", m.says, err)
		}
	}
}
