package rocm

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

func TestBufferText(t *testing.T) {
	d := newFake(1<<20).device(t, 0)
	b := alloc(t, d, 1536)
	if got, want := b.String(), fmt.Sprintf("memory of 1.5 KiB at %#x on %v", b.Ptr(), d); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	b.Free()
	if got, want := b.String(), fmt.Sprintf("memory of 1.5 KiB on %v, freed", d); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestBufferCopies(t *testing.T) {
	f := newFake(8 << 20)
	d := f.device(t, 0)
	b, c := alloc(t, d, 300<<10), alloc(t, d, 300<<10)
	src := bytes.Repeat([]byte("0123456789"), 20<<10)
	f.take()
	if err := b.Upload(7, src); err != nil {
		t.Fatal(err)
	}
	if err := c.CopyFrom(100, b, 7, len(src)); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(src)-1)
	if err := c.Download(got, 101); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, src[1:]) {
		t.Error("what came back is not what was sent")
	}
	// The source of an upload may be reused, so a large one waits.
	if got, want := f.take(), []string{"upload 204800", "streamWait 77", "copy 204800", "download 204799", "streamWait 77"}; !slices.Equal(got, want) {
		t.Errorf("calls %q, want %q", got, want)
	}
	for name, err := range map[string]error{
		"Upload":           b.Upload(300<<10-1, []byte{1, 2}),
		"Upload < 0":       b.Upload(-1, []byte{1}),
		"Download":         b.Download(make([]byte, 10), 300<<10-9),
		"CopyFrom dst":     b.CopyFrom(300<<10, c, 0, 1),
		"CopyFrom src":     b.CopyFrom(0, c, 300<<10, 1),
		"CopyFrom n":       b.CopyFrom(0, c, 0, -1),
		"offset + n > 2⁶³": b.CopyFrom(math.MaxInt, c, 0, 2),
	} {
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%s out of range: %v", name, err)
		}
	}
	b.Free()
	if err := b.Upload(0, []byte{1}); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "freed") {
		t.Errorf("upload to a freed buffer: %v", err)
	}
}

func TestCopyBetweenDevices(t *testing.T) {
	thorough.Slow(t)
	f := newFake(64 << 20)
	drv := f.driver()
	var devices [2]*Device
	for i := range devices {
		d, err := newDevice(drv, Info{Index: i, Platform: HIP})
		if err != nil {
			t.Fatal(err)
		}
		devices[i] = d
	}
	a, b := alloc(t, devices[0], 40<<20), alloc(t, devices[1], 20<<20)
	want := bytes.Repeat([]byte{1, 2, 3, 4, 5}, 4<<20)
	if err := a.Upload(3, want); err != nil {
		t.Fatal(err)
	}
	check := func(how string) {
		t.Helper()
		got := make([]byte, len(want))
		if err := b.CopyFrom(0, a, 3, len(want)); err != nil {
			t.Fatal(err)
		}
		if err := b.Download(got, 0); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: copied wrongly (%v)", how, err)
		}
	}
	check("peer copy")
	if f.peers != [2]uintptr{1, 0} {
		t.Errorf("peer copy to and from devices %v", f.peers)
	}
	drv.CopyPeer = nil
	f.take()
	clear(f.bytes(b.Ptr(), uintptr(b.Len())))
	check("through the host")
	if calls := f.take(); !slices.Contains(calls, "download 16777216") || !slices.Contains(calls, "upload 4194304") {
		t.Errorf("calls %q: want pieces of 16 MiB", calls)
	}
}

