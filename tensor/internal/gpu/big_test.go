package gpu

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Kernels are run on a few elements far beyond 2³¹, as AMD machine code: they are compiled so that their first block
// believes to be a block of high number, and are given addresses so far before the buffers that its elements lie in
// them. An index that does not have 64 bits where it needs them reads or writes elsewhere.

// bigRun is a launch whose first block has the number block along one dim of the grid.
type bigRun struct {
	t     *testing.T
	dev   *rocm.Device
	block int
	axis  string // bid, bid_y or bid_z
	keep  []*rocm.Buffer
	files map[string]bool // of which kernels were launched
}

func (b *bigRun) check(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// flat is the first element of a grid-stride loop.
func (b *bigRun) flat() int { return b.block * block }

func sizeOf[T any]() int { var zero T; return int(unsafe.Sizeof(zero)) }

// memoryOf is the memory of values.
func memoryOf[T any](values []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*sizeOf[T]())
}

// in gives the address at which element 0 would be if values were those from first on.
func in[T any](b *bigRun, first int, values ...T) uint64 {
	buf, err := b.dev.Alloc(len(values) * sizeOf[T]())
	b.check(err)
	b.check(buf.Upload(0, memoryOf(values)))
	b.keep = append(b.keep, buf)
	return uint64(buf.Ptr()) - uint64(first*sizeOf[T]())
}

// out is in for n results, which read brings back.
func out[T any](b *bigRun, first, n int) (addr uint64, read func() []T) {
	addr = in(b, first, make([]T, n)...)
	buf := b.keep[len(b.keep)-1]
	return addr, func() []T {
		values := make([]T, n)
		b.check(buf.Download(memoryOf(values), 0))
		return values
	}
}

// launch runs one block of a kernel.
func (b *bigRun) launch(kernel string, args ...any) {
	b.t.Helper()
	family, ok := kernels.FamilyOf(kernel)
	if !ok {
		b.t.Fatalf("there is no kernel %s", kernel)
	}
	file, _, _ := strings.Cut(family, "_")
	b.files[file] = true
	source, err := kernels.Source(family)
	b.check(err)
	for _, axis := range []string{"bid", "bid_y", "bid_z"} {
		old := fmt.Sprintf("DEV u32 %s() { return __builtin", axis)
		if !strings.Contains(source, old) {
			b.t.Fatalf("the source has no %q", old)
		}
		if axis == b.axis {
			source = strings.Replace(source, old, fmt.Sprintf("DEV u32 %s() { return %du + __builtin", axis, b.block),
				1)
		}
	}
	module, err := b.dev.Compile("far "+family, source)
	if errors.Is(err, rocm.ErrNoLibrary) {
		b.t.Skip(err)
	}
	b.check(err)
	f, err := module.Function(kernel)
	b.check(err)
	packed := rocm.NewArgs()
	for _, a := range args {
		switch a := a.(type) {
		case uint64:
			packed.U64(a)
		case uint32:
			packed.U32(a)
		case int:
			packed.U64(uint64(a))
		case float64:
			packed.F64(a)
		default:
			packed.Struct(a)
		}
	}
	b.check(b.dev.Launch(f, [3]int{1, 1, 1}, [3]int{block, 1, 1}, 0, packed))
	b.check(b.dev.Synchronize())
}

// equal compares results with want of their index.
func equal[T comparable](b *bigRun, what string, got []T, first int, want func(i int) T) {
	b.t.Helper()
	for j, g := range got {
		if w := want(first + j); g != w {
			b.t.Fatalf("%s, from block %d on: element %d is %v, want %v", what, b.block, first+j, g, w)
		}
	}
}

func lay1(dims []int, strides ...int) *kernels.Layout1 {
	l := &kernels.Layout1{Rank: int32(len(dims))}
	setDims(&l.Dims, dims)
	setStrides(&l.A, strides)
	return l
}

func lay2(dims, a, b []int) *kernels.Layout2 {
	l := &kernels.Layout2{Rank: int32(len(dims))}
	setDims(&l.Dims, dims)
	setStrides(&l.A, a)
	setStrides(&l.B, b)
	return l
}

func lay3(dims, a, b, c []int) *kernels.Layout3 {
	l := &kernels.Layout3{Rank: int32(len(dims))}
	setDims(&l.Dims, dims)
	setStrides(&l.A, a)
	setStrides(&l.B, b)
	setStrides(&l.C, c)
	return l
}

// 2³² is not a multiple of seven: an index that lost its upper bits takes another
var sevenths = []float32{3, 1, 4, 1.5, 9, 2.5, 6}

// bigKernel is a launch for one way in which a kernel counts.
type bigKernel struct {
	name string
	axis string
	run  func(b *bigRun)
}

