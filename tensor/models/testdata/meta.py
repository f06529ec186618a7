"""Writes small Llamas of random weights as Meta distributes them, and what transformers computes with the same weights, into the folder meta beside this file.

    pip install torch transformers==4.57.3 tiktoken sentencepiece && python3 meta.py
"""
import base64
import io
import json
import os
import shutil

import sentencepiece
import tiktoken
import torch
import transformers

here = os.path.dirname(os.path.abspath(__file__)) + "/meta"
shutil.rmtree(here, ignore_errors=True)
corpus = ["The cat sat on the mat and looked at the moon.", "A cat and a dog went to the park; the dog's ball rolled away!", "It's 1234 o'clock, they'd say, and 56789 stars shine."] * 3
texts = ["The cat sat on the mat", "", " the  cat's\n\n moon 12345 é猫🙂", "<|eot_id|>a</s>"]
pattern = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def llama3():
    """Ranks of bytes and of a few merges; what tiktoken makes of texts."""
    ranks = {bytes([b]): b for b in range(256)}
    for token in ["th", "the", " the", " c", "at", "cat", " cat", " s", " sat", "an", "on", " on", "'s", "oo", "moon", "\n\n", "12", "123", "45", "é"]:
        ranks.setdefault(token.encode(), len(ranks))
    names = ["<|begin_of_text|>", "<|end_of_text|>", None, None, "<|finetune_right_pad_id|>", None, "<|start_header_id|>", "<|end_header_id|>", "<|eom_id|>", "<|eot_id|>", "<|python_tag|>"] + [None] * 245
    n = iter(range(256))
    special = {name or f"<|reserved_special_token_{next(n)}|>": len(ranks) + i for i, name in enumerate(names)}
    e = tiktoken.Encoding("llama3", pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)
    lines = "".join(f"{base64.b64encode(t).decode()} {i}\n" for t, i in ranks.items())
    bos = special["<|begin_of_text|>"]
    return lines.encode(), e.n_vocab, [[bos] + e.encode(t, allowed_special="all") for t in texts]


def llama2():
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(corpus), model_writer=out, model_type="bpe", vocab_size=360, hard_vocab_limit=False, byte_fallback=True, normalization_rule_name="identity", remove_extra_whitespaces=False, minloglevel=2)
    s = sentencepiece.SentencePieceProcessor(model_proto=out.getvalue())
    return out.getvalue(), s.vocab_size(), [[s.bos_id()] + s.encode(t) for t in texts]


def write(name, tokenizer, shards, split, params, config):
    model, vocab, ids = tokenizer
    torch.manual_seed(7)
    c = transformers.LlamaConfig(hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4, vocab_size=vocab, max_position_embeddings=64, **config)
    m = transformers.LlamaForCausalLM(c).eval()
    for p in m.parameters():
        p.data = torch.randn_like(p) * 0.3 + (1.0 if p.dim() == 1 else 0.0)
    w = {}
    sd = m.state_dict()

    def meta(x, heads):  # the pairs of the rotary embedding are neighbours in Meta's files, and halves in transformers
        return x.view(heads, 2, x.shape[0] // heads // 2, x.shape[1]).transpose(1, 2).reshape(x.shape)

    w["tok_embeddings.weight"], w["norm.weight"], w["output.weight"] = sd["model.embed_tokens.weight"], sd["model.norm.weight"], sd["lm_head.weight"]
    for i in range(2):
        a, b = f"model.layers.{i}.", f"layers.{i}."
        w[b + "attention.wq.weight"] = meta(sd[a + "self_attn.q_proj.weight"], 4)
        w[b + "attention.wk.weight"] = meta(sd[a + "self_attn.k_proj.weight"], c.num_key_value_heads)
        for x, y in [("attention.wv", "self_attn.v_proj"), ("attention.wo", "self_attn.o_proj"), ("feed_forward.w1", "mlp.gate_proj"), ("feed_forward.w2", "mlp.down_proj"), ("feed_forward.w3", "mlp.up_proj"),
                     ("attention_norm", "input_layernorm"), ("ffn_norm", "post_attention_layernorm")]:
            w[f"{b}{x}.weight"] = sd[f"{a}{y}.weight"]
    os.makedirs(f"{here}/{name}")
    for k in range(shards):
        part = {}
        for n, x in w.items():
            along = 1 if n.endswith(("wo.weight", "w2.weight")) or n.startswith("tok_") and split == 1 else 0
            part[n] = x.clone() if x.dim() == 1 else x.chunk(shards, along)[k].contiguous().clone()
        part["rope.freqs"] = torch.ones(2)
        torch.save(part, f"{here}/{name}/consolidated.{k:02}.pth")
    with open(f"{here}/{name}/tokenizer.model", "wb") as f:
        f.write(model)
    with open(f"{here}/{name}/params.json", "w") as f:
        json.dump(params, f)
    read = [x for x in ids[0] + ids[2]][:24]
    with torch.no_grad():
        logits = m(torch.tensor([read])).logits[0]
    with open(f"{here}/{name}/golden.json", "w") as f:
        json.dump({"texts": [{"text": t, "ids": i} for t, i in zip(texts, ids)], "ids": read, "logits": [[round(float(x), 5) for x in row[:40]] for row in logits]}, f)
    print(name, vocab, logits.abs().max().item())


sizes = dict(dim=16, n_layers=2, n_heads=4, multiple_of=8)
scaling = dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=8192)
write("llama2", llama2(), 2, 1, dict(**sizes, vocab_size=-1, norm_eps=1e-5), dict(rms_norm_eps=1e-5, num_key_value_heads=4))
write("llama3", llama3(), 2, 0, dict(**sizes, n_kv_heads=2, vocab_size=532, norm_eps=1e-5, rope_theta=500000.0, use_scaled_rope=True, ffn_dim_multiplier=1.3), dict(rms_norm_eps=1e-5, num_key_value_heads=2, rope_theta=500000.0, rope_scaling=scaling))
