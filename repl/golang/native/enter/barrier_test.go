package enter

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"testing"
)

// TestBarrier: the word is 0 without a collection, and another one while the collector marks.
func TestBarrier(t *testing.T) {
	word := (*uint32)(Barrier())
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.GC()
	if n := atomic.LoadUint32(word); n != 0 {
		t.Fatalf("it is %d without a collection", n)
	}
	type list struct {
		next *list
		_    [6]uintptr
	}
	var all *list
	for range 1 << 18 { // so that marking takes a while
		all = &list{next: all}
	}
	var seen, stop atomic.Bool
	done := make(chan bool)
	go func() {
		for !stop.Load() {
			if atomic.LoadUint32(word) != 0 {
				seen.Store(true)
			}
		}
		close(done)
	}()
	for i := 0; i < 50 && !seen.Load(); i++ {
		runtime.GC()
	}
	stop.Store(true)
	<-done
	if !seen.Load() {
		t.Error("it is always 0")
	}
	if n := atomic.LoadUint32(word); n != 0 {
		t.Errorf("it is %d after a collection", n)
	}
	runtime.KeepAlive(all)
}
