package gpu

import (
	"slices"

	"github.com/gorocm/gorocm/kernels"
)

// bigVectors are the products with vectors and attention, with far elements as in bigKernels.
var bigVectors = []bigKernel{
	{"products with rows", "bid", func(b *bigRun) { // a thread has a row of four
		var w []float32
		for i := range block {
			w = append(w, slices.Repeat([]float32{sevenths[(b.flat()+i)%7]}, 4)...)
		}
		p, read := out[float32](b, b.flat(), block)
		g := &kernels.MatVec{Rows: int64(b.flat() + block), Cols: 4, Vectors: 1, Batch: 1, WRow: 4, WCol: 1, XVector: 4,
			XStep: 1, OutRow: 1}
		b.launch("matvec_1_f32", in(b, 4*b.flat(), w...), in[float32](b, 0, 1, 1, 1, 1), p,
			lay2([]int{1}, []int{0}, []int{0}), g)
		equal(b, "products", read(), b.flat(), func(i int) float32 { return 4 * sevenths[i%7] })
	}},
	{"products with columns", "bid", func(b *bigRun) { // a block has sixteen rows
		first := 16 * b.block
		w := make([]float32, 4*16)
		for i := range w {
			w[i] = sevenths[(first+i%16)%7] * float32(i/16)
		}
		p, read := out[float32](b, first, 16)
		g := &kernels.MatVec{Rows: int64(first + 16), Cols: 4, Vectors: 1, Batch: 1, WRow: 1, WCol: 16, XVector: 4,
			XStep: 1, OutRow: 1, Shift: 2}
		b.launch("matvec_transposed_1_f32", in(b, first, w...), in[float32](b, 0, 1, 1, 1, 1), p,
			lay2([]int{1}, []int{0}, []int{0}), g)
		equal(b, "products", read(), first, func(i int) float32 { return 6 * sevenths[i%7] })
	}},
	{"attention", "bid_y", func(b *bigRun) { // a query of one key in each batch, whose value it gets
		p, read := out[float32](b, 4*b.block, 4)
		q := in[float32](b, 4*b.block, 0, 0, 0, 0)
		b.launch("attention_64_f32", q, in[float32](b, 0, 1, 1, 1, 1), in(b, 0, sevenths[:4]...), q, p, uint64(0), farBatch(b))
		equal(b, "values", read(), 4*b.block, func(i int) float32 { return sevenths[i%4] })
	}},
	{"attention with matrix cores", "bid_y", func(b *bigRun) {
		values := []uint16{0x3c00, 0x4000, 0x4200, 0x4400}
		p, read := out[uint16](b, 4*b.block, 4)
		q := in[uint16](b, 4*b.block, 0, 0, 0, 0)
		b.launch("attention_64_f16", q, in(b, 0, values...), in(b, 0, values...), q, p, uint64(0), farBatch(b))
		equal(b, "values", read(), 4*b.block, func(i int) uint16 { return values[i%4] })
	}},
	{"attention, a key each", "bid", func(b *bigRun) {
		p, read := out[float32](b, 4*b.block, 4)
		tops, readTops := out[float32](b, 2*b.block, 2)
		q, g := in[float32](b, 0, 0, 0, 0, 0), oneHead(1, b.block+1)
		b.launch("attention_strided_1_f32", q, in[float32](b, 4*b.block, 1, 1, 1, 1), in(b, 4*b.block, sevenths[:4]...),
			q, q, p, tops, in[uint32](b, 0, 0), g)
		equal(b, "values", read(), 4*b.block, func(i int) float32 { return sevenths[i%4] })
		equal(b, "tops", readTops(), 2*b.block, func(i int) float32 { return float32(i % 2) })
	}},
	{"attention, keys in eights", "bid", func(b *bigRun) {
		p, read := out[float32](b, 8*b.block, 8)
		tops, _ := out[float32](b, 2*b.block, 2)
		q, g := in[float32](b, 0, make([]float32, 8)...), oneHead(1, b.block+1)
		g.Size, g.ValueSize, g.K[2], g.V[2] = 8, 8, 8, 8
		values := []float32{1, 2, 3, 4, 5, 6, 7, 8}
		b.launch("attention_parts_1_f32", q, in(b, 8*b.block, values...), in(b, 8*b.block, values...), q, q, p, tops,
			in[uint32](b, 0, 0), g)
		equal(b, "values", read(), 8*b.block, func(i int) float32 { return float32(i%8 + 1) })
	}},
	{"attention, parts of far batches", "bid_y", func(b *bigRun) { // a block has both parts, and adds them up
		p, read := out[float32](b, 4*b.block, 4)
		sums, readSums := out[float32](b, 8*b.block, 8)
		tops, _ := out[float32](b, 4*b.block, 4)
		counters, readCounters := out[uint32](b, b.block, 1)
		q, g := in[float32](b, 4*b.block, 0, 0, 0, 0), oneHead(1, 2)
		g.Batch, g.Q[0], g.Out[0] = int64(b.block+1), 4, 4
		k := in[float32](b, 0, 1, 1, 1, 1, 1, 1, 1, 1)
		b.launch("attention_strided_1_f32", q, k, in[float32](b, 0, 1, 2, 3, 4, 3, 4, 5, 6), q, p, sums, tops, counters,
			g)
		equal(b, "values", read(), 4*b.block, func(i int) float32 { return float32(i%4) + 2 })
		equal(b, "sums", readSums(), 8*b.block, func(i int) float32 { return float32(i%8%4 + i%8/4*2 + 1) })
		equal(b, "counters", readCounters(), b.block, func(int) uint32 { return 0 })
	}},
	{"attention of far sequences", "bid_y", func(b *bigRun) { // a query of the one key of each sequence, in its block
		p, read := out[float32](b, 4*b.block, 4)
		q := in[float32](b, 4*b.block, 0, 0, 0, 0)
		g := &kernels.PagedAttention{Of: *oneHead(1, 1), TableStep: 1, BlockShift: 1}
		g.Of.Batch, g.Of.K[0], g.Of.V[0] = int64(b.block+1), 8, 8
		const block = 1 << 29 // of the pool
		b.launch("paged_strided_1_f32", q, in[float32](b, 8*block, 1, 1, 1, 1), in(b, 8*block, sevenths[:4]...),
			in[uint32](b, b.block, block), in(b, b.block, uint32(b.block), uint32(b.block)+1), in[uint32](b, b.block, 1), p,
			uint64(0), uint64(0), uint64(0), g)
		equal(b, "values", read(), 4*b.block, func(i int) float32 { return sevenths[i%4] })
	}},
	{"keys of far tokens", "bid", func(b *bigRun) { // in the last slots that have a number
		const first = 1<<32 - 700
		slots, values := make([]uint32, 700), make([]float32, 700)
		for i := range slots {
			slots[i], values[i] = uint32(first+i), float32(i)
		}
		keys, readKeys := out[float32](b, first, 700)
		pool, readValues := out[float32](b, first, 700)
		rows, blocks := [3]int64{1, 1, 1}, [4]int64{16, 1, 1, 1}
		b.launch("paged_append_b32", in(b, b.flat(), values...), in(b, b.flat(), values...), in(b, b.flat(), slots...),
			keys, pool, &kernels.PagedAppend{Tokens: int64(b.flat() + 700), Groups: 1, Size: 1, ValueSize: 1, BlockShift: 4,
				K: rows, V: rows, Keys: blocks, Values: blocks})
		equal(b, "keys", readKeys(), first, func(i int) float32 { return float32(i - first) })
		equal(b, "values", readValues(), first, func(i int) float32 { return float32(i - first) })
	}},
}

// oneHead is attention of one head, with four elements for each query and key, and a key in each part.
func oneHead(queries, keys int) *kernels.Attention {
	rows := [4]int64{0, 0, 4, 1}
	return &kernels.Attention{Batch: 1, Heads: 1, Groups: 1, Queries: int64(queries), Keys: int64(keys), Size: 4,
		ValueSize: 4, Sharing: 1, Part: 1, Parts: int64(keys), Scale: 1, Q: rows, K: rows, V: rows, Out: rows}
}

// farBatch is attention of one query and one key, the same key in all batches, of which the block's is the last.
func farBatch(b *bigRun) *kernels.Attention {
	g := oneHead(1, 1)
	g.Batch = int64(b.block + 1)
	g.Q[0], g.Out[0] = 4, 4
	return g
}
