"""Writes ops.zip: small models of one operator each, made from a seed, with what onnxruntime computes, or onnx's reference where that lacks the operator. It prints where the two differ.

    pip install onnx onnxruntime && python3 ops.py
"""
import os
import sys
import zipfile

import numpy as np
import onnx
import onnx.parser
import onnxruntime
from onnx import TensorProto as T
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

r = np.random.default_rng(7)
onnxruntime.set_default_logger_severity(4)
cases = {}


def f(*shape, scale=1.0):
    return (r.standard_normal(shape) * scale).astype(np.float32)


def i(*shape, low=-9, high=9, dtype=np.int64):
    return r.integers(low, high, shape).astype(dtype)


def ints(*values):
    return np.array(values, np.int64)


def one(v, dtype=np.float32):
    return np.array(v, dtype)


def case(op, *inputs, outputs=1, name="", opset=21, domain="", optional=(), constant=(), **attrs):
    """constant says which inputs are initializers, optional which outputs are left out."""
    key = op + ("_" + name if name else "")
    assert key not in cases, key
    names = ["" if x is None else f"x{k}" for k, x in enumerate(inputs)]
    outs = ["" if k in optional else f"y{k}" for k in range(outputs)]
    node = helper.make_node(op, names, outs, domain=domain, **attrs)
    given = {n: x for n, x in zip(names, inputs) if x is not None}
    infos = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(x.dtype), [None] * x.ndim) for n, x in given.items() if int(n[1:]) not in constant]
    initial = [numpy_helper.from_array(x, n) for n, x in given.items() if int(n[1:]) in constant]
    outs = [o for o in outs if o]
    graph = helper.make_graph([node], op, infos, [helper.make_tensor_value_info(o, T.FLOAT, None) for o in outs], initial)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    given = {k.name: given[k.name] for k in infos}
    results = {}
    for what, run in (("reference", lambda m: ReferenceEvaluator(m).run(None, given)), ("onnxruntime", lambda m: onnxruntime.InferenceSession(m.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, given))):
        try:
            results[what] = [np.asarray(w) for w in run(model)]
        except Exception as e:
            print(f"not by the {what}: {key}: {str(e).splitlines()[0][:90]}")
        if not results:
            continue
        for o, w, k in zip(outs, next(iter(results.values())), range(len(outs))):
            graph.output[k].CopyFrom(helper.make_tensor_value_info(o, helper.np_dtype_to_tensor_dtype(w.dtype), [None] * w.ndim))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    want = list(results.values())[-1]
    if len(results) == 2 and not all(a.shape == b.shape and np.allclose(a, b, rtol=1e-3, atol=1e-4, equal_nan=True) for a, b in zip(*results.values())):
        print("they differ:", key)
    cases[key] = (model, list(given.values()), want)


for op in "Abs Acos Asin Atan Atanh Ceil Cos Cosh Erf Exp Floor HardSwish IsNaN Mish Neg Relu Round Sigmoid Sign Sin Sinh Softplus Softsign Tan Tanh Identity".split():
    x = f(3, 5, scale=0.4 if op in ("Acos", "Asin", "Atanh") else 2.0)
    if op in ("Acos", "Asin", "Atanh"):
        x = np.clip(x, -0.9, 0.9)
    if op == "Round":
        x = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 0.49999997, 3.2, -7.9], np.float32)
    if op == "IsNaN":
        x[0, 1] = np.nan
    case(op, x)
for op in ("Acosh", "Asinh", "Log", "Reciprocal", "Sqrt"):
    case(op, np.abs(f(3, 5)) + 1.1)
case("BitwiseNot", i(7, dtype=np.int32))
case("Not", i(7) > 0)
case("Celu", f(3, 5), alpha=0.7)
case("Clip", f(3, 5), one(-0.5), one(0.6))
case("Clip", i(9), None, one(3, np.int64), name="upper")
case("Elu", f(3, 5), alpha=0.7)
case("Gelu", f(3, 5))
case("Gelu", f(3, 5), approximate="tanh", name="tanh")
case("HardSigmoid", f(3, 5, scale=4), alpha=0.3, beta=0.4)
case("IsInf", np.array([np.inf, -np.inf, 1, np.nan], np.float32), detect_negative=0)
case("LeakyRelu", f(3, 5), alpha=0.2)
case("PRelu", f(2, 3, 4), f(3, 1))
case("Selu", f(3, 5))
case("Shrink", f(3, 5), lambd=0.6, bias=0.2)
case("ThresholdedRelu", f(3, 5), alpha=0.4)
case("Dropout", f(3, 5), outputs=2, name="both")
for name, to in (("i32", T.INT32), ("f16", T.FLOAT16), ("bool", T.BOOL), ("f64", T.DOUBLE), ("u8", T.UINT8)):
    case("Cast", np.abs(f(3, 5, scale=3)), to=to, name=name)
