package rocm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/rocm/internal/childtest"
)

func TestHIP(t *testing.T) {
	env := childtest.FakeHIP(t, "testdata")
	if out := childtest.Run(t, "TestHIPDevice", env...); strings.Count(out, "fakehip: compiled") != 2 {
		t.Errorf("want two sources compiled, the second time none from the cache:\n%s", out)
	}
	if out := childtest.Run(t, "TestHIPDevice", env...); strings.Contains(out, "fakehip: compiled") {
		t.Errorf("the second process must find compiled kernels in the cache:\n%s", out)
	}
}

// TestHIPDevice runs against the stand-in of testdata/fakehip.c, which checks the arguments of every call.
func TestHIPDevice(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := Open("rocm:0"); again != d {
		t.Error("rocm:0 is another *Device than rocm")
	}
	want := Info{Index: 0, Name: "Fake Radeon 0", Arch: "gfx1100:xnack-", Platform: HIP, Wave: 32, ComputeUnits: 96, Multiprocessors: 48, TotalMemory: 1 << 24,
		Runtime: "HIP 6.3.42134", Library: filepath.Join(os.Getenv("GOROCM_LIBRARY_PATH"), childtest.File("libamdhip64.so.6"))}
	if d.Info() != want || d.Emulated() || d.String() != "rocm:0" {
		t.Errorf("Info() = %+v, want %+v", d.Info(), want)
	}
	if got := Default(); got != "rocm:0 Fake Radeon 0 (gfx1100:xnack-)" {
		t.Errorf("Default() = %q", got)
	}
	if list := Devices(); len(list) < 2 || list[1].Name != "Fake Radeon 1" {
		t.Errorf("Devices() = %+v", list)
	}
	if _, err := Open("rocm:2"); !errors.Is(err, ErrNoDevice) || !strings.Contains(err.Error(), "the last one is rocm:1") {
		t.Errorf("Open(rocm:2): %v", err)
	}

	if _, err := ReadSensors(d.Info()); err == nil || !strings.Contains(err.Error(), "0000:03:00.0") {
		t.Errorf("ReadSensors of a GPU that the system does not show: %v", err)
	}

	// Memory, both ways of uploading, and a copy to the other device.
	for _, n := range []int{1, maxStaged, maxStaged + 1, 3 << 20} {
		src, got := make([]byte, n), make([]byte, n)
		for i := range src {
			src[i] = byte(i * 7)
		}
		b := alloc(t, d, n)
		if err := b.Upload(0, src); err != nil {
			t.Fatal(err)
		}
		other, err := Open("rocm:1")
		if err != nil {
			t.Fatal(err)
		}
		c, e := alloc(t, d, n), alloc(t, other, n)
		if err := errors.Join(c.CopyFrom(0, b, 0, n), e.CopyFrom(0, c, 0, n), e.Download(got, 0)); err != nil || !bytes.Equal(got, src) {
			t.Fatalf("%d bytes: copied wrongly (%v)", n, err)
		}
		b.Free()
		c.Free()
		e.Free()
	}
	if _, err := d.Alloc(1 << 25); !errors.Is(err, ErrOutOfMemory) || !strings.Contains(err.Error(), "rocm: hipMalloc: hipErrorOutOfMemory (2): no room for 32 MiB") {
		t.Errorf("Alloc of too much: %v", err)
	}
	if m := d.Memory(); m.Total != 1<<24 || m.Free <= 0 || m.Buffers != 0 {
		t.Errorf("Memory() = %+v", m)
	}

	// Compile and launch: the library checks every argument of "check".
	m, err := d.Load(Program{Name: "p", Source: func() (string, error) { return "void check(); void fault(); void empty();", nil }})
	if err != nil {
		t.Fatal(err)
	}
	kernel := func(name string) *Function {
		f, err := m.Function(name)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	out := alloc(t, d, 16)
	type inner struct {
		C int8
		D float64
	}
	type outer struct {
		S     int16
		Inner [2]inner
		F     float32
	}
	args := NewArgs().Buffer(out, 0).U32(0xfedcba98).U64(0xfedcba9876543210).I32(-3).F32(1.25).F64(-2.5).
		Struct(&outer{-4, [2]inner{{5, 6.5}, {-7, 8.5}}, 9.5}).U32(10)
	if err := d.Launch(kernel("check"), [3]int{7, 6, 5}, [3]int{32, 4, 2}, 1234, args); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 16)
	if err := out.Download(got, 0); err != nil || math.Float32frombits(binary.LittleEndian.Uint32(got[12:])) != 3.5 {
		t.Errorf("the kernel wrote % x (%v)", got, err)
	}
	if err := d.Launch(kernel("empty"), [3]int{1, 1, 1}, [3]int{1, 1, 1}, 0, nil); err != nil {
		t.Error(err)
	}
	if err := d.Launch(kernel("fault"), [3]int{1, 1, 1}, [3]int{1, 1, 1}, 0, NewArgs()); err != nil {
		t.Errorf("a launch does not wait: %v", err)
	}
	err = d.Synchronize()
	if !errors.Is(err, ErrFault) || !strings.HasPrefix(err.Error(), "rocm: hipStreamSynchronize: hipErrorIllegalAddress (700): words of the fake") ||
		!strings.Contains(err.Error(), "was fault") {
		t.Errorf("error %v", err)
	}
	if _, err := m.Function("nope"); !errors.Is(err, ErrNoKernel) || !strings.Contains(err.Error(), "hipModuleGetFunction: hipErrorNotFound (500): named symbol not found") {
		t.Errorf("error %v", err)
	}
	_, err = d.Compile("k.hip", "void check(); #error")
	if !errors.Is(err, ErrCompile) || !strings.Contains(err.Error(), "compile k.hip: HIPRTC_ERROR_COMPILATION (6)\n  k.hip:1:2: error: found #error") {
		t.Errorf("error %v", err)
	}
	if _, err := d.Compile("k.hip", "void user();"); err != nil {
		t.Error(err)
	}
	d.Interrupt() // does nothing
	if _, err := d.load("foreign", []byte("object for gfx90a")); !errors.Is(err, ErrUnsupported) ||
		!strings.HasPrefix(err.Error(), "rocm: hipModuleLoadData: hipErrorNoBinaryForGpu (209): words of the fake; the code object was built for another GPU") {
		t.Errorf("error %v", err)
	}
}

