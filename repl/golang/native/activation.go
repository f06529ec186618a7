package native

import "unsafe"

// Activation is what a frame of calling has on the stack, for whoever walks it to find the functions of generated code
// that have made the call.
type Activation struct {
	magic uintptr // Magic
	r     *running
}

// Magic begins an Activation. It is neither an address nor a likely number.
const Magic = 0x9e3779b97f4a7c15 >> (64 - 8*unsafe.Sizeof(uintptr(0)))

// ActivationFrame is the function whose frames have activations.
const ActivationFrame = "github.com/gorocm/gorocm/repl/golang/native.calling"

// calling makes a call for generated code that may lead to functions of cells.
//
//go:noinline
func calling(r *running, do func(unsafe.Pointer), memory unsafe.Pointer) {
	a := Activation{Magic, r}
	inMemory(&a)
	do(memory)
	inMemory(&a)
}

// inMemory has a variable be in memory, and not in registers.
//
//go:noinline
func inMemory(*Activation) {}

// Frames are the functions of generated code that have made the call, the innermost first.
func (a *Activation) Frames() []Frame { return frames(a.r.Context) }

// TryActivation calls f as generated code does, and tells it what recognises the activation of the call.
func TryActivation(f func(is func(*Activation) bool)) {
	r := new(running)
	calling(r, func(unsafe.Pointer) { f(func(a *Activation) bool { return a.r == r }) }, nil)
}
