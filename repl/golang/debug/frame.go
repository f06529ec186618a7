package debug

import "reflect"

// mainThread is the number of the running cell's goroutine.
const mainThread = 1

// Thread is a goroutine that runs functions with hooks.
type Thread struct {
	ID         int // from 1
	goroutine  uintptr
	d          *Debugger
	frames     []*Frame // the innermost last
	depth      int      // of calls of Begin that have not ended
	evaluating bool     // for the debugger: it does not stop
}

// Frame is a call of a function with hooks.
type Frame struct {
	thread *Thread
	outer  *Frame // of the function around a function literal
	place  int
	level  int // the number of frames below it
	vars   []any
}

// Enter begins a function of a cell. It is called by lowered code.
func (d *Debugger) Enter(vars int) *Frame { return d.enter(nil, vars) }

// Enter begins a function literal of the frame's function. It is called by lowered code.
func (f *Frame) Enter(vars int) *Frame { return f.thread.d.enter(f, vars) }

func (d *Debugger) enter(outer *Frame, vars int) *Frame {
	t := d.thread(d.run.Goroutine())
	f := &Frame{thread: t, outer: outer, place: -1, level: len(t.frames), vars: make([]any, vars)}
	t.frames = append(t.frames, f)
	return f
}

// Set says where a variable is, by a pointer. It is called by lowered code.
func (f *Frame) Set(i int, p any) { f.vars[i] = p }

// At is called by lowered code before each statement.
func (f *Frame) At(place int) {
	f.place = place
	if d := f.thread.d; d.active.Load() {
		d.at(f)
	}
}

// Place is the statement that the frame's function is at, nil before the first.
func (f *Frame) Place() *Place {
	if f.place < 0 {
		return nil
	}
	return f.thread.d.places.all()[f.place]
}

// Address is where a variable is, not valid for one that has not been declared yet, or is hidden.
func (f *Frame) Address(v Variable) reflect.Value {
	if v.Hidden {
		return reflect.Value{}
	}
	if v.Fixed.IsValid() {
		return v.Fixed
	}
	for range v.Up {
		if f = f.outer; f == nil {
			return reflect.Value{}
		}
	}
	if v.Index >= len(f.vars) {
		return reflect.Value{}
	}
	return reflect.ValueOf(f.vars[v.Index])
}

// thread is the record of the goroutine that calls it.
func (d *Debugger) thread(g uintptr) *Thread {
	if t, ok := d.threads.Load(g); ok {
		return t.(*Thread)
	}
	t := &Thread{ID: mainThread, goroutine: g, d: d}
	if !d.run.Main(g) {
		t.ID = int(d.serial.Add(1))
	}
	d.threads.Store(g, t)
	return t
}

// Begin is called before a function with hooks runs; the function that it returns ends it, also where it panics.
func (d *Debugger) Begin() (end func()) {
	t := d.thread(d.run.Goroutine())
	n := len(t.frames)
	t.depth++
	return func() {
		clear(t.frames[min(n, len(t.frames)):]) // what they hold can be collected
		t.frames = t.frames[:min(n, len(t.frames))]
		if t.depth--; t.depth == 0 {
			d.threads.Delete(t.goroutine)
			d.ended(t)
		}
	}
}

// Evaluate runs f on the calling goroutine, which does not stop meanwhile.
func (d *Debugger) Evaluate(f func()) {
	defer d.Begin()()
	t := d.thread(d.run.Goroutine())
	before := t.evaluating
	t.evaluating = true
	defer func() { t.evaluating = before }()
	f()
}
