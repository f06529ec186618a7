package devicetest

import (
	"math"
	"slices"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/tensor"
)

// typeCase is an operation that SupportTable tries on every element type.
type typeCase struct {
	name string
	run  func(o operands) *tensor.Tensor
	ref  func(o operands) *tensor.Tensor // what F64 is to give, where that is not run
	why  string                          // it is not defined for some types
	// how far results may be from those of float64, beyond one unit in the last place: for ops of several steps
	ulps   float64
	random bool // results differ between types
}

// The reasons for holes.
const (
	fractions  = "fractions: convert integers first, as in x.ToDType(tensor.F32)"
	conditions = "conditions are integers, such as u8 of comparisons; x.Ne(0) makes one"
	drawn      = "random numbers are floats; draw and convert"
	whole      = "integers: convert floats first, as in x.ToDType(tensor.I64)"
)

// apart are methods that do not compute with elements, or do so through a program's own code.
var apart = map[string]bool{
	"BackwardRetain": true, "Kept": true,
	"Apply": true, "ApplyT": true, "ApplyOp1": true, "ApplyOp2": true, "ApplyOp3": true, "InplaceOp1": true,
	"InplaceOp2": true, "InplaceOp3": true,
	"Buffer": true, "Memory": true, "Bytes": true, "Data": true, "DType": true, "Device": true, "Dim": true,
	"Dims": true, "ElemCount": true,
	"Free": true, "GoString": true, "HTML": true, "Histogram": true, "ID": true, "IsContiguous": true, "IsFreed": true,
	"IsFortranContiguous": true, "IsPinned": true, "Layout": true, "NormalizeAxis": true,
	"Rank": true, "Sample": true, "Shape": true, "StridedBlocks": true, "StridedIndex": true, "Strides": true,
	"String": true, "Float64s": true, "Format": true,
	"EmptyLike": true, "StorageBytes": true, "ToBytes": true, "AllClose": true, "Equal": true,
	"Backward": true, "BackwardGraph": true, "BackwardWith": true, "Detach": true, "IsVariable": true, "Set": true,
	"SortedNodes": true,
	"TrackOp":     true,
	"Imag":        true, "ViewAsComplex": true, "ViewAsReal": true, // see complexParts
}

