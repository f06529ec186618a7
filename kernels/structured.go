package kernels

// StructuredOp is a row of Structured: an operation whose operands have roles of their own. The method, its
// documentation and the test of its example are derived from it; shape rule, host loop and device code are
// hand-written.
type StructuredOp struct {
	Name   string  // prefix of its kernels' names, unless it uses kernels of another row
	Method string  // the method of tensor.Tensor
	Params string  // its parameters, as in Go
	Args   string  // their names, as in a call
	Pair   string  // names of the results, if there are two
	Doc    string  // full sentences that begin with Method
	Ex     Example // shown with Doc
	On     []DType // the element types that it accepts
	Within string  // how far a device may stray from the reference
}

// Structured lists the index operations, sorting, masks, cumulative sums, convolutions, pooling, resizing, norms and
// rotary embeddings.
var Structured = []StructuredOp{
	{
		Name: "gather", Method: "Gather", Params: "ids *Tensor, dim int", Args: "ids, dim", On: All, Within: "exact",
		Doc: "Gather selects one element per id along a dim: for dim 0 out[i][j] = t[ids[i][j]][j], for dim 1 out[i][j] = t[i][ids[i][j]], and so on. ids has the rank of t, and its sizes in the other dims are at most those of t. The result has the shape of ids. An id out of range is an ErrIndex; a GPU reports it at the next call that waits for the device.",
		Ex:  Example{"tensor.Of(10, 20, 30).Gather(tensor.Of(2, 0).ToDType(tensor.U32), 0)", "[30, 10] f32"},
	},
	{
		Name: "scatter", Method: "Scatter", Params: "ids, src *Tensor, dim int", Args: "ids, src, dim", On: All,
		Within: "exact",
		Doc:    "Scatter returns a copy of t in which elements along a dim are replaced by those of src: for dim 0 out[ids[i][j]][j] = src[i][j], for dim 1 out[i][ids[i][j]] = src[i][j], and so on. ids and src have the same shape and the rank of t; their sizes in the other dims are at most those of t. Where ids repeat, the last element wins, on every device. An id out of range is an ErrIndex; a GPU reports it at the next call that waits for the device.",
		Ex: Example{"tensor.Of(1, 2, 3).Scatter(tensor.Of(2, 0).ToDType(tensor.U32), tensor.Of(10, 20), 0)",
			"[20, 2, 10] f32"},
	},
	{
		Name: "scatter_add", Method: "ScatterAdd", Params: "ids, src *Tensor, dim int", Args: "ids, src, dim", On: Numbers,
		Within: "exact",
		Doc:    "ScatterAdd is Scatter that adds the elements of src to those of t, in the order of ids, so a sum is the same on every device. F16, BF16 and F8E4M3 are added in F32. Integers wrap.",
		Ex: Example{"tensor.Of(1, 2, 3).ScatterAdd(tensor.Of(2, 2).ToDType(tensor.U32), tensor.Of(10, 20), 0)",
			"[1, 2, 33] f32"},
	},
	{
		Name: "scatter_reduce", Method: "ScatterReduce", Params: "ids, src *Tensor, dim int, reduce string, includeSelf bool",
		Args: "ids, src, dim, reduce, includeSelf", On: Numbers, Within: "exact",
		Doc: "ScatterReduce is Scatter that reduces the elements of src that go to one element of t: reduce is \"sum\", \"prod\", \"mean\", \"amax\" or \"amin\", as in PyTorch. With includeSelf the element of t is one of them; without, it stays only where no id leads. Elements are taken in the order of ids, so a result is the same on every device. F16, BF16 and F8E4M3 are computed in F32. Integers wrap, and their means are rounded down. NaN propagates. The gradient of an extreme is divided among the elements that are equal to it. It panics with ErrValue for other names.",
		Ex: Example{"tensor.Of(1, 2, 3).ScatterReduce(tensor.Of(2, 2).ToDType(tensor.U32), tensor.Of(10, 20), 0, \"amax\", true)",
			"[1, 2, 20] f32"},
	},
	{
		Name: "index_add", Method: "IndexAdd", Params: "ids, src *Tensor, dim int", Args: "ids, src, dim", On: Numbers,
		Within: "exact",
		Doc:    "IndexAdd returns a copy of t to which slices of src are added: slice i of src along dim goes to slice ids[i] of t. ids is a vector of integers, as long as src in dim; the other sizes of src are those of t. Slices are added in the order of ids, on every device. F16, BF16 and F8E4M3 are added in F32. Integers wrap. An id out of range is an ErrIndex; a GPU reports it at the next call that waits for the device.",
		Ex: Example{"tensor.Of(1, 2, 3).IndexAdd(tensor.Of(0, 0).ToDType(tensor.U32), tensor.Of(10, 20), 0)",
			"[31, 2, 3] f32"},
	},
	{
		Name: "sort_last_dim", Method: "SortLastDim", Params: "asc bool", Args: "asc", Pair: "values, ids", On: All,
		Within: "exact",
		Doc:    "SortLastDim sorts the rows of the last dim, ascending or descending, and returns the sorted elements and their original indices, with type U32. The sort is stable, and NaN comes last, on every device. Rows may have any length.",
		Ex:     Example{"tensor.Of(3, 1, 2).SortLastDim(true)", "[1, 2, 3] f32"},
	},
	{
		Name: "arg_sort_last_dim", Method: "ArgSortLastDim", Params: "asc bool", Args: "asc", On: All, Within: "exact",
		Doc: "ArgSortLastDim returns the ids that sort the rows of the last dim, ascending or descending, with type U32. The sort is stable, and NaN comes last.",
		Ex:  Example{"tensor.Of(3, 1, 2).ArgSortLastDim(true)", "[1, 2, 0] u32"},
	},
	{
		Name: "sort", Method: "Sort", Params: "dim int, asc bool", Args: "dim, asc", Pair: "values, ids", On: All,
		Within: "exact",
		Doc:    "Sort is SortLastDim along any dim.",
		Ex:     Example{"tensor.Of(3, 1, 2).Sort(0, false)", "[3, 2, 1] f32"},
	},
	{
		Name: "arg_sort", Method: "ArgSort", Params: "dim int, asc bool", Args: "dim, asc", On: All, Within: "exact",
		Doc: "ArgSort is ArgSortLastDim along any dim.",
		Ex:  Example{"tensor.Of(3, 1, 2).ArgSort(0, false)", "[0, 2, 1] u32"},
	},
	{
		Name: "topk", Method: "TopK", Params: "k, dim int, largest bool", Args: "k, dim, largest", Pair: "values, ids",
		On: All, Within: "exact",
		Doc: "TopK returns the k largest or smallest elements along a dim, in order, and their indices, with type U32: the first k results of Sort(dim, !largest). Of equal elements the one with the lower index comes first, and NaN comes last, on every device. For k up to 256, long rows are not sorted completely. It panics with ErrIndex when the dim has fewer than k elements.",
		Ex:  Example{"tensor.Of(3, 1, 4, 1, 5).TopK(2, 0, true)", "[5, 4] f32"},
	},
	{
		Name: "mask_indices", Method: "Nonzero", On: All, Within: "exact",
		Doc: "Nonzero returns the indices of the elements that are not 0, in row-major order, with type U32. The shape is [count, rank of t], one row for each element. NaN is not 0. The shape depends on the elements, so the call waits for a GPU once.",
		Ex:  Example{"tensor.Of(0, 7, 0, 8).Nonzero().FlattenAll()", "[1, 3] u32"},
	},
	{
		Name: "mask_select", Method: "MaskedSelect", Params: "mask *Tensor", Args: "mask", On: All, Within: "exact",
		Doc: "MaskedSelect returns the elements of t where mask is not 0, in row-major order, as a vector: x[mask] of PyTorch and NumPy. mask is Bool, as comparisons give, or has an integer type; t and mask are broadcast to one shape. It panics with ErrDType for other masks. The shape depends on the elements, so the call waits for a GPU once.",
		Ex:  Example{"tensor.Of(3, 1, 4).MaskedSelect(tensor.Of(3, 1, 4).Gt(2))", "[3, 4] f32"},
	},
	{
		Name: "cumsum", Method: "CumSum", Params: "dim int", Args: "dim", On: All,
		Within: "1 ulp, and 32·2⁻⁵³ (f16, bf16, f8e4m3: 32·2⁻²⁴) of the sum of the sizes",
		Doc:    "CumSum returns the cumulative sums along a dim. Sums of floats have the type of the elements, sums of integers type I64, as in PyTorch. F16, BF16 and F8E4M3 are added in F32, F32 in F64.",
		Ex:     Example{"tensor.Of(1, 2, 3).CumSum(0)", "[1, 3, 6] f32"},
	},
	{
		Name: "cumprod", Method: "CumProd", Params: "dim int", Args: "dim", On: All,
		Within: "1 ulp, and n·2⁻⁵³ of the product of n elements",
		Doc:    "CumProd returns the cumulative products along a dim. Products of floats have the type of the elements, products of integers type I64, as in PyTorch; they wrap. F16, BF16, F8E4M3 and F32 are multiplied in F64.",
		Ex:     Example{"tensor.Of(2, 3, 4).CumProd(0)", "[2, 6, 24] f32"},
	},
	{
		Name: "cummax", Method: "CumMax", Params: "dim int", Args: "dim", Pair: "values, ids", On: All,
		Within: "exact",
		Doc:    "CumMax returns the cumulative maxima along a dim, and their indices, with type U32: of equal elements the last, as in PyTorch. After a NaN all are NaN.",
		Ex:     Example{"tensor.Of(1, 3, 2, 4).CumMax(0)", "[1, 3, 3, 4] f32"},
	},
	{
		Name: "cummin", Method: "CumMin", Params: "dim int", Args: "dim", Pair: "values, ids", On: All,
		Within: "exact",
		Doc:    "CumMin returns the cumulative minima along a dim, and their indices, as CumMax does the maxima.",
		Ex:     Example{"tensor.Of(3, 1, 2, 0).CumMin(0)", "[3, 1, 1, 0] f32"},
	},
	{
		Name: "logcumsumexp", Method: "LogCumSumExp", Params: "dim int", Args: "dim", On: Floats,
		Within: "4 ulp, and 32·2⁻⁵³",
		Doc:    "LogCumSumExp returns the logarithms of the cumulative sums of exp(x) along a dim. Large elements do not overflow. F16, BF16, F8E4M3 and F32 are computed in F64.",
		Ex:     Example{"tensor.Of(1000, 1000).LogCumSumExp(0)", "[1000, 1000.6932] f32"},
	},
	{
		Name: "searchsorted", Method: "SearchSorted", Params: "values *Tensor, right bool", Args: "values, right",
		On: All, Within: "exact",
		Doc: "SearchSorted returns, for each element of values, the index at which it would be inserted into t, whose last dim is sorted in ascending order, with type U32: before equal elements, or after them if right is set. NaN comes last. t is a vector, or has the dims of values but for the last one; then values are searched for in their own row. dtypes are promoted.",
		Ex:  Example{"tensor.Of(1, 3, 5).SearchSorted(tensor.Of(0, 3, 9), false)", "[0, 1, 3] u32"},
	},
	{
		Name: "conv1d", Method: "Conv1d", Params: "kernel *Tensor, padding, stride, dilation, groups int",
		Args: "kernel, padding, stride, dilation, groups", On: Numbers, Within: "as matmul",
		Doc: "Conv1d convolves t [batch channels length] with a kernel [out channels/groups taps] to [batch out (length+2·padding-dilation·(taps-1)-1)/stride+1]. As in PyTorch the kernel is not flipped. Integers wrap.",
		Ex:  Example{"tensor.Of(1, 2, 3, 4).Reshape(1, 1, 4).Conv1d(tensor.Of(1, 1).Reshape(1, 1, 2), 0, 1, 1, 1).FlattenAll()", "[3, 5, 7] f32"},
	},
	{
		Name: "conv2d", Method: "Conv2d", Params: "kernel *Tensor, padding, stride, dilation, groups int",
		Args: "kernel, padding, stride, dilation, groups", On: Numbers, Within: "as matmul",
		Doc: "Conv2d convolves images [batch channels height width] with a kernel [out channels/groups kh kw]: as Conv1d in both directions, with the same padding, stride and dilation. Integers wrap.",
		Ex:  Example{"tensor.Of(1, 2, 3, 4).Reshape(1, 1, 2, 2).Conv2d(tensor.Of(1, 1).Reshape(1, 1, 1, 2), 0, 1, 1, 1).FlattenAll()", "[3, 7] f32"},
	},
	{
		Name: "conv_transpose1d", Method: "ConvTranspose1d",
		Params: "kernel *Tensor, padding, outputPadding, stride, dilation, groups int",
		Args:   "kernel, padding, outputPadding, stride, dilation, groups", On: Numbers, Within: "as matmul",
		Doc: "ConvTranspose1d is the transpose of Conv1d, also called deconvolution: t [batch channels length] and a kernel [channels out/groups taps] give [batch out (length-1)·stride-2·padding+dilation·(taps-1)+outputPadding+1]. Integers wrap.",
		Ex:  Example{"tensor.Of(1, 2).Reshape(1, 1, 2).ConvTranspose1d(tensor.Of(1, 10).Reshape(1, 1, 2), 0, 0, 1, 1, 1).FlattenAll()", "[1, 12, 20] f32"},
	},
	{
		Name: "conv_transpose2d", Method: "ConvTranspose2d",
		Params: "kernel *Tensor, padding, outputPadding, stride, dilation int",
		Args:   "kernel, padding, outputPadding, stride, dilation", On: Numbers, Within: "as matmul",
		Doc: "ConvTranspose2d is the transpose of Conv2d: images [batch channels height width] and a kernel [channels out kh kw], as ConvTranspose1d in both directions. Integers wrap.",
		Ex:  Example{"tensor.Of(1, 2).Reshape(1, 1, 1, 2).ConvTranspose2d(tensor.Of(1, 10).Reshape(1, 1, 1, 2), 0, 0, 1, 1).FlattenAll()", "[1, 12, 20] f32"},
	},
	{
		Name: "avg_pool2d", Method: "AvgPool2d", Params: "kh, kw int", Args: "kh, kw", On: Floats, Within: "1 ulp",
		Doc: "AvgPool2d returns the mean of each non-overlapping kh×kw window of images [… height width]. Trailing rows and columns that do not fill a window are ignored.",
		Ex:  Example{"tensor.Of(1, 2, 3, 6).Reshape(1, 1, 2, 2).AvgPool2d(2, 2).FlattenAll()", "[3] f32"},
	},
	{
		Name: "avg_pool2d", Method: "AvgPool2dWithStride", Params: "kh, kw, sh, sw int", Args: "kh, kw, sh, sw",
		On: Floats, Within: "1 ulp",
		Doc: "AvgPool2dWithStride is AvgPool2d with strides sh and sw.",
		Ex: Example{"tensor.Of(1, 3, 5).Reshape(1, 1, 1, 3).AvgPool2dWithStride(1, 2, 1, 1).FlattenAll()",
			"[2, 4] f32"},
	},
	{
		Name: "max_pool2d", Method: "MaxPool2d", Params: "kh, kw int", Args: "kh, kw", On: All, Within: "exact",
		Doc: "MaxPool2d returns the maximum of each non-overlapping kh×kw window of images [… height width]. NaN propagates. Trailing rows and columns that do not fill a window are ignored.",
		Ex:  Example{"tensor.Of(1, 2, 3, 6).Reshape(1, 1, 2, 2).MaxPool2d(2, 2).FlattenAll()", "[6] f32"},
	},
	{
		Name: "max_pool2d", Method: "MaxPool2dWithStride", Params: "kh, kw, sh, sw int", Args: "kh, kw, sh, sw",
		On: All, Within: "exact",
		Doc: "MaxPool2dWithStride is MaxPool2d with strides sh and sw.",
		Ex: Example{"tensor.Of(1, 3, 5).Reshape(1, 1, 1, 3).MaxPool2dWithStride(1, 2, 1, 1).FlattenAll()",
			"[3, 5] f32"},
	},
	{
		Name: "upsample_nearest", Method: "UpsampleNearest1d", Params: "size int", Args: "size", On: All,
		Within: "exact",
		Doc:    "UpsampleNearest1d resizes the last dim of [… length] to size elements: element i is that at ⌊i·(length/size)⌋.",
		Ex: Example{"tensor.Of(1, 2).Reshape(1, 1, 2).UpsampleNearest1d(4).FlattenAll()",
			"[1, 1, 2, 2] f32"},
	},
	{
		Name: "upsample_nearest", Method: "UpsampleNearest2d", Params: "h, w int", Args: "h, w", On: All,
		Within: "exact",
		Doc:    "UpsampleNearest2d resizes images [… height width] to h × w, as UpsampleNearest1d in both directions.",
		Ex: Example{"tensor.Of(1, 2).Reshape(1, 1, 1, 2).UpsampleNearest2d(1, 4).FlattenAll()",
			"[1, 1, 2, 2] f32"},
	},
	{
		Name: "upsample_bilinear", Method: "UpsampleBilinear2d", Params: "h, w int, alignCorners bool",
		Args: "h, w, alignCorners", On: Floats, Within: "4 ulp of the largest neighbour",
		Doc: "UpsampleBilinear2d resizes images [… height width] to h × w, by linear interpolation in both directions. With alignCorners the corner pixels keep their values; without it pixels are areas, as in PyTorch.",
		Ex: Example{"tensor.Of(1, 3).Reshape(1, 1, 1, 2).UpsampleBilinear2d(1, 3, true).FlattenAll()",
			"[1, 2, 3] f32"},
	},
	{
		Name: "upsample_bilinear", Method: "UpsampleBilinear2dWithScale",
		Params: "scaleH, scaleW float64, alignCorners bool", Args: "scaleH, scaleW, alignCorners", On: Floats,
		Within: "4 ulp of the largest neighbour",
		Doc:    "UpsampleBilinear2dWithScale is UpsampleBilinear2d to ⌊height·scaleH⌋ × ⌊width·scaleW⌋; source positions are computed from the scales, not from the sizes.",
		Ex: Example{"tensor.Of(1, 3).Reshape(1, 1, 1, 2).UpsampleBilinear2dWithScale(1, 2, false).FlattenAll()",
			"[1, 1.5, 2.5, 3] f32"},
	},
	{
		Name: "silu_mul", Method: "SiluMul", Params: "y *Tensor", Args: "y", On: Floats, Within: "as Silu and Mul",
		Doc: "SiluMul returns Silu of t times y, elementwise: the gate of a feed-forward block. y is broadcast. On a GPU this is one kernel, even where chains of operations are not fused, as in a captured graph.",
		Ex:  Example{"tensor.Of(0, 100).SiluMul(tensor.Of(3, 2))", "[0, 200] f32"},
	},
	{
		Name: "rms_norm", Method: "RmsNorm", Params: "alpha *Tensor, eps float64", Args: "alpha, eps", On: Floats,
		Within: "1 ulp, and 16 ulp of f32 (f64) of the result",
		Doc:    "RmsNorm divides the rows of the last dim by the root of the mean of their squares plus eps, and multiplies by alpha, a vector as long as a row. F16, BF16 and F8E4M3 are computed in F32.",
		Ex:     Example{"tensor.Of(3, 3, 3).RmsNorm(tensor.Of(1, 2, 3), 0)", "[1, 2, 3] f32"},
	},
	{
		Name: "add_rms_norm", Method: "AddRmsNorm", Params: "y, alpha *Tensor, eps float64", Args: "y, alpha, eps",
		Pair: "sum, norm", On: Floats, Within: "as Add and RmsNorm",
		Doc: "AddRmsNorm returns t + y and RmsNorm of that sum, the first step of a language model's layer. On a GPU one kernel computes both for dense rows of up to 16384 elements (8192 of F64). y has the shape of t.",
		Ex:  Example{"tensor.Of(1, 2, 3).AddRmsNorm(tensor.Of(2, 1, 0), tensor.Of(1, 2, 3), 0)", "[3, 3, 3] f32"},
	},
	{
		Name: "layer_norm", Method: "LayerNorm", Params: "alpha, beta *Tensor, eps float64", Args: "alpha, beta, eps",
		On: Floats, Within: "1 ulp, and 16 ulp of f32 (f64) of the largest term, and of the mean over the deviation",
		Doc: "LayerNorm subtracts the mean from the rows of the last dim, divides them by the root of their variance (divided by n) plus eps, multiplies by alpha and adds beta, vectors as long as a row. The variance is computed from the differences from the mean, so large means lose no precision. F16, BF16 and F8E4M3 are computed in F32.",
		Ex:  Example{"tensor.Of(1, 3).LayerNorm(tensor.Of(1, 1), tensor.Of(0, 5), 0)", "[-1, 6] f32"},
	},
	{
		Name: "rope", Method: "Rope", Params: "cos, sin *Tensor", Args: "cos, sin", On: Floats,
		Within: "1 ulp, and 2 ulp of f32 (f64) of the larger term",
		Doc:    "Rope applies a rotary embedding: it rotates pairs of elements of t [batch heads positions size] by angles given as cosines and sines, [positions' size/2] or [batch positions' size/2] with at least as many positions. Element i of a row is paired with element i + size/2.",
		Ex:     Example{"tensor.Of(1, 2).Reshape(1, 1, 1, 2).Rope(tensor.Of(0).Reshape(1, 1), tensor.Of(1).Reshape(1, 1)).FlattenAll()", "[-2, 1] f32"},
	},
	{
		Name: "rope", Method: "RopeI", Params: "cos, sin *Tensor", Args: "cos, sin", On: Floats, Within: "as Rope",
		Doc: "RopeI is Rope with pairs of elements 2i and 2i + 1 of a row.",
		Ex:  Example{"tensor.Of(1, 2).Reshape(1, 1, 1, 2).RopeI(tensor.Of(0).Reshape(1, 1), tensor.Of(1).Reshape(1, 1)).FlattenAll()", "[-2, 1] f32"},
	},
	{
		Name: "rope", Method: "RopeThd", Params: "cos, sin *Tensor", Args: "cos, sin", On: Floats, Within: "as Rope",
		Doc: "RopeThd is Rope for t [batch positions heads size].",
		Ex:  Example{"tensor.Of(1, 2).Reshape(1, 1, 1, 2).RopeThd(tensor.Of(0).Reshape(1, 1), tensor.Of(1).Reshape(1, 1)).FlattenAll()", "[-2, 1] f32"},
	},
}
