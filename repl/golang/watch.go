package golang

import (
	"context"
	"os"
	"runtime"
	"runtime/metrics"
	"sync"
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
	samples [4]metrics.Sample
	text    [128]byte
}

func newMeter() *meter {
	return &meter{samples: [4]metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}, {Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
	}}
}

// read tells what the program's values take (the heap's objects, dead ones that have not been swept among them, and stacks), what
// the last collection has found alive, and what is free but not given back to the system yet.
func (m *meter) read() (used, live, free uint64) {
	metrics.Read(m.samples[:])
	return m.samples[0].Value.Uint64() + m.samples[1].Value.Uint64(), m.samples[2].Value.Uint64(), m.samples[3].Value.Uint64()
}

// statm is where Linux tells how many pages of this process are in memory: its second number. It is nil elsewhere.
var statm = sync.OnceValue(func() *os.File {
	f, _ := os.Open("/proc/self/statm")
	return f
})

// resident is how much of this process is in memory and of use. Where that is not known, it is what is in use.
func (m *meter) resident() uint64 {
	used, _, free := m.read()
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

// collector collects garbage when it is sent something, and takes nothing meanwhile.
var collector = sync.OnceValue(func() chan<- struct{} {
	c := make(chan struct{})
	go func() {
		for range c {
			runtime.GC()
		}
	}()
	return c
})

// inUse is what the program's values take now.
func inUse() uint64 {
	used, _, _ := newMeter().read()
	return used
}

// watchMemory ends the running cell when the program uses more than the limit, until the returned function is called. What
// is used may be garbage, or memory that nothing was written to yet: above the limit it is collected, and the cell is ended
// when as much is alive, or when there is no time for that because as much is resident. Like meter, it allocates nothing on its way.
func (e *Engine) watchMemory(r *runner, cancel context.CancelCauseFunc) func() {
	stop := make(chan struct{})
	m, tooMuch, collect := newMeter(), &memoryError{limit: e.memory}, collector()
	go func() {
		t := time.NewTicker(memoryEvery)
		defer t.Stop()
		least, _, _ := m.read()
		for {
			select {
			case <-stop:
				return
			case <-t.C:
			}
			used, live, _ := m.read()
			if least = min(least, used); used <= e.memory || used-least <= memoryFree {
				continue
			}
			if live >= e.memory || m.resident() > e.memory/8*9 {
				tooMuch.used = used
				cancel(tooMuch)
				e.stops.add(r) // now, not when the reader of cancel's context is scheduled: the next step may double what is used
				return
			}
			select {
			case collect <- struct{}{}:
			default: // it is at it
			}
		}
	}()
	return func() { close(stop) }
}
