package tensor

import (
	"runtime"
	"sync/atomic"
	"time"
)

// grain is the least number of elements that is worth a second core.
const grain = 1 << 15

// parallel calls f for parts of 0 to n, on as many cores as are worth it. each is the work per unit, in elements. Where parts
// begin and end depends on the cores, so no result may depend on that. Parts are small and are taken as cores come free,
// and the caller works too: a core that is slow to wake up delays nothing.
func parallel(n, each int, f func(lo, hi int)) {
	parts := min(n, n*max(each, 1)/grain)
	cores := min(runtime.GOMAXPROCS(0), parts)
	if cores <= 1 {
		f(0, n)
		return
	}
	j := &job{f: f, n: n, parts: min(parts, 8*cores), done: make(chan struct{}, 1)}
	j.left.Store(int64(j.parts))
	crew.offer(j, cores-1)
	j.work()
	j.wait()
	crew.open.CompareAndSwap(j, nil)
}

// job is a call of parallel.
type job struct {
	f          func(lo, hi int)
	n, parts   int
	next, left atomic.Int64 // the next part to begin, and parts that are not finished
	sleeping   atomic.Bool  // the caller waits on done
	done       chan struct{}
}

// work does parts until all have begun, and reports whether there were any.
func (j *job) work() bool {
	did := false
	for p := int(j.next.Add(1)) - 1; p < j.parts; p = int(j.next.Add(1)) - 1 {
		did = true
		j.f(p*j.n/j.parts, (p+1)*j.n/j.parts)
		if j.left.Add(-1) == 0 && j.sleeping.Load() {
			j.done <- struct{}{}
		}
	}
	return did
}

// wait returns when all parts are finished. Helpers are usually about to, so it looks a few times before it sleeps.
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
	spinTime  = 300 * time.Microsecond // a sleeping core takes long to come back where others want it
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
		if crew.resting.Load() {
			return false
		}
		runtime.Gosched() // collections and finalizers go first
	}
	return false
}

// helpers are goroutines that wait for jobs: looking for the next one a while after the last, then asleep. One that has not
// been needed for some time ends.
type helpers struct {
	open    atomic.Pointer[job] // takes helpers; nil when there is none
	count   atomic.Int64
	resting atomic.Bool   // they are to sleep: a collection goes first
	bell    chan struct{} // wakes one that sleeps
}

var crew = helpers{bell: make(chan struct{})}

// offer asks helpers to work on a job. Those that work on another are left there: the caller does what they do not.
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
		if n := h.count.Load(); n >= int64(want) {
			return // they are awake
		}
		h.count.Add(1)
		go h.help()
	}
}

// rest runs f, which helpers sleep for, and wakes them up again.
func (h *helpers) rest(f func()) {
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

func (h *helpers) help() {
	defer h.count.Add(-1)
	alarm := time.NewTimer(crewStays)
	defer alarm.Stop()
	for {
		if spin(func() bool { j := h.open.Load(); return j != nil && j.next.Load() < int64(j.parts) }) {
			if j := h.open.Load(); j != nil {
				j.work()
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
