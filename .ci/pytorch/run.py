#!/usr/bin/env python3
"""Runs random operations in gorocm and in PyTorch, and prints those whose results differ:

    .ci/pytorch/run.py                        # 500 operations on the CPU
    .ci/pytorch/run.py --device rocm --count 2000 --seed 7
    .ci/pytorch/run.py --gradients            # gradients of all inputs, of a weighted sum of each result

Operations get views of random shapes and types, and special values where they are not sums of many. What PyTorch refuses
is left out. Differences are not always mistakes: docs/coming-from-numpy-pytorch.md and docs/ops.md say where gorocm does
otherwise on purpose. Needs a Python with torch, numpy and safetensors, and Go.
"""
import argparse
import os
import random
import subprocess
import sys
import tempfile
import warnings

import torch
from safetensors.torch import load_file, save_file

from cases import OPERATIONS
from values import Case, numbers

HERE = os.path.dirname(os.path.abspath(__file__))
EPS = {torch.float64: 2.0**-52, torch.float32: 2.0**-23, torch.float16: 2.0**-10, torch.bfloat16: 2.0**-7, torch.complex64: 2.0**-23, torch.complex128: 2.0**-52}


def make(number, source, with_gradients):
    """A case that PyTorch computes, with its result as want and the expression as go."""
    while True:
        case = Case(number, source, with_gradients)
        case.operation = source.choice(OPERATIONS)
        result, case.go = case.operation(case)
        try:
            case.want = result()
        except (RuntimeError, ZeroDivisionError, NotImplementedError, TypeError, IndexError):
            continue
        case.eps = EPS.get(case.want.dtype, 0)
        if not with_gradients:
            case.want = case.want.detach()
            return case
        if not case.want.dtype.is_complex and case.want.dtype in EPS and case.want.requires_grad and gradients(case):
            return case


def gradients(case):
    """Replaces the case by its gradients. It is false where PyTorch has none."""
    weights = torch.randn(case.want.shape, dtype=torch.float64).to(case.want.dtype)
    try:
        (case.want * weights).sum().backward()
    except RuntimeError:
        return False
    names = list(case.inputs)
    case.want = torch.cat([(torch.zeros_like(x) if x.grad is None else x.grad).double().flatten() for x in case.inputs.values() if x.requires_grad])
    case.eps, case.terms = max(EPS[x.dtype] for x in case.inputs.values() if x.requires_grad), 1000 * case.terms
    w = "%d.weights" % case.number
    case.inputs[w] = weights
    case.go = 'gradients("%s", func(in map[string]*tensor.Tensor) *tensor.Tensor { return %s }, %s)' % (w, case.go, numbers('"%s"' % n for n in names))
    return True


def run(cases, device, folder):
    """The results of gorocm, and its errors, by the numbers of the cases."""
    save_file({name: x.detach().clone() for case in cases for name, x in case.inputs.items()}, folder + "/in.safetensors")
    parts = []
    for i in range(0, len(cases), 50):
        tries = "\n".join('\ttry("%d", func() *tensor.Tensor { return %s })' % (c.number, c.go) for c in cases[i:i + 50])
        parts.append("func part%d() {\n%s\n}\npart%d()" % (i, tries, i))
    with open(HERE + "/script.txt") as f:
        text = f.read().replace("DEVICE", device).replace("FOLDER", folder).replace("CASES", "\n// %%\n".join(parts))
    with open(folder + "/cases.go", "w") as f:
        f.write(text)
    subprocess.run([folder + "/gorocm", "run", folder + "/cases.go"], check=True)
    with open(folder + "/errors.txt") as f:
        errors = dict(line.split(" ", 1) for line in f.read().splitlines())
    return load_file(folder + "/out.safetensors"), errors


def difference(case, got):
    """What differs, or nothing."""
    want = case.want
    if want.dtype.is_complex:
        want = torch.view_as_real(want.resolve_conj()).contiguous()
    if got.shape != want.shape:
        return "shape %s, want %s" % (list(got.shape), list(want.shape))
    ids = got.dtype == torch.uint32 and want.dtype == torch.int64  # gorocm's indices
    if got.dtype != want.dtype and not ids:
        return "%s, want %s" % (got.dtype, want.dtype)
    got, want = (got.long(), want) if ids else (got, want)
    if not want.dtype.is_floating_point:
        wrong = got != want
    else:
        got, want = got.double(), want.double()
        size = largest(want, *case.inputs.values()) if case.terms > 1 else 0
        near = (got - want).abs() <= 16 * case.eps * (want.abs() + size * case.terms**0.5)
        wrong = ~(near | (got == want) | (got.isnan() & want.isnan()))
    if not wrong.any():
        return ""
    i = wrong.flatten().nonzero()[0].item()
    return "%d of %d elements, [%d] is %r, want %r" % (wrong.sum(), wrong.numel(), i, got.flatten()[i].item(), want.flatten()[i].item())


def largest(*tensors):
    """The largest magnitude of all elements that are finite."""
    return max(x.detach().double().abs().nan_to_num(0, 0, 0).max().item() if x.numel() and not x.is_complex() else 0 for x in tensors)


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--count", type=int, default=500)
    args.add_argument("--device", default="cpu")
    args.add_argument("--gradients", action="store_true")
    args = args.parse_args()
    warnings.simplefilter("ignore")
    torch.manual_seed(args.seed)
    source = random.Random(args.seed)
    cases = [make(i, source, args.gradients) for i in range(args.count)]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["go", "build", "-o", folder + "/gorocm", "./cmd/gorocm"], cwd=HERE + "/../..", check=True)
        results, errors = run(cases, args.device, folder)
    found = 0
    for case in cases:
        number = str(case.number)
        what = errors[number] if number in errors else difference(case, results[number])
        if what:
            found += 1
            print("%s: %s\n    %s" % (case.operation.__name__, what, case.go))
    print("%d operations on %s, PyTorch %s: %d differ" % (len(cases), args.device, torch.__version__, found))
    sys.exit(found > 0)


if __name__ == "__main__":
    main()
