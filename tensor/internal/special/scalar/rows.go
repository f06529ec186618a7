package scalar

import "github.com/gorocm/gorocm/kernels"

// Functions of the op table, which the headers of kernels have for devices. math.Log is wrong for subnormal numbers on
// amd64.
var lgamma, erfc, i0, i1, log = row("lgamma"), row("erfc"), row("i0"), row("i1"), row("log")

func row(name string) func(float64) float64 {
	for i := range kernels.Unary {
		if kernels.Unary[i].Name == name {
			return kernels.Unary[i].Ref
		}
	}
	panic("the op table has no " + name)
}
