package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// statements is the part of the checker with hints for statements, builtin functions and calls of Go's where a tensor
// stands: conditions, loops, max and print.
type statements struct{ *Checker }

// statementHint is the Go for a statement or a call with a tensor where Go has none, as if x.Gt(0) { … }.
func (k statements) statementHint(n ast.Node, at token.Pos) string {
	switch n := n.(type) {
	case *ast.IfStmt:
		return k.conditionHint("if", n.Cond, at)
	case *ast.ForStmt:
		return k.conditionHint("for", n.Cond, at)
	case *ast.RangeStmt:
		if inExpr(n.X, at) && k.isTensor(n.X) {
			return k.rowsHint(n)
		}
	case *ast.IncDecStmt:
		if x, ok := k.asMethods(n.X); ok {
			step := map[token.Token]string{token.INC: ".Add(1)", token.DEC: ".Sub(1)"}[n.Tok]
			return didYouMean(k.text(n.X) + " = " + x + step)
		}
	case *ast.CallExpr:
		return k.builtinHint(n)
	case *ast.SelectorExpr:
		if h := k.methodHint(n); h != "" {
			return h
		}
		if x, ok := n.X.(*ast.SelectorExpr); ok {
			return k.methodHint(x)
		}
	}
	return ""
}

// methodHint is for a method without arguments that is not called: x.Shape[0] for x.Shape()[0].
func (k statements) methodHint(e *ast.SelectorExpr) string {
	s := k.Result.Info.Selections[e]
	if s == nil || s.Kind() != types.MethodVal || k.callOf(e) != nil ||
		s.Obj().(*types.Func).Signature().Params().Len() > 0 {
		return ""
	}
	return k.text(e) + " is a method: " + k.text(e) + "() calls it"
}

func inExpr(e ast.Expr, at token.Pos) bool { return e != nil && e.Pos() <= at && at <= e.End() }

// conditionHint reads the truth of a tensor: of its only element, or of all.
func (k statements) conditionHint(keyword string, cond ast.Expr, at token.Pos) string {
	if !inExpr(cond, at) {
		return ""
	}
	x, ok := k.asMethods(cond)
	switch {
	case !ok:
		return ""
	case strings.HasSuffix(x, ".Any()") || strings.HasSuffix(x, ".All()"):
		return didYouMean(keyword + " tensor.ToScalar[bool](" + x + ") { … }")
	}
	return didYouMean(keyword+" tensor.ToScalar[bool]("+x+".All()) { … }") +
		" That asks about all elements; Any in the place of All asks for one"
}

// rowsHint is the loop over the parts of a tensor along its first dim.
func (k statements) rowsHint(n *ast.RangeStmt) string {
	x, _ := k.asMethods(n.X)
	name := func(e ast.Expr, other string) string {
		if id, ok := e.(*ast.Ident); ok && id.Name != "_" {
			return id.Name
		}
		return other
	}
	if n.Value == nil {
		return didYouMean("for " + name(n.Key, "i") + " := range " + x + ".Dim(0) { … }")
	}
	i := name(n.Key, "i")
	row := name(n.Value, "row") + " := " + x + ".I(" + i + ")"
	return didYouMean("for " + i + " := range " + x + ".Dim(0) { " + row + "; … }")
}

// builtinHint is for a builtin function or a conversion of Go's with a tensor as its argument.
func (k statements) builtinHint(call *ast.CallExpr) string {
	f, ok := call.Fun.(*ast.Ident)
	if !ok || len(call.Args) == 0 {
		return ""
	}
	x, ok := k.asMethods(call.Args[0])
	if !ok {
		return ""
	}
	number := k.Result.Info.Types[call.Fun].IsType() && isNumeric(k.typeOf(call.Fun))
	switch n := len(call.Args); {
	case f.Name == "len" && n == 1:
		return x + ".Dim(0) is the size of the first dim, " + x + ".ElemCount() the number of elements"
	case (f.Name == "max" || f.Name == "min") && n == 1:
		return didYouMean(x + "." + strings.ToUpper(f.Name[:1]) + f.Name[1:] + "()")
	case (f.Name == "max" || f.Name == "min") && n == 2:
		return didYouMean(x + "." + strings.ToUpper(f.Name[:1]) + f.Name[1:] + "imum(" + k.text(call.Args[1]) + ")")
	case number && n == 1 && f.Name == "float64":
		return didYouMean(x + ".ToScalar()")
	case number && n == 1:
		return didYouMean(f.Name + "(" + x + ".ToScalar())")
	}
	return ""
}

