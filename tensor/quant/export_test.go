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

// ProductsAsFloats makes all products of blocks with F16 and BF16 on GPUs ones of floats, or none, until a test ends.
func ProductsAsFloats(t testing.TB, floats bool) {
	usual := asFloats
	asFloats = func(*tensor.Tensor, int) bool { return floats }
	t.Cleanup(func() { asFloats = usual })
}
