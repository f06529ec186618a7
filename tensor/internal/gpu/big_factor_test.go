package gpu

import "github.com/gorocm/gorocm/kernels"

const (
	bigSlots = 8         // matrices of a block of groups
	side     = uint32(2) // of matrices
	padding  = uint32(0) // C's structs end on 8 bytes
)

// spread is that of 2 × 2 matrices, of which the block has so many.
func (b *bigRun) spread(slots int) *kernels.Spread {
	return &kernels.Spread{Batch: uint64((b.block + 1) * slots), Slots: uint32(slots), LD: 5, Size: 36}
}

// matrices gives the address at which matrix 0 of a batch would be if matrix `first` and those behind it, n in all, were
// elements(i) for the i-th.
func (b *bigRun) matrices(first, n int, elements func(i float32) [4]float32) uint64 {
	var list []float32
	for i := range n {
		e := elements(float32(i))
		list = append(list, e[:]...)
	}
	return in(b, 4*first, list...)
}

// results is out for n results of each of the matrices.
func results[T any](b *bigRun, first, matrices, n int) (addr uint64, read func() []T) {
	return out[T](b, first*n, matrices*n)
}

// bigFactors are the kernels of factor.hip and jacobi.hip.
var bigFactors = []bigKernel{
	{"LU", "bid", func(b *bigRun) { // the rows of [1 i; 2 2] are exchanged
		first := bigSlots * b.block
		x := b.matrices(first, bigSlots, func(i float32) [4]float32 { return [4]float32{1, i, 2, 2} })
		p, read := results[float32](b, first, bigSlots, 4)
		pivots, readPivots := results[int32](b, first, bigSlots, 2)
		info, readInfo := results[int32](b, first, bigSlots, 1)
		b.launch("lu_groups_f32", x, p, pivots, info, side, side, b.spread(bigSlots), 0)
		equal(b, "LU", read(), 4*first, func(i int) float32 {
			return []float32{2, 2, 0.5, float32(i/4-first) - 1}[i%4]
		})
		equal(b, "pivots", readPivots(), 2*first, func(int) int32 { return 1 })
		equal(b, "info", readInfo(), first, func(i int) int32 { return []int32{0, 2}[toInt(i-first == 1)] })
	}},
	{"order of rows", "bid", func(b *bigRun) { // a thread for each row, of 128 matrices
		first := b.flat() / 2
		pivots := make([]int32, 2*128)
		for i := range pivots {
			pivots[i] = int32(max(i/2%3%2, i%2)) // rows are exchanged in one matrix of three
		}
		order, read := results[int64](b, first, 128, 2)
		inverse, readInverse := results[int64](b, first, 128, 2)
		b.launch("lu_order", in(b, 2*first, pivots...), order, inverse, first+128, side, side)
		want := func(i int) int64 { return int64((i%2 + (i/2-first)%3%2) % 2) }
		equal(b, "order", read(), 2*first, want)
		equal(b, "inverse", readInverse(), 2*first, want)
	}},
	{"Cholesky", "bid", func(b *bigRun) {
		p, read := results[float32](b, b.block, 1, 4)
		info, readInfo := results[int32](b, b.block, 1, 1)
		x := b.matrices(b.block, 1, func(float32) [4]float32 { return [4]float32{1, 7, 2, 13} })
		b.launch("cholesky_block_f32", x, p, info, side, padding, b.spread(1), 0)
		equal(b, "L", read(), 4*b.block, func(i int) float32 { return []float32{1, 0, 2, 3}[i%4] })
		equal(b, "info", readInfo(), b.block, func(int) int32 { return 0 })
	}},
	{"QR", "bid", func(b *bigRun) { // of diagonal matrices, in memory
		x := b.matrices(b.block, 1, func(float32) [4]float32 { return [4]float32{3, 0, 0, 4} })
		q, readQ := results[float32](b, b.block, 1, 4)
		r, readR := results[float32](b, b.block, 1, 4)
		s := b.spread(1)
		work := in(b, b.block*int(s.Size), make([]float32, s.Size)...)
		b.launch("qr_memory_f32", x, q, r, side, side, uint32(2), padding, s, work)
		equal(b, "Q", readQ(), 4*b.block, func(i int) float32 { return []float32{1, 0, 0, 1}[i%4] })
		equal(b, "R", readR(), 4*b.block, func(i int) float32 { return []float32{3, 0, 0, 4}[i%4] })
	}},
	{"triangular, wide", "bid", func(b *bigRun) { triangularBig(b, "triangular_wide_f32") }},
	{"triangular, narrow", "bid", func(b *bigRun) { triangularBig(b, "triangular_narrow_f32") }},
	{"clear a triangle", "bid", func(b *bigRun) {
		p := b.matrices(b.flat()/4, block/4, func(i float32) [4]float32 { return [4]float32{i, 5, 6, 7} })
		buf := b.keep[len(b.keep)-1]
		b.launch("clear_triangle_f32", p, b.flat()+block, side, side, uint32(1), padding)
		got := make([]float32, block)
		b.check(buf.Download(memoryOf(got), 0))
		equal(b, "matrices", got, b.flat(), func(i int) float32 {
			return []float32{float32((i - b.flat()) / 4), 0, 6, 7}[i%4]
		})
	}},
	{"not finite", "bid", func(b *bigRun) {
		x := b.matrices(b.block, 1, func(i float32) [4]float32 { return [4]float32{1, 2, 1 / i, 3} })
		flags, read := results[int32](b, b.block, 1, 1)
		b.launch("not_finite_f32", x, flags, b.block+1, side, side, uint32(1), padding)
		equal(b, "flags", read(), b.block, func(int) int32 { return 1 })
	}},
	{"singular values", "bid", func(b *bigRun) { // of [0 2; i+3 0]
		first := bigSlots * b.block
		x := b.matrices(first, bigSlots, func(i float32) [4]float32 { return [4]float32{0, 2, i + 3, 0} })
		u, readU := results[float32](b, first, bigSlots, 4)
		values, read := results[float32](b, first, bigSlots, 2)
		vh, readVH := results[float32](b, first, bigSlots, 4)
		info, readInfo := results[int32](b, first, bigSlots, 1)
		b.launch("svd_groups_f32", x, u, values, vh, info, side, side, uint32(0), padding, b.spread(bigSlots), 0)
		equal(b, "values", read(), 2*first, func(i int) float32 {
			return []float32{float32(i/2-first) + 3, 2}[i%2]
		})
		equal(b, "U", readU(), 4*first, func(i int) float32 { return []float32{0, 1, 1, 0}[i%4] })
		equal(b, "Vᴴ", readVH(), 4*first, func(i int) float32 { return []float32{1, 0, 0, 1}[i%4] })
		equal(b, "info", readInfo(), first, func(int) int32 { return 0 })
	}},
	{"eigenvalues", "bid", func(b *bigRun) { // of diagonal matrices
		x := b.matrices(b.block, 1, func(float32) [4]float32 { return [4]float32{5, 9, 0, -3} })
		v, readV := results[float32](b, b.block, 1, 4)
		values, read := results[float32](b, b.block, 1, 2)
		info, readInfo := results[int32](b, b.block, 1, 1)
		s := b.spread(1)
		work := in(b, b.block*int(s.Size), make([]float32, s.Size)...)
		b.launch("eigh_memory_f32", x, v, values, info, side, padding, s, work)
		equal(b, "values", read(), 2*b.block, func(i int) float32 { return []float32{-3, 5}[i%2] })
		equal(b, "V", readV(), 4*b.block, func(i int) float32 { return []float32{0, 1, 1, 0}[i%4] })
		equal(b, "info", readInfo(), b.block, func(int) int32 { return 0 })
	}},
}

// triangularBig solves [2 0; 1 4]·x = (2, i+5) for one column of each of the eight matrices of a block.
func triangularBig(b *bigRun, kernel string) {
	first := bigSlots * b.block
	t := b.matrices(first, bigSlots, func(float32) [4]float32 { return [4]float32{2, 9, 1, 4} })
	var sides []float32
	for i := range bigSlots {
		sides = append(sides, 2, float32(i)+5)
	}
	x, read := results[float32](b, first, bigSlots, 2)
	b.launch(kernel, t, in(b, 2*first, sides...), x, first+bigSlots, side, uint32(1), uint32(0), padding)
	equal(b, kernel, read(), 2*first, func(i int) float32 { return []float32{1, float32(i/2-first)/4 + 1}[i%2] })
}

func toInt(x bool) int {
	if x {
		return 1
	}
	return 0
}
