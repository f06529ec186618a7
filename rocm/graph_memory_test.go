package rocm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// scaler launches y = k·x of one F32 on the emulated GPU.
func scaler(t *testing.T, d *Device, m *Module) func(from, to *Buffer, k float32) error {
	scale := kernel(t, m, "scale")
	return func(from, to *Buffer, k float32) error {
		return d.Launch(scale, [3]int{1, 1, 1}, [3]int{64, 1, 1}, 0, NewArgs().Buffer(from, 0).Buffer(to, 0).F32(k).U64(1))
	}
}

// TestGraphMemory: a capture reuses what it frees, others do not get it, and Free gives it back.
func TestGraphMemory(t *testing.T) {
	d, m := emulatedDevice(t)
	double := scaler(t, d, m)
	x, y := alloc(t, d, 4), alloc(t, d, 4)
	if err := x.Upload(0, binary.LittleEndian.AppendUint32(nil, math.Float32bits(1))); err != nil {
		t.Fatal(err)
	}
	if err := d.counters.allocate(d); err != nil { // what the first capture would make
		t.Fatal(err)
	}
	before := d.Memory().InUse
	var result *Buffer
	g, err := d.Capture(func() {
		from := x
		for range 8 {
			to := alloc(t, d, 4)
			if err := double(from, to, 2); err != nil {
				t.Error(err)
			}
			if from != x {
				from.Free()
				from.Free() // as often as one likes
			}
			from = to
		}
		result = from
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Memory().InUse - before; got != int64(2*d.pool.classSize(4)) || g.Memory() != got {
		t.Errorf("%d bytes for a chain of results, the graph has %d, want two results", got, g.Memory())
	}
	for range 20 {
		double(y, alloc(t, d, 4), 3)
	}
	if err := errors.Join(g.Replay(), y.CopyFrom(0, result, 0, 4)); err != nil || f32s(t, y)[0] != 256 {
		t.Errorf("2⁸ is %v (%v)", f32s(t, y), err)
	}
	g.Free()
	g.Free()
	if err := g.Replay(); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "the graph was freed") {
		t.Errorf("a replay of a freed graph: %v", err)
	}
	if err := double(result, y, 1); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "was freed") {
		t.Errorf("the result of a freed graph: %v", err)
	}
}

// TestGraphDifference compares captures that do the same, and others.
func TestGraphDifference(t *testing.T) {
	d, m := emulatedDevice(t)
	double := scaler(t, d, m)
	x, y := alloc(t, d, 4), alloc(t, d, 4)
	capture := func(from *Buffer, k float32, launches int) *Graph {
		g, err := d.Capture(func() {
			for range launches {
				between := alloc(t, d, 4)
				if err := errors.Join(double(from, between, k), x.CopyFrom(0, between, 0, 4)); err != nil {
					t.Error(err)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	g := capture(x, 2, 2)
	for _, c := range []struct {
		other *Graph
		want  string
	}{
		{capture(x, 2, 2), ""},
		{capture(x, 3, 2), "launch 1, scale, has other arguments"},
		{capture(y, 2, 2), "launch 1, scale, uses other memory"},
		{capture(x, 2, 3), "4 launches and copies became 6"},
	} {
		if got := g.Difference(c.other); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestGraphParameters: numbers that change from replay to replay, and functions around replays.
func TestGraphParameters(t *testing.T) {
	d, m := emulatedDevice(t)
	y := alloc(t, d, 4)
	if RecordingOn(d) != nil {
		t.Error("a capture is under way")
	}
	var calls []string
	refuse, count := false, float32(0)
	g, err := d.Capture(func() {
		c := RecordingOn(d)
		c.BeforeReplay(func() error {
			calls = append(calls, "before")
			if refuse {
				return invalid("test", "no")
			}
			return nil
		})
		c.AfterFree(func() { calls = append(calls, "after") })
		if _, _, err := c.Parameter(8, func([]byte) error { return nil }); err != nil {
			t.Error(err)
		}
		b, off, err := c.Parameter(4, func(to []byte) error {
			count++
			binary.LittleEndian.PutUint32(to, math.Float32bits(count))
			return nil
		})
		if err != nil || off != 16 {
			t.Errorf("the second parameter is at %d (%v)", off, err)
		}
		args := NewArgs().Buffer(b, off).Buffer(y, 0).F32(1).U64(1)
		if err := d.Launch(kernel(t, m, "scale"), [3]int{1, 1, 1}, [3]int{64, 1, 1}, 0, args); err != nil {
			t.Error(err)
		}
		if _, _, err := c.Parameter(blockSize+1, nil); !errors.Is(err, ErrInvalid) {
			t.Errorf("a large parameter: %v", err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	launches := d.Launches()
	for i := range 3 {
		if err := g.Replay(); err != nil || f32s(t, y)[0] != float32(i+1) {
			t.Errorf("replay %d: %v (%v)", i, f32s(t, y), err)
		}
	}
	if n := d.Launches() - launches; n != 0 {
		t.Errorf("%d launches beside the replays", n)
	}
	refuse = true
	if err := g.Replay(); !errors.Is(err, ErrInvalid) || f32s(t, y)[0] != 3 {
		t.Errorf("a refused replay: %v, %v", err, f32s(t, y))
	}
	g.Free()
	if got := fmt.Sprint(calls); got != "[before before before before after]" {
		t.Errorf("calls %v", got)
	}
}

// TestCaptureElsewhere: a launch on another device than the captured one is an error, since no replay would repeat it.
func TestCaptureElsewhere(t *testing.T) {
	if threadID() == 0 {
		t.Skip("threads can be told apart on Linux only")
	}
	d, m := emulatedDevice(t)
	other, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { // other tests compile for all devices that are open
		registry.Lock()
		defer registry.Unlock()
		delete(registry.devices, other.name)
	}()
	x, y := alloc(t, d, 4), alloc(t, d, 4)
	launch := scaler(t, d, m)
	for _, capture := range []func(f func()) (*Graph, error){other.Capture, other.CaptureAlone} {
		if _, err := capture(func() {
			err := launch(x, y, 1)
			if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "a capture is under way on "+other.String()) {
				t.Errorf("a launch elsewhere: %v", err)
			}
			done := make(chan error)
			go func() { done <- launch(x, y, 1) }()
			if err := <-done; err != nil {
				t.Errorf("a launch of another goroutine: %v", err)
			}
		}); err != nil {
			t.Error(err)
		}
	}
}
