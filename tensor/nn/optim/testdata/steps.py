"""Writes steps.json: what PyTorch's optimizers make of two variables in 50 steps, of which the second one has no
gradient in every third step.

    pip install torch
    python3 tensor/nn/optim/testdata/steps.py > tensor/nn/optim/testdata/steps.json
"""
import json
import math

import torch

torch.set_default_dtype(torch.float64)
O = torch.optim
cases = [
    ("nadam", {}, lambda p: O.NAdam(p)),
    ("nadam", {"LR": 0.05, "Beta1": 0.8, "Beta2": 0.9, "Eps": 1e-4, "WeightDecay": 0.1, "MomentumDecay": 0.1},
     lambda p: O.NAdam(p, lr=0.05, betas=(0.8, 0.9), eps=1e-4, weight_decay=0.1, momentum_decay=0.1)),
    ("nadam", {"LR": 0.05, "WeightDecay": 0.3, "Decoupled": True},
     lambda p: O.NAdam(p, lr=0.05, weight_decay=0.3, decoupled_weight_decay=True)),
    ("radam", {}, lambda p: O.RAdam(p)),
    ("radam", {"LR": 0.05, "Beta1": 0.8, "Beta2": 0.9, "Eps": 1e-4, "WeightDecay": 0.1},
     lambda p: O.RAdam(p, lr=0.05, betas=(0.8, 0.9), eps=1e-4, weight_decay=0.1)),
    ("radam", {"LR": 0.05, "WeightDecay": 0.3, "Decoupled": True},
     lambda p: O.RAdam(p, lr=0.05, weight_decay=0.3, decoupled_weight_decay=True)),
    ("adadelta", {}, lambda p: O.Adadelta(p)),
    ("adadelta", {"LR": 0.5, "Rho": 0.7, "Eps": 1e-3, "WeightDecay": 0.1},
     lambda p: O.Adadelta(p, lr=0.5, rho=0.7, eps=1e-3, weight_decay=0.1)),
    ("asgd", {}, lambda p: O.ASGD(p)),
    ("asgd", {"LR": 0.1, "Lambda": 0.1, "Alpha": 0.5, "T0": 12, "WeightDecay": 0.1},
     lambda p: O.ASGD(p, lr=0.1, lambd=0.1, alpha=0.5, t0=12, weight_decay=0.1)),
    ("rprop", {}, lambda p: O.Rprop(p)),
    ("rprop", {"LR": 0.1, "Down": 0.3, "Up": 1.5, "Least": 0.02, "Most": 0.3},
     lambda p: O.Rprop(p, lr=0.1, etas=(0.3, 1.5), step_sizes=(0.02, 0.3))),
]


def gradient(k, i, step):
    return math.sin(7 * k + 3 * i + step / (2 + i)) * [1, 0.01, 0, 30][(i + step) % 4]


out = []
for kind, config, make in cases:
    vars = [torch.tensor([[1.0, -2.0], [0.5, 3.0]], requires_grad=True), torch.tensor([0.25, -1, 4], requires_grad=True)]
    opt = make(vars)
    at = []
    for step in range(1, 51):
        for k, v in enumerate(vars):
            n = v.numel()
            g = torch.tensor([gradient(k, i, step) for i in range(n)]).reshape(v.shape)
            v.grad = None if k == 1 and step % 3 == 0 else g
        opt.step()
        if step in (5, 50):
            at.append([x.item() for v in vars for x in v.flatten()])
    one = {"kind": kind, "config": config, "five": at[0], "fifty": at[1]}
    if kind == "asgd":
        one["means"] = [x.item() for v in vars for x in opt.state[v]["ax"].flatten()]
    out.append(one)
print("[\n" + ",\n".join(json.dumps(c) for c in out) + "\n]")
