package rocm

import (
	"bytes"
	"errors"
	"testing"
	"time"
)

// TestCounters: they are one memory for all, zeros, there in a capture that is the first to ask, and zeros again after a kernel that was stopped. The
// state of scans is, too.
func TestCounters(t *testing.T) {
	t.Run("counters", func(t *testing.T) { testKept(t, (*Device).Counters, 4*CounterCount) })
	t.Run("scans", func(t *testing.T) { testKept(t, (*Device).ScanState, ScanStateSize) })
}

func testKept(t *testing.T, kept func(d *Device) (*Buffer, error), size int) {
	d, m := emulatedDevice(t)
	var first *Buffer
	if _, err := d.Capture(func() {
		var err error
		if first, err = kept(d); err != nil {
			t.Error(err)
		}
	}); err != nil {
		t.Fatal(err)
	}
	c, err := kept(d)
	if err != nil || c != first || c.Len() != size {
		t.Fatalf("%v and %v (%v)", c, first, err)
	}
	zeros := func() bool {
		data := make([]byte, c.Len())
		if err := c.Download(data, 0); err != nil {
			t.Fatal(err)
		}
		return bytes.Count(data, []byte{0}) == len(data)
	}
	if !zeros() {
		t.Error("they are not zeros")
	}
	if err := c.Upload(0, []byte{3}); err != nil {
		t.Fatal(err)
	}
	spin, done := kernel(t, m, "spin"), make(chan error)
	flag := alloc(t, d, 4)
	if err := flag.Upload(0, make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	go func() { done <- d.Launch(spin, [3]int{1, 1, 1}, [3]int{32, 1, 1}, 0, NewArgs().Buffer(flag, 0)) }()
	for {
		d.Interrupt() // does nothing until the kernel runs
		select {
		case err := <-done:
			if !errors.Is(err, ErrInterrupted) || !zeros() {
				t.Errorf("error %v, they are zeros: %v", err, zeros())
			}
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}
