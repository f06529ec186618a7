// Package expr has the formulas of elementwise operations as data. A row of the op table says once, in a formula, what
// an operation computes or what its gradient is; device code, the reference on the host, vector loops and gradients of
// tensors are all made from it.
//
// A formula is written in Go's syntax over numbers and named operands, as in
//
//	t := tanh(0.79788*x); g * 0.5 * (1 + t)
//
// with the operators + - * /, comparisons, and the functions of Functions, whose names are those of the op table.
// Definitions (name := formula;) come first. where(c, a, b) is a where the comparison c holds, else b.
package expr

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// Expr is a formula.
type Expr struct {
	text     string
	root     *Node
	mentions []string
	steps    int
}

// Node is a part of a formula: an operand, a number, or a function of other parts. Equal parts are one Node.
type Node struct {
	Name   string  // of an operand, or of the function
	Number float64 // if Name is empty
	Args   []*Node // of a function
}

// Functions are the functions of formulas with their numbers of arguments. Operators are functions, too: neg, add, sub,
// mul, div, and the comparisons eq, ne, lt, le, gt, ge.
var Functions = map[string]int{
	"neg": 1, "abs": 1, "sign": 1, "sqr": 1, "sqrt": 1, "recip": 1, "floor": 1, "ceil": 1, "round": 1,
	"exp": 1, "expm1": 1, "log": 1, "log1p": 1, "sin": 1, "cos": 1, "tanh": 1, "erf": 1, "sigmoid": 1, "softplus": 1,
	"exp2": 1, "log2": 1, "log10": 1, "cbrt": 1, "tan": 1, "asin": 1, "acos": 1, "atan": 1, "sinh": 1, "cosh": 1,
	"asinh": 1, "acosh": 1, "atanh": 1, "sinc": 1, "trunc": 1, "erfc": 1, "erfinv": 1, "lgamma": 1, "digamma": 1,
	"trigamma": 1, "i0": 1, "i1": 1,
	"atan2": 2, "hypot": 2, "logaddexp": 2, "copysign": 2, "fmax": 2, "fmin": 2, "heaviside": 2,
	"floor_div": 2, "mod": 2, "fmod": 2,
	"add": 2, "sub": 2, "mul": 2, "div": 2, "pow": 2, "maximum": 2, "minimum": 2,
	"eq": 2, "ne": 2, "lt": 2, "le": 2, "gt": 2, "ge": 2, "where": 3,
}

var operators = map[token.Token]string{
	token.ADD: "add", token.SUB: "sub", token.MUL: "mul", token.QUO: "div",
	token.EQL: "eq", token.NEQ: "ne", token.LSS: "lt", token.LEQ: "le", token.GTR: "gt", token.GEQ: "ge",
}

// Parse reads a formula over the named operands.
func Parse(text string, operands ...string) (Expr, error) {
	p := reader{operands: operands, defined: map[string]*Node{}, nodes: map[string]*Node{}}
	parts := strings.Split(text, ";")
	for _, definition := range parts[:len(parts)-1] {
		name, formula, ok := strings.Cut(definition, ":=")
		if name = strings.TrimSpace(name); !ok || !token.IsIdentifier(name) {
			return Expr{}, fmt.Errorf("formula %q: want name := formula before the semicolon", text)
		}
		n, err := p.formula(formula)
		if err != nil {
			return Expr{}, fmt.Errorf("formula %q: %w", text, err)
		}
		p.defined[name] = n
	}
	root, err := p.formula(parts[len(parts)-1])
	if err != nil {
		return Expr{}, fmt.Errorf("formula %q: %w", text, err)
	}
	e := Expr{text: text, root: root}
	for n := range e.Nodes() {
		switch {
		case n.Args != nil:
			e.steps++
		case n.Name != "":
			e.mentions = append(e.mentions, n.Name)
		}
	}
	return e, nil
}

// Must is Parse for formulas in tables; it panics where the formula is wrong.
func Must(text string, operands ...string) Expr {
	e, err := Parse(text, operands...)
	if err != nil {
		panic(err)
	}
	return e
}

// Root is the whole formula, nil for the zero Expr.
func (e Expr) Root() *Node { return e.root }

// String returns the formula as it was written.
func (e Expr) String() string { return e.text }

// Mentions reports whether the formula has the operand.
func (e Expr) Mentions(operand string) bool { return slices.Contains(e.mentions, operand) }

// Steps is how many operations the formula has.
func (e Expr) Steps() int { return e.steps }

// Nodes returns each part of the formula once, arguments before what is made of them.
func (e Expr) Nodes() func(yield func(*Node) bool) {
	return func(yield func(*Node) bool) {
		seen := map[*Node]bool{}
		var visit func(n *Node) bool
		visit = func(n *Node) bool {
			if n == nil || seen[n] {
				return true
			}
			seen[n] = true
			for _, a := range n.Args {
				if !visit(a) {
					return false
				}
			}
			return yield(n)
		}
		visit(e.root)
	}
}

// reader makes Nodes of syntax.
type reader struct {
	operands []string
	defined  map[string]*Node
	nodes    map[string]*Node // by their text, so that equal parts are one
}

func (p *reader) formula(text string) (*Node, error) {
	x, err := parser.ParseExpr(strings.TrimSpace(text))
	if err != nil {
		return nil, err
	}
	return p.node(x)
}

func (p *reader) node(x ast.Expr) (*Node, error) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return p.node(x.X)
	case *ast.BasicLit:
		if x.Kind == token.INT || x.Kind == token.FLOAT {
			f, _ := constant.Float64Val(constant.ToFloat(constant.MakeFromLiteral(x.Value, x.Kind, 0)))
			return p.keep(&Node{Number: f}), nil
		}
	case *ast.Ident:
		if n := p.defined[x.Name]; n != nil {
			return n, nil
		}
		if slices.Contains(p.operands, x.Name) {
			return p.keep(&Node{Name: x.Name}), nil
		}
		return nil, fmt.Errorf("%s is none of the operands %v", x.Name, p.operands)
	case *ast.UnaryExpr:
		if x.Op == token.SUB {
			n, err := p.node(x.X)
			if err == nil && n.Name == "" {
				return p.keep(&Node{Number: -n.Number}), nil
			}
			return p.function("neg", err, n)
		}
	case *ast.BinaryExpr:
		name, ok := operators[x.Op]
		if !ok {
			break
		}
		a, err := p.node(x.X)
		if err != nil {
			return nil, err
		}
		b, err := p.node(x.Y)
		return p.function(name, err, a, b)
	case *ast.CallExpr:
		name, ok := x.Fun.(*ast.Ident)
		if !ok || len(x.Args) == 0 || Functions[name.Name] != len(x.Args) {
			break
		}
		args := make([]*Node, len(x.Args))
		for i := range args {
			var err error
			if args[i], err = p.node(x.Args[i]); err != nil {
				return nil, err
			}
		}
		return p.function(name.Name, nil, args...)
	}
	return nil, fmt.Errorf("a formula has no %T at %d, or no function of that name and number of arguments", x, x.Pos())
}

func (p *reader) function(name string, err error, args ...*Node) (*Node, error) {
	if err != nil {
		return nil, err
	}
	return p.keep(&Node{Name: name, Args: args}), nil
}

// keep returns the one Node that is equal to n.
func (p *reader) keep(n *Node) *Node {
	key := fmt.Sprintf("%s %v", n.Name, n.Number)
	for _, a := range n.Args {
		key += fmt.Sprintf(" %p", a)
	}
	if old := p.nodes[key]; old != nil {
		return old
	}
	p.nodes[key] = n
	return n
}
