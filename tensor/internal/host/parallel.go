package host

import (
	"math"
	"runtime"
	"sync/atomic"
	"time"
)

// grain is the fewest elements that are worth a second core.
const grain = 1 << 15

// Parallel calls f for parts of 0 to n, on as many cores as are worth it. each is the work per unit, in elements.
// Where parts begin and end depends on the cores, so no result may depend on that. Every core has a share of its own,
// the same in every call, because its caches hold what it worked on. It takes its share in parts, and then parts that
// others have not begun, from their end. The caller works too, so a core that is slow to wake up delays nothing.
func Parallel(n, each int, f func(lo, hi int)) {
	parts := min(n, n*max(each, 1)/grain)
	cores := min(runtime.GOMAXPROCS(0), parts)
	if cores <= 1 {
		f(0, n)
		return
	}
	j := newJob(n, min(parts, 8*cores), cores, f)
	workers.offer(j, cores-1)
	j.work(0)
	j.wait()
	workers.open.CompareAndSwap(j, nil)
}

// job is a call of Parallel.
type job struct {
	f           func(lo, hi int)
	n, parts    int
	shares      []partRange // one for each core
	begun, left atomic.Int64
	sleeping    atomic.Bool // set while the caller waits on done
	done        chan struct{}
}

func newJob(n, parts, cores int, f func(lo, hi int)) *job {
	j := &job{f: f, n: n, parts: parts, shares: make([]partRange, cores), done: make(chan struct{}, 1)}
	j.left.Store(int64(parts))
	for i := range j.shares {
		j.shares[i].Store(uint64(i*parts/cores)<<32 | uint64((i+1)*parts/cores))
	}
	return j
}

// partRange is the parts of a core that have not begun: the index of the first in the upper half, the end in the
// lower.
type partRange struct{ atomic.Uint64 }

// take returns the index of a part to work on, the first or the last one, or -1 when all have begun.
func (s *partRange) take(first bool) int {
	for {
		v := s.Load()
		lo, hi := v>>32, v&math.MaxUint32
		switch {
		case lo >= hi:
			return -1
		case first && s.CompareAndSwap(v, v+1<<32):
			return int(lo)
		case !first && s.CompareAndSwap(v, v-1):
			return int(hi - 1)
		}
	}
}

// work does parts until all have begun, those of one core first.
func (j *job) work(core int) {
	for i := range j.shares {
		s := &j.shares[(core+i)%len(j.shares)]
		for p := s.take(i == 0); p >= 0; p = s.take(i == 0) {
			j.begun.Add(1)
			j.f(p*j.n/j.parts, (p+1)*j.n/j.parts)
			if j.left.Add(-1) == 0 && j.sleeping.Load() {
				j.done <- struct{}{}
			}
		}
	}
}

// wait returns when all parts are finished. Helpers usually are about to finish, so it polls a few times before it
// sleeps.
func (j *job) wait() {
	if spin(func() bool { return j.left.Load() == 0 }) {
		return
	}
	j.sleeping.Store(true)
	if j.left.Load() > 0 {
		<-j.done
	}
}

const (
	spinTime  = 300 * time.Microsecond // a sleeping core takes long to return where others want it
	crewStays = 100 * time.Millisecond // without work
)

// spin calls done for a while and reports whether it became true.
func spin(done func() bool) bool {
	for start := time.Now(); time.Since(start) < spinTime; {
		for range 32 {
			if done() {
				return true
			}
		}
		if workers.resting.Load() {
			return false
		}
		runtime.Gosched() // collections and finalizers go first
	}
	return false
}

// helpers are goroutines that wait for jobs: they poll for a while after the last one, then sleep. A helper that has
// not been needed for some time ends.
type helpers struct {
	open    atomic.Pointer[job] // helpers receive jobs from it; nil if there is none
	count   atomic.Int64
	resting atomic.Bool   // helpers are to sleep, because a collection goes first
	bell    chan struct{} // wakes a helper that sleeps
}

var workers = helpers{bell: make(chan struct{})}

// offer asks helpers to work on a job. Those that work on another job are left alone: the caller does their share.
func (h *helpers) offer(j *job, want int) {
	if !h.open.CompareAndSwap(nil, j) {
		return
	}
	for range want {
		select {
		case h.bell <- struct{}{}:
			continue
		default:
		}
		n := h.count.Load()
		if n >= int64(want) {
			return // they are awake
		}
		h.count.Add(1)
		go h.help(int(n) + 1)
	}
}

// pause runs f while helpers sleep, and wakes them afterwards.
func (h *helpers) pause(f func()) {
	h.resting.Store(true)
	f()
	h.resting.Store(false)
	for range h.count.Load() {
		select {
		case h.bell <- struct{}{}:
		default:
		}
	}
}

// help works on offered jobs, on the same share of each: the caller's share is 0.
func (h *helpers) help(core int) {
	defer h.count.Add(-1)
	alarm := time.NewTimer(crewStays)
	defer alarm.Stop()
	for {
		if spin(func() bool { j := h.open.Load(); return j != nil && j.begun.Load() < int64(j.parts) }) {
			if j := h.open.Load(); j != nil {
				j.work(core)
			}
			continue
		}
		alarm.Reset(crewStays)
		select {
		case <-h.bell:
		case <-alarm.C:
			return
		}
	}
}