func TestLaunch(t *testing.T) {
	f := newFake(1 << 20)
	d := f.device(t, 1)
	m, err := d.load("p", []byte("object"))
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Function("k")
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := m.Function("k"); again != k {
		t.Error("Function gives another *Function for the same name")
	}
	f.calls = nil
	if err := d.Launch(k, [3]int{3, 2, 1}, [3]int{64, 4, 1}, 100, NewArgs().U32(7).U64(8)); err != nil {
		t.Fatal(err)
	}
	if got, want := f.calls, []string{"use 1", "launch 6 (3 2 1) (64 4 1) 100 77 0 tags 1 2 3"}; !slices.Equal(got, want) {
		t.Errorf("calls %q, want %q", got, want)
	}
	if want := NewArgs().U32(7).U64(8).Bytes(); !bytes.Equal(f.launched, want) {
		t.Errorf("arguments % x, want % x", f.launched, want)
	}
	if d.Launches() != 1 {
		t.Errorf("%d launches were counted, want 1", d.Launches())
	}
	f.calls = nil
	if err := d.Launch(k, [3]int{0, 1, 1}, [3]int{1, 1, 1}, 0, nil); err != nil || f.calls != nil {
		t.Errorf("an empty grid: %v, calls %q", err, f.calls)
	}
	for _, g := range [][2][3]int{{{1, 1, 1}, {0, 1, 1}}, {{1, 1, 1}, {1025, 1, 1}}, {{1, 1, 1}, {32, 32, 2}}, {{-1, 1, 1}, {1, 1, 1}}, {{1 << 31, 1, 1}, {1, 1, 1}}} {
		if err := d.Launch(k, g[0], g[1], 0, nil); !errors.Is(err, ErrInvalid) {
			t.Errorf("grid %v block %v: %v", g[0], g[1], err)
		}
	}
	// HIP counts the threads of a dimension in 32 bits; CUDA does not.
	for _, c := range []struct {
		platform    Platform
		grid, block [3]int
		want        string
	}{
		{HIP, [3]int{1<<24 - 1, 1, 1}, [3]int{256, 1, 1}, ""},
		{HIP, [3]int{1 << 24, 1, 1}, [3]int{256, 1, 1}, "grid [16777216 1 1] of blocks of [256 1 1] has 4294967296 threads in x, and HIP takes at most 4294967295: launch fewer blocks, " +
			"and let each thread do several elements in a loop with the stride gridDim.x * blockDim.x"},
		{HIP, [3]int{1, 1 << 30, 1}, [3]int{1, 4, 1}, "has 4294967296 threads in y"},
		{CUDA, [3]int{1 << 24, 1, 1}, [3]int{256, 1, 1}, ""},
	} {
		d.info.Platform = c.platform
		err := d.Launch(k, c.grid, c.block, 0, nil)
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v, grid %v, block %v: %v, want %q", c.platform, c.grid, c.block, err, c.want)
		}
	}
	d.info.Platform = HIP
	// A fault is found out later; the error then names the last kernel.
	f.fail["streamWait"] = driver.CodeIllegalAddress
	if err := d.Synchronize(); !errors.Is(err, ErrFault) || !strings.Contains(err.Error(), "rocm: hipStreamSynchronize: hipError700 (700)") ||
		!strings.Contains(err.Error(), "the last kernel launched on rocm:1 was k") {
		t.Errorf("error %v", err)
	}
	f.fail["launch"] = driver.CodeLaunchResources
	if err := d.Launch(k, [3]int{1, 1, 1}, [3]int{1, 1, 1}, 0, nil); !strings.Contains(err.Error(), "rocm: hipModuleLaunchKernel k: hipError701 (701)") {
		t.Errorf("error %v", err)
	}
	f.fail["use"] = driver.CodeInvalidDevice
	if err := d.Synchronize(); !errors.Is(err, ErrNoDevice) || !strings.Contains(err.Error(), "hipSetDevice") {
		t.Errorf("error %v", err)
	}
}

// TestLaunchSetsContext: CUDA is asked to change the thread's context only where it refuses a launch.
func TestLaunchSetsContext(t *testing.T) {
	f := newFake(1 << 20)
	f.platform = CUDA
	d := f.device(t, 0)
	k := &Function{module: &Module{device: d}, name: "k"}
	refuse := 0
	launch := d.drv.Launch
	d.drv.Launch = func(fn uintptr, gx, gy, gz, bx, by, bz, shared uint32, stream, params uintptr, x *driver.LaunchExtra) driver.Code {
		if c := launch(fn, gx, gy, gz, bx, by, bz, shared, stream, params, x); c != 0 || refuse == 0 {
			return c
		}
		refuse--
		return 201 // CUDA_ERROR_INVALID_CONTEXT
	}
	for _, c := range []struct {
		refusals int
		want     string
		err      bool
	}{{0, "launch", false}, {1, "launch use launch", false}, {2, "launch use launch", true}} {
		f.calls, refuse = nil, c.refusals
		err := d.Launch(k, [3]int{1, 1, 1}, [3]int{32, 1, 1}, 0, nil)
		if (err != nil) != c.err || err != nil && !strings.Contains(err.Error(), "cuLaunchKernel k") {
			t.Errorf("%d refusals: %v", c.refusals, err)
		}
		var calls []string
		for _, call := range f.calls {
			name, _, _ := strings.Cut(call, " ")
			calls = append(calls, name)
		}
		if got := strings.Join(calls, " "); got != c.want {
			t.Errorf("%d refusals: calls %q, want %q", c.refusals, got, c.want)
		}
	}
	d.drv.MarkUsed(1) // threads may have the context of the second GPU
	f.calls = nil
	if err := d.Launch(k, [3]int{1, 1, 1}, [3]int{32, 1, 1}, 0, nil); err != nil || len(f.calls) == 0 || !strings.HasPrefix(f.calls[0], "use") {
		t.Errorf("with two GPUs: calls %q, %v", f.calls, err)
	}
}

