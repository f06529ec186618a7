package emulator_test

import (
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm/emulator"
)

// TestProductKernels decodes every kernel of every code object that the product ships.
func TestProductKernels(t *testing.T) {
	thorough.Slow(t)
	g, err := emulator.New(emulator.Config{Memory: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	found := 0
	for _, family := range thorough.Sample(kernels.Families(), 3, 0) {
		object, ok := kernels.Object(family, "gfx1100")
		if !ok {
			t.Errorf("family %s has no code object for gfx1100", family)
			continue
		}
		m, err := g.Load(object)
		if err != nil {
			t.Errorf("%s: %v", family, err)
			continue
		}
		for _, name := range m.Kernels() {
			found++
			k, err := m.Kernel(name)
			if err != nil {
				t.Error(err)
				continue
			}
			if err := k.Decode(); err != nil {
				t.Errorf("%s: %v", family, err)
			}
		}
		if err := m.Unload(); err != nil {
			t.Error(err)
		}
	}
	if found == 0 {
		t.Fatal("no kernel found")
	}
	t.Logf("%d kernels decoded", found)
}
