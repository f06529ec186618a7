package kernels

// MethodOp is a row of Statistics, Composed, Indexing or InPlace: a method without a kernel of its own, because it is a
// view or composed of other operations. The method, its documentation and the test of its example are derived from it.
type MethodOp struct {
	Method string  // the method of tensor.Tensor
	Params string  // its parameters, as in Go
	Args   string  // their names, as in a call
	Doc    string  // full sentences that begin with Method
	Ex     Example // shown with Doc; for InPlace, statements about x and the value of x afterwards

	Results string // names of the results, if there are several
}

// Composed lists the elementwise methods that are composed of rows.
var Composed = []MethodOp{
	{
		Method: "Lerp", Params: "end *Tensor, weight any", Args: "end, weight",
		Doc: "Lerp interpolates linearly between t and end: t + weight·(end - t), and exactly t for the weight 0 and end for the weight 1. weight is a number or a tensor; all shapes are broadcast. It takes float types only.",
		Ex:  Example{"tensor.Of(0, 10).Lerp(tensor.Of(1, 20), 0.5)", "[0.5, 15] f32"},
	},
	{
		Method: "Addcmul", Params: "a, b *Tensor, value float64", Args: "a, b, value",
		Doc: "Addcmul returns t + value·a·b, elementwise. Shapes are broadcast. It panics with ErrDType when value is not of the dtype.",
		Ex:  Example{"tensor.Of(1, 2).Addcmul(tensor.Of(3, 4), tensor.Of(5, 6), 0.5)", "[8.5, 14] f32"},
	},
	{
		Method: "Addcdiv", Params: "a, b *Tensor, value float64", Args: "a, b, value",
		Doc: "Addcdiv returns t + value·a/b, elementwise. Shapes are broadcast. It panics with ErrDType when value is not of the dtype.",
		Ex:  Example{"tensor.Of(1, 2).Addcdiv(tensor.Of(3, 4), tensor.Of(6, 8), 2)", "[2, 3] f32"},
	},
	{
		Method: "NanToNum",
		Doc:    "NanToNum replaces NaN by 0 and infinities by the largest finite values of the dtype, as torch.nan_to_num does. Integers and Bool have neither: they stay as they are.",
		Ex:     Example{"tensor.Of(math.NaN(), math.Inf(-1), 2).NanToNum()", "[0, -3.4028235e+38, 2] f32"},
	},
	{
		Method: "And", Params: "y any", Args: "y",
		Doc: "And returns where both elements are true (not 0), as Bool. y is a tensor of any dtype, a number or a bool; shapes are broadcast. BitAnd is for the bits of integers.",
		Ex:  Example{"tensor.Of(1, 2, 3).Gt(1).And(tensor.Of(1, 2, 3).Lt(3))", "[false, true, false] bool"},
	},
	{
		Method: "Or", Params: "y any", Args: "y",
		Doc: "Or returns where at least one of the elements is true (not 0), as Bool. y is as for And.",
		Ex:  Example{"tensor.Of(1, 2, 3).Lt(2).Or(tensor.Of(1, 2, 3).Gt(2))", "[true, false, true] bool"},
	},
	{
		Method: "Xor", Params: "y any", Args: "y",
		Doc: "Xor returns where exactly one of the elements is true (not 0), as Bool. y is as for And.",
		Ex:  Example{"tensor.Of(0, 0, 2).Xor(tensor.Of(0, 3, 4))", "[false, true, false] bool"},
	},
	{
		Method: "Not",
		Doc:    "Not returns where the elements are false (0), as Bool. BitNot is for the bits of integers.",
		Ex:     Example{"tensor.Of(1, 2, 3).Gt(1).Not()", "[true, false, false] bool"},
	},
	{
		Method: "IsNaN",
		Doc:    "IsNaN returns where the elements are NaN, as Bool. No integer is.",
		Ex:     Example{"tensor.Of(1, math.NaN(), math.Inf(1)).IsNaN()", "[false, true, false] bool"},
	},
	{
		Method: "IsInf",
		Doc:    "IsInf returns where the elements are infinite, as Bool. No integer is.",
		Ex:     Example{"tensor.Of(1, math.NaN(), math.Inf(-1)).IsInf()", "[false, false, true] bool"},
	},
	{
		Method: "IsFinite",
		Doc:    "IsFinite returns where the elements are neither NaN nor infinite, as Bool. All integers are finite.",
		Ex:     Example{"tensor.Of(1, math.NaN(), math.Inf(-1)).IsFinite()", "[true, false, false] bool"},
	},
	{
		Method: "IsClose", Params: "y any, rtol, atol float64", Args: "y, rtol, atol",
		Doc: "IsClose returns where |t - y| is at most atol + rtol·|y|, as Bool; infinities are close to themselves, and NaN is close to nothing. y is a tensor or a number; shapes are broadcast. F32 is compared in F32, other types in F64. PyTorch and NumPy take 1e-5 and 1e-8 unless told otherwise.",
		Ex:  Example{"tensor.Of(1, 100, math.Inf(1)).IsClose(tensor.Of(1.1, 100.1, math.Inf(1)), 0.01, 0)", "[false, true, true] bool"},
	},
}

