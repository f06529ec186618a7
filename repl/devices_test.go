package repl

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
)

// TestDeviceTimes: of a cell that took long, the front end that asks learns how long the devices worked, and only it.
func TestDeviceTimes(t *testing.T) {
	thorough.Slow(t)
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	run := func(code string, timed bool) Reply {
		t.Helper()
		r := s.Eval(context.Background(), Request{Code: code, Timed: timed}, func(Event) {})
		if r.Err != nil {
			t.Fatal(r.Err.Text(false))
		}
		return r
	}
	run(`x := Device("rocm").Ones(tensor.F32, 64, 64)`, true)
	const slow = "x.MatMul(x).Sum(0); time.Sleep(510 * time.Millisecond)"
	if r := run(slow, false); r.Devices != nil {
		t.Errorf("nobody has asked: %v", r.Devices)
	}
	if r := run("x.MatMul(x).Sum(0);", true); r.Elapsed < timedFrom && r.Devices != nil {
		t.Errorf("a cell of %v: %v", r.Elapsed, r.Devices)
	}
	if r := run("time.Sleep(510 * time.Millisecond)", true); r.Devices != nil {
		t.Errorf("no device has worked: %v", r.Devices)
	}
	r := run(slow, true)
	if len(r.Devices) != 1 || !strings.HasPrefix(r.Devices[0].Device, "rocm:") || r.Devices[0].Time <= 0 ||
		r.Devices[0].Time > r.Elapsed && r.Devices[0].Emulated {
		t.Errorf("a cell of %v: %v", r.Elapsed, r.Devices)
	}
	info := s.Info()
	if len(info.Memory) != 1 || info.Memory[0].Device != r.Devices[0].Device || info.Memory[0].InUse < 64*64*4 ||
		info.Memory[0].Reserved < info.Memory[0].InUse {
		t.Errorf("%+v", info.Memory)
	}
}

// TestBusy: while a cell waits for a device, it can be told for which kernel.
func TestBusy(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	done := make(chan Reply, 1)
	go func() {
		done <- s.Eval(context.Background(), Request{Code: `x := Device("rocm").Ones(tensor.F32, 300, 300)
for { x.MatMul(x).Sum(0) }`}, func(Event) {})
	}()
	// the test's own limit ends a wait in vain
	for busy := ""; !strings.HasPrefix(busy, "matmul") || !strings.Contains(busy, " on rocm:"); busy = s.Info().Busy {
		time.Sleep(time.Millisecond)
	}
	s.Interrupt()
	if r := <-done; r.Err == nil || r.Err.Name != "Interrupted" {
		t.Errorf("%+v", r.Err)
	}
	for s.Info().Busy != "" { // on a busy machine the cell is left behind, and its last kernel ends later
		time.Sleep(time.Millisecond)
	}
}
