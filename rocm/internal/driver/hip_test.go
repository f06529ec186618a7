package driver

import "testing"

// TestComputeUnits: a Radeon RX 7900 XTX has 96 compute units, of which HIP counts 48 work group processors.
func TestComputeUnits(t *testing.T) {
	for _, c := range []struct {
		arch, mode  string
		count, want int
	}{
		{"gfx1100", "", 48, 96}, {"gfx1030:xnack-", "", 40, 80}, {"gfx1201", "1", 32, 64}, {"gfx1100", "0", 96, 96},
		{"gfx942:sramecc+:xnack-", "", 304, 304}, {"gfx90a", "0", 104, 104}, {"gfx906", "", 60, 60},
	} {
		t.Setenv("GPU_ENABLE_WGP_MODE", c.mode)
		if got := computeUnits(c.arch, c.count); got != c.want {
			t.Errorf("%s with the mode %q: %d, want %d", c.arch, c.mode, got, c.want)
		}
	}
}
