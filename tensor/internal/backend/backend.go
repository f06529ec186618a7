package backend

import (
	"errors"
	"sync/atomic"

	"github.com/gorocm/gorocm/kernels"
)

// Storage is memory of one device for the elements of a tensor, or the promise of such memory: an operation that is
// deferred.
type Storage interface {
	Size() int // in bytes

	MarkFreed() bool // marks the storage as freed, and reports whether it was not before
	IsFreed() bool
	MarkKept() // the end of a scope does not free the storage
	// Made and Written note when the storage was made, the first time, and when it was last written to.
	Made(number uint64)
	Written(number uint64)
	// Overwritten reports whether it is older than a moment and was written to since. It asks for that, 0 for none,
	// only where it was ever written to.
	Overwritten(since func() uint64) bool
	IsKept() bool
	Release() // gives the memory back; a goroutine that wrongly still uses it reads memory

	Materialize() error // computes the elements if they are deferred, so that the memory can be read
	// PrepareWrite(false) for a write to all elements, which need not keep the old ones
	PrepareOverwrite() error
	// comes before every write: computes the elements, and the deferred results that depend on the old ones. exposed
	// says that more writes may come at any time
	PrepareWrite(exposed bool) error
}

// Operand is a tensor as backends see it.
type Operand struct {
	Store  Storage
	DType  kernels.DType
	Layout Layout
}

// Backend computes on one device. It never decides about shapes: operands of one call have the same shape unless the
// method says otherwise, there is at least one element, and results are dense and row-major in a new storage.
type Backend interface {
	// ReadsStrides reports whether operations take operands of any layout. If not, methods that say "dense" get dense
	// operands, and Matmul gets batches of matrices at one stride.
	ReadsStrides() bool

	Alloc(bytes int) (Storage, error) // the contents are arbitrary
	Upload(src []byte) (Storage, error)
	Download(dst []byte, s Storage, byteOffset int) error

	Fill(out Operand, bits uint64) error // sets every element of out, which has any layout
	Arange(dt kernels.DType, n int, start, step Scalar) (Storage, error)
	Random(dt kernels.DType, n int, normal bool, seed, counter uint64, a, b float64) (Storage, error)

	// Copy writes in to out. Both have any layout.
	Copy(in, out Operand) error
	Cast(in Operand, to kernels.DType) (Storage, error)

	// Elementwise operations take deferred operands and may return deferred results. Reductions take deferred
	// operands.
	Unary(op *kernels.UnaryOp, in Operand) (Storage, error)
	Param(op *kernels.ParamOp, in Operand, p float64) (Storage, error)
	Affine(in Operand, mul, add Scalar) (Storage, error)
	Binary(op *kernels.BinaryOp, a, b Operand) (Storage, error)
	Compare(op *kernels.CompareOp, a, b Operand) (Storage, error) // the result is U8
	Where(cond, t, f Operand) (Storage, error)
	// Complex takes one or two operands of C64 or C128 in memory. Other methods take complex operands only if they
	// move elements: Copy of both types, Fill, IndexSelect, Gather and Scatter of C64.
	Complex(op *kernels.ComplexOp, operands ...Operand) (Storage, error)

	// Reduce folds the last cols elements of each row of in; cols is above 0. Arg ops return U32.
	Reduce(op *kernels.ReduceOp, in Operand, rows, cols int) (Storage, error)
	// Softmax normalises along a dim: the last one of a dense operand if ReadsStrides is false.
	Softmax(in Operand, dim int, log bool) (Storage, error)
	// Matmul multiplies the matrices that m describes, from the offsets of a and b on.
	Matmul(a, b Operand, m kernels.MatMul) (Storage, error)
	// IndexSelect takes dense in [left size right] and dense ids [count] to [left count right]. If an index is out of
	// range, the host returns an *IndexFault. A GPU fails asynchronously: it calls bad with the position later (see
	// IndexChecker).
	IndexSelect(ids, in Operand, left, size, count, right int, bad IndexErrorFunc) (Storage, error)

	// Gather picks, for each index of ids, the element of in at the same position, except that the index replaces the
	// position along dim. ids have one of the index types; their shape fits in. Indices out of range are reported as
	// by IndexSelect, with the position in ids.
	Gather(ids, in Operand, dim int, bad IndexErrorFunc) (Storage, error)
	// Scatter writes the elements of src to the elements of out that Gather with the same ids would read, or joins them
	// by an operation, in the order of ids: add, or with ids of I64 and a type of kernels.Scattered mul, maximum or
	// minimum. Permute is for ids of one dim of which no two are equal.
	Scatter(ids, src, out Operand, dim int, join string, bad IndexErrorFunc) error

	// Sort returns the first keep elements of each row in sorted order, and their positions as U32. in is dense.
	Sort(in Operand, rows, cols, keep int, descending bool) (values, ids Storage, err error)
	// Masked returns the elements of in that the U8 mask selects, in order, and their count. If in is nil it returns
	// their indices as U32 [count rank].
	Masked(mask Operand, in *Operand) (s Storage, count int, err error)
	// Scan joins along the last dim of in, in rows of cols elements of a type that op has. Arg ops return U32.
	Scan(op *kernels.ScanOp, in Operand, rows, cols int) (Storage, error)
	// SearchSorted returns, as U32, the index at which each element of dense values would be inserted into its dense
	// sorted row of cols elements: after equal elements if right is set. `each` consecutive values share a row. The
	// order is that of Sort.
	SearchSorted(sorted, values Operand, cols, each int, right bool) (Storage, error)

	// Im2col copies the windows of dense images to columns: [planes taps_y taps_x out_y out_x].
	Im2col(in Operand, p kernels.Conv) (Storage, error)
	// Depthwise convolves each channel of dense images with weights of its own.
	Depthwise(in, weight Operand, p kernels.Conv) (Storage, error)
	// Pool returns the means or the maxima of windows of images, or where the maxima are.
	Pool(in Operand, p kernels.Pool, what Pooled) (Storage, error)
	// Upsample resizes dense images.
	Upsample(in Operand, p kernels.Resize, bilinear bool) (Storage, error)

	// Norm divides dense rows by their root mean square if beta is nil, and otherwise centres them and divides by
	// their standard deviation.
	Norm(in, alpha Operand, beta *Operand, rows, cols int, eps float64) (Storage, error)
	// Rope rotates pairs of dense elements.
	Rope(in, cos, sin Operand, p kernels.Rope) (Storage, error)
	// RopeSet rotates pairs of elements of any layout in place.
	RopeSet(x, cos, sin Operand, p kernels.Rope) error

	Synchronize() error
}

