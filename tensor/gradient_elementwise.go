package tensor

import (
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/kernels/expr"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// The gradients of elementwise operations are formulas in the op table. They are computed by the operations that they
// name, which a GPU fuses into one kernel.

// gradients has the formulas of an operation by its name: one for each operand, nil for an operation without.
var gradients = func() map[string][]expr.Expr {
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

// formulaVias returns the gradients of an operation with the result y and these operands, each of which is a tensor or
// a number.
func formulaVias(op string, y *Tensor, operands ...named) (vias []via) {
	formulas := gradients[op]
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

// evaluateGradient computes a formula. F16, BF16 and F8E4M3 are computed in F32 where there is more than one step, and
// rounded once.
func evaluateGradient(f expr.Expr, values []named, g *Tensor) *Tensor {
	wide := f.Steps() > 1
	e := evaluation{values: map[string]any{}, results: map[*expr.Node]any{}}
	for _, v := range append([]named{{"g", g}}, values...) {
		t, ok := v.value.(*Tensor)
		if ok && t != g {
			v.value = t.plain()
		}
		if ok && wide {
			v.value = v.value.(*Tensor).wide()
		}
		e.values[v.name] = v.value
	}
	switch v := e.value(f.Root()).(type) {
	case *Tensor:
		return v.ToDType(g.dtype)
	case float64:
		return g.FullLike(v)
	}
	return nil
}

// evaluation computes a formula of tensors and numbers. Values are *Tensor or float64.
type evaluation struct {
	values  map[string]any
	results map[*expr.Node]any
}

func (e *evaluation) value(n *expr.Node) any {
	if v, ok := e.results[n]; ok {
		return v
	}
	v := e.compute(n)
	e.results[n] = v
	return v
}

func (e *evaluation) compute(n *expr.Node) any {
	switch {
	case n.Name == "":
		return n.Number
	case n.Args == nil:
		return e.values[n.Name]
	case n.Name == "where":
		return e.where(n)
	case len(n.Args) == 1:
		x := e.value(n.Args[0])
		if number, ok := x.(float64); ok {
			return kernels.References.Unary[n.Name](number)
		}
		return must(x.(*Tensor).unary(n.Name))
	}
	if scaled, mul, add, ok := e.affine(n); ok {
		return scaled.Affine(mul, add)
	}
	a, b := e.value(n.Args[0]), e.value(n.Args[1])
	x, tensorFirst := a.(*Tensor)
	_, second := b.(*Tensor)
	if !tensorFirst && !second {
		return kernels.References.Binary[n.Name](a.(float64), b.(float64))
	}
	if tensorFirst {
		return combine(n.Name, x, b)
	}
	return swapped(n.Name, a.(float64), b.(*Tensor))
}

// affine recognises a product with a number that a number is added to.
func (e *evaluation) affine(n *expr.Node) (x *Tensor, mul, add float64, ok bool) {
	if n.Name != "add" || n.Args[0].Name != "mul" {
		return nil, 0, 0, false
	}
	add, ok = e.value(n.Args[1]).(float64)
	if !ok {
		return nil, 0, 0, false
	}
	a, b := e.value(n.Args[0].Args[0]), e.value(n.Args[0].Args[1])
	if m, is := a.(float64); is {
		a, b = b, m
	}
	x, first := a.(*Tensor)
	mul, second := b.(float64)
	return x, mul, add, first && second
}

// combine computes an operation of two operands of which the first is a tensor.
func combine(name string, x *Tensor, y any) *Tensor {
	if backend.CompareOps[name] != nil {
		return x.Cmp(y, CmpOp(name))
	}
	return must(x.binary(name, y))
}

// swapped computes an operation of a number and a tensor.
func swapped(name string, a float64, x *Tensor) *Tensor {
	switch name {
	case "sub":
		return x.Affine(-1, a)
	case "div":
		return combine("mul", must(x.unary("recip")), a)
	case "lt", "le", "gt", "ge":
		return combine(map[string]string{"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}[name], x, a)
	case "add", "mul", "maximum", "minimum", "eq", "ne":
		return combine(name, x, a)
	}
	return combine(name, x.FullLike(a), x)
}

// where computes the parts that it needs: none that a number's condition leaves out.
func (e *evaluation) where(n *expr.Node) any {
	switch c := e.value(n.Args[0]).(type) {
	case float64:
		if c != 0 {
			return e.value(n.Args[1])
		}
		return e.value(n.Args[2])
	case *Tensor:
		return c.WhereCond(e.value(n.Args[1]), e.value(n.Args[2]))
	}
	return nil
}
