package tensor

import "math"

// The gradients of elementwise operations, by the names of the table in package kernels.

// rule is the gradient of an operation of one operand x with the result y: which of them it needs, and the function
// from the gradient of y to that of x. F16, BF16 and F8E4M3 are passed as F32.
type rule struct {
	needs need
	back  func(k, g *Tensor) *Tensor // k is what the function needs
}

type need int

const (
	nothing need = iota
	operandX
	resultY
)

// via binds the rule to the tensors of a call of an operation.
func (r rule) via(op string, x, y *Tensor) via {
	if r.back == nil {
		return withoutRule(op, x)
	}
	var k *Tensor
	switch r.needs {
	case operandX:
		k = x.plain()
	case resultY:
		k = y.plain()
	}
	dt := x.dtype
	return via{x, func(g *Tensor) *Tensor {
		if r.needs == nothing {
			return r.back(nil, g)
		}
		return r.back(k.wide(), g.wide()).ToDType(dt)
	}}
}

// withoutRule is the gradient of an operation without a rule: an error for whoever asks for it.
func withoutRule(op string, x *Tensor) via {
	dev := x.dev
	return via{x, func(g *Tensor) *Tensor {
		e := &Error{Op: "backward", Kind: ErrGradient, Message: op + " has no gradient rule",
			Devices: []string{dev.Location()}}
		check(e.note("x.Detach() keeps gradients from being computed"))
		return nil
	}}
}

// binaryRules returns the gradients of an operation of two operands.
func binaryRules(op string, a, b, y *Tensor) []via {
	if rules := binaryGradients[op]; rules != nil {
		return rules(a, b, y)
	}
	return []via{withoutRule(op, a), withoutRule(op, b)}
}

// paramRule returns the gradient of an operation with a parameter.
func paramRule(op string, p float64) rule {
	if of := paramGradients[op]; of != nil {
		return of(p)
	}
	return rule{}
}

// flat is the rule of operations whose derivative is 0 almost everywhere.
var flat = rule{nothing, func(_, g *Tensor) *Tensor { return g.ZerosLike() }}

// The rules by the names of the table. They are set by init, because they use the operations that look them up.
var (
	unaryGradients  map[string]rule
	paramGradients  map[string]func(p float64) rule
	binaryGradients map[string]func(a, b, y *Tensor) []via // of operands and result, all of one shape
)

