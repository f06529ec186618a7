"""Writes small models of random weights, as Hugging Face's transformers save them, and the logits that they compute, into folders beside this file.

    pip install torch transformers && python3 golden.py
"""
import json
import os

import torch
from transformers import LlamaConfig, LlamaForCausalLM, MistralConfig, MistralForCausalLM, Qwen2Config, Qwen2ForCausalLM, Qwen3Config, Qwen3ForCausalLM

here = os.path.dirname(os.path.abspath(__file__))
common = dict(hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, vocab_size=24, max_position_embeddings=64,
              attn_implementation="eager", bos_token_id=1, eos_token_id=2)
scaling = dict(rope_type="llama3", rope_theta=10000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=16)
ids = [1, 7, 23, 4, 4, 19, 0, 11, 2, 5, 16, 8]
for name, config, model in [
    ("llama3", LlamaConfig(**common, rope_parameters=scaling, tie_word_embeddings=True), LlamaForCausalLM),
    ("mistral", MistralConfig(**common, sliding_window=3, head_dim=6), MistralForCausalLM),
    ("qwen2", Qwen2Config(**common, tie_word_embeddings=False), Qwen2ForCausalLM),
    ("qwen3", Qwen3Config(**common, head_dim=8, tie_word_embeddings=True), Qwen3ForCausalLM),
]:
    torch.manual_seed(5)
    m = model(config).eval()
    for p in m.parameters():
        p.data = torch.randn_like(p) * 0.3 + (1.0 if p.dim() == 1 and p.shape[0] in (6, 8, 16) else 0.0)
    folder = f"{here}/{name}"
    m.save_pretrained(folder)
    for extra in ("generation_config.json",):
        if os.path.exists(f"{folder}/{extra}"):
            os.remove(f"{folder}/{extra}")
    with torch.no_grad():
        logits = m(torch.tensor([ids])).logits[0]
    with open(f"{folder}/logits.json", "w") as f:
        json.dump({"ids": ids, "logits": [[round(float(v), 6) for v in row] for row in logits]}, f)
