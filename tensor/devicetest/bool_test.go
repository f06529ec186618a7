package devicetest

import (
	"errors"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
)

// TestBoolBytes tries every operation on Bool: it is not defined, or gives another type, or bytes of 0 and 1.
func TestBoolBytes(t *testing.T) {
	thorough.Slow(t)
	rocm, err := tensor.NewDevice("rocm")
	if err != nil {
		t.Fatal(err)
	}
	for _, dev := range []*tensor.Device{tensor.CPU(), rocm} {
		for _, c := range thorough.Sample(typeCases, 1, 0) {
			got, err := tensor.Try(func() *tensor.Tensor { return c.run(operands{dt: tensor.Bool, dev: dev}) })
			switch {
			case errors.Is(err, tensor.ErrDType):
			case err != nil:
				t.Errorf("%s of Bool on %v: %v", c.name, dev, err)
			case got.DType() == tensor.Bool && slices.Max(append(got.ToBytes(), 0)) > 1:
				t.Errorf("%s of Bool on %v: bytes %v", c.name, dev, got.ToBytes())
			}
		}
	}
}
