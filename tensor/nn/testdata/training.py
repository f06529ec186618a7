"""Writes training.json: the steps of PyTorch's optimizers and those of lion-pytorch, learning rates of schedules, and
losses with their gradients.

    pip install torch lion-pytorch
    python3 tensor/nn/testdata/training.py > tensor/nn/testdata/training.json
"""
import json
import math

import torch
import torch.nn.functional as F
from lion_pytorch import Lion

torch.manual_seed(1)
torch.set_default_dtype(torch.float64)


def plain(t):
    t = t.detach()
    return {"shape": list(t.shape), "data": [float(v) for v in t.double().flatten()]}


def rounded(*shape):
    return (torch.randn(*shape) * 1000).round() / 1000


# Optimizers: two variables, a matrix and a vector, whose gradients are given, for six steps.
first, second = rounded(4, 3), rounded(3)
gradients = [(rounded(4, 3), rounded(3)) for _ in range(6)]
optimizers = []


def optimizer(name, make, kind, config, only_matrices=False):
    w, b = (t.clone().requires_grad_() for t in (first, second))
    opt = make([w] if only_matrices else [w, b])
    for gw, gb in gradients:
        w.grad, b.grad = gw.clone(), gb.clone()
        opt.step()
    optimizers.append({"name": name, "kind": kind, "config": config, "matrix": plain(w),
                       "vector": None if only_matrices else plain(b)})


O = torch.optim
optimizer("adam", lambda p: O.Adam(p, lr=0.1), "adam", {"LR": 0.1})
optimizer("adam, decay, amsgrad", lambda p: O.Adam(p, lr=0.1, betas=(0.5, 0.6), eps=1e-3, weight_decay=0.2, amsgrad=True), "adam",
          {"LR": 0.1, "Beta1": 0.5, "Beta2": 0.6, "Eps": 1e-3, "WeightDecay": 0.2, "AMSGrad": True})
optimizer("adamw", lambda p: O.AdamW(p, lr=0.1), "adamw", {"LR": 0.1})
optimizer("adamw, amsgrad", lambda p: O.AdamW(p, lr=0.1, betas=(0.5, 0.6), weight_decay=0.3, amsgrad=True), "adamw",
          {"LR": 0.1, "Beta1": 0.5, "Beta2": 0.6, "WeightDecay": 0.3, "AMSGrad": True})
optimizer("lion", lambda p: Lion(p, lr=0.1), "lion", {"LR": 0.1})
optimizer("lion, decay", lambda p: Lion(p, lr=0.02, betas=(0.8, 0.7), weight_decay=0.5), "lion",
          {"LR": 0.02, "Beta1": 0.8, "Beta2": 0.7, "WeightDecay": 0.5})
optimizer("sgd", lambda p: O.SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1), "sgd",
          {"LR": 0.1, "Momentum": 0.9, "Nesterov": True, "WeightDecay": 0.1})
optimizer("rmsprop", lambda p: O.RMSprop(p, lr=0.05, momentum=0.5, centered=True, weight_decay=0.1), "rmsprop",
          {"LR": 0.05, "Momentum": 0.5, "Centered": True, "WeightDecay": 0.1})
optimizer("adagrad", lambda p: O.Adagrad(p, lr=0.2, lr_decay=0.1, weight_decay=0.1, initial_accumulator_value=0.3), "adagrad",
          {"LR": 0.2, "LRDecay": 0.1, "WeightDecay": 0.1, "Initial": 0.3})
optimizer("adafactor", lambda p: O.Adafactor(p), "adafactor", {})
optimizer("adafactor, decay", lambda p: O.Adafactor(p, lr=0.3, beta2_decay=-0.5, eps=(1e-2, 0.1), d=1.5, weight_decay=0.2), "adafactor",
          {"LR": 0.3, "Decay": -0.5, "Eps1": 1e-2, "Eps2": 0.1, "Clip": 1.5, "WeightDecay": 0.2})

