package rocm

import (
	"encoding/binary"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/rocm/internal/childtest"
)

// f32s reads a buffer of f32.
func f32s(t *testing.T, b *Buffer) []float32 {
	t.Helper()
	raw := make([]byte, b.Len())
	if err := b.Download(raw, 0); err != nil {
		t.Fatal(err)
	}
	list := make([]float32, len(raw)/4)
	for i := range list {
		list[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return list
}

func TestEmulatedGraph(t *testing.T) {
	d, m := emulatedDevice(t)
	testGraph(t, d, m)
}

func TestCUDAGraph(t *testing.T) {
	d := cudaDevice(t)
	testGraph(t, d, cudaModule(t, d))
}

// testGraph captures y = 2x, x = y, and replays it.
func testGraph(t *testing.T, d *Device, m *Module) {
	const n = 1000
	scale := kernel(t, m, "scale")
	x, y := alloc(t, d, 4*n), alloc(t, d, 4*n)
	start := make([]byte, 4*n)
	for i := range n {
		binary.LittleEndian.PutUint32(start[4*i:], math.Float32bits(float32(i)))
	}
	if err := errors.Join(x.Upload(0, start), y.Upload(0, start)); err != nil {
		t.Fatal(err)
	}
	var refused []error
	args := NewArgs()
	g, err := d.Capture(func() {
		between := alloc(t, d, 4*n)
		for _, step := range [][2]*Buffer{{x, between}, {between, y}} {
			k := float32(2)
			if step[1] == y {
				k = 1
			}
			if err := d.Launch(scale, [3]int{4, 1, 1}, [3]int{256, 1, 1}, 0, args.Reset().Buffer(step[0], 0).Buffer(step[1], 0).F32(k).U64(n)); err != nil {
				t.Error(err)
			}
		}
		between.Free() // is kept for the graph
		if err := x.CopyFrom(0, y, 0, 4*n); err != nil {
			t.Error(err)
		}
		refused = append(refused, d.Synchronize(), x.Upload(0, start), x.Download(make([]byte, 4), 0))
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, err := range refused {
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "a capture is under way") {
			t.Errorf("%d: %v", i, err)
		}
	}
	if g.Launches() != 2 || g.String() != "graph of 2 kernels on "+d.String() {
		t.Errorf("%v: %d launches", g, g.Launches())
	}
	if got := f32s(t, x); got[n-1] != n-1 {
		t.Errorf("captured launches ran: %v", got[n-1])
	}
	// Other memory comes and goes: the graph's own must not be among it.
	other := alloc(t, d, 4*n)
	if err := other.Upload(0, start); err != nil {
		t.Fatal(err)
	}
	if err := d.StartProfile(); err != nil {
		t.Fatal(err)
	}
	if err := d.StartTimer(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := g.Replay(); err != nil {
			t.Fatal(err)
		}
	}
	if took, err := d.StopTimer(); took <= 0 || err != nil {
		t.Errorf("three replays took %v (%v)", took, err)
	}
	if list, err := d.StopProfile(); len(list) == 0 || err != nil {
		t.Errorf("the profile of replays is %v (%v)", list, err)
	}
	for i, v := range f32s(t, x) {
		if v != 8*float32(i) {
			t.Fatalf("element %d is %v after three replays, want %v", i, v, 8*i)
		}
	}
	if got := f32s(t, other); got[n-1] != n-1 {
		t.Errorf("the graph wrote to memory of others: %v", got[n-1])
	}
	y.Free()
	if err := g.Replay(); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "memory that the graph uses was freed") {
		t.Errorf("with freed memory: %v", err)
	}
	func() {
		defer func() {
			if recover() != "stop" {
				t.Error("the panic did not come through")
			}
		}()
		_, _ = d.Capture(func() { panic("stop") })
	}()
	if got := f32s(t, x); got[1] != 8 { // the device goes on
		t.Errorf("after a panic: %v", got[1])
	}
	testNestedCapture(t, d)
	done := make(chan bool)
	go func() { // as a cell that is interrupted may end
		defer close(done)
		_, _ = d.Capture(runtime.Goexit)
	}()
	<-done
	if got := f32s(t, x); got[1] != 8 {
		t.Errorf("after a goroutine has ended: %v", got[1])
	}
}

// testNestedCapture: a capture in the function of another is an error, of whatever kind both are, and the outer one goes
// on.
func testNestedCapture(t *testing.T, d *Device) {
	if threadID() == 0 {
		return
	}
	kinds := map[string]func(func()) (*Graph, error){"Capture": d.Capture, "CaptureAlone": d.CaptureAlone,
		"CaptureStep": func(f func()) (*Graph, error) { return CaptureStep(d, f) }}
	for outer, capture := range kinds {
		for inner, again := range kinds {
			_, err := capture(func() {
				if _, err := again(func() {}); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "under way") {
					t.Errorf("%s in %s: %v", inner, outer, err)
				}
				if d.recording() == nil {
					t.Errorf("%s in %s has ended it", inner, outer)
				}
			})
			if err != nil {
				t.Errorf("%s: %v", outer, err)
			}
		}
	}
}

func TestGraph(t *testing.T) {
	env := childtest.FakeHIP(t, "testdata")
	childtest.Run(t, "TestGraphChild", env...)
	childtest.Run(t, "TestGraphChild", append(env, "GOROCM_SYNC=1")...)
}

// TestGraphChild makes the driver's calls for graphs, and each fail in turn.
func TestGraphChild(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	var graphs, replayed func() int32
	var inject func(name string, code, times int32)
	standIn(t, "libamdhip64.so.6", "fakehip_graphs", &graphs)
	standIn(t, "libamdhip64.so.6", "fakehip_replayed", &replayed)
	standIn(t, "libamdhip64.so.6", "fakehip_inject", &inject)
	empty, one := fakeKernel(t, d, "empty"), [3]int{1, 1, 1}
	capture := Capture
	work := func() error {
		g, err := capture(func() {
			for range 5 {
				if err := d.Launch(empty, one, one, 0, nil); err != nil {
					t.Error(err)
				}
			}
		})
		if err != nil {
			return err
		}
		return errors.Join(g.Replay(), g.Replay())
	}
	if err := work(); err != nil || replayed() != 10 {
		t.Errorf("%d launches replayed (%v)", replayed(), err)
	}
	for _, call := range []string{"hipStreamBeginCapture", "hipStreamEndCapture", "hipGraphInstantiateWithFlags", "hipGraphLaunch"} {
		inject(call, 1, 1)
		if err := work(); err == nil || !strings.HasPrefix(err.Error(), "rocm: "+call+": hipErrorInvalidValue (1)") {
			t.Errorf("%s: %v", call, err)
		}
		inject("", 0, 0)
		before := replayed()
		if err := work(); err != nil || replayed() != before+10 {
			t.Errorf("after %s: %v", call, err)
		}
	}
	capture = d.CaptureAlone
	if before := replayed(); work() != nil || replayed() != before+10 {
		t.Errorf("%d launches replayed that one goroutine made", replayed()-before)
	}
	for graphs() > 0 { // graphs go when they are collected; the test's own limit ends a wait in vain
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}

func TestNoGraphs(t *testing.T) {
	d := newFake(1<<20).device(t, 0)
	if _, err := d.Capture(func() { t.Error("called") }); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "the driver has no graphs") {
		t.Errorf("error %v", err)
	}
}