case("CastLike", f(3), i(1))
for op in ("Add", "Sub", "Mul", "Div"):
    case(op, f(2, 3, 4), f(3, 1) + 3)
    case(op, i(6), i(6, low=1), name="ints")
for op in ("Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"):
    case(op, i(3, 4, low=0, high=3), i(4, low=0, high=3))
for op in ("And", "Or", "Xor"):
    case(op, i(3, 4) > 0, i(4) > 0)
for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
    case(op, i(3, 4, dtype=np.int32), i(4, dtype=np.int32))
case("BitShift", i(5, low=1, dtype=np.uint32), i(5, low=0, high=5, dtype=np.uint32), direction="LEFT")
case("BitShift", i(5, low=1, high=99, dtype=np.uint8), i(5, low=0, high=5, dtype=np.uint8), direction="RIGHT", name="right")
case("Mod", i(9, low=-9), ints(4, -4, 3, -3, 5, 2, 7, -2, 1))
case("Mod", f(9, scale=5), f(9) + 3, fmod=1, name="fmod")
case("Pow", np.abs(f(3, 4)), f(4))
case("Pow", f(3, 4), one(2.0), name="square")
case("Pow", i(4, dtype=np.int32), one(2, np.int64), name="ints")
case("Max", f(3, 4), f(4), f(1))
case("Min", f(3, 4), f(4), f(1))
case("Sum", f(3, 4), f(4), f(1))
case("Mean", f(3, 4), f(4), f(1))
case("Where", i(3, 4) > 0, f(4), f(3, 1))

case("MatMul", f(2, 3, 4), f(4, 5))
case("MatMul", f(4), f(2, 4, 5), name="vector")
case("Gemm", f(4, 3), f(5, 4), f(5), alpha=0.5, beta=2.0, transA=1, transB=1)
case("Gemm", f(3, 4), f(4, 5), name="plain")
case("Einsum", f(2, 3, 4), f(2, 4, 5), equation="bij,bjk->bik")
case("Einsum", f(3, 4, 4), equation="...ii->...i", name="diagonal")
case("Det", f(2, 3, 3))
case("MatMulInteger", i(3, 4, low=0, high=255, dtype=np.uint8), i(4, 5, low=-120, high=120, dtype=np.int8), one(120, np.uint8), one(3, np.int8))

case("Conv", f(2, 3, 9), f(4, 3, 3), f(4), pads=[1, 2], strides=[2], name="signal")
case("Conv", f(1, 4, 7, 8), f(6, 2, 3, 2), f(6), group=2, dilations=[1, 2], pads=[1, 0, 2, 1], strides=[2, 1])
case("Conv", f(1, 2, 5, 6, 4), f(3, 2, 2, 3, 2), strides=[1, 2, 1], name="volume")
case("Conv", f(1, 1, 7, 6), f(1, 1, 3, 3), auto_pad="SAME_UPPER", strides=[2, 2], name="upper")
case("Conv", f(1, 1, 7, 6), f(1, 1, 4, 3), auto_pad="SAME_LOWER", strides=[2, 2], name="lower")
case("Conv", f(1, 1, 7, 6), f(1, 1, 4, 3), auto_pad="VALID", name="valid")
case("ConvTranspose", f(1, 4, 4, 3), f(4, 3, 3, 2), f(6), group=2, strides=[2, 3], pads=[1, 0, 0, 1], output_padding=[1, 2])
case("ConvTranspose", f(1, 2, 5), f(2, 3, 3), output_shape=[12], strides=[2], name="shape")
case("ConvTranspose", f(1, 2, 4, 4), f(2, 1, 3, 3), auto_pad="SAME_UPPER", strides=[2, 2], name="same")
case("ConvInteger", i(1, 2, 5, 5, low=0, high=200, dtype=np.uint8), i(3, 2, 3, 3, low=0, high=200, dtype=np.uint8), one(100, np.uint8), pads=[1, 1, 1, 1])
case("MaxPool", f(1, 2, 9, 8), kernel_shape=[3, 2], strides=[2, 3], pads=[1, 0, 1, 1], ceil_mode=1)
case("MaxPool", f(1, 2, 9, 8), kernel_shape=[2, 2], strides=[2, 2], outputs=2, name="indices")
case("MaxPool", f(1, 2, 12), kernel_shape=[3], dilations=[2], name="dilated")
case("MaxPool", i(1, 1, 6, 6, low=0, high=255, dtype=np.uint8), kernel_shape=[3, 3], pads=[1, 1, 1, 1], name="bytes")
case("AveragePool", f(1, 2, 9, 8), kernel_shape=[3, 2], strides=[2, 3], pads=[1, 0, 1, 1])
case("AveragePool", f(1, 2, 9, 8), kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], count_include_pad=1, name="padding")
case("AveragePool", f(1, 2, 7, 7), kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1, name="ceil")
case("AveragePool", f(1, 2, 5, 6, 4), kernel_shape=[2, 2, 2], auto_pad="SAME_UPPER", name="volume")
case("LpPool", f(1, 2, 9, 8), kernel_shape=[3, 2], p=3)
for op in ("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"):
    case(op, f(2, 3, 4, 5))
