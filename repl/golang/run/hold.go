package run

import "time"

// Hold keeps the session's goroutines from going on, but those in compiled calls, until the returned function is
// called. What they hold does not change meanwhile.
func (rt *Runtime) Hold() (resume func()) {
	if !rt.stops.pauseAll() {
		return func() {}
	}
	time.Sleep(time.Millisecond) // each comes to its next step soon
	return rt.stops.resumeAll
}
