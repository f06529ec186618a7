"""Writes small models of images, of random weights, as Hugging Face's transformers save them, the images that they read, and what transformers computes of those, into folders beside this file.

    pip install torch torchvision pillow transformers && python3 golden.py [NAME]...

Pixels are those of the image processors on Pillow; golden.safetensors of a model has them, the rows or channels after the last layer, vectors, and logits.
"""
import os
import shutil
import sys

import numpy as np
import torch
import transformers
from PIL import Image
from safetensors.torch import save_file

here = os.path.dirname(os.path.abspath(__file__))


def images():
    """Three pictures: wide in colours, high with opacity, and small in grey."""
    r = np.random.default_rng(3)
    out = {}
    for name, h, w, c in (("wide", 37, 52, 3), ("high", 61, 40, 4), ("small", 13, 11, 1)):
        y, x = np.mgrid[0:h, 0:w]
        planes = [127 + 90 * np.sin(x / (3 + 2 * k) + y / (7 - k)) + 40 * ((x // 6 + y // 5 + k) % 2) + r.integers(-20, 20, (h, w)) for k in range(c)]
        a = np.clip(np.stack(planes, -1), 0, 255).astype(np.uint8)
        out[name] = Image.fromarray(a[..., 0] if c == 1 else a)
    return out


pictures = images()
if not sys.argv[1:]:
    for name, image in pictures.items():
        image.save(f"{here}/{name}.png", optimize=True)
    resized = {}
    for name, image in pictures.items():
        for f in range(6):
            for h, w in ((16, 16), (20, 90), (70, 9), (image.height, 30)):
                a = np.array(image.resize((w, h), resample=f))
                resized[f"{name}_{f}_{h}_{w}"] = torch.tensor(a if a.ndim == 3 else a[..., None]).permute(2, 0, 1).contiguous()
    save_file(resized, f"{here}/resized.safetensors")

labels = {0: "cat", 1: "dog", 2: "a thing, of any kind"}
of_labels = dict(id2label=labels, label2id={v: k for k, v in labels.items()})
small = dict(hidden_size=16, num_hidden_layers=2, num_attention_heads=4, image_size=16, patch_size=4, attn_implementation="eager")
both = dict(hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4)
MODELS = [
    ("vit", "ViTForImageClassification", dict(**small, **of_labels, intermediate_size=24), "ViT", dict(size={"height": 16, "width": 16})),
    ("vitbase", "ViTModel", dict(**small, intermediate_size=24, qkv_bias=False, hidden_act="gelu_pytorch_tanh"), "ViT", dict(size={"height": 24, "width": 16}, resample=3)),
    ("dinov2", "Dinov2Model", small, "Bit", dict(size={"shortest_edge": 28}, crop_size={"height": 24, "width": 24}, image_mean=[0.485, 0.456, 0.406], image_std=[0.229, 0.224, 0.225])),
    ("dinov2gated", "Dinov2ForImageClassification", dict(**small, **of_labels, use_swiglu_ffn=True), "DeiT", dict(size={"height": 18, "width": 18}, crop_size={"height": 16, "width": 16})),
    ("dinov2registers", "Dinov2WithRegistersForImageClassification", dict(**small, **of_labels, num_register_tokens=3), "Bit", dict(size={"shortest_edge": 14}, crop_size={"height": 12, "width": 12})),
    ("resnet", "ResNetForImageClassification", dict(embedding_size=8, hidden_sizes=[8, 16, 24], depths=[1, 2, 1], layer_type="basic", **of_labels), "ConvNext", dict(size={"shortest_edge": 32}, crop_pct=0.875)),
    ("resnet50", "ResNetForImageClassification", dict(embedding_size=8, hidden_sizes=[16, 32], depths=[2, 1], downsample_in_first_stage=True, downsample_in_bottleneck=True, **of_labels), "ConvNext", dict(size={"shortest_edge": 32}, crop_pct=0.9)),
    ("resnetbase", "ResNetModel", dict(embedding_size=4, hidden_sizes=[8, 16], depths=[1, 1]), "ConvNext", dict(size={"shortest_edge": 32})),
    ("convnext", "ConvNextForImageClassification", dict(hidden_sizes=[8, 12, 16], depths=[1, 2, 1], num_stages=3, **of_labels), "ConvNext", dict(size={"shortest_edge": 384}, crop_pct=0.875)),
    ("convnextbase", "ConvNextModel", dict(hidden_sizes=[8, 16], depths=[1, 1], num_stages=2, layer_scale_init_value=0.0), "ConvNext", dict(size={"shortest_edge": 32}, crop_pct=0.875)),
]


def processor(kind, options):
    return getattr(transformers, kind + "ImageProcessorPil")(**options)


def randomize(m):
    torch.manual_seed(11)
    for name, p in m.named_parameters():
        norm = "norm" in name and name.endswith("weight")
        p.data = torch.randn_like(p) * (0.1 if p.dim() == 4 else 0.3) + (1.0 if norm or "lambda" in name or "scale_parameter" in name else 0.0)
    for name, b in m.named_buffers():
        if name.endswith("running_mean"):
            b.data = torch.randn_like(b) * 0.3
        if name.endswith("running_var"):
            b.data = torch.rand_like(b) + 0.5
    return m.eval()


for name, kind, config, preparing, options in MODELS:
    if sys.argv[1:] and name not in sys.argv[1:]:
        continue
    cls = getattr(transformers, kind)
    m = randomize(cls(cls.config_class(**config)))
    folder = f"{here}/{name}"
    shutil.rmtree(folder, ignore_errors=True)
    m.save_pretrained(folder)
    prepare = processor(preparing, options)
    prepare.save_pretrained(folder)
    rgb = [p.convert("RGB") for p in pictures.values()]
    pixels = torch.tensor(np.stack(prepare(rgb, return_tensors="np")["pixel_values"]))
    fast = getattr(transformers, preparing + "ImageProcessor")(**options)(rgb, return_tensors="pt")["pixel_values"]
    if preparing == "ConvNext" and options["size"]["shortest_edge"] == 384:  # which is large
        pixels, fast = pixels[:1], fast[:1]
    with torch.no_grad():
        base = getattr(m, m.base_model_prefix) if "For" in kind else m
        more = dict(interpolate_pos_encoding=True) if kind == "ViTModel" else {}
        out = base(pixels, **more)
        hidden = out.last_hidden_state
        pooled = hidden[:, 0] if hidden.dim() == 3 else out.pooler_output.flatten(1)
        golden = {"pixels": pixels, "hidden": hidden, "features": pooled}
        if "For" in kind:
            golden["logits"] = m(pixels).logits
    if preparing == "ConvNext" and options["size"]["shortest_edge"] == 384:
        golden["pixels"], golden["hidden"] = pixels[:, :, ::16, ::16], hidden[:, :, ::8, ::8]
    save_file({k: v.float().contiguous() for k, v in golden.items()}, f"{folder}/golden.safetensors")
    std = torch.tensor(prepare.image_std).view(1, 3, 1, 1)
    print(name, tuple(pixels.shape), "torchvision's pixels differ by", ((pixels - fast).abs() * std).max().item() * 255, "of 255; logits", golden.get("logits"))


def clip_tokenizer():
    """Letters, with and without the end of a word, and some merges, as CLIP's."""
    letters = "abcdefghijklmnopqrstuvwxyz.,!?'0123456789"
    merges = [("c", "a"), ("ca", "t</w>"), ("d", "o"), ("do", "g</w>"), ("p", "h"), ("ph", "o"), ("o", "f</w>"), ("t", "h"), ("th", "e</w>")]
    tokens = list(letters) + [c + "</w>" for c in letters] + ["".join(m) for m in merges] + ["<|startoftext|>", "<|endoftext|>"]
    return transformers.CLIPTokenizer(vocab={t: i for i, t in enumerate(tokens)}, merges=merges, model_max_length=20)


def siglip_tokenizer():
    """A Unigram model of letters and some words, which ends texts with </s>, as SigLIP's."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
    pieces = [("<unk>", 0.0), ("</s>", 0.0), ("\u2581", -2.0)] + [(c, -4.0) for c in "abcdefghijklmnopqrstuvwxyz"] + [("\u2581cat", -3.0), ("\u2581dog", -3.0), ("\u2581photo", -3.5), ("\u2581of", -3.0), ("th", -5.0)]
    t = Tokenizer(models.Unigram(pieces, unk_id=0))
    t.normalizer = normalizers.Sequence([normalizers.Lowercase(), normalizers.Replace(".", ""), normalizers.Strip()])
    t.pre_tokenizer, t.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    t.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return transformers.PreTrainedTokenizerFast(tokenizer_object=t, unk_token="<unk>", pad_token="</s>", eos_token="</s>", model_max_length=16)


texts = ["a photo of a cat", "A photo of the dog.", "cat", "", "the photo of a cat, of a dog, and of all that is in this world"]
PAIRS = [
    ("clip", "CLIP", clip_tokenizer, dict(context=20, eos=None), "CLIP", dict(size={"shortest_edge": 16}, crop_size={"height": 16, "width": 16})),
    ("clipold", "CLIP", clip_tokenizer, dict(context=20, eos=2), "CLIP", dict(size={"shortest_edge": 20}, crop_size={"height": 16, "width": 16})),
    ("siglip", "Siglip", siglip_tokenizer, dict(context=16, eos=1), "Siglip", dict(size={"height": 16, "width": 16})),
]
for name, kind, tokenizer, sizes, preparing, options in PAIRS:
    if sys.argv[1:] and name not in sys.argv[1:]:
        continue
    tok = tokenizer()
    text = dict(**both, vocab_size=len(tok), max_position_embeddings=sizes["context"], eos_token_id=sizes["eos"] or tok.eos_token_id, bos_token_id=0, pad_token_id=tok.pad_token_id)
    image = dict(**both, image_size=16, patch_size=4)
    more = dict(projection_dim=12) if kind == "CLIP" else {}
    config = getattr(transformers, kind + "Config")(text_config=text, vision_config=image, **more)
    config._attn_implementation = "eager"
    m = randomize(getattr(transformers, kind + "Model")(config))
    folder = f"{here}/{name}"
    shutil.rmtree(folder, ignore_errors=True)
    m.save_pretrained(folder)
    tok.save_pretrained(folder)
    prepare = processor(preparing, options)
    prepare.save_pretrained(folder)
    rgb = [p.convert("RGB") for p in pictures.values()]
    pixels = torch.tensor(np.stack(prepare(rgb, return_tensors="np")["pixel_values"]))
    batch = tok(texts, padding="max_length", truncation=True, max_length=sizes["context"], return_tensors="pt")
    with torch.no_grad():
        out = m(pixel_values=pixels, input_ids=batch["input_ids"], **({"attention_mask": batch["attention_mask"]} if kind == "CLIP" else {}))
    golden = {"pixels": pixels, "images": out.image_embeds, "texts": out.text_embeds, "logits": out.logits_per_image, "ids": batch["input_ids"]}
    save_file({k: v.float().contiguous() for k, v in golden.items()}, f"{folder}/golden.safetensors")
    print(name, out.logits_per_image)
