package gpu

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
)

// far compares n numbers from element `first` on with those that a launch on few elements draws from a counter that is
// as much further on.
func (b *bigRun) far(kernel string, first, n, each int, before func(first int) []any, after ...any) {
	b.t.Helper()
	const seed, counter = 9, 1 << 40
	near := *b
	near.block = 0
	p, want := out[float64](&near, 0, n)
	near.launch(kernel, slices.Concat(before(0), []any{p, n, seed, counter + first/each}, after)...)
	p, got := out[float64](b, first, n)
	b.launch(kernel, slices.Concat(before(first), []any{p, first + n, seed, counter}, after)...)
	list := want()
	equal(b, kernel, got(), first, func(i int) float64 { return list[i-first] })
}

// bigSamples are the kernels of sample.hip.
var bigSamples = []bigKernel{
	{"penalties", "bid", func(b *bigRun) { // each entry has a logit of its own, far rows from one another
		const n, row, cols = 700, 1 << 20, 1 << 14
		which, by, logits := make([]uint32, 0, 2*n), make([]float32, 0, 2*n), make([]float32, n)
		for i := range n {
			which, by, logits[i] = append(which, row, uint32(i)), append(by, 2, 1), float32(i-300)*4
		}
		p := in(b, row*cols, logits...)
		buf := b.keep[len(b.keep)-1]
		b.launch("penalize", p, in(b, 2*b.flat(), which...), in(b, 2*b.flat(), by...), b.flat()+n, cols)
		got := make([]float32, n)
		b.check(buf.Download(memoryOf(got), 0))
		equal(b, "logits", got, 0, func(i int) float32 {
			if i > 300 {
				return float32(i-300)*2 - 1
			}
			return float32(i-300)*8 - 1
		})
	}},
	{"choices of far rows", "bid", func(b *bigRun) {
		for want, rules := range map[uint32][]float64{2: {0, 0, 0, 0, 0}, 3: {0.999, 1, 0, 0, 0}, 7: {0.5, 1, 0, 1, 0}} {
			p, read := out[uint32](b, 2*b.block, 2)
			b.launch("choose", in[float32](b, 4*b.block, 1, 0, 2, 1), in[float32](b, b.block, 2), in[uint32](b, b.block, 7),
				in(b, 5*b.block, rules...), p, b.block+1, 4, 1)
			equal(b, "choices", read(), 0, func(i int) uint32 { return []uint32{want, 0}[i] })
		}
	}},
	{"integers", "bid", func(b *bigRun) { // four numbers for each step of the loop
		first := 4 * b.flat()
		p, read := out[uint32](b, first, 702)
		b.launch("integers_b32", p, first+702, 9, 11, 1000, 256, 0)
		equal(b, "integers", read(), first, func(i int) uint32 {
			return 1000 + kernels.Philox(9, uint64(11+i/4))[i%4]>>24
		})
	}},
	{"samplers", "bid", func(b *bigRun) {
		const n = 300
		one := func(value float64) func(first int) []any {
			return func(int) []any { return []any{in(b, 0, value), 0} }
		}
		many := func(values ...float64) func(first int) []any {
			return func(first int) []any {
				all := make([]float64, n)
				for i := range all {
					all[i] = values[i%len(values)]
				}
				return []any{in(b, first, all...), 1}
			}
		}
		trials, chance := many(5, 1000), many(0.5, 0.25)
		b.far("poisson_f64", b.flat(), n, 1, many(0.5, 20, 300))
		b.far("gamma_f64", b.flat(), n, 1, one(2.5), 0)
		b.far("gamma_f64", b.flat(), n, 1, many(0.5, 3), 1)
		b.far("truncated_normal_f64", b.flat(), n, 1, func(int) []any { return nil }, 0.0, 1.0, 1.0, 2.0)
		b.far("hypergeometric_f64", b.flat(), n, 1, func(int) []any { return nil }, 30.0, 50.0, 20.0)
		b.far("von_mises_f64", b.flat(), n, 1, many(0.5, 20))
		b.far("binomial_f64", b.flat(), n, 1, func(first int) []any {
			return slices.Concat(trials(first), chance(first))
		})
		p, read := out[float64](b, b.flat(), n)
		b.launch("gamma_slope_f64", in(b, 0, 2.0), 0, in(b, b.flat(), make([]float64, n)...), p, b.flat()+n)
		list := read()
		equal(b, "gamma_slope", list, 0, func(int) float64 { return list[0] })
		if list[0] == 0 || math.IsNaN(list[0]) {
			b.t.Errorf("gamma_slope is %v", list[0])
		}
	}},
	{"special functions", "bid", func(b *bigRun) {
		const n = 700
		p, read := out[float64](b, b.flat(), n)
		var values []float64
		for i := range n {
			values = append(values, float64(1+i%5))
		}
		b.launch("special_gamma", in(b, b.flat(), values...), 1, p, b.flat()+n)
		equal(b, "special_gamma", read(), 0, func(i int) float64 { return []float64{1, 1, 2, 6, 24}[i%5] })
	}},
	{"sobol", "bid", func(b *bigRun) { // of 2¹⁰ dims that are alike, so that the number of a point has 32 bits
		const dims, n = 1 << 10, 300
		words := make([]uint32, 33*dims)
		for d := range dims {
			words[33*d], words[33*d+32] = 1<<31, uint32(d)<<10
		}
		p, read := out[float64](b, b.flat(), n)
		b.launch("sobol_f64", in(b, 0, words...), p, b.flat()+n, dims, 0)
		equal(b, "sobol", read(), b.flat(), func(i int) float64 {
			point, x := i/dims, uint32(i%dims)<<10
			if (point^point>>1)&1 != 0 {
				x ^= 1 << 31
			}
			return float64(x) * 0x1p-32
		})
	}},
}

