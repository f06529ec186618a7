"""Writes small Stable Diffusions 3 and FLUXes of random weights, as pipelines.py does, whose functions it has.

    pip install torch transformers diffusers accelerate pillow && python3 flows.py [NAME]...

golden.safetensors has the rows of texts, what a step of the transformer and each of its layers give, pictures out of the VAE, and the latents and pictures of runs.
"""
import json
import shutil
import sys

import diffusers
import numpy as np
import pipelines as made
import torch
import transformers
from PIL import Image
from pipelines import encoder, here, noise, picture, randomize, tokenizer
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

for m in (diffusers.StableDiffusion3Pipeline, diffusers.StableDiffusion3Img2ImgPipeline, diffusers.FluxPipeline, diffusers.FluxImg2ImgPipeline):
    sys.modules[m.__module__].randn_tensor = made.next_noise

TOKENS = 12  # of T5


def t5_tokenizer():
    pieces = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("\u2581", -2.0)] + [(c, -4.0) for c in "abcdefghijklmnopqrstuvwxyzH:.,!?0123456789"] + [("\u2581the", -3.0), ("\u2581horse", -3.0), ("\u2581of", -3.0)]
    t = Tokenizer(models.Unigram(pieces, unk_id=2))
    t.normalizer = normalizers.NFKC()
    t.pre_tokenizer, t.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    t.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return transformers.PreTrainedTokenizerFast(tokenizer_object=t, unk_token="<unk>", pad_token="<pad>", eos_token="</s>", model_max_length=512)


def t5(seed, width):
    return randomize(transformers.T5EncoderModel(transformers.T5Config(d_model=width, d_kv=4, d_ff=12, num_layers=2, num_heads=2, vocab_size=len(t5_tokenizer()) + 3, feed_forward_proj="gated-gelu", is_encoder_decoder=False)), seed, scale=0.8)


def vae(seed):
    return made.vae(seed, block_out_channels=(2, 4, 4), shift_factor=0.0609, scaling_factor=1.5305, use_quant_conv=False, use_post_quant_conv=False)


def sd3(seed, long=True, scheduler={}, **more):
    two = encoder(seed + 1, "gelu", transformers.CLIPTextModelWithProjection, hidden_size=12, num_attention_heads=3, projection_dim=6)
    one = encoder(seed, "quick_gelu", transformers.CLIPTextModelWithProjection)
    c = dict(sample_size=12, patch_size=2, in_channels=4, out_channels=4, num_layers=2, num_attention_heads=2, attention_head_dim=6, caption_projection_dim=12, joint_attention_dim=32, pooled_projection_dim=18, pos_embed_max_size=14)
    t = randomize(diffusers.SD3Transformer2DModel(**{**c, **more}), seed + 2, scale=0.6)
    s = diffusers.FlowMatchEulerDiscreteScheduler(**scheduler)
    return diffusers.StableDiffusion3Pipeline(transformer=t, scheduler=s, vae=vae(seed + 3), text_encoder=one, tokenizer=tokenizer(), text_encoder_2=two, tokenizer_2=tokenizer("!"), text_encoder_3=t5(seed + 4, 32) if long else None, tokenizer_3=t5_tokenizer() if long else None)


def flux(seed, scheduler={}, **more):
    c = dict(in_channels=16, num_layers=2, num_single_layers=2, attention_head_dim=6, num_attention_heads=2, joint_attention_dim=32, pooled_projection_dim=16, axes_dims_rope=(2, 2, 2))
    t = randomize(diffusers.FluxTransformer2DModel(**{**c, **more}), seed + 2, scale=0.6)
    s = diffusers.FlowMatchEulerDiscreteScheduler(**scheduler)
    return diffusers.FluxPipeline(transformer=t, scheduler=s, vae=vae(seed + 3), text_encoder=encoder(seed, "quick_gelu"), tokenizer=tokenizer(), text_encoder_2=t5(seed + 4, 32), tokenizer_2=t5_tokenizer())


