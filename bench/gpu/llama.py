#!/usr/bin/env python3
"""Times a decoder with the sizes of Llama 3.2 1B and random weights, one token after the other, of one text and of several at once, in gorocm and in PyTorch, eager and compiled, in one run on one GPU.

    .ci/gpu build                      # makes bin/gpu/llama; needs Go
    python3 bench/gpu/llama.py         # needs a GPU and PyTorch, no Go

PyTorch's side is the plain decoder of its own examples: a fixed cache for keys and values that is as long as the text will be, a step for one token whose place is
a tensor, scaled_dot_product_attention with a mask, and torch.compile(mode="reduce-overhead"), which replays the step as a CUDA graph. On both sides the
likeliest token is chosen on the GPU and comes to the host, as it must to be shown. Weights are F16 on both; gorocm's packed ones (Q4_K, 4.5 bits) stand beside PyTorch's F16.
"""
import argparse, json, os, statistics, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
SIZES = dict(dim=2048, hidden=8192, layers=16, heads=32, kv=8, vocab=128256)
SMALL = dict(dim=256, hidden=512, layers=2, heads=4, kv=2, vocab=1000)


def gorocm(program, device, prompt, tokens, texts, small):
    """The lines of bench/gpu/llama/main.go."""
    command = [program, "-device", device, "-prompt", str(prompt), "-tokens", str(tokens), "-texts", str(texts)] + (["-small"] if small else [])
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    for line in done.stdout.splitlines():
        r = json.loads(line)
        if r["texts"] > 1:
            yield f"gorocm {r['weights']}, {r['texts']} texts at once (models.Server)", r["tokens_per_s"], None
            continue
        graph = f"graph of {r['graph']} kernels" if r["graph"] else "launched one by one"
        yield f"gorocm {r['weights']}, {graph}", r["tokens_per_s"], r["launches"]
    if done.returncode:
        print(f"{program} ended with {done.returncode}", file=sys.stderr)


