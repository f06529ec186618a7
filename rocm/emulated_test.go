package rocm

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/rocm/emulator"
	"github.com/gorocm/gorocm/rocm/internal/compile"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// emulatedDevice is a fresh emulated device with the kernels of testdata/kernels.hip.
func emulatedDevice(t testing.TB) (*Device, *Module) {
	t.Helper()
	drv, err := driver.NewEmulator(emulator.Config{Memory: 256 << 20})
	if err != nil {
		t.Fatal(err)
	}
	d, err := newDevice(drv, Info{Arch: driver.EmulatedArch, Platform: Emulated, TotalMemory: 256 << 20})
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Load(testProgram(t))
	if err != nil {
		t.Fatal(err)
	}
	return d, m
}

// testProgram is testdata/kernels.hip for every platform.
func testProgram(t testing.TB) Program {
	return Program{
		Name: "kernels",
		Object: func(arch string) ([]byte, bool) {
			if arch != driver.EmulatedArch {
				return nil, false
			}
			b, err := os.ReadFile("testdata/kernels.gfx1100.co")
			if err != nil {
				t.Fatal(err)
			}
			return b, true
		},
		Source: func() (string, error) {
			b, err := os.ReadFile("testdata/kernels.hip")
			return string(b), err
		},
	}
}

func kernel(t testing.TB, m *Module, name string) *Function {
	t.Helper()
	f, err := m.Function(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func floatBytes(v []float32) []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, v)
	return b
}

// testKernels runs the kernels of testdata/kernels.hip and checks what they write.
func testKernels(t *testing.T, d *Device, m *Module) {
	const n = 10_007
	in, want := make([]float32, n), make([]float32, n)
	for i := range in {
		in[i] = float32(i) - 5000
		want[i] = in[i] * 0.3
	}
	a, b := alloc(t, d, 4*n), alloc(t, d, 4*n+100)
	if err := a.Upload(0, floatBytes(in)); err != nil {
		t.Fatal(err)
	}
	args := NewArgs().Buffer(a, 0).Buffer(b, 100).F32(0.3).U64(n)
	if err := d.Launch(kernel(t, m, "scale"), [3]int{7, 1, 1}, [3]int{256, 1, 1}, 0, args); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 4*n)
	if err := b.Download(got, 100); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, floatBytes(want)) {
		t.Error("scale: wrong results")
	}

	words := make([]uint32, 3*200)
	for i := range words {
		words[i] = uint32(i)
	}
	data, _ := binary.Append(nil, binary.LittleEndian, words)
	if err := a.Upload(0, data); err != nil {
		t.Fatal(err)
	}
	if err := d.Launch(kernel(t, m, "reverse"), [3]int{3, 1, 1}, [3]int{200, 1, 1}, 0, NewArgs().Buffer(a, 0)); err != nil {
		t.Fatal(err)
	}
	if err := a.Download(data, 0); err != nil {
		t.Fatal(err)
	}
	for i := range words {
		if got, want := binary.LittleEndian.Uint32(data[4*i:]), uint32(i/200*200+199-i%200); got != want {
			t.Fatalf("reverse: word %d is %d, want %d", i, got, want)
		}
	}

	type inner struct {
		C int8
		D float64
	}
	type outer struct {
		S     int16
		Inner [2]inner
		F     float32
	}
	args = NewArgs().Buffer(b, 8).U32(1).U64(1 << 40).I32(-3).F32(4.5).F64(5.25).
		Struct(&outer{-6, [2]inner{{7, 8.5}, {-9, 10.5}}, 11.5}).U32(12)
	if err := d.Launch(kernel(t, m, "echo"), [3]int{1, 1, 1}, [3]int{1, 1, 1}, 0, args); err != nil {
		t.Fatal(err)
	}
	got = got[:12*8]
	if err := b.Download(got, 8); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1, 1 << 40, -3, 4.5, 5.25, -6, 7, 8.5, -9, 10.5, 11.5, 12} {
		if v := math.Float64frombits(binary.LittleEndian.Uint64(got[8*i:])); v != want {
			t.Errorf("echo: argument %d arrives as %v, want %v", i, v, want)
		}
	}
}

