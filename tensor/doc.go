// Package tensor has tensors on the host, on AMD GPUs and on NVIDIA GPUs: arrays of numbers with operations as methods.
//
//	dev, err := tensor.NewDevice("auto") // a GPU if there is one, else the CPU
//	x := dev.Randn(tensor.F32, 2, 3)
//	y := x.MatMul(x.T()).Softmax(-1)
//	fmt.Println(y)          // copies the shown elements to the host
//	rows := y.ToVec2()      // copies all of them, as [][]float64
//
// # Rules
//
// Operations return a new Tensor and never change their inputs, but for SetI, AddI, Put and those whose names end in
// Set (ConstSet, SliceSet, …), which write to their tensor and to every view that shares its elements. Views (T,
// Transpose, Permute, Narrow, Get, Reshape where possible, BroadcastAs, …) share the elements of their tensor.
//
// Shapes are []int, row-major. Dims are numbered from 0; negative ones count from the end. Plain binary operations
// broadcast as NumPy's do, and take a Go number in place of the second tensor. Operands of different dtypes are
// converted by one table, Promote; matrix products and convolutions require equal dtypes. Operands on different devices
// are an error: nothing is moved silently. A whole number must be a value of the integer type beside it.
//
// Operations run on the device of their operands, in the order of the calls, and do not wait. These wait: ToScalar,
// ToVec1, ToVec2, ToVec3, Float64s, String, HTML, and Device.Synchronize. A GPU reports an index out of range, as for
// IndexSelect, only then; the error names the operation and the index.
//
// On a GPU, consecutive elementwise operations are deferred and become one kernel, with the same bits, when something
// needs the elements. A reduction of such elements, as in x.Sub(y).Sqr().Mean(-1), is part of that kernel.
//
// Device memory belongs to the tensor values: when nothing refers to a tensor any more, its memory is released. Free
// releases it at once.
//
// # Gradients
//
// NewVar makes a variable; Backward on what was computed from variables returns their gradients.
//
// # Errors
//
// A mistake in the program, such as shapes that do not fit, panics with a *Error that says what is wrong and what to
// do. What no program can know beforehand, such as whether a device exists, is an error result. Catch and Try return
// panics as errors: put a Catch around the work of a request or a goroutine.
//
// # Semantics
//
// Operations are named after Candle's and behave as PyTorch's do where the two differ in numbers. Sums of F16, BF16 and
// F8E4M3 are made in F32. Random numbers come from Philox: the same seed gives the same numbers on every device.
package tensor

//go:generate go run ../internal/gen/tensor

// How the package is made, for those who change it. Its files, from the bottom up:
//
//	tensor.go, layout.go, blocks.go   Tensor, and the layout that users see
//	device.go, stream.go, group.go    devices and their backends; several GPUs
//	errors.go, shape.go               *Error, the shape rules
//	promote.go, defaults.go           dtypes of results, and of what has no other
//	create.go, fromgo.go, bytes.go    new tensors
//	readback.go, readback_exact.go,
//	data.go, buffer.go                the ways back to Go values, and to the memory of a tensor
//	access.go                         what packages below tensor may do: see internal/extend
//	convert.go, pinned.go             other devices and dtypes, page-locked memory
//	free.go, scope.go                 giving memory back: of a tensor, and of all that a function makes; NoGrad
//	elementwise.go, reduce.go, …      operations, a file for each family; gen_ops.go has the methods of the op table
//	logical.go, composed.go           elementwise operations with results of Bool; those that are composed of others
//	complex.go, complex_ops.go        complex numbers, and their operations by those on the parts
//	indexer.go, indexer_ids.go,
//	indexer_set.go                    I, SetI, AddI: numbers and ranges; ids and masks; writing
//	pad.go, join.go, slices.go        what makes dims longer, joins tensors, or replaces parts
//	reduce_*.go                       reductions that are composed of others (kernels.Statistics)
//	scan.go, sort.go, search.go       what runs along a dim, in order, or in sorted rows
//	module.go                         layers and models as methods of a chain: Apply
//	gradient*.go, variable.go         the gradient graph, and the rules by family
//	backward.go, checkpoint.go        passing it: see internal/graph; what is computed once more for gradients
//	show.go, statistics.go            what a session shows
//
// What needs no Tensor is below, in internal: shapes and dtypes have the rules of shapes and of types, govalue takes Go
// numbers and slices as elements, show makes text, HTML and statistics of elements on the host, graph has the nodes of
// gradient graphs and the way through them, formula computes formulas, and scope knows what a goroutine is in.
//
// Invariants:
//
//   - Shapes are decided here, never in a backend. Results of backends are dense.
//   - A backend's result becomes a tensor by dense or result, so that scopes know of its memory.
//   - The function of a node uses no memory that was made after the node.
//   - Errors become panics in check alone. Functions that are not exported return them.
//   - A backend gets an Operand: from operand to read, from writeOperand or overwriteOperand to write, and from
//     deferrable where it takes elements that are not computed yet. Nothing else uses Tensor.store.
//   - What only some backends do is asked for by an interface of package backend.
//
// Goroutines: any goroutine may use a Tensor, which never changes, and a Device, whose mutex guards its random numbers
// and its cached constants. Writes to elements take effect in the order of the calls.