func init() {
	unaryGradients = map[string]rule{
		"abs":      {operandX, func(x, g *Tensor) *Tensor { return g.Mul(x.Sign()) }},
		"neg":      {nothing, func(_, g *Tensor) *Tensor { return g.Neg() }},
		"sqr":      {operandX, func(x, g *Tensor) *Tensor { return g.Mul(x).Mul(2) }},
		"sqrt":     {resultY, func(y, g *Tensor) *Tensor { return g.Mul(0.5).Div(y) }},
		"recip":    {resultY, func(y, g *Tensor) *Tensor { return g.Mul(y.Sqr()).Neg() }},
		"exp":      {resultY, func(y, g *Tensor) *Tensor { return g.Mul(y) }},
		"log":      {operandX, func(x, g *Tensor) *Tensor { return g.Div(x) }},
		"expm1":    {operandX, func(x, g *Tensor) *Tensor { return g.Mul(x.Exp()) }},
		"log1p":    {operandX, func(x, g *Tensor) *Tensor { return g.Div(x.Add(1)) }},
		"softplus": {operandX, func(x, g *Tensor) *Tensor { return g.Mul(x.Sigmoid()) }},
		"sin":      {operandX, func(x, g *Tensor) *Tensor { return g.Mul(x.Cos()) }},
		"cos":      {operandX, func(x, g *Tensor) *Tensor { return g.Mul(x.Sin()).Neg() }},
		"tanh":     {resultY, func(y, g *Tensor) *Tensor { return g.Mul(y.Sqr().Affine(-1, 1)) }},
		"erf":      {operandX, func(x, g *Tensor) *Tensor { return g.Mul(x.Sqr().Neg().Exp()).Mul(2 / math.SqrtPi) }},
		"gelu":     {operandX, geluGradient},
		"gelu_erf": {operandX, geluErfGradient},
		"silu": {operandX, func(x, g *Tensor) *Tensor {
			s := x.Sigmoid()
			return g.Mul(s.Affine(-1, 1).Mul(x).Affine(1, 1).Mul(s)) // s (1 + x (1 - s))
		}},
		"sigmoid": {resultY, func(y, g *Tensor) *Tensor { return g.Mul(y).Mul(y.Affine(-1, 1)) }},
		"relu":    {resultY, func(y, g *Tensor) *Tensor { return y.Gt(0).WhereCond(g, 0) }},
		"ceil":    flat, "floor": flat, "round": flat, "sign": flat,
	}

	paramGradients = map[string]func(p float64) rule{
		"powf": func(p float64) rule {
			if p == 0 {
				return flat
			}
			return rule{operandX, func(x, g *Tensor) *Tensor { return g.Mul(x.Powf(p - 1)).Mul(p) }}
		},
		"elu": func(alpha float64) rule {
			return rule{operandX, func(x, g *Tensor) *Tensor {
				return x.Gt(0).WhereCond(g, g.Mul(x.Minimum(0).Exp()).Mul(alpha))
			}}
		},
	}

	binaryGradients = map[string]func(a, b, y *Tensor) []via{
		"add": func(a, b, _ *Tensor) []via { return []via{{a, same}, {b, same}} },
		"sub": func(a, b, _ *Tensor) []via { return []via{{a, same}, {b, (*Tensor).Neg}} },
		"mul": func(a, b, _ *Tensor) []via {
			x, y := a.plain(), b.plain()
			return []via{{a, func(g *Tensor) *Tensor { return g.Mul(y) }},
				{b, func(g *Tensor) *Tensor { return g.Mul(x) }}}
		},
		"div": func(a, b, q *Tensor) []via {
			y, z := b.plain(), q.plain()
			return []via{
				{a, func(g *Tensor) *Tensor { return g.Div(y) }},
				{b, func(g *Tensor) *Tensor { return g.wide().Mul(z.wide()).Div(y.wide()).Neg().ToDType(g.dtype) }},
			}
		},
		"maximum": func(a, b, _ *Tensor) []via { return chosen(a, b, "gt") },
		"minimum": func(a, b, _ *Tensor) []via { return chosen(a, b, "lt") },
		"pow": func(a, b, q *Tensor) []via {
			x, y, z := a.plain(), b.plain(), q.plain()
			return []via{
				{a, func(g *Tensor) *Tensor { // b aᵇ⁻¹, and 0 for b = 0
					u, v := x.wide(), y.wide()
					return v.Eq(0).WhereCond(0, g.wide().Mul(v).Mul(u.Pow(v.Sub(1)))).ToDType(g.dtype)
				}},
				{b, func(g *Tensor) *Tensor { // aᵇ log a, whose limit at a = 0 is 0 for b above 0
					u, w := x.wide(), z.wide()
					return w.Eq(0).WhereCond(0, g.wide().Mul(w).Mul(u.Log())).ToDType(g.dtype)
				}},
			}
		},
	}
}

// geluGradient is that of x/2 (1 + tanh(√(2/π) (x + 0.044715 x³))).
func geluGradient(x, g *Tensor) *Tensor {
	const c, cubic = 0.7978845608028654, 0.044715 // √(2/π)
	square := x.Sqr()
	t := square.Affine(c*cubic, c).Mul(x).Tanh()
	slope := square.Affine(3*c*cubic, c).Mul(t.Sqr().Affine(-1, 1)).Mul(x)
	return g.Mul(t.Affine(1, 1).Add(slope)).Mul(0.5)
}

// geluErfGradient is Φ(x) + x φ(x), with the normal distribution's Φ and its density φ.
func geluErfGradient(x, g *Tensor) *Tensor {
	whole := x.Mul(1/math.Sqrt2).Erf().Affine(0.5, 0.5)
	density := x.Sqr().Mul(-0.5).Exp().Mul(1 / math.Sqrt(2*math.Pi))
	return g.Mul(density.Mul(x).Add(whole))
}

func same(g *Tensor) *Tensor { return g }

// chosen passes the gradient to the operand for which the comparison with the other is true, and half of it to each
// of two equal operands.
func chosen(a, b *Tensor, compare CmpOp) []via {
	x, y := a.plain(), b.plain()
	share := func(x, y *Tensor) func(g *Tensor) *Tensor {
		return func(g *Tensor) *Tensor {
			return x.Cmp(y, compare).WhereCond(g, x.Eq(y).WhereCond(g.Mul(0.5), 0))
		}
	}
	return []via{{a, share(x, y)}, {b, share(y, x)}}
}
