package kernels

// MethodOp is a row of Indexing or InPlace: a method that needs no kernel of its own, because it is a view, or is made
// of other operations. From it come the method, its documentation and the test of its example.
type MethodOp struct {
	Method string  // the method of tensor.Tensor
	Params string  // its parameters, as in Go
	Args   string  // their names, as in a call
	Doc    string  // full sentences that begin with Method
	Ex     Example // shown with Doc; for InPlace statements about x, and what x is afterwards
}

// Indexing lists the methods that pick, cut and arrange elements.
var Indexing = []MethodOp{
	{
		Method: "I", Params: "index ...any", Args: "index...",
		Doc: "I picks elements, dim by dim, as x[…] does in Python. An int takes one element and drops the dim. A Range as R(1, 3), From(1), Until(3) or All keeps a part, with By(2) every other element of it. " +
			"A *Tensor or []int of ids picks as IndexSelect does. A mask picks the elements that it marks, as in NumPy: a []bool, or a *Tensor of U8 such as a comparison gives, with the sizes of the one or more dims that it is for; one dim takes their place, and a GPU is waited for, which has to say how long that is. NewAxis adds a dim of size 1, and Ellipsis stands for as many All as fit. A string has several of these as in Python: \"1:3, -1\", \"..., ::2\". " +
			"Negative numbers count from the end. Dims that are not mentioned stay. The elements are shared, unless ids or masks are among the indices: what is written then is written to a copy, and MaskedFill or Scatter give a tensor with other elements there. It panics with ErrIndex when something is out of range, and with ErrShape when there are more indices than dims.",
		Ex: Example{"tensor.Arange(0, 6, tensor.F32, tensor.CPU()).Reshape([]int{2, 3}).I(1, tensor.From(1))",
			"[4, 5] f32"},
	},
	{
		Method: "Unfold", Params: "dim, size, step int", Args: "dim, size, step",
		Doc: "Unfold shows all stretches of size elements along a dim that begin step elements apart: the dim gets one element for each of them, and a new last dim of that size has their elements, which are shared. Elements at the end that fill no stretch are left out. It panics with ErrShape when not even one stretch fits.",
		Ex:  Example{"tensor.Of(1, 2, 3, 4).Unfold(0, 2, 1).Sum(1)", "[3, 5, 7] f32"},
	},
	{
		Method: "FlattenTo", Params: "end int", Args: "end",
		Doc: "FlattenTo merges the first dims up to and with end into one. A scalar becomes a tensor of shape [1].",
		Ex:  Example{"tensor.Ones([]int{2, 2, 2}, tensor.F32, tensor.CPU()).FlattenTo(1).Sum(0)", "[4, 4] f32"},
	},
	{
		Method: "FlattenFrom", Params: "start int", Args: "start",
		Doc: "FlattenFrom merges the last dims from start on into one. A scalar becomes a tensor of shape [1].",
		Ex:  Example{"tensor.Ones([]int{2, 2, 2}, tensor.F32, tensor.CPU()).FlattenFrom(1).Sum(1)", "[4, 4] f32"},
	},
	{
		Method: "SliceAssign", Params: "ranges []Range, src *Tensor", Args: "ranges, src",
		Doc: "SliceAssign returns a copy of t in which the elements that ranges name, one range for each dim, are replaced by those of src, which has the shape of that part. It panics with ErrShape when it has not, and with ErrIndex when a range goes beyond its dim.",
		Ex: Example{"tensor.Of(1, 2, 3, 4).SliceAssign([]tensor.Range{tensor.R(1, 3)}, tensor.Of(20, 30))",
			"[1, 20, 30, 4] f32"},
	},
	{
		Method: "SliceScatter", Params: "src *Tensor, dim, start int", Args: "src, dim, start",
		Doc: "SliceScatter returns a copy of t in which the elements of a dim from start on are replaced by those of src, which has the other sizes of t.",
		Ex:  Example{"tensor.Of(1, 2, 3, 4).SliceScatter(tensor.Of(20, 30), 0, 1)", "[1, 20, 30, 4] f32"},
	},
	{
		Method: "SliceScatter0", Params: "src *Tensor, start int", Args: "src, start",
		Doc: "SliceScatter0 is SliceScatter along the first dim.",
		Ex:  Example{"tensor.Of(1, 2, 3).SliceScatter0(tensor.Of(10, 20), 0)", "[10, 20, 3] f32"},
	},
	{
		Method: "MaskedFill", Params: "mask *Tensor, value any", Args: "mask, value",
		Doc: "MaskedFill returns a copy of t with value where mask is not 0. mask has an integer type (comparisons give U8) and is broadcast to the shape of t; value is a Go number, or a tensor of rank 0. It panics with ErrDType for other masks, and with ErrShape when the mask does not stretch to t.",
		Ex:  Example{"tensor.Of(1, 2, 3).MaskedFill(tensor.Of(1, 2, 3).Gt(2), -1)", "[1, 2, -1] f32"},
	},
	{
		Method: "Tril", Params: "diagonal int", Args: "diagonal",
		Doc: "Tril returns the matrices of the last two dims with zeros above a diagonal: 0 is the main one, 1 the one above it, -1 the one below.",
		Ex:  Example{"tensor.Ones([]int{2, 2}, tensor.F32, tensor.CPU()).Tril(0).FlattenAll()", "[1, 0, 1, 1] f32"},
	},
	{
		Method: "Triu", Params: "diagonal int", Args: "diagonal",
		Doc: "Triu returns the matrices of the last two dims with zeros below a diagonal: 0 is the main one, 1 the one above it, -1 the one below.",
		Ex:  Example{"tensor.Ones([]int{2, 2}, tensor.F32, tensor.CPU()).Triu(1).FlattenAll()", "[0, 1, 0, 0] f32"},
	},
}

