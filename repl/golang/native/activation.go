package native

import (
	"sync/atomic"
	"unsafe"
)

// Activation is what a frame of foreign has on the stack, for whoever walks it to find the functions of generated code
// that have made the call.
type Activation struct {
	magic    uintptr // Magic
	r        *running
	finished bool // so that it is in memory: a deferred call reads it
}

// Magic begins an Activation. It is neither an address nor a likely number.
const Magic = 0x9e3779b97f4a7c15 >> (64 - 8*unsafe.Sizeof(uintptr(0)))

// ActivationFrame is the function whose frames have activations.
const ActivationFrame = "github.com/gorocm/gorocm/repl/golang/native.(*Proc).foreign"

// Frames are the functions of generated code that have made the call, the innermost first.
func (a *Activation) Frames() []Frame { return frames(a.r.Context) }

// TryActivation calls f as generated code does, with the address of nothing, and tells it what recognises the
// activation of the call.
func TryActivation(f func(is func(*Activation) bool)) {
	r := new(running)
	call := &foreign{do: func(unsafe.Pointer) { f(func(a *Activation) bool { return a.r == r }) }}
	new(Proc).foreign(call, nil, r, &Host{Stops: new(atomic.Int32)}, 0)
}
