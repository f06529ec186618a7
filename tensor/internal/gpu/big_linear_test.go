package gpu

import "github.com/gorocm/gorocm/kernels"

// bigLinear are the kernels of a decoder's token: of linear.hip and rope_put.hip.
var bigLinear = []bigKernel{
	{"linear", "bid", func(b *bigRun) { // a thread for each two rows of eight
		whole := []uint16{0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600} // 0 to 6 in half precision
		eights := []uint16{0, 0x4800, 0x4c00, 0x4e00, 0x5000, 0x5100, 0x5200}
		first := 2 * b.flat()
		w, one := make([]uint16, 2*8*block), make([]uint16, 8)
		for i := range w {
			w[i] = whole[(first+i/8)%7]
		}
		for i := range one {
			one[i] = whole[1]
		}
		p, read := out[uint16](b, first, 2*block)
		b.launch("linear_f16", in(b, 8*first, w...), in(b, 0, one...), 0, 0, p,
			&kernels.Linear{Rows: uint64(first + 2*block), Cols: 8, Type: 1})
		equal(b, "linear", read(), first, func(i int) uint16 { return eights[i%7] })
	}},
	{"linear of blocks", "bid", func(b *bigRun) { // a thread for each two rows of one block
		x := make([]float32, 32)
		for i := range x {
			x[i] = 127
		}
		p, read := out[float32](b, 2*b.flat(), 2*block)
		b.launch("linear_q8_0", b.blocks(2*b.flat(), 2*block), in(b, 0, x...), 0, 0, p,
			&kernels.Linear{Rows: uint64(2*b.flat() + 2*block), Cols: 32})
		equal(b, "linear", read(), 2*b.flat(), sumBig)
	}},
	{"rope to a cache", "bid", func(b *bigRun) { // a thread for each head of a pair, turned by a quarter
		heads := make([]float32, 2*block)
		for i := range heads {
			heads[i] = float32(i + 1)
		}
		turned := func(i int) float32 {
			if i -= 2 * b.flat(); i%2 == 0 {
				return -float32(i + 2)
			} else {
				return float32(i)
			}
		}
		cos, sin, place := in[float32](b, 0, 0), in[float32](b, 0, 1), in[uint32](b, 0, 0)
		n := uint64(b.flat() + block)
		queries := in(b, 2*b.flat(), heads...)
		buf := b.keep[len(b.keep)-1]
		b.launch("rope_put_f32", queries, cos, sin, place, 0, &kernels.RopePut{Queries: n, Half: 1, Capacity: 1})
		got := make([]float32, 2*block)
		b.check(buf.Download(memoryOf(got), 0))
		equal(b, "queries", got, 2*b.flat(), turned)
		cache, read := out[float32](b, 2*b.flat(), 2*block)
		b.launch("rope_put_f32", in(b, 2*b.flat(), heads...), cos, sin, place, cache,
			&kernels.RopePut{Groups: n / 2, Half: 1, Capacity: 1})
		equal(b, "values", read(), 2*b.flat(), func(i int) float32 { return float32(i - 2*b.flat() + 1) })
	}},
}
