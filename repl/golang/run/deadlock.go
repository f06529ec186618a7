package run

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
	"weak"

	"github.com/gorocm/gorocm/repl/golang/check"
	"github.com/gorocm/gorocm/repl/golang/machine"
	"github.com/traefik/yaegi/interp"
)

// A cell whose goroutine waits for others, all of which wait too, would wait for ever: no other cell can run meanwhile.
// It ends with an error. It is better to miss one than to end a cell that would have gone on, so everything that is not
// known to be asleep counts as awake: see isAsleep. A wait for a timer, a context's deadline or a signal is no
// deadlock.

// How long nothing must have moved before the goroutines are looked at, and the most that this grows to.
var (
	AsleepAfter = 50 * time.Millisecond // tests set it
	AsleepMost  = 2 * time.Second
)

const deadlockName = "Deadlock"

// deadlock is why a cell is ended.
type deadlock struct{ waits []machine.Wait }

func (*deadlock) Error() string { return "all goroutines are asleep - deadlock!" }

// deadlockDetector is what a watcher knows of a cell's goroutines.
type deadlockDetector struct {
	next     time.Time
	every    time.Duration
	turns    uint64 // when they were looked at the last time
	snapshot string // that they gave then, if all were asleep
}

// poll reports a deadlock once two looks have seen all goroutines asleep, and none has moved between them.
func (s *deadlockDetector) poll(e *Runtime, r *runner) *deadlock {
	now := time.Now()
	if s.every == 0 {
		s.every, s.next = AsleepAfter, now.Add(AsleepAfter)
	}
	if now.Before(s.next) {
		return nil
	}
	s.next = now.Add(s.every)
	if !machine.Waiting(r.id0()) {
		s.snapshot, s.every = "", AsleepAfter
		return nil
	}
	waits, turns := machine.Waits()
	if turns != s.turns {
		s.turns, s.snapshot, s.every = turns, "", AsleepAfter
		return nil
	}
	picture := e.snapshot(waits)
	took := time.Since(now)
	if _, after := machine.Waits(); after != turns {
		picture = ""
	}
	if picture != "" && picture == s.snapshot {
		return &deadlock{waits}
	}
	if s.snapshot = picture; picture == "" {
		s.every = max(min(2*s.every, AsleepMost), 50*took)
	}
	return nil
}

// id0 is the number of the runner's goroutine, 0 before it has begun.
func (r *runner) id0() uintptr {
	select {
	case <-r.ready:
		return r.g.Load()
	default:
		return 0
	}
}

// snapshot describes the goroutines if all are asleep and nothing is known that will wake one; otherwise it is empty.
func (rt *Runtime) snapshot(waits []machine.Wait) string {
	onChannels := 0
	for _, w := range waits {
		if w.Timed {
			return ""
		}
		if w.OnChannel() {
			onChannels++
		}
	}
	if rt.shells.Load() > 0 || machine.CheckTimers() != nil || rt.wakers.any() ||
		rt.opt.Wakes != nil && rt.opt.Wakes() {
		return ""
	}
	if runtime.NumGoroutine() > len(waits)+ownGoroutines { // others are not asleep
		return ""
	}
	return asleep(allStacks(), onChannels)
}

// ownGoroutines is more than the program itself has.
const ownGoroutines = 256

// maxStacks is how much text about goroutines is looked at, that of 16,000: of more of them it is not told whether they
// sleep. One that runs interpreted code has less than stackText, as a rule.
const maxStacks, stackText = 64 << 20, 4 << 10

// allStacks is what the runtime prints about all goroutines, "" when that is too much. All of them stand still
// meanwhile, also where there is no room for the text: 20,000 goroutines for a second on a busy machine.
func allStacks() string {
	count := runtime.NumGoroutine()
	if count > maxStacks/stackText {
		return ""
	}
	for size := max(64<<10, stackText*count); size <= maxStacks; size *= 2 {
		b := make([]byte, size)
		if n := runtime.Stack(b, true); n < len(b) {
			return string(b[:n])
		}
	}
	return ""
}

// asleep is the states of all goroutines but the calling one, which is the first, if they are asleep and those of
// interpreted code that wait on channels are just the given number, which have told that no timer wakes them. Otherwise
// it is empty.
func asleep(stacks string, onChannels int) string {
	var states strings.Builder
	_, others, _ := strings.Cut(stacks, "\n\n")
	for g := range strings.SplitSeq(others, "\n\n") {
		head, frames, _ := strings.Cut(strings.TrimSpace(g), "\n")
		if strings.Contains(frames, profilerFrame) {
			continue
		}
		name, state, ok := strings.Cut(head, " [")
		state, _, _ = strings.Cut(strings.TrimSuffix(state, "]:"), ",") // what follows is for how long
		if !ok || !isAsleep(state, frames, &onChannels) {
			return ""
		}
		states.WriteString(name + " " + state + "\n")
	}
	if onChannels != 0 {
		return ""
	}
	return states.String()
}