# Muon iterates in bfloat16; to compare digits, it does here in float64.
to = torch.Tensor.to
torch.Tensor.to = lambda self, *a, **k: self.clone() if k.get("dtype") == torch.bfloat16 else to(self, *a, **k)
optimizer("muon", lambda p: O.Muon(p), "muon", {}, only_matrices=True)
optimizer("muon, matched", lambda p: O.Muon(p, lr=0.1, weight_decay=0.2, momentum=0.8, nesterov=False, ns_steps=3, adjust_lr_fn="match_rms_adamw"),
          "muon", {"LR": 0.1, "WeightDecay": 0.2, "Momentum": 0.8, "Nesterov": False, "Iterations": 3, "MatchAdamW": True}, only_matrices=True)
torch.Tensor.to = to

# Schedules: the learning rates of thirty steps, for a first one of 0.5.
S = torch.optim.lr_scheduler
schedules = []


def schedule(name, make):
    opt = O.SGD([torch.zeros(1, requires_grad=True)], lr=0.5)
    s = make(opt)
    rates = []
    for _ in range(30):
        rates.append(opt.param_groups[0]["lr"])
        opt.step()
        s.step()
    schedules.append({"name": name, "rates": rates})


schedule("constant", lambda o: S.ConstantLR(o, factor=1))
schedule("step", lambda o: S.StepLR(o, 7, gamma=0.3))
schedule("multi-step", lambda o: S.MultiStepLR(o, [4, 11, 12], gamma=0.3))
schedule("exponential", lambda o: S.ExponentialLR(o, 0.9))
schedule("cosine", lambda o: S.LambdaLR(o, lambda i: (0.01 + 0.49 * (1 + math.cos(math.pi * min(i, 20) / 20)) / 2) / 0.5))
schedule("cosine restarts", lambda o: S.CosineAnnealingWarmRestarts(o, 5, T_mult=2, eta_min=0.01))
schedule("linear", lambda o: S.LinearLR(o, start_factor=0.25, end_factor=1, total_iters=8))
schedule("polynomial", lambda o: S.PolynomialLR(o, total_iters=12, power=2))
schedule("one cycle", lambda o: S.OneCycleLR(o, max_lr=0.5, total_steps=31))
schedule("sequence", lambda o: S.SequentialLR(
    o, [S.ConstantLR(o, factor=0.1, total_iters=100), S.ExponentialLR(o, 0.8), S.StepLR(o, 5, gamma=0.5)], milestones=[4, 15]))

# Losses: the value, and the gradients of the first operands, for each reduction.
losses = []


def loss(name, f, operands, config=None, grads=1):
    for reduction in ("mean", "sum", "none"):
        xs = [t.clone().requires_grad_(i < grads and t.is_floating_point()) for i, t in enumerate(operands)]
        y = f(*xs, reduction=reduction)
        (y * torch.arange(1, y.numel() + 1).reshape(y.shape)).sum().backward()
        losses.append({"name": name, "reduction": reduction, "config": config or {}, "operands": [plain(t) for t in operands],
                       "value": plain(y), "gradients": [plain(x.grad) for x in xs[:grads]]})


x, y = rounded(4, 5), rounded(4, 5)
classes = torch.tensor([1, 0, 4, 2])
weights = rounded(5).abs() + 0.1
signs = torch.tensor([1.0, -1.0, -1.0, 1.0])
several = (rounded(4, 5) > 0).double()
loss("l1", F.l1_loss, [x, y], grads=2)
loss("mse", F.mse_loss, [x, y], grads=2)
loss("huber", lambda *a, **k: F.huber_loss(*a, delta=0.7, **k), [x, y], {"delta": 0.7}, grads=2)
loss("smooth l1", lambda *a, **k: F.smooth_l1_loss(*a, beta=0.7, **k), [x, y], {"beta": 0.7}, grads=2)
loss("smooth l1", lambda *a, **k: F.smooth_l1_loss(*a, beta=0, **k), [x, y], {"beta": 0}, grads=2)
loss("nll", F.nll_loss, [x.log_softmax(1), classes])
loss("nll", lambda *a, **k: F.nll_loss(*a, weight=weights, ignore_index=4, **k), [x.log_softmax(1), classes],
     {"weights": plain(weights), "ignore": 4})
