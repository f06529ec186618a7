package run

import (
	"math"
	"runtime"
	"runtime/metrics"
	"time"
)

// A goroutine that is preempted waits until all that can run have had their turn of 10 ms. Among thousands that
// compute, the one of an interrupted cell would not come to its next step for minutes, and neither would any other of
// the program: nobody would read that the cell is to be interrupted. The observer still runs, because the runtime runs
// what a timer wakes first. It has all goroutines of cells wait now and then until the others have had their turn, and
// ends those that take a step when an interrupted cell does not end.

// crowd is how many goroutines may wait for each processor before the cell's turn is as far away as StopTimeout.
const crowd = 16

// How long the goroutines of a large crowd, so many times as large, run before they are held, and for how long at most.
const (
	largeCrowd = 4
	crowdRuns  = 100 * time.Millisecond
	crowdWaits = 200 * time.Millisecond
)

// calmPatience is how long goroutines that are being ended are waited for while none ends.
const calmPatience = 2 * time.Second

// stormPatience is how long a cell is waited for whose goroutines are being ended.
const stormPatience = time.Minute

// runnable is how many goroutines can run and do not.
func (m *meter) runnable() int {
	metrics.Read(m.waiting[:])
	if m.waiting[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int(m.waiting[0].Value.Uint64())
}

func crowded(runnable int) bool { return runnable > crowd*runtime.GOMAXPROCS(0) }

// breathe lets the program's own goroutines run where those of cells take all processors. What a timer wakes may have
// to give way at once, and is then the last of the crowd; so the observer wakes rarely unless the crowd is held.
func (o *observer) breathe(runnable int) {
	w := &o.watch
	switch {
	case !w.held:
		if crowded(runnable/largeCrowd) && w.rt.stops.pauseAll() {
			w.held, w.turn = true, time.Now()
		}
		o.ticker.Reset(memoryEvery)
	case runnable < runtime.GOMAXPROCS(0) || time.Since(w.turn) > crowdWaits:
		w.release()
		o.ticker.Reset(crowdRuns)
	}
}

// release ends the hold of a crowd.
func (w *watch) release() {
	if w.held {
		w.held = false
		w.rt.stops.resumeAll()
	}
}

// stopped stops the cell, which is to end, and a storm that keeps it from doing so.
func (w *watch) stopped(runnable int) {
	if w.rt.stops.add(w.r); w.since.IsZero() {
		w.since = time.Now()
	}
	if w.held || time.Since(w.since) > StopTimeout/2 && !w.r.noticed.Load() && crowded(runnable) {
		w.r.endStorm(w.rt)
		w.release()
	}
}

// endStorm ends all goroutines of cells that take a step, until r has ended.
func (r *runner) endStorm(rt *Runtime) {
	if all := newRunner(""); r.storm.CompareAndSwap(nil, all) {
		all.g.Store(everyone)
		rt.stops.add(all)
	}
}

// calm lets goroutines run again, once those of the storm have ended.
func (r *runner) calm(rt *Runtime) {
	all := r.storm.Load()
	if all == nil {
		return
	}
	m, end, least := NewMeter(), time.Time{}, math.MaxInt
	for n := m.runnable(); crowded(n) && (n < least || time.Now().Before(end)); n = m.runnable() {
		if n < least {
			least, end = n, time.Now().Add(calmPatience)
		}
		time.Sleep(memoryEvery)
	}
	rt.stops.remove(all)
}

// outlast waits for a cell in a storm, and reports whether it has ended.
func (r *runner) outlast(rt *Runtime) bool {
	if r.storm.Load() == nil && !crowded(NewMeter().runnable()) {
		return false
	}
	r.endStorm(rt)
	select {
	case <-r.done:
		return true
	case <-time.After(stormPatience):
		return false
	}
}

const stormNote = "so many goroutines ran that the cell could not end: all that cells had started and that ran were ended"
