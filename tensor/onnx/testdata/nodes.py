"""Writes ONNX's own tests of operators as folders of a model, inputs and outputs, for TestNodes.

    pip install onnx && python3 nodes.py FOLDER && GOROCM_ONNX_TESTS=FOLDER go test ./tensor/onnx -run Nodes -v
"""
import os
import sys
import warnings

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.backend.test.case.node import collect_testcases


def message(x, name, t):
    kind = t.WhichOneof("value")
    if kind == "optional_type":
        inner = t.optional_type.elem_type
        if x is None:
            return helper.make_optional(name, onnx.OptionalProto.UNDEFINED, None)
        tensor = inner.WhichOneof("value") == "tensor_type"
        return helper.make_optional(name, onnx.OptionalProto.TENSOR if tensor else onnx.OptionalProto.SEQUENCE, message(x, name, inner))
    if kind == "sequence_type":
        return numpy_helper.from_list(x, name)
    if isinstance(x, onnx.TensorProto):
        y = onnx.TensorProto()
        y.CopyFrom(x)
        return y
    return numpy_helper.from_array(np.asarray(x), name)


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


warnings.simplefilter("ignore")
count = 0
for case in collect_testcases(None):
    if case.model is None:
        continue
    folder = os.path.join(sys.argv[1], case.name)
    write(f"{folder}/model.onnx", case.model.SerializeToString())
    write(f"{folder}/tolerance", f"{case.rtol} {case.atol}\n".encode())
    for i, (inputs, outputs) in enumerate(case.data_sets):
        for kind, values, infos in (("input", inputs, case.model.graph.input), ("output", outputs, case.model.graph.output)):
            for j, x in enumerate(values if isinstance(values, (list, tuple)) else [values]):
                write(f"{folder}/test_data_set_{i}/{kind}_{j}.pb", message(x, infos[j].name, infos[j].type).SerializeToString())
    count += 1
print(count, "tests of onnx", onnx.__version__)
