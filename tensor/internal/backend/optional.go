package backend

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
)

// What only some backends do. The front asks a backend for the interface, and does without where it is not implemented.

// GPU is a backend on a device of package rocm, which knows its own facts, its memory and the groups that it is in.
type GPU interface {
	Device() *rocm.Device
	// why the first chain of elementwise operations that did not become a kernel did not; nil if all did
	FusionError() error
}

// Launcher is a backend that runs kernels of package kernels by name. The first call of a kernel loads its family, or
// compiles it.
type Launcher interface {
	// Launch runs one kernel in blocks of 256 threads. The arguments cannot be used again: they are recycled.
	Launch(kernel string, grid [3]int, args *rocm.Args) error
	// LaunchBlocks is Launch with blocks of so many threads, for kernels that take others than 256.
	LaunchBlocks(kernel string, grid [3]int, threads int, args *rocm.Args) error
	// Function returns a kernel, for launches of other forms.
	Function(kernel string) (*rocm.Function, error)
}

// Streamer is a backend that opens another one, on the same GPU, whose operations have their own order.
type Streamer interface {
	NewStream() (Backend, error)
}

// Capturer is a backend whose launches can be captured as a graph.
type Capturer interface {
	// Capturing reports whether launches of the calling goroutine are captured now.
	Capturing() bool
	// DrawCaptured reserves counters of random numbers in each replay, for Random with the seed 0 and the counter that
	// it returns. draw reserves numbers, four for each counter.
	DrawCaptured(counters uint64, draw func(numbers int) (seed, counter uint64)) uint64
}

// IndexChecker is a backend that reports indices out of range asynchronously.
type IndexChecker interface {
	// CheckIndices waits for the operations that were given indices, if there are any, and returns the error of the
	// first one that had an index out of range. Each is reported once.
	CheckIndices() error
}

// CheckedLauncher is an IndexChecker for kernels of package kernels that take indices.
type CheckedLauncher interface {
	// LaunchChecked is Launch for a kernel whose last argument is the word for the first index of ids that is out of
	// range. bad makes the error from its position.
	LaunchChecked(kernel string, grid [3]int, args *rocm.Args, ids Operand, bad IndexErrorFunc) error
}

// Receiver is a backend that copies memory of another backend of its kind.
type Receiver interface {
	// Receive copies a dense operand, directly where the devices have a path to each other.
	Receive(in Operand) (Storage, error)
}

// Pinner is a backend that locks pages of the host's memory, to copy from there without the processor.
type Pinner interface {
	// Pin locks memory of the Go heap, which must stay where it is until Unpin.
	Pin(memory []byte) (Pages, error)
	// PinScope names the driver for which pages are locked: all its devices use them.
	PinScope() string
	// UploadPinned is upload from locked memory. It returns before the bytes have left; Wait of the pages waits for
	// them.
	UploadPinned(src []byte, from Pages) (Storage, error)
}

// Pages are locked memory of the host.
type Pages interface {
	Wait() error  // waits for the copies that are under way
	Unpin() error // waits, and unlocks the pages
}

// AddNormer is a backend with a kernel that adds rows and normalises the sums.
type AddNormer interface {
	// AddNorm returns x + y and its rows divided by the root of their mean square, times alpha. It reports false, and
	// has done nothing, where the kernel does not take the layouts. The operands may be deferred.
	AddNorm(x, y, alpha Operand, eps float64) (sum, normed Storage, ok bool, err error)
}

// SiluMultiplier is a backend with a kernel for silu(x) · y.
type SiluMultiplier interface {
	// MultipliesSilu reports whether the kernel is of use now. While results are deferred, the two operations become
	// one kernel anyway.
	MultipliesSilu() bool
	SiluMul(x, y Operand) (Storage, error)
}

// DNN is a backend with a vendor's library for convolutions and pools. Each method reports false, and has done nothing,
// where there is no library or it does not take the work. Operands have any layout and may be deferred; that of the
// result depends on theirs.
type DNN interface {
	// ConvolveByLibrary runs a pass with two operands in the order of rocm.Conv to a result of the given shape.
	ConvolveByLibrary(c *rocm.Conv, x, y Operand, shape []int) (out Operand, ok bool, err error)
	// PoolByLibrary computes the means of windows.
	PoolByLibrary(p kernels.Pool, in Operand, shape []int) (out Operand, ok bool, err error)
}

// TileConvolver is a backend that convolves images without copying their windows to columns.
type TileConvolver interface {
	Convolves(p kernels.Conv, dt kernels.DType) bool
	// ConvolveTiles convolves n dense images with dense weights [groups outs depth].
	ConvolveTiles(in, weights Operand, n, groups, outs, depth int, p kernels.Conv) Storage
}

// Clamper is a backend that clamps in one pass over the elements.
type Clamper interface {
	// Clamp gives the elements of in between two operands of one element each.
	Clamp(in, lo, hi Operand) Storage
}

// Joiner is a backend that joins tensors in one pass over the result.
type Joiner interface {
	// JoinRows writes dense operands side by side to the rows of a dense result. It reports whether it did.
	JoinRows(parts []Operand, out Operand, rows int) bool
}

// Dropper is a storage that can be freed while deferred results are made of it: they need not be computed for that.
type Dropper interface {
	// Drop marks the storage as freed, and gives the memory back when no deferred result needs it any more. Nothing
	// else may use the storage.
	Drop()
}

// DeviceMemory is a storage of a GPU. The buffer has the elements after Materialize or PrepareWrite.
type DeviceMemory interface {
	Storage
	DeviceBuffer() *rocm.Buffer
}

// HostMemory is storage on the host.
type HostMemory interface {
	// HostBytes returns the memory. It is valid as long as the storage is in use.
	HostBytes() []byte
}

// ConstantStorage is a storage that may know its one element, so that kernels take it as an argument.
type ConstantStorage interface {
	SetConstant(bits uint64) // the element never changes
}