loss("bce", F.binary_cross_entropy, [x.sigmoid(), y.sigmoid()])
loss("bce with logits", F.binary_cross_entropy_with_logits, [x, y.sigmoid()])
loss("bce with logits", lambda *a, **k: F.binary_cross_entropy_with_logits(*a, weight=weights, pos_weight=weights.flip(0), **k),
     [x, y.sigmoid()], {"weights": plain(weights), "positive": plain(weights.flip(0))})
loss("kl", F.kl_div, [x.log_softmax(1), y.softmax(1)])
loss("kl", lambda *a, **k: F.kl_div(*a, log_target=True, **k), [x.log_softmax(1), y.log_softmax(1)], {"log": True})
loss("kl", lambda a, b, reduction: F.kl_div(a, b, reduction="batchmean" if reduction == "mean" else reduction),
     [x.log_softmax(1), y.softmax(1)], {"batch": True})
loss("hinge embedding", lambda *a, **k: F.hinge_embedding_loss(*a, margin=0.8, **k), [rounded(4), signs], {"margin": 0.8})
loss("margin ranking", lambda *a, **k: F.margin_ranking_loss(*a, margin=0.3, **k), [rounded(4), rounded(4), signs], {"margin": 0.3}, grads=2)
loss("soft margin", F.soft_margin_loss, [rounded(4), signs])
loss("multi margin", F.multi_margin_loss, [x, classes], {"p": 1, "margin": 1})
loss("multi margin", lambda *a, **k: F.multi_margin_loss(*a, p=2, margin=0.6, weight=weights, **k), [x, classes],
     {"p": 2, "margin": 0.6, "weights": plain(weights)})
loss("multi-label soft margin", F.multilabel_soft_margin_loss, [x, several])
loss("multi-label soft margin", lambda *a, **k: F.multilabel_soft_margin_loss(*a, weight=weights, **k), [x, several], {"weights": plain(weights)})
loss("triplet", lambda *a, **k: F.triplet_margin_loss(*a, **k), [rounded(4, 5), rounded(4, 5), rounded(4, 5)], {"margin": 1, "p": 2}, grads=3)
loss("triplet", lambda *a, **k: F.triplet_margin_loss(*a, margin=2, p=3, swap=True, **k), [rounded(4, 5), rounded(4, 5), rounded(4, 5)],
     {"margin": 2, "p": 3, "swap": True}, grads=3)
loss("cosine embedding", lambda *a, **k: F.cosine_embedding_loss(*a, margin=0.1, **k), [rounded(4, 5), rounded(4, 5), signs], {"margin": 0.1}, grads=2)
loss("poisson nll", F.poisson_nll_loss, [x, y.abs() * 4], {"log": True})
loss("poisson nll", lambda *a, **k: F.poisson_nll_loss(*a, log_input=False, full=True, **k), [x.abs(), (y.abs() * 4).round()], {"full": True})
loss("gaussian nll", lambda *a, **k: F.gaussian_nll_loss(*a, **k), [x, y, rounded(4, 5).abs() + 0.1], grads=3)
loss("gaussian nll", lambda *a, **k: F.gaussian_nll_loss(*a, full=True, **k), [x, y, rounded(4, 1).abs() + 0.1], {"full": True}, grads=3)

print(json.dumps({"optimizers": {"matrix": plain(first), "vector": plain(second), "gradients": [[plain(a), plain(b)] for a, b in gradients],
                                 "runs": optimizers}, "schedules": schedules, "losses": losses}))
