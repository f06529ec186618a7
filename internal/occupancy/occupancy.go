// Package occupancy says how many waves of a kernel a SIMD of an AMD GPU holds.
package occupancy

import "strings"

// simdLimits are the resources of a SIMD of an AMD GPU, which its waves share: registers of a lane, the granularity of
// their allocation, and waves. The blocks on a compute unit share lds; from gfx10 on those on a work group processor,
// which is two compute units. It has so many SIMDs.
type simdLimits struct{ registers, granularity, waves, lds, simds int }

func simdOf(arch string, wave int) (simdLimits, bool) {
	base, _, _ := strings.Cut(arch, ":")
	s, ok := map[string]simdLimits{
		"gfx906": {256, 4, 10, 64 << 10, 4}, "gfx908": {256, 4, 10, 64 << 10, 4},
		"gfx90a": {512, 8, 8, 64 << 10, 4}, "gfx942": {512, 8, 8, 64 << 10, 4},
		"gfx950": {512, 8, 8, 160 << 10, 4}, "gfx9-4-generic": {512, 8, 8, 64 << 10, 4},
		"gfx1030": {1024, 16, 16, 128 << 10, 4}, "gfx1031": {1024, 16, 16, 128 << 10, 4}, "gfx1032": {1024, 16, 16, 128 << 10, 4},
		"gfx1100": {1536, 24, 16, 128 << 10, 4}, "gfx1101": {1536, 24, 16, 128 << 10, 4}, "gfx1151": {1536, 24, 16, 128 << 10, 4},
		"gfx1102": {1024, 16, 16, 128 << 10, 4}, "gfx1103": {1024, 16, 16, 128 << 10, 4}, "gfx1150": {1024, 16, 16, 128 << 10, 4},
		"gfx1200": {1536, 24, 16, 128 << 10, 4}, "gfx1201": {1536, 24, 16, 128 << 10, 4},
		"gfx1250": {1024, 16, 16, 320 << 10, 4},
	}[base]
	if wave == 64 && s.registers > 512 { // a register of a wave64 is two of a wave32
		s.registers, s.granularity = s.registers/2, s.granularity/2
	}
	return s, ok
}

// Of is the number of waves of a kernel that a SIMD can hold at a time, the maximum of any kernel, and what
// limits it: registers, shared memory, or nothing. vgprs are those of a thread, shared the bytes of a block of so many
// threads. All are 0 for an unknown architecture.
func Of(arch string, wave, vgprs, shared, threads int) (waves, most int, limit string) {
	s, ok := simdOf(arch, wave)
	if !ok || wave == 0 {
		return 0, 0, ""
	}
	waves, most = s.waves, s.waves
	limited := func(n int, what string) {
		if n < waves {
			waves, limit = max(n, 1), what
		}
	}
	if taken := (vgprs + s.granularity - 1) / s.granularity * s.granularity; taken > 0 {
		limited(s.registers/taken, "registers")
	}
	if perBlock := (threads + wave - 1) / wave; shared > 0 {
		limited(s.lds/((shared+511)/512*512)*perBlock/s.simds, "shared memory")
	}
	return waves, most, limit
}
