package check

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// Hints for those who write what Python's tensors understand: operators, indices, and the names of its modules.

// operatorMethods are the methods of a tensor that do what operators do in Python, and swapped those of x for 2 op x.
var operatorMethods = map[token.Token]string{
	token.ADD: "Add", token.SUB: "Sub", token.MUL: "Mul", token.QUO: "Div", token.REM: "Mod",
	token.EQL: "Eq", token.NEQ: "Ne", token.LSS: "Lt", token.LEQ: "Le", token.GTR: "Gt", token.GEQ: "Ge",
	token.LAND: "And", token.LOR: "Or", token.AND: "BitAnd", token.OR: "BitOr", token.XOR: "BitXor",
	token.SHL: "ShiftLeft", token.SHR: "ShiftRight",
}

var swapped = map[token.Token]string{
	token.ADD: "Add", token.MUL: "Mul", token.SUB: "Neg().Add", token.QUO: "Recip().Mul",
	token.EQL: "Eq", token.NEQ: "Ne", token.LSS: "Gt", token.LEQ: "Ge", token.GTR: "Lt", token.GEQ: "Le",
}

// assignedOperators are the operators of assignments such as +=.
var assignedOperators = map[token.Token]token.Token{token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB,
	token.MUL_ASSIGN: token.MUL, token.QUO_ASSIGN: token.QUO, token.REM_ASSIGN: token.REM}

// tensorHint is the Go for what stands at a place, where that would be right in Python: x.Add(1) for x + 1. It is empty
// where no operand is a tensor.
func (k *Checker) tensorHint(at token.Pos) string {
	hint := ""
	k.inspect(func(n ast.Node) bool {
		if n == nil || hint != "" || at < n.Pos() || n.End() < at {
			return hint == ""
		}
		switch n := n.(type) {
		case *ast.AssignStmt:
			if op, ok := assignedOperators[n.Tok]; ok && k.isTensor(n.Lhs[0]) {
				if s, ok := k.asMethods(&ast.BinaryExpr{X: n.Lhs[0], Op: op, Y: n.Rhs[0]}); ok {
					hint = didYouMean(k.text(n.Lhs[0]) + " = " + s)
				}
			}
			if _, isName := n.Lhs[0].(*ast.Ident); !isName && n.Tok == token.ASSIGN && len(n.Lhs) == 1 {
				s, ok := k.asMethods(n.Lhs[0])
				if at := strings.LastIndex(s, ".I("); ok && at > 0 {
					hint = didYouMean(s[:at] + ".SetI(" + k.text(n.Rhs[0]) + ", " + s[at+len(".I("):])
				}
			}
		case ast.Expr:
			if s, ok := k.asMethods(n); ok && s != k.text(n) {
				hint = didYouMean(s)
			}
		}
		hint = cmp.Or(hint, statements{k}.statementHint(n, at))
		return hint == ""
	})
	return hint
}

// comparedTensors notes comparisons of tensors in the cell by == and !=, which in Go ask whether both are one
// variable's.
func (c *Checked) comparedTensors() (notes []string) {
	seen := func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if !ok || b.Op != token.EQL && b.Op != token.NEQ {
			return true
		}
		for _, e := range []ast.Expr{b.X, b.Y} {
			if t := c.Info.Types[e].Type; t == nil || !isTensorType(t) {
				return true
			}
		}
		x, y := UserText(types.ExprString(b.X)), UserText(types.ExprString(b.Y))
		notes = append(notes, x+" "+b.Op.String()+" "+y+" asks whether both are the same variable: "+x+"."+
			operatorMethods[b.Op]+"("+y+") compares elements, "+x+".Equal("+y+") all of them")
		return true
	}
	c.inspectOwn(seen)
	return notes
}

// inspectOwn visits the nodes of the cell, and of what it has compiled again.
func (c *Checked) inspectOwn(f func(ast.Node) bool) {
	if c.Body != nil {
		ast.Inspect(c.Body, f)
	}
	for _, d := range c.Decls {
		ast.Inspect(d.Node, f)
	}
}

func isTensorType(t types.Type) bool {
	n, ok := types.Unalias(Deref(t)).(*types.Named)
	return ok && n.Obj().Name() == "Tensor" && n.Obj().Pkg() != nil && n.Obj().Pkg().Name() == "tensor"
}

func (k *Checker) text(e ast.Expr) string { return UserText(types.ExprString(e)) }

// isTensor reports whether an expression is a tensor, or would be one if Go had operators for them.
func (k *Checker) isTensor(e ast.Expr) bool {
	_, ok := k.asMethods(e)
	return ok
}

// asMethods writes an expression with methods of tensors in the place of operators and indices. It reports false for
// what is no tensor.
func (k *Checker) asMethods(e ast.Expr) (string, bool) {
	if t := k.Result.Info.Types[e].Type; t != nil && t != types.Typ[types.Invalid] {
		return k.text(e), isTensorType(t)
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return k.asMethods(e.X)
	case *ast.UnaryExpr:
		method := map[token.Token]string{token.SUB: "Neg", token.NOT: "Not", token.XOR: "BitNot"}[e.Op]
		if x, ok := k.asMethods(e.X); ok && method != "" {
			return x + "." + method + "()", true
		}
	case *ast.BinaryExpr:
		return k.operator(e)
	case *ast.IndexExpr:
		return k.index(e.X, e.Index)
	case *ast.IndexListExpr:
		return k.index(e.X, e.Indices...)
	case *ast.SliceExpr:
		if x, ok := k.asMethods(e.X); ok && e.Max == nil {
			return x + ".I(" + k.span(e) + ")", true
		}
	}
	return "", false
}