// typeCases are all operations, in the order of the page.
var typeCases = append(rowCases(), []typeCase{
	{name: "Affine", run: func(o operands) *tensor.Tensor { return o.x(2, 3).Affine(2, 3) }},
	{name: "Clamp", run: func(o operands) *tensor.Tensor { return o.x(2, 3).Clamp(2, 4) }},
	{name: "RoundTo", run: func(o operands) *tensor.Tensor { return o.x(2, 3).RoundTo(1) }, why: fractions, ulps: 4},
	{name: "Lerp", run: func(o operands) *tensor.Tensor { return o.x(2, 3).Lerp(o.y(3), 0.25) }, why: fractions},
	{name: "Addcmul", run: func(o operands) *tensor.Tensor { return o.x(2, 3).Addcmul(o.y(3), o.x(2, 3), 2) }},
	{name: "Addcdiv", run: func(o operands) *tensor.Tensor { return o.x(2, 3).Addcdiv(o.x(3), o.y(1), 2) }},
	{name: "NanToNum", run: func(o operands) *tensor.Tensor { return o.x(2, 3).NanToNum() }},
	{name: "WhereCond", run: func(o operands) *tensor.Tensor {
		return o.x(2, 3).Gt(3).WhereCond(o.x(2, 3), o.y(2, 3))
	}},
	{name: "WhereCond, of the condition", run: func(o operands) *tensor.Tensor {
		return o.x(2, 3).WhereCond(operands{dt: tensor.F32, dev: o.dev}.x(2, 3), 0)
	}, ref: func(o operands) *tensor.Tensor { return operands{dt: tensor.F32, dev: o.dev}.x(2, 3) },
		why: conditions},
	{name: "Cmp", run: func(o operands) *tensor.Tensor { return o.x(2, 3).Cmp(o.y(2, 3), tensor.CmpLt) }},

	{name: "And", run: func(o operands) *tensor.Tensor { return o.x(2, 3).Sub(1).And(o.y(3)) }},
	{name: "Or", run: func(o operands) *tensor.Tensor { return o.x(2, 3).Sub(1).Or(o.y(3).Sub(2)) }},
	{name: "Xor", run: func(o operands) *tensor.Tensor { return o.x(2, 3).Sub(1).Xor(o.y(3)) }},
	{name: "Not", run: func(o operands) *tensor.Tensor { return o.x(2, 3).Sub(1).Not() }},
	{name: "IsNaN", run: func(o operands) *tensor.Tensor { return o.x(2, 3).IsNaN() }},
	{name: "IsInf", run: func(o operands) *tensor.Tensor { return o.x(2, 3).IsInf() }},
	{name: "IsFinite", run: func(o operands) *tensor.Tensor { return o.x(2, 3).IsFinite() }},
	{name: "IsClose", run: func(o operands) *tensor.Tensor { return o.x(2, 3).IsClose(o.y(3), 0.5, 0.25) }},

	{name: "ToDType", run: func(o operands) *tensor.Tensor { // to every type and back
		sum := o.x(2, 3)
		if o.dt.IsComplex() {
			return sum.ToDType(tensor.C64).ToDType(tensor.C128).ToDType(o.dt)
		}
		for _, dt := range kernels.Numbers {
			sum = sum.Maximum(o.x(2, 3).ToDType(dt).ToDType(o.dt))
		}
		return sum
	}},
	{name: "ToDType, to complex and back", run: func(o operands) *tensor.Tensor {
		return o.x(2, 3).ToDType(tensor.C128).Real()
	}},
	{name: "Real", run: func(o operands) *tensor.Tensor { return o.x(2, 3).Real() }},
	{name: "Conj", run: func(o operands) *tensor.Tensor { return o.x(2, 3).Conj() }},
	{name: "H", run: func(o operands) *tensor.Tensor { return o.x(2, 3).H() }},
	{name: "Angle", run: func(o operands) *tensor.Tensor { return o.x(2, 3).Angle() }, ulps: 4},
	{name: "ToDevice", run: func(o operands) *tensor.Tensor {
		return o.x(2, 3).ToDevice(tensor.CPU()).ToDevice(o.dev)
	}},
	{name: "PinMemory", run: func(o operands) *tensor.Tensor { return o.x(2, 3).PinMemory().ToDevice(o.dev) }},
	{name: "To", run: func(o operands) *tensor.Tensor { return o.x(2, 3).To("cpu").To(o.dev) }},
	{name: "Contiguous", run: func(o operands) *tensor.Tensor { return o.x(2, 3).T().Contiguous() }},
	{name: "Copy", run: func(o operands) *tensor.Tensor { return o.x(2, 3).T().Copy() }},

	{name: "Softmax", run: func(o operands) *tensor.Tensor { return o.x(2, 3).Softmax(1) }, why: fractions, ulps: 8},
	{name: "LogSoftmax", run: func(o operands) *tensor.Tensor { return o.x(2, 3).LogSoftmax(1) }, why: fractions,
		ulps: 8},
	{name: "MatMul", run: func(o operands) *tensor.Tensor { return o.x(2, 3).MatMul(o.y(3, 2)) }},
	{name: "Dot", run: func(o operands) *tensor.Tensor { return o.x(3).Dot(o.y(3)) }},
	{name: "Mv", run: func(o operands) *tensor.Tensor { return o.x(2, 3).Mv(o.y(3)) }},

	{name: "AMinMax", run: func(o operands) *tensor.Tensor {
		least, most := o.x(2, 3).AMinMax(1)
		return least.Add(most)
	}},
	{name: "CumProd", run: func(o operands) *tensor.Tensor { return o.x(2, 3).CumProd(1) }},
	{name: "CumMax", run: func(o operands) *tensor.Tensor { return first(o.y(2, 3).CumMax(1)) }},
	{name: "CumMin", run: func(o operands) *tensor.Tensor { return first(o.y(2, 3).CumMin(1)) }},
	{name: "LogCumSumExp", run: func(o operands) *tensor.Tensor { return o.x(2, 3).LogCumSumExp(1) }, ulps: 2},
	{name: "SearchSorted", run: func(o operands) *tensor.Tensor { return o.x(6).SearchSorted(o.y(2, 3), true) }},
	{name: "Bucketize", run: func(o operands) *tensor.Tensor { return o.y(2, 3).Bucketize(o.x(6), false) }},
	{name: "IsIn", run: func(o operands) *tensor.Tensor { return o.x(2, 3).IsIn(o.y(3)) }},
	{name: "Unique", run: func(o operands) *tensor.Tensor { values, _, _ := o.y(2, 3).Unique(); return values }},
	{name: "Diff", run: func(o operands) *tensor.Tensor { return o.x(2, 3).Diff(1, 1) }},

	{name: "IndexSelect", run: func(o operands) *tensor.Tensor {
		return o.x(3, 2).IndexSelect(o.ids([]int{2}, 2, 0), 0)
	}},
	{name: "Embedding", run: func(o operands) *tensor.Tensor { return o.x(3, 2).Embedding(o.ids([]int{2}, 2, 0)) }},
	{name: "Gather", run: func(o operands) *tensor.Tensor {
		return o.x(2, 2).Gather(o.ids([]int{2, 2}, 0, 1, 1, 0), 0)
	}},
	{name: "Scatter", run: func(o operands) *tensor.Tensor {
		return o.x(2, 2).Scatter(o.ids([]int{2, 2}, 0, 1, 1, 0), o.y(2, 2), 0)
	}},
	{name: "ScatterAdd", run: func(o operands) *tensor.Tensor {
		return o.x(2, 2).ScatterAdd(o.ids([]int{2, 2}, 0, 1, 1, 0), o.y(2, 2), 0)
	}},
	{name: "ScatterReduce", run: func(o operands) *tensor.Tensor {
		return o.x(2, 2).ScatterReduce(o.ids([]int{3, 2}, 0, 1, 1, 1, 0, 1), o.y(3, 2), 0, "prod", true)
	}},
	{name: "IndexAdd", run: func(o operands) *tensor.Tensor {
		return o.x(3, 2).IndexAdd(o.ids([]int{2}, 2, 2), o.y(2, 2), 0)
	}},
	{name: "ScatterSet", run: func(o operands) *tensor.Tensor {
		return written(o, func(x *tensor.Tensor) { x.ScatterSet(o.ids([]int{1, 2}, 1, 0), o.y(1, 2), 0) })
	}},
	{name: "ScatterAddSet", run: func(o operands) *tensor.Tensor {
		return written(o, func(x *tensor.Tensor) { x.ScatterAddSet(o.ids([]int{1, 2}, 1, 0), o.y(1, 2), 0) })
	}},
	{name: "RopeSet", why: fractions, run: func(o operands) *tensor.Tensor {
		return written(o, func(x *tensor.Tensor) { x.Reshape(1, 1, 2, 2).RopeSet(o.y(2, 1), o.y(2, 1)) })
	}},
	{name: "RopeISet", why: fractions, run: func(o operands) *tensor.Tensor {
		return written(o, func(x *tensor.Tensor) { x.Reshape(1, 1, 2, 2).RopeISet(o.y(2, 1), o.y(2, 1)) })
	}},
	{name: "ConstSet", run: func(o operands) *tensor.Tensor {
		return written(o, func(x *tensor.Tensor) { x.Narrow(1, 0, 1).ConstSet(7) })
	}},
	{name: "ZeroSet", run: func(o operands) *tensor.Tensor {
		return written(o, func(x *tensor.Tensor) { x.Narrow(1, 0, 1).ZeroSet() })
	}},
	{name: "OneSet", run: func(o operands) *tensor.Tensor {
		return written(o, func(x *tensor.Tensor) { x.Narrow(1, 0, 1).OneSet() })
	}},
	{name: "CopySet", run: func(o operands) *tensor.Tensor {
		return written(o, func(x *tensor.Tensor) { x.Narrow(1, 0, 1).CopySet(o.y(2, 1)) })
	}},
	{name: "SliceSet", run: func(o operands) *tensor.Tensor {
		return written(o, func(x *tensor.Tensor) { x.SliceSet(o.y(1, 2), 0, 1) })
	}},
	{name: "SliceAssign", run: func(o operands) *tensor.Tensor {
		return o.x(2, 2).SliceAssign([]tensor.Range{tensor.R(0, 1), tensor.R(1, 2)}, o.y(1, 1))
	}},
	{name: "SliceScatter", run: func(o operands) *tensor.Tensor { return o.x(2, 2).SliceScatter(o.y(2, 1), 1, 1) }},
	{name: "SliceScatter0", run: func(o operands) *tensor.Tensor { return o.x(2, 2).SliceScatter0(o.y(1, 2), 1) }},
	{name: "Tril", run: func(o operands) *tensor.Tensor { return o.x(3, 3).Tril(0) }},
	{name: "Triu", run: func(o operands) *tensor.Tensor { return o.x(3, 3).Triu(1) }},

	{name: "Sort", run: func(o operands) *tensor.Tensor { return first(o.y(2, 3).Sort(0, true)) }},
	{name: "SortLastDim", run: func(o operands) *tensor.Tensor { return first(o.y(2, 3).SortLastDim(false)) }},
	{name: "ArgSort", run: func(o operands) *tensor.Tensor { return o.y(2, 3).ArgSort(0, true) }},
	{name: "ArgSortLastDim", run: func(o operands) *tensor.Tensor { return o.y(2, 3).ArgSortLastDim(false) }},
	{name: "TopK", run: func(o operands) *tensor.Tensor { return first(o.y(2, 3).TopK(2, 1, true)) }},
	{name: "Nonzero", run: func(o operands) *tensor.Tensor { return o.x(2, 3).Sub(2).Nonzero() }},
	{name: "MaskedSelect", run: func(o operands) *tensor.Tensor { return o.x(2, 3).MaskedSelect(o.x(2, 3).Gt(2)) }},
	{name: "MaskedSelect, of the mask", run: func(o operands) *tensor.Tensor {
		return operands{dt: tensor.F32, dev: o.dev}.x(2, 3).MaskedSelect(o.x(2, 3))
	}, ref: func(o operands) *tensor.Tensor { return operands{dt: tensor.F32, dev: o.dev}.x(6) }, why: conditions},
	{name: "MaskedFill", run: func(o operands) *tensor.Tensor { return o.x(2, 3).MaskedFill(o.x(3).Gt(2), 5) }},
	{name: "MaskedFill, of the mask", run: func(o operands) *tensor.Tensor {
		return operands{dt: tensor.F32, dev: o.dev}.x(2, 3).MaskedFill(o.x(2, 3), 5)
	}, ref: func(o operands) *tensor.Tensor { return o.dev.Full(tensor.F32, 5, 2, 3) }, why: conditions},
	{name: "CumSum", run: func(o operands) *tensor.Tensor { return o.x(2, 6).CumSum(1) }},

	{name: "Conv1d", run: func(o operands) *tensor.Tensor { return o.x(1, 2, 5).Conv1d(o.y(1, 2, 3), 1, 1, 1, 1) }},
	{name: "Conv2d", run: func(o operands) *tensor.Tensor {
		return o.x(1, 1, 4, 4).Conv2d(o.y(1, 1, 2, 2), 0, 1, 1, 1)
	}},
	{name: "ConvTranspose1d", run: func(o operands) *tensor.Tensor {
		return o.x(1, 2, 4).ConvTranspose1d(o.y(2, 1, 3), 0, 0, 1, 1, 1)
	}},
	{name: "ConvTranspose2d", run: func(o operands) *tensor.Tensor {
		return o.x(1, 1, 3, 3).ConvTranspose2d(o.y(1, 1, 2, 2), 0, 0, 1, 1)
	}},
	{name: "AvgPool2d", run: func(o operands) *tensor.Tensor { return o.x(1, 1, 4, 4).AvgPool2d(2, 2) },
		why: fractions},
	{name: "AvgPool2dWithStride", run: func(o operands) *tensor.Tensor {
		return o.x(1, 1, 4, 4).AvgPool2dWithStride(2, 2, 1, 1)
	}, why: fractions},
	{name: "MaxPool2d", run: func(o operands) *tensor.Tensor { return o.x(1, 1, 4, 4).MaxPool2d(2, 2) }},
	{name: "MaxPool2dWithStride", run: func(o operands) *tensor.Tensor {
		return o.x(1, 1, 4, 4).MaxPool2dWithStride(2, 2, 1, 1)
	}},
	{name: "UpsampleNearest1d", run: func(o operands) *tensor.Tensor { return o.x(1, 1, 3).UpsampleNearest1d(5) }},
	{name: "UpsampleNearest2d", run: func(o operands) *tensor.Tensor {
		return o.x(1, 1, 2, 2).UpsampleNearest2d(3, 3)
	}},
	{name: "UpsampleBilinear2d", run: func(o operands) *tensor.Tensor {
		return o.x(1, 1, 2, 2).UpsampleBilinear2d(3, 3, true)
	}, why: fractions, ulps: 4},
	{name: "UpsampleBilinear2dWithScale", run: func(o operands) *tensor.Tensor {
		return o.x(1, 1, 2, 2).UpsampleBilinear2dWithScale(1.5, 1.5, false)
	}, why: fractions, ulps: 4},
	{name: "RmsNorm", run: func(o operands) *tensor.Tensor { return o.x(2, 3).RmsNorm(o.y(3), 1e-5) }, why: fractions,
		ulps: 16},
	{name: "LayerNorm", run: func(o operands) *tensor.Tensor { return o.x(2, 3).LayerNorm(o.y(3), o.y(3), 1e-5) },
		why: fractions, ulps: 16},
	{name: "SiluMul", run: func(o operands) *tensor.Tensor { return o.x(2, 3).SiluMul(o.y(2, 3)) },
		ulps: 8},
	{name: "AddRmsNorm", run: func(o operands) *tensor.Tensor {
		_, y := o.x(2, 8).AddRmsNorm(o.y(2, 8), o.y(8), 1e-5)
		return y
	}, why: fractions, ulps: 16},
	{name: "Rope", run: func(o operands) *tensor.Tensor { return o.x(1, 1, 2, 4).Rope(o.y(2, 2), o.y(2, 2)) },
		why: fractions},
	{name: "RopeI", run: func(o operands) *tensor.Tensor { return o.x(1, 1, 2, 4).RopeI(o.y(2, 2), o.y(2, 2)) },
		why: fractions},
	{name: "RopeThd", run: func(o operands) *tensor.Tensor { return o.x(1, 2, 1, 4).RopeThd(o.y(2, 2), o.y(2, 2)) },
		why: fractions},

	{name: "T", run: func(o operands) *tensor.Tensor { return o.x(2, 3).T() }},
	{name: "Transpose", run: func(o operands) *tensor.Tensor { return o.x(2, 3).Transpose(0, 1) }},
	{name: "Permute", run: func(o operands) *tensor.Tensor { return o.x(1, 2, 3).Permute(2, 0, 1) }},
	{name: "Reshape", run: func(o operands) *tensor.Tensor { return o.x(2, 3).T().Reshape(2, 3) }},
	{name: "Flatten", run: func(o operands) *tensor.Tensor { return o.x(2, 3, 1).Flatten(0, 1) }},
	{name: "FlattenAll", run: func(o operands) *tensor.Tensor { return o.x(2, 3).FlattenAll() }},
	{name: "FlattenFrom", run: func(o operands) *tensor.Tensor { return o.x(2, 3).FlattenFrom(0) }},
	{name: "FlattenTo", run: func(o operands) *tensor.Tensor { return o.x(2, 3).FlattenTo(1) }},
	{name: "Squeeze", run: func(o operands) *tensor.Tensor { return o.x(2, 1).Squeeze(1) }},
	{name: "Unsqueeze", run: func(o operands) *tensor.Tensor { return o.x(2).Unsqueeze(0) }},
	{name: "BroadcastAs", run: func(o operands) *tensor.Tensor { return o.x(3).BroadcastAs(2, 3) }},
	{name: "BroadcastLeft", run: func(o operands) *tensor.Tensor { return o.x(3).BroadcastLeft(2) }},
	{name: "Expand", run: func(o operands) *tensor.Tensor { return o.x(3).Expand(2, 3) }},
	{name: "Narrow", run: func(o operands) *tensor.Tensor { return o.x(2, 3).Narrow(1, 1, 2) }},
	{name: "Get", run: func(o operands) *tensor.Tensor { return o.x(2, 3).Get(1) }},
	{name: "GetOnDim", run: func(o operands) *tensor.Tensor { return o.x(2, 3).GetOnDim(1, 1) }},
	{name: "I", run: func(o operands) *tensor.Tensor { return o.x(2, 3).I(tensor.All, []int{2, 0}) }},
	{name: "Unfold", run: func(o operands) *tensor.Tensor { return o.x(5).Unfold(0, 2, 1) }},
	{name: "Chunk", run: func(o operands) *tensor.Tensor { return o.x(4).Chunk(2, 0)[1] }},
	{name: "Split", run: func(o operands) *tensor.Tensor { return o.x(4).Split(3, 0)[1] }},
	{name: "Repeat", run: func(o operands) *tensor.Tensor { return o.x(2, 3).Repeat(2, 1) }},
	{name: "Roll", run: func(o operands) *tensor.Tensor { return o.x(5).Roll(2, 0) }},
	{name: "Flip", run: func(o operands) *tensor.Tensor { return o.x(2, 3).Flip(1) }},
	{name: "Pad", run: func(o operands) *tensor.Tensor {
		x := o.x(2, 3).Pad(1, 1, 2, 1).Pad(0, 4, 3, tensor.Reflect)
		return x.Pad(1, 2, 1, tensor.Replicate).Pad(-1, 7, 9, tensor.Circular)
	}},
	{name: "RepeatInterleave", run: func(o operands) *tensor.Tensor { return o.x(2, 3).RepeatInterleave(2, 0) }},
	{name: "Take", run: func(o operands) *tensor.Tensor { return o.x(2, 3).Take(o.ids([]int{2, 2}, 5, 0, 1, 5)) }},
	{name: "SetI", run: func(o operands) *tensor.Tensor {
		return written(o, func(x *tensor.Tensor) {
			x.SetI(o.y(2), "::-1", 0)
			x.SetI(1, o.ids([]int{2}, 1, 0), 1)
		})
	}},
	{name: "AddI", run: func(o operands) *tensor.Tensor {
		return written(o, func(x *tensor.Tensor) {
			x.AddI(o.y(3, 2), o.ids([]int{3}, 1, 0, 1))
			x.AddI(1, 0)
		})
	}},
	{name: "Put", run: func(o operands) *tensor.Tensor {
		return written(o, func(x *tensor.Tensor) { x.Put(o.ids([]int{2}, 3, 0), o.y(2)) })
	}},
	{name: "ZerosLike", run: func(o operands) *tensor.Tensor { return o.x(3).ZerosLike() }},
	{name: "OnesLike", run: func(o operands) *tensor.Tensor { return o.x(3).OnesLike() }},
	{name: "FullLike", run: func(o operands) *tensor.Tensor { return o.x(3).FullLike(5) }},
	{name: "RandLike", run: func(o operands) *tensor.Tensor { return o.x(3).RandLike() }, why: drawn, random: true},
	{name: "RandnLike", run: func(o operands) *tensor.Tensor { return o.x(3).RandnLike() }, why: drawn,
		random: true},

	{name: "tensor.Cat", run: func(o operands) *tensor.Tensor {
		return tensor.Cat([]*tensor.Tensor{o.x(2, 3), o.y(1, 3)}, 0)
	}},
	{name: "tensor.Stack", run: func(o operands) *tensor.Tensor {
		return tensor.Stack([]*tensor.Tensor{o.x(3), o.y(3)}, 1)
	}},
	{name: "tensor.Meshgrid", run: func(o operands) *tensor.Tensor {
		return tensor.Meshgrid([]*tensor.Tensor{o.x(3), o.y(2)}, true)[1]
	}},
	{name: "dev.Zeros", run: func(o operands) *tensor.Tensor { return o.dev.Zeros(o.dt, 3) }},
	{name: "dev.Ones", run: func(o operands) *tensor.Tensor { return o.dev.Ones(o.dt, 3) }},
	{name: "dev.Full", run: func(o operands) *tensor.Tensor { return o.dev.Full(o.dt, 5, 3) }},
	{name: "dev.Arange", run: func(o operands) *tensor.Tensor { return o.dev.Arange(o.dt, 1, 6) }},
	{name: "dev.Linspace", run: func(o operands) *tensor.Tensor { return o.dev.Linspace(o.dt, 0, 8, 5) }},
	{name: "dev.Eye", run: func(o operands) *tensor.Tensor { return o.dev.Eye(o.dt, 3) }},
	{name: "dev.Rand", run: func(o operands) *tensor.Tensor { return o.dev.Rand(o.dt, 3) },
		why: drawn, random: true},
	{name: "dev.Randn", run: func(o operands) *tensor.Tensor { return o.dev.Randn(o.dt, 3) },
		why: drawn, random: true},
}...)