case("MaxUnpool", f(1, 1, 2, 2), ints(5, 7, 13, 15).reshape(1, 1, 2, 2), kernel_shape=[2, 2], strides=[2, 2])

case("BatchNormalization", f(2, 3, 4, 2), f(3), f(3), f(3), np.abs(f(3)) + 0.5, epsilon=1e-3)
case("InstanceNormalization", f(2, 3, 4, 5), f(3), f(3))
case("LayerNormalization", f(2, 3, 8), f(8), f(8))
case("LayerNormalization", f(2, 3, 4), f(3, 4), f(3, 4), axis=1, outputs=3, name="axis")
case("GroupNormalization", f(2, 6, 4, 3), f(6), f(6), num_groups=3)
case("RMSNormalization", f(2, 3, 8), f(8), opset=23)
case("LRN", f(1, 7, 3, 3), size=3, alpha=0.2, beta=0.6, bias=1.5)
case("LpNormalization", f(3, 4), axis=1, p=1)
case("MeanVarianceNormalization", f(2, 3, 4, 5))
for op in ("Softmax", "LogSoftmax", "Hardmax"):
    case(op, f(2, 3, 4), axis=1)
    case(op, f(2, 3, 4), opset=11, name="old")
for op in "L1 L2 LogSum LogSumExp Max Mean Min Prod Sum SumSquare".split():
    x = np.abs(f(2, 3, 4)) + 0.1
    case("Reduce" + op, x, ints(1, -1))
    case("Reduce" + op, x, keepdims=0, opset=17 if op == "Sum" else 13, name="all")
    case("Reduce" + op, x, ints(), noop_with_empty_axes=1, name="none", opset=18)
case("ReduceSum", i(3, 4, dtype=np.int32), ints(0), keepdims=0, name="ints")
case("ReduceMax", i(3, 4, dtype=np.int32), ints(1), name="ints")
for op in ("ArgMax", "ArgMin"):
    x = i(4, 5, low=0, high=3).astype(np.float32)
    case(op, x, axis=1)
    case(op, x, axis=0, keepdims=0, select_last_index=1, name="last")
case("TopK", f(3, 7), ints(3), outputs=2)
case("TopK", f(3, 7), ints(2), axis=0, largest=0, outputs=2, name="smallest")
case("CumSum", f(3, 4), one(1, np.int64))
case("CumSum", i(3, 4), one(0, np.int64), exclusive=1, reverse=1, name="reverse")

x = f(2, 3, 4)
case("Reshape", x, ints(0, -1, 2))
case("Reshape", f(0, 3), ints(0, 5), allowzero=1, name="zero")
case("Flatten", x, axis=2)
case("Squeeze", f(1, 3, 1), ints(0))
case("Squeeze", f(1, 3, 1), name="all")
case("Unsqueeze", f(3, 4), ints(0, -1))
case("Transpose", x, perm=[2, 0, 1])
case("Transpose", x, name="reverse")
case("Concat", f(2, 3), f(2, 1), f(2, 2), axis=-1)
case("Split", f(7, 2), ints(2, 5), outputs=2)
case("Split", f(2, 7), axis=1, num_outputs=3, outputs=3, name="uneven")
case("Slice", f(6, 7), ints(1, -1), ints(99, 0), ints(0, 1), ints(2, -2))
case("Slice", f(6, 7), ints(0), ints(-2), name="plain")
case("Expand", f(3, 1), ints(2, 1, 4))
case("Tile", f(2, 3), ints(2, 2))
case("Pad", f(3, 4), ints(1, 0, 0, 2), one(1.5))
for mode in ("reflect", "edge", "wrap"):
    case("Pad", f(4, 5), ints(2, 1), None, ints(-1), mode=mode, name=mode)
