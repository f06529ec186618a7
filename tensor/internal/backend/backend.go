package backend

import (
	"sync/atomic"

	"github.com/gorocm/gorocm/kernels"
)

// Storage holds the elements of a tensor on one device.
type Storage interface {
	Size() int // in bytes

	MarkFreed() bool // reports whether it was not marked before
	IsFreed() bool
	Release() // gives the memory back; what wrongly still looks at it still sees memory

	Materialize() error              // computes the elements where that was put off
	PrepareOverwrite() error         // is claim(false) before all elements are written to
	PrepareWrite(exposed bool) error // comes before writes: computes what is to be made of the elements; exposed says that more writes may come at any time
}

// Operand is what a backend sees of a tensor.
type Operand struct {
	Store  Storage
	DType  kernels.DType
	Layout Layout
}

// Backend computes on one device. It never decides about shapes: operands of one call have the same shape (matmul, index
// and softmax say what theirs is), there is at least one element, and results are dense and row-major in a new storage.
type Backend interface {
	// ReadsStrides reports whether operations take operands of any layout. Otherwise those that say so take dense ones, and matmul
	// takes batches of matrices at one stride from each other.
	ReadsStrides() bool

	Alloc(bytes int) (Storage, error) // the contents are arbitrary
	Upload(src []byte) (Storage, error)
	Download(dst []byte, s Storage, byteOffset int) error

	Fill(out Operand, bits uint64) error // every element of out, whatever its layout
	Arange(dt kernels.DType, n int, start, step Scalar) (Storage, error)
	Random(dt kernels.DType, n int, normal bool, seed, counter uint64, a, b float64) (Storage, error)

	// Copy writes in to out, both strided.
	Copy(in, out Operand) error
	Cast(in Operand, to kernels.DType) (Storage, error)

	// Elementwise operations take operands that are not ready, and may give such results. Reductions take them.
	Unary(op *kernels.UnaryOp, in Operand) (Storage, error)
	Param(op *kernels.ParamOp, in Operand, p float64) (Storage, error)
	Affine(in Operand, mul, add Scalar) (Storage, error)
	Binary(op *kernels.BinaryOp, a, b Operand) (Storage, error)
	Compare(op *kernels.CompareOp, a, b Operand) (Storage, error) // gives U8
	Where(cond, t, f Operand) (Storage, error)

	// Reduce folds the last cols elements of each of the rows of in; cols is above 0. Arg ops give U32.
	Reduce(op *kernels.ReduceOp, in Operand, rows, cols int) (Storage, error)
	// Softmax works along a dim: the last one of a dense operand where ReadsStrides is false.
	Softmax(in Operand, dim int, log bool) (Storage, error)
	// Matmul multiplies matrices that lie as m says, beyond the offsets of a and b.
	Matmul(a, b Operand, m kernels.MatMul) (Storage, error)
	// IndexSelect takes dense in [left size right] and dense ids [count] to [left count right]. When an id is out of range the host
	// returns an *IndexFault; a GPU calls bad later, with the same position, and fails then: see IndexChecker.
	IndexSelect(ids, in Operand, left, size, count, right int, bad IndexErrorFunc) (Storage, error)

	// Gather picks, for each id, the element of in at the id's own position, but for dim, where the id says which. ids have one
	// of the index types; their shape fits in. Ids out of range are reported as by IndexSelect; positions are those in ids.
	Gather(ids, in Operand, dim int, bad IndexErrorFunc) (Storage, error)
	// Scatter writes or adds the elements of src to out, where gather with the same ids would read them.
	Scatter(ids, src, out Operand, dim int, add bool, bad IndexErrorFunc) error

	// Sort gives the first keep elements of each row when it is sorted, and where they were, as U32. The host takes dense rows.
	Sort(in Operand, rows, cols, keep int, descending bool) (values, ids Storage, err error)
	// Masked gives the count elements of in for which the mask, of U8, is not 0, in order, or, if in is nil, their indices as U32 [count rank].
	Masked(mask Operand, in *Operand) (s Storage, count int, err error)
	// Cumsum adds along the last dim of in, whose sizes give rows of cols elements.
	Cumsum(in Operand, rows, cols int) (Storage, error)

	// Im2col spreads dense images to [planes taps_y taps_x out_y out_x].
	Im2col(in Operand, p kernels.Conv) (Storage, error)
	// Depthwise convolves each channel of dense images with kernels of its own.
	Depthwise(in, weight Operand, p kernels.Conv) (Storage, error)
	// Pool gives the maxima or the means of windows of dense images.
	Pool(in Operand, p kernels.Pool, greatest bool) (Storage, error)
	// Upsample resizes dense images.
	Upsample(in Operand, p kernels.Resize, bilinear bool) (Storage, error)

	// Norm divides dense rows by the root of their mean square (beta nil), or of their variance around the mean that it takes away.
	Norm(in, alpha Operand, beta *Operand, rows, cols int, eps float64) (Storage, error)
	// Rope turns pairs of dense elements.
	Rope(in, cos, sin Operand, p kernels.Rope) (Storage, error)
	// RopeSet turns pairs of elements of any layout in place.
	RopeSet(x, cos, sin Operand, p kernels.Rope) error

	Synchronize() error
}

// IndexFault says which id was out of range.
type IndexFault struct{ Position int }

func (f *IndexFault) Error() string { return "index out of range" }

// IndexErrorFunc gives the error for an id that is out of range, from its position among the ids.
type IndexErrorFunc func(position int) error

// Freed is a mark on a storage.
type Freed struct{ mark atomic.Bool }

func (f *Freed) MarkFreed() bool { return !f.mark.Swap(true) }

func (f *Freed) IsFreed() bool { return f.mark.Load() }
