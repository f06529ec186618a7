package onnx

import (
	"math"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

var elementwiseOps = []operator{
	{name: "Abs", in: [2]int{1, 1}, run: of((*tensor.Tensor).Abs)},
	{name: "Acos", in: [2]int{1, 1}, run: of((*tensor.Tensor).Acos)},
	{name: "Acosh", in: [2]int{1, 1}, run: of((*tensor.Tensor).Acosh)},
	{name: "Asin", in: [2]int{1, 1}, run: of((*tensor.Tensor).Asin)},
	{name: "Asinh", in: [2]int{1, 1}, run: of((*tensor.Tensor).Asinh)},
	{name: "Atan", in: [2]int{1, 1}, run: of((*tensor.Tensor).Atan)},
	{name: "Atanh", in: [2]int{1, 1}, run: of((*tensor.Tensor).Atanh)},
	{name: "BitwiseNot", in: [2]int{1, 1}, run: of((*tensor.Tensor).BitNot)},
	{name: "Cast", attrs: "to saturate round_mode", in: [2]int{1, 1}, run: cast},
	{name: "CastLike", attrs: "saturate round_mode", in: [2]int{2, 2}, run: castLike},
	{name: "Ceil", in: [2]int{1, 1}, run: of((*tensor.Tensor).Ceil)},
	{name: "Celu", attrs: "alpha", in: [2]int{1, 1}, run: by(celu)},
	{name: "Clip", attrs: "min max", in: [2]int{1, 3}, run: clip},
	{name: "Cos", in: [2]int{1, 1}, run: of((*tensor.Tensor).Cos)},
	{name: "Cosh", in: [2]int{1, 1}, run: of((*tensor.Tensor).Cosh)},
	{name: "Dropout", attrs: "ratio seed is_test", in: [2]int{1, 3}, run: dropout},
	{name: "Elu", attrs: "alpha", in: [2]int{1, 1}, run: by(func(c *call, x *tensor.Tensor) *tensor.Tensor { return x.Elu(c.float("alpha", 1)) })},
	{name: "Erf", in: [2]int{1, 1}, run: of((*tensor.Tensor).Erf)},
	{name: "Exp", in: [2]int{1, 1}, run: of((*tensor.Tensor).Exp)},
	{name: "Floor", in: [2]int{1, 1}, run: of((*tensor.Tensor).Floor)},
	{name: "Gelu", attrs: "approximate", in: [2]int{1, 1}, run: by(gelu)},
	{name: "HardSigmoid", attrs: "alpha beta", in: [2]int{1, 1}, run: by(func(c *call, x *tensor.Tensor) *tensor.Tensor {
		return x.Affine(c.float("alpha", 0.2), c.float("beta", 0.5)).Clamp(0, 1)
	})},
	{name: "HardSwish", in: [2]int{1, 1}, run: of(nn.HardSwish)},
	{name: "Identity", in: [2]int{1, 1}, values: func(c *call) []*value { return c.in }},
	{name: "IsInf", attrs: "detect_negative detect_positive", in: [2]int{1, 1}, run: by(isInf)},
	{name: "IsNaN", in: [2]int{1, 1}, run: of((*tensor.Tensor).IsNaN)},
	{name: "LeakyRelu", attrs: "alpha", in: [2]int{1, 1}, run: by(func(c *call, x *tensor.Tensor) *tensor.Tensor { return nn.LeakyRelu(x, c.float("alpha", 0.01)) })},
	{name: "Log", in: [2]int{1, 1}, run: of((*tensor.Tensor).Log)},
	{name: "Mish", in: [2]int{1, 1}, run: of(nn.Mish)},
	{name: "Neg", in: [2]int{1, 1}, run: of((*tensor.Tensor).Neg)},
	{name: "Not", in: [2]int{1, 1}, run: of((*tensor.Tensor).Not)},
	{name: "Reciprocal", in: [2]int{1, 1}, run: of((*tensor.Tensor).Recip)},
	{name: "Relu", in: [2]int{1, 1}, run: of((*tensor.Tensor).Relu)},
	{name: "Round", in: [2]int{1, 1}, run: of(roundEven)},
	{name: "Selu", attrs: "alpha gamma", in: [2]int{1, 1}, run: by(func(c *call, x *tensor.Tensor) *tensor.Tensor {
		return nn.Selu(x, c.float("alpha", 1.67326319217681884765625), c.float("gamma", 1.05070102214813232421875))
	})},
	{name: "Shrink", attrs: "bias lambd", in: [2]int{1, 1}, run: by(shrink)},
	{name: "Sigmoid", in: [2]int{1, 1}, run: of((*tensor.Tensor).Sigmoid)},
	{name: "Sign", in: [2]int{1, 1}, run: of((*tensor.Tensor).Sign)},
	{name: "Sin", in: [2]int{1, 1}, run: of((*tensor.Tensor).Sin)},
	{name: "Sinh", in: [2]int{1, 1}, run: of((*tensor.Tensor).Sinh)},
	{name: "Softplus", in: [2]int{1, 1}, run: of((*tensor.Tensor).Softplus)},
	{name: "Softsign", in: [2]int{1, 1}, run: of(softsign)},
	{name: "Sqrt", in: [2]int{1, 1}, run: of((*tensor.Tensor).Sqrt)},
	{name: "Swish", attrs: "alpha", in: [2]int{1, 1}, run: by(func(c *call, x *tensor.Tensor) *tensor.Tensor {
		return x.Mul(x.Mul(c.float("alpha", 1)).Sigmoid())
	})},
	{name: "Tan", in: [2]int{1, 1}, run: of((*tensor.Tensor).Tan)},
	{name: "Tanh", in: [2]int{1, 1}, run: of((*tensor.Tensor).Tanh)},
	{name: "ThresholdedRelu", attrs: "alpha", in: [2]int{1, 1}, run: by(func(c *call, x *tensor.Tensor) *tensor.Tensor {
		return x.Gt(c.float("alpha", 1)).WhereCond(x, 0)
	})},
}

// cast converts elements. A Cast to a type that no dtype equals is refused, as its values would be those of a dtype.
func cast(c *call) tensors {
	to, err := elem(c.int("to", 0)).dtype()
	if err != nil {
		c.fail("%v", err)
	}
	return one(c.convert(c.x(0), to))
}

func castLike(c *call) tensors {
	if v := c.in[1]; v != nil && v.elem != 0 {
		c.fail("conversions to %v are not supported", v.elem)
	}
	return one(c.convert(c.x(0), c.x(1).DType()))
}

// convert is ToDType with ONNX's rules: integers that are too large for their type wrap.
func (c *call) convert(x *tensor.Tensor, to tensor.DType) *tensor.Tensor {
	if to == tensor.F8E4M3 && c.int("saturate", 1) == 0 {
		c.fail("conversions to float8e4m3fn with saturate 0 are not supported")
	}
	return x.ToDType(to)
}

// softsign is x / (1 + |x|).
func softsign(x *tensor.Tensor) *tensor.Tensor { return x.Div(x.Abs().Add(1)) }

// celu is max(0, x) + min(0, alpha·(exp(x/alpha) - 1)).
func celu(c *call, x *tensor.Tensor) *tensor.Tensor {
	alpha := c.float("alpha", 1)
	return x.Maximum(0).Add(x.Div(alpha).Expm1().Mul(alpha).Minimum(0))
}

func gelu(c *call, x *tensor.Tensor) *tensor.Tensor {
	switch kind := c.text("approximate", "none"); kind {
	case "none":
		return x.GeluErf()
	case "tanh":
		return x.Gelu()
	default:
		c.fail("there is no approximation %q", kind)
		return nil
	}
}

// clip bounds elements by inputs, and before opset 11 by attributes. A lower bound above the upper one gives the
// upper one.
func clip(c *call) tensors {
	x := c.x(0)
	if c.version < 11 {
		if a := c.attrs["min"]; a != nil {
			x = x.Maximum(float64(a.f))
		}
		if a := c.attrs["max"]; a != nil {
			x = x.Minimum(float64(a.f))
		}
		return one(x)
	}
	if lo := c.opt(1); lo != nil {
		x = x.Maximum(lo.Reshape())
	}
	if hi := c.opt(2); hi != nil {
		x = x.Minimum(hi.Reshape())
	}
	return one(x)
}

// dropout is that of inference: the input itself, and a mask that keeps all.
func dropout(c *call) tensors {
	if c.version < 7 && c.int("is_test", 0) == 0 || c.has(2) && c.integer(2, 0) != 0 && c.number(1, 0.5) != 0 {
		c.fail("a Dropout that trains is not supported")
	}
	x := c.x(0)
	return tensors{x, c.dev.Ones(tensor.Bool, x.Dims()...)}
}

func isInf(c *call, x *tensor.Tensor) *tensor.Tensor {
	low, high := c.int("detect_negative", 1) != 0, c.int("detect_positive", 1) != 0
	switch {
	case low && high:
		return x.IsInf()
	case high:
		return x.Eq(math.Inf(1))
	case low:
		return x.Eq(math.Inf(-1))
	}
	return x.IsInf().ZerosLike()
}

// roundEven rounds halves to even, for which tensors have no operation: half of them, rounded, is never a half.
func roundEven(x *tensor.Tensor) *tensor.Tensor {
	half := x.Sub(x.Trunc()).Abs().Eq(0.5)
	return half.WhereCond(x.Mul(0.5).Round().Mul(2), x.Round())
}

func shrink(c *call, x *tensor.Tensor) *tensor.Tensor {
	bias, limit := c.float("bias", 0), c.float("lambd", 0.5)
	return x.Lt(-limit).WhereCond(x.Add(bias), x.Gt(limit).WhereCond(x.Sub(bias), 0)).ToDType(x.DType())
}
