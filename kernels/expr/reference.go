package expr

// References are functions in float64 by their names; comparisons are 1 or 0. Package kernels has those of the op
// table.
type References struct {
	Unary  map[string]func(x float64) float64
	Binary map[string]func(a, b float64) float64
}

// Func returns the formula as a function of the operands' values, in the order of their names.
func (e Expr) Func(refs References, operands ...string) func(values ...float64) float64 {
	at := map[string]int{}
	for i, name := range operands {
		at[name] = i
	}
	return compile(e.root, refs, at)
}

func compile(n *Node, refs References, at map[string]int) func(values ...float64) float64 {
	switch len(n.Args) {
	case 0:
		if n.Name == "" {
			return func(...float64) float64 { return n.Number }
		}
		i := at[n.Name]
		return func(values ...float64) float64 { return values[i] }
	case 1:
		f, x := refs.Unary[n.Name], compile(n.Args[0], refs, at)
		return func(values ...float64) float64 { return f(x(values...)) }
	case 2:
		f, a, b := refs.Binary[n.Name], compile(n.Args[0], refs, at), compile(n.Args[1], refs, at)
		return func(values ...float64) float64 { return f(a(values...), b(values...)) }
	}
	c, a, b := compile(n.Args[0], refs, at), compile(n.Args[1], refs, at), compile(n.Args[2], refs, at)
	return func(values ...float64) float64 {
		if c(values...) != 0 {
			return a(values...)
		}
		return b(values...)
	}
}