// Indexing lists the methods that select, slice and rearrange elements.
var Indexing = []MethodOp{
	{
		Method: "I", Params: "index ...any", Args: "index...",
		Doc: "I indexes dim by dim, as x[…] does in Python. An int selects one element and drops the dim. A Range such as R(1, 3), From(1), Until(3) or All selects a slice, with By(2) every second element of it, and with By(-1) in the opposite order. " +
			"A *Tensor or []int of ids selects one slice for each id, and several of them are paired as in NumPy: their shapes are broadcast to one, whose dims replace those that are indexed, or come first where other dims lie between. A mask selects the elements where it is set, as in NumPy: a []bool, or a *Tensor of Bool such as the result of a comparison, with the sizes of the dims that it covers. Those dims become one; its length is computed by the device, so the call waits for a GPU. NewAxis adds a dim of size 1, and Ellipsis stands for as many All as fit. A string holds several indices as in Python: \"1:3, -1\", \"..., ::2\". " +
			"Negative numbers and ids count from the end. Dims without an index are kept. The result is a view, unless ids, masks or negative steps are among the indices: then it is a copy, and writing to it leaves t unchanged. SetI writes to the elements of t in all cases. It panics with ErrIndex when an index is out of range, and with ErrShape when there are more indices than dims.",
		Ex: Example{"tensor.Arange(6).Reshape(2, 3).I(1, tensor.From(1))",
			"[4, 5] f32"},
	},
	{
		Method: "Take", Params: "ids *Tensor", Args: "ids",
		Doc: "Take selects elements by their positions in row-major order, as if t had one dim. The result has the shape of ids; negative ids count from the end. It panics as I does.",
		Ex:  Example{"tensor.Of(10, 20, 30, 40).Reshape(2, 2).Take(tensor.New([]int{3, 0}))", "[40, 10] f32"},
	},
	{
		Method: "Pad", Params: "dim, left, right int, mode any", Args: "dim, left, right, mode",
		Doc: "Pad puts left elements before those of a dim and right ones after them. mode is a Go number, of which they are copies, or Replicate, Reflect or Circular. Paddings may be longer than the dim. It panics with ErrShape for a negative padding, and when a dim without elements has none to repeat.",
		Ex:  Example{"tensor.Of(1, 2, 3).Pad(0, 2, 1, tensor.Reflect)", "[3, 2, 1, 2, 3, 2] f32"},
	},
	{
		Method: "RepeatInterleave", Params: "n, dim int", Args: "n, dim",
		Doc: "RepeatInterleave repeats each element along a dim n times in a row. Repeat repeats the whole tensor.",
		Ex:  Example{"tensor.Of(1, 2).RepeatInterleave(2, 0)", "[1, 1, 2, 2] f32"},
	},
	{
		Method: "Bucketize", Params: "boundaries *Tensor, right bool", Args: "boundaries, right",
		Doc: "Bucketize returns the number of the bucket of every element, with type U32: 0 up to the first boundary, 1 up to the second, and so on. An element that equals a boundary belongs to the bucket below it, or above it if right is set. boundaries is a vector in ascending order: boundaries.SearchSorted(t, right).",
		Ex:  Example{"tensor.Of(0, 3, 9).Bucketize(tensor.Of(1, 3, 5), false)", "[0, 1, 3] u32"},
	},
	{
		Method: "IsIn", Params: "values *Tensor", Args: "values",
		Doc: "IsIn returns whether every element is among the elements of values, as Bool. NaN is not. dtypes are promoted.",
		Ex:  Example{"tensor.Of(1, 2, 3).IsIn(tensor.Of(3, 1))", "[true, false, true] bool"},
	},
	{
		Method: "Unique", Results: "values, inverse, counts",
		Doc: "Unique returns the distinct elements in ascending order, as a vector; for every element of t the index of its value among them, with type U32 and the shape of t; and how often each value occurs, as I64. Every NaN is distinct. The number of values depends on the elements, so the call waits for the device.",
		Ex:  Example{"tensor.Of(3, 1, 3, 2).Unique()", "[1, 2, 3] f32"},
	},
	{
		Method: "Diff", Params: "n, dim int", Args: "n, dim",
		Doc: "Diff returns the differences of adjacent elements along a dim, n times in succession: each time the dim becomes shorter by one, until it has no elements. Integers wrap.",
		Ex:  Example{"tensor.Of(1, 4, 9, 16).Diff(2, 0)", "[2, 2] f32"},
	},
	{
		Method: "Unfold", Params: "dim, size, step int", Args: "dim, size, step",
		Doc: "Unfold returns a view of all windows of size elements along dim, step elements apart. dim becomes the number of windows, and a new last dim of length size holds their elements. Trailing elements that do not fill a window are ignored. It panics with ErrShape when dim has fewer than size elements.",
		Ex:  Example{"tensor.Of(1, 2, 3, 4).Unfold(0, 2, 1).Sum(1)", "[3, 5, 7] f32"},
	},
	{
		Method: "FlattenTo", Params: "end int", Args: "end",
		Doc: "FlattenTo merges the dims up to and including end into one. A scalar becomes a tensor of shape [1]. The elements are shared where strides can express the result.",
		Ex:  Example{"tensor.Ones(2, 2, 2).FlattenTo(1).Sum(0)", "[4, 4] f32"},
	},
	{
		Method: "FlattenFrom", Params: "start int", Args: "start",
		Doc: "FlattenFrom merges the dims from start to the last into one. A scalar becomes a tensor of shape [1]. The elements are shared where strides can express the result.",
		Ex:  Example{"tensor.Ones(2, 2, 2).FlattenFrom(1).Sum(1)", "[4, 4] f32"},
	},
	{
		Method: "SliceAssign", Params: "ranges []Range, src *Tensor", Args: "ranges, src",
		Doc: "SliceAssign returns a copy of t in which a slice, given by one range for each dim, is replaced by src. It panics with ErrShape when src does not have the shape of the slice, and with ErrIndex when a range exceeds its dim.",
		Ex: Example{"tensor.Of(1, 2, 3, 4).SliceAssign([]tensor.Range{tensor.R(1, 3)}, tensor.Of(20, 30))",
			"[1, 20, 30, 4] f32"},
	},
	{
		Method: "SliceScatter", Params: "src *Tensor, dim, start int", Args: "src, dim, start",
		Doc: "SliceScatter returns a copy of t in which the slice of dim that begins at start is replaced by src. The other sizes of src are those of t.",
		Ex:  Example{"tensor.Of(1, 2, 3, 4).SliceScatter(tensor.Of(20, 30), 0, 1)", "[1, 20, 30, 4] f32"},
	},
	{
		Method: "SliceScatter0", Params: "src *Tensor, start int", Args: "src, start",
		Doc: "SliceScatter0 is SliceScatter along the first dim.",
		Ex:  Example{"tensor.Of(1, 2, 3).SliceScatter0(tensor.Of(10, 20), 0)", "[10, 20, 3] f32"},
	},
	{
		Method: "MaskedFill", Params: "mask *Tensor, value any", Args: "mask, value",
		Doc: "MaskedFill returns a copy of t with value where mask is not 0. mask is Bool, as comparisons give, or has an integer type, and is broadcast to the shape of t; value is a Go number, or a tensor of rank 0. It panics with ErrDType for other masks, and with ErrShape when the mask does not broadcast to the shape of t.",
		Ex:  Example{"tensor.Of(1, 2, 3).MaskedFill(tensor.Of(1, 2, 3).Gt(2), -1)", "[1, 2, -1] f32"},
	},
	{
		Method: "Tril", Params: "diagonal int", Args: "diagonal",
		Doc: "Tril returns the matrices of the last two dims with zeros above a diagonal: 0 is the main one, 1 the one above it, -1 the one below.",
		Ex:  Example{"tensor.Ones(2, 2).Tril(0).FlattenAll()", "[1, 0, 1, 1] f32"},
	},
	{
		Method: "Triu", Params: "diagonal int", Args: "diagonal",
		Doc: "Triu returns the matrices of the last two dims with zeros below a diagonal: 0 is the main one, 1 the one above it, -1 the one below.",
		Ex:  Example{"tensor.Ones(2, 2).Triu(1).FlattenAll()", "[0, 1, 0, 0] f32"},
	},
}

