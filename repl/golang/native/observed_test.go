package native

import (
	"bytes"
	"io"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestObserved: what stops the world or looks at all goroutines does so beside generated code, and ends.
func TestObserved(t *testing.T) {
	thorough.Slow(t)
	r := compileAll(t, stressSource)
	h := testHost()
	var stop atomic.Bool
	h.Stopped = func() bool {
		if stop.Load() {
			panic("stopped")
		}
		return false
	}
	var wg sync.WaitGroup
	var ids [2]atomic.Uintptr
	for i := range ids {
		f := asWith[func(int) int](t, r, []string{"forever", "fib"}[i%2], h)
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer func() {
				if v := recover(); v != "stopped" {
					t.Error(v)
				}
			}()
			ids[i].Store(thisGoroutine())
			f(80)
		}()
	}
	for i := range ids {
		for ids[i].Load() == 0 {
			runtime.Gosched()
		}
	}
	times := 1
	if thorough.On() {
		times = 2
	}
	for range times {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		if !bytes.Contains(stacks, []byte("native.(*Proc).call")) {
			t.Errorf("no goroutine runs generated code:\n%s", stacks)
		}
		var profile strings.Builder
		if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil || !strings.Contains(profile.String(), "(*Proc).call") {
			t.Errorf("%v: %s", err, profile.String())
		}
		if err := trace.Start(io.Discard); err != nil {
			t.Fatal(err)
		}
		if err := pprof.StartCPUProfile(io.Discard); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		debug.FreeOSMemory()
		n := runtime.GOMAXPROCS(0)
		runtime.GOMAXPROCS(n + 1)
		runtime.GOMAXPROCS(n)
		pprof.StopCPUProfile()
		trace.Stop()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
	}
	stop.Store(true)
	for i := range ids {
		Interrupt(ids[i].Load())
	}
	wg.Wait()
}
