package tensor

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

// What only some backends do. The front asks a backend for the interface, and does without where it is not implemented.

// gpuBackend is a backend on a device of package rocm, which knows its own facts, its memory and the groups that it is in.
type gpuBackend interface {
	device() *rocm.Device
	fusionError() error // why the first chain of elementwise operations that did not become a kernel did not; nil if all did
}

// streamer is a backend that opens another one, on the same GPU, whose operations have an order of their own.
type streamer interface {
	newStream() (backend, error)
}

// indexChecker is a backend that reports indices out of range asynchronously.
type indexChecker interface {
	// checkIndices waits for the operations that were given indices, if there are any, and returns the error of the first one that
	// had an index out of range. Each is reported once.
	checkIndices() error
}

// receiver is a backend that copies memory of another backend of its kind.
type receiver interface {
	// receive copies a dense operand, directly where the devices have a path to each other.
	receive(in operand) (storage, error)
}

// pinner is a backend that locks pages of the host's memory, to copy from there without the processor.
type pinner interface {
	// pin locks memory of the Go heap, which must stay where it is until Unpin.
	pin(memory []byte) (pages, error)
	// pinScope names the driver for which pages are locked: all its devices use them.
	pinScope() string
	// uploadPinned is upload from locked memory. It returns before the bytes have left; Wait of the pages waits for them.
	uploadPinned(src []byte, from pages) (storage, error)
}

// pages are locked memory of the host.
type pages interface {
	Wait() error  // waits for the copies that are under way
	Unpin() error // waits, and unlocks the pages
}

// addNormer is a backend with a kernel that adds rows and normalises the sums.
type addNormer interface {
	// addNorm returns x + y and its rows divided by the root of their mean square, times alpha. It reports false, and has done
	// nothing, where the kernel does not take the layouts. The operands may be deferred.
	addNorm(x, y, alpha operand, eps float64) (sum, normed storage, ok bool, err error)
}

// siluMultiplier is a backend with a kernel for silu(x) · y.
type siluMultiplier interface {
	// multipliesSilu reports whether the kernel is of use now. While results are deferred, the two operations become one kernel anyway.
	multipliesSilu() bool
	siluMul(x, y operand) (storage, error)
}

// attender is a backend that has a kernel for attention. It may refuse what its kernels are not made for.
type attender interface {
	attends(dt DType, p *kernels.Attention) bool
	attention(q, k, v operand, mask *operand, out operand, p kernels.Attention) error
}

// dnnBackend is a backend with a vendor's library for convolutions and pools. Each method reports false, and has done nothing, where there is
// no library or it does not take the work. Operands have any layout and may be deferred; that of the result depends on theirs.
type dnnBackend interface {
	// convolveByLibrary runs a pass with two operands in the order of rocm.Conv to a result of the given shape.
	convolveByLibrary(c *rocm.Conv, x, y operand, shape []int) (out operand, ok bool, err error)
	// poolByLibrary computes the means of windows or, backward, the gradient of that.
	poolByLibrary(p *rocm.Pooling, in operand, shape []int) (out operand, ok bool, err error)
}

// tileConvolver is a backend that convolves images without spreading them to columns.
type tileConvolver interface {
	convolves(p kernels.Conv, dt DType) bool
	// convolveTiles convolves n dense images with dense weights [groups outs depth].
	convolveTiles(in, weights operand, n, groups, outs, depth int, p kernels.Conv) storage
}

// clamper is a backend that clamps in one pass over the elements.
type clamper interface {
	// clamp gives the elements of in between two operands of one element each.
	clamp(in, lo, hi operand) storage
}

// joiner is a backend that joins tensors in one pass over the result.
type joiner interface {
	// joinRows writes dense operands side by side to the rows of a dense result. It reports whether it did.
	joinRows(parts []operand, out operand, rows int) bool
}

// deviceMemory is a storage in device memory, which has the elements after ready or claim.
type deviceMemory interface {
	storage
	deviceBuffer() *rocm.Buffer
}

// constantStorage is a storage that may know its one element, so that kernels take it as an argument.
type constantStorage interface {
	setConstant(bits uint64) // the element never changes
}