// bigSparse are the kernels of sparse.hip, whose rows have an element each.
var bigSparse = []bigKernel{
	{"sparse times vector", "bid", func(b *bigRun) { // a thread has a row
		const n = 200
		offsets, cols, values := diagonalRows(b.flat(), n)
		p, read := out[float32](b, b.flat(), n)
		b.launch("csr_matvec_f32", in(b, b.flat(), offsets...), in(b, b.flat(), cols...), in(b, b.flat(), values...),
			in(b, 0, sevenths...), p, b.flat()+n, 0)
		equal(b, "csr_matvec", read(), b.flat(), func(i int) float32 { return float32(i%5) * sevenths[i%7] })
	}},
	{"sparse times matrix", "bid", func(b *bigRun) { // whose rows are read from far
		sparseProduct(b, 8, 4) // a thread has four columns
		sparseProduct(b, 5, 1)
	}},
	{"sampled product", "bid", func(b *bigRun) { // rows of four, from far
		const n, wide, away = 200, 4, 1 << 31
		_, cols, _ := diagonalRows(b.flat(), n)
		a := make([]float64, 7*wide)
		for i := range a {
			a[i] = float64(i)
		}
		for i := range cols {
			cols[i] += away
		}
		p, read := out[float64](b, b.flat(), n)
		b.launch("csr_sampled_f64", in(b, b.flat(), cols...), in(b, b.flat(), cols...), in(b, away*wide, a...),
			in(b, away*wide, a...), p, b.flat()+n, wide, 0)
		equal(b, "csr_sampled", read(), b.flat(), func(i int) (sum float64) {
			for j := range wide {
				sum += a[i%7*wide+j] * a[i%7*wide+j]
			}
			return sum
		})
	}},
}

// diagonalRows are n rows from a first one on, each with the element row%5 in column row%7.
func diagonalRows(first, n int) (offsets []int64, cols []uint32, values []float32) {
	for i := first; i <= first+n; i++ {
		offsets, cols, values = append(offsets, int64(i)), append(cols, uint32(i%7)), append(values, float32(i%5))
	}
	return offsets, cols, values
}

// sparseProduct multiplies with a matrix of so many columns, each of which a thread has some of.
func sparseProduct(b *bigRun, columns, each int) {
	const n, away = 25, 1 << 31
	row := each * b.flat() / columns
	first := row*columns + columns // the row may begin in the block before
	offsets, cols, values := diagonalRows(row, n+1)
	x := make([]float32, 7*columns)
	for i := range x {
		x[i] = float32(i)
	}
	for i := range cols {
		cols[i] += away
	}
	p, read := out[float32](b, row*columns, (n+1)*columns)
	b.launch("csr_matmul_f32", in(b, row, offsets...), in(b, row, cols...), in(b, row, values...),
		in(b, away*columns, x...), p, row+n+1, columns)
	equal(b, "csr_matmul", read()[columns:], first, func(i int) float32 {
		r := i / columns
		return float32(r%5) * float32(r%7*columns+i%columns)
	})
}