case("Pad", f(4, 5), ints(-1, 0, 0, -2), name="negative")
case("Shape", f(2, 3, 4), start=1)
case("Size", f(2, 3, 4))
case("ConstantOfShape", ints(2, 3), value=numpy_helper.from_array(ints(7)))
case("Range", one(3, np.int64), one(-8, np.int64), one(-3, np.int64))
case("Range", one(0.5), one(2.9), one(0.4), name="floats")
case("OneHot", ints(1, -1, 5, 2), one(4, np.int64), f(2), axis=0)
case("NonZero", i(3, 4) * (i(3, 4) > 0))
case("Trilu", f(3, 4, 5), one(1, np.int64))
case("Trilu", f(4, 5), upper=0, name="lower")
case("Compress", f(4, 3), np.array([True, False, True]), axis=0)
case("Unique", ints(4, 1, 4, 3, 1, 1), outputs=4)
case("Unique", ints(4, 1, 4, 3, 1, 1), sorted=0, outputs=4, name="unsorted")
case("Unique", np.array([[1, 2], [0, 5], [1, 2]], np.float32), axis=0, outputs=4, name="axis")
case("EyeLike", f(3, 4), k=1)
case("ReverseSequence", f(4, 3, 2), ints(4, 1, 3))
case("DepthToSpace", f(1, 8, 2, 3), blocksize=2)
case("DepthToSpace", f(1, 8, 2, 3), blocksize=2, mode="CRD", name="CRD")
case("SpaceToDepth", f(1, 2, 4, 6), blocksize=2)
case("CenterCropPad", f(5, 4), ints(3, 7))
case("Gather", f(4, 3), ints(0, -1, 2), axis=0)
case("Gather", f(4, 3), one(-2, np.int64), axis=1, name="scalar")
case("GatherElements", f(3, 4), i(3, 2, low=-4, high=4), axis=1)
case("GatherND", f(2, 3, 4), i(2, 2, 2, low=-2, high=2), name="slices", batch_dims=0)
case("GatherND", f(2, 3, 4), i(2, 5, 1, low=0, high=3), batch_dims=1, name="batch")
case("ScatterElements", f(3, 4), ints(0, 2, 1, 0).reshape(1, 4), f(1, 4), axis=0)
for red in ("add", "mul", "max", "min"):
    case("ScatterElements", f(3, 4), i(3, 4, low=0, high=4), f(3, 4), axis=1, reduction=red, name=red)
    case("ScatterND", f(4, 3), ints(0, 2, 0).reshape(3, 1), f(3, 3), reduction=red, name=red)
case("ScatterND", f(4, 3), np.array([[0, 1], [3, -1]], np.int64), f(2))

for mode in ("half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel", "half_pixel_symmetric"):
    for kind in ("nearest", "linear", "cubic"):
        scales = [1, 1, 2, 0.5] if mode == "align_corners" else [1, 1, 1.7, 0.6]  # onnxruntime rounds sizes before it aligns corners
        case("Resize", f(1, 2, 5, 6), None, one(scales), mode=kind, coordinate_transformation_mode=mode, name=f"{kind}_{mode}")
case("Resize", f(1, 2, 5, 6), None, None, ints(1, 2, 9, 4), mode="linear", antialias=1, name="antialias")
case("Resize", f(1, 1, 5, 6), None, None, ints(8, 8), axes=[2, 3], mode="nearest", nearest_mode="floor", keep_aspect_ratio_policy="not_larger", name="aspect")
case("Resize", f(1, 1, 5, 6), one([0, 0, 0.2, -0.1, 1, 1, 0.9, 1.2]), None, ints(1, 1, 4, 4), mode="linear", coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=3.0, name="crop")
case("Resize", f(1, 1, 6, 6), None, one([1, 1, 0.5, 0.5]), mode="cubic", exclude_outside=1, cubic_coeff_a=-0.5, name="exclude")
case("GridSample", f(1, 2, 4, 5), np.clip(f(1, 3, 3, 2), -1.5, 1.5), align_corners=1)
case("GridSample", f(1, 2, 4, 5), np.clip(f(1, 3, 3, 2), -1.5, 1.5), padding_mode="border", mode="nearest", name="nearest")
case("AffineGrid", f(1, 2, 3), ints(1, 1, 3, 4))

