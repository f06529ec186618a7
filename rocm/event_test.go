package rocm

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorocm/gorocm/rocm/emulator"
	"github.com/gorocm/gorocm/rocm/internal/childtest"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// ownEmulator is a device of an emulated GPU of the test's own.
func ownEmulator(t *testing.T) *Device {
	t.Helper()
	drv, err := driver.NewEmulator(emulator.Config{Memory: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	d, err := newDevice(drv, Info{Arch: driver.EmulatedArch, Platform: Emulated, TotalMemory: 64 << 20, Wave: 32})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestStreamCalls has the stand-in check the arguments of the calls for streams, events and fills.
func TestStreamCalls(t *testing.T) {
	childtest.Run(t, "TestStreamCallsChild", childtest.FakeHIP(t, "testdata")...)
}

func TestStreamCallsChild(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	var busy func(int32)
	var inject func(name string, code, times int32)
	standIn(t, "libamdhip64.so.6", "fakehip_busy", &busy)
	standIn(t, "libamdhip64.so.6", "fakehip_inject", &inject)
	testFill(t, d)
	events := fakeEvents(t)
	transfers := events()
	testEvents(t, d)
	testHostFuncs(t, d)

	e, err := NewEvent(d)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Record(); err != nil {
		t.Fatal(err)
	}
	for _, query := range []func() (bool, error){e.Query, func() (bool, error) { return QueryStream(d) }} {
		busy(1)
		for i, want := range []bool{false, true} {
			if done, err := query(); done != want || err != nil {
				t.Errorf("query %d: %v, %v", i, done, err)
			}
		}
	}
	inject("hipStreamQuery", 700, 1)
	if done, err := QueryStream(d); done || !errors.Is(err, ErrFault) {
		t.Errorf("after a fault: %v, %v", done, err)
	}
	inject("hipLaunchHostFunc", 1, 1)
	if err := LaunchHostFunc(d, func() { t.Error("called") }); !errors.Is(err, ErrInvalid) {
		t.Errorf("a call that the driver refuses: %v", err)
	}
	if least, greatest, err := StreamPriorities(d); least != 1 || greatest != -1 || err != nil {
		t.Errorf("priorities %d to %d, %v", least, greatest, err)
	}
	s, err := NewPriorityStream(d, -1)
	if err != nil || s.stream != 0x57+0x100*15 || !strings.HasPrefix(s.String(), "rocm:0 (stream ") {
		t.Errorf("%v, %v", s, err)
	}
	if _, err := NewPriorityStream(d, -2); !errors.Is(err, ErrInvalid) ||
		err.Error() != "rocm: new stream: priority -2: those of rocm:0 are 1 (the least urgent) to -1" {
		t.Errorf("a priority that there is not: %v", err)
	}
	e = nil
	for i := 0; events() > transfers && i < 100; i++ {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if n := events() - transfers; n != 0 {
		t.Errorf("%d events are left", n)
	}
}

// fakeEvents counts the stand-in's events.
func fakeEvents(t *testing.T) (count func() int32) {
	standIn(t, "libamdhip64.so.6", "fakehip_events", &count)
	return count
}

func TestStreamCallsEmulated(t *testing.T) {
	d := ownEmulator(t)
	testFill(t, d)
	testEvents(t, d)
	testHostFuncs(t, d)
	if done, err := QueryStream(d); !done || err != nil {
		t.Errorf("%v, %v", done, err)
	}
	if _, err := NewPriorityStream(d, 1); !errors.Is(err, ErrInvalid) {
		t.Errorf("priority 1: %v", err)
	}
}

func TestStreamCallsCUDA(t *testing.T) {
	d := cudaDevice(t)
	testFill(t, d)
	testEvents(t, d)
	testHostFuncs(t, d)
	least, greatest, err := StreamPriorities(d)
	if err != nil || greatest > least {
		t.Fatalf("%d to %d, %v", least, greatest, err)
	}
	s, err := NewPriorityStream(d, greatest)
	if err != nil {
		t.Fatal(err)
	}
	testFill(t, s)
	for done, err := QueryStream(s); !done; done, err = QueryStream(s) {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func testFill(t *testing.T, d *Device) {
	t.Helper()
	b := alloc(t, d, 70000)
	got := make([]byte, 70000)
	want := bytes.Repeat([]byte{7}, 70000)
	copy(want[4:], bytes.Repeat([]byte{0, 0, 0x80, 0x3f}, 17000)) // 1.0
	copy(want[69000:], []byte{9, 9, 9})
	if err := errors.Join(b.Fill(0, 70000, 7), b.Fill32(4, 17000, 0x3f800000), b.Fill(69000, 3, 9), b.Fill(70000, 0, 1),
		b.Download(got, 0)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("filled wrongly: %v", err)
	}
	for _, err := range []error{b.Fill(1, 70000, 0), b.Fill(-1, 1, 0), b.Fill32(2, 1, 0), b.Fill32(0, 17501, 0),
		b.Fill32(0, 1<<62, 0), b.Fill32(69999, 1, 0), b.Fill32(0, -1, 0)} {
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("outside: %v", err)
		}
	}
	g, err := d.Capture(func() {
		if err := b.Fill(0, 70000, 3); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if d.info.Platform == HIP { // the stand-in's graphs count launches
		return
	}
	if err := errors.Join(b.Download(got, 0)); err != nil || got[0] != 7 {
		t.Errorf("a capture has filled: %d, %v", got[0], err)
	}
	if err := errors.Join(g.Replay(), b.Download(got, 0)); err != nil || got[0] != 3 || got[69999] != 3 {
		t.Errorf("replayed: %d, %v", got[0], err)
	}
}

func testEvents(t *testing.T, d *Device) {
	t.Helper()
	a, err := NewEvent(d)
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewEvent(d)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Query(); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "was not recorded") {
		t.Errorf("not recorded: %v", err)
	}
	if err := errors.Join(a.Record(), b.Record(), b.Wait()); err != nil {
		t.Fatal(err)
	}
	if done, err := b.Query(); !done || err != nil {
		t.Errorf("%v, %v", done, err)
	}
	if took, err := b.Since(a); err != nil || took < 0 || took > time.Minute {
		t.Errorf("%v, %v", took, err)
	}
	if _, err := b.Since(nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("since nil: %v", err)
	}
}

func testHostFuncs(t *testing.T, d *Device) {
	t.Helper()
	var order []int // by the stream alone
	b := alloc(t, d, 8)
	for i := range 3 {
		if err := errors.Join(b.Fill(0, 8, byte(i)), LaunchHostFunc(d, func() { order = append(order, i) })); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Synchronize(); err != nil || len(order) != 3 || order[0] != 0 || order[2] != 2 {
		t.Errorf("called in the order %v: %v", order, err)
	}
	var inside error
	var calls atomic.Int32
	err := errors.Join(LaunchHostFunc(d, func() {
		inside = b.Fill(0, 8, 1)
		calls.Add(1)
	}), d.Synchronize())
	if err != nil || calls.Load() != 1 || !errors.Is(inside, ErrInvalid) || !strings.Contains(inside.Error(), "a host function must not use a device") {
		t.Errorf("in a host function: %v (%v)", inside, err)
	}
	for _, f := range []func(){func() { panic("oops") }, runtime.Goexit} {
		if err := LaunchHostFunc(d, f); err != nil {
			t.Fatal(err)
		}
		if err := d.Synchronize(); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "host function: it panicked: ") {
			t.Errorf("after a panic: %v", err)
		}
		if err := d.Synchronize(); err != nil {
			t.Errorf("the panic is reported twice: %v", err)
		}
	}
	if err := LaunchHostFunc(d, nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("nil: %v", err)
	}
}
