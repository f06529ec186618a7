package team

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorocm/gorocm/tensor/internal/scope"
)

const (
	// Grain is the least work that is worth another core, in elements: what one core does in about 4 µs, if an element
	// is read, added to and written in a cache.
	Grain = 1 << 14
	// partsPerCore is how finely the work of a core is cut, so that others can help it, down to a quarter of a grain.
	partsPerCore = 8

	slots      = 8   // regions that helpers see at once
	maxHelpers = 255 // of one team

	spinTime  = 200 * time.Microsecond // a sleeping core takes long to return where others want it
	yieldTime = 50 * time.Microsecond  // between chances for the program's other goroutines
	idleTime  = 100 * time.Millisecond // after which a parked helper ends
)

// Team is helpers for regions. The zero value is ready.
type Team struct {
	_       line
	epoch   atomic.Uint32 // changes when helpers should look for work
	resting atomic.Bool   // helpers are to park, because a collection goes first
	_       line
	open    [slots]atomic.Pointer[region]
	_       line
	callers atomic.Int32 // of regions, but for those within regions
	procs   atomic.Int32 // GOMAXPROCS, as of the latest region
	highest atomic.Int32 // of the helpers that were ever started
	regions atomic.Int64 // that were open to helpers
	_       line
	helpers [maxHelpers + 1]helper // the first one stands for the caller
	spare   sync.Pool              // of *region
}

var shared Team

// Run calls f for parts of 0 to n, on as many cores as are worth it. each is the work per unit, in elements (Grain).
// Where parts begin and end depends on the number of cores, so no result may depend on that.
func Run(n, each int, f func(lo, hi int)) { shared.Run(n, each, f) }

// Pause runs f while helpers sleep.
func Pause(f func()) {
	shared.resting.Store(true)
	defer shared.resting.Store(false)
	f()
}

// Run is the function of this name, for one team.
func (t *Team) Run(n, each int, f func(lo, hi int)) {
	work := n * max(each, 1)
	cores := min(n, work/Grain)
	if cores > 1 {
		cores = min(cores, runtime.GOMAXPROCS(0), maxHelpers+1)
	}
	if cores <= 1 {
		f(0, n)
		return
	}
	t.run(n, min(n, partsPerCore*cores, 4*work/Grain), cores, f)
}

// run is Run for a loop that is worth so many cores, in so many parts.
func (t *Team) run(n, parts, cores int, f func(lo, hi int)) {
	self := scope.Goroutine()
	nested := t.callers.Load() > 0 && t.computes(self)
	if !nested {
		t.callers.Add(1)
	}
	if p := int32(runtime.GOMAXPROCS(0)); p != t.procs.Load() {
		t.procs.Store(p)
	}
	r := t.region(n, parts, cores, f)
	r.caller.Store(self)
	slot := t.publish(r)
	closed := false
	closeSlot := func() {
		if slot >= 0 && !closed {
			t.open[slot].Store(nil)
		}
		closed = true
	}
	defer func() { // also when f panics
		closeSlot()
		if !nested && t.callers.Add(-1) > 0 {
			t.epoch.Add(1) // a helper more may work on the other callers' regions
		}
	}()
	r.work(0, func(cores int) { t.wake(0, cores) }, nil)
	closeSlot()
	r.wait()
	r.f = nil
	t.spare.Put(r)
}

// publish shows a region to the helpers, and returns its slot, or -1 if there are many others.
func (t *Team) publish(r *region) int {
	for i := range t.open {
		if t.open[i].Load() == nil && t.open[i].CompareAndSwap(nil, r) {
			t.regions.Add(1)
			t.epoch.Add(1)
			return i
		}
	}
	return -1
}

// computes reports whether a goroutine is in the middle of a part of an open region.
func (t *Team) computes(goroutine uintptr) bool {
	for i := range t.open {
		if r := t.open[i].Load(); r != nil && r.caller.Load() == goroutine {
			return true
		}
	}
	for i := 1; i <= int(t.highest.Load()); i++ {
		if t.helpers[i].goroutine.Load() == goroutine {
			return true
		}
	}
	return false
}

// admits reports whether helper i may compute: callers and helpers together are as many as GOMAXPROCS says.
func (t *Team) admits(i int) bool {
	return i <= int(t.procs.Load()-max(1, t.callers.Load()))
}

// poll calls done until it is true, for a while from start on, or until stop is true. It reports whether done was true.
func poll(start time.Time, done, stop func() bool) bool {
	yielded := time.Duration(0)
	for {
		for range 32 {
			if done() {
				return true
			}
			pause()
		}
		took := time.Since(start)
		switch {
		case took > spinTime || stop != nil && stop():
			return false
		case took-yielded > yieldTime:
			yielded = took
			runtime.Gosched()
		}
	}
}
