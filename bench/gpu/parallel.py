#!/usr/bin/env python3
"""PyTorch's side of bench/gpu/parallel: the same steps of a GPT of 124 M parameters in bf16, alone and with
DistributedDataParallel on two GPUs.

    .ci/gpu build                                                         # makes bin/gpu/gorocm; needs Go
    export GOROCM_DEVICE=cuda
    bin/gpu/gorocm run bench/gpu/parallel/main.go
    bin/gpu/gorocm launch --nproc 2 bench/gpu/parallel/main.go
    python3 bench/gpu/parallel.py
    torchrun --nproc-per-node 2 bench/gpu/parallel.py
"""
import os, time

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F

VOCAB, CONTEXT, DIM, LAYERS, HEADS, BATCH, TIMED = 50304, 1024, 768, 12, 12, 8, 30


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(DIM), nn.LayerNorm(DIM)
        self.qkv, self.out = nn.Linear(DIM, 3 * DIM), nn.Linear(DIM, DIM)
        self.up, self.down = nn.Linear(DIM, 4 * DIM), nn.Linear(4 * DIM, DIM)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, t, 3, HEADS, d // HEADS).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(b, t, d))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(VOCAB, DIM), nn.Embedding(CONTEXT, DIM)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm, self.head = nn.LayerNorm(DIM), nn.Linear(DIM, VOCAB, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, ids, targets):
        x = self.tokens(ids) + self.positions(torch.arange(ids.shape[1], device=ids.device))
        for block in self.blocks:
            x = block(x)
        return F.cross_entropy(self.head(self.norm(x)).view(-1, VOCAB), targets.view(-1))


def main():
    rank, world = int(os.environ.get("LOCAL_RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    torch.cuda.set_device(rank)
    model = GPT().cuda().to(torch.bfloat16)
    if world > 1:
        dist.init_process_group("nccl")
        model = nn.parallel.DistributedDataParallel(model, device_ids=[rank])
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    ids = torch.randint(0, VOCAB, (BATCH, CONTEXT + 1), device="cuda")
    inputs, targets = ids[:, :-1].contiguous(), ids[:, 1:].contiguous()

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = model(inputs, targets)
        loss.backward()
        optimizer.step()
        return loss

    for _ in range(6):
        step()
    torch.cuda.synchronize()
    start = time.time()
    for _ in range(TIMED):
        loss = step()
    loss.item()
    taken = time.time() - start
    if rank == 0:
        print(f"{world} processes: {1000 * taken / TIMED:.2f} ms a step, {BATCH * CONTEXT * TIMED * world / taken:.0f} tokens/s")
    if world > 1:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
