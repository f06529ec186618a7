package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// plainDTypes reports untyped numbers that Go takes as a dtype: dev.Zeros(2, 3) would be a vector of three elements of
// the dtype numbered 2, where 2 × 3 elements are meant.
func (k *Checker) plainDTypes(decls []ast.Decl) {
	for _, d := range decls {
		ast.Inspect(d, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || k.Result.Info.Types[call.Fun].IsType() {
				return true
			}
			for i, arg := range call.Args {
				lit, ok := ast.Unparen(arg).(*ast.BasicLit)
				if !ok || lit.Kind != token.INT || !isDType(k.Result.Info.Types[lit].Type) {
					continue
				}
				k.Problems = append(k.Problems, Problem{Pos: k.Scope.Fset.Position(lit.Pos()), name: "TypeError",
					Message: lit.Value + " is a number, not a dtype", Hint: dtypeHint(call, i), at: lit.Pos()})
			}
			return true
		})
	}
}

// isDType reports whether a type is that of dtypes, by whatever name.
func isDType(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == "DType" && named.Obj().Pkg() != nil &&
		named.Obj().Pkg().Path() == "github.com/gorocm/gorocm/kernels"
}

// dtypeHint is what to write for a call whose argument i is a number in the place of a dtype.
func dtypeHint(call *ast.CallExpr, i int) string {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || i > 0 {
		return "dtypes are tensor.F32, tensor.I64 and so on"
	}
	var args []string
	for _, a := range call.Args {
		args = append(args, types.ExprString(a))
	}
	list, on, name := strings.Join(args, ", "), types.ExprString(sel.X), sel.Sel.Name
	switch name {
	case "Zeros", "Ones", "Rand", "Randn":
		return fmt.Sprintf("%s.%s(tensor.F32, %s) names the dtype; tensor.%s(%s) has the default one", on, name, list, name,
			list)
	case "ToDType":
		return "dtypes are tensor.F32, tensor.I64 and so on"
	}
	return fmt.Sprintf("the dtype comes first: %s.%s(tensor.F32, %s)", on, name, list)
}
