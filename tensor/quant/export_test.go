package quant

import (
	"testing"

	"github.com/gorocm/gorocm/tensor"
)

// UnpackProducts makes all products of blocks on GPUs unpack their operands first, or none, until a test ends.
func UnpackProducts(t testing.TB, unpack bool) {
	usual := wideProduct
	wideProduct = func(t Type, _ *tensor.Tensor, _, _ int) bool { return unpack && hasCodes(t) }
	t.Cleanup(func() { wideProduct = usual })
}
