package run

import (
	"context"
	"os"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorocm/gorocm/internal/budget"
	"github.com/gorocm/gorocm/internal/meminfo"
)

// How often the memory of a running cell is looked at, and what a cell may use in any case: the values that earlier
// cells have left must not end a cell that removes them.
const (
	memoryEvery = 5 * time.Millisecond
	memoryFree  = 64 << 20
)

// meter measures the memory of the process. Reading it allocates nothing: an allocation may have to help a collection,
// which waits until a copy of gigabytes has ended.
type meter struct {
	samples [3]metrics.Sample
	marked  [4]metrics.Sample
	cycles  uint64 // collections that had ended when settled was called last; 0 before the first call
	begun   bool   // one has ended between two calls of settled
	at      uint64 // what had been allocated when settled noticed the last one
	waiting [1]metrics.Sample
	text    [128]byte
}

func NewMeter() *meter {
	return &meter{samples: [3]metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
	}, marked: [4]metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/cycles/total:gc-cycles"},
		{Name: "/gc/heap/allocs:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}},
		waiting: [1]metrics.Sample{{Name: "/sched/goroutines/runnable:goroutines"}}}
}

// live returns what the last collection has left of the heap, with what was allocated meanwhile, and what stacks and
// budget's accounts take now.
func (m *meter) live() uint64 {
	metrics.Read(m.marked[:])
	return m.marked[0].Value.Uint64() + m.marked[3].Value.Uint64() + uint64(budget.Elsewhere())
}

// settled returns used, as read returns it, without the dead objects that the last collection has found and that are
// not swept yet.
func (m *meter) settled(used uint64) uint64 {
	live := m.live()
	cycles, allocated := m.marked[1].Value.Uint64(), m.marked[2].Value.Uint64()
	if cycles != m.cycles {
		m.begun, m.cycles, m.at = m.cycles > 0, cycles, allocated
	}
	if !m.begun {
		return used
	}
	return min(used, live+allocated-m.at)
}

// read tells what the program's values take (the heap's objects, dead ones that have not been swept among them, stacks,
// and what budget's accounts count), and what is free but not given back to the system yet.
func (m *meter) read() (used, free uint64) {
	metrics.Read(m.samples[:])
	return m.samples[0].Value.Uint64() + m.samples[1].Value.Uint64() + uint64(budget.Elsewhere()),
		m.samples[2].Value.Uint64()
}

// statm is where Linux tells how many pages of this process are in memory: its second number. It is nil elsewhere.
var statm = sync.OnceValue(func() *os.File {
	f, _ := os.Open("/proc/self/statm")
	return f
})

// resident is how much of this process is in memory and of use. Where that is not known, it is what is in use.
func (m *meter) Resident() uint64 {
	used, free := m.read()
	f := statm()
	if f == nil {
		return used
	}
	n, _ := f.ReadAt(m.text[:], 0) // fewer bytes than asked for, and io.EOF
	pages, field := uint64(0), 0
	for _, c := range m.text[:n] {
		switch {
		case c == ' ':
			field++
		case field == 1 && '0' <= c && c <= '9':
			pages = pages*10 + uint64(c-'0')
		}
	}
	if pages == 0 {
		return used
	}
	bytes := pages * uint64(os.Getpagesize())
	return bytes - min(bytes, free)
}

// A collector collects garbage for the cell whose stops it is sent, and takes nothing meanwhile. Whoever sends them
// holds the session's goroutines: they could make garbage faster than it is collected, and what is made during a
// collection counts as alive.
type collector struct {
	cells chan *stops
	times atomic.Uint64                 // how often it has collected
	alive atomic.Uint64                 // what was in use after the last time
	tight atomic.Pointer[meminfo.Bound] // what had hardly anything left after the last time
}

var theCollector = sync.OnceValue(func() *collector {
	c := &collector{cells: make(chan *stops)}
	go func() {
		m := NewMeter()
		for s := range c.cells {
			runtime.GC()
			used, _ := m.read()
			if used >= s.rt.Memory.Limit/8*7 {
				budget.RelieveCollected()
				used, _ = m.read()
			}
			c.alive.Store(used)
			c.tight.Store(nil)
			if err := budget.Room(0); err != nil {
				c.tight.Store(&err.Bound)
			}
			c.times.Add(1)
			s.resumeAll()
		}
	}()
	return c
})

// A sampler looks at what bounds the process, when it is asked to and not more often than it can. Reading that
// allocates, which the observer must not.
type sampler struct {
	asked chan struct{}
	tight atomic.Bool // something had hardly anything left
}

var theSampler = sync.OnceValue(func() *sampler {
	s := &sampler{asked: make(chan struct{})}
	go func() {
		for range s.asked {
			_, tight := budget.Tight()
			s.tight.Store(tight)
		}
	}()
	return s
})