// bigKernels has one for each way, with bigVectors.
var bigKernels = []bigKernel{
	{"unary", "bid", func(b *bigRun) {
		p, read := out[float32](b, b.flat(), 700)
		b.launch("neg_f32", in(b, 0, sevenths...), p, lay1([]int{b.flat(), 7}, 0, 1), b.flat()+700)
		equal(b, "neg", read(), b.flat(), func(i int) float32 { return -sevenths[i%7] })
	}},
	{"unary, dense", "bid", func(b *bigRun) {
		// From the second element of a buffer on, which is not aligned for packs: the elements are counted one by one.
		p, read := out[float32](b, b.flat()-1, 701)
		l := lay1([]int{b.flat() + 700}, 1)
		l.Flags = kernels.FlagContiguous
		b.launch("neg_f32", in(b, b.flat()-1, append([]float32{0}, slices.Repeat(sevenths, 100)...)...), p, l,
			b.flat()+700)
		equal(b, "neg", read()[1:], b.flat(), func(i int) float32 { return -sevenths[(i-b.flat())%7] })
	}},
	{"param", "bid", func(b *bigRun) {
		p, read := out[float32](b, b.flat(), 700)
		b.launch("elu_f32", in(b, 0, sevenths...), p, lay1([]int{b.flat(), 7}, 0, 1), b.flat()+700, 2.0)
		equal(b, "elu", read(), b.flat(), func(i int) float32 { return sevenths[i%7] })
	}},
	{"affine", "bid", func(b *bigRun) {
		p, read := out[float32](b, b.flat(), 700)
		b.launch("affine_f32", in(b, 0, sevenths...), p, lay1([]int{b.flat(), 7}, 0, 1), b.flat()+700, 2.0, 1.0)
		equal(b, "affine", read(), b.flat(), func(i int) float32 { return 2*sevenths[i%7] + 1 })
	}},
	{"gate", "bid", func(b *bigRun) { // silu of a hundred is a hundred
		p, read := out[float32](b, b.flat(), 700)
		l := lay2([]int{b.flat(), 7}, []int{0, 0}, []int{0, 1})
		b.launch("silu_mul_f32", in[float32](b, 0, 100), in(b, 0, sevenths...), p, l, b.flat()+700)
		equal(b, "gate", read(), b.flat(), func(i int) float32 { return 100 * sevenths[i%7] })
	}},
	{"binary", "bid", func(b *bigRun) {
		p, read := out[float32](b, b.flat(), 700)
		l := lay2([]int{b.flat(), 7}, []int{0, 1}, []int{7, 1})
		b.launch("add_f32", in(b, 0, sevenths...), in(b, b.flat(), make([]float32, 700)...), p, l, b.flat()+700)
		equal(b, "add", read(), b.flat(), func(i int) float32 { return sevenths[i%7] })
	}},
	{"complex", "bid", func(b *bigRun) {
		p, read := out[complex64](b, b.flat(), 700)
		l := lay2([]int{b.flat(), 7}, []int{0, 1}, []int{7, 1})
		b.launch("mul_c64", in(b, 0, []complex64{3, 1i, 4, -1.5, 9i, 2.5, 6}...),
			in(b, b.flat(), slices.Repeat([]complex64{2i}, 700)...), p, l, b.flat()+700)
		equal(b, "mul", read(), b.flat(), func(i int) complex64 { return []complex64{6i, -2, 8i, -3i, -18, 5i, 12i}[i%7] })
	}},
	{"compare", "bid", func(b *bigRun) {
		p, read := out[uint8](b, b.flat(), 700)
		l := lay2([]int{b.flat(), 7}, []int{0, 1}, []int{7, 1})
		b.launch("gt_f32", in(b, 0, sevenths...), in(b, b.flat(), slices.Repeat([]float32{2}, 700)...), p, l,
			b.flat()+700)
		equal(b, "gt", read(), b.flat(), func(i int) uint8 { return map[bool]uint8{true: 1}[sevenths[i%7] > 2] })
	}},
	{"where", "bid", func(b *bigRun) {
		p, read := out[float32](b, b.flat(), 700)
		l := lay3([]int{b.flat(), 7}, []int{0, 1}, []int{0, 1}, []int{7, 1})
		b.launch("where_u8_b32", in[uint8](b, 0, 1, 1, 0, 1, 1, 1, 1), in(b, 0, sevenths...),
			in(b, b.flat(), make([]float32, 700)...), p, l, b.flat()+700)
		equal(b, "where", read(), b.flat(), func(i int) float32 { return []float32{3, 1, 0, 1.5, 9, 2.5, 6}[i%7] })
	}},
	{"cast", "bid", func(b *bigRun) {
		p, read := out[uint8](b, b.flat(), 700)
		b.launch("cast_f32_u8", in(b, 0, sevenths...), p, lay1([]int{b.flat(), 7}, 0, 1), b.flat()+700)
		equal(b, "cast", read(), b.flat(), func(i int) uint8 { return uint8(sevenths[i%7]) })
	}},
	{"copy", "bid", func(b *bigRun) {
		p, read := out[float32](b, b.flat(), 700)
		b.launch("copy_b32", in(b, 0, sevenths...), p, lay2([]int{b.flat(), 7}, []int{0, 1}, []int{7, 1}), b.flat()+700)
		equal(b, "copy", read(), b.flat(), func(i int) float32 { return sevenths[i%7] })
	}},
	{"copy in packs", "bid", func(b *bigRun) { // a block begins at pack 256·block
		first := 4 * b.flat()
		p, read := out[float32](b, first, 4*512)
		b.launch("copy_b32", in[float32](b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), p,
			lay2([]int{first, 12}, []int{0, 1}, []int{12, 1}), first+4*512)
		equal(b, "copy", read(), first, func(i int) float32 { return float32(i%12 + 1) })
	}},
	{"copy in tiles", "bid", func(b *bigRun) { // tile t has 64 places of the first dim
		n := 64 * b.block
		values := make([]float32, 64+7*64)
		for i := range values {
			values[i] = float32(i)
		}
		p, read := out[float32](b, 8*n, 8*64)
		b.launch("copy_b32", in(b, n, values...), p, lay2([]int{n + 64, 8}, []int{1, 64}, []int{8, 1}), 8*(n+64))
		equal(b, "copy", read(), 8*n, func(i int) float32 { return float32(i/8 - n + i%8*64) })
	}},
	{"fill", "bid", func(b *bigRun) {
		p, read := out[uint32](b, 2*b.flat(), 1400)
		b.launch("fill_b32", p, lay1([]int{b.flat() + 700}, 2), b.flat()+700, 5)
		equal(b, "fill", read(), 2*b.flat(), func(i int) uint32 { return uint32(5 * (1 - i%2)) })
	}},
	{"arange", "bid", func(b *bigRun) {
		p, read := out[int64](b, b.flat(), 700)
		b.launch("arange_i64", p, b.flat()+700, 5, 3)
		equal(b, "arange", read(), b.flat(), func(i int) int64 { return int64(5 + 3*i) })
	}},
	{"random", "bid", func(b *bigRun) { // four numbers for each step of the loop
		p, read := out[float32](b, 4*b.flat(), 700)
		b.launch("rand_f32", p, 4*b.flat()+700, 9, 11, uint64(0), -1.0, 1.0)
		equal(b, "rand", read(), 4*b.flat(),
			func(i int) float32 { return float32(kernels.Uniform4(kernels.F32, 9, uint64(11+i/4), -1, 1)[i%4]) })
	}},
	{"index select", "bid", func(b *bigRun) {
		first := b.flat()
		if first < 1<<32 { // then threads have four elements
			b.block /= 4
			first = 4 * b.flat()
		}
		p, read := out[float32](b, first, 700)
		fault, _ := out[uint64](b, 0, 1)
		values := append(make([]float32, 14), sevenths...)
		b.launch("index_select_u8_b32", in[uint8](b, 0, 2), in(b, 0, values...), p, 0, 1, 3, (first+700)/7, 7, fault)
		equal(b, "index select", read()[:693], first, func(i int) float32 { return sevenths[i%7] })
	}},
	{"gather", "bid", func(b *bigRun) {
		p, read := out[float32](b, b.flat(), 700)
		fault, _ := out[uint64](b, 0, 1)
		values := append(make([]float32, 14), sevenths...)
		b.launch("gather_u8_b32", in[uint8](b, 0, 2), in(b, 0, values...), p,
			lay2([]int{b.flat(), 7}, []int{0, 0}, []int{0, 1}), b.flat()+700, 3, 7, fault)
		equal(b, "gather", read(), b.flat(), func(i int) float32 { return sevenths[i%7] })
	}},
	{"gather, far ids", "bid", func(b *bigRun) { // places of the elements themselves
		p, read := out[float32](b, b.flat(), 700)
		fault, _ := out[uint64](b, 0, 1)
		id := int64(1 << 35)
		b.launch("gather_i64_b32", in(b, 0, id), in(b, 3*int(id), sevenths...), p,
			lay2([]int{b.flat(), 7}, []int{0, 0}, []int{0, 1}), b.flat()+700, 1<<36, 3, fault)
		equal(b, "gather", read(), b.flat(), func(i int) float32 { return sevenths[i%7] })
	}},
	{"scatter", "bid", func(b *bigRun) { // a thread has a line of two ids
		p, read := out[float32](b, 2*b.flat(), 1400)
		fault, _ := out[uint64](b, 0, 1)
		l := lay3([]int{b.flat(), 7}, []int{0, 0}, []int{0, 1}, []int{14, 2})
		s := &kernels.Scatter{Count: 2, Size: 2, IDsStep: 1, SrcStep: 7, OutStep: 1}
		b.launch("scatter_u8_b32", in[uint8](b, 0, 1, 0),
			in(b, 0, append(slices.Clone(sevenths), 0, 0, 0, 0, 0, 0, 0)...), p, l, b.flat()+700, s, fault)
		equal(b, "scatter", read(), 2*b.flat(), func(i int) float32 { return sevenths[i/2%7] * float32(i%2) })
	}},
	{"scatter add", "bid", func(b *bigRun) {
		p, read := out[float32](b, b.flat(), 700)
		fault, _ := out[uint64](b, 0, 1)
		l := lay3([]int{b.flat(), 7}, []int{0, 0}, []int{0, 1}, []int{7, 1})
		s := &kernels.Scatter{Count: 2, Size: 1, OutStep: 1}
		b.launch("scatter_add_u8_f32", in[uint8](b, 0, 0), in(b, 0, sevenths...), p, l, b.flat()+700, s, fault)
		equal(b, "scatter add", read(), b.flat(), func(i int) float32 { return 2 * sevenths[i%7] })
	}},
	{"scatter, sorted", "bid", func(b *bigRun) {
		p, read := out[float32](b, b.flat(), 700)
		fault, _ := out[uint64](b, 0, 1)
		l := lay2([]int{b.flat(), 7}, []int{0, 1}, []int{7, 1})
		s := &kernels.Scatter{Count: 1, Size: 1, OutStep: 1}
		b.launch("scatter_add_sorted_u8_f32", in[uint8](b, 0, 0), in[uint32](b, 0, 0), in(b, 0, sevenths...), p, l,
			b.flat()+700, s, fault)
		equal(b, "scatter add", read(), b.flat(), func(i int) float32 { return sevenths[i%7] })
	}},
	{"scatter, joined", "bid", func(b *bigRun) {
		p, read := out[float32](b, b.flat(), 700)
		fault, _ := out[uint64](b, 0, 1)
		l := lay2([]int{b.flat(), 7}, []int{0, 1}, []int{7, 1})
		s := &kernels.Scatter{Count: 1, Size: 1, OutStep: 1}
		b.launch("scatter_maximum_sorted_i64_f32", in[int64](b, 0, 0), in[uint32](b, 0, 0), in(b, 0, sevenths...), p, l,
			b.flat()+700, s, fault)
		equal(b, "scatter maximum", read(), b.flat(), func(i int) float32 { return max(sevenths[i%7], 0) })
	}},
	{"sum", "bid", func(b *bigRun) { // eight threads have a row of five: 32 rows in a block
		first := 32 * b.block
		p, read := out[float32](b, first, 32)
		b.launch("sum_f32", in(b, 0, slices.Repeat(sevenths, 5)...), p, uint64(0), uint64(0),
			lay1([]int{first, 7, 5}, 0, 1, 7), first+32, 5, 5)
		equal(b, "sum", read(), first, func(i int) float32 { return 5 * sevenths[i%7] })
	}},
	// a row of all elements in parts of 7, of which our block is not the last that is done
	{"max of parts", "bid", func(b *bigRun) {
		first := b.block
		p, _ := out[float32](b, 0, 1)
		parts, read := out[float32](b, first, 1)
		counter, _ := out[uint32](b, 0, 1)
		b.launch("max_f32", in(b, 0, sevenths...), p, parts, counter, lay1([]int{first + 1, 7}, 0, 1), 1, 7*(first+1),
			7)
		equal(b, "max", read(), first, func(int) float32 { return 9 })
	}},
	{"argmax", "bid", func(b *bigRun) { // dense rows
		first := 32 * b.block
		p, read := out[uint32](b, first, 32)
		l := lay1([]int{7 * (first + 32)}, 1)
		l.Flags = kernels.FlagContiguous
		b.launch("argmax_f32", in(b, 7*first, slices.Repeat(sevenths, 32)...), p, uint64(0), uint64(0), l, first+32, 7,
			7)
		equal(b, "argmax", read(), first, func(int) uint32 { return 4 })
	}},
	{"softmax", "bid", func(b *bigRun) { // two equal elements in a row, which two threads have
		first := 128 * b.block
		p, read := out[float32](b, 2*first, 256)
		b.launch("softmax_f32", in(b, 0, sevenths...), p, lay2([]int{first, 7}, []int{0, 1}, []int{14, 2}), first+128,
			2, 0, 1)
		equal(b, "softmax", read(), 2*first, func(int) float32 { return 0.5 })
	}},
	{"norm", "bid", func(b *bigRun) {
		first := 128 * b.block
		p, read := out[float32](b, 2*first, 256)
		g := &kernels.Norm{Rows: int64(first + 128), Cols: 2, AlphaStep: 1}
		b.launch("rms_norm_f32", in[float32](b, 0, 3, 3, 3, 3, 3, 3, 3), in[float32](b, 0, 5, 6), p,
			lay1([]int{first, 7}, 0, 1), g)
		equal(b, "rms norm", read(), 2*first, func(i int) float32 { return float32(5 + i%2) })
	}},
	{"rope", "bid", func(b *bigRun) { // one pair to a row
		p, read := out[float32](b, 2*b.flat(), 1400)
		rows := int64(b.flat() + 700)
		g := &kernels.Rope{Rows: rows, Half: 1, PerPosition: 1, Positions: 7, PerBatch: rows}
		a := &kernels.Angles{Step: 7, Cos: [3]int64{0, 1, 0}, Sin: [3]int64{0, 0, 0}}
		b.launch("rope_f32", in(b, 0, append(slices.Clone(sevenths), sevenths...)...), in(b, 0, sevenths...),
			in[float32](b, 0, 0), p, lay1([]int{b.flat(), 7}, 0, 1), a, g)
		equal(b, "rope", read(), 2*b.flat(), func(i int) float32 { return sevenths[i/2%7] * sevenths[i/2%7] })
	}},
	{"cumsum of short rows", "bid", func(b *bigRun) { // a thread has a row
		p, read := out[float32](b, 2*b.flat(), 1400)
		b.launch("cumsum_f32", in(b, 0, sevenths...), p, lay1([]int{b.flat(), 7, 2}, 0, 1, 0), b.flat()+700, 2)
		equal(b, "cumsum", read(), 2*b.flat(), func(i int) float32 { return float32(i%2+1) * sevenths[i/2%7] })
	}},
	{"cumsum", "bid", func(b *bigRun) { // eight groups of threads have a row each
		first := 8 * b.block
		p, read := out[float32](b, 70*first, 560)
		b.launch("cumsum_f32", in(b, 0, sevenths...), p, lay1([]int{2 * b.block, 7, 70}, 0, 1, 0), first+8, 70)
		equal(b, "cumsum", read(), 70*first, func(i int) float32 { return float32(i%70+1) * sevenths[i/70%7] })
	}},
	{"cumsum of long rows", "bid", func(b *bigRun) { // a block has a row
		const cols = 1100
		p, read := out[float32](b, cols*b.block, cols)
		b.launch("cumsum_f32", in(b, 0, sevenths...), p, lay1([]int{b.block, 7, cols}, 0, 1, 0), b.block+1, cols)
		equal(b, "cumsum", read(), cols*b.block, func(i int) float32 { return float32(i%cols+1) * sevenths[b.block%7] })
	}},
	{"cumsum of tiles", "bid", func(b *bigRun) { // a block has the tiles of a row one after the other
		const tiles = 3
		if b.block%tiles != 0 {
			b.t.Fatalf("block %d does not begin a row", b.block)
		}
		cols, row := tiles*backend.ScanOps["cumsum"].Tile(kernels.F32), b.block/tiles
		words := backend.ScanOps["cumsum"].TilesState(kernels.F32, 1, cols) / 8
		p, read := out[float32](b, cols*row, cols)
		turn, state := in(b, 0, uint64(row*tiles)), in(b, words*row, make([]uint64, words)...)
		b.launch("cumsum_tiles_f32", in(b, 0, sevenths...), p, lay1([]int{row, 7, cols}, 0, 1, 0), row+1, cols, turn,
			state)
		equal(b, "cumsum", read(), cols*row, func(i int) float32 { return float32(i%cols+1) * sevenths[row%7] })
	}},
	{"searchsorted", "bid", func(b *bigRun) { // each value in a row of its own
		const n = 700
		var rows, values []float32
		for i := range n {
			rows, values = append(rows, float32(i), float32(i+2)), append(values, float32(i+i%4))
		}
		p, read := out[uint32](b, b.flat(), n)
		b.launch("searchsorted_f32", in(b, 2*b.flat(), rows...), in(b, b.flat(), values...), p, b.flat()+n, 2, 1, 0)
		equal(b, "searchsorted", read(), 0, func(i int) uint32 { return []uint32{0, 1, 1, 2}[i%4] })
	}},
	{"im2col", "bid", func(b *bigRun) { // planes of 1 × 3, two taps, two places
		p, read := out[float32](b, b.flat(), 700)
		g := &kernels.Conv{Planes: int64(b.flat()/4 + 175), Multiplier: 1, Channels: 1,
			Y: kernels.Window{In: 1, Out: 1, Taps: 1, OutStep: 1, TapStep: 1, InStep: 1},
			X: kernels.Window{In: 3, Out: 2, Taps: 2, OutStep: 1, TapStep: 1, InStep: 1}}
		b.launch("im2col_b32", in(b, 0, sevenths...), p, lay1([]int{b.flat(), 5}, 0, 1), &kernels.Steps{Row: 3, Col: 1},
			g)
		equal(b, "im2col", read(), b.flat(), func(i int) float32 { return sevenths[i/4%5+i%2+i/2%2] })
	}},
	{"depthwise", "bid", func(b *bigRun) {
		p, read := out[float32](b, b.flat(), 700)
		w := kernels.Window{In: 1, Out: 1, Taps: 1, OutStep: 1, TapStep: 1, InStep: 1}
		g := &kernels.Conv{Planes: int64(b.flat() + 700), Multiplier: 1, Channels: 1, Y: w, X: w}
		b.launch("depthwise_f32", in(b, 0, sevenths...), in[float32](b, 0, 2), p, lay1([]int{b.flat(), 7}, 0, 1),
			&kernels.Steps{Row: 1, Col: 1}, g, &kernels.Taps{})
		equal(b, "depthwise", read(), b.flat(), func(i int) float32 { return 2 * sevenths[i%7] })
	}},
	{"average pool", "bid", func(b *bigRun) { poolBig(b, "avg_pool2d_f32") }},
	{"max pool", "bid", func(b *bigRun) { poolBig(b, "max_pool2d_f32") }},
	{"max pool indices", "bid", poolIndicesBig},
	{"average pool gradient", "bid", func(b *bigRun) { poolGradientBig(b, "avg_pool2d_gradient_f32") }},
	{"max pool gradient", "bid", func(b *bigRun) { poolGradientBig(b, "max_pool2d_gradient_f32", in(b, b.flat(), make([]int64, 700)...)) }},
	{"upsample nearest", "bid", func(b *bigRun) { upsampleBig(b, "upsample_nearest_b32") }},
	{"upsample bilinear", "bid", func(b *bigRun) { upsampleBig(b, "upsample_bilinear_f32") }},
	{"dequantize", "bid", func(b *bigRun) { // four elements a thread
		p, read := out[float32](b, 4*b.flat(), 4*block)
		b.launch("dequantize_q8_0_f32", b.blocks(b.flat()/8, block/8), p, b.flat()/8+block/8)
		equal(b, "dequantize", read(), 4*b.flat(), func(i int) float32 { return float32(codeBig(i)) })
	}},
	{"quantize", "bid", func(b *bigRun) { // eight elements a thread
		x := make([]float32, 8*block)
		for i := range x {
			x[i] = 127 - float32(i%7)
		}
		const each = kernels.BlockPartBytes
		p, read := out[byte](b, b.flat()/4*each, block/4*each)
		b.launch("quantize_q8_0_f32", in(b, 8*b.flat(), x...), p, b.flat()/4+block/4)
		for i, c := range read() {
			if part, k := i/each, i%each; k < 32 && c != byte(127-(part*32+k)%7) {
				b.t.Fatalf("quantize: code %d of part %d is %d", k, part, c)
			}
		}
	}},
	{"matvec of blocks", "bid", func(b *bigRun) { // a thread for each row of one block
		p, read := out[float32](b, b.flat(), block)
		b.launch("matvec1_q8_0", b.blocks(b.flat(), block), b.part(), p,
			&kernels.BlockProduct{Rows: uint64(b.flat() + block), Cols: 1, Parts: 1})
		equal(b, "matvec", read(), b.flat(), sumBig)
	}},
	{"matmul of blocks", "bid", func(b *bigRun) { // 64 rows
		first := 64 * b.block
		p, read := out[float32](b, first, 64)
		b.launch("matmul_q8_0", b.blocks(first, 64), b.part(), p,
			&kernels.BlockProduct{Rows: uint64(first + 64), Cols: 1, Parts: 1})
		equal(b, "matmul", read(), first, sumBig)
	}},
	{"unpack of blocks", "bid_y", func(b *bigRun) { // a row of one block in each
		p, read := out[byte](b, 32*b.block, 32)
		scales, _ := out[float32](b, b.block, 1)
		b.launch("unpack_q8_0", b.blocks(b.block, 1), p, scales, b.block+1, 1)
		equal(b, "unpack", read(), 32*b.block, func(i int) byte { return byte(codeBig(i)) })
	}},
	{"matmul of codes", "bid_y", func(b *bigRun) { // 128 rows of one part
		first := 128 * b.block
		codes := make([]byte, 32*128)
		scales := make([]float32, 128)
		for i := range codes {
			codes[i] = byte(codeBig(32*first + i))
		}
		for i := range scales {
			scales[i] = 1
		}
		x := slices.Repeat([]byte{127}, 32)
		p, read := out[float32](b, first, 128)
		b.launch("matmul_codes_scaled", in(b, 32*first, codes...), in(b, first, scales...), in(b, 0, x...), in[float32](b, 0, 1, 0), p,
			&kernels.BlockProduct{Rows: uint64(first + 128), Cols: 1, Parts: 1})
		equal(b, "matmul of codes", read(), first, sumBig)
	}},
	{"sort", "bid", func(b *bigRun) { // 512 rows of two in a tile
		first := 512 * b.block
		p, read := out[float32](b, 2*first, 1024)
		ids, readIDs := out[uint32](b, 2*first, 1024)
		b.launch("sort_tiles_f32", in(b, 0, append(slices.Clone(sevenths), 0)...), p, ids, lay1([]int{first, 7}, 0, 1),
			1, first+512, 2, 2, 2, 0)
		pair := func(i int) (float32, float32) { return sevenths[i/2%7], append(slices.Clone(sevenths), 0)[i/2%7+1] }
		equal(b, "sort", read(), 2*first, func(i int) float32 {
			x, y := pair(i)
			return map[int]float32{0: min(x, y), 1: max(x, y)}[i%2]
		})
		equal(b, "ids", readIDs(), 2*first, func(i int) uint32 {
			x, y := pair(i)
			return uint32(map[bool]int{true: 1 - i%2, false: i % 2}[y < x])
		})
	}},
	{"sort of a row", "bid", func(b *bigRun) {
		values, first := make([]uint8, 600), 600*b.block
		for i := range values {
			values[i] = uint8(i / 3 * 37)
		}
		p, read := out[uint8](b, first, 600)
		ids, readIDs := out[uint32](b, first, 600)
		b.launch("sort_rows_x4_u8", in(b, first, values...), p, ids, lay1([]int{b.block + 1}, 600), 1, b.block+1, 600,
			0)
		want := slices.Sorted(slices.Values(values))
		equal(b, "sort", read(), first, func(i int) uint8 { return want[i-first] })
		equal(b, "ids", readIDs(), first,
			func(i int) uint32 { return uint32(slices.Index(values, want[i-first]) + (i-first)%3) })
	}},
	{"sort by a digit", "bid", func(b *bigRun) { // 256 numbers, each of them twice
		const cols = 512
		values, twice, first := make([]uint8, cols), make([]uint32, 256), cols*b.block
		for i := range values {
			values[i] = uint8(i * 37)
		}
		for i := range twice {
			twice[i] = 2
		}
		p, read := out[uint8](b, first, cols)
		ids, readIDs := out[uint32](b, first, cols)
		counts, readCounts := out[uint32](b, 256*b.block, 256)
		totals := in(b, 256*b.block, twice...)
		x, l := in(b, first, values...), lay1([]int{b.block + 1}, cols)
		differs := in(b, 0, uint64(1))
		b.launch("radix_count_u8", x, p, ids, l, 1, b.block+1, cols, 0, 0, counts, totals, differs, 0, 1, 0)
		equal(b, "counts", readCounts(), 256*b.block, func(i int) uint32 { return 2 })
		b.launch("radix_scatter_u8", x, p, ids, l, 1, b.block+1, cols, 0, 0,
			in(b, 256*b.block, make([]uint32, 256)...), totals, differs, 0, 1, 0)
		equal(b, "sort", read(), first, func(i int) uint8 { return uint8((i - first) / 2) })
		equal(b, "ids", readIDs(), first,
			func(i int) uint32 { return uint32(slices.Index(values, uint8((i-first)/2)) + 256*((i-first)%2)) })
	}},
	{"the first of rows", "bid_y", func(b *bigRun) { // a block has both halves of a row
		const cols = 1201
		values, first := make([]uint32, cols), cols*b.block
		from := make([]uint32, cols)
		for i := range values {
			values[i], from[i] = uint32(i*7%cols), uint32(i+5)
		}
		var want []uint32
		for _, half := range [][]uint32{values[:601], values[601:]} {
			want = append(want, slices.Sorted(slices.Values(half))[:3]...)
		}
		to := 6 * b.block
		p, read := out[uint32](b, to, 6)
		ids, readIDs := out[uint32](b, to, 6)
		b.launch("topk_u32", in(b, first, values...), p, ids, in(b, first, from...), lay1([]int{b.block + 1}, cols), 1,
			b.block+1, cols, 601, 3, 0)
		equal(b, "top k", read(), to, func(i int) uint32 { return want[i-to] })
		equal(b, "ids", readIDs(), to, func(i int) uint32 { return uint32(slices.Index(values, want[i-to]) + 5) })
	}},
	{"counts of a mask", "bid", func(b *bigRun) {
		p, read := out[int64](b, b.block, 1)
		n := b.block*kernels.MaskTile + 700
		b.launch("mask_count", in[uint8](b, 0, 0, 1, 0, 0, 9, 1, 0), p, lay1([]int{n, 7}, 0, 1), n)
		want := int64(0)
		for i := b.block * kernels.MaskTile; i < n; i++ {
			want += int64([]uint8{0, 1, 0, 0, 1, 1, 0}[i%7])
		}
		equal(b, "count", read(), b.block, func(int) int64 { return want })
	}},
	{"what a mask keeps", "bid", func(b *bigRun) { // every third element of a tile, after as many as there are before
		first := b.block * kernels.MaskTile
		kept := (first + 2) / 3
		n := (first+700)/3*3 + 1
		p, read := out[float32](b, kept, n/3+1-kept)
		ends := in(b, b.block-1, int64(kept))
		mask, cells := in[uint8](b, 0, 1, 0, 0), in(b, 0, sevenths...)
		b.launch("mask_select_b32", mask, cells, ends, p, lay2([]int{n/21 + 1, 7, 3}, []int{0, 0, 1}, []int{0, 1, 0}),
			n)
		equal(b, "elements", read(), kept, func(i int) float32 { return sevenths[i%7] })
		places, readPlaces := out[uint32](b, 2*kept, 2*(n/3+1-kept))
		b.launch("mask_indices", mask, ends, places, lay1([]int{n/3 + 1, 3}, 0, 1), lay1([]int{n/1000 + 1, 1000}), n)
		equal(b, "places", readPlaces(), 2*kept,
			func(i int) uint32 { return []uint32{uint32(i / 2 * 3 / 1000), uint32(i / 2 * 3 % 1000)}[i%2] })
	}},
	{"matmul, rows", "bid_y", func(b *bigRun) {
		row := 64 * b.block
		p, read := out[float32](b, 3*row, 3*64)
		g := &kernels.MatMul{M: int64(row + 64), N: 3, K: 2, Batch: 1, ACol: 1, ARow: 1, BRow: 3, BCol: 1, CRow: 3}
		b.launch("matmul_f32", in(b, row, make65()...), in[float32](b, 0, 1, 2, 3, 0, 0, 0), p,
			lay2([]int{1}, []int{0}, []int{0}), g)
		equal(b, "matmul", read(), 3*row, func(i int) float32 { return float32((i/3 - row) * (i%3 + 1)) })
	}},
	{"matmul, columns", "bid", func(b *bigRun) {
		col := 64 * b.block
		p, read := out[float32](b, col, 64)
		g := &kernels.MatMul{M: 1, N: int64(col + 64), K: 1, Batch: 1, ACol: 1, BRow: 1, BCol: 1, CRow: 1}
		b.launch("matmul_f32", in[float32](b, 0, 2), in(b, col, make65()...), p, lay2([]int{1}, []int{0}, []int{0}), g)
		equal(b, "matmul", read(), col, func(i int) float32 { return float32(2 * (i - col)) })
	}},
	{"matmul, batch", "bid_z", func(b *bigRun) {
		p, read := out[float32](b, b.block, 3)
		g := &kernels.MatMul{M: 1, N: 1, K: 1, Batch: int64(b.block + 3), ACol: 1, BCol: 1, ARow: 1, BRow: 1, CRow: 1,
			CBat: 1}
		b.launch("matmul_f32", in(b, 0, sevenths...), in[float32](b, b.block, 10, 20, 30), p,
			lay2([]int{b.block, 7}, []int{0, 1}, []int{7, 1}), g)
		equal(b, "matmul", read(), b.block, func(i int) float32 { return sevenths[i%7] * float32(10*(i-b.block+1)) })
	}},
}

