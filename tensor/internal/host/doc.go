// Package host computes on the CPU: it is the backend of tensor.CPU().
//
// Every operation has a loop in Go over any element type, which is the reference that fast loops and GPUs are tested
// against. For float32, and where they exist for other types, the loops of package simd take its place; they give the
// same results, within the tolerance of the op's row.
//
// # Files
//
// From the bottom up:
//
//	storage.go, blocks.go, collect.go, memory: small blocks, pooled ones and how the collector finds them,
//	pinned.go                          and those whose pages are locked for a GPU
//	available.go                       the memory that the system has left
//	parallel.go, scratch.go            loops on all cores, by package team; buffers for their parts
//	elementwise*.go, cast.go, clamp.go walks over strided operands, and what each row of the op table does there
//	vector_*.go                        the loops of package simd by op: f32, f64, integers, small floats;
//	                                   vector_scalar.go has the functions of one float32
//	fuse*.go                           deferred elementwise operations, and chains of them, tile by tile
//	complex.go                         operations on complex numbers, in complex128
//	reduce*.go, norm.go, sort.go,      operations on rows
//	topk.go, scan.go, search.go
//	matmul*.go, conv*.go, pool.go,     products of matrices by packed panels or BLAS; convolutions, pools,
//	images.go                          resizing
//	index_select.go, scatter.go,       operations with indices and masks
//	masked.go, join.go
//	backend.go                         Backend itself: allocation, fill, random numbers, copies
//
// # Invariants
//
//   - Operands have the layouts that package backend allows, results are dense. Nothing here decides about shapes, and
//     nothing panics.
//   - Small floats (F16, BF16, F8E4M3) are widened to F32, computed there and rounded once.
//   - Operands of Backend are in memory. Fusing is Backend with operations that take and return deferred elements.
//   - The bits of a result depend on its operands and on the processor, never on timing: sums are cut where their
//     length says, not where a core is free.
//   - Memory from NewUninitialized has arbitrary contents, and New's is zero.
//
// # Goroutines
//
// Any goroutine may call a Backend. The pools have a mutex each. Parallel hands parts of a loop to the helpers of
// package team, which all calls share, and returns when all parts are done.
package host
