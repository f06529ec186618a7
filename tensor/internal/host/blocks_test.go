package host

import (
	"runtime"
	"testing"
	"time"
	"unsafe"
)

func TestHostMemoryIsReused(t *testing.T) {
	const n = 3 << 20
	p := blockPool{unused: map[int][]*uint64{}, asked: map[int]int{}}
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
	p := blockPool{unused: map[int][]*uint64{}, asked: map[int]int{}}
	old, recent := 32<<20, 48<<20
	p.asked[old], p.asked[recent] = 1, 2
	for range 8 {
		p.inUse += old
		p.put(new(uint64), old)
	}
	for range 3 {
		p.inUse += recent
		p.put(new(uint64), recent)
	}
	if p.idle > minIdle || len(p.unused[recent]) != 3 || len(p.unused[old]) != 3 {
		t.Errorf("%d bytes are unused, in %d old and %d recent blocks", p.idle, len(p.unused[old]),
			len(p.unused[recent]))
	}
}

// A block that comes back when little is in use any more may be the last of its size: blocks of other sizes go, too.
func TestHostMemoryShrinks(t *testing.T) {
	p := blockPool{unused: map[int][]*uint64{}, asked: map[int]int{}}
	old, recent := 300<<20, 200<<20
	p.asked[old], p.asked[recent] = 1, 2
	p.inUse = old + 3*recent
	for range 2 {
		p.put(new(uint64), recent)
	}
	p.put(new(uint64), old)
	p.put(new(uint64), recent)
	if p.inUse != 0 || p.idle > minIdle || len(p.unused[old]) != 0 || p.idle != len(p.unused[recent])*recent {
		t.Errorf("%d bytes in use, %d unused, in %d old and %d recent blocks", p.inUse, p.idle, len(p.unused[old]),
			len(p.unused[recent]))
	}
}

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
