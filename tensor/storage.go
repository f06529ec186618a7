package tensor

import (
	"sync/atomic"

	"github.com/gorocm/gorocm/kernels"
)

// storage holds the elements of a tensor on one device.
type storage interface {
	size() int // in bytes

	markFreed() bool // reports whether it was not marked before
	isFreed() bool
	release() // gives the memory back; what wrongly still looks at it still sees memory

	ready() error             // computes the elements where that was put off
	replace() error           // is claim(false) before all elements are written to
	claim(exposed bool) error // comes before writes: computes what is to be made of the elements; exposed says that more writes may come at any time
}

// operand is what a backend sees of a tensor.
type operand struct {
	store  storage
	dtype  DType
	layout strided
}

// backend computes on one device. It never decides about shapes: operands of one call have the same shape (matmul, index
// and softmax say what theirs is), there is at least one element, and results are dense and row-major in a new storage.
type backend interface {
	// readsStrides reports whether operations take operands of any layout. Otherwise those that say so take dense ones, and matmul
	// takes batches of matrices at one stride from each other.
	readsStrides() bool

	alloc(bytes int) (storage, error) // the contents are arbitrary
	upload(src []byte) (storage, error)
	download(dst []byte, s storage, byteOffset int) error

	fill(out operand, bits uint64) error // every element of out, whatever its layout
	arange(dt DType, n int, start, step scalar) (storage, error)
	random(dt DType, n int, normal bool, seed, counter uint64, a, b float64) (storage, error)

	// copy writes in to out, both strided.
	copy(in, out operand) error
	cast(in operand, to DType) (storage, error)

	// Elementwise operations take operands that are not ready, and may give such results. Reductions take them.
	unary(op *kernels.UnaryOp, in operand) (storage, error)
	param(op *kernels.ParamOp, in operand, p float64) (storage, error)
	affine(in operand, mul, add scalar) (storage, error)
	binary(op *kernels.BinaryOp, a, b operand) (storage, error)
	compare(op *kernels.CompareOp, a, b operand) (storage, error) // gives U8
	where(cond, t, f operand) (storage, error)

	// reduce folds the last cols elements of each of the rows of in; cols is above 0. Arg ops give U32.
	reduce(op *kernels.ReduceOp, in operand, rows, cols int) (storage, error)
	// softmax works along a dim: the last one of a dense operand where readsStrides is false.
	softmax(in operand, dim int, log bool) (storage, error)
	// matmul multiplies matrices that lie as m says, beyond the offsets of a and b.
	matmul(a, b operand, m kernels.MatMul) (storage, error)
	// indexSelect takes dense in [left size right] and dense ids [count] to [left count right]. When an id is out of range the host
	// returns an *indexFault; a GPU calls bad later, with the same position, and fails then: see indexChecker.
	indexSelect(ids, in operand, left, size, count, right int, bad badID) (storage, error)

	// gather picks, for each id, the element of in at the id's own position, but for dim, where the id says which. ids have one
	// of the index types; their shape fits in. Ids out of range are reported as by indexSelect; positions are those in ids.
	gather(ids, in operand, dim int, bad badID) (storage, error)
	// scatter writes or adds the elements of src to out, where gather with the same ids would read them.
	scatter(ids, src, out operand, dim int, add bool, bad badID) error

	// sort gives the first keep elements of each row when it is sorted, and where they were, as U32. The host takes dense rows.
	sort(in operand, rows, cols, keep int, descending bool) (values, ids storage, err error)
	// masked gives the count elements of in for which the mask, of U8, is not 0, in order, or, if in is nil, their indices as U32 [count rank].
	masked(mask operand, in *operand) (s storage, count int, err error)
	// cumsum adds along the last dim of in, whose sizes give rows of cols elements.
	cumsum(in operand, rows, cols int) (storage, error)

	// im2col spreads dense images to [planes taps_y taps_x out_y out_x].
	im2col(in operand, p kernels.Conv) (storage, error)
	// depthwise convolves each channel of dense images with kernels of its own.
	depthwise(in, weight operand, p kernels.Conv) (storage, error)
	// pool gives the maxima or the means of windows of dense images.
	pool(in operand, p kernels.Pool, greatest bool) (storage, error)
	// upsample resizes dense images.
	upsample(in operand, p kernels.Resize, bilinear bool) (storage, error)

	// norm divides dense rows by the root of their mean square (beta nil), or of their variance around the mean that it takes away.
	norm(in, alpha operand, beta *operand, rows, cols int, eps float64) (storage, error)
	// rope turns pairs of dense elements.
	rope(in, cos, sin operand, p kernels.Rope) (storage, error)
	// ropeSet turns pairs of elements of any layout in place.
	ropeSet(x, cos, sin operand, p kernels.Rope) error

	synchronize() error
}

// indexFault says which id was out of range.
type indexFault struct{ position int }

func (f *indexFault) Error() string { return "index out of range" }

// badID gives the error for an id that is out of range, from its position among the ids.
type badID func(position int) error

// freed is a mark on a storage.
type freed struct{ mark atomic.Bool }

func (f *freed) markFreed() bool { return !f.mark.Swap(true) }

func (f *freed) isFreed() bool { return f.mark.Load() }
