package diffusion_test

import (
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
)

// TestMemory: the steps of a picture free what they have computed, without the garbage collector.
func TestMemory(t *testing.T) {
	thorough.Slow(t)
	gpu, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	if !gpu.Emulated() {
		t.Skip("the figures are those of the emulated GPU")
	}
	dev, err := gpu.NewStream() // with memory of its own
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, "sd21", dev)
	var used []int64
	p.Options.Steps = 3
	p.Options.Each = func(int, int, *tensor.Tensor) { used = append(used, dev.Memory().InUse) }
	p.Picture("a horse")
	latents := int64(4 * p.UNet.Config.Size * p.UNet.Config.Size * 4) // bytes
	if grown := used[2] - used[0]; grown > 8*latents {
		t.Errorf("memory in use grew by %d bytes in two steps, that is %d times a picture: %v", grown, grown/latents, used)
	}
}
