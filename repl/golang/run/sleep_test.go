package run

import (
	"testing"
	"time"
)

// TestSleepAfterStop: a goroutine that is stopped on its way into Sleep leaves it at once; a deferred Sleep after that
// has the time of deferred calls.
func TestSleepAfterStop(t *testing.T) {
	rt := &Runtime{}
	rt.stops.init(rt)
	r := newRunner("cell[1]")
	asleep := func() (panicked any) {
		defer func() { panicked = recover() }()
		rt.sleep(time.Hour)
		return nil
	}
	late := make(chan bool, 2)
	go func() {
		rt.stops.begin(r)
		rt.stops.add(r)
		for range 2 {
			if _, ok := asleep().(interrupted); !ok {
				t.Error("the goroutine slept on")
			}
			select {
			case <-r.late:
				late <- true
			default:
				late <- false
			}
		}
	}()
	if <-late {
		t.Error("it was woken by the end of the time for deferred calls")
	}
	if !<-late {
		t.Error("a deferred call had no time to sleep")
	}
}
