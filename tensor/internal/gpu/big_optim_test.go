package gpu

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
)

// optimTensors is the struct Tensors of optim.hip.
type optimTensors struct {
	Count uint64
	Sizes [kernels.OptimTensors]uint64
	At    [6][kernels.OptimTensors]uint64
	Ends  [kernels.OptimTensors]uint32
}

// bigOptim are the kernels of optim.hip: a block has a chunk of the only tensor.
var bigOptim = []bigKernel{
	{"steps", "bid", func(b *bigRun) {
		const n = 702
		first := b.block * kernels.OptimChunk
		table := func(w, g uint64) *optimTensors {
			t := &optimTensors{Count: 1}
			t.Sizes[0], t.At[0][0], t.At[1][0], t.Ends[0] = uint64(first+n), w, g, uint32(b.block)+1
			return t
		}
		ones := slices.Repeat([]float32{1}, n)
		w, read := out[float32](b, first, n)
		b.launch("sgd_f32", table(w, in(b, first, ones...)), uint64(0), uint64(0), 2.0, math.Inf(1), 0.25, 0.0, 0.0, uint64(0))
		equal(b, "sgd", read(), first, func(int) float32 { return -0.5 })
		w, read = out[float32](b, first, n)
		b.launch("grad_scale_f32", table(w, in(b, first, ones...)), uint64(0), 8.0, 6.0)
		equal(b, "grad_scale", read(), first, func(int) float32 { return 6 })
		sums, total := out[float64](b, 2*b.block, 2)
		b.launch("grad_norm_f32", table(0, in(b, first, ones...)), sums)
		equal(b, "grad_norm", total(), 0, func(i int) float64 { return []float64{n, 0}[i] })
	}},
}