// interpretedFrame is in the stack of every goroutine that runs interpreted code.
var interpretedFrame = guardName + "("

// compiledFrame is in the stack of every goroutine that waits in a call by machine code.
const compiledFrame = "github.com/gorocm/gorocm/repl/golang/native.(*Proc)."

// isAsleep reports whether a goroutine waits for others, or is one of the program's own that wakes none of a cell's by
// itself.
func isAsleep(state, frames string, onChannels *int) bool {
	if !strings.Contains(frames, interpretedFrame) && !strings.Contains(frames, compiledFrame) {
		return isOurs(state, frames)
	}
	switch {
	case strings.HasPrefix(state, "select"), strings.HasPrefix(state, "chan "):
		*onChannels--
		return true
	case state == "coroutine": // its caller goes on with it
		return true
	case strings.HasPrefix(state, "sync."), state == "semacquire":
		return waitsDirectly(frames)
	}
	return false
}

// waitsDirectly reports whether interpreted code has called what a goroutine waits in: compiled code may wake it by a
// timer.
func waitsDirectly(frames string) bool {
	for line := range strings.Lines(frames) {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		switch {
		case strings.HasPrefix(line, "sync."), strings.HasPrefix(line, "internal/sync."),
			strings.HasPrefix(line, "runtime."):
		default:
			return strings.HasPrefix(line, "reflect.") ||
				strings.HasPrefix(line, "github.com/gorocm/gorocm/repl/golang/machine.") ||
				strings.HasPrefix(line, "github.com/traefik/yaegi/")
		}
	}
	return false
}

// ours are what the stacks of the program's own goroutines have in them. They serve front ends and devices, and cells
// while these are in a call.
var ours = []string{
	"\ncreated by github.com/gorocm/gorocm/", "github.com/gorocm/gorocm/repl/worker.",
	"github.com/gorocm/gorocm/repl/golang.(*Engine).evalCell(",
	"\ncreated by testing.", "\ntesting.", // tests serve a session as a front end does
}

// idleDatabase begins the stack of the goroutine of an open sql.DB that waits until somebody wants a connection.
const idleDatabase = "database/sql.(*DB).connectionOpener("

// keeperFrame is in the stack of the goroutine that waits for the end of the process that ends the programs of cells
// when this one has died. It has been started with the first of them.
const keeperFrame = "created by github.com/gorocm/gorocm/repl/internal/programs.startKeeper "

// profilerFrame is in the stack of the goroutine that writes down what %prun samples, whatever it does at the moment.
const profilerFrame = "created by runtime/pprof.StartCPUProfile "

// isOurs reports whether a goroutine that runs no interpreted code is one of the program's own, and has nothing to do.
func isOurs(state, frames string) bool {
	switch state {
	case "select", "chan receive", "IO wait", "sleep", "sync.Cond.Wait", "sync.WaitGroup.Wait", "sync.Mutex.Lock":
	case "syscall":
		if strings.Contains("\n"+frames, "\ncreated by os/signal.") || // see wakers
			strings.Contains(frames, keeperFrame) {
			return true
		}
		if !strings.Contains(frames, "internal/poll.(*FD).waitIO(") { // as Windows' pipes of a worker wait
			return false
		}
	default:
		return false
	}
	if state == "select" && strings.HasPrefix(frames, idleDatabase) {
		return true
	}
	for _, s := range ours {
		if strings.Contains("\n"+frames, s) {
			return true
		}
	}
	return false
}

// wakers are what cells have asked for that may wake a goroutine of theirs later.
type wakers struct {
	signals atomic.Bool
	mu      sync.Mutex
	timers  []weak.Pointer[time.Timer] // of time.AfterFunc; one that is stopped may be started again
	ends    []context.Context          // with a deadline
	kept    int                        // how many were left of both when those that are over were forgotten
}