func (k *Checker) operator(e *ast.BinaryExpr) (string, bool) {
	x, left := k.asMethods(e.X)
	method, right := operatorMethods[e.Op], e.Y
	if s, ok := e.Y.(*ast.StarExpr); ok && e.Op == token.MUL && s.Star == e.OpPos+1 { // **
		method, right = "Pow", s.X
	}
	y, ok := k.asMethods(right)
	switch {
	case left && method != "":
		if !ok {
			y = k.text(right)
		}
		return x + "." + method + "(" + y + ")", true
	case ok && e.Op == token.QUO && k.text(e.X) == "1":
		return y + ".Recip()", true
	case ok && swapped[e.Op] != "" && right == e.Y:
		return y + "." + swapped[e.Op] + "(" + k.text(e.X) + ")", true
	}
	return "", false
}

func (k *Checker) index(x ast.Expr, indices ...ast.Expr) (string, bool) {
	s, ok := k.asMethods(x)
	if !ok {
		return "", false
	}
	list := make([]string, len(indices))
	for i, e := range indices {
		if list[i], ok = k.asMethods(e); !ok {
			list[i] = k.text(e)
		}
	}
	return s + ".I(" + strings.Join(list, ", ") + ")", true
}

// span is the index for a slice: "1:3" for constants, tensor.R(i, n) for others.
func (k *Checker) span(e *ast.SliceExpr) string {
	constants := true
	parts := make([]string, 2)
	for i, bound := range []ast.Expr{e.Low, e.High} {
		if bound == nil {
			continue
		}
		parts[i] = k.text(bound)
		if u, ok := bound.(*ast.UnaryExpr); ok && u.Op == token.SUB {
			bound = u.X
		}
		_, literal := bound.(*ast.BasicLit) // the type checker has not come to it
		constants = constants && literal
	}
	switch {
	case constants:
		return `"` + parts[0] + ":" + parts[1] + `"`
	case e.High == nil:
		return "tensor.From(" + parts[0] + ")"
	case e.Low == nil:
		return "tensor.Until(" + parts[1] + ")"
	}
	return "tensor.R(" + parts[0] + ", " + parts[1] + ")"
}

// pythonModules are the names by which Python programs call what package tensor and those below it have.
var pythonModules = []string{"np", "numpy", "cp", "cupy", "torch", "scipy", "sp", "jnp", "jax", "F"}

// moduleHint is for a name of a module of Python at a place: linalg.Inv for np.linalg.inv.
func (k *Checker) moduleHint(name string, at token.Pos) string {
	path := k.Scope.AutoImports["tensor"]
	python := slices.Contains(pythonModules, name)
	if !python && !slices.Contains(frameModules, name) || path == "" {
		return ""
	}
	last := "" // of the names after the module's
	var call *ast.CallExpr
	k.inspect(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if n.Fun.Pos() == at && !IsOut(n) {
				call = n
			}
		case *ast.SelectorExpr:
			if n.Pos() == at && last == "" {
				last = n.Sel.Name
			}
		}
		return true
	})
	if !python {
		return frameModuleHint(name, last)
	}
	general := "tensor, nn, linalg, fft, random, sparse, stats and autograd have what NumPy and PyTorch have: %doc tensor lists it"
	p, err := k.Scope.Library.Import(path)
	if err != nil || last == "" {
		return general
	}
	if s := synonym(last, exported(p)); s != "" {
		if call != nil {
			return didYouMean("tensor." + s + k.callAfter(call.Fun, ""))
		}
		return didYouMean("tensor." + s)
	}
	if t, ok := p.Scope().Lookup("Tensor").(*types.TypeName); ok {
		if s := synonym(last, members(t.Type())); s != "" {
			x := "x"
			if call != nil && len(call.Args) > 0 {
				x = k.text(call.Args[0])
			}
			return didYouMean(x + "." + s + "(…)")
		}
	}
	if s := k.belowHint(path, last, "", nil); s != "" {
		return didYouMean(s)
	}
	return general
}

var (
	matMulRE  = regexp.MustCompile(`([\w.\])]+) *@ *([\w.]+)`)
	indicesRE = regexp.MustCompile(`(\w+)\[([^\[\]]*)\]`)
)

// tensorSyntaxHint is for lines that are no Go, and right in Python.
func tensorSyntaxHint(msg, line string) string {
	if m := matMulRE.FindStringSubmatch(line); m != nil && strings.HasPrefix(msg, "illegal character U+0040") {
		return didYouMean(m[1] + ".MatMul(" + m[2] + ")")
	}
	if m := indicesRE.FindStringSubmatch(line); m != nil && strings.ContainsAny(m[2], ",:") &&
		(strings.HasPrefix(msg, "expected operand") || strings.HasPrefix(msg, "expected type")) {
		return "of a tensor, " + m[1] + `.I("` + strings.TrimSpace(m[2]) + `") is that part`
	}
	return ""
}
