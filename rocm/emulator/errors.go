package emulator

import (
	"fmt"
	"strings"

	"github.com/gorocm/gorocm/rocm/emulator/internal/memory"
)

// HIP error codes that an Error carries.
const (
	CodeInvalidValue         = 1   // hipErrorInvalidValue
	CodeOutOfMemory          = 2   // hipErrorOutOfMemory
	CodeInvalidConfiguration = 9   // hipErrorInvalidConfiguration
	CodeInvalidDevicePointer = 17  // hipErrorInvalidDevicePointer
	CodeInvalidImage         = 200 // hipErrorInvalidImage
	CodeNoBinaryForGPU       = 209 // hipErrorNoBinaryForGpu
	CodeNotFound             = 500 // hipErrorNotFound
	CodeIllegalAddress       = 700 // hipErrorIllegalAddress
	CodeLaunchFailure        = 719 // hipErrorLaunchFailure
)

// Error is what every function of this package returns when it fails.
type Error struct {
	// Code is the HIP error code that a GPU's driver would give.
	Code int
	// Op is the call that failed: malloc, load, launch, ….
	Op string
	// Kernel is the kernel that was running or asked for, if any.
	Kernel string
	// Address is the device address that the error is about, if any.
	Address uint64
	// Message says what is wrong, with the facts.
	Message string
	// Source is the line of the kernel's source that an instruction which failed comes from, "saxpy.hip:7", where the
	// code object tells.
	Source string
	// Interrupted reports that a launch was ended by Interrupt.
	Interrupted bool

	trapped bool // the kernel ended itself
}

// Error returns the call, the kernel and the message.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("emulator: ")
	b.WriteString(e.Op)
	if e.Kernel != "" {
		b.WriteString(" " + e.Kernel)
	}
	b.WriteString(": " + e.Message)
	return b.String()
}

// memoryError is the error of a call that device memory refuses.
func memoryError(op string, err error) error {
	e, ok := err.(*memory.Error)
	switch {
	case !ok:
		return err
	case e.Full:
		return errorf(CodeOutOfMemory, op, "%s", e.Message)
	}
	wrong := errorf(CodeInvalidDevicePointer, op, "%s", e.Message)
	wrong.Address = e.Address
	return wrong
}

func errorf(code int, op, format string, args ...any) *Error {
	return &Error{Code: code, Op: op, Message: fmt.Sprintf(format, args...)}
}
