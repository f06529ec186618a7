package support

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"time"
	"unsafe"
	"weak"
)

// TestInterned: equal values have one address while somebody holds it, and the table forgets what nobody holds.
func TestInterned(t *testing.T) {
	type pair struct {
		A string
		B int
	}
	u := &interned{by: map[any]weak.Pointer[byte]{}}
	find := func(i int) unsafe.Pointer {
		v := pair{fmt.Sprint("value ", i), i}
		return u.find(reflect.ValueOf(v), reflect.TypeFor[pair]())
	}
	held := make([]unsafe.Pointer, 100)
	for i := range held {
		held[i] = find(i)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range held {
				if p := find(i); p != held[i] || *(*pair)(p) != (pair{fmt.Sprint("value ", i), i}) {
					t.Errorf("value %d has a second address", i)
				}
			}
		})
	}
	wg.Wait()
	runtime.KeepAlive(held)
	size := func() int {
		u.mu.Lock()
		defer u.mu.Unlock()
		return len(u.by)
	}
	if size() != len(held) {
		t.Errorf("%d entries, want %d", size(), len(held))
	}
	held = nil
	for n := 0; size() > 0 && n < 200; n++ {
		runtime.GC()
		time.Sleep(time.Millisecond) // cleanups run on a goroutine of their own
	}
	if size() > 0 {
		t.Errorf("%d entries that nobody holds", size())
	}
	nan := func() unsafe.Pointer { return u.find(reflect.ValueOf(math.NaN()), reflect.TypeFor[float64]()) }
	if one, other := nan(), nan(); one == other || size() > 0 {
		t.Error("NaN has an entry")
	}
}