// make65 is 0, 1, … 64.
func make65() []float32 {
	values := make([]float32, 65)
	for i := range values {
		values[i] = float32(i)
	}
	return values
}

// poolBig pools images of one element.
func poolBig(b *bigRun, kernel string) {
	p, read := out[float32](b, b.flat(), 700)
	g := onePool(b)
	b.launch(kernel, in(b, 0, sevenths...), p, lay1([]int{b.flat(), 7}, 0, 1), &kernels.Steps{Row: 1, Col: 1}, g)
	equal(b, kernel, read(), b.flat(), func(i int) float32 { return sevenths[i%7] })
}

// onePool are windows of one element in images of one element.
func onePool(b *bigRun) *kernels.Pool {
	g := kernels.NewPool(1, 1, 1, 1, 1, 1)
	g.Planes = int64(b.flat() + 700)
	return &g
}

// poolIndicesBig finds the larger one of two neighbours.
func poolIndicesBig(b *bigRun) {
	p, read := out[int64](b, b.flat(), 700)
	g := kernels.NewPool(1, 2, 1, 2, 1, 2)
	g.Planes = int64(b.flat() + 700)
	b.launch("max_pool2d_first_f32", in(b, 0, sevenths...), p, lay1([]int{b.flat(), 6}, 0, 1), &kernels.Steps{Row: 1, Col: 1}, &g)
	equal(b, "indices", read(), b.flat(), func(i int) int64 {
		if sevenths[i%6+1] > sevenths[i%6] {
			return 1
		}
		return 0
	})
}

