package native

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

// contexts are those that wait for Go code to call a function value.
var contexts waiting

// waiting has contexts at places. The code of a function value takes one, whose place is 0 until it has returned, or
// until the goroutine may call other function values: then another context has come to the place. So as many are away
// as threads run generated code, or a moment of Go code.
type waiting struct {
	sync.Once
	open   atomic.Bool
	shared int // the first places are for all threads
	// Behind them there are two words for each thread that has called Go code: its address, and its place.
	words []uintptr
	of    []atomic.Pointer[running] // those that words stand for
}

// threads is how many threads have places of their own.
const threads = 64

func openContexts() {
	c := &contexts
	c.shared = 8
	if more := 4 * runtime.NumCPU(); more > c.shared {
		c.shared = 1 << bits.Len(uint(more-1))
	}
	n := c.shared + 2*threads
	c.words, c.of = make([]uintptr, n), make([]atomic.Pointer[running], n)
	for i := range c.shared {
		fillContext(i)
	}
	c.open.Store(true)
}

// address is that of a word.
func (c *waiting) address(i int) uintptr { return uintptr(unsafe.Pointer(&c.words[i])) }

// openThread gives the thread of the calling goroutine, which is about to call Go code, a place of its own.
func (c *waiting) openThread() {
	if !c.open.Load() {
		return
	}
	enter.Pin()
	thread := enter.Thread()
	enter.Unpin()
	i := c.shared + 2*int(thread>>enter.ThreadBits%threads)
	if atomic.LoadUintptr(&c.words[i]) == 0 && atomic.CompareAndSwapUintptr(&c.words[i], 0, thread) {
		fillContext(i + 1)
	}
}

// fillContext puts a context to a place that its last one has left.
func fillContext(i int) {
	r := idle.Get().(*running)
	if r.forms == nil {
		r.forms = make([]unsafe.Pointer, len(resultForms.make))
		for k, form := range resultForms.make {
			r.forms[k] = form(r)
			*r.Word(enter.FormsAt + 8*k) = uint64(uintptr(r.forms[k]))
		}
	}
	r.wait(i)
}

// wait puts a context to its place.
func (r *running) wait(i int) {
	r.Reset()
	r.LeaveBy(gate.resume, gate.resume, gate.resume)
	*r.Word(enter.SlotAt) = uint64(contexts.address(i))
	r.waits.Add(1)
	contexts.of[i].Store(r)
	atomic.StoreUintptr(&contexts.words[i], uintptr(unsafe.Pointer(r.Word(0))))
}
