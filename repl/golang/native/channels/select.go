package channels

import (
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
)

// Select is a select statement whose values are in one piece of memory, at offsets.
type Select struct {
	Waits
	Cases    []Case
	Blocking bool
	// IndexAt is where the number of the case that was chosen is, -1 for the default, and OKAt whether it has received.
	IndexAt, OKAt uintptr
	sends         bool // one of the cases does
}

// Case is a case of it.
type Case struct {
	Sends       bool
	At, ValueAt uintptr // of the channel, and of what is sent or received
	Elem        enter.Type
}

// Add adds a case. Its offsets may be set later.
func (s *Select) Add(c Case) {
	s.Cases = append(s.Cases, c)
	s.sends = s.sends || c.Sends
}

// Do does the statement.
func (s *Select) Do(m unsafe.Pointer) {
	cases := make([]enter.Case, len(s.Cases), len(s.Cases)+1)
	for i := range s.Cases {
		k := &s.Cases[i]
		c, v := *(*unsafe.Pointer)(unsafe.Add(m, k.At)), unsafe.Add(m, k.ValueAt)
		if k.Sends {
			cases[i] = enter.SendCase(c, v)
			continue
		}
		k.Elem.Clear(v)
		cases[i] = enter.ReceiveCase(c, v)
	}
	var chosen int
	var received bool
	if s.Blocking {
		chosen, received = s.any(cases)
	} else if chosen, received = enter.Select(append(cases, enter.DefaultCase())); chosen == len(s.Cases) {
		chosen = -1
	}
	for i := range s.Cases {
		if k := &s.Cases[i]; k.Sends {
			k.Elem.Clear(unsafe.Add(m, k.ValueAt))
		}
	}
	*(*int)(unsafe.Add(m, s.IndexAt)), *(*bool)(unsafe.Add(m, s.OKAt)) = chosen, received
}