// any reports whether something may wake a goroutine.
func (w *wakers) any() bool {
	if w.signals.Load() {
		return true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.prune()
	return len(w.ends) > 0 || slices.ContainsFunc(w.timers, func(t weak.Pointer[time.Timer]) bool {
		timer := t.Value()
		return timer != nil && machine.Runs(timer)
	})
}

// prune forgets what will wake nobody any more. w.mu is held.
func (w *wakers) prune() {
	w.timers = slices.DeleteFunc(w.timers, func(t weak.Pointer[time.Timer]) bool { return t.Value() == nil })
	w.ends = slices.DeleteFunc(w.ends, func(c context.Context) bool { return c.Err() != nil })
	w.kept = len(w.timers) + len(w.ends)
}

// noted is called for everything that is noted. It keeps the lists from growing with what is over. w.mu is held.
func (w *wakers) noted() {
	if len(w.timers)+len(w.ends) > 2*w.kept+pruneFrom {
		w.prune()
	}
}

const pruneFrom = 64

func (w *wakers) timer(t *time.Timer) *time.Timer {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timers = append(w.timers, weak.Make(t))
	w.noted()
	return t
}

func (w *wakers) deadline(c context.Context, cancel context.CancelFunc) (context.Context, context.CancelFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ends = append(w.ends, c)
	w.noted()
	return c, cancel
}

// exports are the compiled functions that cells call in place of those that set a waker, or end one. kept are the
// signals that the program goes on taking when a cell resets all.
func (w *wakers) exports(kept []os.Signal) interp.Exports {
	taken := make(chan os.Signal, 1)
	return interp.Exports{
		"time/time": {"AfterFunc": reflect.ValueOf(func(d time.Duration, f func()) *time.Timer {
			return w.timer(time.AfterFunc(d, f))
		})},
		"context/context": {
			"WithTimeout": reflect.ValueOf(func(c context.Context, d time.Duration) (context.Context,
				context.CancelFunc) {
				return w.deadline(context.WithTimeout(c, d))
			}),
			"WithDeadline": reflect.ValueOf(func(c context.Context, d time.Time) (context.Context, context.CancelFunc) {
				return w.deadline(context.WithDeadline(c, d))
			}),
			"WithTimeoutCause": reflect.ValueOf(func(c context.Context, d time.Duration, cause error) (context.Context,
				context.CancelFunc) {
				return w.deadline(context.WithTimeoutCause(c, d, cause))
			}),
			"WithDeadlineCause": reflect.ValueOf(func(c context.Context, d time.Time, cause error) (context.Context,
				context.CancelFunc) {
				return w.deadline(context.WithDeadlineCause(c, d, cause))
			}),
		},
		"os/signal/signal": {
			"Notify": reflect.ValueOf(func(c chan<- os.Signal, sig ...os.Signal) {
				w.signals.Store(true)
				signalsTaken.Store(true)
				signal.Notify(c, sig...)
			}),
			"NotifyContext": reflect.ValueOf(func(c context.Context, sig ...os.Signal) (context.Context,
				context.CancelFunc) {
				w.signals.Store(true)
				signalsTaken.Store(true)
				return signal.NotifyContext(c, sig...)
			}),
			"Reset": reflect.ValueOf(func(sig ...os.Signal) {
				signal.Reset(sig...)
				if len(kept) > 0 {
					signal.Notify(taken, kept...)
				}
			}),
		},
	}
}

// signalsTaken is set once cells of this process have asked for signals.
var signalsTaken atomic.Bool

// SignalsTaken reports whether cells of this process have ever asked for signals.
func SignalsTaken() bool { return signalsTaken.Load() }

// deadlocked is the failure of a cell that was ended because all goroutines sleep.
func (rt *Runtime) deadlocked(d *deadlock, r *runner) *check.Failure {
	f := &check.Failure{Name: deadlockName, Message: d.Error()}
	others := map[string]int{}
	for _, w := range d.waits {
		if w.Interpreter != unsafe.Pointer(rt.interp) {
			others[w.What+"\nin code from before %reset, or of another session"]++
			continue
		}
		at := rt.Traces.waitFrame(w)
		if w.Goroutine == r.g.Load() {
			f.Notes = append(f.Notes, "the cell waits: "+w.What)
			f.Frames = append(f.Frames, at)
			continue
		}
		others[w.What+"\n"+drawn(at)]++
	}
	f.Notes = append(f.Notes, countedWaits(others)...)
	return f
}

// maxWaits is how many places are told where goroutines wait.
const maxWaits = 20

// countedWaits tells how many goroutines wait where, the most first.
func countedWaits(waits map[string]int) (notes []string) {
	places := slices.SortedFunc(maps.Keys(waits), func(a, b string) int {
		return cmp.Or(cmp.Compare(waits[b], waits[a]), cmp.Compare(a, b))
	})
	more := 0
	for i, p := range places {
		switch n := waits[p]; {
		case i >= maxWaits:
			more += n
		case n == 1:
			notes = append(notes, "a goroutine waits: "+p)
		default:
			notes = append(notes, fmt.Sprintf("%d goroutines wait: %s", n, p))
		}
	}
	if more > 0 {
		notes = append(notes, fmt.Sprintf("%d more goroutines wait in %d other places", more, len(places)-maxWaits))
	}
	return notes
}

// waitFrame is the place where a goroutine waits.
func (t *Traces) waitFrame(w machine.Wait) check.Frame {
	if w.Node == nil {
		return t.scope.Frame(t.scope.Fset.Position(w.At), w.Fn)
	}
	for n := w.Node; n != nil; n = n.Anc { // a statement that has become several has no place of its own
		if pos, fn, _ := t.sourceOf(n.Pos); pos.IsValid() {
			return t.scope.Frame(pos, fn)
		}
	}
	return check.Frame{}
}

// drawn is a place in text, with its line of the source.
func drawn(f check.Frame) string {
	s := fmt.Sprintf("%s, line %d", f.Cell, f.Line)
	if f.Func != "" {
		s += ", in " + f.Func
	}
	if f.Source != "" {
		s += "\n  " + strings.TrimLeft(f.Source, " \t")
	}
	return s
}
