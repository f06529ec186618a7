package native

import (
	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

// leave ends the functions of generated code that a goroutine is in: a panic with the value v leaves them, or the
// goroutine ends, or they are to return at once; then v is nil. It makes the calls that they have deferred, and panics
// in the end if there is a panic.
func (r *running) leave(h *Host, v any, used uintptr) {
	w := newWalk(r.Context)
	for {
		d, ok := r.LeaveDeferral()
		if !ok {
			break
		}
		if list := w.frames(&d); v != nil {
			h.Panicking(v, list, used)
		}
		v = r.deferred(h, d.Calls, v, used)
	}
	if v != nil {
		h.Panicking(v, w.frames(nil), used)
		r.end()
		panic(v)
	}
}

// deferred makes deferred calls, and returns the value of the panic that is on its way then, nil for none.
func (r *running) deferred(h *Host, calls []func(int), v any, used uintptr) (next any) {
	finished := false
	defer func() {
		if finished {
			return
		}
		if next = recover(); next == nil { // the goroutine ends, and nothing after this runs
			r.leave(h, nil, used)
		}
	}()
	h.Deferred(calls, v)
	finished = true
	return nil
}

// maxFrames is how many frames of a panic are told: the innermost and the outermost.
const maxFrames = 64

// walk is a walk through the frames of generated code, the innermost first.
type walk struct {
	words []uint64 // from the address at which the next one was left
	at    uint64   // the address at which the last one was left
	stop  *stop    // which is this
	done  bool
}

func newWalk(c *enter.Context) *walk { return &walk{words: c.Frame()} }

// frames are the functions of the frames up to that of one that defers calls, or of all, which were not told before.
func (w *walk) frames(until *enter.Deferral) (list []Frame) {
	end := 0
	if until != nil {
		end = until.Words - 1 - stopAt(until.At).frame/8
	}
	add := func(f Frame) {
		if len(list) == maxFrames {
			copy(list[maxFrames/2:], list[maxFrames/2+1:])
			list = list[:maxFrames-1]
		}
		list = append(list, f)
	}
	for !w.done && len(w.words) > end {
		if w.words[0] != w.at || w.stop == nil { // a recursion comes from the same place again and again
			w.at = w.words[0]
			w.stop = stopAt(uintptr(w.at))
		}
		s := w.stop
		w.words = w.words[1+s.frame/8:]
		w.done = s.bottom
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
