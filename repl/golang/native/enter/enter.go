// Package enter runs generated machine code beside the Go runtime.
//
// # Invariants
//
// Generated code runs on a stack of its own, which is an ordinary slice of words to the collector, and holds no address
// in any stack: so both stacks may move while Go code runs. No Go code runs above a frame of generated code: where that
// needs Go, it leaves. It saves its registers in the context and returns to Enter; Go code does what is wanted and
// enters again. So the runtime never meets a frame that it does not know.
//
// The runtime cannot stop a goroutine at an instruction that it does not know: its signals for that are ignored there.
// So generated code looks, in every loop and at the start of functions that call others, at the word that the prologue
// of each Go function looks at, and leaves when the runtime asks. Profiling signals find an unknown address and count
// it as that. The place of that word and its value are those of Go 1.26; TestStress hangs where they differ.
//
// The collector does not look at the stack of generated code, nor at its registers. From before Enter until the caller
// has made the live pointers visible, the goroutine is pinned: nothing can stop it, so no stack is scanned in between.
// Which words are pointers is known at each place at which generated code is left. Generated code stores no pointers:
// Go code does, with the write barrier of the compiler.
//
// Memory is accessed only after a check: a fault at an unknown address would end the process.
//
// Memory for code is written first and executable then, never both.
package enter

import "unsafe"

// Context is what generated code shares with Go code: see layout.go. It holds no pointers that the collector sees.
type Context struct {
	words [size / 8]uint64
	stack []uint64
}

// startWords is how large a stack is at first.
const startWords = (16 << 10) / 8

// NewContext makes a context whose code leaves by the given address.
func NewContext(leave uintptr) *Context {
	c := &Context{stack: make([]uint64, startWords)}
	c.words[LeaveAt/8] = uint64(leave)
	c.Reset()
	return c
}

// Reset empties the stack.
func (c *Context) Reset() {
	c.words[StackAt/8] = uint64(c.base()) + uint64(8*len(c.stack))
	c.words[LimitAt/8] = uint64(c.base()) + Margin
}

func (c *Context) base() uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(c.stack))) }

// Word is a word of the context, by its offset.
func (c *Context) Word(at int) *uint64 { return &c.words[at/8] }

// Pointer is a word of the context that is a pointer.
func (c *Context) Pointer(at int) *unsafe.Pointer {
	return (*unsafe.Pointer)(unsafe.Pointer(&c.words[at/8]))
}

// Push has the next Enter go on at an address.
func (c *Context) Push(address uintptr) {
	c.words[StackAt/8] -= 8
	c.stack[c.top()] = uint64(address)
}

// top is the index of the word on top of the stack.
func (c *Context) top() int { return int(c.words[StackAt/8]-uint64(c.base())) / 8 }

// Frame is the stack from its top: the first word is where the code goes on.
func (c *Context) Frame() []uint64 { return c.stack[c.top():] }

// At is the address at which generated code was left.
func (c *Context) At() uintptr { return uintptr(c.stack[c.top()]) }

// Used is how many bytes of the stack are in use.
func (c *Context) Used() int { return 8 * (len(c.stack) - c.top()) }

// NeedsStack reports whether less than the margin is left, as the function has found that has just left.
func (c *Context) NeedsStack() bool { return c.words[StackAt/8]+8 < c.words[LimitAt/8] }

// Grow makes the stack twice as large.
func (c *Context) Grow() {
	used := c.Frame()
	c.stack = make([]uint64, 2*len(c.stack))
	copy(c.stack[len(c.stack)-len(used):], used)
	c.words[StackAt/8] = uint64(c.base()) + uint64(8*(len(c.stack)-len(used)))
	c.words[LimitAt/8] = uint64(c.base()) + Margin
}

// Large reports whether the stack has become so large that it is not worth keeping.
func (c *Context) Large() bool { return len(c.stack) > 16*startWords }
