package kernels

// StructuredOp is a row of Structured: an operation whose operands have roles of their own. From it come the method, its
// documentation and the test of its example; shape rule, host loop and device code are written for each.
type StructuredOp struct {
	Name   string  // kernel names begin with it, unless kernels of another row serve it
	Method string  // the method of tensor.Tensor
	Params string  // its parameters, as in Go
	Args   string  // their names, as in a call
	Pair   bool    // the results are two tensors: values and ids
	Doc    string  // full sentences that begin with Method
	Ex     Example // shown with Doc
	On     []DType // the element types that it accepts
	Within string  // how far a device may stray from the reference
}

// Structured lists the index operations, sorting, running sums, convolutions, pools, resizing, norms and rotary embeddings.
var Structured = []StructuredOp{
	{
		Name: "gather", Method: "Gather", Params: "ids *Tensor, dim int", Args: "ids, dim", On: All, Within: "exact",
		Doc: "Gather picks one element per id along a dim: for dim 0 out[i][j] = t[ids[i][j]][j], for dim 1 out[i][j] = t[i][ids[i][j]], and so on. ids has the rank of t, and no larger sizes outside of dim. The result has the shape of ids. It panics with ErrIndex when an id is out of range, and so waits for the device.",
		Ex:  Example{"tensor.Of(10, 20, 30).Gather(tensor.Of(2, 0).ToDType(tensor.U32), 0)", "[30, 10] f32"},
	},
	{
		Name: "scatter", Method: "Scatter", Params: "ids, src *Tensor, dim int", Args: "ids, src, dim", On: All, Within: "exact",
		Doc: "Scatter returns a copy of t in which elements along a dim are replaced by those of src: for dim 0 out[ids[i][j]][j] = src[i][j], for dim 1 out[i][ids[i][j]] = src[i][j], and so on. ids and src have one shape, with the rank of t and no larger sizes outside of dim. Of several elements for one place the last stays, on every device. It panics with ErrIndex when an id is out of range, and so waits for the device.",
		Ex:  Example{"tensor.Of(1, 2, 3).Scatter(tensor.Of(2, 0).ToDType(tensor.U32), tensor.Of(10, 20), 0)", "[20, 2, 10] f32"},
	},
	{
		Name: "scatter_add", Method: "ScatterAdd", Params: "ids, src *Tensor, dim int", Args: "ids, src, dim", On: All, Within: "exact",
		Doc: "ScatterAdd is Scatter in which the elements of src are added to those of t, one after the other in the order of ids, so that a sum is the same on every device. F16 and BF16 are added in F32. Integers wrap.",
		Ex:  Example{"tensor.Of(1, 2, 3).ScatterAdd(tensor.Of(2, 2).ToDType(tensor.U32), tensor.Of(10, 20), 0)", "[1, 2, 33] f32"},
	},
	{
		Name: "index_add", Method: "IndexAdd", Params: "ids, src *Tensor, dim int", Args: "ids, src, dim", On: All, Within: "exact",
		Doc: "IndexAdd returns a copy of t to which slices of src are added: slice i of src along dim goes to slice ids[i] of t. ids is a vector of integers, as long as src in dim; the other sizes of src are those of t. The order is that of ids, on every device. F16 and BF16 are added in F32. Integers wrap. It panics with ErrIndex when an id is out of range, and so waits for the device.",
		Ex:  Example{"tensor.Of(1, 2, 3).IndexAdd(tensor.Of(0, 0).ToDType(tensor.U32), tensor.Of(10, 20), 0)", "[31, 2, 3] f32"},
	},
	{
		Name: "sort_last_dim", Method: "SortLastDim", Params: "asc bool", Args: "asc", Pair: true, On: All, Within: "exact",
		Doc: "SortLastDim sorts the rows of the last dim, ascending or descending, and returns the sorted elements and where they were, with type U32. Equal elements keep their order, and NaN comes last, on every device. Rows may be of any length.",
		Ex:  Example{"tensor.Of(3, 1, 2).SortLastDim(true)", "[1, 2, 3] f32"},
	},
	{
		Name: "arg_sort_last_dim", Method: "ArgSortLastDim", Params: "asc bool", Args: "asc", On: All, Within: "exact",
		Doc: "ArgSortLastDim returns the ids that sort the rows of the last dim, ascending or descending, with type U32. Equal elements keep their order, and NaN comes last.",
		Ex:  Example{"tensor.Of(3, 1, 2).ArgSortLastDim(true)", "[1, 2, 0] u32"},
	},
	{
		Name: "sort", Method: "Sort", Params: "dim int, asc bool", Args: "dim, asc", Pair: true, On: All, Within: "exact",
		Doc: "Sort is SortLastDim along any dim.",
		Ex:  Example{"tensor.Of(3, 1, 2).Sort(0, false)", "[3, 2, 1] f32"},
	},
	{
		Name: "arg_sort", Method: "ArgSort", Params: "dim int, asc bool", Args: "dim, asc", On: All, Within: "exact",
		Doc: "ArgSort is ArgSortLastDim along any dim.",
		Ex:  Example{"tensor.Of(3, 1, 2).ArgSort(0, false)", "[0, 2, 1] u32"},
	},
	{
		Name: "cumsum", Method: "CumSum", Params: "dim int", Args: "dim", On: All, Within: "1 ulp, and 32·2⁻⁵³ (f16, bf16: 32·2⁻²⁴) of the sum of the sizes",
		Doc: "CumSum returns the running sums along a dim, with the type of the elements: integers wrap. F16 and BF16 are added in F32, F32 in F64.",
		Ex:  Example{"tensor.Of(1, 2, 3).CumSum(0)", "[1, 3, 6] f32"},
	},
}
