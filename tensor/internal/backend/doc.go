// Package backend is what package tensor and the packages that compute for it, host and gpu, know of each other.
//
// # Files
//
//	backend.go   Storage, Operand and Backend: memory, a tensor as a backend sees it, and what every backend computes
//	optional.go  small interfaces for what only some backends do; the front asks for them and does without
//	errors.go    errors that say more than that the operation under way has failed
//	layout.go    Layout: shape, strides and offset, and the views that make new ones
//	coalesce.go  walks over operands of one shape, with as few dims as possible
//	blocks.go    the dense runs of storage that a layout covers
//	scalar.go    numbers in the form that an element type needs
//	half.go, float8.go   F16, BF16 and F8E4M3 as numbers of the host
//	ops.go       the rows of the op table by name
//
// # Invariants
//
//   - Nothing here decides about shapes, allocates device memory, or panics.
//   - A Layout never changes once it is part of an Operand; views share slices.
//   - Strides and offsets count elements, not bytes.
package backend
