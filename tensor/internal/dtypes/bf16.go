package dtypes

import (
	"strconv"
	"strings"
)

// HasBF16 reports whether a GPU of an architecture multiplies matrices of BF16: CDNA (gfx908, gfx90a and later), RDNA 3
// and later (gfx11…), and NVIDIA since sm_80. Vega and RDNA 1 and 2 (gfx900, gfx906, gfx1010, gfx1030, …) multiply F16
// in pairs, and have no instructions for BF16.
func HasBF16(arch string) bool {
	arch, _, _ = strings.Cut(arch, ":") // gfx90a:sramecc+:xnack-
	if sm, ok := strings.CutPrefix(arch, "sm_"); ok {
		n, err := strconv.Atoi(strings.TrimRight(sm, "abcdefghijklmnopqrstuvwxyz"))
		return err == nil && n >= 80
	}
	name, ok := strings.CutPrefix(arch, "gfx")
	name, _, _ = strings.Cut(name, "-") // gfx11-generic
	switch {
	case !ok:
		return false
	case strings.HasPrefix(name, "9"):
		return name == "908" || name == "90a" || strings.HasPrefix(name, "94") || strings.HasPrefix(name, "95")
	case strings.HasPrefix(name, "10"):
		return false
	}
	return strings.HasPrefix(name, "11") || strings.HasPrefix(name, "12")
}
