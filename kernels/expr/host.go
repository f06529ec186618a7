package expr

import "math"

// Reference are the functions of one argument in float64.
var Reference = map[string]func(float64) float64{
	"neg": func(x float64) float64 { return -x }, "abs": math.Abs, "sqr": func(x float64) float64 { return x * x },
	"sqrt": math.Sqrt, "recip": func(x float64) float64 { return 1 / x },
	"floor": math.Floor, "ceil": math.Ceil, "round": math.Round, "sign": sign,
	"exp": math.Exp, "expm1": math.Expm1, "log": math.Log, "log1p": math.Log1p,
	"sin": math.Sin, "cos": math.Cos, "tanh": math.Tanh, "erf": math.Erf, "sigmoid": sigmoid, "softplus": softplus,
}

// Reference2 are the functions of two arguments in float64; comparisons are 1 or 0.
var Reference2 = map[string]func(a, b float64) float64{
	"add": func(a, b float64) float64 { return a + b }, "sub": func(a, b float64) float64 { return a - b },
	"mul": func(a, b float64) float64 { return a * b }, "div": func(a, b float64) float64 { return a / b },
	"pow": math.Pow, "maximum": func(a, b float64) float64 { return max(a, b) },
	"minimum": func(a, b float64) float64 { return min(a, b) },
	"eq":      func(a, b float64) float64 { return holds(a == b) },
	"ne":      func(a, b float64) float64 { return holds(a != b) },
	"lt":      func(a, b float64) float64 { return holds(a < b) },
	"le":      func(a, b float64) float64 { return holds(a <= b) },
	"gt":      func(a, b float64) float64 { return holds(a > b) },
	"ge":      func(a, b float64) float64 { return holds(a >= b) },
}

func holds(c bool) float64 {
	if c {
		return 1
	}
	return 0
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// softplus is log(1 + exp(x)) without overflow.
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// Func returns the formula as a function of the operands' values, in the order of their names.
func (e Expr) Func(operands ...string) func(values ...float64) float64 {
	at := map[string]int{}
	for i, name := range operands {
		at[name] = i
	}
	return compile(e.root, at)
}

func compile(n *Node, at map[string]int) func(values ...float64) float64 {
	switch len(n.Args) {
	case 0:
		if n.Name == "" {
			return func(...float64) float64 { return n.Number }
		}
		i := at[n.Name]
		return func(values ...float64) float64 { return values[i] }
	case 1:
		f, x := Reference[n.Name], compile(n.Args[0], at)
		return func(values ...float64) float64 { return f(x(values...)) }
	case 2:
		f, a, b := Reference2[n.Name], compile(n.Args[0], at), compile(n.Args[1], at)
		return func(values ...float64) float64 { return f(a(values...), b(values...)) }
	}
	c, a, b := compile(n.Args[0], at), compile(n.Args[1], at), compile(n.Args[2], at)
	return func(values ...float64) float64 {
		if c(values...) != 0 {
			return a(values...)
		}
		return b(values...)
	}
}