for op, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
    extra = dict(outputs=3) if op == "LSTM" else dict(outputs=2)
    case(op, f(5, 2, 3), f(1, gates * 4, 3), f(1, gates * 4, 4), f(1, 2 * gates * 4), hidden_size=4, **extra)
case("LSTM", f(2, 1, 3), f(1, 16, 3), f(1, 16, 4), f(1, 32), None, f(1, 1, 4), f(1, 1, 4), f(1, 12), hidden_size=4, outputs=3, name="peephole")
case("GRU", f(3, 2, 3), f(1, 12, 3), f(1, 12, 4), f(1, 24), hidden_size=4, linear_before_reset=1, outputs=2, name="linear")

x = f(3, 8, scale=3)
case("QuantizeLinear", x, one(0.05), one(128, np.uint8))
case("QuantizeLinear", x, np.abs(f(3)) + 0.01, i(3, dtype=np.int8), axis=0, name="axis")
case("DequantizeLinear", i(3, 8, dtype=np.int8), np.abs(f(3)) + 0.01, i(3, dtype=np.int8), axis=0)
case("DequantizeLinear", i(3, 8, dtype=np.int8), np.abs(f(3, 2)) + 0.01, axis=1, block_size=4, name="blocks")
case("DynamicQuantizeLinear", x, outputs=3)
a, b = i(3, 4, low=0, high=255, dtype=np.uint8), i(4, 5, low=0, high=255, dtype=np.uint8)
case("QLinearMatMul", a, one(0.02), one(110, np.uint8), b, one(0.03), one(130, np.uint8), one(0.5), one(128, np.uint8))
case("QLinearConv", i(1, 2, 5, 5, low=0, high=255, dtype=np.uint8), one(0.02), one(110, np.uint8), i(3, 2, 3, 3, low=-100, high=100, dtype=np.int8), one([0.01, 0.02, 0.03]), one([0, 0, 0], np.int8), one(0.4), one(128, np.uint8), i(3, low=-500, high=500, dtype=np.int32), pads=[1, 1, 1, 1])

case("DFT", f(1, 8, 3, 1), None, one(1, np.int64))
case("DFT", f(1, 8, 2), None, one(1, np.int64), inverse=1, name="inverse")
case("DFT", f(1, 8, 1), one(10, np.int64), one(1, np.int64), onesided=1, name="onesided")
case("STFT", f(1, 32, 1), one(4, np.int64), np.abs(f(8)), one(8, np.int64))
for op in ("HannWindow", "HammingWindow", "BlackmanWindow"):
    case(op, one(9, np.int64), periodic=0)
case("MelWeightMatrix", one(6, np.int64), one(32, np.int64), one(8000, np.int64), one(60.0), one(3500.0))
boxes = np.sort(np.abs(f(1, 9, 4)), axis=-1)
case("NonMaxSuppression", boxes, np.abs(f(1, 2, 9)), ints(4), one([0.3]), one([0.2]))
case("RoiAlign", f(1, 2, 9, 9), np.array([[0, 0, 6, 5], [2, 1, 8, 8]], np.float32), ints(0, 0), output_height=3, output_width=2, sampling_ratio=2, spatial_scale=0.9)
case("Attention", f(1, 2, 3, 4), f(1, 2, 5, 4), f(1, 2, 5, 4), is_causal=1, opset=23)
case("RotaryEmbedding", f(1, 2, 3, 8), f(3, 4).reshape(1, 3, 4), f(3, 4).reshape(1, 3, 4), opset=23)
case("Swish", f(3, 4), opset=24)

