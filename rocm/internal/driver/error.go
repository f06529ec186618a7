package driver

import (
	"errors"
	"fmt"
	"strings"
)

// The kinds of errors, for errors.Is. Every error of this package is an *Error; most have one of these kinds.
var (
	// ErrNoDevice: there is no such device on this machine.
	ErrNoDevice = errors.New("no such device")
	// ErrNoLibrary: a driver or compiler library could not be loaded.
	ErrNoLibrary = errors.New("library not found")
	// ErrOutOfMemory: the device has too little free memory, even after unused memory was collected.
	ErrOutOfMemory = errors.New("out of device memory")
	// ErrCompile: the compiler refused a kernel's source; Detail has its messages.
	ErrCompile = errors.New("kernel does not compile")
	// ErrNoKernel: a module has no function of that name.
	ErrNoKernel = errors.New("no such kernel")
	// ErrFault: a kernel failed while it ran, for example by touching memory that is not allocated.
	ErrFault = errors.New("kernel fault")
	// ErrLost: the driver refuses every call for the device since one has failed.
	ErrLost = errors.New("device lost")
	// ErrInterrupted: Device.Interrupt ended a kernel.
	ErrInterrupted = errors.New("interrupted")
	// ErrInvalid: an argument is wrong; the program has to be changed.
	ErrInvalid = errors.New("invalid argument")
	// ErrUnsupported: the device, the library or the code object cannot do that.
	ErrUnsupported = errors.New("not supported")
)

// Code is a hipError_t or CUresult, 0 for success. HIP and the CUDA driver share the numbers below.
type Code int32

// The codes that the runtime tests for.
const (
	CodeInvalidValue    Code = 1
	CodeOutOfMemory     Code = 2
	codeNoDevice        Code = 100
	CodeInvalidDevice   Code = 101
	CodeInvalidImage    Code = 200
	CodeNoBinary        Code = 209
	CodeNotFound        Code = 500
	CodeNotReady        Code = 600
	CodeIllegalAddress  Code = 700
	CodeLaunchResources Code = 701
	codeLaunchFailure   Code = 719
	CodeTooLarge        Code = 720 // hipErrorCooperativeLaunchTooLarge
)

// lossCodes are those after which a GPU may be lost to the process: a fault whose code every later call repeats, memory
// that cannot be corrected, a context that is destroyed, a GPU that was reset or taken away. The names are CUDA's, and
// HIP has the same numbers.
var lossCodes = map[Code]bool{
	4:                  true, // DEINITIALIZED
	46:                 true, // DEVICE_UNAVAILABLE
	codeNoDevice:       true,
	CodeInvalidDevice:  true,
	214:                true, // ECC_UNCORRECTABLE
	220:                true, // NVLINK_UNCORRECTABLE
	CodeIllegalAddress: true,
	702:                true, // LAUNCH_TIMEOUT
	709:                true, // CONTEXT_IS_DESTROYED
	710:                true, // ASSERT
	714:                true, // HARDWARE_STACK_ERROR
	715:                true, // ILLEGAL_INSTRUCTION
	716:                true, // MISALIGNED_ADDRESS
	717:                true, // INVALID_ADDRESS_SPACE
	718:                true, // INVALID_PC
	codeLaunchFailure:  true,
	999:                true, // UNKNOWN
}

// MayBeLost reports whether a GPU may be lost after a call that returned the code.
func MayBeLost(c Code) bool { return lossCodes[c] }

// Error is a failed operation of this package or of a package that uses it. Package rocm converts it to *rocm.Error.
type Error struct {
	Op     string // the driver call, or what was attempted: hipModuleLoadData, open cuda
	Code   int    // the driver's number, 0 when no driver call failed
	Name   string // the driver's name of the code: hipErrorNoBinaryForGpu
	Text   string // what is wrong
	Detail string // facts and what to do; may have several lines
	Kind   error  // one of the Err values, or nil

	SourceLine string   // of the instruction of a kernel that failed, from the code object: file:line
	Tried      []string // the names of a library that could not be loaded
}

// Error returns the whole message: call, name and number of the code, text, detail.
func (e *Error) Error() string {
	var s strings.Builder
	s.WriteString("rocm: ")
	s.WriteString(e.Op)
	if e.Name != "" {
		fmt.Fprintf(&s, ": %s (%d)", e.Name, e.Code)
	}
	if e.Text != "" {
		s.WriteString(": " + e.Text)
	}
	if e.Detail != "" {
		s.WriteString("\n  " + strings.ReplaceAll(strings.TrimRight(e.Detail, "\n"), "\n", "\n  "))
	}
	return s.String()
}

// Unwrap returns the kind, so that errors.Is finds it.
func (e *Error) Unwrap() error { return e.Kind }

// Kinds are the kinds of the driver's codes; hints tell users what to do.
var Kinds = map[Code]error{
	CodeInvalidValue: ErrInvalid, 9: ErrInvalid, CodeOutOfMemory: ErrOutOfMemory, codeNoDevice: ErrNoDevice, CodeInvalidDevice: ErrNoDevice,
	CodeInvalidImage: ErrUnsupported, CodeNoBinary: ErrUnsupported, 218: ErrUnsupported, 222: ErrUnsupported, 801: ErrUnsupported,
	CodeTooLarge: ErrInvalid,
	CodeNotFound: ErrNoKernel, CodeIllegalAddress: ErrFault, CodeLaunchResources: ErrInvalid, 702: ErrFault, 710: ErrFault, codeLaunchFailure: ErrFault,
}

var hints = map[Code]string{
	3:                   "the driver is not initialised; restart the session",
	9:                   "grid or block is outside of what the device takes",
	35:                  "the kernel driver is older than the library: update it",
	CodeNoBinary:        "the code object was built for another GPU",
	222:                 "NVRTC is newer than the driver: update the driver or use an older NVRTC",
	CodeIllegalAddress:  "a kernel touched memory that is not allocated; the device may be lost to this process",
	CodeLaunchResources: "the block is too large, or needs too many registers or too much shared memory",
	702:                 "a kernel ran longer than the system allows for a GPU that also draws the screen",
	codeLaunchFailure:   "a kernel stopped with a fault",
	803:                 "the CUDA library does not match the kernel driver: reboot, or reinstall the driver",
}

// Invalid is an error of kind ErrInvalid.
func Invalid(op, format string, args ...any) error {
	return &Error{Op: op, Text: fmt.Sprintf(format, args...), Kind: ErrInvalid}
}
