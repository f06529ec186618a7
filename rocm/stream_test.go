package rocm

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gorocm/gorocm/rocm/emulator"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// withEvents gives the fake driver events.
func withEvents(f *fake, d *Device) {
	d.drv.EventCreate = func(e *uintptr, flags uint32) driver.Code { *e = 9; return f.call("eventCreate", "%d", flags) }
	d.drv.EventRecord = func(e, stream uintptr) driver.Code { return f.call("eventRecord", "%d %d", e, stream) }
	d.drv.EventDestroy = func(e uintptr) driver.Code { return f.call("eventDestroy", "%d", e) }
	d.drv.StreamWaitEvent = func(stream, e uintptr, flags uint32) driver.Code {
		return f.call("streamWaitEvent", "%d %d %d", stream, e, flags)
	}
}

func TestStreams(t *testing.T) {
	f := newFake(1 << 20)
	d := f.device(t, 0)
	withEvents(f, d)
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { // other tests look at what is open
		registry.Lock()
		delete(registry.devices, s.String())
		registry.Unlock()
	}()
	if !strings.HasPrefix(s.String(), "rocm:0 (stream ") || s.stream != 78 || d.String() != "rocm:0" || !slices.Contains(OpenDevices(), s) {
		t.Errorf("%v has the stream %d", s, s.stream)
	}
	a, b := alloc(t, d, 100), alloc(t, s, 100)
	src, got := bytes.Repeat([]byte{3, 1, 4}, 30), make([]byte, 90)
	if err := a.Upload(0, src); err != nil {
		t.Fatal(err)
	}
	f.take()
	if err := b.CopyFrom(4, a, 0, 90); err != nil {
		t.Fatal(err)
	}
	want := []string{"eventCreate 2", "eventRecord 9 77", "streamWaitEvent 78 9 0", "eventDestroy 9", "copy 90", "eventCreate 2", "eventRecord 9 78", "streamWaitEvent 77 9 0", "eventDestroy 9"}
	if calls := f.take(); !slices.Equal(calls, want) {
		t.Errorf("calls %q, want %q", calls, want)
	}
	if err := b.Download(got, 4); err != nil || !bytes.Equal(got, src) {
		t.Errorf("copied wrongly: %v", err)
	}
	for _, call := range []string{"eventCreate", "eventRecord", "streamWaitEvent", "eventDestroy"} {
		f.fail[call] = driver.CodeInvalidValue
		if err := b.CopyFrom(4, a, 0, 90); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", call, err)
		}
		delete(f.fail, call)
		calls := f.take()
		made, gone := 0, 0
		for _, c := range calls {
			if c == "eventCreate 2" {
				made++
			}
			if c == "eventDestroy 9" {
				gone++
			}
		}
		if call != "eventCreate" && made != gone {
			t.Errorf("%s: %d events made, %d destroyed", call, made, gone)
		}
	}
	d.drv.StreamWaitEvent = nil
	f.take()
	if err := s.WaitStream(d); err != nil || !slices.Equal(f.take(), []string{"streamWait 77"}) {
		t.Errorf("without events: %v", err)
	}
}

// TestCUDAStreams has goroutines use streams of one real GPU.
func TestCUDAStreams(t *testing.T) { streamsTogether(t, cudaDevice(t)) }

// TestStreamsEmulated has them use those of one emulated GPU.
func TestStreamsEmulated(t *testing.T) {
	drv, err := driver.NewEmulator(emulator.Config{Memory: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	d, err := newDevice(drv, Info{Platform: Emulated, Arch: driver.EmulatedArch, Wave: 32, TotalMemory: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	streamsTogether(t, d)
}

// streamsTogether has goroutines use two streams, each of them several, and copy from one to the other.
func streamsTogether(t *testing.T, d *Device) {
	t.Helper()
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		registry.Lock()
		delete(registry.devices, s.String())
		registry.Unlock()
	}()
	var wg sync.WaitGroup
	for g := range 8 {
		own, other := d, s
		if g%2 == 1 {
			own, other = s, d
		}
		wg.Go(func() {
			src, got := bytes.Repeat([]byte{byte(g)}, 1000+g), make([]byte, 1000+g)
			for range 20 {
				a, err1 := own.Alloc(len(src))
				b, err2 := other.Alloc(len(src))
				if err := errors.Join(err1, err2); err != nil {
					t.Error(err)
					return
				}
				err := errors.Join(a.Upload(0, src), b.CopyFrom(0, a, 0, len(src)))
				a.Free()
				if err := errors.Join(err, b.Download(got, 0)); err != nil || !bytes.Equal(got, src) {
					t.Errorf("goroutine %d: changed (%v)", g, err)
				}
				b.Free()
			}
		})
	}
	wg.Wait()
}
