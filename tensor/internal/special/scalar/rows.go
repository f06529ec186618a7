package scalar

import "github.com/gorocm/gorocm/kernels"

// Functions of the op table, which kernels/special.h has for devices.
var lgamma, erfc, i0, i1 = row("lgamma"), row("erfc"), row("i0"), row("i1")

func row(name string) func(float64) float64 {
	for i := range kernels.Unary {
		if kernels.Unary[i].Name == name {
			return kernels.Unary[i].Ref
		}
	}
	panic("the op table has no " + name)
}
