package rocm

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/emulator"
	"github.com/gorocm/gorocm/rocm/internal/compile"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// printer is a device whose kernels print into a buffer.
func printer(t *testing.T) (*Device, *bytes.Buffer) {
	t.Helper()
	if _, err := compile.FindClang(); err != nil {
		t.Skip(err)
	}
	t.Setenv("GOROCM_CACHE", t.TempDir())
	out := new(bytes.Buffer)
	drv, err := driver.NewEmulator(emulator.Config{Memory: 64 << 20, Output: out})
	if err != nil {
		t.Fatal(err)
	}
	d, err := newDevice(drv, Info{Arch: driver.EmulatedArch, Platform: Emulated, Wave: 32, TotalMemory: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	return d, out
}

func launchOne(t *testing.T, d *Device, name, source string, threads int, args *Args) error {
	t.Helper()
	m, err := d.Compile("cell[7]", source)
	if err != nil {
		t.Fatal(err)
	}
	err = d.Launch(kernel(t, m, name), [3]int{1, 1, 1}, [3]int{threads, 1, 1}, 0, args)
	return errors.Join(err, d.Synchronize())
}

func TestKernelPrints(t *testing.T) {
	thorough.Slow(t)
	d, out := printer(t)
	const source = `#include <stdio.h>
extern "C" __global__ void say(const char *who, float x) {
  if (threadIdx.x % 2 == 0) printf("%s: thread %d of %u, %.2f and %.1f, %s%c\n", "say", (int)threadIdx.x, (unsigned)blockDim.x, x, x + 0.25, true ? "a longer text" : "", '!');
  if (threadIdx.x == 3) printf("nothing to format\n");
}
extern "C" __global__ void flood() { printf("%d %d %d %d\n", 1, 2, 3, 4); }`
	if err := launchOne(t, d, "say", source, 4, NewArgs().U64(0).F32(1.5)); err != nil {
		t.Fatal(err)
	}
	want := "say: thread 0 of 4, 1.50 and 1.8, a longer text!\nsay: thread 2 of 4, 1.50 and 1.8, a longer text!\nnothing to format\n"
	if out.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", out, want)
	}
	out.Reset()
	m, err := d.Compile("cell[7]", source)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Launch(kernel(t, m, "flood"), [3]int{16, 1, 1}, [3]int{1024, 1, 1}, 0, NewArgs()); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "1 2 3 4\n"); n < 1000 || !strings.Contains(out.String(), "more messages of flood: there was no room for them") {
		t.Errorf("%d messages, and at last %q", n, out.String()[max(0, out.Len()-100):])
	}
}

func TestKernelAsserts(t *testing.T) {
	thorough.Slow(t)
	d, out := printer(t)
	const source = `
extern "C" __global__ void check(int n) {
  int i = threadIdx.x;
  assert(i < n);
}
extern "C" __global__ void quit(int n) {
  if (n > 3)
    abort();
}`
	err := launchOne(t, d, "check", source, 64, NewArgs().I32(40))
	if !errors.Is(err, ErrFault) || !strings.Contains(err.Error(), "assertion i < n failed: block [0 0 0], work-item [40 0 0]") || !strings.Contains(err.Error(), "cell[7]:4") {
		t.Errorf("error %v", err)
	}
	if out.Len() != 0 {
		t.Errorf("printed %q", out)
	}
	if err := launchOne(t, d, "check", source, 64, NewArgs().I32(64)); err != nil {
		t.Error(err)
	}
	if err := launchOne(t, d, "quit", source, 1, NewArgs().I32(3)); err != nil {
		t.Error(err)
	}
	if err := launchOne(t, d, "quit", source, 1, NewArgs().I32(4)); !errors.Is(err, ErrFault) || !strings.Contains(err.Error(), "the kernel trapped") || !strings.Contains(err.Error(), "cell[7]:8") {
		t.Errorf("error %v", err)
	}
}

// TestFaultNamesCell has a kernel that was compiled from source fail: the error has the source and the line.
func TestFaultNamesCell(t *testing.T) {
	d := withCompiler(t)
	if !d.Emulated() {
		t.Skip("no emulated device")
	}
	if c, err := targetOf(d).Compiler(); err != nil || !isClang(c) {
		t.Skip("no clang compiles for it")
	}
	const source = `
__global__ void past(float *x, int n) {
  int i = threadIdx.x;
  x[i + n] = 1;
}`
	k, err := Compile("past", source)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(k.Launch(32, upload32(t, d, make([]float32, 32)...), 1), d.Synchronize())
	var e *Error
	if !errors.As(err, &e) || e.Kind != ErrFault || e.Line != 4 || e.Source != source || !strings.Contains(e.Text, "past:4: global_store_b32") {
		t.Errorf("error %v, line %d of %q", err, e.Line, e.Source)
	}
}

func isClang(c compile.Compiler) bool { _, ok := c.(*compile.Clang); return ok }

func TestParseChecks(t *testing.T) {
	for text, want := range map[string]string{"": "off", "0": "off", "off": "off", "1": "race,init", "on": "race,init", "race": "race", "init, race": "race,init", "RACE": "race"} {
		if c, err := ParseChecks(text); err != nil || c.String() != want {
			t.Errorf("%q: %v (%v), want %s", text, c, err, want)
		}
	}
	if _, err := ParseChecks("races,leaks"); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), `"leaks"`) {
		t.Errorf("error %v", err)
	}
}
