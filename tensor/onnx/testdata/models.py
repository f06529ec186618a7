"""Writes models.zip: small models with random weights, as torch.onnx exports them, with what onnxruntime computes.

    pip install torch transformers onnx onnxruntime onnxscript && python3 models.py
"""
import os
import warnings
import zipfile

import numpy as np
import onnx
import onnxruntime
import torch
import transformers
from onnx import numpy_helper
from torch import nn

warnings.simplefilter("ignore")
here = os.path.dirname(os.path.abspath(__file__))
found = []


def export(name, model, args, dynamic, opset=17, dynamo=False, names=None, others=()):
    """others are further inputs of other sizes. dynamic names the dims of inputs that may differ."""
    torch.manual_seed(3)
    for p in model.parameters():
        p.data = torch.randn_like(p) * 0.2
    for key, b in model.named_buffers():
        if key.endswith("running_var"):
            b.data = torch.rand_like(b) + 0.5
        elif key.endswith("running_mean"):
            b.data = torch.randn_like(b) * 0.2
    model.eval()
    names = names or [f"x{i}" for i in range(len(args))]
    path = f"/tmp/{name}.onnx"
    kwargs = dict(dynamo=True, dynamic_shapes=dynamic) if dynamo else dict(dynamo=False, dynamic_axes={n: d for n, d in zip(names, dynamic) if d})
    torch.onnx.export(model, args, path, input_names=names, opset_version=opset, external_data=False, **kwargs)
    m = onnx.load(path)
    del m.metadata_props[:]
    for graph in [m.graph] + [f for f in m.functions]:
        for n in graph.node:
            n.doc_string = ""
            del n.metadata_props[:]
    del m.graph.value_info[:]
    session = onnxruntime.InferenceSession(m.SerializeToString(), providers=["CPUExecutionProvider"])
    sets = []
    for given in (args,) + tuple(others):
        given = [x.numpy() for x in given]
        out = session.run(None, dict(zip(names, given)))
        with torch.no_grad():
            want = model(*[torch.tensor(x) for x in given])
        want = list(want.values()) if isinstance(want, dict) else [want] if isinstance(want, torch.Tensor) else list(want)
        print(name, "onnxruntime is off torch by", max(float(np.abs(o - w.detach().numpy()).max()) for o, w in zip(out, want)))
        sets.append((given, out))
    found.append((name, m, sets))


class Block(nn.Module):
    def __init__(self, i, o, stride):
        super().__init__()
        self.a, self.b = nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.Conv2d(o, o, 3, 1, 1, bias=False)
        self.n, self.m = nn.BatchNorm2d(o), nn.BatchNorm2d(o)
        self.short = nn.Sequential(nn.Conv2d(i, o, 1, stride, bias=False), nn.BatchNorm2d(o)) if i != o else nn.Identity()

    def forward(self, x):
        y = torch.relu(self.n(self.a(x)))
        return torch.relu(self.m(self.b(y)) + self.short(x))


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 7, 2, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        self.blocks = nn.Sequential(Block(8, 8, 1), Block(8, 16, 2), Block(16, 24, 2))
        self.head = nn.Linear(24, 10)

    def forward(self, x):
        return self.head(torch.flatten(nn.functional.adaptive_avg_pool2d(self.blocks(self.stem(x)), 1), 1))


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(30, 8)
        self.lstm = nn.LSTM(8, 6, num_layers=2, bidirectional=True, batch_first=True)
        self.gru = nn.GRU(12, 5, batch_first=True)
        self.out = nn.Linear(5, 4)

    def forward(self, ids):
        y, _ = self.lstm(self.embed(ids))
        y, h = self.gru(y)
        return torch.log_softmax(self.out(y), -1), h


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.mid = nn.Conv2d(2, 6, 3, 2, 1), nn.Conv2d(6, 6, 3, padding=1)
        self.up, self.out = nn.ConvTranspose2d(6, 4, 2, 2), nn.Conv2d(6, 1, 1)
        self.norm = nn.GroupNorm(3, 6)

    def forward(self, x):
        y = nn.functional.silu(self.norm(self.mid(nn.functional.gelu(self.down(x)))))
        y = self.up(y)
        y = nn.functional.interpolate(y, size=x.shape[2:], mode="bilinear", align_corners=False)
        return torch.sigmoid(self.out(torch.cat([x, y], 1)))


