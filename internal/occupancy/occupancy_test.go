package occupancy

import "testing"

// TestOf: by hand, of what the data sheets say of a SIMD.
func TestOf(t *testing.T) {
	for _, c := range []struct {
		arch                         string
		wave, vgprs, shared, threads int
		waves                        int
		limit                        string
	}{
		{"gfx1100", 32, 96, 0, 256, 16, ""},
		{"gfx1100", 32, 240, 0, 256, 6, "registers"},
		{"gfx1100", 32, 241, 0, 256, 5, "registers"},            // 264 are allocated
		{"gfx1100", 64, 240, 0, 256, 3, "registers"},            // twice as many lanes
		{"gfx1100:x", 32, 8, 60 << 10, 256, 4, "shared memory"}, // two blocks of eight waves on four SIMDs
		{"gfx942", 64, 256, 0, 256, 2, "registers"},
		{"gfx942", 64, 260, 0, 256, 1, "registers"},
		{"gfx942", 64, 512, 40 << 10, 256, 1, "registers"},
		{"gfx950", 64, 128, 70 << 10, 256, 2, "shared memory"}, // 160 KB
		{"gfx1250", 32, 138, 26112, 256, 7, "registers"},       // 144 are allocated, of 1,024
		{"gfx906", 64, 24, 0, 256, 10, ""},
		{"gfx1", 32, 24, 0, 256, 0, ""},
	} {
		if waves, _, limit := Of(c.arch, c.wave, c.vgprs, c.shared, c.threads); waves != c.waves || limit != c.limit {
			t.Errorf("%+v: %d waves, limited by %q", c, waves, limit)
		}
	}
}
