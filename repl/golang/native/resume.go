package native

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
)

// resume goes on for generated code that Go code has called as a function value and that has left. The goroutine is
// pinned, and Go code takes the caller of resume for what it has called. It reports whether there are results; then the
// goroutine is pinned again.
func (r *running) resume() bool {
	r.waits.Load() // so that the race detector sees that wait was before
	c := *(**closure)(unsafe.Pointer(r.Pointer(enter.ClosureAt)))
	p, s := c.proc, c.called
	if r.Outermost() == s.ret {
		r.Base(s.slow)
	}
	r.LeaveBy(gate.leave, gate.request, gate.fewer)
	r.place = int(uintptr(*r.Word(enter.SlotAt))-contexts.address(0))/8 + 1
	finished := r.serve(p, s.done, p.of.host, stackUsed())
	runtime.KeepAlive(c)
	return finished
}

// finish gives the context back once the results have been taken from it.
func (r *running) finish() {
	if i := r.place; i != 0 { // it has run pinned all the time
		r.place = 0
		clear(r.memories[:])
		r.wait(i - 1)
		enter.Unpin()
		return
	}
	enter.Unpin()
	r.end()
}

// leavePlace has another context wait in the place of this one, whose goroutine may now call any function.
func (r *running) leavePlace() {
	if i := r.place; i != 0 {
		r.place = 0
		fillContext(i - 1)
	}
}

// stackUsed is how much of the stack of its goroutine the caller uses.
//
//go:noinline
func stackUsed() uintptr {
	var here byte
	g := enter.Goroutine()
	high := *(*uintptr)(unsafe.Add(*(*unsafe.Pointer)(unsafe.Pointer(&g)), enter.StackHighAt))
	return high - uintptr(unsafe.Pointer(&here))
}

// resultForms are the forms of results that function values may have: for each the function that makes the closures
// which resume, and where it is. knowForms fills them.
var resultForms struct {
	make  []func(*running) unsafe.Pointer
	index map[string]int
}

// resultForm spells results: a pointer or an integer each, then the floats, which have registers of their own.
func resultForm(kinds []ir.Kind) string {
	var ints, floats []byte
	for _, k := range kinds {
		switch {
		case k == ir.Ptr:
			ints = append(ints, 'p')
		case k.IsFloat():
			floats = append(floats, 'x')
		default:
			ints = append(ints, 'n')
		}
	}
	return string(ints) + string(floats)
}

type none = struct{}

// knowForms fills resultForms.
var knowForms = sync.OnceFunc(func() {
	resultForms.index = map[string]int{}
	addFloats[none]("")
	addOne[uintptr]("n")
	addOne[unsafe.Pointer]("p")
	type n = uintptr
	type p = unsafe.Pointer
	addResults[struct {
		a    p
		b, c n
		d, e p
	}]("pnnpp")
	addResults[struct {
		a, b    n
		c, d, e p
	}]("nnppp")
	addResults[struct{ a, b, c float64 }]("xxx")
	addResults[struct{ a, b, c, d float64 }]("xxxx")
})

func addOne[A any](a string) {
	addFloats[A](a)
	addTwo[A, uintptr](a + "n")
	addTwo[A, unsafe.Pointer](a + "p")
}

func addTwo[A, B any](ab string) {
	addFloats[struct {
		a A
		b B
	}](ab)
	addThree[A, B, uintptr](ab + "n")
	addThree[A, B, unsafe.Pointer](ab + "p")
}

func addThree[A, B, C any](abc string) {
	addFloats[struct {
		a A
		b B
		c C
	}](abc)
	addFour[A, B, C, uintptr](abc + "n")
	addFour[A, B, C, unsafe.Pointer](abc + "p")
}

func addFour[A, B, C, D any](abcd string) {
	addResults[struct {
		a A
		b B
		c C
		d D
	}](abcd)
}

// addFloats adds results with none to two floats behind them.
func addFloats[I any](ints string) {
	addResults[I](ints)
	addResults[struct {
		i I
		x float64
	}](ints + "x")
	addResults[struct {
		i    I
		x, y float64
	}](ints + "xx")
}

func addResults[R any](form string) {
	if len(resultForms.make) == enter.MaxForms {
		panic("native: a context has too little room for the forms of results")
	}
	resultForms.index[form] = len(resultForms.make)
	resultForms.make = append(resultForms.make, resuming[R])
}

// resuming makes the closure that takes the place of a call whose results are R: words, as the
// context has them: those of floats behind the others.
//
//go:noinline
func resuming[R any](r *running) unsafe.Pointer {
	f := func() (out R) {
		if r.resume() {
			out = *(*R)(unsafe.Pointer(r.Word(enter.ResultsAt)))
			r.finish()
		}
		return out
	}
	return *(*unsafe.Pointer)(unsafe.Pointer(&f))
}
