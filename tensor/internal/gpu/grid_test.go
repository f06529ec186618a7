package gpu

import (
	"testing"

	"github.com/gorocm/gorocm/kernels"
)

// TestFusedBlocks: how many blocks share 32 Mi elements of f32 out.
func TestFusedBlocks(t *testing.T) {
	steps := func(kinds ...kernels.FusedKind) (list []kernels.FusedStep) {
		for _, k := range kinds {
			list = append(list, kernels.FusedStep{Kind: k})
		}
		return list
	}
	for _, c := range []struct {
		name  string
		steps []kernels.FusedStep
		want  int
	}{
		{"a sum: two packs for each thread", steps(kernels.FusedBinary), 1 << 14},
		{"gelu: two", steps(kernels.FusedUnary), 1 << 14},
		{"a chain with a long formula: four", steps(kernels.FusedBinary, kernels.FusedUnary), 1 << 13},
	} {
		p := kernels.Fused{Steps: c.steps, Pack: 4}
		if got := fusedBlocks(1<<25, &p)[0]; got != c.want {
			t.Errorf("%s: %d blocks, want %d", c.name, got, c.want)
		}
	}
}
