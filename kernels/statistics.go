package kernels

// Statistics lists the reductions that are composed of other operations. Each is a method with dims as its last
// parameters, and a second one, KeepDim, in which they stay.
var Statistics = []MethodOp{
	{
		Method: "CountNonzero",
		Doc:    "CountNonzero returns how many of the elements along dimensions are not 0, as I64. NaN is not 0.",
		Ex:     Example{"tensor.Of(0, 2, 3).CountNonzero()", "2 i64"},
	},
	{
		Method: "Var",
		Doc:    "Var returns the unbiased variances of the elements along dimensions, divided by n-1. That of fewer than two elements is NaN. The variance of complex numbers is that of their real parts plus that of their imaginary parts. Integers are computed in F64; the result has DefaultDType.",
		Ex:     Example{"tensor.Of(1, 2, 6).Var()", "7 f32"},
	},
	{
		Method: "VarWith", Params: "correction int", Args: "correction",
		Doc: "VarWith is Var divided by n-correction: 0 for the variance of a whole population, as np.var has by default.",
		Ex:  Example{"tensor.Of(1, 2, 6, 7).VarWith(0)", "6.5 f32"},
	},
	{
		Method: "Std",
		Doc:    "Std returns the unbiased standard deviations of the elements along dimensions, the roots of Var. Integers are computed in F64; the result has DefaultDType.",
		Ex:     Example{"tensor.Of(1, 3, 5).Std()", "2 f32"},
	},
	{
		Method: "StdWith", Params: "correction int", Args: "correction",
		Doc: "StdWith is Std with the variance divided by n-correction, as VarWith has it.",
		Ex:  Example{"tensor.Of(1, 1, 5, 5).StdWith(0)", "2 f32"},
	},
	{
		Method: "Norm",
		Doc:    "Norm returns the Euclidean norms of the elements along dimensions. Integers are computed in F64; the result has DefaultDType.",
		Ex:     Example{"tensor.Of(3, 4).Norm()", "5 f32"},
	},
	{
		Method: "NormP", Params: "p float64", Args: "p",
		Doc: "NormP returns the p-norms of the elements along dimensions, (Σ|x|^p)^(1/p). For p = 1 that is the sum of the absolute values; p = 0 counts what is not 0, and math.Inf(1) and math.Inf(-1) are the largest and the smallest absolute value. Integers are computed in F64; the result has DefaultDType.",
		Ex:  Example{"tensor.Of(3, -4).NormP(1)", "7 f32"},
	},
	{
		Method: "LogSumExp",
		Doc:    "LogSumExp returns log(Σ exp(x)) of the elements along dimensions. Large elements do not overflow. Without elements the result is minus infinity. Integers are computed in F64; the result has DefaultDType.",
		Ex:     Example{"tensor.Of(1000, 1000).LogSumExp()", "1000.6932 f32"},
	},
	{
		Method: "Ptp",
		Doc:    "Ptp returns the differences between maximum and minimum of the elements along dimensions, as np.ptp does. Integers wrap.",
		Ex:     Example{"tensor.Of(3, 1, 6).Ptp()", "5 f32"},
	},
	{
		Method: "Median",
		Doc:    "Median returns the medians of the elements along dimensions: of an even number the lower one of the two in the middle, as in PyTorch. Quantile(0.5) is their mean, as in NumPy. NaN propagates. It panics with ErrShape when there are no elements.",
		Ex:     Example{"tensor.Of(1, 9, 3, 4).Median()", "3 f32"},
	},
	{
		Method: "Quantile", Params: "q float64", Args: "q",
		Doc: "Quantile returns the q-quantiles of the elements along dimensions, q from 0 to 1, with linear interpolation between neighbours. NaN propagates. Integers are computed in F64; the result has DefaultDType. It panics with ErrShape when there are no elements.",
		Ex:  Example{"tensor.Of(1, 9, 3, 4).Quantile(0.5)", "3.5 f32"},
	},
	{
		Method: "Mode",
		Doc:    "Mode returns the most frequent of the elements along dimensions; of equally frequent ones the smallest. Every NaN is a value of its own. It panics with ErrShape when there are no elements.",
		Ex:     Example{"tensor.Of(4, 2, 4, 1, 2).Mode()", "2 f32"},
	},
	{
		Method: "NanSum",
		Doc:    "NanSum is Sum of the elements that are not NaN; 0 if there are none.",
		Ex:     Example{"tensor.Of(1, math.NaN(), 2).NanSum()", "3 f32"},
	},
	{
		Method: "NanMean",
		Doc:    "NanMean is Mean of the elements that are not NaN; NaN if there are none. Integers are computed in F64; the result has DefaultDType.",
		Ex:     Example{"tensor.Of(1, math.NaN(), 2).NanMean()", "1.5 f32"},
	},
	{
		Method: "NanMax",
		Doc:    "NanMax is Max of the elements that are not NaN; NaN if there are none.",
		Ex:     Example{"tensor.Of(1, math.NaN(), 2).NanMax()", "2 f32"},
	},
	{
		Method: "NanMin",
		Doc:    "NanMin is Min of the elements that are not NaN; NaN if there are none.",
		Ex:     Example{"tensor.Of(1, math.NaN(), 2).NanMin()", "1 f32"},
	},
	{
		Method: "NanVar",
		Doc:    "NanVar is Var of the elements that are not NaN; NaN if there are fewer than two. Integers are computed in F64; the result has DefaultDType.",
		Ex:     Example{"tensor.Of(1, math.NaN(), 3).NanVar()", "2 f32"},
	},
	{
		Method: "NanStd",
		Doc:    "NanStd is the root of NanVar.",
		Ex:     Example{"tensor.Of(1, 3, math.NaN(), 5).NanStd()", "2 f32"},
	},
	{
		Method: "NanMedian",
		Doc:    "NanMedian is Median of the elements that are not NaN; NaN if there are none.",
		Ex:     Example{"tensor.Of(1, math.NaN(), 3, 2).NanMedian()", "2 f32"},
	},
	{
		Method: "NanQuantile", Params: "q float64", Args: "q",
		Doc: "NanQuantile is Quantile of the elements that are not NaN; NaN if there are none.",
		Ex:  Example{"tensor.Of(1, math.NaN(), 2).NanQuantile(0.5)", "1.5 f32"},
	},
}
