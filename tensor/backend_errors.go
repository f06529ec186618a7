package tensor

import (
	"errors"

	"github.com/gorocm/gorocm/rocm"
)

// opError is an error of another operation than the one that met it: of one that was deferred until now, or of a copy that was under way.
type opError struct {
	op       string
	location string // of the device
	err      error
}

func (e *opError) Error() string { return e.op + ": " + e.err.Error() }

func (e *opError) Unwrap() error { return e.err }

// shapeError says that a backend cannot take a shape.
type shapeError struct {
	shape   []int
	message string
}

func (e *shapeError) Error() string { return e.message }

func isOutOfMemory(err error) bool { return errors.Is(err, rocm.ErrOutOfMemory) }
