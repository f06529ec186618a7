"""Writes lora.json and the folder lora: steps of adapters that PEFT trains beside two linear layers, and what it saves.

    pip install torch peft
    python3 tensor/nn/testdata/lora.py tensor/nn/testdata
"""
import json
import os
import shutil
import sys

import torch
import torch.nn.functional as F
from peft import LoraConfig, get_peft_model

folder = sys.argv[1]
torch.manual_seed(1)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(6, 5)
        self.last = torch.nn.Linear(5, 3)

    def forward(self, x):
        return self.last(self.first(x).tanh())


def plain(t):
    return {"shape": list(t.shape), "data": [float(v) for v in t.detach().double().flatten()]}


base = Net()
weights = {k: plain(v) for k, v in base.state_dict().items()}
model = get_peft_model(base, LoraConfig(r=2, lora_alpha=6, target_modules=["first", "last"]))
start = {k: plain(v) for k, v in model.state_dict().items() if "lora" in k}
x, y = torch.randn(8, 6), torch.randint(3, (8,))
opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=0.05)
losses = []
for _ in range(5):
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(float(loss))
out = os.path.join(folder, "lora")
shutil.rmtree(out, ignore_errors=True)
model.save_pretrained(out)
os.remove(os.path.join(out, "README.md"))
trained = model(x)
merged = model.merge_and_unload()
json.dump({"weights": weights, "start": start, "x": plain(x), "y": plain(y), "losses": losses, "output": plain(trained),
           "merged": {k: plain(v) for k, v in merged.state_dict().items()}}, open(os.path.join(folder, "lora.json"), "w"))