// poolGradientBig is that of images of one element: the gradient itself.
func poolGradientBig(b *bigRun, kernel string, indices ...any) {
	p, read := out[float32](b, b.flat(), 700)
	g := make([]float32, 700)
	for i := range g {
		g[i] = float32(i)
	}
	args := append([]any{in(b, b.flat(), g...)}, indices...)
	b.launch(kernel, append(args, p, onePool(b))...)
	equal(b, kernel, read(), b.flat(), func(i int) float32 { return float32(i - b.flat()) })
}

// upsampleBig doubles the width of images of one element.
func upsampleBig(b *bigRun, kernel string) {
	p, read := out[float32](b, b.flat(), 700)
	g := &kernels.Resize{Planes: int64(b.flat()/2 + 350), H: 1, W: 1, OH: 1, OW: 2, ScaleH: 1, ScaleW: 0.5}
	b.launch(kernel, in(b, 0, sevenths...), p, lay1([]int{b.flat(), 7}, 0, 1), &kernels.Steps{Row: 1, Col: 1}, g)
	equal(b, kernel, read(), b.flat(), func(i int) float32 { return sevenths[i/2%7] })
}

// codeBig is element i of packed blocks.
func codeBig(i int) int8 { return int8(i/32%5 + i%3) }

// sumBig is the product of block i and part.
func sumBig(i int) float32 {
	sum := 0
	for j := range 32 {
		sum += int(codeBig(32*i + j))
	}
	return float32(127 * sum)
}

