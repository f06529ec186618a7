package rocm

import (
	"slices"
	"strings"
	"testing"
)

// TestObjectTargets: the targets of LLVM's documentation (AMDGPUUsage, "Generic processors"), and only where the runtime
// loads generic ones.
func TestObjectTargets(t *testing.T) {
	for _, c := range []struct {
		arch         string
		platform     Platform
		major, minor int32
		want         string
	}{
		{"gfx1030", HIP, 6, 4, "gfx1030 gfx10-3-generic"},
		{"gfx1036", HIP, 7, 0, "gfx1036 gfx10-3-generic"},
		{"gfx1101", HIP, 10, 0, "gfx1101 gfx11-generic"},
		{"gfx1151", HIP, 7, 2, "gfx1151 gfx11-generic"},
		{"gfx1201", HIP, 6, 4, "gfx1201 gfx12-generic"},
		{"gfx1201", HIP, 6, 3, "gfx1201"}, // too old
		{"gfx1030", HIP, 5, 7, "gfx1030"},
		{"gfx1250", HIP, 7, 2, "gfx1250"}, // not of gfx12-generic
		{"gfx942:sramecc+:xnack-", HIP, 6, 4, "gfx942:sramecc+:xnack- gfx942 gfx9-4-generic"},
		{"gfx942:sramecc+:xnack-", HIP, 5, 7, "gfx942:sramecc+:xnack- gfx942"},
		{"gfx90a:sramecc+:xnack-", HIP, 7, 0, "gfx90a:sramecc+:xnack- gfx90a"},
		{"gfx1100", Emulated, 0, 0, "gfx1100 gfx11-generic"},
		{"gfx1100:wave64", Emulated, 0, 0, "gfx1100:wave64"},
		{"sm_90", CUDA, 13, 0, "sm_90"},
	} {
		f := newFake(1 << 20)
		f.platform = c.platform
		drv := f.driver()
		drv.Major, drv.Minor = c.major, c.minor
		d := &Device{drv: drv, info: Info{Arch: c.arch, Platform: c.platform}}
		if got := strings.Join(objectTargets(d), " "); got != c.want {
			t.Errorf("%s of %s %d.%d: %s, want %s", c.arch, c.platform, c.major, c.minor, got, c.want)
		}
	}
}

// TestGenericObject: a GPU of a generic target takes its object, and compiles where there is none.
func TestGenericObject(t *testing.T) {
	f := newFake(1 << 20)
	drv := f.driver()
	drv.Major, drv.Minor = 7, 2
	d, err := newDevice(drv, Info{Arch: "gfx1102", Platform: HIP, TotalMemory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	p := Program{Name: "p", Source: func() (string, error) { t.Error("the source was read"); return "", nil },
		Object: func(target string) ([]byte, bool) {
			asked = append(asked, target)
			return []byte(target), target == "gfx11-generic"
		}}
	if m, cached := d.LoadCached(p); !cached || string(m.image) != "gfx11-generic\x00" {
		t.Errorf("%+v, %v", m, cached)
	}
	if want := []string{"gfx1102", "gfx11-generic"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
}