# Types and forms of constants: typed data, packed integers, small floats.
x = i(5, 3, low=-8, high=7).astype(np.float32)
for name, kind in (("int4", T.INT4), ("uint4", T.UINT4), ("float8e4m3fn", T.FLOAT8E4M3FN), ("float8e5m2", T.FLOAT8E5M2), ("bfloat16", T.BFLOAT16), ("float16", T.FLOAT16)):
    values = np.abs(x) if name.startswith("u") else x
    w = helper.make_tensor("w", kind, values.shape, values.flatten())
    integers = name.endswith("int4")
    nodes = [helper.make_node("DequantizeLinear", ["w", "s"], ["d"])] if integers or "8" in name else [helper.make_node("Cast", ["w"], ["d"], to=T.FLOAT)]
    nodes.append(helper.make_node("Mul", ["x", "d"], ["y"]))
    graph = helper.make_graph(nodes, name, [helper.make_tensor_value_info("x", T.FLOAT, ["n", 3])], [helper.make_tensor_value_info("y", T.FLOAT, [5, 3])], [w, numpy_helper.from_array(one(0.5), "s")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    given = f(1, 3)
    cases["initializer_" + name] = (model, [given], ReferenceEvaluator(model).run(None, {"x": given}))

# Graphs: subgraphs, functions of the model, sequences, in ONNX's textual form.
graphs = {
    "function": ("""<ir_version: 10, opset_import: ["": 21, "own": 1]>
g (float[n, 4] x, float[4] w) => (float[n, 4] y) { h = own.scaled<gain = 3.0>(x, w)  y = own.scaled(h, w) }
<domain: "own", opset_import: ["": 21]>
scaled <gain: float = 2.0> (a, b) => (c) { k = Constant<value_float: float = @gain>()  d = Mul(a, k)  c = Add(d, b) }
""", [f(2, 4), f(4)]),
    "if": ("""<ir_version: 10, opset_import: ["": 21]>
g (float[n] x) => (float[m] y) {
  s = ReduceSum<keepdims = 0>(x)  zero = Constant<value_float = 0.0>()  positive = Greater(s, zero)
  y = If(positive) <then_branch = t () => (float[k] a) { s1 = Abs(x)  a = Sqrt(s1) }, else_branch = e () => (float[k] b) { b = Concat<axis = 0>(x, x) }>
}
""", [-np.abs(f(5))]),
    "loop": ("""<ir_version: 10, opset_import: ["": 21]>
g (float[n] x, int64 limit) => (float[n] last, float[k, n] all) {
  going = Constant<value = bool {1}>()
  last, all = Loop(limit, going, x) <body = b (int64 i, bool c, float[n] v) => (bool more, float[n] next, float[n] seen) {
    half = Constant<value_float = 0.5>()  next = Mul(v, half)  seen = Add(v, x)
    three = Constant<value_int = 3>()  more = Less(i, three) }>
}
""", [f(3), np.array(10, np.int64)]),
    "scan": ("""<ir_version: 10, opset_import: ["": 21]>
g (float[3] start, float[n, 3] x) => (float[3] end, float[n, 3] all) {
  end, all = Scan<num_scan_inputs = 1, body = b (float[3] s, float[3] v) => (float[3] t, float[3] u) { t = Add(s, v)  u = Identity(t) }>(start, x)
}
""", [f(3), f(4, 3)]),
    "sequence": ("""<ir_version: 10, opset_import: ["": 21]>
g (float[n, 2] x, float[m, 2] z) => (float[k, 2] y, int64 count) {
  two = Constant<value_int = 2>()  parts = SplitToSequence<axis = 0>(x, two)  more = SequenceInsert(parts, z)
  count = SequenceLength(more)  y = ConcatFromSequence<axis = 0>(more)
}
""", [f(5, 2), f(1, 2)]),
    "shapes": ("""<ir_version: 10, opset_import: ["": 21]>
g (float[a, b, c] x) => (float[p, q] y) {
  s = Shape(x)  zero = Constant<value_ints = [0]>()  one = Constant<value_ints = [1]>()  rest = Constant<value_ints = [-1]>()
  first = Gather(s, zero)  second = Gather(s, one)  rows = Mul(first, second)  shape = Concat<axis = 0>(rows, rest)  y = Reshape(x, shape)
}
""", [f(2, 3, 4)]),
}
for name, (source, inputs) in graphs.items():
    model = onnx.parser.parse_model(source)
    feed = {k.name: x for k, x in zip(model.graph.input, inputs)}
    want = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, feed)
    cases["graph_" + name] = (model, inputs, want)

here = os.path.dirname(os.path.abspath(__file__))
with zipfile.ZipFile(f"{here}/ops.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
    def put(name, data):
        z.writestr(zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)

    for key in sorted(cases):
        model, inputs, outputs = cases[key]
        put(f"{key}/model.onnx", model.SerializeToString())
        for kind, values in (("input", inputs), ("output", outputs)):
            for k, x in enumerate(values):
                put(f"{key}/test_data_set_0/{kind}_{k}.pb", numpy_helper.from_array(x).SerializeToString())
print(len(cases), "cases")
