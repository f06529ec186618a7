package kernels

import "github.com/gorocm/gorocm/kernels/expr"

// Rows that have a formula and no device expression or reference of their own get them from it.
func init() {
	for i := range Unary {
		op := &Unary[i]
		if op.Formula == "" {
			continue
		}
		e := expr.Must(op.Formula, "x")
		if op.C == "" {
			op.C = e.Device()
		}
		if op.Ref == nil {
			f := e.Func("x")
			op.Ref = func(x float64) float64 { return f(x) }
		}
	}
}
