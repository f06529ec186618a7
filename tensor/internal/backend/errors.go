package backend

import (
	"errors"

	"github.com/gorocm/gorocm/rocm"
)

// OpError is an error of another operation than the one that met it: of one that was deferred until now, or of a copy
// that was under way.
type OpError struct {
	Op       string
	Location string // of the device
	Err      error
}

func (e *OpError) Error() string { return e.Op + ": " + e.Err.Error() }

func (e *OpError) Unwrap() error { return e.Err }

// ShapeError says that a backend cannot take a shape.
type ShapeError struct {
	Shape   []int
	Message string
}

func (e *ShapeError) Error() string { return e.Message }

func IsOutOfMemory(err error) bool { return errors.Is(err, rocm.ErrOutOfMemory) }

// DeviceError says what a device cannot do, and what to do.
type DeviceError struct{ Message, Note string }

func (e *DeviceError) Error() string { return e.Message }
