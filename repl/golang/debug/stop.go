package debug

import (
	"slices"
	"strings"
	"sync"
)

// How a stopped goroutine goes on.
type How int

// The ways to go on.
const (
	Continue How = iota
	StepIn       // to the next statement
	StepOver     // to the next statement of the function, or of one that called it
	StepOut      // to the next statement of a function that called it
)

// Stop is a goroutine that is stopped.
type Stop struct {
	Thread *Thread
	Reason string   // breakpoint, step, pause, exception
	Text   string   // of an exception, or why a condition could not be evaluated
	Value  any      // that the goroutine panics with
	Frames []*Frame // the innermost first
	d      *Debugger
	done   chan struct{}
	once   sync.Once

	mu      sync.Mutex
	resumed bool
	before  func()
}

// Resume lets the goroutine go on, and all others. A stop is resumed once.
func (s *Stop) Resume(how How) {
	s.once.Do(func() {
		if before := s.begin(); before != nil {
			before()
		}
		s.d.mu.Lock()
		defer s.d.mu.Unlock()
		s.d.step = nil
		if top := s.Frames[0]; how != Continue {
			s.d.step = &step{thread: s.Thread, how: how, frame: top, level: top.level}
			if p := top.Place(); p != nil {
				s.d.step.line, s.d.step.file = p.Line, p.File
			}
		}
		s.d.stop = nil
		s.d.update()
		close(s.done)
	})
}

// begin notes that the stop is resumed, and returns what is called before.
func (s *Stop) begin() (before func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resumed = true
	return s.before
}

// BeforeResume has f called when the stop is resumed, before the goroutine or any other one goes on: whatever f tells
// of comes before what they do. It reports false, and f is not called, where the stop has been resumed already.
func (s *Stop) BeforeResume(f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.resumed {
		return false
	}
	s.before = f
	return true
}

// Done is closed when the goroutine goes on.
func (s *Stop) Done() <-chan struct{} { return s.done }

// at decides whether a goroutine stops at a statement, and lets it wait while another one is stopped.
func (d *Debugger) at(f *Frame) {
	t := d.thread(d.run.Goroutine())
	if t.evaluating {
		return
	}
	d.waitForOthers(t)
	p := f.Place()
	reason, text := d.reason(t, f, p)
	if reason == "" {
		return
	}
	d.halt(&Stop{Thread: t, Reason: reason, Text: text}, f)
}

// waitForOthers waits while another goroutine is stopped.
func (d *Debugger) waitForOthers(t *Thread) {
	for {
		s := d.Stopped()
		if s == nil || s.Thread == t {
			return
		}
		d.run.Wait(s.done)
	}
}

// reason says why a goroutine stops at a place; "" where it goes on.
func (d *Debugger) reason(t *Thread, f *Frame, p *Place) (reason, text string) {
	reason = d.wanted(t, f, p)
	if b := p.point.Load(); b != nil {
		stops, text := d.stopsAt(b, f)
		if stops && reason == "" {
			return "breakpoint", text
		}
	}
	return reason, ""
}

// wanted says which request of the user's stops a goroutine at a place.
func (d *Debugger) wanted(t *Thread, f *Frame, p *Place) (reason string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch s := d.step; {
	case d.pausing:
		return "pause"
	case s != nil && s.thread == t && s.ends(f, p):
		return "step"
	}
	return ""
}

// ends reports whether a step ends at a place.
func (s *step) ends(f *Frame, p *Place) bool {
	same := f == s.frame && p.Line == s.line && p.File == s.file
	switch s.how {
	case StepIn:
		return !same
	case StepOver:
		return f.level <= s.level && !same
	}
	return f.level < s.level
}

// stopsAt reports whether a breakpoint that is reached stops. One whose condition cannot be evaluated does.
func (d *Debugger) stopsAt(b *Breakpoint, f *Frame) (stops bool, text string) {
	condition, log := d.evaluators()
	if b.Condition != "" && condition != nil {
		ok, err := condition(f, b.Condition)
		if err != nil {
			return true, "condition " + b.Condition + ": " + err.Error()
		}
		if !ok {
			return false, ""
		}
	}
	ok, err := d.hit(b)
	switch {
	case err != nil:
		return true, err.Error()
	case !ok:
		return false, ""
	case strings.TrimSpace(b.Log) != "":
		if log != nil {
			log(f, b.Log)
		}
		return false, ""
	}
	return true, ""
}

func (d *Debugger) evaluators() (condition func(f *Frame, src string) (bool, error), log func(f *Frame, text string)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.condition, d.log
}

func (d *Debugger) hit(b *Breakpoint) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return b.reached()
}

// halt stops the calling goroutine, in the function of a frame, until it is resumed.
func (d *Debugger) halt(s *Stop, f *Frame) {
	s.d, s.done = d, make(chan struct{})
	s.Frames = framesFrom(s.Thread, f)
	handler, ok := d.take(s)
	for ; !ok; handler, ok = d.take(s) {
		d.waitForOthers(s.Thread)
	}
	defer s.Resume(Continue) // where the wait panics
	if handler == nil {
		return
	}
	handler(s)
	d.run.Wait(s.done)
}

// take makes a stop the one that there is, unless there is another.
func (d *Debugger) take(s *Stop) (handler func(*Stop), ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.stop != nil {
		return nil, false
	}
	d.stop, d.pausing, d.step = s, false, nil
	d.update()
	return d.handler, true
}

// framesFrom lists the frames of a goroutine from one on, outwards. The body of a loop over a function may run on
// another goroutine than the function that it is in.
func framesFrom(t *Thread, f *Frame) []*Frame {
	list := t.frames
	if i := slices.Index(list, f); i >= 0 {
		list = slices.Clone(list[:i+1])
	} else {
		list = append(slices.Clone(list), f)
	}
	slices.Reverse(list)
	return list
}

// Panicking is called when a panic leaves the innermost function, before any deferred call. The frames are kept for a
// look at them later.
func (d *Debugger) Panicking(v any, text func() string) {
	t := d.thread(d.run.Goroutine())
	if len(t.frames) == 0 || t.evaluating {
		return
	}
	top := t.frames[len(t.frames)-1]
	d.keep(framesFrom(t, top), v)
	if d.panics.Load() {
		d.waitForOthers(t)
		d.halt(&Stop{Thread: t, Reason: "exception", Text: text(), Value: v}, top)
	}
}

// keep keeps the frames of a panic.
func (d *Debugger) keep(frames []*Frame, v any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last, d.lastValue = nil, v
	for _, f := range frames {
		g := *f // where it is now
		d.last = append(d.last, &g)
	}
}
