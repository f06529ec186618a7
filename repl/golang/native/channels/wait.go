package channels

import (
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

// Waits does operations at a place of a function.
type Waits struct {
	*Session
	Waiter
}

// Receive receives a value, or the zero value and false. elem is the type of the elements.
func (w Waits) Receive(from, to unsafe.Pointer, elem *enter.Type) bool {
	elem.Clear(to)
	done, ok := enter.Receive(from, to, false)
	if !done {
		ok = w.one(enter.ReceiveCase(from, to), elem)
	}
	return ok
}

// Send sends a value, which is the receiver's then.
func (w Waits) Send(to, value unsafe.Pointer, elem *enter.Type) {
	if !enter.Send(to, value, false) {
		w.one(enter.SendCase(to, value), elem)
	}
	elem.Clear(value)
}

// one waits for one operation, which is not ready.
func (w Waits) one(c enter.Case, elem *enter.Type) (received bool) {
	what := "chan receive"
	switch {
	case c.Sends() && c.Channel() == nil:
		what = "chan send (nil chan)"
	case c.Sends():
		what = "chan send"
	case c.Channel() == nil:
		what = "chan receive (nil chan)"
	}
	note, stop := w.Begin(what, w.timed(c))
	defer w.End(note)
	if stop == nil {
		return c.Do()
	}
	received, stopped := c.DoUnless(stop, elem)
	if stopped {
		w.Stopped()
	}
	return received
}

// any waits for one of several.
func (w Waits) any(cases []enter.Case) (chosen int, received bool) {
	what, timed := "select", false
	if len(cases) == 0 {
		what = "select (no cases)"
	}
	for _, c := range cases {
		timed = timed || w.timed(c)
	}
	note, stop := w.Begin(what, timed)
	defer w.End(note)
	if stop != nil {
		cases = append(cases, enter.ReceiveCase(stop, nil))
	}
	if chosen, received = enter.Select(cases); stop != nil && chosen == len(cases)-1 {
		w.Stopped()
	}
	return chosen, received
}

func (w Waits) timed(c enter.Case) bool { return c.Channel() != nil && w.Timed(c.Channel()) }
