"""Writes LoRA adapters of random numbers for the pipelines beside this file, as diffusers and kohya's programs save them, and what diffusers computes with them, into the folder adapters.

    pip install torch transformers diffusers peft && python3 adapters.py

golden.safetensors has, for each adapter, or list of them, embeddings of a text and a step of the UNet.
"""
import json
import os
import shutil

import diffusers
import numpy as np
import peft
import torch
import transformers.integrations.peft
from safetensors.torch import load_file, save_file

transformers.integrations.peft.MIN_PEFT_VERSION = "0.21"  # the newest there is
here = os.path.dirname(os.path.abspath(__file__))
into = f"{here}/adapters"
shutil.rmtree(into, ignore_errors=True)
os.makedirs(into)
torch.manual_seed(2)
golden, cases = {}, []


def noise(k, shape):
    n = int(np.prod(shape))
    return torch.tensor(1.4 * np.sin(1.37 * np.arange(n) + 0.71 * k + 0.3)).float().reshape(tuple(shape))


def pipeline(name):
    if name == "sdxl":
        return diffusers.StableDiffusionXLPipeline.from_pretrained(f"{here}/{name}", add_watermarker=False)
    return diffusers.StableDiffusionPipeline.from_pretrained(f"{here}/{name}", safety_checker=None, requires_safety_checker=False)


def randomize(m, size=0.3):
    for name, p in m.named_parameters():
        if "lora_magnitude" in name:
            p.data = p.data * (1 + 0.3 * torch.randn_like(p))
        elif "lora_" in name:
            p.data = size * torch.randn_like(p)


@torch.no_grad()
def record(base, *adapters):
    p = pipeline(base)
    n = len(cases)
    for file, scale in adapters:  # one after the other: transformers 5.24 loses those before when it reads another one
        if "kohya" in file:  # whose names it does not read for text encoders
            short = lambda k: k.replace("_text_model_", "_") if k.startswith(("lora_te_", "lora_te1_")) else k
            p.load_lora_weights({short(k): v for k, v in load_file(f"{into}/{file}").items()})
        else:
            p.load_lora_weights(into, weight_name=file)
        p.fuse_lora(components=[c for c in ("unet", "text_encoder", "text_encoder_2") if hasattr(p, c)], lora_scale=scale)
        p.unload_lora_weights()
    e = p.encode_prompt("a photo of the horse", device="cpu", num_images_per_prompt=1, do_classifier_free_guidance=False)
    golden[f"text{n}"] = e[0]
    x = noise(3, (1, 4, 6, 10))
    added = dict(added_cond_kwargs=dict(text_embeds=e[2], time_ids=torch.tensor([[24.0, 40, 0, 0, 24, 40]]))) if base == "sdxl" else {}
    golden[f"unet{n}"] = p.unet(x, 481, encoder_hidden_states=e[0], **added).sample
    if base == "sdxl":
        golden[f"pooled{n}"] = e[2]
    plain = pipeline(base)
    without = plain.encode_prompt("a photo of the horse", device="cpu", num_images_per_prompt=1, do_classifier_free_guidance=False)
    print(base, adapters, "texts change by", (without[0] - e[0]).abs().max().item(), "steps by", (golden[f"unet{n}"] - plain.unet(x, 481, encoder_hidden_states=e[0], **added).sample).abs().max().item())
    cases.append(dict(base=base, adapters=[dict(path=f, scale=s) for f, s in adapters]))


attention = ["to_q", "to_k", "to_v", "to_out.0"]
text = ["q_proj", "k_proj", "v_proj", "out_proj", "fc1", "fc2"]

# what diffusers itself saves: the settings of PEFT are in a note
for file, base, settings in [("peft.safetensors", "sd15", dict(r=2, lora_alpha=5)), ("dora.safetensors", "sd15", dict(r=2, lora_alpha=3, use_dora=True)), ("xl.safetensors", "sdxl", dict(r=2, lora_alpha=4, use_rslora=True, rank_pattern={"attn2.to_k": 1}))]:
    p = pipeline(base)
    targets = attention + ["conv1", "conv_shortcut", "ff.net.0.proj", "time_emb_proj", "proj_in"]
    p.unet.add_adapter(peft.LoraConfig(target_modules=targets, **settings))
    parts = dict(unet=p.unet, text_encoder=p.text_encoder) | (dict(text_encoder_2=p.text_encoder_2) if base == "sdxl" else {})
    layers, notes = {}, {}
    for name, m in parts.items():
        if name != "unet":
            m.add_adapter(peft.LoraConfig(target_modules=text, **{k: v for k, v in settings.items() if k not in ("rank_pattern", "use_dora")}))
        randomize(m)
        layers[name] = peft.get_peft_model_state_dict(m)
        notes[name] = m.peft_config["default"].to_dict()
    names = {"text_encoder": "text_encoder_lora_layers", "text_encoder_2": "text_encoder_2_lora_layers", "unet": "unet_lora_layers"}
    more = {f"{n}_lora_adapter_metadata": v for n, v in notes.items()}
    type(p).save_lora_weights(into, weight_name=file, **{names[n]: v for n, v in layers.items()}, **more)
    record(base, (file, 1.0))

