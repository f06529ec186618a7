package channels

import (
	"unsafe"

	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/layouts"
	"github.com/gorocm/gorocm/repl/golang/native/quick"
)

// What is received while the goroutine is pinned goes through memory of the stack, of which the collector knows no
// pointers: it does not run meanwhile.

// quickBytes bounds the values that are received so, and maxQuickCases the cases of select statements.
const (
	quickBytes    = 128
	maxQuickCases = 4
)

// step is counted for an operation on a channel: see enter.Context.Spend.
const step = 32

// QuickReceive receives where that needs no waiting, a value of the given words, and tells whether there was one. It is
// nil where the value, of so many bytes, is too large.
func (s *Session) QuickReceive(words []layouts.Slot, size uintptr) quick.Func {
	if size > quickBytes {
		return nil
	}
	return func(c *enter.Context) bool {
		from := c.Address(0)
		if !c.Spend(step) || from == nil || s.Timed(from) {
			return false
		}
		var value [quickBytes / 8]uint64
		done, ok := enter.Receive(from, unsafe.Pointer(&value), false)
		if !done {
			return false
		}
		set(c, words, unsafe.Pointer(&value))
		return c.SetBool(len(words), ok)
	}
}

// set sets the words of results.
func set(c *enter.Context, words []layouts.Slot, value unsafe.Pointer) {
	for i := range words {
		*c.Word(enter.ResultsAt + 8*i) = layouts.Read(words[i].Kind, unsafe.Add(value, words[i].At))
	}
}

// Quick does a statement that only receives where that needs no waiting. The values that it receives are of the given
// words and begin at an offset; with the words behind them they have so many bytes. It is nil for other statements.
func (s *Select) Quick(words []layouts.Slot, from, size uintptr) quick.Func {
	if s.sends || len(s.Cases) == 0 || len(s.Cases) > maxQuickCases || size > quickBytes {
		return nil
	}
	return func(c *enter.Context) bool {
		if !c.Spend(len(s.Cases) * 2 * step) {
			return false
		}
		var value [quickBytes / 8]uint64
		var cases [maxQuickCases + 1]enter.Case
		for i := range s.Cases {
			of := c.Address(i)
			if of != nil && s.Timed(of) {
				return false
			}
			cases[i] = enter.ReceiveCase(of, unsafe.Add(unsafe.Pointer(&value), s.Cases[i].ValueAt-from))
		}
		cases[len(s.Cases)] = enter.DefaultCase()
		chosen, received := enter.Select(cases[:len(s.Cases)+1])
		if chosen == len(s.Cases) {
			if chosen = -1; s.Blocking {
				return false
			}
		}
		set(c, words, unsafe.Pointer(&value))
		return c.SetInt(len(words), chosen) && c.SetBool(len(words)+1, received)
	}
}
