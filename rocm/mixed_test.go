package rocm

import (
	"errors"
	"testing"

	"github.com/gorocm/gorocm/rocm/internal/childtest"
)

// TestMixedGPUs has a Radeon and an Instinct in one machine: kernels are compiled for each, and modules of one do not
// go to the other.
func TestMixedGPUs(t *testing.T) {
	env := append(childtest.FakeHIP(t, "testdata"), "FAKEHIP_ARCH=gfx1100:xnack-,gfx90a:sramecc+:xnack-", "FAKEHIP_DEVICES=3")
	childtest.Run(t, "TestMixedGPUsChild", env...)
}

func TestMixedGPUsChild(t *testing.T) {
	childtest.Only(t)
	var list []*Device
	for _, c := range []struct {
		spec, arch  string
		wave, units int
	}{{"rocm:0", "gfx1100:xnack-", 32, 96}, {"rocm:1", "gfx90a:sramecc+:xnack-", 64, 48}, {"rocm:2", "gfx90a:sramecc+:xnack-", 64, 48}} {
		d, err := Open(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		if i := d.Info(); i.Arch != c.arch || i.Wave != c.wave || i.ComputeUnits != c.units || i.Multiprocessors != 48 {
			t.Errorf("%s: %+v", c.spec, i)
		}
		list = append(list, d)
	}
	k, err := Compile("empty", "__global__ void empty() { } // void empty(")
	if err != nil {
		t.Fatal(err)
	}
	objects := map[string]bool{}
	for _, d := range list {
		f, err := k.functionOn(d)
		if err != nil {
			t.Fatal(err)
		}
		object, err := k.CodeObject(d)
		if err != nil || string(object[:11+len(d.info.Arch)]) != "object for "+d.info.Arch {
			t.Errorf("%v: %.40q, %v", d, object, err)
		}
		objects[string(object)] = true
		one := [3]int{1, 1, 1}
		if err := d.Launch(f, one, one, 0, nil); err != nil {
			t.Errorf("%v: %v", d, err)
		}
		for _, other := range list {
			if err := other.Launch(f, one, one, 0, nil); other != d && !errors.Is(err, ErrInvalid) {
				t.Errorf("a kernel of %v launched on %v: %v", d, other, err)
			}
			if _, err := other.load("k", object); (err == nil) != (other.info.Arch == d.info.Arch) {
				t.Errorf("an object for %s loaded on %s: %v", d.info.Arch, other.info.Arch, err)
			}
		}
	}
	if len(objects) != 2 {
		t.Errorf("%d objects", len(objects))
	}
}