// InPlace lists the methods that write to the elements of their tensor, and so to those of every view that shares them.
var InPlace = []MethodOp{
	{
		Method: "ConstSet", Params: "value any", Args: "value",
		Doc: "ConstSet sets every element of t to a Go number that the dtype can represent. t may be a view of any layout.",
		Ex:  Example{"x := tensor.Of(1, 2, 3); x.I(tensor.From(1)).ConstSet(9)", "[1, 9, 9] f32"},
	},
	{
		Method: "SetI", Params: "value any, index ...any", Args: "value, index...",
		Doc: "SetI writes value to the elements that I(index...) selects, as x[…] = value does in Python: numbers, ranges with steps of either sign, ids, masks and all else that I takes. value is a Go number or a tensor that is broadcast to the shape of the selection; a tensor of another dtype is converted, to integers only if these hold all of its values. Where ids repeat, the last element wins, on every device. It panics as I does, and with ErrGradient when t was computed from variables or value depends on one.",
		Ex:  Example{"x := tensor.Of(1, 2, 3, 4); x.SetI(9, \"::2\"); x.SetI(0, x.Eq(2))", "[9, 0, 9, 4] f32"},
	},
	{
		Method: "AddI", Params: "value any, index ...any", Args: "value, index...",
		Doc: "AddI adds value to the elements that I(index...) selects, in the order of ids where these repeat (np.add.at, index_put_ with accumulate). value is as for SetI. F16, BF16 and F8E4M3 are added in F32. It panics as SetI does.",
		Ex:  Example{"x := tensor.Of(1, 2, 3); x.AddI(10, []int{0, 0, 2})", "[21, 2, 13] f32"},
	},
	{
		Method: "Put", Params: "ids, src *Tensor", Args: "ids, src",
		Doc: "Put writes src, broadcast to the shape of ids, to the elements at these positions in row-major order, as if t had one dim. t is contiguous. It panics as SetI does.",
		Ex:  Example{"x := tensor.Of(1, 2, 3, 4); x.Put(tensor.New([]int{3, 0}), tensor.Of(40, 10))", "[10, 2, 3, 40] f32"},
	},
	{
		Method: "ZeroSet",
		Doc:    "ZeroSet sets every element of t to 0. t may be a view of any layout.",
		Ex:     Example{"x := tensor.Of(1, 2, 3); x.Narrow(0, 0, 2).ZeroSet()", "[0, 0, 3] f32"},
	},
	{
		Method: "OneSet",
		Doc:    "OneSet sets every element of t to 1. t may be a view of any layout.",
		Ex:     Example{"x := tensor.Of(4, 5, 6); x.OneSet()", "[1, 1, 1] f32"},
	},
	{
		Method: "CopySet", Params: "src *Tensor", Args: "src",
		Doc: "CopySet copies src, broadcast to the shape of t, to the elements of t. t may be a view of any layout whose elements do not overlap. Both must have the same dtype, and src must not share the elements of t. A src on another device is transferred first; from a GPU to a dense t on the CPU it is copied directly.",
		Ex:  Example{"x := tensor.Of(1, 2, 3, 4); x.I(\"::2\").CopySet(tensor.Of(10, 30))", "[10, 2, 30, 4] f32"},
	},
	{
		Method: "SliceSet", Params: "src *Tensor, dim, offset int", Args: "src, dim, offset",
		Doc: "SliceSet copies src to the slice of t that begins at offset along dim. The other sizes, the dtype and the device of both must be the same, and src must not share the elements of t.",
		Ex:  Example{"x := tensor.Of(1, 2, 3, 4); x.SliceSet(tensor.Of(20, 30), 0, 1)", "[1, 20, 30, 4] f32"},
	},
	{
		Method: "RopeSet", Params: "cos, sin *Tensor", Args: "cos, sin",
		Doc: "RopeSet is Rope in place. t may be a view of any layout whose elements do not overlap.",
		Ex:  Example{"x := tensor.Of(1, 2); x.Reshape(1, 1, 1, 2).RopeSet(tensor.Of(0).Reshape(1, 1), tensor.Of(1).Reshape(1, 1))", "[-2, 1] f32"},
	},
	{
		Method: "RopeISet", Params: "cos, sin *Tensor", Args: "cos, sin",
		Doc: "RopeISet is RopeSet with pairs of elements 2i and 2i + 1 of a row.",
		Ex:  Example{"x := tensor.Of(1, 2); x.Reshape(1, 1, 1, 2).RopeISet(tensor.Of(0).Reshape(1, 1), tensor.Of(1).Reshape(1, 1))", "[-2, 1] f32"},
	},
	{
		Method: "ScatterSet", Params: "ids, src *Tensor, dim int", Args: "ids, src, dim",
		Doc: "ScatterSet is Scatter in place. An id out of range is an ErrIndex, as for Scatter; the elements for the other ids may have been written.",
		Ex: Example{"x := tensor.Of(1, 2, 3); x.ScatterSet(tensor.Of(2, 0).ToDType(tensor.U32), tensor.Of(10, 20), 0)",
			"[20, 2, 10] f32"},
	},
	{
		Method: "ScatterAddSet", Params: "ids, src *Tensor, dim int", Args: "ids, src, dim",
		Doc: "ScatterAddSet is ScatterAdd in place. An id out of range is an ErrIndex, as for Scatter; the elements for the other ids may have been changed.",
		Ex:  Example{"x := tensor.Of(1, 2, 3); x.ScatterAddSet(tensor.Of(2, 2).ToDType(tensor.U32), tensor.Of(10, 20), 0)", "[1, 2, 33] f32"},
	},
}
