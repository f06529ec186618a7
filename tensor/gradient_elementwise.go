package tensor

import (
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/kernels/expr"
	"github.com/gorocm/gorocm/tensor/internal/backend"
	"github.com/gorocm/gorocm/tensor/internal/formula"
)

// The gradients of elementwise operations are formulas in the op table. They are computed by the operations that they
// name, which a GPU fuses into one kernel.

// gradientRules has the formulas of an operation by its name: one for each operand, nil for an operation without.
var gradientRules = func() map[string][]expr.Expr {
	m := map[string][]expr.Expr{}
	for _, op := range kernels.Unary {
		if op.Grad != "" {
			m[op.Name] = []expr.Expr{expr.Must(op.Grad, "x", "y", "g")}
		}
	}
	for _, op := range kernels.Params {
		if op.Grad != "" {
			m[op.Name] = []expr.Expr{expr.Must(op.Grad, "x", "p", "y", "g")}
		}
	}
	for _, op := range kernels.Binary {
		if op.Grad[0] != "" {
			m[op.Name] = []expr.Expr{expr.Must(op.Grad[0], "a", "b", "y", "g"),
				expr.Must(op.Grad[1], "a", "b", "y", "g")}
		}
	}
	return m
}()

// named is a tensor or a float64 that formulas may mention.
type named struct {
	name  string
	value any
}

// formulaVias returns the gradients of an operation with the result y and these operands, tensors or numbers.
func formulaVias(op string, y *Tensor, operands ...named) (vias []via) {
	formulas := gradientRules[op]
	for _, o := range operands {
		x, ok := o.value.(*Tensor)
		switch {
		case !ok:
			continue
		case formulas == nil:
			vias = append(vias, withoutRule(op, x))
			continue
		}
		f := formulas[len(vias)]
		var kept []named
		for _, v := range slices.Concat(operands, []named{{"y", y}}) {
			if f.Mentions(v.name) {
				kept = append(kept, v)
			}
		}
		vias = append(vias, via{x, func(g *Tensor) *Tensor { return evaluateGradient(f, kept, g) }})
	}
	return vias
}

// withoutRule says of an operation that has no gradient rule that it has none, to those who ask for its gradient.
func withoutRule(op string, x *Tensor) via {
	dev := x.dev
	return via{x, func(g *Tensor) *Tensor {
		e := &Error{Op: "backward", Kind: ErrGradient, Message: op + " has no gradient rule",
			Devices: []string{dev.Location()}}
		check(e.note("x.Detach() keeps gradients from being computed"))
		return nil
	}}
}

// evaluateGradient computes a formula: of F16, BF16 and F8E4M3 in F32 if it has several steps, and rounded once.
func evaluateGradient(f expr.Expr, values []named, g *Tensor) *Tensor {
	wide := f.Steps() > 1
	names := map[string]any{}
	for _, v := range append([]named{{"g", g}}, values...) {
		t, ok := v.value.(*Tensor)
		if ok && t != g {
			v.value = t.plain()
		}
		if ok && wide {
			v.value = v.value.(*Tensor).wide()
		}
		names[v.name] = v.value
	}
	switch v := steps.Evaluate(f, names).(type) {
	case *Tensor:
		return v.ToDType(g.dtype)
	case float64:
		return g.FullLike(v)
	}
	return nil
}

// steps are the operations that formulas name.
var steps formula.Operations[*Tensor]

func init() { // the operations need steps
	steps = formula.Operations[*Tensor]{
		Unary: func(name string, x *Tensor) *Tensor { return must(x.unary(name)) },
		Binary: func(name string, x *Tensor, y any) *Tensor {
			if backend.CompareOps[name] != nil {
				return x.Cmp(y, CmpOp(name))
			}
			return must(x.binary(name, y))
		},
		Affine: func(x *Tensor, mul, add float64) *Tensor { return x.Affine(mul, add) },
		Where:  func(cond *Tensor, yes, no any) *Tensor { return cond.WhereCond(yes, no) },
		Like:   func(x *Tensor, number float64) *Tensor { return x.FullLike(number) },
	}
}