text = dict(prompt="a photo of the horse", num_inference_steps=4, height=24, width=40)
changed = dict(prompt="the horse", num_inference_steps=5, kind="image", strength=0.7, height=24, width=40)
dynamic = dict(use_dynamic_shifting=True, base_shift=0.5, max_shift=1.15, base_image_seq_len=20, max_image_seq_len=100, shift=3.0)
PIPELINES = {
    "sd3": (lambda: sd3(21, scheduler=dict(shift=3.0)), [text, dict(text, negative_prompt="bad, 2 legs", guidance_scale=3.0, num_inference_steps=6), dict(text, guidance_scale=1.0), changed, dict(changed, strength=1.0, num_inference_steps=3)]),
    "sd35": (lambda: sd3(31, long=False, scheduler=dynamic, qk_norm="rms_norm", dual_attention_layers=(0,)), [text, dict(changed, strength=0.5)]),
    "flux": (lambda: flux(41, scheduler=dynamic, guidance_embeds=True), [text, dict(text, guidance_scale=6.0, num_inference_steps=7), changed]),
    "schnell": (lambda: flux(51, scheduler=dict(shift=1.0), num_layers=1, num_single_layers=1), [text, dict(changed, strength=0.5), dict(text, num_inference_steps=1)]),
}


@torch.no_grad()
def record(name):
    make, runs = PIPELINES[name]
    p = make()
    folder = f"{here}/{name}"
    shutil.rmtree(folder, ignore_errors=True)
    p.save_pretrained(folder)
    index = json.load(open(f"{folder}/model_index.json"))
    for key, v in index.items():  # as released files have it
        if v == ["transformers", "PreTrainedTokenizerFast"] or v == ["transformers", "TokenizersBackend"]:
            index[key] = ["transformers", "T5TokenizerFast"]
    json.dump(index, open(f"{folder}/model_index.json", "w"), indent=1)
    is_flux, g, out = "Flux" in type(p).__name__, {}, []
    said = []
    for i, t in enumerate(made.texts):
        more = {} if is_flux else dict(prompt_3=None, do_classifier_free_guidance=False)
        e = p.encode_prompt(t, prompt_2=None, device="cpu", num_images_per_prompt=1, max_sequence_length=TOKENS, **more)
        g[f"text{i}"], g[f"pooled{i}"] = (e[0], e[1]) if is_flux else (e[0], e[2])
    hooks = []
    for i, layer in enumerate(list(p.transformer.transformer_blocks) + list(getattr(p.transformer, "single_transformer_blocks", []))):
        def hook(_, __, o, i=i):
            g[f"layer{i}"] = o[1]
            if o[0] is not None:
                g[f"layer{i}_text"] = o[0]
        hooks.append(layer.register_forward_hook(hook))
    x = noise(3, (2, 4, 6, 10))
    o = dict(encoder_hidden_states=torch.cat([g["text0"], g["text2"]]), pooled_projections=torch.cat([g["pooled0"], g["pooled2"]]), return_dict=False)
    if is_flux:
        ids = p._prepare_latent_image_ids(2, 3, 5, "cpu", torch.float32)
        guided = torch.full([2], 4.5) if p.transformer.config.guidance_embeds else None
        y = p.transformer(p._pack_latents(x, 2, 4, 6, 10), timestep=torch.full([2], 0.481), guidance=guided, img_ids=ids, txt_ids=torch.zeros(TOKENS, 3), **o)[0]
        g["transformer"] = p._unpack_latents(y, 24, 40, 4)
    else:
        g["transformer"] = p.transformer(x, timestep=torch.full([2], 481.0), **o)[0]
    for h in hooks:
        h.remove()
    g["decoded"] = p.vae.decode(noise(5, (1, 4, 6, 10))).sample
    for i, run in enumerate(runs):
        run = dict(run, max_sequence_length=TOKENS)
        q = p
        if run.pop("kind", "text") == "image":
            kind = diffusers.FluxImg2ImgPipeline if is_flux else diffusers.StableDiffusion3Img2ImgPipeline
            q = kind(**{k: v for k, v in p.components.items() if k not in ("image_encoder", "feature_extractor")})
            run["image"] = Image.fromarray(picture(24, 40))
            run.setdefault("guidance_scale", 3.5 if is_flux else 7.0)
        made.drawn = 0
        latents = q(**run, output_type="latent").images
        g[f"latents{i}"] = q._unpack_latents(latents, 24, 40, 4) if is_flux else latents
        made.drawn = 0
        g[f"picture{i}"] = torch.tensor(np.array(q(**run).images[0])).permute(2, 0, 1)
        out.append(runs[i])
        print(name, i, runs[i], "latents", g[f"latents{i}"].abs().max().item(), "noises", made.drawn)
    save_file({k: (v if v.dtype == torch.uint8 else v.float()).contiguous() for k, v in g.items()}, f"{folder}/golden.safetensors")
    json.dump({"texts": made.texts, "tokens": TOKENS, "runs": out}, open(f"{folder}/golden.json", "w"), indent=1)


if __name__ == "__main__":
    for name in sys.argv[1:] or PIPELINES:
        record(name)
