package dtypes

import "testing"

func TestHasBF16(t *testing.T) {
	for arch, want := range map[string]bool{
		"gfx900": false, "gfx902": false, "gfx906": false, "gfx906:sramecc+:xnack-": false, "gfx909": false, "gfx90c": false,
		"gfx9-generic": false, "gfx908": true, "gfx90a": true, "gfx90a:sramecc+:xnack-": true, "gfx940": true,
		"gfx942": true, "gfx9-4-generic": false, "gfx950": true, "gfx1010": false, "gfx1030": false, "gfx1036": false,
		"gfx10-3-generic": false, "gfx1100": true, "gfx1103": true, "gfx1151": true, "gfx11-generic": true,
		"gfx1200": true, "gfx1201": true, "gfx1250": true, "sm_60": false, "sm_75": false, "sm_80": true, "sm_89": true,
		"sm_90a": true, "sm_100": true, "sm_120": true, "amd64": false, "": false,
	} {
		if got := HasBF16(arch); got != want {
			t.Errorf("HasBF16(%q) is %v", arch, got)
		}
	}
}
