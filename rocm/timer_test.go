package rocm

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/internal/childtest"
)

func TestTimer(t *testing.T) {
	thorough.Slow(t)
	env := buildFakeROCm(t)
	childtest.Run(t, "TestTimerChild", env...)
	childtest.Run(t, "TestSyncChild", append(env, "GOROCM_SYNC=1")...)
	childtest.Run(t, "TestSyncChild", env...)
}

// fakeKernel loads a kernel of the stand-in for HIP.
func fakeKernel(t *testing.T, d *Device, name string) *Function {
	t.Helper()
	m, err := d.load(name, []byte("object for gfx1100:xnack-\nvoid "+name+"("))
	if err != nil {
		t.Fatal(err)
	}
	return kernel(t, m, name)
}

func TestTimerChild(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	var events func() int32
	var inject func(name string, code, times int32)
	standIn(t, "libamdhip64.so.6", "fakehip_events", &events)
	standIn(t, "libamdhip64.so.6", "fakehip_inject", &inject)
	empty, one := fakeKernel(t, d, "empty"), [3]int{1, 1, 1}
	measure := func(work func()) (time.Duration, error) {
		t.Helper()
		if err := d.StartTimer(); err != nil {
			return 0, err
		}
		work()
		return d.StopTimer()
	}
	launch := func() {
		if err := d.Launch(empty, one, one, 0, nil); err != nil {
			t.Error(err)
		}
	}
	product := func() {
		if !gemmCases[0].product(t, d, "f32") {
			t.Error("no product")
		}
	}
	const stand = 1500 * time.Microsecond // what the stand-in says of any two events
	for range 3 {
		for name, tt := range map[string]struct {
			work func()
			want time.Duration
		}{"nothing": {func() {}, 0}, "a kernel": {launch, stand}, "two": {func() { launch(); launch() }, stand}, "a product": {product, stand}} {
			if got, err := measure(tt.work); got != tt.want || err != nil {
				t.Errorf("%s: %v, %v", name, got, err)
			}
		}
	}
	if events() != 2 {
		t.Errorf("%d events live, want the two that are used again", events())
	}
	for _, call := range []string{"hipEventRecord", "hipEventElapsedTime", "hipStreamSynchronize"} {
		_, err := measure(func() { launch(); inject(call, 1, 1) })
		if err == nil || !strings.HasPrefix(err.Error(), "rocm: "+call+": hipErrorInvalidValue (1)") {
			t.Errorf("%s: %v", call, err)
		}
	}
	if got, err := measure(launch); got != stand || err != nil {
		t.Errorf("after errors: %v, %v", got, err)
	}
	if got, err := d.StopTimer(); err != nil {
		t.Errorf("stopped twice: %v, %v", got, err)
	}
}

// TestSyncChild: with GOROCM_SYNC the launch of a kernel that faults fails, without it the next call that waits.
func TestSyncChild(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	err = d.Launch(fakeKernel(t, d, "fault"), [3]int{1, 1, 1}, [3]int{1, 1, 1}, 0, nil)
	if os.Getenv("GOROCM_SYNC") == "" {
		if err != nil {
			t.Errorf("the launch waited: %v", err)
		}
		err = d.Synchronize()
	} else if err == nil || !strings.HasPrefix(err.Error(), "rocm: hipStreamSynchronize fault: hipErrorIllegalAddress (700)") {
		t.Errorf("the launch returned %v", err)
	}
	if !errors.Is(err, ErrFault) || !strings.Contains(err.Error(), "was fault") {
		t.Errorf("error %v", err)
	}
}

// TestEmulatedTimer: the time of the emulated device is that of its kernels. The steps of Windows' clock are longer than
// they take.
func TestEmulatedTimer(t *testing.T) {
	d, m := emulatedDevice(t)
	f := kernel(t, m, "scale")
	if err := d.StartTimer(); err != nil {
		t.Fatal(err)
	}
	if got, err := d.StopTimer(); got != 0 || err != nil {
		t.Errorf("nothing took %v (%v)", got, err)
	}
	b := alloc(t, d, 4096)
	if err := d.StartTimer(); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if err := d.Launch(f, [3]int{1, 1, 1}, [3]int{256, 1, 1}, 0, NewArgs().Buffer(b, 0).Buffer(b, 0).F32(2).U64(1024)); err != nil {
		t.Fatal(err)
	}
	most := time.Since(start)
	if got, err := d.StopTimer(); got < 0 || got == 0 && runtime.GOOS != "windows" || got > most || err != nil {
		t.Errorf("a kernel took %v of %v (%v)", got, most, err)
	}
}
