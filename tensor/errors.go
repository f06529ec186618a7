package tensor

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/govalue"
)

// The kinds of tensor errors, for errors.Is.
var (
	ErrShape  = errors.New("shape")  // sizes, ranks or dims that do not fit
	ErrDType  = errors.New("dtype")  // element types that differ, or that an operation lacks
	ErrDevice = errors.New("device") // tensors of different devices, or a device that is not there
	ErrIndex  = errors.New("index")  // an index outside its dim
	ErrValue  = errors.New("value")  // a number outside of what an operation takes
	ErrMemory = errors.New("memory") // not enough memory
	ErrDriver = errors.New("driver") // a failure below: driver, compiler, kernel

	ErrGradient = errors.New("gradient") // a gradient that cannot be computed
)

// Error says what was wrong with an operation. Tensor methods panic with it; Try and Catch turn that into an ordinary
// error. errors.Is finds its kind, errors.As its cause.
type Error struct {
	Op      string   // the operation, as in matmul
	Kind    error    // ErrShape, ErrDType, ErrDevice, ErrIndex, ErrValue, ErrMemory, ErrDriver or ErrGradient
	Message string   // what is wrong, with the facts, on one line
	Notes   []string // what to do about it
	Shapes  [][]int  // of the tensors involved
	DTypes  []DType
	Devices []string
	Err     error // the cause, when the failure came from below
}

// Error returns the operation and the message on one line. The notes are separate.
func (e *Error) Error() string { return e.Op + ": " + e.Message }

// Format writes the error; with %+v the notes follow, one on a line.
func (e *Error) Format(f fmt.State, verb rune) {
	text := e.Error()
	if verb == 'v' && f.Flag('+') && len(e.Notes) > 0 {
		text += "\n  note: " + strings.Join(e.Notes, "\n  note: ")
	}
	if verb == 'q' {
		text = fmt.Sprintf("%q", text)
	}
	fmt.Fprint(f, text)
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// Try calls f and returns its tensor, or as an error what a tensor method in it panicked with. Other panics pass
// through. Catch is for code whose result is not a tensor.
func Try(f func() *Tensor) (t *Tensor, err error) {
	err = Catch(func() error {
		t = f()
		return nil
	})
	return t, err
}

// Catch calls f and returns its error, or what a tensor method in it panicked with. Other panics pass through. Where a
// program needs errors, as in a server or on a goroutine, whose panic would end it, one Catch stands around all that a
// request does:
//
//	err := tensor.Catch(func() error {
//		classes = tensor.ToVec1[uint32](model.Forward(dev.New(rows)).ArgMax(-1))
//		return nil
//	})
func Catch(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			err = e
		}
	}()
	return f()
}

// check is the one function that turns errors into panics, always with an *Error. Everything below the exported
// operations returns errors.
func check(err error) {
	if err != nil {
		panic(asError(err))
	}
}

// asError returns any error as an *Error. One of another type becomes its cause; operation and kind are those of an
// *Error that it wraps.
func asError(err error) *Error {
	if e, ok := err.(*Error); ok {
		return e
	}
	if e := errorBelow(err); e != nil {
		return e
	}
	e := &Error{Op: "tensor", Kind: ErrDriver}
	var inner *Error
	switch {
	case errors.As(err, &inner):
		e.Op, e.Kind, e.Notes = inner.Op, inner.Kind, slices.Clone(inner.Notes)
	case backend.IsOutOfMemory(err):
		e.Kind = ErrMemory
	}
	return caused(e, err)
}

// errorBelow returns an error type of package backend or govalue as an *Error, and nil for other errors.
func errorBelow(err error) *Error {
	var of *backend.OpError
	if errors.As(err, &of) {
		return failureAt(of.Op, of.Location, of.Err)
	}
	var s *backend.ShapeError
	if errors.As(err, &s) {
		return &Error{Kind: ErrShape, Shapes: [][]int{s.Shape}, Message: s.Message}
	}
	var d *backend.DeviceError
	if errors.As(err, &d) {
		return &Error{Kind: ErrDevice, Message: d.Message, Notes: []string{d.Note}}
	}
	var v *govalue.Error
	if errors.As(err, &v) {
		e := &Error{Kind: ErrDType, Message: v.Message, DTypes: v.DTypes}
		if v.Ragged {
			e.Kind = ErrShape
		}
		if v.Note != "" {
			e.Notes = []string{v.Note}
		}
		return e
	}
	return nil
}

// faultBelow is errorBelow for an operation that met such an error.
func faultBelow(op string, err error) *Error {
	e := errorBelow(err)
	e.Op = op
	return e
}

// must returns t or panics with err.
func must(t *Tensor, err error) *Tensor {
	check(err)
	return t
}

// fault builds an Error from its message and the tensors that were involved.
func fault(op string, kind error, ts []*Tensor, format string, args ...any) *Error {
	e := &Error{Op: op, Kind: kind, Message: fmt.Sprintf(format, args...)}
	for _, t := range ts {
		e.Shapes = append(e.Shapes, t.Dims())
		e.DTypes = append(e.DTypes, t.dtype)
		e.Devices = append(e.Devices, t.dev.Location())
	}
	return e
}

func (e *Error) note(format string, args ...any) *Error {
	e.Notes = append(e.Notes, fmt.Sprintf(format, args...))
	return e
}

// failure returns the error of a backend as an *Error of an operation.
func failure(op string, dev *Device, err error) error {
	if err == nil {
		return nil
	}
	var e *Error
	if !errors.As(err, &e) {
		e = errorBelow(err)
	}
	if e == nil {
		return failureAt(op, dev.Location(), err)
	}
	if e.Op == "" {
		e.Op = op
	}
	return e
}

// failureAt is failure for an error that wraps no *Error.
func failureAt(op, location string, err error) *Error {
	kind := ErrDriver
	if backend.IsOutOfMemory(err) {
		kind = ErrMemory
	}
	return caused(&Error{Op: op, Kind: kind, Devices: []string{location}}, err)
}

// caused completes an Error with its cause, whose first line is the message and whose other lines are notes.
func caused(e *Error, err error) *Error {
	lines := strings.Split(strings.TrimRight(err.Error(), "\n"), "\n")
	e.Message += lines[0]
	for _, line := range lines[1:] {
		e.Notes = append(e.Notes, strings.TrimSpace(line))
	}
	e.Err = err
	return e
}
