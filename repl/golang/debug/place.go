package debug

import (
	"go/types"
	"reflect"
	"sync/atomic"
)

// Variable is a variable in scope at a place.
type Variable struct {
	Name   string
	Type   types.Type
	Object *types.Var // of the function, or of the session where Fixed is valid
	// Up and Index say where its address is: in the frame of the function itself, or of the Up-th function around it.
	Up, Index int
	// Fixed is the address of a variable of the session; otherwise it is not valid.
	Fixed reflect.Value
	// Hidden is a variable of a loop around the function, a literal that does not use it: that of its iteration is not
	// known.
	Hidden bool
}

// Place is a statement of a cell, or of a package from source.
type Place struct {
	File         string // the name of the cell
	Line, Column int
	Func         string // as users call it; "" for the statements of a cell
	Vars         []Variable
	First        bool // of the statements of its function on its line
	Again        bool // the head of a loop, before an iteration
	Package      bool // File is a file of a package
	point        atomic.Pointer[Breakpoint]
}

// places are what lowered code has numbers for. Goroutines read them while cells are lowered.
type places struct{ p atomic.Pointer[[]*Place] }

func (t *places) all() []*Place {
	if p := t.p.Load(); p != nil {
		return *p
	}
	return nil
}

// Add gives a place its number. No breakpoint is at it before Bind.
func (d *Debugger) Add(p *Place) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := append(d.places.all(), p)
	d.places.p.Store(&all)
	return len(all) - 1
}

// Lines reports the lines of a cell on which a goroutine can stop, of what was lowered with hooks.
func (d *Debugger) Lines(file string) map[int]bool {
	r := map[int]bool{}
	for _, p := range d.places.all() {
		if p.First && p.File == file {
			r[p.Line] = true
		}
	}
	return r
}
