package run

import (
	"reflect"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/machine"
	"github.com/gorocm/gorocm/repl/golang/native"
)

// How much stack an interpreted goroutine may use (the runtime ends the process at half a gigabyte), and how little of
// it must be in use for a stop to be a panic.
var StackLimit atomic.Uintptr // tests lower it

func init() { StackLimit.Store(256 << 20) }

const deepStack = 256 << 10

// heldEvery is how often a goroutine that is held looks whether it still is.
const heldEvery = 2 * time.Millisecond

// deferTimeout is how long the deferred calls of a goroutine that is stopped may take.
const deferTimeout = time.Second

// runner is a goroutine that can be stopped: the one of a cell, or another one whose recursion does not end.
//
// A stopped goroutine panics with interrupted at its next step, so that compiled code that has called it back is left
// and deferred calls run. Deep down in a recursion its functions return instead: every function of yaegi recovers a
// panic and panics again, which takes time that grows with the square of their number.
type runner struct {
	cell  string
	g     atomic.Uintptr // of its goroutine, once that is known
	id    int64          // of the goroutine; 0 for one that is not a cell's until it has looked at it itself
	ready chan struct{}  // closed once g and id are known
	done  chan struct{}  // closed when the goroutine has ended; then err is what it returned
	err   error

	wake, late chan struct{}       // closed when it is stopped, and when its deferred calls have had their time
	wakeCase   *reflect.SelectCase // what ends its channel operations: wake
	lateCase   *reflect.SelectCase // what ends those of its deferred calls, once stopped: late
	alone      []*runner           // it
	once       sync.Once
	deadline   atomic.Int64           // of its deferred calls
	noticed    atomic.Bool            // it has come to a step, or was woken, since it was stopped
	overflow   atomic.Bool            // it has used too much stack
	storm      atomic.Pointer[runner] // stands for all goroutines while they are ended, so that it can end
	trace      *panicTrace            // of the panic in err
	ended      bool                   // guarded by stops.mu
	beside     bool                   // a cell's that runs beside the running one
	shown      []any                  // then, the values that it has shown
	left       chan struct{}          // of a test's: closed when it is left behind
	waits      []check.Frame          // and where it was waiting when it was stopped
}

func newRunner(cell string) *runner {
	r := &runner{cell: cell, ready: make(chan struct{}), done: make(chan struct{}), wake: make(chan struct{}),
		late: make(chan struct{})}
	r.wakeCase, r.lateCase, r.alone = receive(r.wake), receive(r.late), []*runner{r}
	return r
}

// call calls f on the runner's goroutine and keeps how it panics, with its trace: the next goroutine may have this
// one's number.
func (r *runner) call(rt *Runtime, f func()) {
	if r.err = protect(f); r.err != nil {
		r.trace = rt.panics.take(r.g.Load(), nil)
	}
}

func receive(c chan struct{}) *reflect.SelectCase {
	return &reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c)}
}

// stops are the goroutines of an engine that are to end.
type stops struct {
	rt    *Runtime
	never *reflect.SelectCase    // what ends the channel operations of all other goroutines: nothing
	cell  atomic.Pointer[runner] // the running cell's
	// those of cells that run beside it; nil for none
	beside atomic.Pointer[[]*runner]
	// how many are to be stopped, and one more while all are held: what is read at every step
	any    atomic.Int32
	some   atomic.Pointer[[]*runner] // those to be stopped
	paused atomic.Bool               // all are held

	mu        sync.Mutex
	abandoned []*runner // behind, in compiled calls
	returned  []string  // cells that were left behind and have ended since
	reported  map[*runner]bool
}

func (s *stops) init(e *Runtime) {
	s.rt, s.never, s.reported = e, receive(make(chan struct{})), map[*runner]bool{}
}

// begin makes the calling goroutine the running cell's.
func (s *stops) begin(r *runner) {
	g, _ := goroutine()
	r.g.Store(g)
	r.id = goroutineID()
	s.cell.Store(r)
	close(r.ready)
}

// end forgets a goroutine that is about to end.
func (s *stops) end(r *runner) {
	s.cell.CompareAndSwap(r, nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	r.ended = true // the next goroutine may have its number
	if r.beside {
		s.endBeside(r)
	}
	s.drop(r)
	for i, l := range s.abandoned {
		if l == r {
			s.abandoned = append(s.abandoned[:i:i], s.abandoned[i+1:]...)
			machine.Leave()
			if s.reported[r] {
				s.returned = append(s.returned, r.cell)
			}
			delete(s.reported, r)
			return
		}
	}
}

// add stops a goroutine, if it has not ended. It allocates nothing before the goroutine can see that, unless others are
// being stopped: see watchMemory.
func (s *stops) add(r *runner) {
	r.once.Do(func() {
		r.deadline.Store(time.Now().Add(deferTimeout).UnixNano())
		s.list(r)
		close(r.wake)
		time.AfterFunc(deferTimeout, func() { close(r.late) })
	})
}

// list has a goroutine that has not ended among those that are to stop.
func (s *stops) list(r *runner) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.ended {
		return
	}
	list := &r.alone
	if old := s.some.Load(); old != nil && len(*old) > 0 {
		all := append([]*runner{r}, *old...)
		list = &all
	}
	s.any.Add(int32(len(*list) - s.count()))
	s.some.Store(list)
	select {
	case <-r.ready: // and r.g is known; one that has not begun comes to a step first
		native.Interrupt(r.g.Load())
	default:
	}
}

func (s *stops) remove(r *runner) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(r)
}

// drop is remove for a caller that holds mu.
func (s *stops) drop(r *runner) {
	old := s.some.Load()
	if old == nil {
		return
	}
	var list []*runner
	for _, x := range *old {
		if x != r {
			list = append(list, x)
		}
	}
	s.any.Add(int32(len(list) - s.count()))
	s.some.Store(&list)
}

