package gpu

import (
	"slices"

	"github.com/gorocm/gorocm/kernels"
)

// bigTraining are the kernels of losses and gradients, with far elements as in bigKernels.
var bigTraining = []bigKernel{
	{"cross entropy", "bid", func(b *bigRun) { // two threads have a row
		const rows = block / 2
		first := rows * b.block
		x := in(b, 2*first, slices.Repeat([]float32{100, 0}, rows)...)
		target := in(b, first, slices.Repeat([]uint8{1}, rows)...)
		g := &kernels.CrossEntropy{Rows: int64(first + rows), Classes: 2, Step: 2, TargetStep: 1, TargetSize: 1}
		losses, readLosses := out[float32](b, first, rows)
		states, readStates := out[float32](b, 4*first, 4*rows)
		b.launch("cross_entropy_f32", x, target, 0, losses, states, g, in[uint64](b, 0, 0))
		equal(b, "losses", readLosses(), first, func(int) float32 { return 100 })
		equal(b, "states", readStates(), 4*first, func(i int) float32 { return []float32{100, 1, 1, 1}[i%4] })
		p, read := out[float32](b, 2*first, 2*rows)
		b.launch("cross_entropy_gradient_f32", x, target, 0, states, in[float32](b, 0, 2), 0, p, g, 0)
		equal(b, "gradient", read(), 2*first, func(i int) float32 { return []float32{2, -2}[i%2] })
	}},
	{"gradients of norms", "bid", func(b *bigRun) { // a thread has a row; a block is a part
		first := block * b.block
		x := in(b, 2*first, slices.Repeat([]float32{1}, 2*block)...)
		grad := in(b, 2*first, slices.Repeat([]float32{1, 0}, block)...)
		p, read := out[float32](b, 2*first, 2*block)
		parts, readParts := out[float32](b, 2*b.block, 2)
		b.launch("rms_norm_gradient_8_1_f32", x, grad, in[float32](b, 0, 1, 1), p, parts,
			&kernels.RowGradient{Rows: int64(first + block), Cols: 2, Count: int64(b.block + 1)})
		equal(b, "rows", read(), 2*first, func(i int) float32 { return 0.5 - float32(i%2) })
		equal(b, "parts", readParts(), 2*b.block, func(i int) float32 { return float32(block * (1 - i%2)) })
	}},
	{"sums of parts", "bid", func(b *bigRun) { // a block has eight columns
		first := 8 * b.block
		p, read := out[float32](b, first, 8)
		b.launch("norm_parameters_f32", in(b, first, slices.Repeat([]float32{3}, 8)...), p, 0, 1, first+8)
		equal(b, "sums", read(), first, func(int) float32 { return 3 })
	}},
	{"sums of channels", "bid", func(b *bigRun) { // a block has a channel
		first := b.block
		p, read := out[float32](b, first, 1)
		b.launch("channel_sums_f32", in[float32](b, 4*first, 1, 2, 3, 4), in[float32](b, first, 2), p,
			&kernels.Channels{Outer: 1, Channels: int64(first + 1), Inner: 4, Parts: 1})
		equal(b, "squares", read(), first, func(int) float32 { return 6 })
	}},
	{"sums of channels that are last", "bid", func(b *bigRun) { // a block has 32 packs of channels
		const channels = 32 * 4
		first := channels * b.block
		p, read := out[float32](b, first, channels)
		x := make([]float32, channels)
		for i := range x {
			x[i] = sevenths[(first+i)%7]
		}
		b.launch("channel_sums_f32", in(b, first, x...), 0, p,
			&kernels.Channels{Outer: 1, Channels: int64(first + channels), Inner: 1, Parts: 1, Last: 1})
		equal(b, "sums", read(), first, func(i int) float32 { return sevenths[i%7] })
	}},
	{"products of channels", "bid", func(b *bigRun) { // a block has a share of the only channel
		first, n := b.block, 4*block
		p, read := out[float32](b, 2*first, 2)
		b.launch("channel_products_f32", in(b, n*first, slices.Repeat([]float32{5}, n)...),
			in(b, n*first, slices.Repeat([]float32{0.5}, n)...), in[float32](b, 0, 2), p,
			&kernels.Channels{Outer: 1, Channels: 1, Inner: int64(n * (first + 1)), Parts: int64(first + 1)})
		equal(b, "sums", read(), 2*first, func(i int) float32 { return float32(n/2) * float32(1+2*(i%2)) })
	}},
	{"totals of channels", "bid", func(b *bigRun) { // a block has eight sums
		first := 8 * b.block
		p, read := out[float32](b, first, 8)
		b.launch("channel_totals_f32", in(b, first, slices.Repeat([]float32{3}, 8)...), p, 1, first+8, 0.5)
		equal(b, "totals", read(), first, func(int) float32 { return 1.5 })
	}},
	{"gradients of softmax", "bid", func(b *bigRun) { // two threads have a row
		const rows = block / 2
		first := rows * b.block
		p, read := out[float32](b, 2*first, 2*rows)
		b.launch("softmax_gradient_f32", in(b, 2*first, slices.Repeat([]float32{0.5}, 2*rows)...),
			in(b, 2*first, slices.Repeat([]float32{1, 0}, rows)...), p,
			&kernels.RowGradient{Rows: int64(first + rows), Cols: 2})
		equal(b, "gradient", read(), 2*first, func(i int) float32 { return 0.25 - float32(i%2)/2 })
	}},
	{"gradients of selections", "bid", func(b *bigRun) { // a thread has an id
		first := b.flat()
		ids := make([]int64, block+1) // one more in front, with which the first is compared
		for i := range ids {
			ids[i] = int64(first - 1 + i)
		}
		p, read := out[float32](b, first, block)
		b.launch("select_gradient_i64_f32", in(b, first-1, ids...), in(b, first, make([]uint32, block)...),
			in[float32](b, 0, 5), p, first+block, first+block, 1)
		equal(b, "rows", read(), first, func(int) float32 { return 5 })
	}},
	{"gradients of gates", "bid", func(b *bigRun) { // a thread has four elements
		first, n := 4*b.flat(), 4*block
		p, read := out[float32](b, first, n)
		y := make([]float32, n)
		for i := range y {
			y[i] = sevenths[(first+i)%7]
		}
		b.launch("silu_mul_gradient_f32", in(b, first, make([]float32, n)...), in(b, first, y...),
			in(b, first, slices.Repeat([]float32{2}, n)...), p, 0, first+n)
		equal(b, "gradient", read(), first, func(i int) float32 { return sevenths[i%7] })
	}},
}
