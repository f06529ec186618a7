package run

import (
	"runtime"
	"sync"
	"testing"
)

// TestSettledStacks: stacks count as what is in use after a collection, as they do before the first one.
func TestSettledStacks(t *testing.T) {
	var ready, done sync.WaitGroup
	end := make(chan struct{})
	for range 64 {
		ready.Add(1)
		done.Go(func() { deep(1<<10, func() { ready.Done(); <-end }) })
	}
	ready.Wait()
	m := NewMeter()
	runtime.GC()
	m.settled(0)
	runtime.GC()
	used, _ := m.read()
	settled := m.settled(used)
	stacks := m.samples[1].Value.Uint64()
	close(end)
	done.Wait()
	if stacks < 64<<20 {
		t.Fatalf("the stacks take %d bytes only", stacks)
	}
	if settled < stacks {
		t.Errorf("%d bytes are in use, but the stacks take %d", settled, stacks)
	}
}

// deep calls f with n frames of a kilobyte below it.
func deep(n int, f func()) byte {
	var frame [1 << 10]byte
	if n == 0 {
		f()
		return 0
	}
	frame[n%len(frame)] = deep(n-1, f)
	return frame[(n+1)%len(frame)]
}
