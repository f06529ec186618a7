package scope

import "github.com/gorocm/gorocm/kernels"

// low are the operations that compute in the type of Autocast, as those that PyTorch's autocast lists for it: products
// of matrices, convolutions and attention.
var low = set("matmul", "mv", "linear", "conv1d", "conv2d", "conv transpose 1d", "conv transpose 2d", "conv",
	"conv transpose", "attention")

// wide are the operations that compute in F32, as those that PyTorch's autocast lists for it: they have large results
// of small operands, or lose digits. Loss stands for all losses.
var wide = set("acos", "asin", "cosh", "sinh", "tan", "exp", "exp2", "expm1", "erfinv", "log", "log10", "log2", "log1p",
	"pow", "powf", "recip", "rsqrt", "softplus", "sum", "prod", "cumsum", "cumprod", "softmax", "log softmax",
	"layer norm", "rms norm", "group norm", Loss)

// Autocast returns the type in which products are computed, and false outside of Autocast.
func Autocast() (dt kernels.DType, on bool) {
	if f := Current(); f != nil && f.Autocast != nil {
		return *f.Autocast, true
	}
	return dt, false
}

// Loss is the name of all losses in the table.
const Loss = "loss"

func set(names ...string) map[string]bool {
	m := map[string]bool{}
	for _, name := range names {
		m[name] = true
	}
	return m
}

// Cast returns the type in which an operation computes on an operand of a type. It reports false where the operand
// stays as it is: outside of Autocast, and of types that are not F32, F16 or BF16.
func Cast(op string, dt kernels.DType) (kernels.DType, bool) {
	f := Current()
	if f == nil || f.Autocast == nil || dt != kernels.F32 && dt != kernels.F16 && dt != kernels.BF16 {
		return dt, false
	}
	to := dt
	switch {
	case low[op]:
		to = *f.Autocast
	case wide[op]:
		to = kernels.F32
	}
	return to, to != dt
}

// Uncast leaves Autocast until the function that it returns is called.
func Uncast() (back func()) {
	if f := Current(); f == nil || f.Autocast == nil {
		return func() {}
	}
	return Enter(func(f *Frame) { f.Autocast = nil })
}
