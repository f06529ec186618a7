// Package shapes has the arithmetic of shapes and indices that package tensor decides with.
//
// # Files
//
//	shapes.go  sizes: which are valid, which -1 stands for, what two shapes broadcast to
//	text.go    shapes in the code and the notes of errors
//	range.go   the elements of a dim that a range selects
//	conv.go    convolutions and resizing along one dim
//	pad.go     the elements beyond the ends of a dim
//	rope.go    the rows and angles of rotary embeddings
//
// # Invariants
//
//   - Shapes that are passed are never written to; a result may be one of them.
//   - An error is a *backend.ShapeError, which lacks the name of the operation: the caller adds it.
package shapes