func TestLoadPrefersObjects(t *testing.T) {
	f := newFake(1 << 20)
	d := f.device(t, 0)
	unread := errors.New("unread")
	program := func(name, arch string) Program {
		return Program{Name: name, Source: func() (string, error) { return "", unread },
			Object: func(a string) ([]byte, bool) { return []byte("object"), a == arch }}
	}
	m, err := d.Load(program("p", "gfx90a"))
	if err != nil || string(m.image) != "object\x00" {
		t.Errorf("with an object for the device: %+v, %v", m, err)
	}
	if again, err := d.Load(Program{Name: "p"}); again != m || err != nil {
		t.Errorf("the same name gives %p and %p, %v", m, again, err)
	}
	if _, err := d.Load(program("q", "gfx1100")); !errors.Is(err, unread) || !strings.Contains(err.Error(), "rocm: source of q: unread") {
		t.Errorf("with an object for another device: %v", err)
	}
	f.fail["moduleLoad"] = driver.CodeInvalidImage
	if _, err := d.Load(program("r", "gfx90a")); !errors.Is(err, unread) {
		t.Errorf("with an object that does not load: %v", err)
	}
	if a := CompileAhead(d, []Program{program("t", "gfx90a")}); a == nil {
		t.Error("nothing")
	} else if n, err := a.Wait(); n != 0 || err != nil {
		t.Errorf("%d programs with objects were compiled ahead of time: %v", n, err)
	}
	p := program("s", "gfx90a")
	p.Source = nil
	if _, err := d.Load(p); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "hipModuleLoadData") {
		t.Errorf("and no source: %v", err)
	}
}

func TestModulesAreLoadedOnce(t *testing.T) {
	f := newFake(1 << 20)
	d := f.device(t, 0)
	var made int
	var wg sync.WaitGroup
	modules := make([]*Module, 8)
	for i := range modules {
		wg.Go(func() {
			modules[i], _ = d.programs.get("m", func() (*Module, error) { made++; return &Module{}, nil })
		})
	}
	wg.Wait()
	for _, m := range modules {
		if m != modules[0] || m == nil {
			t.Fatal("different modules for one name")
		}
	}
	if made != 1 {
		t.Errorf("made %d times", made)
	}
	boom := errors.New("boom")
	for range 2 {
		if _, err := d.programs.get("bad", func() (*Module, error) { made++; return nil, boom }); !errors.Is(err, boom) {
			t.Error(err)
		}
	}
	if made != 3 {
		t.Error("a failure must not be kept")
	}
	f.fail["function"] = driver.CodeNotFound
	_, err := (&Module{device: d, name: "prog"}).Function("nope")
	if !errors.Is(err, ErrNoKernel) || !strings.Contains(err.Error(), "prog has no kernel nope") {
		t.Errorf("error %v", err)
	}
	f.fail["moduleLoad"] = driver.CodeNoBinary
	if _, err := d.load("prog", []byte("x")); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "loading prog on rocm:0, a gfx90a") {
		t.Errorf("error %v", err)
	}
}

func TestStagedUploadsDoNotWait(t *testing.T) {
	f := newFake(8 << 20)
	d := f.device(t, 0)
	pinned := make([]byte, stagingSize)
	d.drv.HostAlloc = func(p *unsafe.Pointer, n uintptr, _ uint32) driver.Code {
		*p = unsafe.Pointer(&pinned[0])
		return f.call("hostAlloc", "%d", n)
	}
	b := alloc(t, d, maxStaged)
	f.take()
	src := make([]byte, maxStaged-1)
	for i := range 40 {
		src[0], src[len(src)-1] = byte(i), byte(i+1)
		if err := b.Upload(1, src); err != nil {
			t.Fatal(err)
		}
		if got := f.bytes(b.Ptr(), maxStaged); got[1] != byte(i) || got[maxStaged-1] != byte(i+1) {
			t.Fatalf("upload %d went wrong", i)
		}
	}
	waits := 0
	for _, c := range f.take() {
		if c == "streamWait 77" {
			waits++
		}
	}
	if waits != 2 { // 16 of them fill the ring
		t.Errorf("%d waits in 40 small uploads", waits)
	}
}

func TestNoPinnedMemory(t *testing.T) {
	f := newFake(8 << 20)
	d := f.device(t, 0)
	d.drv.HostAlloc = func(*unsafe.Pointer, uintptr, uint32) driver.Code {
		return f.call("hostAlloc", "") | driver.CodeOutOfMemory
	}
	b := alloc(t, d, 10)
	f.take()
	for range 2 {
		if err := b.Upload(0, []byte{1, 2, 3}); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := f.take(), []string{"hostAlloc", "upload 3", "streamWait 77", "upload 3", "streamWait 77"}; !slices.Equal(got, want) {
		t.Errorf("calls %q, want %q", got, want)
	}
}

func TestParseSpec(t *testing.T) {
	for spec, want := range map[string]struct {
		platform string
		index    int
		ok       bool
	}{
		"rocm": {"rocm", 0, true}, "rocm:1": {"rocm", 1, true}, "cuda": {"cuda", 0, true}, "cuda:12": {"cuda", 12, true},
		"": {}, "cpu": {}, "rocm:": {}, "rocm:-1": {}, "rocm:x": {}, "rocm:1:2": {}, "ROCM": {},
	} {
		platform, index, err := parseSpec(spec)
		if (err == nil) != want.ok || want.ok && (platform != want.platform || index != want.index) {
			t.Errorf("parseSpec(%q) = %q, %d, %v", spec, platform, index, err)
		}
		if err != nil && !errors.Is(err, ErrInvalid) {
			t.Errorf("parseSpec(%q): %v", spec, err)
		}
	}
}
