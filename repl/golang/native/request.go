package native

import (
	"reflect"
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

// request is what Go code does for generated code, with the values that it is about. The collector sees them: generated
// code may hold them no more.
type request struct {
	s    *stop
	h    *Host
	p    *Program
	a, b sliceWords // operands, and the result in a
	n    int        // a number that is the result

	out *callOut
}

// sliceWords are those of a slice. A string has no cap, a pointer only data.
type sliceWords struct {
	data     unsafe.Pointer
	len, cap int
}

// begin takes the operands from the context, while the goroutine is pinned.
func (w *request) begin(c *enter.Context) {
	switch w.s.code {
	case leaveDefer:
		w.a.data = *c.Pointer(enter.ArgsAt)
	case leaveThrow, leaveMove:
		w.a.data, w.b.data = *c.Pointer(enter.ArgsAt), *c.Pointer(enter.ArgsAt + 8)
	case leaveStub:
		w.out = newCallOut(w.p.proc(w.s.aux.(int)), c)
	case leaveGrow, leaveAppend, leaveCopy:
		w.a = sliceWords{*c.Pointer(enter.ArgsAt), c.Arg(1), c.Arg(2)}
		if w.s.code == leaveGrow {
			w.n = c.Arg(3)
			return
		}
		w.b = sliceWords{*c.Pointer(enter.ArgsAt + 24), c.Arg(4), c.Arg(4)}
	case leaveConcat:
		w.a = sliceWords{data: *c.Pointer(enter.ArgsAt), len: c.Arg(1)}
		w.b = sliceWords{data: *c.Pointer(enter.ArgsAt + 16), len: c.Arg(3)}
	}
}

// do does it.
func (w *request) do(c *enter.Context) {
	slice := func(s *sliceWords) reflect.Value {
		return reflect.NewAt(w.s.aux.(reflect.Type), unsafe.Pointer(s)).Elem()
	}
	switch w.s.code {
	case leaveDefer:
		c.RoomForDeferred()
	case leaveThrow:
		var v any
		*(*[2]unsafe.Pointer)(unsafe.Pointer(&v)) = [2]unsafe.Pointer{w.a.data, w.b.data}
		panic(v)
	case leaveMove:
		t := w.s.aux.(reflect.Type)
		reflect.NewAt(t, w.a.data).Elem().Set(reflect.NewAt(t, w.b.data).Elem())
	case leaveMake:
		w.a.data = w.h.makeSlice(c, w.s.aux.(reflect.Type))
	case leaveNew:
		w.a.data = w.h.newVariable(w.s.aux.(reflect.Type))
	case leaveGrow:
		w.checkGrowth(w.n)
		slice(&w.a).Grow(w.n)
	case leaveAppend:
		if w.a.len+w.b.len > w.a.cap {
			w.checkGrowth(w.b.len)
		}
		v := slice(&w.a)
		v.Set(reflect.AppendSlice(v, slice(&w.b)))
	case leaveCopy:
		w.n = reflect.Copy(slice(&w.a), slice(&w.b))
	case leaveConcat:
		text := func(s sliceWords) string { return unsafe.String((*byte)(s.data), s.len) }
		w.h.CheckMake(w.a.len+w.b.len, w.a.len+w.b.len, 1)
		s := text(w.a) + text(w.b)
		w.a = sliceWords{data: unsafe.Pointer(unsafe.StringData(s)), len: len(s)}
	default:
		fail(w.s, c)
	}
}

// checkGrowth looks whether the slice may get n more elements.
func (w *request) checkGrowth(n int) {
	n += w.a.len
	w.h.CheckMake(n, n, w.s.typ.Size)
}

// end puts the results into the context, while the goroutine is pinned.
func (w *request) end(c *enter.Context) {
	result := func(i int) *uint64 { return c.Word(enter.ResultsAt + 8*i) }
	switch w.s.code {
	case leaveStub:
		w.out.finish(c)
	case leaveCopy:
		*result(0) = uint64(w.n)
	case leavePoll, leaveAsk:
	case leaveDefer:
		w.s.quick(c)
	default:
		*result(0), *result(1), *result(2) = uint64(uintptr(w.a.data)), uint64(w.a.len), uint64(w.a.cap)
	}
}
