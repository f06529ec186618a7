package selftest

import (
	"testing"

	"github.com/gorocm/gorocm/rocm"
)

func TestCards(t *testing.T) {
	type key struct {
		name string
		arch string
	}
	seen := map[key]bool{}
	for _, c := range cards {
		if k := (key{c.Name, c.Arch}); seen[k] {
			t.Errorf("%v: twice", k)
		} else {
			seen[k] = true
		}
		if !(c.Memory > 100 && c.Half >= 1.9*c.Single && c.Half < 20*c.Single && c.Single > 5) || c.Sources == "" {
			t.Errorf("%+v", c)
		}
		if generation(c.Arch) == "" && c.Arch != "sm_90" {
			t.Errorf("%s: what is it?", c.Arch)
		}
	}
}

func TestCardOf(t *testing.T) {
	for _, c := range []struct {
		name, arch string
		units      int
		want       string
	}{
		{"AMD Radeon RX 7900 XTX", "gfx1100", 96, "Radeon RX 7900 XTX"},
		{"AMD Radeon RX 7900 XT", "gfx1100", 84, "Radeon RX 7900 XT"},
		{"AMD Instinct MI300X", "gfx942:sramecc+:xnack-", 304, "Instinct MI300X"},
		{"AMD Instinct MI325X", "gfx942:sramecc+:xnack-", 304, "Instinct MI325X"},
		{"AMD Instinct MI300X VF", "gfx942:sramecc+:xnack-", 38, ""}, // a partition
		{"AMD Radeon Graphics", "gfx1100", 84, "Radeon RX 7900 XT"},
		{"gfx1100", "gfx1100", 80, "Radeon RX 7900 GRE"},
		{"AMD Radeon Graphics", "gfx1030", 80, ""},       // two cards have these
		{"AMD Radeon RX 7650 GRE", "gfx1102", 32, ""},    // another card
		{"AMD Radeon 8060S Graphics", "gfx1151", 40, ""}, // no data sheet of memory alone
		{"NVIDIA H200", "sm_90", 132, "H200"},            // beside the H100
		{"NVIDIA H100 80GB HBM3", "sm_90", 132, "H100 80GB HBM3"},
	} {
		got := ""
		if card := cardOf(rocm.Info{Name: c.name, Arch: c.arch, ComputeUnits: c.units, Platform: rocm.HIP}); card != nil {
			got = card.Name
		}
		if got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
	if cardOf(rocm.Info{Name: "emulated gfx1100", Arch: "gfx1100", ComputeUnits: 96, Platform: rocm.Emulated}) != nil {
		t.Error("an emulated GPU has a data sheet")
	}
}
