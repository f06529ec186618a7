"""Writes adapters of random numbers for models beside this file, as PEFT saves them, and the logits of the models with them, into the folder adapters.

    pip install torch transformers peft gguf && python3 adapters.py FOLDER_OF_LLAMA_CPP

Each folder has adapters for a model of golden.py, and logits.json. That of gguf is a file, which llama.cpp's own converter makes.
"""
import json
import os
import shutil
import subprocess
import sys

import peft
import torch
import transformers
from safetensors.torch import load_file, save_file

here = os.path.dirname(os.path.abspath(__file__))
ids = [1, 7, 23, 4, 4, 19, 0, 11, 2, 5, 16, 8]
qv = ["q_proj", "v_proj"]
every = qv + ["k_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
# name: the model, and for each adapter its config and its scale
ADAPTERS = {
    "plain": ("qwen2", [(dict(r=2, lora_alpha=6, target_modules=every), 1)]),
    "patterns": ("llama3", [(dict(r=3, lora_alpha=6, use_rslora=True, target_modules=every, rank_pattern={"q_proj": 2, r"layers\.1\.mlp\.up_proj": 1}, alpha_pattern={"q_proj": 5}), 1)]),
    "dora": ("llama3", [(dict(r=2, lora_alpha=3, use_dora=True, target_modules=every), 1)]),
    "several": ("qwen2", [(dict(r=2, lora_alpha=4, target_modules=qv), 0.5), (dict(r=3, lora_alpha=3, target_modules=["v_proj", "down_proj"]), -2), (dict(r=1, use_dora=True, target_modules=["k_proj"]), 1)]),
    "whole": ("qwen2", [(dict(r=2, lora_alpha=4, target_modules=qv, modules_to_save=["lm_head", "norm"], bias="lora_only"), 1)]),
    "tiedhead": ("llama3", [(dict(r=2, lora_alpha=4, target_modules=["q_proj", "lm_head"]), 1)]),
    "tiedtable": ("llama3", [(dict(r=2, lora_alpha=4, target_modules=["q_proj", "embed_tokens"]), 1)]),
    "tiedwhole": ("llama3", [(dict(r=2, lora_alpha=4, target_modules=["q_proj"], modules_to_save=["embed_tokens"]), 1)]),
    "gpt2": ("gpt2", [(dict(r=2, lora_alpha=4, target_modules=["c_attn", "c_proj", "c_fc"], fan_in_fan_out=True), 1)]),
    "gpt2head": ("gpt2", [(dict(r=2, lora_alpha=4, target_modules=["c_attn", "c_proj", "lm_head"]), 1)]),
    "mamba": ("mamba", [(dict(r=2, lora_alpha=4, target_modules=["in_proj", "x_proj"]), 1)]),
    "gguf": ("llama3", [(dict(r=2, lora_alpha=5, target_modules=every + ["embed_tokens"]), 1)]),
    "latent": ("deepseek3", [(dict(r=2, lora_alpha=4, target_modules=["q_a_proj", "q_b_proj", "kv_b_proj", "kv_a_proj_with_mqa", "o_proj"]), 1)]),
}


def model(name):
    return transformers.AutoModelForCausalLM.from_pretrained(f"{here}/{name}", dtype=torch.float32, attn_implementation="eager").eval()


shutil.rmtree(f"{here}/adapters", ignore_errors=True)
for name, (base, all) in ADAPTERS.items():
    folder = f"{here}/adapters/{name}"
    torch.manual_seed(3)
    for i, (config, scale) in enumerate(all):
        m = peft.get_peft_model(model(base), peft.LoraConfig(task_type="CAUSAL_LM", **config))
        for p in m.parameters():
            if p.requires_grad:
                p.data = torch.randn_like(p) * 0.3 + (1 if p.dim() == 1 and p.shape[0] == 16 else 0)
        m.save_pretrained(f"{folder}/{i}")
        os.remove(f"{folder}/{i}/README.md")
        with open(f"{folder}/{i}/adapter_config.json") as f:
            c = json.load(f)
        c["target_modules"] = sorted(c["target_modules"])
        c["base_model_name_or_path"] = base if name != "plain" else f"../../../{base}"
        with open(f"{folder}/{i}/adapter_config.json", "w") as f:
            json.dump(c, f, indent=1)
        if name == "patterns":  # as older versions write them
            torch.save(load_file(f"{folder}/{i}/adapter_model.safetensors"), f"{folder}/{i}/adapter_model.bin")
            os.remove(f"{folder}/{i}/adapter_model.safetensors")
    if name == "gguf":
        subprocess.run([sys.executable, f"{sys.argv[1]}/convert_lora_to_gguf.py", "--base", f"{here}/{base}", "--outfile", f"{folder}/0.gguf", f"{folder}/0"], check=True, capture_output=True)
    m = peft.PeftModel.from_pretrained(model(base), f"{folder}/0", adapter_name="0").eval()
    for i in range(1, len(all)):
        m.load_adapter(f"{folder}/{i}", adapter_name=f"{i}")
    m.base_model.set_adapter([f"{i}" for i in range(len(all))])
    for i, (_, scale) in enumerate(all):
        for layer in m.modules():
            if isinstance(layer, peft.tuners.lora.LoraLayer) and f"{i}" in layer.scaling:
                layer.set_scale(f"{i}", scale)
    with torch.no_grad():
        logits = m(torch.tensor([ids])).logits[0]
        plain = model(base)(torch.tensor([ids])).logits[0]
    print(name, "changes logits of", plain.abs().max().item(), "by", (logits - plain).abs().max().item())
    with open(f"{folder}/logits.json", "w") as f:
        json.dump({"base": base, "scales": [s for _, s in all], "ids": ids, "logits": [[round(float(v), 6) for v in row] for row in logits]}, f)
    if name == "gguf":
        shutil.rmtree(f"{folder}/0")
