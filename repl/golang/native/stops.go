package native

import (
	"fmt"
	"go/token"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/gorocm/gorocm/repl/golang/native/amd64"
	"github.com/gorocm/gorocm/repl/golang/native/enter"
	"github.com/gorocm/gorocm/repl/golang/native/ir"
	"github.com/gorocm/gorocm/repl/golang/native/quick"
)

// stop is what is known of an address at which generated code is left or goes on.
type stop struct {
	code     leaveCode
	aux      any
	typ      enter.Type // of what is allocated or copied: of a slice, the elements
	quick    quick.Func // does it while the goroutine is pinned, if it can, but for foreign calls
	pos      token.Pos
	fn       string
	in       *ir.Inlined // the literal that the place is in
	frame    int
	pointers []amd64.Pointer
	bottom   bool    // the frame is the outermost one
	version  uintptr // the address of the version whose code it is, 0 for code that stays: see gather
}

// stopTable has the stops of all programs by their addresses. It is read while the goroutine is pinned, which must not
// wait for a lock: writers put a stop into a free slot and its address after it, or make a larger table.
type stopTable struct {
	slots []stopSlot // a power of two

	// Known to writers: the slots that are not free, and those of them whose stops were removed.
	used, removed int
}

type stopSlot struct {
	at   atomic.Uintptr
	stop *stop
}

var stops struct {
	sync.Mutex // of writers
	table      atomic.Pointer[stopTable]
}

// find gives the slot of an address, or a free one.
func (t *stopTable) find(at uintptr) *stopSlot {
	for i := at * 0x9E3779B97F4A7C15 >> 32; ; i++ {
		s := &t.slots[i&uintptr(len(t.slots)-1)]
		if a := s.at.Load(); a == at || a == 0 {
			return s
		}
	}
}

// removedStop stands for the address of a stop that was removed: what comes behind it is still found.
const removedStop = 1

// removeStops forgets the stops of code that nothing will run again.
func removeStops(list []uintptr) {
	stops.Lock()
	defer stops.Unlock()
	t := stops.table.Load()
	for _, at := range list {
		if slot := t.find(at); slot.at.Load() == at {
			slot.at.Store(removedStop)
			slot.stop = nil
			t.removed++
		}
	}
}

func (t *stopTable) add(at uintptr, s *stop) {
	slot := t.find(at)
	slot.stop = s
	slot.at.Store(at)
	t.used++
}

// addStops makes stops known, before their code runs.
func addStops(list map[uintptr]*stop) {
	stops.Lock()
	defer stops.Unlock()
	t := stops.table.Load()
	if t == nil || 2*(t.used+len(list)) > len(t.slots) {
		n := 256
		for old := t; old != nil && n < 4*(old.used-old.removed) || n < 4*len(list); {
			n *= 2
		}
		larger := &stopTable{slots: make([]stopSlot, n)}
		if t != nil {
			for i := range t.slots {
				if s := &t.slots[i]; s.stop != nil {
					larger.add(s.at.Load(), s.stop)
				}
			}
		}
		t = larger
	}
	for at, s := range list {
		t.add(at, s)
	}
	stops.table.Store(t)
}

// stopAt finds the stop at an address. It takes no lock and allocates nothing.
func stopAt(at uintptr) *stop {
	s := stops.table.Load().find(at)
	if s.at.Load() != at {
		panic(fmt.Sprintf("native: generated code was left at %#x, which is not known", at))
	}
	return s.stop
}

// memory is the type of what is allocated or copied at a stop.
func (code leaveCode) memory(aux any) enter.Type {
	switch t, _ := aux.(reflect.Type); code {
	case leaveNew, leaveMove:
		return enter.TypeOf(t)
	case leaveMake, leaveGrow, leaveAppend, leaveCopy:
		return enter.TypeOf(t.Elem())
	}
	return enter.Type{}
}

// quick is what does it while the goroutine is pinned, nil where nothing does.
func (code leaveCode) quick(aux any) quick.Func {
	switch code {
	case leaveQuick, leaveDefer:
		return aux.(quick.Func)
	case leavePointer:
		return quick.Store
	case leaveConcat:
		return quick.Concat
	case leaveNew:
		return quick.New(code.memory(aux))
	case leaveMake:
		return quick.Make(code.memory(aux))
	case leaveMove:
		return quick.Move(code.memory(aux))
	case leaveGrow:
		return quick.Grow(code.memory(aux))
	case leaveAppend:
		return quick.Append(code.memory(aux))
	case leaveCopy:
		return quick.Copy(code.memory(aux))
	}
	return nil
}

// noteStops notes the stops of a function at base.
func noteStops(s map[uintptr]*stop, base uintptr, w *work, code *amd64.Code) {
	w.note(base + uintptr(code.Done))
	s[base+uintptr(code.Done)] = &stop{code: leaveDone, bottom: true, version: w.hidden()}
	for _, c := range code.Stops {
		x := &stop{code: leaveCall, fn: w.u.Stack, frame: c.Frame, pointers: c.Pointers, bottom: c.Site < 0,
			version: w.hidden()}
		if c.Site >= 0 {
			at := w.f.Sites[c.Site]
			x.code, x.aux, x.pos, x.in = leaveCode(at.Code), at.Aux, at.Pos, at.In
			x.typ, x.quick = x.code.memory(at.Aux), x.code.quick(at.Aux)
		}
		s[base+uintptr(c.Offset)] = x
		w.note(base + uintptr(c.Offset))
	}
}
