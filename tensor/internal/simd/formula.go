package simd

import (
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/kernels/expr"
)

// A formula is computed block by block in the first cache: each of its steps is a loop over a block of floats, by
// vector instructions where there is a function of Fast, else in Go. Blocks that are needed no more are used again.

const (
	formulaBlock  = 256 // floats
	formulaBlocks = 12  // how many blocks a formula may need at once
)

// blocks are the operand, which is the first, the numbers of the formula and its intermediate results.
type blocks [1 + formulaBlocks][]float32

// Formula returns the loop of a formula of one operand x. It is nil where Fast has no functions, and for formulas that
// need too many blocks. Each step is rounded to float32.
func Formula(e expr.Expr) func(out, x []float32) {
	if Fast.Exp == nil {
		return nil
	}
	c := formulaCompiler{numbers: map[int]float32{}, blocks: map[*expr.Node]int{}, uses: map[*expr.Node]int{}}
	for n := range e.Nodes() {
		for _, a := range n.Args {
			c.uses[a]++
		}
	}
	c.uses[e.Root()]++
	for n := range e.Nodes() { // numbers stay in their blocks
		if n.Args == nil && !c.leaf(n) {
			return nil
		}
	}
	for n := range e.Nodes() {
		if n.Args != nil && !c.compile(n) {
			return nil
		}
	}
	result, numbers, steps := c.blocks[e.Root()], c.numbers, c.steps
	return func(out, x []float32) {
		var room [formulaBlocks][formulaBlock]float32
		for at, v := range numbers {
			for i := range room[at-1] {
				room[at-1][i] = v
			}
		}
		var b blocks
		for len(out) > 0 {
			n := min(formulaBlock, len(out))
			b[0] = x[:n]
			for i := range room {
				b[i+1] = room[i][:n]
			}
			for _, step := range steps {
				step(&b)
			}
			copy(out[:n], b[result])
			out, x = out[n:], x[n:]
		}
	}
}

// formulaCompiler makes the steps of a formula.
type formulaCompiler struct {
	steps   []func(*blocks)
	numbers map[int]float32    // by block
	blocks  map[*expr.Node]int // where the result of a part is
	uses    map[*expr.Node]int // how many parts still need it
	taken   [1 + formulaBlocks]bool
}

// take returns a block that nothing is in, 0 when there is none.
func (c *formulaCompiler) take() int {
	at := 1 + slices.Index(c.taken[1:], false)
	c.taken[at] = true
	return at
}

// leaf finds the block of an operand or of a number. It reports whether there was one.
func (c *formulaCompiler) leaf(n *expr.Node) bool {
	if n.Name != "" {
		return true // the first
	}
	at := c.take()
	c.blocks[n], c.numbers[at] = at, float32(n.Number)
	return at > 0
}

// compile adds the step of a part whose arguments have been computed. It reports whether there was a block for it.
func (c *formulaCompiler) compile(n *expr.Node) bool {
	var from [3]int
	for i, a := range n.Args {
		from[i] = c.blocks[a]
	}
	to := c.take()
	c.blocks[n] = to
	c.steps = append(c.steps, step(n.Name, to, from))
	for i, a := range n.Args {
		if c.uses[a]--; c.uses[a] == 0 && a.Args != nil {
			c.taken[from[i]] = false
		}
	}
	return to > 0
}

// step is a loop over blocks by the name of a function of formulas.
func step(name string, to int, from [3]int) func(*blocks) {
	i, j, k := from[0], from[1], from[2]
	switch expr.Functions[name] {
	case 1:
		f := unaryLoop(name)
		return func(b *blocks) { f(b[to], b[i]) }
	case 2:
		f := binaryLoop(name)
		return func(b *blocks) { f(b[to], b[i], b[j]) }
	}
	return func(b *blocks) {
		out, c, x, y := b[to], b[i], b[j], b[k]
		for i := range out {
			if c[i] != 0 {
				out[i] = x[i]
			} else {
				out[i] = y[i]
			}
		}
	}
}

func unaryLoop(name string) func(out, x []float32) {
	f := map[string]func(out, x []float32){
		"neg": Fast.Neg, "abs": Fast.Abs, "sqrt": Fast.Sqrt, "recip": Fast.Recip, "sign": Fast.Sign,
		"floor": Fast.Floor,
		"ceil":  Fast.Ceil, "round": Fast.Round, "exp": Fast.Exp, "tanh": Fast.Tanh, "sigmoid": Fast.Sigmoid,
		"log": Fast.Log,
		"erf": Fast.Erf, "log1p": Fast.Log1p, "expm1": Fast.Expm1,
		"sqr": func(out, x []float32) { Fast.Mul(out, x, x) },
	}[name]
	if f != nil {
		return f
	}
	inRange := map[string]func(out, x []float32) bool{"sin": Fast.Sin, "cos": Fast.Cos}[name]
	ref := kernels.References.Unary[name]
	return func(out, x []float32) {
		if inRange != nil && !inRange(out, x) {
			return
		}
		for i, v := range x[:len(out)] {
			out[i] = float32(ref(float64(v)))
		}
	}
}

func binaryLoop(name string) func(out, x, y []float32) {
	f := map[string]func(out, x, y []float32){
		"add": Fast.Add, "sub": Fast.Sub, "mul": Fast.Mul, "div": Fast.Div,
		"maximum": Fast.Maximum, "minimum": Fast.Minimum,
	}[name]
	if f != nil {
		return f
	}
	ref := kernels.References.Binary[name]
	return func(out, x, y []float32) {
		for i := range out {
			out[i] = float32(ref(float64(x[i]), float64(y[i])))
		}
	}
}
