package host

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// fakeDriver counts the bytes that are locked.
type fakeDriver struct{ locked atomic.Int64 }

func (d *fakeDriver) count() int { return int(d.locked.Load()) }

func (d *fakeDriver) Pin(memory []byte) (backend.Pages, error) {
	d.locked.Add(int64(len(memory)))
	return &fakePages{d, len(memory)}, nil
}

func (d *fakeDriver) PinScope() string { return "fake" }

func (d *fakeDriver) UploadPinned([]byte, backend.Pages) (backend.Storage, error) {
	panic("nothing is uploaded here")
}

type fakePages struct {
	on *fakeDriver
	n  int
}

func (p *fakePages) Wait() error { return nil }

func (p *fakePages) Unpin() error {
	p.on.locked.Add(int64(-p.n))
	return nil
}

// TestLockedMemoryIsReused: blocks come back when they are freed and when they are collected, but not while a slice
// looks at them.
func TestLockedMemoryIsReused(t *testing.T) {
	driver := &fakeDriver{}
	p := newPinnedPool()
	get := func(n int) (*Storage, uintptr) {
		h, err := p.Get(driver, "fake:0", n)
		if err != nil {
			t.Fatal(err)
		}
		return h, uintptr(unsafe.Pointer(&h.Data[0]))
	}
	for _, n := range []int{1, 5000, 3 << 20} {
		h, at := get(n)
		if at%memoryPage != 0 || len(h.Data) != n {
			t.Errorf("%d bytes begin at %#x", len(h.Data), at)
		}
		p.free(h.block, h.pinned.class)
		if h, again := get(n); again != at {
			t.Errorf("%d bytes that were freed are not used again", n)
		} else {
			slice := h.Data
			h = nil
			runtime.GC()
			waitForFinalizers()
			if _, other := get(n); other == at {
				t.Errorf("%d bytes were used again while a slice of them was alive", n)
			}
			runtime.KeepAlive(slice)
		}
	}
	for range 20_000 { // the finalizers run some time after the collection
		runtime.GC()
		time.Sleep(time.Millisecond)
		p.mu.Lock()
		inUse := p.inUse
		p.mu.Unlock()
		if inUse == 0 {
			break
		}
	}
	if p.inUse != 0 || driver.count() != p.idle {
		t.Errorf("%d bytes are in use, %d unused; %d are pinned", p.inUse, p.idle, driver.count())
	}
	// What is too much is unlocked.
	p.limit = 8 << 10
	h, _ := get(4 << 20)
	p.free(h.block, h.pinned.class)
	if p.idle > p.limit || driver.count() != p.idle {
		t.Errorf("%d bytes are unused, %d are pinned", p.idle, driver.count())
	}
	// All of the size asked for longest, and then of another.
	p.limit = 1 << 30
	small, _ := get(5000)
	large, _ := get(4 << 20)
	p.free(large.block, large.pinned.class)
	p.limit = 0
	p.free(small.block, small.pinned.class)
	if p.idle != 0 {
		t.Errorf("%d bytes are unused, want none", p.idle)
	}
}
