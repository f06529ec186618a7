package kernels_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/gorocm/gorocm/internal/gen/kernels/build"
	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm/emulator"
)

// TestFirstObjectsAreCurrent needs no compiler: the manifest says of what they were made.
func TestFirstObjectsAreCurrent(t *testing.T) {
	thorough.Slow(t)
	text, err := os.ReadFile("objects/first/manifest.txt")
	if err != nil {
		t.Fatal(err)
	}
	m, err := build.ParseManifest(string(text))
	if err != nil {
		t.Fatal(err)
	}
	unzip, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer unzip.Close()
	var targets []string
	for _, e := range m.Entries {
		targets = append(targets, e.Family)
		if source, err := build.FirstHash(e.Family, m.Compiler); err != nil || source != e.Source {
			t.Errorf("%s: the objects were made of other sources (%v): run go generate ./kernels", e.Family, err)
		}
		packed, err := os.ReadFile("objects/first/" + e.Family + ".zst")
		if err != nil {
			t.Fatal(err)
		}
		if all, err := unzip.DecodeAll(packed, nil); err != nil || build.ObjectHash(all) != e.Object {
			t.Errorf("%s: not the objects in the manifest (%v): run go generate ./kernels", e.Family, err)
		}
		if most := 256 << 10; len(packed) > most {
			t.Errorf("%s: %d bytes, at most %d: a clone has it", e.Family, len(packed), most)
		}
	}
	if !slices.Equal(targets, kernels.FirstTargets) {
		t.Errorf("objects for %q, want %q", targets, kernels.FirstTargets)
	}
}

// machineOf is EF_AMDGPU_MACH of the targets, and the version of generic ones.
var machineOf = map[string]struct{ machine, abi, version uint32 }{
	"gfx10-3-generic": {0x053, 4, 1}, "gfx11-generic": {0x054, 4, 1}, "gfx12-generic": {0x059, 4, 1},
	"gfx942": {0x04c, 3, 0},
}

// TestFirstObjects: each target has each kernel, in an object that says so.
func TestFirstObjects(t *testing.T) {
	for _, target := range kernels.FirstTargets {
		want := machineOf[target]
		for _, kernel := range kernels.FirstPages {
			object, ok := kernels.FirstObject(kernel, target)
			if !ok {
				t.Errorf("%s for %s: none", kernel, target)
				continue
			}
			flags := binary.LittleEndian.Uint32(object[48:])
			if flags&0xff != want.machine || uint32(object[8]) != want.abi || flags>>24 != want.version {
				t.Errorf("%s for %s: flags %#x, ABI version %d", kernel, target, flags, object[8])
			}
			list, _, err := emulator.Inspect(object)
			if err != nil || len(list) != 1 || list[0].Name != kernel {
				t.Errorf("%s for %s: %+v, %v", kernel, target, list, err)
			}
		}
	}
	if _, ok := kernels.FirstObject("add_f32", "gfx1100"); ok {
		t.Error("gfx1100 has objects of families")
	}
	if _, ok := kernels.FirstObject("erf_f32", "gfx11-generic"); ok {
		t.Error("erf_f32 is of no first page")
	}
}

// TestFirstObjectsLoad: the emulated gfx1100 is one of the GPUs of gfx11-generic, and of no other; gfx1200 and gfx1201 are
// those of gfx12-generic, the emulated gfx942 is one of gfx942. Their code is decoded to the end.
func TestFirstObjectsLoad(t *testing.T) {
	for arch, own := range map[string]string{emulator.GFX1100: "gfx11-generic", emulator.GFX942: emulator.GFX942,
		emulator.GFX1200: "gfx12-generic", emulator.GFX1201: "gfx12-generic"} {
		g, err := emulator.New(emulator.Config{Arch: arch, Memory: 64 << 20})
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		for _, name := range kernels.FirstPages {
			for _, target := range kernels.FirstTargets {
				object, _ := kernels.FirstObject(name, target)
				m, err := g.Load(object)
				if (err == nil) != (target == own) {
					t.Errorf("%s for %s on %s: %v", name, target, arch, err)
				}
				if err != nil {
					continue
				}
				if k, err := m.Kernel(name); err != nil || k.Decode() != nil {
					t.Errorf("%s for %s: %v, %v", name, target, err, k.Decode())
				}
			}
		}
	}
}

// TestFirstObjectsRun runs tests of kernels again, by the objects of gfx11-generic, gfx12-generic and gfx942. Package repl
// runs those of whole pages.
func TestFirstObjectsRun(t *testing.T) {
	for target, arch := range map[string]string{"gfx11-generic": emulator.GFX1100, "gfx12-generic": emulator.GFX1200,
		emulator.GFX942: emulator.GFX942} {
		if arch != emulator.GFX1100 && !thorough.On() {
			continue // clang compiles what is not among them
		}
		t.Run(target, func(t *testing.T) {
			t.Setenv("GOROCM_TEST_FIRST", target)
			for name, test := range map[string]func(*testing.T){"where": TestWhere, "copy": TestCopy, "fill": TestFill} {
				t.Run(name, test)
			}
			if _, err := exec.LookPath("clang-19"); err != nil && arch != emulator.GFX1100 {
				return // which kernel stopped a test is not said
			}
			for _, kernel := range []string{"where_u8_b32", "copy_b32", "copy_b64", "fill_b16", "fill_b32", "fill_b64"} {
				if _, ok := modules.Load(arch + "/" + kernel + ".hip"); !ok {
					t.Errorf("%s did not run", kernel)
				}
			}
		})
	}
}

// TestFirstObjectsRebuild: the same compiler makes the same bytes.
func TestFirstObjectsRebuild(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles kernels")
	}
	needClang(t)
	for _, target := range thorough.Sample(kernels.FirstTargets, 3, 0) {
		object, err := build.CompileFirst("add_f32", target)
		if err != nil {
			t.Fatal(err)
		}
		if want, _ := kernels.FirstObject("add_f32", target); !bytes.Equal(object, want) {
			t.Errorf("add_f32 for %s: another object than the embedded one: run go generate ./kernels", target)
		}
	}
}
