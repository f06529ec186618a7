package native

import (
	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

// leave ends the functions of generated code that a goroutine is in: a panic with the value v leaves them, or the
// goroutine ends, or they are to return at once; then v is nil. It makes the calls that they have deferred, which
// cannot recover, and panics in the end if there is a panic.
func (r *running) leave(h *Host, v any, used uintptr) {
	if v != nil {
		h.Panicking(v, frames(r.Context), used)
	}
	if calls := r.LeaveDeferred(); len(calls) > 0 {
		v = h.deferred(calls, v)
	}
	if v != nil {
		r.end()
		panic(v)
	}
}

// deferred makes deferred calls, and returns the value of the panic that is on its way then, nil for none.
func (h *Host) deferred(calls []func(int), v any) (next any) {
	defer func() { next = recover() }()
	h.Deferred(calls, v)
	return nil
}

// maxFrames is how many frames of a panic are told: the innermost and the outermost.
const maxFrames = 64

// frames are the functions of generated code that a goroutine is in.
func frames(c *enter.Context) (list []Frame) {
	add := func(f Frame) {
		if len(list) == maxFrames {
			copy(list[maxFrames/2:], list[maxFrames/2+1:])
			list = list[:maxFrames-1]
		}
		list = append(list, f)
	}
	var s *stop
	var last uint64
	for words, done := c.Frame(), false; !done; done = s.bottom {
		if words[0] != last || s == nil { // a recursion comes from the same place again and again
			last = words[0]
			s = stopAt(uintptr(last))
		}
		words = words[1+s.frame/8:]
		if !s.pos.IsValid() {
			continue
		}
		at, ends := s.pos, s.code == leaveRun
		for in := s.in; in != nil; in = in.In {
			add(Frame{at, in.Name, ends})
			at, ends = in.Call, false
		}
		if at.IsValid() { // not of the function that stands for a method
			add(Frame{at, s.fn, ends})
		}
	}
	return list
}
