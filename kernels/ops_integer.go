package kernels

// integerUnary are the rows of Unary for integers alone.
var integerUnary = []UnaryOp{
	{
		Name: "bitnot", Method: "BitNot", On: Ints, C: "~x", Int: func(x int64) int64 { return ^x },
		Doc: "BitNot inverts the bits of every element; of Bool it gives what Not does.",
		Ex:  Example{"tensor.New([]int64{0, 5}).BitNot()", "[-1, -6] i64"},
	},
}

// integerBinary are the rows of Binary for integers alone.
var integerBinary = []BinaryOp{
	{
		Name: "gcd", Method: "Gcd", On: Ints, C: "gcd(a, b)", Int: gcd[int64],
		Uint: gcd[uint64],
		Doc:  "Gcd returns the greatest common divisors of the elements of two tensors, broadcast to one shape; that of 0 and 0 is 0. They are positive but for the most negative integer, which is its own absolute value.",
		Ex:   Example{"tensor.New([]int64{12, 0}).Gcd(-18)", "[6, 18] i64"},
	},
	{
		Name: "lcm", Method: "Lcm", On: Ints, C: "lcm(a, b)", Int: lcm[int64],
		Uint: lcm[uint64],
		Doc:  "Lcm returns the least common multiples of the absolute values of the elements of two tensors, broadcast to one shape; 0 where one is 0. They wrap.",
		Ex:   Example{"tensor.New([]int64{4, 0}).Lcm(6)", "[12, 0] i64"},
	},
	{
		Name: "bitand", Method: "BitAnd", On: Ints, C: "a & b", Int: func(a, b int64) int64 { return a & b },
		Doc: "BitAnd returns the bits that are set in both elements of two tensors, broadcast to one shape.",
		Ex:  Example{"tensor.New([]int64{12, -1}).BitAnd(10)", "[8, 10] i64"},
	},
	{
		Name: "bitor", Method: "BitOr", On: Ints, C: "a | b", Int: func(a, b int64) int64 { return a | b },
		Doc: "BitOr returns the bits that are set in either element of two tensors, broadcast to one shape.",
		Ex:  Example{"tensor.New([]int64{12, 1}).BitOr(10)", "[14, 11] i64"},
	},
	{
		Name: "bitxor", Method: "BitXor", On: Ints, C: "a ^ b", Int: func(a, b int64) int64 { return a ^ b },
		Doc: "BitXor returns the bits that differ between the elements of two tensors, broadcast to one shape.",
		Ex:  Example{"tensor.New([]int64{12, 10}).BitXor(10)", "[6, 0] i64"},
	},
	{
		Name: "shift_left", Method: "ShiftLeft", On: Ints, C: "shift_left(a, b)", Int: shiftLeft,
		Doc: "ShiftLeft returns the elements of t shifted left by as many bits as the other tensor's elements say. Bits beyond the width of the type are lost, all of them for a count of at least the width, and for a negative count, as in NumPy.",
		Ex:  Example{"tensor.New([]int64{1, 3}).ShiftLeft(4)", "[16, 48] i64"},
	},
	{
		Name: "shift_right", Method: "ShiftRight", On: Ints, C: "shift_right(a, b)", Int: shiftRight[int64],
		Uint: shiftRight[uint64],
		Doc:  "ShiftRight returns the elements of t shifted right by as many bits as the other tensor's elements say, with copies of the sign on the left. A count of at least the width gives 0, or -1 for negative elements, and so does a negative count, as in NumPy.",
		Ex:   Example{"tensor.New([]int64{48, -1}).ShiftRight(4)", "[3, -1] i64"},
	},
}