// TestNoAMDGPU checks the two errors with which HIP says that there is none, and the variables that decide what then happens.
func TestNoAMDGPU(t *testing.T) {
	env := childtest.FakeHIP(t, "testdata")
	for _, none := range []string{"none100", "none101", "0"} {
		childtest.Run(t, "TestNoAMDGPUChild", append(env, "FAKEHIP_DEVICES="+none, "WANT_NOTE=no AMD GPU found: ")...)
	}
	childtest.Run(t, "TestNoAMDGPUChild", append(env, "GOROCM_EMULATE=1", "WANT_NOTE=GOROCM_EMULATE is set")...)
	childtest.Run(t, "TestRequireGPUChild", append(env, "FAKEHIP_DEVICES=0", "GOROCM_REQUIRE_GPU=1")...)
	childtest.Run(t, "TestRequireGPUChild", append(env, "GOROCM_EMULATE=1", "GOROCM_REQUIRE_GPU=1")...)
}

func TestNoAMDGPUChild(t *testing.T) {
	childtest.Only(t)
	d, err := Open("rocm")
	if err != nil {
		t.Fatal(err)
	}
	if i := d.Info(); !d.Emulated() || i.Platform != Emulated || i.Arch != "gfx1100" || !strings.HasPrefix(i.Note, os.Getenv("WANT_NOTE")) {
		t.Errorf("Info() = %+v", i)
	}
	if got := Default(); !strings.HasPrefix(got, "rocm:0 emulated gfx1100 (") {
		t.Errorf("Default() = %q", got)
	}
	if _, err := Open("rocm:1"); !errors.Is(err, ErrNoDevice) || !strings.Contains(err.Error(), "the emulated rocm:0 is the only one") {
		t.Errorf("Open(rocm:1): %v", err)
	}
}

func TestRequireGPUChild(t *testing.T) {
	childtest.Only(t)
	_, err := Open("rocm")
	if err == nil || !strings.Contains(err.Error(), "GOROCM_REQUIRE_GPU") {
		t.Errorf("Open(rocm): %v", err)
	}
	if os.Getenv("GOROCM_EMULATE") == "" {
		if got := Default(); !errors.Is(err, ErrNoDevice) || !strings.HasPrefix(got, "rocm: open rocm: no AMD GPU found: ") {
			t.Errorf("%v; Default() = %q", err, got)
		}
	}
}
