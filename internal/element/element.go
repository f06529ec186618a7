// Package element has functions over elements: what tensor.Map takes. A session makes machine code and device code of a
// function in a cell; package tensor, which knows no sessions, runs them. Both know this package.
package element

import (
	"reflect"
	"sync/atomic"
	"unsafe"
)

// MaxInputs and MaxCaptured bound the parameters of a function and the variables that it captures.
const (
	MaxInputs   = 8
	MaxCaptured = 16
)

// Function is a function of scalars in one call of tensor.Map.
type Function struct {
	Func     reflect.Value // the function, which captures its variables itself
	Captured []uint64      // the variables that Code gets as arguments, extended to 64 bits as their types say
	Code     *Code
}

// Code is what a session has made of a function. Several goroutines use it.
type Code struct {
	Place string // where the function is: cell[1], line 2
	// Loop runs machine code for the elements of a block, on the goroutine of the cell. It panics as the function does.
	// It is nil where there is no machine code; NoLoop says why.
	Loop func(b *Block)
	// Try is Loop for any goroutine. It reports false where the function has panicked, and returns soon after stopped
	// reports true. With a nil stopped, the calling goroutine is one of the session's, which the session stops.
	Try    func(b *Block, stopped func() bool) bool
	NoLoop *Reason
	// Device returns the device code, or why there is none. It follows later versions of the functions that the function
	// calls.
	Device func() (*Device, *Reason)

	noted atomic.Bool
}

// FirstNote reports whether nobody has been told yet that the function is slow, and that it has been said from now on.
func (c *Code) FirstNote() bool { return !c.noted.Swap(true) }

// Reason is what of a function is not compiled, and where.
type Reason struct{ What, Place string }

// Device is the device code of a function, in the C++ of package kernels.
type Device struct {
	// Source declares DEV Result element(parameters, captured variables, bool& failed), and what it calls.
	Source    string
	MayFail   bool // it may set failed, where the function panics
	UsesMath  bool // it calls functions of math.h and functions.h
	Captured  []string
	Operation string // the name of the kernel
}

// Block is what machine code for elements gets: N elements, each input with its step in elements.
type Block struct {
	N        int64
	Out      unsafe.Pointer
	In       [MaxInputs]unsafe.Pointer
	Step     [MaxInputs]int64
	Captured [MaxCaptured]uint64
}
