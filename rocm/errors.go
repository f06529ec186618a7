package rocm

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// The kinds of errors, for errors.Is. Every error of this package is an *Error; most have one of these kinds.
var (
	// ErrNoDevice: there is no such device on this machine.
	ErrNoDevice = driver.ErrNoDevice
	// ErrNoLibrary: a driver or compiler library could not be loaded.
	ErrNoLibrary = driver.ErrNoLibrary
	// ErrOutOfMemory: the device has too little free memory, even after unused memory was collected.
	ErrOutOfMemory = driver.ErrOutOfMemory
	// ErrCompile: the compiler refused a kernel's source; Detail has its messages.
	ErrCompile = driver.ErrCompile
	// ErrNoKernel: a module has no function of that name.
	ErrNoKernel = driver.ErrNoKernel
	// ErrFault: a kernel failed while it ran, for example by touching memory that is not allocated.
	ErrFault = driver.ErrFault
	// ErrLost: the driver refuses every call for the device since one has failed. Open opens it again.
	ErrLost = driver.ErrLost
	// ErrInterrupted: Device.Interrupt ended a kernel.
	ErrInterrupted = driver.ErrInterrupted
	// ErrInvalid: an argument is wrong; the program has to be changed.
	ErrInvalid = driver.ErrInvalid
	// ErrUnsupported: the device, the library or the code object cannot do that.
	ErrUnsupported = driver.ErrUnsupported
)

// Error is a failed operation of this package.
type Error struct {
	Op     string // the driver call, or what was attempted: hipModuleLoadData, open cuda
	Code   int    // the driver's number, 0 when no driver call failed
	Name   string // the driver's name of the code: hipErrorNoBinaryForGpu
	Text   string // what is wrong
	Detail string // facts and what to do; may have several lines
	Kind   error  // one of the Err values, or nil
	// what Compile was given: of kind ErrCompile, where the lines of Messages are its lines, and of kind ErrFault where
	// Line is known
	Source string
	Line   int // of kind ErrFault: the line of Source whose instruction failed, from 1; 0 where it is not known

	sourceLine string // of the instruction of a kernel that failed, from the code object: file:line
}

// Error returns the whole message: call, name and number of the code, text, detail.
func (e *Error) Error() string {
	return (&driver.Error{Op: e.Op, Code: e.Code, Name: e.Name, Text: e.Text, Detail: e.Detail}).Error()
}

// Unwrap returns the kind, so that errors.Is finds it.
func (e *Error) Unwrap() error { return e.Kind }

// public converts a *driver.Error, the type of errors of the packages below, to an *Error. It returns other errors as
// they are.
func public(err error) error {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, err := range list.Unwrap() {
			all = append(all, public(err))
		}
		return errors.Join(all...)
	}
	e, ok := err.(*driver.Error)
	if !ok {
		return err
	}
	return &Error{Op: e.Op, Code: e.Code, Name: e.Name, Text: e.Text, Detail: e.Detail, Kind: e.Kind,
		sourceLine: e.SourceLine}
}

func invalid(op, format string, args ...any) error {
	return &Error{Op: op, Text: fmt.Sprintf(format, args...), Kind: ErrInvalid}
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
