// Package gpu computes on AMD and NVIDIA GPUs, and on the emulated one: it is the backend of the devices rocm and cuda.
//
// A method of Backend turns operands into the arguments of a kernel of package kernels and launches it through package
// rocm, or calls a vendor's library where that is faster. Nothing waits for the device, except what brings elements to
// the host.
//
// # Files
//
//	backend.go, storage.go  Backend and Storage: memory and who owns it, transfers, launches, kernels by name
//	layout.go               layouts as kernels take them; when an operand must be made dense first
//	elementwise.go          single operations and their kernels
//	defer.go, fuse*.go,     deferred operations, chains of them as one kernel, reductions at the end of a chain
//	close.go
//	index_check.go          asynchronous index errors
//	capture.go              random numbers of graphs
//	matmul.go, blas.go,     products: the choice, the vendor's BLAS, 8-bit operands for it, matrix times vector
//	float8.go, matvec.go
//	conv.go, library*.go    convolutions and pools: own kernels, and the vendor's library with its orders of channels
//	the others              one family of kernels each
//
// # Invariants
//
//   - A Storage either has memory (buffer) or is deferred; Materialize takes it from the second state to the first, and
//     it never goes back.
//   - Whoever writes to memory calls PrepareWrite or PrepareOverwrite of the storage before, so that results that are
//     still to be computed from the old elements are computed first or keep the old memory.
//   - Deferral cannot be seen: a chain gives the bits of its operations one by one, and errors name those operations.
//   - A kernel that is given indices does not report a bad one at once: it writes the position to a word of its own,
//     which is read when something waits anyway.
//   - The bits of a result may depend on shapes, layouts and the device, never on timing.
//
// # Goroutines
//
// Any goroutine may call a Backend. fusion.mu guards everything about deferred results and is held while they are
// computed. checks.mu guards the words of index checks. One goroutine at a time compiles fused kernels in the
// background.
package gpu