class Writer(nn.Module):
    """Takes the likeliest token n times, in a loop of the graph."""

    def __init__(self):
        super().__init__()
        self.embed, self.cell, self.out = nn.Embedding(20, 8), nn.GRUCell(8, 8), nn.Linear(8, 20)

    def forward(self, ids, n):
        return self.loop(ids, n, self.embed.weight, self.cell.weight_ih, self.cell.weight_hh, self.out.weight)

    @staticmethod
    @torch.jit.script
    def loop(ids, n, embed, w, r, out):
        h = torch.zeros([ids.size(0), 8])
        for i in range(int(n)):
            x = embed[ids[:, -1]]
            a, b = torch.mm(x, w.t()), torch.mm(h, r.t())
            z = torch.sigmoid(a[:, :8] + b[:, :8])
            if int(i) % 2 == 0:
                h = z * h + (1 - z) * torch.tanh(a[:, 8:16] + b[:, 8:16])
            else:
                h = torch.tanh(a[:, 16:] + z * b[:, 16:])
            ids = torch.cat([ids, torch.mm(h, out.t()).argmax(1, keepdim=True)], 1)
        return ids


class Logits(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, *args):
        names = ("input_ids", "attention_mask") if args[0].dtype == torch.int64 else ("pixel_values",)
        out = self.model(**dict(zip(names, args)), return_dict=False)
        return out[0]


torch.manual_seed(1)
image = torch.randn(2, 3, 32, 32)
export("resnet", ResNet(), (image,), [{0: "batch"}], others=[(torch.randn(1, 3, 32, 32),)])
export("resnet_dynamo", ResNet(), (image,), ({0: torch.export.Dim("batch")},), opset=18, dynamo=True)
export("unet", UNet(), (torch.randn(1, 2, 12, 16),), [{0: "batch", 2: "height", 3: "width"}], opset=18, others=[(torch.randn(2, 2, 9, 11),)])
ids = torch.randint(0, 30, (2, 7))
export("tagger", Tagger(), (ids,), [{1: "length"}], others=[(torch.randint(0, 30, (2, 4)),)])
export("writer", Writer(), (torch.randint(0, 20, (2, 3)), torch.tensor(5)), [{1: "length"}, None], names=["ids", "n"], others=[(torch.randint(0, 20, (2, 4)), torch.tensor(2))])
small = dict(hidden_size=16, num_hidden_layers=2, num_attention_heads=4, intermediate_size=24)
bert = Logits(transformers.BertForSequenceClassification(transformers.BertConfig(vocab_size=40, max_position_embeddings=24, num_labels=3, attn_implementation="eager", **small)))
mask = torch.ones(2, 7, dtype=torch.int64)
mask[1, 5:] = 0
export("bert", bert, (ids, mask), [{0: "batch", 1: "length"}] * 2, names=["input_ids", "attention_mask"], others=[(ids[:1, :4], mask[:1, :4])])
vit = Logits(transformers.ViTForImageClassification(transformers.ViTConfig(image_size=16, patch_size=4, num_labels=5, attn_implementation="eager", **small)))
export("vit", vit, (torch.randn(1, 3, 16, 16),), [None], opset=20)
gpt = Logits(transformers.LlamaForCausalLM(transformers.LlamaConfig(vocab_size=40, max_position_embeddings=32, num_key_value_heads=2, attn_implementation="eager", use_cache=False, **small)))
export("llama", gpt, (ids, torch.ones_like(ids)), [{0: "batch", 1: "length"}] * 2, names=["input_ids", "attention_mask"], others=[(ids[:1, :4], torch.ones(1, 4, dtype=torch.int64))])
batch, length = torch.export.Dim("batch"), torch.export.Dim("length", min=2, max=24)
export("gpt_dynamo", Logits(transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=40, n_positions=24, n_embd=16, n_layer=2, n_head=4, use_cache=False, attn_implementation="eager"))), (ids, torch.ones_like(ids)), (({0: batch, 1: length}, {0: batch, 1: length}),), opset=21, dynamo=True, names=["input_ids", "attention_mask"])

with zipfile.ZipFile(f"{here}/models.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
    def put(name, data):
        z.writestr(zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)

    for name, m, sets in found:
        put(f"{name}/model.onnx", m.SerializeToString())
        for i, (given, out) in enumerate(sets):
            for kind, values in (("input", given), ("output", out)):
                for k, x in enumerate(values):
                    put(f"{name}/test_data_set_{i}/{kind}_{k}.pb", numpy_helper.from_array(x).SerializeToString())
