// Package monitor carries how far something is to the session that shows it: package tensor and what is built on it
// know nothing of displays. A function that runs for long asks for a Monitor, and the session says what that is.
package monitor

import "sync"

// Monitor shows something while it goes on, as display.Monitor does.
type Monitor interface {
	// Update is called after step of total, which is 0 if it is not known, with numbers by name.
	Update(step, total int, values map[string]float64)
	// End is called when it has ended.
	End()
}

var usual struct {
	sync.Mutex
	make func(title string) Monitor
}

// Set sets the function that makes monitors. nil, as at the beginning, shows nothing.
func Set(f func(title string) Monitor) {
	usual.Lock()
	defer usual.Unlock()
	usual.make = f
}

// New returns a monitor for something with that title.
func New(title string) Monitor {
	usual.Lock()
	f := usual.make
	usual.Unlock()
	if f == nil {
		return none{}
	}
	return f(title)
}

// none shows nothing.
type none struct{}

func (none) Update(int, int, map[string]float64) {}
func (none) End()                                {}
