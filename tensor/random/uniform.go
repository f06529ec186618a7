package random

import (
	"reflect"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/domain"
	"github.com/gorocm/gorocm/tensor/internal/extend"
	"github.com/gorocm/gorocm/tensor/random/internal/draw"
	"github.com/gorocm/gorocm/tensor/random/internal/sample"
)

// Uniform returns uniform numbers from lo up to but without hi, finite Go numbers or tensors. Where a bound is a
// tensor, rounding may give hi. The dtype is a float type. It panics with ErrValue when lo is above hi.
func (g *Generator) Uniform(lo, hi any, shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	c := g.floats("uniform", shape, dtype, dev)
	from, to := c.parameter(lo, domain.Finite("the lower bound")), c.parameter(hi, domain.Finite("the upper bound"))
	a, isNumber := from.(float64)
	if b, ok := to.(float64); ok && isNumber {
		if a > b {
			extend.Fail(c.Op, tensor.ErrValue, nil, "", "the lower bound %v is above the upper bound %v", a, b)
		}
		return c.standard(false, a, b)
	}
	l, h := c.asTensor(from), c.asTensor(to)
	domain.FromZero("the width of an interval").Elements(c.Op, h.Sub(l))
	u := c.wide()
	width, least := h.Sub(l).ToDType(u.DType), l.ToDType(u.DType)
	return u.standard(false, 0, 1).Mul(width).Add(least).ToDType(dtype)
}

// Integers returns uniform integers from lo up to but without hi, Go integers. Every integer has the same
// probability. The dtype is an integer type that has room for them; g.Bits gives all values of a type. It panics with
// ErrValue when there is no integer from lo to hi.
func (g *Generator) Integers(lo, hi any, shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	const op = "integers"
	c := g.call(op, shape, dtype, dev)
	if !dtype.IsInt() || dtype == tensor.Bool {
		extend.Fail(op, tensor.ErrDType, nil, "g.Integers(0, 10, shape, tensor.I64, dev).ToDType(tensor.F32) are floats",
			"want an integer type, not %v", dtype)
	}
	low, lowNegative := c.integer(lo)
	high, highNegative := c.integer(hi)
	if lowNegative == highNegative && low >= high || highNegative && !lowNegative {
		extend.Fail(op, tensor.ErrValue, nil, "", "there is no integer from %v up to but without %v", lo, hi)
	}
	least, most := backend.IntRange(dtype)
	last := high - 1 // hi - 1 is negative where hi is, and if hi is 0
	if lowNegative && int64(low) < least || !lowNegative && low > most || !(highNegative || high == 0) && last > most {
		extend.Fail(op, tensor.ErrDType, nil, "tensor.I64 has room for more",
			"%v has no room for %v to %v", dtype, lo, hi)
	}
	return c.integers(low, high-low)
}

// integer returns a Go integer as two's complement of 64 bits, and whether it is negative.
func (c call) integer(v any) (x uint64, negative bool) {
	switch r := reflect.ValueOf(v); {
	case r.IsValid() && r.CanInt():
		return uint64(r.Int()), r.Int() < 0
	case r.IsValid() && r.CanUint():
		return r.Uint(), false
	}
	extend.Fail(c.Op, tensor.ErrDType, nil, "", "want Go integers as bounds, not %v of type %T", v, v)
	return 0, false
}

// integers returns low to low + count-1; a count of 0 is 2^64.
func (c call) integers(low, count uint64) *tensor.Tensor {
	return draw.Integers(c.Into, sample.Integers{Stream: c.g.take(fours(c.count())), Low: low, Range: count})
}

// Bits returns uniform integers from all values of an integer type.
func (g *Generator) Bits(shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	const op = "bits"
	c := g.call(op, shape, dtype, dev)
	if !dtype.IsInt() || dtype == tensor.Bool {
		extend.DType(op, nil, "want an integer type, not %v", dtype)
	}
	if dtype.Size() == 8 {
		return c.integers(0, 0)
	}
	return c.integers(0, 1<<(8*dtype.Size()))
}

// Bernoulli returns booleans, or ones and zeros of another type, that are true with probability p, a Go number or a
// tensor. A probability is resolved to 2⁻⁵³.
func (g *Generator) Bernoulli(p any, shape []int, dtype tensor.DType, dev *tensor.Device) *tensor.Tensor {
	c := g.call("bernoulli", shape, dtype, dev)
	chance := c.parameter(p, domain.Probability("the probability"))
	u := c.in(tensor.F64).standard(false, 0, 1)
	if t, ok := chance.(*tensor.Tensor); ok {
		chance = t.Detach().ToDType(tensor.F64)
	}
	return u.Lt(chance).ToDType(dtype)
}
