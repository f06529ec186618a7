package golang

import (
	"context"
	"os"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

// How often the memory of a running cell is looked at, and what a cell may use in any case: the values that earlier cells
// have left must not end a cell that removes them.
const (
	memoryEvery = 5 * time.Millisecond
	memoryFree  = 64 << 20
)

// meter measures the memory of the process. Reading it allocates nothing: an allocation may have to help a collection, which
// waits until a copy of gigabytes has ended.
type meter struct {
	samples [3]metrics.Sample
	text    [128]byte
}

func newMeter() *meter {
	return &meter{samples: [3]metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
	}}
}

// read tells what the program's values take (the heap's objects, dead ones that have not been swept among them, and stacks), and
// what is free but not given back to the system yet.
func (m *meter) read() (used, free uint64) {
	metrics.Read(m.samples[:])
	return m.samples[0].Value.Uint64() + m.samples[1].Value.Uint64(), m.samples[2].Value.Uint64()
}

// statm is where Linux tells how many pages of this process are in memory: its second number. It is nil elsewhere.
var statm = sync.OnceValue(func() *os.File {
	f, _ := os.Open("/proc/self/statm")
	return f
})

// resident is how much of this process is in memory and of use. Where that is not known, it is what is in use.
func (m *meter) resident() uint64 {
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

// A collector collects garbage for the cell whose stops it is sent, and takes nothing meanwhile. Whoever sends them holds the session's
// goroutines: they could make garbage faster than it is collected, and what is made during a collection counts as alive.
type collector struct {
	cells chan *stops
	times atomic.Uint64 // how often it has collected
	alive atomic.Uint64 // what was in use after the last time
}

var theCollector = sync.OnceValue(func() *collector {
	c := &collector{cells: make(chan *stops)}
	go func() {
		m := newMeter()
		for s := range c.cells {
			runtime.GC()
			used, _ := m.read()
			c.alive.Store(used)
			c.times.Add(1)
			s.release()
		}
	}()
	return c
})

// inUse is what the program's values take now.
func inUse() uint64 {
	used, _ := newMeter().read()
	return used
}

// watchMemory ends the running cell when the program uses more than the limit, until the returned function is called. What
// is used may be garbage, or memory that nothing was written to yet: above the limit it is collected, and the cell is ended
// when as much is alive, or when it cannot be held (it is in a compiled call) and uses more and more memory meanwhile. Like
// meter, watchMemory allocates nothing on its way.
func (e *Engine) watchMemory(r *runner, cancel context.CancelCauseFunc) func() {
	stop := make(chan struct{})
	m, tooMuch, c := newMeter(), &memoryError{limit: e.memory}, theCollector()
	go func() {
		t := time.NewTicker(memoryEvery)
		defer t.Stop()
		least, _ := m.read()
		asked, before, times := false, uint64(0), uint64(0) // for a collection; what was in use, and how many there had been, then
		for {
			select {
			case <-stop:
				return
			case <-t.C:
			}
			used, _ := m.read()
			if least = min(least, used); used <= e.memory || used-least <= memoryFree {
				asked = false
				continue
			}
			collected := asked && c.times.Load() > times
			if collected && c.alive.Load() >= e.memory || asked && used > before+memoryFree/4 && m.resident() > e.memory/8*9 {
				tooMuch.used = used
				cancel(tooMuch)
				e.stops.add(r) // now, not when the reader of cancel's context is scheduled: the next step may double what is used
				return
			}
			if !e.stops.hold() {
				continue
			}
			n := c.times.Load()
			used, _ = m.read() // this goroutine may have waited long to come here
			select {
			case c.cells <- &e.stops:
				asked, before, times = true, used, n
			default: // it is at it
				e.stops.release()
			}
		}
	}()
	return func() { close(stop) }
}