func TestEmulatedKernels(t *testing.T) {
	d, m := emulatedDevice(t)
	testKernels(t, d, m)
}

func TestEmulatedFaultNamesKernel(t *testing.T) {
	d, m := emulatedDevice(t)
	a, b := alloc(t, d, 400), alloc(t, d, 400)
	err := d.Launch(kernel(t, m, "scale"), [3]int{1, 1, 1}, [3]int{256, 1, 1}, 0, NewArgs().Buffer(a, 0).Buffer(b, 0).F32(1).U64(101))
	if err == nil {
		err = d.Synchronize()
	}
	if !errors.Is(err, ErrFault) || !strings.Contains(err.Error(), "scale") || !strings.Contains(err.Error(), "hipErrorIllegalAddress (700)") {
		t.Errorf("one element past the end: %v", err)
	}
	// The device goes on.
	testKernels(t, d, m)
}

func TestEmulatedInterrupt(t *testing.T) {
	d, m := emulatedDevice(t)
	flag := alloc(t, d, 4)
	if err := flag.Upload(0, make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		err := d.Launch(kernel(t, m, "spin"), [3]int{1, 1, 1}, [3]int{32, 1, 1}, 0, NewArgs().Buffer(flag, 0))
		if err == nil {
			err = d.Synchronize()
		}
		done <- err
	}()
	for {
		d.Interrupt() // does nothing until the kernel runs
		select {
		case err := <-done:
			if !errors.Is(err, ErrInterrupted) {
				t.Errorf("error %v", err)
			}
			testKernels(t, d, m)
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func TestEmulatedErrors(t *testing.T) {
	d, m := emulatedDevice(t)
	if _, err := m.Function("nope"); !errors.Is(err, ErrNoKernel) || !strings.Contains(err.Error(), "hipModuleGetFunction: hipErrorNotFound (500): ") {
		t.Errorf("error %v", err)
	}
	if _, err := d.load("junk", []byte("junk")); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "hipModuleLoadData: hipErrorInvalidImage (200): ") {
		t.Errorf("error %v", err)
	}
	if _, err := d.Alloc(1 << 40); !errors.Is(err, ErrOutOfMemory) || !strings.Contains(err.Error(), "no room for 1 TiB") {
		t.Errorf("error %v", err)
	}
	if i := d.Info(); i.Platform != Emulated || !d.Emulated() || d.String() != "rocm:0" {
		t.Errorf("%v: %+v", d, i)
	}
	if _, err := d.Load(Program{Name: "bare"}); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "no code object for gfx1100, and no source") {
		t.Errorf("error %v", err)
	}
}

func TestEmulatedCompile(t *testing.T) {
	thorough.Slow(t)
	if _, err := compile.FindClang(); err != nil {
		t.Skip("no clang 17 or newer")
	}
	t.Setenv("GOROCM_CACHE", t.TempDir())
	d, _ := emulatedDevice(t)
	m, err := d.Compile("mine.hip", `extern "C" __global__ void mine(unsigned *p) { p[blockIdx.x * blockDim.x + threadIdx.x] = gridDim.x + blockDim.x; }`)
	if err != nil {
		t.Fatal(err)
	}
	b := alloc(t, d, 4*96)
	if err := d.Launch(kernel(t, m, "mine"), [3]int{3, 1, 1}, [3]int{32, 1, 1}, 0, NewArgs().Buffer(b, 0)); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 4*96)
	if err := b.Download(got, 0); err != nil || binary.LittleEndian.Uint32(got[4*95:]) != 35 {
		t.Errorf("wrote % x (%v)", got[4*95:], err)
	}
}

func TestHostMemory(t *testing.T) {
	if _, err := os.Stat("/proc/meminfo"); err != nil {
		t.Skip("no /proc/meminfo")
	}
	if n := driver.EmulatedMemory(); n < 64<<20 {
		t.Errorf("emulatedMemory() = %d", n)
	}
	t.Setenv("GOROCM_EMULATED_MEMORY", "12345678")
	if n := driver.EmulatedMemory(); n != 12345678 {
		t.Errorf("emulatedMemory() = %d", n)
	}
}
