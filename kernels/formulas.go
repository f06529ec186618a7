package kernels

import "github.com/gorocm/gorocm/kernels/expr"

// References are the functions of formulas in float64: the references of their rows.
var References = expr.References{Unary: map[string]func(float64) float64{},
	Binary: map[string]func(a, b float64) float64{}}

// Rows that have a formula and no device expression or reference of their own get them from it.
func init() {
	for _, op := range Unary {
		if op.Ref != nil {
			References.Unary[op.Name] = op.Ref
		}
	}
	for _, op := range Binary {
		if op.Ref != nil {
			References.Binary[op.Name] = op.Ref
		}
	}
	for _, op := range Compare {
		References.Binary[op.Name] = func(a, b float64) float64 {
			if op.Ref(a, b) {
				return 1
			}
			return 0
		}
	}
	for i := range Unary {
		op := &Unary[i]
		if op.Formula == "" {
			continue
		}
		e := expr.Must(op.Formula, "x")
		if op.C == "" {
			op.C = e.Device()
		}
		if op.Ref == nil {
			f := e.Func(References, "x")
			op.Ref = func(x float64) float64 { return f(x) }
		}
	}
}

// ownCode are the elementwise operations that have device code, a reference and a vector loop of their own instead of a
// formula, and why. All others are functions of formulas, or have one.
var ownCode = map[string]string{
	"gelu":     "the argument of its exponential needs more digits than a float has",
	"gelu_erf": "far below 0 it is the product of a small and a large number, which are computed together",
	"silu":     "x·sigmoid(x) loses digits where sigmoid is subnormal",
	"relu":     "integers have it, too, and formulas are of floats",
	"powf":     "zero, negative and whole exponents have rules of their own",
	"elu":      "formulas of rows have one operand and no parameter",
}