// written returns a tensor of 2 × 2 elements after f has written to it.
func written(o operands, f func(x *tensor.Tensor)) *tensor.Tensor {
	x := o.x(2, 2)
	f(x)
	return x
}

func first(values, _ *tensor.Tensor) *tensor.Tensor { return values }

// domains map the operand of operations that are not defined or steep in the range of 1 to 6, by a factor and a term.
var domains = map[string][2]float64{"Asin": {0.125, 0}, "Acos": {0.125, 0}, "Atanh": {0.125, 0},
	"Erfinv": {0.125, 0}, "Acosh": {1, 1}, "Tan": {0.25, 0}}

// rowCases are the rows of the op table.
func rowCases() (list []typeCase) {
	hole := func(on []kernels.DType) string {
		if !slices.ContainsFunc(on, kernels.DType.IsFloat) {
			return whole
		}
		return ""
	}
	// an operation of integers gives what it gives for I64
	asI64 := func(c typeCase) typeCase {
		if c.why == whole {
			c.ref = func(o operands) *tensor.Tensor { o.dt = tensor.I64; return c.run(o) }
		}
		return c
	}
	for _, op := range kernels.Unary {
		list = append(list, asI64(typeCase{name: op.Method, run: func(o operands) *tensor.Tensor {
			x := o.x(2, 3)
			if d, ok := domains[op.Method]; ok {
				x = x.Mul(d[0]).Add(d[1])
			}
			return call(x, op.Method)
		}, why: hole(op.On), ulps: op.ULP}))
	}
	for _, op := range kernels.Params {
		list = append(list, typeCase{name: op.Method,
			run:  func(o operands) *tensor.Tensor { return call(o.x(2, 3), op.Method, 2.0) },
			ulps: op.ULP})
	}
	for _, op := range kernels.Binary {
		list = append(list, asI64(typeCase{name: op.Method,
			run: func(o operands) *tensor.Tensor { return call(o.x(2, 3), op.Method, o.y(3)) }, why: hole(op.On),
			ulps: op.ULP}))
	}
	for _, op := range kernels.Compare {
		list = append(list, typeCase{name: op.Method,
			run: func(o operands) *tensor.Tensor { return call(o.x(2, 3), op.Method, o.y(3)) }})
	}
	for _, op := range kernels.Reduce {
		for _, keep := range []string{"", "KeepDim"} {
			name := op.Method + keep
			list = append(list, typeCase{name: name,
				run: func(o operands) *tensor.Tensor { return call(o.x(2, 3), name, 1) }, why: hole(op.On),
				ulps: op.ULP})
		}
		list = append(list, typeCase{name: op.Method + ", of all",
			run: func(o operands) *tensor.Tensor { return call(o.x(2, 3), op.Method) }, why: hole(op.On),
			ulps: math.Max(op.ULP, 1)})
	}
	for _, op := range kernels.Statistics {
		for _, keep := range []string{"", "KeepDim"} {
			name, args := op.Method+keep, []any{}
			switch op.Params {
			case "p float64":
				args = append(args, 3.0)
			case "q float64":
				args = append(args, 0.3)
			case "correction int":
				args = append(args, 0)
			}
			list = append(list, typeCase{name: name,
				run: func(o operands) *tensor.Tensor { return call(o.x(2, 3), name, append(args, 1)...) }, ulps: 4})
		}
	}
	return list
}
