// Package enter runs generated machine code beside the Go runtime.
//
// # Invariants
//
// Stacks. Generated code runs on a stack of its own, which is an ordinary slice of words to the collector, and holds no
// address in any stack: so both stacks may grow, shrink and move while Go code runs. No Go code runs above a frame of
// generated code: where that needs Go, it leaves. It saves its registers in the context and returns to Enter; Go code
// does what is wanted and enters again. So the runtime never meets a frame that it does not know: tracebacks,
// runtime.Callers, goroutine profiles and the execution tracer see the callers of Enter. A function that calls others
// checks its stack, and leaves for a larger one; the margin has room for one that does not check.
// One thing of the runtime runs there, without being entered as Go code: the assembly that hashes keys of maps
// (maps_amd64.go). It has no frame, calls nothing and reads only the key. The runtime stops no goroutine in
// assembly, and a profile that finds it there has no callers for it. On Windows a profile takes the goroutine from the
// stack, so that nothing of the runtime's runs there: keys are hashed by Go code.
//
// Preemption. The runtime cannot stop a goroutine at an instruction that it does not know: its signals for that find an
// address outside all functions, and a pinned goroutine besides, and are ignored. So generated code looks, in every
// loop and at the start of functions that call others, at the word that the prologue of each Go function looks at, and
// leaves when the runtime asks. A prologue of Go code that runs while the goroutine is pinned clears that word without
// yielding. That delays a request, but loses none: those who ask (the collector for each stack, stopping the world, the
// monitor of running goroutines after 10 ms) ask again until the goroutine has stopped.
//
// Pinning. From before Enter until the caller has made the live pointers visible, the goroutine is pinned (the thread
// counts as holding a lock): nothing stops it, so no stack is scanned in between, and no collection begins. Go code
// that runs pinned must not block, since the runtime ends a process whose goroutine waits with a lock held: it takes no
// mutex, uses no channel, and calls reflect only for types whose pointer types are known. It may allocate, and its
// stack may grow; as the runtime neither begins a collection nor asks for help with one there, it does so for small
// objects, and unpinned for one of them in every few kilobytes. It must not panic: pointers are checked before it
// stores through them. Compiled functions are called so only if they are listed as doing none of this (package quick),
// and what they return is not in the memory of a frame.
//
// Requests. What is done so is called by generated code itself (RequestAt): it saves its registers and jumps, on the
// stack of Go, to a Go function, for which the assembly that has called the gate is the caller. Where that returns
// true, the assembly enters again; otherwise Enter returns. So that the stack can move meanwhile, the assembly has a
// map of its pointers, and the gate notes anew where the stack is. Code that Go code calls as a function value has no
// such caller below it: there the first request is left for as anything else is.
//
// Calls by Go code. Go code may call generated code as a function value, without Enter. Such code runs on the stack of
// Go, as a function without a frame, until it has taken a context that waits, and after it has given it back; the
// goroutine is not pinned, but nothing stops it in generated code, nor in between. Where it leaves, it counts the pin
// itself (Locks) and goes on, on the stack of Go and in place of the call, with a closure of Go code without
// parameters: tracebacks see that one called by the caller. From there on all holds that is said of code that Enter
// runs.
// What is called needs no memory of the caller but the return address. A function without parameters and results is not
// called so: a go statement would begin a goroutine with it, whose stack the collector may look at before it runs.
//
// The collector. It does not look at the stack of generated code, nor at its registers. Which words are pointers is
// known at each place at which generated code is left; the caller keeps them in variables of its own while it is not
// pinned. So a goroutine is scanned with all pointers that it holds, as one of Go code is. A pointer that generated
// code loads after that was reachable when it was loaded, and what overwrites it in memory tells the collector:
// generated code stores no pointers while the collector marks (Barrier), Go code does then, with the compiler's write
// barrier. Marking begins and ends only while no goroutine runs, so it does neither between looking and storing.
// Generated code holds no pointer past the end of a variable, and none that is an integer while Go code runs unpinned.
//
// Panics and runtime.Goexit. They begin in Go code that generated code was left for, unpinned. They unwind the frames
// of Go code; the context with the frames of generated code is dropped, once the calls have been made that these have
// deferred. The runtime ends a process whose goroutine panics while it is pinned.
//
// Faults. Memory is accessed only after a check: a fault at an unknown address would end the process, as one in Go code
// ends it that does not come from a nil pointer.
//
// Signals. Handlers run on the stack for signals and find the goroutine by its thread, not by a register. A profiling
// signal finds an unknown address, which is counted as external code.
//
// Debuggers do not know generated code: they show the goroutine at an unknown address, without callers.
//
// The race detector does not see what generated code reads and writes.
//
// Other threads see code before they can call it: its address is stored atomically after it has been written. Memory
// for code is mapped twice, once to be written and once to be executed (where that is not allowed, it is written first
// and executable then): no address allows both.
//
// Memory of code is used again when the collector has found that nothing refers to the version of the function (see
// package native, release.go), so a goroutine may run a version for as long as it likes. The address of code in a
// register is as any other pointer there: it was loaded from the word that calls go through, the version is kept until
// that word has another address, no collection begins or ends while the goroutine is in generated code, and where it is
// left, Go code has the versions of all frames. Before other code runs that was written to such memory, all threads are
// made to fetch instructions anew (membarrier).
//
// Unsupported compares the runtime with what is assumed here: the release, the words with which a goroutine begins, and
// that the value which generated code looks for has a prologue yield.
package enter

import "unsafe"

// Memory is memory that has code: the address that Map has returned, and the length of the code.
type Memory struct {
	At   uintptr
	Size int
}

// Context is what generated code shares with Go code: see layout.go. It holds no pointers that the collector sees.
type Context struct {
	words    [size / 8]uint64
	stack    []uint64
	deferred deferred
}

// startWords is how large a stack is at first.
const startWords = (16 << 10) / 8

// NewContext makes a context whose code compares texts by the code at an address.
func NewContext(compare uintptr) *Context {
	c := &Context{stack: make([]uint64, startWords)}
	c.words[CompareAt/8] = uint64(compare)
	c.Reset()
	return c
}

// LeaveBy sets the addresses of the code that leaves: for anything, and for requests.
func (c *Context) LeaveBy(leave, request, fewer uintptr) {
	c.words[LeaveAt/8], c.words[RequestAt/8], c.words[FewerAt/8] = uint64(leave), uint64(request), uint64(fewer)
}

// Reset empties the stack.
func (c *Context) Reset() {
	c.words[SpentAt/8] = 0
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

// Base has the outermost frame return to an address.
func (c *Context) Base(address uintptr) { c.stack[len(c.stack)-1] = uint64(address) }

// Outermost is the address that the outermost frame returns to.
func (c *Context) Outermost() uintptr { return uintptr(c.stack[len(c.stack)-1]) }

// Large reports whether the stack has become so large that it is not worth keeping.
func (c *Context) Large() bool { return len(c.stack) > 16*startWords }
