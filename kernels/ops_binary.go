package kernels

import "math"

// mathBinary are the rows of Binary beyond arithmetic for floats.
var mathBinary = []BinaryOp{
	{
		Name: "atan2", Method: "Atan2", On: Floats, C: "atan2(a, b)", Ref: atan2, ULP: 3,
		Grad: [2]string{"h := hypot(a, b); where(h == 0, 0, g * (b / h) / h)",
			"h := hypot(a, b); where(h == 0, 0, -(g * (a / h) / h))"},
		Doc: "Atan2 returns the angles of the points whose y are the elements of t and whose x are those of the other operand, in radians between -π and π.",
		Ex:  Example{"tensor.Of(1, -1).Atan2(tensor.Of(1, 0))", "[0.7853982, -1.5707964] f32"},
	},
	{
		Name: "hypot", Method: "Hypot", On: Floats, C: "hypot(a, b)", Ref: math.Hypot, ULP: 2,
		Grad: [2]string{"where(y == 0, 0, g * a / y)", "where(y == 0, 0, g * b / y)"},
		Doc:  "Hypot returns √(a² + b²) of the elements of two tensors, broadcast to one shape, without overflow of the squares.",
		Ex:   Example{"tensor.Of(3, 1e30).Hypot(tensor.Of(4, 1e30))", "[5, 1.4142135e+30] f32"},
	},
	{
		Name: "logaddexp", Method: "LogAddExp", On: Floats, C: "logaddexp(a, b)", Ref: logAddExp, ULP: 3, Unit: 1,
		Grad: [2]string{"g * sigmoid(a - b)", "g * sigmoid(b - a)"},
		Doc:  "LogAddExp returns log(exp(a) + exp(b)) of the elements of two tensors, broadcast to one shape, without overflow of the powers.",
		Ex:   Example{"tensor.Of(0, 1000).LogAddExp(tensor.Of(0, 1000))", "[0.6931472, 1000.6932] f32"},
	},
	{
		Name: "copysign", Method: "Copysign", On: Floats, C: "copysign(a, b)", Ref: math.Copysign,
		Grad: [2]string{"g * sign(a) * sign(y)", "0"},
		Doc:  "Copysign returns the elements of t with the signs of the other tensor's, which zeros have too.",
		Ex:   Example{"tensor.Of(1, -2).Copysign(tensor.Of(-3, 4))", "[-1, 2] f32"},
	},
	{
		Name: "fmax", Method: "Fmax", On: Numbers, C: "fmax(a, b)", Ref: fmax,
		Int: func(a, b int64) int64 { return max(a, b) }, Uint: func(a, b uint64) uint64 { return max(a, b) },
		Grad: [2]string{"where(a > b, g, where(a == b, g * 0.5, where(b == b, 0, g)))",
			"where(a > b, 0, where(a == b, g * 0.5, where(b == b, g, 0)))"},
		Doc: "Fmax returns the elementwise maximum of two tensors, broadcast to one shape, and the other element where one is NaN.",
		Ex:  Example{"tensor.Of(1, math.NaN()).Fmax(tensor.Of(2, 3))", "[2, 3] f32"},
	},
	{
		Name: "fmin", Method: "Fmin", On: Numbers, C: "fmin(a, b)", Ref: fmin,
		Int: func(a, b int64) int64 { return min(a, b) }, Uint: func(a, b uint64) uint64 { return min(a, b) },
		Grad: [2]string{"where(a < b, g, where(a == b, g * 0.5, where(b == b, 0, g)))",
			"where(a < b, 0, where(a == b, g * 0.5, where(b == b, g, 0)))"},
		Doc: "Fmin returns the elementwise minimum of two tensors, broadcast to one shape, and the other element where one is NaN.",
		Ex:  Example{"tensor.Of(1, math.NaN()).Fmin(tensor.Of(2, 3))", "[1, 3] f32"},
	},
	{
		Name: "heaviside", Method: "Heaviside", On: Numbers, C: "heaviside(a, b)", Ref: heaviside,
		Int: heavisideInt[int64], Uint: heavisideInt[uint64],
		Grad: [2]string{"0", "where(a == 0, g, 0)"},
		Doc:  "Heaviside returns 0 where the elements of t are negative, 1 where they are positive, and the other tensor's element where they are zero. NaN stays NaN.",
		Ex:   Example{"tensor.Of(-2, 0, 3).Heaviside(0.5)", "[0, 0.5, 1] f32"},
	},
	{
		Name: "nextafter", Method: "NextAfter", On: Floats, C: "nextafter<Stored>(a, b)", Typed: nextAfter,
		Doc: "NextAfter returns the values of the element type that follow the elements of t in the direction of the other tensor's elements, or those where they are equal. It has no gradient.",
		Ex:  Example{"tensor.Of(1, 0).NextAfter(2)", "[1.0000001, 1e-45] f32"},
	},
}

// remainders are the rows of Binary for quotients and remainders.
var remainders = []BinaryOp{
	{
		Name: "floor_div", Method: "FloorDiv", On: Numbers, C: "floor_div(a, b)", Ref: floorDiv, Int: floorDivInt[int64],
		Uint: floorDivInt[uint64],
		Grad: [2]string{"0", "0"},
		Doc:  "FloorDiv returns the quotients of the elements of two tensors, broadcast to one shape and rounded down, as // does in Python: b·FloorDiv(b) + Mod(b) is a. Division of an integer by zero gives 0, as for Div.",
		Ex:   Example{"tensor.Of(7, -7).FloorDiv(2)", "[3, -4] f32"},
	},
	{
		Name: "mod", Method: "Mod", On: Numbers, C: "mod(a, b)", Ref: mod, Int: modInt[int64],
		Uint: modInt[uint64], ULP: 1,
		Grad: [2]string{"g", "-(g * floor_div(a, b))"},
		Doc:  "Mod returns the remainders of FloorDiv, with the sign of the divisor, as % does in Python and torch.remainder. Those of an integer by zero are 0.",
		Ex:   Example{"tensor.Of(7, -7).Mod(3)", "[1, 2] f32"},
	},
	{
		Name: "fmod", Method: "Fmod", On: Numbers, C: "fmod(a, b)", Ref: math.Mod, Int: fmodInt[int64],
		Uint: fmodInt[uint64],
		Grad: [2]string{"g", "-(g * trunc(a / b))"},
		Doc:  "Fmod returns the remainders of division truncated toward zero, with the sign of the dividend, as % does in Go and C. They are exact; those of an integer by zero are 0.",
		Ex:   Example{"tensor.Of(7, -7).Fmod(3)", "[1, -1] f32"},
	},
}
