// Package formula computes the formulas of package expr by operations of tensors, of a type T.
package formula

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/kernels/expr"
)

// Operations are those that formulas name. Second operands are tensors or float64.
type Operations[T any] struct {
	Unary  func(name string, x T) T
	Binary func(name string, x T, y any) T
	Affine func(x T, mul, add float64) T
	Where  func(cond T, yes, no any) T
	Like   func(x T, number float64) T // a tensor like x of one number
}

// Evaluate computes a formula of tensors and numbers by name. The result is a tensor or a number.
func (do *Operations[T]) Evaluate(f expr.Expr, names map[string]any) any {
	e := evaluation[T]{do: do, values: names, results: map[*expr.Node]any{}}
	return e.value(f.Root())
}

// evaluation is a call of Evaluate. Values are T or float64.
type evaluation[T any] struct {
	do      *Operations[T]
	values  map[string]any
	results map[*expr.Node]any
}

func (e *evaluation[T]) value(n *expr.Node) any {
	if v, ok := e.results[n]; ok {
		return v
	}
	v := e.compute(n)
	e.results[n] = v
	return v
}

func (e *evaluation[T]) compute(n *expr.Node) any {
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
		return e.do.Unary(n.Name, x.(T))
	}
	if scaled, mul, add, ok := e.affine(n); ok {
		return e.do.Affine(scaled, mul, add)
	}
	a, b := e.value(n.Args[0]), e.value(n.Args[1])
	x, tensorFirst := a.(T)
	_, second := b.(T)
	if !tensorFirst && !second {
		return kernels.References.Binary[n.Name](a.(float64), b.(float64))
	}
	if tensorFirst {
		return e.do.Binary(n.Name, x, b)
	}
	return e.do.swapped(n.Name, a.(float64), b.(T))
}

// affine recognises a product with a number that a number is added to.
func (e *evaluation[T]) affine(n *expr.Node) (x T, mul, add float64, ok bool) {
	if n.Name != "add" || n.Args[0].Name != "mul" {
		return x, 0, 0, false
	}
	add, ok = e.value(n.Args[1]).(float64)
	if !ok {
		return x, 0, 0, false
	}
	a, b := e.value(n.Args[0].Args[0]), e.value(n.Args[0].Args[1])
	if m, is := a.(float64); is {
		a, b = b, m
	}
	x, first := a.(T)
	mul, second := b.(float64)
	return x, mul, add, first && second
}

// swapped computes an operation of a number and a tensor.
func (do *Operations[T]) swapped(name string, a float64, x T) T {
	switch name {
	case "sub":
		return do.Affine(x, -1, a)
	case "div":
		return do.Binary("mul", do.Unary("recip", x), a)
	case "lt", "le", "gt", "ge":
		return do.Binary(map[string]string{"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}[name], x, a)
	case "add", "mul", "maximum", "minimum", "eq", "ne":
		return do.Binary(name, x, a)
	}
	return do.Binary(name, do.Like(x, a), x)
}

// where computes the parts that it needs: none that a number's condition leaves out.
func (e *evaluation[T]) where(n *expr.Node) any {
	switch c := e.value(n.Args[0]).(type) {
	case float64:
		if c != 0 {
			return e.value(n.Args[1])
		}
		return e.value(n.Args[2])
	case T:
		return e.do.Where(c, e.value(n.Args[1]), e.value(n.Args[2]))
	}
	return nil
}