// IndexFault says at which position among the indices one was out of range.
type IndexFault struct{ Position int }

func (f *IndexFault) Error() string { return "index out of range" }

// IndexErrorFunc returns the error for an index that is out of range, from its position among the indices.
type IndexErrorFunc func(position int) error

// OfPairs is bad for indices that are repeated for the two parts of a complex number.
func (bad IndexErrorFunc) OfPairs() IndexErrorFunc {
	return func(position int) error { return bad(position / 2) }
}

// Naming replaces the index fault of a backend by the error that names the id.
func (bad IndexErrorFunc) Naming(err error) error {
	var f *IndexFault
	if errors.As(err, &f) {
		return bad(f.Position)
	}
	return err
}

// Marks say that a storage was freed, that scopes must not free it, and when it was made and written to.
type Marks struct {
	freed, kept   atomic.Bool
	made, written atomic.Uint64
}

func (m *Marks) Made(number uint64) {
	if m.made.Load() == 0 {
		m.made.Store(number)
	}
}

func (m *Marks) Written(number uint64) { m.written.Store(number) }

func (m *Marks) Overwritten(since func() uint64) bool {
	if m.written.Load() == 0 {
		return false
	}
	moment := since()
	return m.made.Load() < moment && moment < m.written.Load()
}

func (m *Marks) MarkFreed() bool { return !m.freed.Swap(true) }

func (m *Marks) IsFreed() bool { return m.freed.Load() }

func (m *Marks) MarkKept() { m.kept.Store(true) }

func (m *Marks) IsKept() bool { return m.kept.Load() }

// Permute is a join of Scatter that may write in any order.
const Permute = "permute"

// Pooled is what a pool computes of each window.
type Pooled int

const (
	Means   Pooled = iota
	Maxima         // NaN propagates
	Indices        // of the first maximum: y·W + x, I64
)
