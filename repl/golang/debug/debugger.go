package debug

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Runtime is what a debugger needs of the goroutines of a session.
type Runtime struct {
	// Goroutine tells which goroutine runs.
	Goroutine func() uintptr
	// Main reports whether a goroutine is the running cell's.
	Main func(goroutine uintptr) bool
	// Wait waits for done. It panics where the calling goroutine is to end.
	Wait func(done <-chan struct{})
}

// Debugger stops the goroutines of a session.
type Debugger struct {
	run     Runtime
	on      atomic.Bool
	active  atomic.Bool // At has more to do than to note the place
	places  places
	threads sync.Map // uintptr to *Thread
	serial  atomic.Int64
	panics  atomic.Bool

	mu          sync.Mutex
	breakpoints map[string][]*Breakpoint // by source
	aliases     map[string]string        // of cells
	bound       bool                     // places may have breakpoints
	stop        *Stop                    // nil while nothing is stopped
	step        *step
	pausing     bool
	handler     func(*Stop)
	condition   func(f *Frame, src string) (bool, error)
	log         func(f *Frame, text string)
	last        []*Frame // of the last panic, copied
	lastValue   any
}

// step says where a goroutine that goes on stops again.
type step struct {
	thread *Thread
	how    How
	frame  *Frame
	level  int
	line   int
	file   string
}

// New makes a debugger that is off.
func New(run Runtime) *Debugger {
	d := &Debugger{run: run, breakpoints: map[string][]*Breakpoint{}, aliases: map[string]string{}}
	d.serial.Store(mainThread)
	return d
}

// Enable says whether code that is lowered from now on gets hooks. Off, everything goes on and nothing stops.
func (d *Debugger) Enable(on bool) {
	d.on.Store(on)
	if on {
		return
	}
	if s := d.forgetAll(); s != nil {
		s.Resume(Continue)
	}
}

// forgetAll removes what could stop a goroutine, and returns the stop.
func (d *Debugger) forgetAll() *Stop {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.breakpoints)
	d.step, d.pausing, d.last, d.lastValue = nil, false, nil, nil
	d.panics.Store(false)
	d.bind()
	return d.stop
}

// On reports whether code that is lowered gets hooks.
func (d *Debugger) On() bool { return d.on.Load() }

// Handlers says what happens at stops, and how conditions and texts of breakpoints are evaluated. Each is called on the
// goroutine that has reached the breakpoint. After stop has returned the goroutine waits until it is resumed.
func (d *Debugger) Handlers(stop func(*Stop), condition func(f *Frame, src string) (bool, error),
	log func(f *Frame, text string)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.handler, d.condition, d.log = stop, condition, log
}

// BreakOnPanic says whether a panic stops the goroutine, before deferred calls run.
func (d *Debugger) BreakOnPanic(on bool) { d.panics.Store(on) }

// Pause stops the first goroutine that comes to a statement.
func (d *Debugger) Pause() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stop == nil {
		d.pausing = true
		d.update()
	}
}

// Stopped is the stop, nil while nothing is stopped.
func (d *Debugger) Stopped() *Stop {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stop
}

// Threads lists the goroutines that are in functions with hooks, by their numbers.
func (d *Debugger) Threads() (list []*Thread) {
	d.threads.Range(func(_, t any) bool {
		if t := t.(*Thread); !t.evaluating {
			list = append(list, t)
		}
		return true
	})
	slices.SortFunc(list, func(a, b *Thread) int { return a.ID - b.ID })
	return list
}

// LastPanic are the frames of the last panic that has left a function with hooks, the innermost first.
func (d *Debugger) LastPanic() (frames []*Frame, value any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last, d.lastValue
}

// ForgetPanic lets the values that the frames of the last panic hold be collected.
func (d *Debugger) ForgetPanic() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last, d.lastValue = nil, nil
}

// update notes whether At has something to do. d.mu is held.
func (d *Debugger) update() {
	d.active.Store(len(d.breakpoints) > 0 || d.step != nil || d.pausing || d.stop != nil)
}

// ended forgets a step of a goroutine that is in no function with hooks any more.
func (d *Debugger) ended(t *Thread) {
	if !d.active.Load() {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.step != nil && d.step.thread == t {
		d.step = nil
		d.update()
	}
}
