package run

import "time"

// Goroutines are those of a session.
type Goroutines struct{ s *stops }

// Goroutines returns the session's goroutines.
func (rt *Runtime) Goroutines() Goroutines { return Goroutines{&rt.stops} }

// Hold keeps the session's goroutines from going on, but those in compiled calls, until the returned function is
// called. What they hold does not change meanwhile.
func (g Goroutines) Hold() (resume func()) {
	if !g.s.pauseAll() {
		return func() {}
	}
	time.Sleep(time.Millisecond) // each comes to its next step soon
	return g.s.resumeAll
}

// Blocked returns the cells that were interrupted and whose goroutine goes on: it is in a call that cannot be ended.
func (g Goroutines) Blocked() (cells []string) {
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	for _, r := range g.s.abandoned {
		cells = append(cells, r.cell)
	}
	return cells
}

// Stopping reports whether a goroutine is to stop and has not ended yet.
func (g Goroutines) Stopping() bool { return g.s.any.Load() != 0 }
