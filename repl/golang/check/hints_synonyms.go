package check

import (
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// synonyms are names that Candle, PyTorch, NumPy or an earlier gorocm has for functions and methods of package tensor
// and the packages below it, in lower case and without underscores.
var synonyms = map[string]string{
	"applyop1nobwd": "ApplyOp1", "applyop2nobwd": "ApplyOp2", "applyop3nobwd": "ApplyOp3",
	"forcecontiguous": "Copy", "fromvec": "FromSlice", "stride": "Strides", "tovec0": "ToScalar",
	"amax": "Max", "amin": "Min", "digitize": "Bucketize", "percentile": "Quantile",
	"maxall": "Max", "meanall": "Mean", "minall": "Min", "sumall": "Sum",
	"interpolate1d": "UpsampleNearest1d", "interpolate2d": "UpsampleNearest2d",
	"padwithzeros": "Pad", "padwithsame": "Pad",
	// NumPy and PyTorch: creation, shapes, types
	"concatenate": "Cat", "concat": "Cat", "asarray": "New", "array": "New", "astensor": "New", "tensor": "New",
	"clone": "Copy", "astype": "ToDType", "item": "ToScalar", "tolist": "ToVec1", "numel": "ElemCount",
	"ndim": "Rank", "view": "Reshape", "ravel": "FlattenAll", "expanddims": "Unsqueeze", "swapaxes": "Transpose",
	"swapdims": "Transpose", "broadcastto": "BroadcastAs", "tile": "Repeat", "size": "Dims",
	// arithmetic
	"subtract": "Sub", "multiply": "Mul", "divide": "Div", "truedivide": "Div", "floordivide": "FloorDiv",
	"remainder": "Mod", "power": "Pow", "negative": "Neg", "absolute": "Abs", "square": "Sqr",
	"reciprocal": "Recip", "clip": "Clamp", "sgn": "Sign", "arcsin": "Asin", "arccos": "Acos", "arctan": "Atan",
	"arctan2": "Atan2", "arcsinh": "Asinh", "arccosh": "Acosh", "arctanh": "Atanh", "gammaln": "Lgamma",
	"conjugate": "Conj",
	// training
	"nograd": "NoGrad", "inferencemode": "NoGrad", "tidy": "Scoped", "clipgradnorm": "ClipGradNorm",
	"clipgradvalue": "ClipGradValue",
	// logic and bits
	"where": "WhereCond", "logicaland": "And", "logicalor": "Or", "logicalxor": "Xor", "logicalnot": "Not",
	"bitwiseand": "BitAnd", "bitwiseor": "BitOr", "bitwisexor": "BitXor", "bitwisenot": "BitNot",
	"invert": "BitNot", "leftshift": "ShiftLeft", "rightshift": "ShiftRight", "equal": "Eq", "notequal": "Ne",
	"less": "Lt", "lessequal": "Le", "greater": "Gt", "greaterequal": "Ge",
	// sparse matrices
	"cooarray": "FromCOO", "coomatrix": "FromCOO", "sparsecootensor": "FromCOO", "csrarray": "FromCSR",
	"csrmatrix": "FromCSR", "sparsecsrtensor": "FromCSR", "toarray": "ToDense", "todense": "ToDense",
	"nnz": "ElemCount", "indptr": "Offsets", "crowindices": "Offsets", "colindices": "Indices", "diags": "Diagonal",
	"diagsarray": "Diagonal", "eyearray": "Eye",
	// random numbers
	"defaultrng": "New", "randint": "Integers", "randintlike": "Integers", "randperm": "Permutation",
	"standardnormal": "Normal", "lognormal": "LogNormal", "standardt": "StudentT", "studentst": "StudentT",
	"standardcauchy": "Cauchy", "standardgamma": "Gamma", "truncnorm": "TruncatedNormal",
	"truncnormal": "TruncatedNormal", "spawn": "Split", "sobolengine": "NewSobol", "sobol": "NewSobol",
	// groups of GPUs
	"distributeddataparallel": "NewDataParallel", "dataparallel": "NewDataParallel", "initprocessgroup": "Join",
	"newgroup": "New", "getworldsize": "Size", "allgatherintotensor": "AllGather", "destroyprocessgroup": "Close",
	// indices, reductions, products
	"argwhere": "Nonzero", "takealongdim": "Gather", "takealongaxis": "Gather", "indexput": "SetI",
	"cumulativesum": "CumSum", "mm": "MatMul", "bmm": "MatMul",
	// package fft
	"fft2": "FFT", "fftn": "FFT", "ifft2": "IFFT", "ifftn": "IFFT", "rfft2": "RFFT", "rfftn": "RFFT",
	"irfft2": "IRFFT", "irfftn": "IRFFT", "fftfreq": "Freq", "rfftfreq": "RFreq", "fftshift": "Shift",
	"ifftshift": "IShift", "fftconvolve": "Convolve", "hanning": "Hann", "hannwindow": "Hann",
	"hammingwindow": "Hamming", "blackmanwindow": "Blackman", "bartlettwindow": "Bartlett", "triang": "Bartlett",
	"kaiserwindow": "Kaiser", "melscalefbanks": "Mel",
	// package signal, and equations of package sparse
	"sosfreqz": "FreqZ", "lfilterzi": "LFilterState", "spsolve": "Solve", "splu": "LU",
	"factorized": "LU", "lobpcg": "EigSH", "svdlowrank": "SVDS",
	// packages optimize, integrate and interpolate
	"fmin": "Minimize", "fminbfgs": "Minimize", "fminlbfgsb": "Minimize", "fminbound": "MinimizeScalar",
	"fsolve": "Root", "rootscalar": "BrentQ", "brenth": "BrentQ", "bisect": "BrentQ", "toms748": "BrentQ",
	"odeint": "SolveIVP", "nquad": "Quad", "simps": "Simpson", "cumtrapz": "CumulativeTrapezoid",
	"pchipinterpolator": "PCHIP", "pchipinterpolate": "PCHIP", "akima1dinterpolator": "Akima",
	"regulargridinterpolator": "RegularGrid", "interpn": "RegularGrid", "bspline": "MakeInterpSpline",
	"splrep": "MakeInterpSpline", "rbfinterpolator": "RBF", "univariatespline": "MakeSmoothingSpline",
	// packages spatial, cluster and ndimage, and scattered points of package interpolate
	"kdtree": "NewKDTree", "ckdtree": "NewKDTree", "queryballpoint": "QueryBall", "findsimplex": "Find",
	"kmeans2": "KMeans", "cophenetic": "Cophenet", "leaveslist": "Leaves",
	"linearndinterpolator": "Linear2D", "nearestndinterpolator": "NearestND",
	"cloughtocher2dinterpolator": "CloughTocher2D", "generatebinarystructure": "BinaryStructure",
	"distancetransformedt": "DistanceTransform", "centerofmass": "Measure", "whitetophat": "WhiteTopHat",
	// convolutions, pools and changes of size of package nn
	"conv3d": "Conv", "convtranspose3d": "ConvTranspose", "maxpool1d": "MaxPool", "maxpool3d": "MaxPool",
	"avgpool1d": "AvgPool", "avgpool3d": "AvgPool", "adaptiveavgpool1d": "AdaptiveAvgPool",
	"adaptiveavgpool2d": "AdaptiveAvgPool", "adaptiveavgpool3d": "AdaptiveAvgPool",
	"adaptivemaxpool1d": "AdaptiveMaxPool", "adaptivemaxpool2d": "AdaptiveMaxPool",
	"adaptivemaxpool3d": "AdaptiveMaxPool", "maxunpool1d": "MaxUnpool", "maxunpool2d": "MaxUnpool",
	"maxunpool3d": "MaxUnpool", "upsample": "Interpolate", "zoom": "Interpolate", "mapcoordinates": "GridSample",
	"col2im": "Fold",
	// losses of package nn
	"crossentropyloss": "CrossEntropy", "nllloss": "Nll", "mseloss": "Mse", "huberloss": "Huber",
	"bcewithlogitsloss": "BinaryCrossEntropyWithLogits",
	// attention
	"scaleddotproductattention": "Attention", "sdpa": "Attention", "flashattnfunc": "Attention",
	"flashattention": "Attention",
	// linear algebra
	"inverse": "Inv", "expm": "MatrixExp", "choleskysolve": "CholeskySolve", "chosolve": "CholeskySolve",
	"eigvalsh": "EigValsH", "lufactor": "LU", "leastsquares": "LstSq", "tensordot": "TensorDot", "ger": "Outer",
	"chainmatmul": "MultiDot", "logdet": "SlogDet", "matrixrank": "MatrixRank", "matrixpower": "MatrixPower",
}

// synonym finds the known name that means the same as another library's: Add for broadcast_add, MatMul for matmul. It
// is empty when there is none.
func synonym(name string, known []string) string {
	plain := strings.ToLower(strings.ReplaceAll(name, "_", ""))
	candidates := []string{plain, synonyms[plain]}
	if op, ok := strings.CutPrefix(plain, "broadcast"); ok { // every operation broadcasts
		candidates = append(candidates, op)
	}
	for _, c := range candidates {
		i := slices.IndexFunc(known, func(k string) bool { return c != "" && strings.EqualFold(k, c) })
		if i >= 0 {
			return known[i]
		}
	}
	return ""
}

// typedReadRE matches methods that read elements of one dtype, as ToVec1I64: functions with a type argument do that.
var typedReadRE = regexp.MustCompile(`^(ToScalar|ToVec[123])(?:([UIF])(\d+)|BF16|F8E4M3)$`)

// typedRead is the call that reads the elements of x as the unknown method would, "" for any other method.
func typedRead(method, x string, t types.Type) string {
	m := typedReadRE.FindStringSubmatch(method)
	n, ok := types.Unalias(Deref(t)).(*types.Named)
	if m == nil || !ok || n.Obj().Name() != "Tensor" {
		return ""
	}
	arg := "float32"
	if kind := m[2] + m[3]; kind != "" && kind != "F16" {
		arg = map[string]string{"U": "uint", "I": "int", "F": "float"}[m[2]] + m[3]
	}
	return "tensor." + m[1] + "[" + arg + "](" + x + ")"
}
