package kernels

import (
	"testing"

	"github.com/gorocm/gorocm/kernels/expr"
)

// TestFormulas: each elementwise operation is a function of formulas, has a formula, or is listed as having code of its
// own.
func TestFormulas(t *testing.T) {
	listed := map[string]bool{}
	check := func(name, formula string) {
		_, function := expr.Functions[name]
		_, own := ownCode[name]
		listed[name] = true
		if (function || formula != "") == own {
			t.Errorf("%s: function or formula %v, in ownCode %v: want one of them", name, function || formula != "",
				own)
		}
	}
	for _, op := range Unary {
		if op.Ref == nil {
			continue // of integers
		}
		check(op.Name, op.Formula)
		if op.C == "" {
			t.Errorf("%s has no device code", op.Name)
		}
	}
	for _, op := range Params {
		check(op.Name, "")
	}
	for _, op := range Binary {
		if op.Ref != nil {
			check(op.Name, "")
		}
	}
	for name, n := range expr.Functions {
		if n == 1 && References.Unary[name] == nil || n == 2 && References.Binary[name] == nil {
			t.Errorf("the function %s of formulas has no row", name)
		}
	}
	for name := range ownCode {
		if !listed[name] {
			t.Errorf("ownCode has %s, which is not an operation", name)
		}
	}
}