def decoder(torch, sizes, positions, device, dtype, texts):
    """A Llama whose forward takes tokens [texts n], their places [n], the same for all texts, and gives the likeliest token after the last of each text."""
    F, nn = torch.nn.functional, torch.nn
    s = type("Sizes", (), sizes)
    head = s.dim // s.heads

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.RMSNorm(s.dim, eps=1e-5), nn.RMSNorm(s.dim, eps=1e-5)
            self.qkv = nn.Linear(s.dim, (s.heads + 2 * s.kv) * head, bias=False)
            self.out = nn.Linear(s.dim, s.dim, bias=False)
            self.gate_up = nn.Linear(s.dim, 2 * s.hidden, bias=False)
            self.down = nn.Linear(s.hidden, s.dim, bias=False)
            for name in ("k", "v"):
                self.register_buffer(name, torch.zeros(texts, s.kv, positions, head))

        def forward(self, x, places, cos, sin, mask):
            n = x.shape[1]
            q, k, v = self.qkv(self.norm1(x)).view(texts, n, -1, head).transpose(1, 2).split([s.heads, s.kv, s.kv], dim=1)
            q, k = turn(q, cos, sin), turn(k, cos, sin)
            self.k.index_copy_(2, places, k)
            self.v.index_copy_(2, places, v)
            y = F.scaled_dot_product_attention(q, self.k, self.v, attn_mask=mask, enable_gqa=True)
            x = x + self.out(y.transpose(1, 2).reshape(texts, n, s.dim))
            gate, up = self.gate_up(self.norm2(x)).chunk(2, dim=-1)
            return x + self.down(F.silu(gate) * up)

    def turn(x, cos, sin):
        a, b = x.chunk(2, dim=-1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)

    class Llama(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(s.vocab, s.dim)
            self.layers = nn.ModuleList(Layer() for _ in range(s.layers))
            self.norm = nn.RMSNorm(s.dim, eps=1e-5)
            angles = torch.arange(positions)[:, None] * 500000.0 ** (-torch.arange(0, head, 2) / head)
            self.register_buffer("cos", angles.cos())
            self.register_buffer("sin", angles.sin())
            self.register_buffer("seen", torch.tril(torch.ones(positions, positions, dtype=torch.bool)))

        def forward(self, ids, places):
            x = self.embedding(ids)
            cos, sin, mask = self.cos[places], self.sin[places], self.seen[places][None, None]
            for layer in self.layers:
                x = layer(x, places, cos, sin, mask)
            return (self.norm(x[:, -1]) @ self.embedding.weight.T).argmax(-1)

    with torch.device(device):
        torch.manual_seed(1)
        m = Llama().to(dtype)
        for p in m.parameters():
            if p.dim() > 1:
                nn.init.normal_(p, 0, 0.02)
    return m.eval()


def torch_rows(prompt, tokens, texts, small, device, compiled, repeats=3):
    import torch

    torch.set_grad_enabled(False)
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    m = decoder(torch, SMALL if small else SIZES, -(-(prompt + tokens + 1) // 8) * 8, device, torch.float16 if device == "cuda" else torch.float32, texts)
    one = lambda values: torch.tensor(values, device=device)

    def text(step):
        """Reads the prompt, makes tokens, and returns how long those took."""
        last = m(one([[i] + [0] * (prompt - 1) for i in range(texts)]), torch.arange(prompt, device=device)).tolist()
        wait()
        start = time.perf_counter()
        for place in range(prompt, prompt + tokens):
            last = step(one([[id] for id in last]), one([place])).tolist()
        return time.perf_counter() - start

    def row(name, step):
        text(step)
        took = statistics.median(text(step) for _ in range(repeats))
        first = one([[0]] * texts)
        if texts > 1:
            name += f", {texts} texts at once"
        return name, texts * tokens / took, kernels(torch, lambda: step(first, one([prompt])).tolist()) if device == "cuda" else None

    yield row("PyTorch f16, eager", m)
    if compiled:
        start = time.perf_counter()
        step = torch.compile(m, mode="reduce-overhead", fullgraph=True, dynamic=False)
        for _ in range(3):
            step(one([[0]] * texts), one([prompt])).tolist()
        print(f"torch.compile: {time.perf_counter() - start:.0f} s", file=sys.stderr)
        yield row('PyTorch f16, torch.compile(mode="reduce-overhead")', step)


def kernels(torch, f):
    """How many kernels and copies a step is on the GPU, None where the profiler does not tell."""
    try:
        from torch.profiler import ProfilerActivity, profile

        with profile(activities=[ProfilerActivity.CUDA]) as p:
            f()
            torch.cuda.synchronize()
        return sum(e.count for e in p.key_averages() if e.device_type == torch.autograd.DeviceType.CUDA) or None
    except Exception as e:
        print(f"the profiler: {e}", file=sys.stderr)


def main():
    a = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    a.add_argument("--program", default=os.path.join(HERE, "..", "..", "bin", "gpu", "llama"))
    a.add_argument("--device", default="cuda", help="gorocm's: cuda, rocm")
    a.add_argument("--torch-device", default="cuda", help="PyTorch's: cuda, also on AMD; cpu to try the script")
    a.add_argument("--prompt", type=int, default=128)
    a.add_argument("--tokens", type=int, default=128)
    a.add_argument("--texts", type=int, default=32, help="texts that are generated at once, beside one")
    a.add_argument("--small", action="store_true", help="two small layers, to try the script")
    a.add_argument("--no-compile", action="store_true")
    a.add_argument("--json", help="a file for the rows")
    o = a.parse_args()
    rows = list(gorocm(o.program, o.device, o.prompt, o.tokens, o.texts, o.small))
    try:
        for texts in sorted({1, max(1, o.texts)}):
            for row in torch_rows(o.prompt, o.tokens, texts, o.small, o.torch_device, not o.no_compile):
                rows.append(row)
    except ImportError as e:
        print(e, file=sys.stderr)
    print(f"\nLlama of {'two small layers' if o.small else '1.2 billion random weights'}, {o.tokens} tokens after {o.prompt}\n")
    print("| | tokens/s | µs/token | kernels/step |\n|---|---:|---:|---:|")
    for name, rate, count in rows:
        print(f"| {name} | {rate:.0f} | {1e6 / rate:.0f} | {count if count else ''} |")
    if o.json:
        with open(o.json, "w") as f:
            json.dump([dict(name=n, tokens_per_s=r, kernels=k) for n, r, k in rows], f)


main()