# the same without the note, in a folder, with other names, and with older ones
weights = load_file(f"{into}/peft.safetensors")
os.makedirs(f"{into}/old")
older = {}
for k, v in weights.items():
    if "unet" in k and "attn" not in k:
        continue
    k = k.replace("lora_A", "lora.down").replace("lora_B", "lora.up")
    for new, old in {"to_q": "to_q", "to_k": "to_k", "to_v": "to_v", "to_out.0": "to_out"}.items():
        k = k.replace(f".{new}.lora.", f".processor.{old}_lora.")
    for new, old in {"q_proj": "to_q", "k_proj": "to_k", "v_proj": "to_v", "out_proj": "to_out"}.items():
        k = k.replace(f".{new}.lora.", f".{old}_lora.")
    older[k.replace("fc1.lora.", "fc1.lora_linear_layer.").replace("fc2.lora.", "fc2.lora_linear_layer.")] = v
save_file(older, f"{into}/old/pytorch_lora_weights.safetensors")
record("sd15", ("old/pytorch_lora_weights.safetensors", 1.0))
cases[-1]["adapters"][0]["path"] = "old"


def kohya(layers, prefixes, alpha):
    """Names of kohya's for layers, by their part."""
    named = {}
    for (part, layer), (a, b) in layers.items():
        if part != "unet":
            layer = "text_model." + layer.removeprefix("text_model.")
        name = prefixes[part] + layer.replace(".", "_")
        named[f"{name}.lora_down.weight"], named[f"{name}.lora_up.weight"], named[f"{name}.alpha"] = a, b, torch.tensor(float(alpha))
    return named


def pairs(file):
    layers = {}
    for k, v in load_file(f"{into}/{file}").items():
        part, rest = k.split(".", 1)
        layer, what = rest.split(".lora_")
        layers.setdefault((part, layer), [None, None])["AB".index(what[0])] = v
    return layers


save_file(kohya(pairs("peft.safetensors"), {"unet": "lora_unet_", "text_encoder": "lora_te_"}, 3), f"{into}/kohya.safetensors")
record("sd15", ("kohya.safetensors", 0.7))
record("sd15", ("kohya.safetensors", -0.5), ("peft.safetensors", 0.8))


def released(layer, n=1):
    """The name of a layer of SDXL's UNet as it was released."""
    w = layer.split(".")
    inner = {"conv1": "in_layers.2", "conv2": "out_layers.3", "time_emb_proj": "emb_layers.1", "conv_shortcut": "skip_connection"}
    rest = ".".join(inner.get(x, x) for x in w[4:]) if w[0] != "mid_block" else ".".join(inner.get(x, x) for x in w[3:])
    if w[0] == "mid_block":
        at = {"resnets": 2 * int(w[2]), "attentions": 1}[w[1]]
        return f"middle_block.{at}.{rest}"
    kind = {"resnets": 0, "attentions": 1}[w[2]]
    if w[0] == "down_blocks":
        return f"input_blocks.{int(w[1]) * (n + 1) + int(w[3]) + 1}.{kind}.{rest}"
    return f"output_blocks.{int(w[1]) * (n + 1) + int(w[3])}.{kind}.{rest}"


layers = {(part, released(layer) if part == "unet" else layer): ab for (part, layer), ab in pairs("xl.safetensors").items()}
save_file(kohya(layers, {"unet": "lora_unet_", "text_encoder": "lora_te1_", "text_encoder_2": "lora_te2_"}, 2), f"{into}/kohya_xl.safetensors")
record("sdxl", ("kohya_xl.safetensors", 1.0))

save_file({k: v.float().contiguous() for k, v in golden.items()}, f"{into}/golden.safetensors")
with open(f"{into}/golden.json", "w") as f:
    json.dump(cases, f, indent=1)