func (s *sampler) ask() {
	select {
	case s.asked <- struct{}{}:
	default: // it is at it
	}
}

// InUse is what the program's values take now.
func InUse() uint64 {
	used, _ := NewMeter().read()
	return used
}

// watchMemory ends the running cell when the program uses more than the limit, until the returned function is called.
// What is used may be garbage, or memory that nothing was written to yet: above the limit it is collected, and the cell
// is ended when hardly less is alive, or when it cannot be held (it is in a compiled call) and uses more and more
// memory meanwhile. Like meter, watchMemory allocates nothing on its way.
func (rt *Runtime) watchMemory(ctx context.Context, r *runner, cancel context.CancelCauseFunc) func() {
	o := takeObserver()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.watch = watch{rt: rt, r: r, ctx: ctx, cancel: cancel, tooMuch: &memoryError{limit: rt.Memory.Limit}}
	o.watch.least, _ = o.meter.read()
	o.ticker.Reset(memoryEvery)
	restore := func() {}
	if !r.beside { // the running cell has done so, or will
		restore = fitStack(o.watch.least, rt.Memory.Limit)
	}
	return func() {
		restore()
		o.rest()
	}
}

// watch is what there is to know of a cell that is watched.
type watch struct {
	rt      *Runtime
	r       *runner
	ctx     context.Context // is done when the cell is to end
	cancel  context.CancelCauseFunc
	tooMuch *memoryError
	least   uint64 // that was in use since it began

	asleep deadlockDetector
	since  time.Time // the cell was to end, when the observer saw it
	turn   time.Time // since when a crowd is held
	held   bool

	asked  bool // for a collection, before which so much was in use, after so many
	before uint64
	times  uint64
}

// end ends the cell, which uses so much.
func (w *watch) end(used uint64) {
	w.tooMuch.used = used
	w.cancel(w.tooMuch)
	// now, not when the reader of cancel's context is scheduled: the next step may double what is used
	w.rt.stops.add(w.r)
}

// observer is a goroutine that watches one cell after the other.
type observer struct {
	ticker *time.Ticker
	meter  *meter
	mu     sync.Mutex
	watch  watch // of no cell when e is nil
}

// idle are the observers that watch no cell. Most cells are over before the first tick: nothing is made for them, and
// no goroutine woken.
var idle struct {
	mu   sync.Mutex
	list []*observer
}

func takeObserver() *observer {
	idle.mu.Lock()
	defer idle.mu.Unlock()
	if n := len(idle.list); n > 0 {
		o := idle.list[n-1]
		idle.list = idle.list[:n-1]
		return o
	}
	o := &observer{ticker: time.NewTicker(time.Hour), meter: NewMeter()}
	theCollector()
	theSampler()
	go func() {
		for range o.ticker.C {
			o.poll()
		}
	}()
	return o
}

// rest ends the watch.
func (o *observer) rest() {
	o.ticker.Stop()
	o.mu.Lock()
	w := o.watch
	o.watch = watch{}
	o.mu.Unlock()
	w.release()
	w.r.calm(w.rt)
	idle.mu.Lock()
	defer idle.mu.Unlock()
	idle.list = append(idle.list, o)
}

// poll looks at the memory once.
func (o *observer) poll() {
	o.mu.Lock()
	defer o.mu.Unlock()
	w, m, c := &o.watch, o.meter, theCollector()
	if w.rt == nil {
		return
	}
	runnable := m.runnable()
	if w.ctx.Err() != nil {
		w.stopped(runnable)
		return
	}
	o.breathe(runnable)
	if d := w.asleep.poll(w.rt, w.r); d != nil {
		w.cancel(d)
		return
	}
	used, _ := m.read()
	w.least = min(w.least, used)
	grown := used-w.least > memoryFree
	if grown {
		theSampler().ask()
	}
	limit := w.rt.Memory.Limit
	full := limit / 8 * 7 // where a collection leaves so much, the next is due soon, and so on: they take all the time
	collected := w.asked && c.times.Load() > w.times
	tight := c.tight.Load()
	switch {
	case !grown:
		w.asked = false
		return
	case collected && c.alive.Load() >= full:
		w.end(c.alive.Load())
		return
	case collected && tight != nil:
		w.tooMuch.bound = *tight
		w.end(c.alive.Load())
		return
	case w.asked && used > w.before+memoryFree/4 && m.Resident() > limit/8*9:
		w.end(used)
		return
	case m.settled(used) <= limit && m.live() < full && !theSampler().tight.Load():
		w.asked = w.asked && !collected
		return
	}
	if !w.rt.stops.pauseAll() {
		return
	}
	n := c.times.Load()
	used, _ = m.read() // this goroutine may have waited long to come here
	select {
	case c.cells <- &w.rt.stops:
		w.asked, w.before, w.times = true, used, n
	default: // it is at it
		w.rt.stops.resumeAll()
	}
}