// InPlace lists the methods that write to the elements of their tensor, and so to those of every view that shares them.
var InPlace = []MethodOp{
	{
		Method: "ConstSet", Params: "value any", Args: "value",
		Doc: "ConstSet writes a Go number that the dtype can hold to every element of t, which may be a view of any layout.",
		Ex:  Example{"x := tensor.Of(1, 2, 3); x.I(tensor.From(1)).ConstSet(9)", "[1, 9, 9] f32"},
	},
	{
		Method: "ZeroSet",
		Doc:    "ZeroSet writes 0 to every element of t, which may be a view of any layout.",
		Ex:     Example{"x := tensor.Of(1, 2, 3); x.Narrow(0, 0, 2).ZeroSet()", "[0, 0, 3] f32"},
	},
	{
		Method: "OneSet",
		Doc:    "OneSet writes 1 to every element of t, which may be a view of any layout.",
		Ex:     Example{"x := tensor.Of(4, 5, 6); x.OneSet()", "[1, 1, 1] f32"},
	},
	{
		Method: "CopySet", Params: "src *Tensor", Args: "src",
		Doc: "CopySet writes the elements of src, stretched to the shape of t, to those of t, which may be a view of any layout whose elements are all different ones. The dtype of both must be the same, and src must not share the elements of t. A src on another device is brought over first; to dense elements on the CPU it comes straight from a GPU.",
		Ex:  Example{"x := tensor.Of(1, 2, 3, 4); x.I(\"::2\").CopySet(tensor.Of(10, 30))", "[10, 2, 30, 4] f32"},
	},
	{
		Method: "SliceSet", Params: "src *Tensor, dim, offset int", Args: "src, dim, offset",
		Doc: "SliceSet writes the elements of src to those of t that begin with offset along a dim. The other sizes, the dtype and the device of both must be the same, and src must not share the elements of t.",
		Ex:  Example{"x := tensor.Of(1, 2, 3, 4); x.SliceSet(tensor.Of(20, 30), 0, 1)", "[1, 20, 30, 4] f32"},
	},
	{
		Method: "RopeSet", Params: "cos, sin *Tensor", Args: "cos, sin",
		Doc: "RopeSet is Rope that turns the elements of t itself, which may be a view of any layout whose elements are all different ones.",
		Ex:  Example{"x := tensor.Of(1, 2); x.Reshape([]int{1, 1, 1, 2}).RopeSet(tensor.Of(0).Reshape([]int{1, 1}), tensor.Of(1).Reshape([]int{1, 1}))", "[-2, 1] f32"},
	},
	{
		Method: "RopeISet", Params: "cos, sin *Tensor", Args: "cos, sin",
		Doc: "RopeISet is RopeSet in which elements 2i and 2i + 1 of a row are a pair.",
		Ex:  Example{"x := tensor.Of(1, 2); x.Reshape([]int{1, 1, 1, 2}).RopeISet(tensor.Of(0).Reshape([]int{1, 1}), tensor.Of(1).Reshape([]int{1, 1}))", "[-2, 1] f32"},
	},
	{
		Method: "ScatterSet", Params: "ids, src *Tensor, dim int", Args: "ids, src, dim",
		Doc: "ScatterSet is Scatter that writes to the elements of t itself. An id out of range is an ErrIndex, as for Scatter; the elements for the other ids may have been written.",
		Ex: Example{"x := tensor.Of(1, 2, 3); x.ScatterSet(tensor.Of(2, 0).ToDType(tensor.U32), tensor.Of(10, 20), 0)",
			"[20, 2, 10] f32"},
	},
	{
		Method: "ScatterAddSet", Params: "ids, src *Tensor, dim int", Args: "ids, src, dim",
		Doc: "ScatterAddSet is ScatterAdd that adds to the elements of t itself. An id out of range is an ErrIndex, as for Scatter; the elements for the other ids may have been added to.",
		Ex:  Example{"x := tensor.Of(1, 2, 3); x.ScatterAddSet(tensor.Of(2, 2).ToDType(tensor.U32), tensor.Of(10, 20), 0)", "[1, 2, 33] f32"},
	},
}
