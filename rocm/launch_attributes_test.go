package rocm

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/rocm/internal/driver"
)

// TestWants: what a kernel's module says that it wants is asked of the driver, and is in every launch.
func TestWants(t *testing.T) {
	f := newFake(1 << 20)
	f.platform = CUDA
	d := f.device(t, 0)
	d.info.Wave = 32
	sizes := map[string]uintptr{"gr_shared_wide": 160, "gr_helpers_wide": 4, "gr_shared_deep": 64}
	d.drv.ModuleGlobal = func(_, size *uintptr, _ uintptr, name *byte) driver.Code {
		n, ok := sizes[driver.GoString(name)]
		if !ok {
			return driver.CodeNotFound
		}
		*size = n
		return 0
	}
	d.drv.SetFunctionAttribute = func(fn uintptr, attr, value int32) driver.Code { return f.call("functionSet", "%d %d", attr, value) }
	m, err := d.load("p", []byte("object"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kernel, set, launch string
	}{
		{"wide", "functionSet 8 163840", "launch 6 (3 1 1) (384 1 1) 163840"},
		{"deep", "functionSet 8 65536", "launch 6 (3 1 1) (256 1 1) 65536"},
		{"plain", "", "launch 6 (3 1 1) (256 1 1) 0"},
	} {
		f.take()
		k, err := m.Function(c.kernel)
		if err != nil {
			t.Fatal(err)
		}
		if calls := f.take(); c.set != "" && !slices.Contains(calls, c.set) || c.set == "" && len(calls) > 1 {
			t.Errorf("%s: calls %q, want %q", c.kernel, calls, c.set)
		}
		if err := d.Launch(k, [3]int{3, 1, 1}, [3]int{256, 1, 1}, 0, nil); err != nil {
			t.Fatal(err)
		}
		if calls := f.take(); len(calls) != 1 || !strings.HasPrefix(calls[0], c.launch+" ") {
			t.Errorf("%s: calls %q, want %q", c.kernel, calls, c.launch)
		}
	}

	f.fail["functionSet"] = driver.CodeInvalidValue
	sizes["gr_shared_huge"] = 1024
	if _, err := m.Function("huge"); err == nil || !strings.Contains(err.Error(), "cuFuncSetAttribute huge") {
		t.Errorf("more than there is: %v", err)
	}
	d.drv.SetFunctionAttribute = nil
	if _, err := m.Function("huge"); !errors.Is(err, ErrUnsupported) {
		t.Errorf("an old driver: %v", err)
	}
}
