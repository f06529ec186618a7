package rocm

import (
	"errors"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

func TestEmulatedCaptureAlone(t *testing.T) {
	d, m := emulatedDevice(t)
	testCaptureAlone(t, d, m)
}

func TestCUDACaptureAlone(t *testing.T) {
	d := cudaDevice(t)
	testCaptureAlone(t, d, cudaModule(t, d))
}

// testCaptureAlone captures y = 2x, while another goroutine computes z = 2z, looks at it, and frees memory.
func testCaptureAlone(t *testing.T, d *Device, m *Module) {
	if threadID() == 0 {
		t.Skip("threads can be told apart on Linux and Windows only")
	}
	scale := kernel(t, m, "scale")
	x, y, z := alloc(t, d, 4), alloc(t, d, 4), alloc(t, d, 4)
	one := []byte{0, 0, 0x80, 0x3F}
	double := func(from, to *Buffer) error {
		return d.Launch(scale, [3]int{1, 1, 1}, [3]int{64, 1, 1}, 0, NewArgs().Buffer(from, 0).Buffer(to, 0).F32(2).U64(1))
	}
	if err := errors.Join(x.Upload(0, one), y.Upload(0, one), z.Upload(0, one)); err != nil {
		t.Fatal(err)
	}
	value := func(b *Buffer) float32 { return f32s(t, b)[0] }
	g, err := d.CaptureAlone(func() {
		done := make(chan error)
		go func() {
			passing := alloc(t, d, 4)
			err := errors.Join(double(z, passing), z.CopyFrom(0, passing, 0, 4))
			passing.Free()
			if !passing.freed() {
				t.Error("the memory of others is kept")
			}
			if got := value(z); got != 2 {
				t.Errorf("another goroutine's launch during the capture gave %v", got)
			}
			done <- err
		}()
		if err := errors.Join(double(x, y), <-done); err != nil {
			t.Error(err)
		}
		if err := d.Synchronize(); !errors.Is(err, ErrInvalid) {
			t.Errorf("waiting in a capture: %v", err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if g.Launches() != 1 || value(y) != 1 {
		t.Errorf("%v, y is %v before it is replayed", g, value(y))
	}
	if err := g.Replay(); err != nil || value(y) != 2 || value(z) != 2 {
		t.Errorf("y is %v and z is %v after a replay (%v)", value(y), value(z), err)
	}
}

// TestCaptureAloneStream: what is captured goes to a stream of its own, and what others do to the device's.
func TestCaptureAloneStream(t *testing.T) {
	if threadID() == 0 {
		t.Skip("threads can be told apart on Linux and Windows only")
	}
	f := newFake(4 << 20)
	d := f.device(t, 0)
	d.drv.BeginCapture = func(stream uintptr, mode int32) driver.Code { return f.call("graphBegin", "%d", stream) }
	d.drv.EndCapture = func(stream uintptr, graph *uintptr) driver.Code { *graph = 5; return f.call("graphEnd", "%d", stream) }
	d.drv.GraphInstantiate = func(exec *uintptr, graph uintptr, flags uint64) driver.Code {
		return f.call("graphInstantiate", "%d", graph)
	}
	d.drv.GraphLaunch = func(exec, stream uintptr) driver.Code { return f.call("graphLaunch", "%d", stream) }
	d.drv.GraphDestroy = func(graph uintptr) driver.Code { return f.call("graphDestroy", "%d", graph) }
	d.drv.GraphExecDestroy = func(exec uintptr) driver.Code { return 0 }
	if err := d.counters.allocate(d); err != nil { // what the first capture would make
		t.Fatal(err)
	}
	want := []string{"streamCreate 1", "graphBegin 78", "graphEnd 78", "graphInstantiate 5", "graphDestroy 5", "graphLaunch 77"}
	for range 2 {
		f.take()
		g, err := d.CaptureAlone(func() {
			done := make(chan uintptr)
			go func() { done <- d.workStream() }()
			if own, other := d.workStream(), <-done; own != d.recorder || other != d.stream || own == other {
				t.Errorf("streams %d and %d", own, other)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Replay(); err != nil {
			t.Fatal(err)
		}
		if calls := f.take(); !slices.Equal(calls, want) {
			t.Errorf("calls %q, want %q", calls, want)
		}
		want = want[1:] // the stream is made once
	}
	f.fail["graphBegin"] = driver.CodeInvalidValue
	if _, err := d.CaptureAlone(func() { t.Error("called") }); !errors.Is(err, ErrInvalid) {
		t.Errorf("a capture that does not begin: %v", err)
	}
}
