package run

import (
	"runtime"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestSleepAfterStop: a goroutine that is stopped on its way into Sleep leaves it at once; a deferred Sleep after that
// has the time of deferred calls.
func TestSleepAfterStop(t *testing.T) {
	thorough.Slow(t)
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

// TestChannelAfterStop: what ends the channel operations of a goroutine is the stop until it has noticed that, and the
// end of the time for deferred calls from then on.
func TestChannelAfterStop(t *testing.T) {
	rt := &Runtime{}
	rt.stops.init(rt)
	r := newRunner("cell[1]")
	rt.stops.begin(r)
	g, _ := goroutine()
	if c := rt.stops.channel(g); c != r.wakeCase {
		t.Error("nothing ends an operation when the goroutine is stopped")
	}
	rt.stops.add(r)
	if c := rt.stops.channel(g); c != r.wakeCase {
		t.Error("an operation after the stop waits for the end of deferred calls")
	}
	rt.stops.woken(g)
	if c := rt.stops.channel(g); c != r.lateCase {
		t.Error("operations of deferred calls have no time")
	}
}

// TestManyStacks: the stacks of very many goroutines are not looked at.
func TestManyStacks(t *testing.T) {
	if allStacks() == "" {
		t.Error("there is nothing about few goroutines")
	}
	end := make(chan bool)
	defer close(end)
	for range maxStacks / stackText {
		go func() { <-end }()
	}
	if text := allStacks(); text != "" {
		t.Errorf("%d bytes about %d goroutines", len(text), runtime.NumGoroutine())
	}
}

// TestStopEndsPrograms: what a cell has started is interrupted, too, where the watcher has stopped the cell before, and
// it has ended.
func TestStopEndsPrograms(t *testing.T) {
	calls := 0
	rt := &Runtime{opt: Options{Interrupt: func() { calls++ }}}
	rt.stops.init(rt)
	r := newRunner("cell[1]")
	close(r.done)
	if !rt.stop(r) || calls != 1 {
		t.Errorf("the cell's programs were interrupted %d times, want once", calls)
	}
	beside := newRunner("cell[2]")
	beside.beside = true
	close(beside.done)
	if rt.stop(beside); calls != 1 {
		t.Error("a cell beside it has interrupted the running cell's programs")
	}
}
