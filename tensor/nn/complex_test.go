package nn_test

import (
	"errors"
	"math/cmplx"
	"strings"
	"testing"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// TestComplexVariables: gradient descent takes complex variables, AdamW those of their parts.
func TestComplexVariables(t *testing.T) {
	loss := func(z *tensor.Tensor) *tensor.Tensor { return z.Sqr().Sub(3 + 4i).Abs().Sqr() }
	z := tensor.NewVar(tensor.New(1 + 0i))
	sgd := nn.NewSGD([]*tensor.Tensor{z}, 0.01)
	sgd.Momentum = 0.5
	for range 300 {
		nn.BackwardStep(sgd, loss(z))
	}
	if got := tensor.ToScalar[complex128](z); cmplx.Abs(got-(2+1i)) > 1e-9 {
		t.Errorf("gradient descent found the root %v", got)
	}
	_, err := tensor.Try(func() *tensor.Tensor {
		nn.NewAdamW([]*tensor.Tensor{z}, nn.DefaultAdamW())
		return nil
	})
	if !errors.Is(err, tensor.ErrDType) || !strings.Contains(err.Error(), "variable 0 of 1 is complex: c128") {
		t.Errorf("AdamW of a complex variable: %v", err)
	}
	parts := tensor.NewVar(tensor.New([]float64{1, 0}))
	c := nn.DefaultAdamW()
	c.LR, c.WeightDecay = 0.05, 0
	adam := nn.NewAdamW([]*tensor.Tensor{parts}, c)
	for range 500 {
		nn.BackwardStep(adam, loss(parts.ViewAsComplex()))
	}
	if got := tensor.ToScalar[complex128](parts.ViewAsComplex()); cmplx.Abs(got-(2+1i)) > 1e-6 {
		t.Errorf("AdamW found the root %v", got)
	}
}
