"""Writes golden.json: what PyTorch computes for layers and functions of package nn. Debian: apt-get install python3-torch.

    python3 tensor/nn/testdata/golden.py > tensor/nn/testdata/golden.json
"""
import json
import math

import torch
import torch.nn.functional as F

torch.manual_seed(1)
cases = []


def plain(t):
    return {"shape": list(t.shape), "data": [round(float(v), 7) for v in t.detach().double().flatten()]}


def rounded(*shape):
    return (torch.randn(*shape) * 1000).round() / 1000


def case(name, output, **tensors):
    cases.append({"name": name, "tensors": {k: plain(v) for k, v in tensors.items()}, "output": plain(output)})


def layer(name, module, x):
    for p in module.parameters():
        p.data = (p.data * 1000).round() / 1000
    case(name, module(x), x=x, **{k: v for k, v in module.state_dict().items() if "tracked" not in k})


x = torch.tensor([-30.0, -7, -3, -1.5, -0.25, 0, 0.25, 1, 2.75, 3, 6.5, 30])
for name, f in {
    "gelu": F.gelu, "gelu_new": lambda x: F.gelu(x, approximate="tanh"), "gelu_pytorch_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "quick_gelu": lambda x: x * torch.sigmoid(1.702 * x), "relu": F.relu, "relu2": lambda x: F.relu(x) ** 2, "relu6": F.relu6, "silu": F.silu, "swish": F.silu,
    "swiglu": lambda x: F.silu(x[:6]) * x[6:], "sigmoid": torch.sigmoid, "hard_sigmoid": F.hardsigmoid, "hard_swish": F.hardswish,
    "mish": F.mish, "elu": F.elu, "leaky_relu": F.leaky_relu, "selu": F.selu, "softplus": F.softplus, "tanh": torch.tanh,
}.items():
    case(name, f(x), x=x)

layer("Linear", torch.nn.Linear(5, 3), rounded(2, 4, 5))
layer("PRelu", torch.nn.PReLU(3), rounded(2, 3, 2))
layer("LayerNorm", torch.nn.LayerNorm(6), rounded(2, 6))
layer("GroupNorm", torch.nn.GroupNorm(2, 4), rounded(2, 4, 3))
norm = torch.nn.BatchNorm2d(3).eval()
norm.running_mean, norm.running_var = rounded(3), rounded(3).abs() + 0.5
layer("BatchNorm", norm, rounded(2, 3, 2, 2))
layer("Conv1d", torch.nn.Conv1d(4, 6, 3, padding=2, stride=2, dilation=2, groups=2), rounded(2, 4, 9))
layer("Conv2d", torch.nn.Conv2d(2, 3, 3, padding=1, stride=2), rounded(1, 2, 5, 6))
layer("ConvTranspose1d", torch.nn.ConvTranspose1d(4, 6, 3, padding=1, output_padding=1, stride=2, groups=2), rounded(2, 4, 5))
layer("ConvTranspose2d", torch.nn.ConvTranspose2d(2, 3, 3, padding=1, output_padding=1, stride=2), rounded(1, 2, 3, 4))
table = torch.nn.Embedding(7, 3)
table.weight.data = rounded(7, 3)
ids = torch.tensor([[1, 6], [0, 1]])
case("Embedding", table(ids), x=ids, weight=table.weight)
for name, rnn in {"LSTM": torch.nn.LSTM(3, 4, batch_first=True), "GRU": torch.nn.GRU(3, 4, batch_first=True)}.items():
    for p in rnn.parameters():
        p.data = (p.data * 1000).round() / 1000
    x = rounded(2, 5, 3)
    case(name, rnn(x)[0], x=x, **rnn.state_dict())
case("PixelShuffle", F.pixel_shuffle(x := rounded(1, 8, 2, 3), 2), x=x)
case("PixelUnshuffle", F.pixel_unshuffle(x := rounded(1, 2, 4, 6), 2), x=x)
case("ReplicationPad2d", F.pad(x := rounded(1, 1, 2, 3), (2, 2, 2, 2), mode="replicate"), x=x)


def attention(q, k, v, hidden=None, added=None, cap=0.0, scale=None):
    """The definition, with the keys of each group repeated for its heads."""
    k, v = (t.repeat_interleave(q.shape[1] // k.shape[1], 1) for t in (k, v))
    s = q @ k.transpose(2, 3) * (scale or 1 / math.sqrt(q.shape[-1]))
    if cap:
        s = cap * torch.tanh(s / cap)
    if added is not None:
        s = s + added
    if hidden is not None:
        s = s.masked_fill(hidden, -math.inf)
    return torch.softmax(s, -1) @ v


def causal(t, s, window=0):
    own, key = torch.arange(s - t, s)[:, None], torch.arange(s)[None]
    return (key > own) | ((key <= own - window) if window else torch.zeros(t, s, dtype=bool))


q, k, v = rounded(2, 4, 3, 8), rounded(2, 2, 5, 8), rounded(2, 2, 5, 6)
case("attention", attention(q, k, v), q=q, k=k, v=v)
case("attention causal", attention(q, k, v, causal(3, 5)), q=q, k=k, v=v)
case("attention window", attention(q, k, v, causal(3, 5, 2)), q=q, k=k, v=v)
case("attention softcap", attention(q, k, v, causal(3, 5), cap=0.5), q=q, k=k, v=v)
case("attention scale", attention(q, k, v, scale=0.3), q=q, k=k, v=v)
mask = torch.rand(2, 1, 3, 5) > 0.7
case("attention mask", attention(q, k, v, mask), q=q, k=k, v=v, mask=mask)
bias = rounded(4, 3, 5)
case("attention bias", attention(q, k, v, None, bias), q=q, k=k, v=v, mask=bias)
case("attention one query", attention(q[:, :, :1], k, v, causal(1, 5)), q=q[:, :, :1], k=k, v=v)
k, v = rounded(2, 4, 5, 8), rounded(2, 4, 5, 8)
case("attention heads", attention(q, k, v, causal(3, 5)), q=q, k=k, v=v)

print("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]")
