package native

import (
	"reflect"
	"runtime"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

// leaveCode is what generated code is left for.
type leaveCode int

const (
	leaveDone     leaveCode = iota // the function has returned
	leaveCall                      // nothing: what is called has left
	leaveStub                      // a function that is not compiled is called
	leavePoll                      // the runtime wants the goroutine, or the stack is full
	leaveQuick                     // Go code computes something at once: aux is a quick.Func
	leaveDefer                     // aux is a quick.Func for deferred calls
	leavePointer                   // the second word is stored where the first points to
	leaveMake                      // a slice is made: aux is its reflect.Type
	leaveNew                       // a variable is allocated: aux is its reflect.Type
	leaveGrow                      // a slice gets room for more elements: aux is its reflect.Type
	leaveAppend                    // a slice is appended to another: aux is their reflect.Type
	leaveCopy                      // a slice is copied to another: aux is their reflect.Type
	leaveMove                      // a value is copied: aux is its reflect.Type
	leaveConcat                    // two strings are joined
	leaveAsk                       // Go code calls a function value with much stack in use, or goroutines are to stop
	leaveForeign                   // a compiled function is called: aux is a *foreign
	leaveRun                       // the same: it runs the body of a function that defers
	leaveNil                       // the panics
	leaveReceiver                  // aux is the text
	leaveIndex                     // aux: whether the index is signed
	leaveSlice                     // aux is a slicePanic
	leaveDivide
	leaveShift
	leaveLoop  // the body of a loop over a function is called too late: the word is what the loop is doing
	leavePanic // with the value aux
	leaveThrow // with the interface whose words are given
)

const maxInts, maxFloats, maxWords = enter.NumInts, enter.NumFloats, enter.MaxWords

// fail panics as Go does.
func fail(s *stop, c *enter.Context) {
	a, b := c.Arg(0), c.Arg(1)
	switch s.code {
	case leaveNil:
		var p *int
		*p = 0
	case leaveReceiver:
		panic(nilReceiver(s.aux.(string)))
	case leaveIndex:
		none := make([]struct{}, b)
		if signed, _ := s.aux.(bool); !signed {
			_ = none[uint(a)]
		}
		_ = none[a]
	case leaveSlice:
		if p := s.aux.(slicePanic); p.signed || a >= 0 {
			failSlice(p.form, a, b)
		} else {
			failSlice(p.form, uint(a), b)
		}
	case leaveDivide:
		zero := a
		_ = 1 / zero
	case leaveShift:
		_ = 1 << a
	case leaveLoop:
		failLoop(a)
	case leavePanic:
		panic(s.aux)
	}
	panic("native: generated code was left for no reason") // cannot happen
}

// nilReceiver is the panic of a method that takes a value and is called, through an interface, with a nil pointer.
type nilReceiver string

func (e nilReceiver) Error() string { return string(e) }

// RuntimeError marks a runtime.Error.
func (nilReceiver) RuntimeError() {}

// failSlice panics for a bound whose type says how the runtime prints it.
func failSlice[T int | uint](form sliceForm, a T, b int) {
	switch form {
	case sliceCapacity:
		_ = make([]struct{}, 0, b)[:a]
	case sliceLength:
		var x byte
		_ = unsafe.String(&x, b)[:a]
	case sliceLow:
		_ = make([]struct{}, b)[a:]
	case slice3Capacity:
		_ = make([]struct{}, 0, b)[0:0:a]
	case slice3High:
		_ = make([]struct{}, 0, b)[:a:b]
	case slice3Low:
		_ = make([]struct{}, b)[a:b:b]
	}
}

// gather lists the pointers that generated code holds, so that the collector sees them, and the versions of the
// functions that it is in.
func gather(c *enter.Context, list []unsafe.Pointer) []unsafe.Pointer {
	words := c.Frame()
	s := stopAt(uintptr(words[0]))
	list = append(list, *(*unsafe.Pointer)(unsafe.Pointer(&s.version)))
	for i := range s.pointers {
		if p := &s.pointers[i]; p.InRegister {
			list = append(list, *c.Pointer(enter.IntsAt + 8*p.At))
		}
	}
	for at := words[0]; ; {
		words = words[1:]
		for i := range s.pointers {
			if p := &s.pointers[i]; !p.InRegister {
				list = append(list, *(*unsafe.Pointer)(unsafe.Pointer(&words[p.At/8])))
			}
		}
		words = words[s.frame/8:]
		if s.bottom {
			return list
		}
		if words[0] != at { // a recursion comes from the same place again and again
			at = words[0]
			s = stopAt(uintptr(at))
			list = append(list, *(*unsafe.Pointer)(unsafe.Pointer(&s.version)))
		}
	}
}

// makeSlice allocates what generated code asks for.
func (h *Host) makeSlice(c *enter.Context, t reflect.Type) unsafe.Pointer {
	n, room := c.Arg(0), c.Arg(1)
	h.CheckMake(n, room, int(t.Elem().Size()))
	return reflect.MakeSlice(t, n, room).UnsafePointer()
}

// newVariable allocates a variable. One of an array stands for a slice that is made.
func (h *Host) newVariable(t reflect.Type) unsafe.Pointer {
	if t.Kind() == reflect.Array {
		h.CheckMake(t.Len(), t.Len(), int(t.Elem().Size()))
	}
	return reflect.New(t).UnsafePointer()
}

// yield lets other goroutines run, and the collector.
func yield() { runtime.Gosched() }
