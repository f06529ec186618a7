package native

import (
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

// selection is a select statement whose values are in one piece of memory.
type selection struct {
	waits
	cases     []selectCase
	blocking  bool
	sends     bool // one of the cases does
	index, ok uintptr
}

// selectCase is a case of it.
type selectCase struct {
	sends          bool
	channel, value int // which parameters they are, or which result the value is
	at, valueAt    uintptr
	elem           enter.Type
}

// do waits for one of the cases.
func (s *selection) do(m unsafe.Pointer) {
	cases := make([]enter.Case, len(s.cases), len(s.cases)+1)
	for i := range s.cases {
		k := &s.cases[i]
		c, v := pointerAt(m, k.at), unsafe.Add(m, k.valueAt)
		if k.sends {
			cases[i] = enter.SendCase(c, v)
			continue
		}
		k.elem.Clear(v)
		cases[i] = enter.ReceiveCase(c, v)
	}
	var chosen int
	var received bool
	if s.blocking {
		chosen, received = s.any(cases)
	} else if chosen, received = enter.Select(append(cases, enter.DefaultCase())); chosen == len(s.cases) {
		chosen = -1
	}
	for i := range s.cases {
		if k := &s.cases[i]; k.sends {
			k.elem.Clear(unsafe.Add(m, k.valueAt))
		}
	}
	*(*int)(unsafe.Add(m, s.index)), *(*bool)(unsafe.Add(m, s.ok)) = chosen, received
}

// maxQuickCases bounds the select statements that are tried while the goroutine is pinned.
const maxQuickCases = 4

// quick has f try a statement that only receives while the goroutine is pinned. from is where in its memory the values
// are that it receives.
func (s *selection) quick(f *foreign, from uintptr) {
	n := len(f.out) - 1 // without the last word, and the number
	if s.sends || len(s.cases) == 0 || len(s.cases) > maxQuickCases {
		return
	}
	out := receivedWords(f, from)
	if out == nil {
		return
	}
	out = out[:n-1]
	f.quick = func(c *enter.Context) bool {
		if !c.Spend(len(s.cases) * 64) {
			return false
		}
		var value [quickBytes / 8]uint64
		var cases [maxQuickCases + 1]enter.Case
		for i := range s.cases {
			ch := c.Address(i)
			if ch != nil && s.Timed(ch) {
				return false
			}
			cases[i] = enter.ReceiveCase(ch, unsafe.Add(unsafe.Pointer(&value), s.cases[i].valueAt-from))
		}
		cases[len(s.cases)] = enter.DefaultCase()
		chosen, received := enter.Select(cases[:len(s.cases)+1])
		if chosen == len(s.cases) {
			if chosen = -1; s.blocking {
				return false
			}
		}
		setReceived(c, 0, out, unsafe.Pointer(&value))
		return c.SetInt(len(out), chosen) && c.SetBool(len(out)+1, received)
	}
}
