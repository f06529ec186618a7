// Package quick is what Go code does for generated code in little time: it allocates and copies small pieces of memory,
// and calls functions of compiled packages that neither wait nor panic, take little time for short arguments and
// allocate little.
//
// A Func is called while the goroutine is pinned (see package enter), which saves listing the pointers that generated
// code holds. The runtime begins no collection then, and asks for no help with one; so what is allocated is counted
// (Context.Spend), and after some of it a Func refuses, to be done while the goroutine is not pinned.
package quick

import (
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

// Func does something with the words that generated code has left, and leaves the results. It reports false, and has
// done nothing, where it is to be done while the goroutine is not pinned.
type Func func(*enter.Context) bool

// Address is that of the function value, as generated code passes it to Go code.
func (f Func) Address() unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&f)) }

// Most is how many bytes of arguments, or of memory, are few.
const Most = 1 << 10

// step is counted for a call that allocates nothing: code that calls again and again is to be interrupted some time.
const step = 32
