package team

import (
	"sync/atomic"
	"time"

	"github.com/gorocm/gorocm/tensor/internal/scope"
)

// helper is a goroutine that works on regions.
type helper struct {
	state     atomic.Int32
	goroutine atomic.Uintptr // that runs, or nobody
	bell      chan struct{}  // wakes it; made by who starts it first
	// how often it was started, woken, and joined a region
	started, woken, joined atomic.Int64
	_                      line
}

const nobody = 0 // as a goroutine

// The states of a helper.
const (
	absent int32 = iota
	awake        // it works, polls, or is about to
	parked
)

// wake wakes or starts the helpers that core i of a region is to wake: cores 2i+1 and 2i+2.
func (t *Team) wake(i, cores int) {
	for c := 2*i + 1; c <= 2*i+2 && c < cores && t.admits(c); c++ {
		h := &t.helpers[c]
		switch s := h.state.Load(); {
		case s == parked && h.state.CompareAndSwap(parked, awake):
			h.woken.Add(1)
			h.bell <- struct{}{}
		case s == absent && h.state.CompareAndSwap(absent, awake):
			h.started.Add(1)
			for m := t.highest.Load(); m < int32(c) && !t.highest.CompareAndSwap(m, int32(c)); m = t.highest.Load() {
			}
			if h.bell == nil {
				h.bell = make(chan struct{}, 1)
			}
			go t.help(c)
		}
	}
}

// help is what helper i does.
func (t *Team) help(i int) {
	h, self := &t.helpers[i], scope.Goroutine()
	alarm := time.NewTimer(idleTime)
	defer alarm.Stop()
	stop := func() bool { return t.resting.Load() || !t.admits(i) }
	for {
		h.goroutine.Store(self)
		seen := t.epoch.Load()
		for t.join(i) {
		}
		if poll(time.Now(), func() bool { return t.epoch.Load() != seen }, stop) {
			continue
		}
		if !t.park(h, seen, alarm) {
			return
		}
	}
}

// join works on open regions, and reports whether there was anything to do. Half of the helpers begin with the second
// slot.
func (t *Team) join(i int) bool {
	joined := false
	begin := func(cores int) { t.wake(i, cores) }
	stop := func() bool { return !t.admits(i) }
	for s := range t.open {
		r := t.open[s^(i&1)].Load()
		if r == nil || !t.admits(i) {
			continue
		}
		if cores := int(r.cores.Load()); i < cores {
			if r.work(i, begin, stop) > 0 {
				joined = true
				t.helpers[i].joined.Add(1)
			}
		}
	}
	return joined
}

// park waits until somebody wakes the helper, and reports false if nobody has for some time. An epoch that has changed
// since seen also wakes it.
func (t *Team) park(h *helper, seen uint32, alarm *time.Timer) bool {
	h.goroutine.Store(nobody)
	h.state.Store(parked)
	if t.epoch.Load() != seen && h.state.CompareAndSwap(parked, awake) {
		return true
	}
	alarm.Reset(idleTime)
	select {
	case <-h.bell:
		return true
	case <-alarm.C:
		if h.state.CompareAndSwap(parked, absent) {
			return false
		}
		<-h.bell
		return true
	}
}
