package host

import (
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/gorocm/gorocm/internal/thorough"
)

func TestHostMemoryIsReused(t *testing.T) {
	const n = 3 << 20
	p := newPool()
	first, zeroed, _ := p.get(n)
	if !zeroed {
		t.Error("fresh memory is not said to be zero")
	}
	at := uintptr(unsafe.Pointer(first))
	view := unsafe.Slice(first, n/8)[n/16:] // a slice of the middle keeps the block as it is
	view[0] = 7
	first = nil
	runtime.GC()
	waitForFinalizers()
	if second, _, _ := p.get(n); uintptr(unsafe.Pointer(second)) == at {
		t.Fatal("memory was reused while a slice of it was alive")
	}
	if view[0] != 7 {
		t.Fatal("the contents changed")
	}
	view = nil
	for range 20_000 { // the finalizer runs some time after the collection
		runtime.GC()
		time.Sleep(time.Millisecond)
		p.mu.Lock()
		idle, inUse := p.idle, p.inUse
		p.mu.Unlock()
		if idle == 2*sizeClass(n) && inUse == 0 {
			return
		}
	}
	t.Errorf("%d bytes are unused and %d in use, want %d and 0", p.idle, p.inUse, 2*sizeClass(n))
}

func TestHostMemoryIsBounded(t *testing.T) {
	p := newPool()
	old, recent := 32<<20, 48<<20
	p.asked[old], p.asked[recent] = 1, 2
	limit := max(minIdle, p.pace.budget())
	for range limit/old + 1 {
		p.inUse += old
		p.put(new(uint64), old)
	}
	for range 3 {
		p.inUse += recent
		p.put(new(uint64), recent)
	}
	if p.idle > limit || p.idle < limit-old || len(p.unused[recent]) != 3 {
		t.Errorf("%d bytes are unused, in %d old and %d recent blocks", p.idle, len(p.unused[old]),
			len(p.unused[recent]))
	}
}

// A block that comes back when little is in use any more may be the last of its size: blocks of other sizes go, too.
func TestHostMemoryShrinks(t *testing.T) {
	p := newPool()
	old, recent := 300<<20, 200<<20
	p.asked[old], p.asked[recent] = 1, 2
	p.inUse = old + 3*recent
	for range 2 {
		p.put(new(uint64), recent)
	}
	p.put(new(uint64), old)
	p.put(new(uint64), recent)
	if p.inUse != 0 || p.idle > max(minIdle, p.pace.budget()) || len(p.unused[old]) != 0 ||
		p.idle != len(p.unused[recent])*recent {
		t.Errorf("%d bytes in use, %d unused, in %d old and %d recent blocks", p.inUse, p.idle, len(p.unused[old]),
			len(p.unused[recent]))
	}
}

// Results that are left to the collector use a bounded number of blocks, however slow collections are.
func TestHostMemoryIsCollected(t *testing.T) {
	thorough.Slow(t)
	for _, took := range []time.Duration{0, time.Hour} {
		p := newPool()
		p.pace = pace{ended: time.Now(), took: took}
		const n, count = 4 << 20, 1000
		for range count {
			block, _, _ := p.get(n)
			*block = 1
		}
		p.mu.Lock()
		made, limit := p.made, 2*p.pace.budget() // as much again is found by the collection that is under way
		p.mu.Unlock()
		if made > limit {
			t.Errorf("collections of %v: %d MiB of blocks for results of %d MiB, want at most %d", took, made>>20,
				n*count>>20, limit>>20)
		}
	}
}

// TestPace has what decides about collections.
func TestPace(t *testing.T) {
	const mib = 1 << 20
	long := time.Now().Add(-time.Minute)
	for _, c := range []struct {
		name       string
		p          pace
		small, all int
		due, late  bool
	}{
		{"little is in use", pace{ended: long}, 15 * mib, 191 * mib, false, false},
		{"small blocks leave the caches", pace{ended: long}, 16 * mib, 16 * mib, true, false},
		{"large blocks", pace{ended: long}, 0, 192 * mib, true, false},
		{"collections take long", pace{ended: time.Now(), took: time.Hour}, 191 * mib, 191 * mib, false, false},
		{"they do, and half of the budget is used", pace{ended: time.Now(), took: time.Hour}, 0, 192 * mib, true, false},
		{"all of it", pace{ended: time.Now(), took: time.Hour}, 0, 384 * mib, true, true},
		{"the budget has not grown yet", pace{ended: time.Now(), took: time.Hour, most: 1024 * mib, total: 1024 * mib},
			0, 384 * mib, true, true},
		{"it has grown", pace{ended: time.Now(), took: time.Hour, most: 1024 * mib, total: 64 * 1024 * mib},
			511 * mib, 511 * mib, false, false},
		{"half of the largest one is used", pace{ended: time.Now(), took: time.Hour, most: 1024 * mib,
			total: 100 * 1024 * mib}, 0, 512 * mib, true, false},
		{"all of the largest one", pace{ended: time.Now(), took: time.Hour, most: 1024 * mib, total: 100 * 1024 * mib},
			0, 1024 * mib, true, true},
	} {
		if due, late := c.p.due(c.small, c.all); due != c.due || late != c.late {
			t.Errorf("%s: due %v, late %v, want %v, %v", c.name, due, late, c.due, c.late)
		}
	}
}

// What rounds of collections have left in the pool is given back when nothing is computed any more.
func TestHostMemoryRests(t *testing.T) {
	thorough.Slow(t)
	p := newPool()
	for range 3 {
		p.inUse += 100 << 20
		p.put(new(uint64), 100<<20)
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(restTime / 10) {
		p.mu.Lock()
		idle, resting := p.idle, p.resting
		p.mu.Unlock()
		switch {
		case !resting && idle <= minIdle:
			return
		case time.Now().After(end):
			t.Fatalf("%d bytes are unused", idle)
		}
	}
}

func newPool() *blockPool { return &blockPool{unused: map[int][]*uint64{}, asked: map[int]int{}} }

func TestNewHostIsZero(t *testing.T) {
	for range 4 {
		h := New(minPooled)
		for i, b := range h.Data {
			if b != 0 {
				t.Fatalf("byte %d is %d", i, b)
			}
			h.Data[i] = 1
		}
		h = nil
		runtime.GC()
		waitForFinalizers()
	}
}