func isNumeric(t types.Type) bool {
	b, ok := Underlying(t).(*types.Basic)
	return ok && b.Info()&types.IsNumeric != 0
}

// functionOfTensor is x.Abs() for abs(x), where no function has that name.
func (k statements) functionOfTensor(name string, at token.Pos) (hint string) {
	k.inspect(func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || call.Fun.Pos() != at || len(call.Args) == 0 || IsOut(call) {
			return hint == ""
		}
		t := k.typeOf(call.Args[0])
		if t == nil || !isTensorType(t) {
			return true
		}
		if s := synonym(name, members(t)); s != "" {
			var rest []string
			for _, a := range call.Args[1:] {
				rest = append(rest, k.text(a))
			}
			o, _, _ := types.LookupFieldOrMethod(t, true, nil, s)
			if f, ok := o.(*types.Func); ok && !f.Signature().Variadic() && f.Signature().Params().Len() != len(rest) {
				rest = []string{"…"}
			}
			hint = didYouMean(k.text(call.Args[0]) + "." + s + "(" + strings.Join(rest, ", ") + ")")
		}
		return hint == ""
	})
	return hint
}

// gathered is the call with an argument at a place in which elements stand in a slice, as the function wants:
// tensor.Cat([]*tensor.Tensor{x, y}, 0) for tensor.Cat(x, y).
func (k statements) gathered(at token.Pos) (hint string) {
	k.inspect(func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || call.Ellipsis.IsValid() {
			return hint == ""
		}
		sg, _ := Underlying(k.typeOf(call.Fun)).(*types.Signature)
		if sg == nil || !slices.ContainsFunc(call.Args, func(a ast.Expr) bool { return a.Pos() == at }) {
			return true
		}
		i := 0
		for ; i < min(len(call.Args), sg.Params().Len()); i++ {
			if t := k.typeOf(call.Args[i]); t != nil && !types.AssignableTo(t, sg.Params().At(i).Type()) {
				break
			}
		}
		if i == min(len(call.Args), sg.Params().Len()) {
			return true
		}
		want, ok := sg.Params().At(i).Type().(*types.Slice)
		if !ok {
			return true
		}
		var before, inside, after []string
		for j, a := range call.Args {
			switch text := k.text(a); {
			case j < i:
				before = append(before, text)
			case len(after) == 0 && k.typeOf(a) != nil && types.AssignableTo(k.typeOf(a), want.Elem()):
				inside = append(inside, text)
			default:
				after = append(after, text)
			}
		}
		if i+1+len(after) == sg.Params().Len()-1 && isTensorType(want.Elem()) &&
			sg.Params().At(sg.Params().Len()-1).Name() == "dim" {
			after = append(after, "0")
		}
		if len(inside) > 0 && i+1+len(after) == sg.Params().Len() {
			list := UserText(types.TypeString(want, Qualifier)) + "{" + strings.Join(inside, ", ") + "}"
			args := append(append(before, list), after...)
			hint = didYouMean(k.text(call.Fun) + "(" + strings.Join(args, ", ") + ")")
		}
		return hint == ""
	})
	return hint
}

// writtenAddresses notes calls of the builtin functions print and println that write addresses in the place of values.
func (c *Checked) writtenAddresses() (notes []string) {
	c.inspectOwn(func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		f, ok := call.Fun.(*ast.Ident)
		if !ok {
			return true
		}
		if b, ok := c.Info.Uses[f].(*types.Builtin); !ok || b.Name() != "print" && b.Name() != "println" {
			return true
		}
		for _, a := range call.Args {
			switch Underlying(c.Info.TypeOf(a)).(type) {
			case *types.Pointer, *types.Slice, *types.Map, *types.Interface:
				x := UserText(types.ExprString(a))
				notes = append(notes, f.Name+" writes the address of "+x+", not its value: fmt.Println("+x+
					") writes that")
				return true
			}
		}
		return true
	})
	return notes
}