// count is how many are to be stopped.
func (s *stops) count() int {
	if list := s.some.Load(); list != nil {
		return len(*list)
	}
	return 0
}

// pauseAll lets every goroutine that comes to its next step of interpreted code wait there, until release is called. It
// reports whether it does: another call may hold them, or have just released them. It allocates nothing.
func (s *stops) pauseAll() bool {
	if !s.paused.CompareAndSwap(false, true) {
		return false
	}
	s.any.Add(1)
	return true
}

func (s *stops) resumeAll() {
	s.any.Add(-1)
	s.paused.Store(false)
}

// abandon notes a cell whose goroutine goes on.
func (s *stops) abandon(r *runner) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !r.ended {
		s.abandoned = append(s.abandoned, r)
		machine.Enter()
	}
}

// AbandonedCells tells, once each, which cells are still blocked and which have ended since that was told.
func (rt *Runtime) AbandonedCells() []string {
	s := &rt.stops
	s.mu.Lock()
	defer s.mu.Unlock()
	var notes []string
	for _, c := range s.returned {
		notes = append(notes, c+": the call that it was blocked in has returned")
	}
	s.returned = nil
	for _, r := range s.abandoned {
		if !s.reported[r] {
			s.reported[r] = true
			notes = append(notes, r.cell+" is still blocked in a call; it ends when the call returns")
		}
	}
	return notes
}

// stopped ends the calling goroutine if it is one of those to be stopped: it panics, or returns true for a function
// that is to return at once. It waits while all goroutines are held.
func (s *stops) stopped(g uintptr) bool {
	for s.paused.Load() { // whoever releases thousands of goroutines is to need no time for that
		time.Sleep(heldEvery)
	}
	list := s.some.Load()
	if list == nil {
		return false
	}
	for _, r := range *list {
		switch r.g.Load() {
		case everyone:
			return true
		case g:
			return s.stop(r)
		}
	}
	return false
}

// everyone stands for all goroutines, in runner.g.
const everyone = ^uintptr(0)

// endAll ends every goroutine that takes a step of interpreted code, in the given time or more, until enough have ended
// or a busy machine has had time for that. No cell must run.
func (s *stops) endAll(d time.Duration, enough func() bool) {
	r := newRunner("")
	r.g.Store(everyone)
	s.add(r)
	defer s.remove(r)
	for end := time.Now().Add(endPatience); ; {
		if time.Sleep(d); enough() || time.Now().After(end) {
			return
		}
	}
}

// EndGoroutines ends the goroutines that cells have left behind and that take steps, until enough have ended or for two
// seconds. No cell must run.
func EndGoroutines(rt *Runtime, enough func() bool) { rt.stops.endAll(time.Millisecond, enough) }

// endPatience is how long goroutines are waited for that are to end.
const endPatience = 2 * time.Second

func (s *stops) stop(r *runner) bool {
	if !r.noticed.Load() {
		r.noticed.Store(true)
	}
	if _, used := goroutine(); used > deepStack {
		return true
	}
	if r.done == nil { // not a cell's
		s.remove(r)
		panic(runtimeError(overflowText()))
	}
	if s.defers(r) && time.Now().UnixNano() < r.deadline.Load() {
		return false
	}
	panic(interrupted{})
}

// defers reports whether the calling goroutine, which is r's, runs deferred calls because it was stopped.
func (s *stops) defers(r *runner) bool {
	u := &s.rt.unwinding
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, d := range u.by[r.g.Load()] {
		if _, ok := d.value.(interrupted); ok {
			return true
		}
	}
	return false
}

// overflow stops the calling goroutine, which has used too much stack.
func (s *stops) overflow(g uintptr) {
	r := s.of(g)
	if r == nil {
		if s.has(g) {
			return
		}
		r = newRunner("")
		r.g.Store(g)
		r.done = nil
	}
	r.overflow.Store(true)
	s.add(r)
}

func (s *stops) has(g uintptr) bool {
	if list := s.some.Load(); list != nil {
		for _, r := range *list {
			if r.g.Load() == g {
				return true
			}
		}
	}
	return false
}

func overflowText() string {
	megabytes := int((StackLimit.Load() + 1<<20 - 1) >> 20)
	return "stack overflow: a goroutine used more than " + strconv.Itoa(megabytes) + " MB of stack"
}

func overflowFailure() *check.Failure {
	return &check.Failure{Name: "RuntimeError", Message: overflowText(),
		Notes: []string{"a function that calls itself without an end?"}}
}

// channel is what ends a channel operation of the calling goroutine: a channel that is closed then, or one that never
// is. See waking.
func (s *stops) channel(g uintptr) *reflect.SelectCase {
	r := s.cell.Load()
	if r == nil || r.g.Load() != g {
		main := r
		if r = s.besideOf(g); r == nil {
			if main != nil {
				machine.Foreign()
				s.rt.foreign.Store(true)
			}
			return s.never
		}
	}
	if r.noticed.Load() {
		return r.lateCase
	}
	return r.wakeCase
}

// woken notes that a wait of the calling goroutine has ended because it is stopped: what it does now are deferred
// calls.
func (s *stops) woken(g uintptr) {
	if r := s.of(g); r != nil {
		r.noticed.Store(true)
	}
}

// waking is closed when the calling goroutine is stopped; nil if nothing stops it. One that has been stopped and has
// noticed it runs deferred calls, which have some time.
func (s *stops) waking(g uintptr) <-chan struct{} {
	r := s.of(g)
	switch {
	case r == nil:
		return nil
	case r.noticed.Load():
		return r.late
	}
	return r.wake
}
