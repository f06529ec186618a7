package rocm

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/rocm/emulator"
	"github.com/gorocm/gorocm/rocm/internal/compile"
	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// wideDevice is an emulated gfx1100 with waves of 64.
func wideDevice(t *testing.T) *Device { return emulatedWith(t, "GOROCM_EMULATED_WAVE", "64") }

// instinctDevice is an emulated MI300X.
func instinctDevice(t *testing.T) *Device { return emulatedWith(t, "GOROCM_EMULATED_ARCH", "gfx942") }

// emulatedWith is an emulated device with one of the variables that choose it.
func emulatedWith(t *testing.T, variable, value string) *Device {
	t.Helper()
	if _, err := compile.FindClang(); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{"GOROCM_EMULATED_ARCH", "GOROCM_EMULATED_CORES", "GOROCM_EMULATED_WAVE"} {
		t.Setenv(name, "")
	}
	t.Setenv(variable, value)
	_, infos, err := emulatedDevices("")
	if err != nil {
		t.Fatal(err)
	}
	drv, err := driver.NewEmulator(emulator.Config{Arch: driver.EmulatedGPU(infos[0].Arch), Memory: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	d, err := newDevice(drv, infos[0])
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestKernelsInWavesOf64 compiles a kernel whose work-items see 63 others, on a gfx1100 and on an MI300X.
func TestKernelsInWavesOf64(t *testing.T) {
	for name, device := range map[string]func(*testing.T) *Device{"gfx1100": wideDevice, "gfx942": instinctDevice} {
		t.Run(name, func(t *testing.T) { testWavesOf64(t, device(t)) })
	}
}

func testWavesOf64(t *testing.T, d *Device) {
	const source = `#include <hip/hip_cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void lanes(unsigned *y) {
  unsigned t = threadIdx.x, *at = y + 10 * t;
  unsigned long long odd = __ballot(t % 2);
  *at++ = warpSize;
  *at++ = __lane_id();
  *at++ = (unsigned)odd;
  *at++ = (unsigned)(odd >> 32);
  *at++ = __shfl(t, 63 - (int)__lane_id());
  *at++ = __shfl_xor(t, 33);
  *at++ = __shfl_down(t, 40);
  *at++ = __shfl_up(t, 1, 32);
  auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  *at++ = cg::reduce(tile, t, cg::plus<unsigned>());
  *at++ = t % 64 < 50 ? (unsigned)__popcll(__activemask()) : 0;
}`
	const threads = 128
	y, err := d.Alloc(4 * 10 * threads)
	if err != nil {
		t.Fatal(err)
	}
	if err := launchOne(t, d, "lanes", source, threads, NewArgs().Buffer(y, 0)); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 4*10*threads)
	if err := y.Download(got, 0); err != nil {
		t.Fatal(err)
	}
	for i := range threads {
		wave, lane := i/64*64, i%64
		down, up, on := i+40, i-1, 50
		if lane+40 > 63 {
			down = i
		}
		if lane%32 == 0 {
			up = i
		}
		if lane >= 50 {
			on = 0
		}
		want := []int{64, lane, 0xaaaaaaaa, 0xaaaaaaaa, wave + 63 - lane, wave + lane ^ 33, down, up, 64*wave + 2016, on}
		for k, w := range want {
			if g := binary.LittleEndian.Uint32(got[4*(10*i+k):]); g != uint32(w) {
				t.Errorf("work-item %d: value %d is %d, want %d", i, k, g, w)
			}
		}
	}
	m, err := d.Compile("cell[7]", source)
	if err != nil {
		t.Fatal(err)
	}
	text, err := emulator.Disassemble(m.object, "lanes")
	if err != nil || !strings.Contains(text, "v_cmp_ne_u32 s[") && !strings.Contains(text, ", vcc") {
		t.Errorf("listing (%v)\n%s", err, text)
	}
}

func TestWavesHave32Or64(t *testing.T) {
	t.Setenv("GOROCM_EMULATED_ARCH", "")
	t.Setenv("GOROCM_EMULATED_WAVE", "16")
	if _, _, err := emulatedDevices(""); err == nil || !strings.Contains(err.Error(), `GOROCM_EMULATED_WAVE is "16": waves have 32 or 64 threads`) {
		t.Errorf("error %v", err)
	}
	t.Setenv("GOROCM_EMULATED_CORES", "gfx950")
	t.Setenv("GOROCM_EMULATED_WAVE", "32")
	if _, _, err := emulatedDevices(""); err == nil || !strings.Contains(err.Error(), "GOROCM_EMULATED_CORES gfx950, whose waves have 64 threads") {
		t.Errorf("error %v", err)
	}
	t.Setenv("GOROCM_EMULATED_WAVE", "")
	_, infos, err := emulatedDevices("")
	if err != nil || infos[0].Wave != 64 {
		t.Fatalf("devices %v (%v)", infos, err)
	}
	if base, cores, wide := driver.SplitEmulated(infos[0].Arch); base != driver.EmulatedArch || cores != "950" || !wide {
		t.Errorf("%q is %q, %q, %v", infos[0].Arch, base, cores, wide)
	}
	t.Setenv("GOROCM_EMULATED_CORES", "gfx906")
	if _, _, err := emulatedDevices(""); err == nil || !strings.Contains(err.Error(), `GOROCM_EMULATED_CORES is "gfx906"`) {
		t.Errorf("error %v", err)
	}
	t.Setenv("GOROCM_EMULATED_CORES", "")
	if _, infos, err := emulatedDevices(""); err != nil || infos[0].Wave != 32 || infos[0].Arch != driver.EmulatedArch {
		t.Errorf("devices %v (%v)", infos, err)
	}
}

func TestEmulatedArch(t *testing.T) {
	t.Setenv("GOROCM_EMULATED_WAVE", "")
	t.Setenv("GOROCM_EMULATED_CORES", "")
	t.Setenv("GOROCM_EMULATED_ARCH", "gfx942")
	_, infos, err := emulatedDevices("")
	if err != nil {
		t.Fatal(err)
	}
	i := infos[0]
	if i.Arch != "gfx942:sramecc+:xnack-" || i.Wave != 64 || i.ComputeUnits != 304 || !strings.Contains(i.Name, "MI300X") ||
		!strings.Contains(i.Runtime, "gfx942") {
		t.Errorf("%+v", i)
	}
	for _, arch := range []string{"gfx1200", "gfx1201"} {
		t.Setenv("GOROCM_EMULATED_ARCH", arch)
		if _, infos, err := emulatedDevices(""); err != nil || infos[0].Arch != arch || infos[0].Wave != 32 ||
			!strings.Contains(infos[0].Name, arch) {
			t.Errorf("devices %v (%v)", infos, err)
		}
		if name, runtime := driver.EmulatedName(); name != "emulated "+arch || runtime != arch+" emulator in Go" {
			t.Errorf("%s is named %q, %q", arch, name, runtime)
		}
	}
	t.Setenv("GOROCM_EMULATED_WAVE", "64")
	if _, _, err := emulatedDevices(""); err == nil || !strings.Contains(err.Error(), "GOROCM_EMULATED_WAVE is set, which is for a gfx1100") {
		t.Errorf("error %v", err)
	}
	t.Setenv("GOROCM_EMULATED_WAVE", "")
	t.Setenv("GOROCM_EMULATED_ARCH", "gfx90a")
	if _, _, err := emulatedDevices(""); err == nil || !strings.Contains(err.Error(), `GOROCM_EMULATED_ARCH is "gfx90a": gfx1100, gfx1200, gfx1201 and gfx942 can`) {
		t.Errorf("error %v", err)
	}
}

// TestRDNA4Objects: objects for gfx1200 and of the generic target are loaded by an emulated gfx1200, others are not.
func TestRDNA4Objects(t *testing.T) {
	d := emulatedWith(t, "GOROCM_EMULATED_ARCH", "gfx1200")
	y, err := d.Alloc(256)
	if err != nil {
		t.Fatal(err)
	}
	err = launchOne(t, d, "store", `extern "C" __global__ void store(unsigned *y) { y[threadIdx.x + (1 << 20)] = warpSize; }`,
		64, NewArgs().Buffer(y, 0))
	if err == nil || !strings.Contains(err.Error(), "global_store_b32 v") {
		t.Errorf("error %v", err)
	}
	m, err := d.Compile("cell[1]", `extern "C" __global__ void top(float *y) { y[threadIdx.x] = fmaxf(y[threadIdx.x], 1); }`)
	if err != nil {
		t.Fatal(err)
	}
	text, err := emulator.Disassemble(m.object, "top")
	if err != nil || !strings.Contains(text, "v_max_num_f32 v") || !strings.Contains(text, "s_wait_loadcnt 0x0") {
		t.Errorf("listing (%v)\n%s", err, text)
	}
	if _, err := emulatedWith(t, "GOROCM_EMULATED_ARCH", "gfx1201").Load(Program{Name: "top", Object: func(string) ([]byte, bool) {
		return m.object, true
	}}); err == nil || !strings.Contains(err.Error(), "the code object is for gfx1200, this GPU is a gfx1201") {
		t.Errorf("a gfx1201 loads code of gfx1200: %v", err)
	}
}

// TestInstinctObjects: what clang makes for an MI300X, and no other code, is loaded by an emulated one, and its faults
// name the instruction.
func TestInstinctObjects(t *testing.T) {
	d := instinctDevice(t)
	y, err := d.Alloc(256)
	if err != nil {
		t.Fatal(err)
	}
	err = launchOne(t, d, "store", `extern "C" __global__ void store(unsigned *y) { y[threadIdx.x + (1 << 20)] = warpSize; }`,
		64, NewArgs().Buffer(y, 0))
	if err == nil || !strings.Contains(err.Error(), "global_store_dword v") {
		t.Errorf("error %v", err)
	}
	m, err := d.Compile("cell[1]", `extern "C" __global__ void add(float *y) { y[threadIdx.x] += 1; }`)
	if err != nil {
		t.Fatal(err)
	}
	text, err := emulator.Disassemble(m.object, "add")
	if err != nil || !strings.Contains(text, "v_add_f32 v") || !strings.Contains(text, "s_waitcnt vmcnt(0)") {
		t.Errorf("listing (%v)\n%s", err, text)
	}
	if _, err := wideDevice(t).Load(Program{Name: "add", Object: func(string) ([]byte, bool) { return m.object, true }}); err == nil ||
		!strings.Contains(err.Error(), "gfx942") {
		t.Errorf("a gfx1100 loads code of gfx942: %v", err)
	}
}