// blocks gives the address at which block 0 of Q8_0 would be if n of them, with the scale 1, were those from first on.
func (b *bigRun) blocks(first, n int) uint64 {
	var packed []byte
	for i := range n {
		packed = append(packed, 0, 0x3c)
		for j := range 32 {
			packed = append(packed, byte(codeBig(32*(first+i)+j)))
		}
	}
	return in(b, 34*first, packed...)
}

// part is what products take beside blocks: 32 times 127, which has the scale 1.
func (b *bigRun) part() uint64 {
	x := make([]float32, 32)
	for i := range x {
		x[i] = 127
	}
	p, err := b.dev.Alloc(kernels.BlockPartBytes)
	b.check(err)
	b.keep = append(b.keep, p)
	near := *b
	near.block = 0
	near.launch("quantize_q8_0_f32", in(b, 0, x...), uint64(p.Ptr()), 1)
	return uint64(p.Ptr())
}

// counts32 are those of which there are variants for fewer than 2³² elements.
var counts32 = []string{"im2col", "index select"}

// TestBigKernels runs each with blocks from 2²⁶ on, elements from 2³⁴ on, and some with elements from 2³¹ on.
func TestBigKernels(t *testing.T) {
	thorough.Slow(t)
	dev, err := rocm.Open("rocm:0")
	if err != nil {
		t.Skipf("no rocm device: %v", err)
	}
	if !dev.Emulated() {
		t.Skip("addresses outside of buffers are checked by the emulated device only")
	}
	files := map[string]bool{"token": true} // it has as many blocks as run at the same time
	for _, c := range slices.Concat(bigKernels, bigVectors, bigSamples, bigSparse, bigTransforms, bigFactors,
		bigTraining, bigOptim, bigLinear) {
		t.Run(c.name, func(t *testing.T) {
			blocks := []int{1<<26 + 77}
			if slices.Contains(counts32, c.name) {
				blocks = append(blocks, 1<<23+77)
			}
			for _, block := range blocks {
				c.run(&bigRun{t: t, dev: dev, block: block, axis: c.axis, files: files})
			}
		})
	}
	for _, family := range kernels.Families() {
		if file, _, _ := strings.Cut(family, "_"); !files[file] {
			t.Errorf("no kernel of %s.hip was launched", file)
		}
	}
}
