"""Writes small Stable Diffusions of random weights, as Hugging Face's diffusers save them, and what diffusers computes with them, into folders beside this file.

    pip install torch transformers diffusers accelerate pillow && python3 pipelines.py [NAME]...

golden.safetensors of a pipeline has embeddings of texts, a step of the UNet, pictures in and out of the VAE, and the latents and pictures of the runs that golden.json lists.
Noise is a formula, so that it need not be recorded: the k-th noise of a run is noise(k, shape).
"""
import json
import math
import os
import shutil
import sys

import diffusers
import numpy as np
import torch
import transformers
from PIL import Image
from safetensors.torch import save_file

here = os.path.dirname(os.path.abspath(__file__))
drawn = 0


def noise(k, shape):
    n = int(np.prod(shape))
    return torch.tensor(1.4 * np.sin(1.37 * np.arange(n) + 0.71 * k + 0.3)).float().reshape(tuple(shape))


def next_noise(shape, *args, **kwargs):
    global drawn
    drawn += 1
    return noise(drawn - 1, shape)


for m in (diffusers.StableDiffusionPipeline, diffusers.StableDiffusionImg2ImgPipeline, diffusers.StableDiffusionInpaintPipeline, diffusers.StableDiffusionXLPipeline, diffusers.StableDiffusionXLImg2ImgPipeline,
          diffusers.StableDiffusionXLInpaintPipeline, diffusers.EulerDiscreteScheduler, diffusers.EulerAncestralDiscreteScheduler, diffusers.DPMSolverMultistepScheduler, diffusers.DDIMScheduler, diffusers.AutoencoderKL):
    sys.modules[m.__module__].randn_tensor = next_noise
diffusers.models.autoencoders.vae.randn_tensor = next_noise


def tokenizer(pad="<|endoftext|>"):
    """Letters, with and without the end of a word, and some merges, as CLIP's."""
    letters = "abcdefghijklmnopqrstuvwxyz.,!?'0123456789"
    merges = [("h", "o"), ("ho", "r"), ("s", "e</w>"), ("hor", "se</w>"), ("p", "h"), ("ph", "o"), ("o", "f</w>"), ("t", "h"), ("th", "e</w>")]
    tokens = ["!"] + list(letters.replace("!", "")) + [c + "</w>" for c in letters] + ["".join(m) for m in merges] + ["<|startoftext|>", "<|endoftext|>"]
    return transformers.CLIPTokenizer(vocab={t: i for i, t in enumerate(tokens)}, merges=merges, model_max_length=16, pad_token=pad)


def randomize(m, seed, scale=1.2):
    g = torch.Generator().manual_seed(seed)
    for name, p in m.named_parameters():
        r = torch.randn(p.shape, generator=g)
        if p.dim() > 1:
            p.data = r * (0.5 if "embedding" in name else scale / math.sqrt(p[0].numel()))
        else:
            p.data = 0.1 * r + (1.0 if "norm" in name and name.endswith("weight") else 0.0)
    return m.eval()


def encoder(seed, act, cls=transformers.CLIPTextModel, **more):
    tok = tokenizer()
    c = dict(vocab_size=len(tok), hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=2, max_position_embeddings=16, hidden_act=act, bos_token_id=tok.bos_token_id, eos_token_id=tok.eos_token_id, pad_token_id=1,
             projection_dim=12)
    return randomize(cls(transformers.CLIPTextConfig(**{**c, **more})), seed)


def unet(seed, **more):
    c = dict(sample_size=8, block_out_channels=(4, 4, 8, 8), layers_per_block=1, norm_num_groups=2, cross_attention_dim=16, attention_head_dim=2)
    # with larger weights rounding grows from step to step: steps in F32 and F64 are far apart
    return randomize(diffusers.UNet2DConditionModel(**{**c, **more}), seed, scale=0.5)


def vae(seed, **more):
    c = dict(block_out_channels=(4, 8, 8), down_block_types=("DownEncoderBlock2D",) * 3, up_block_types=("UpDecoderBlock2D",) * 3, layers_per_block=1, norm_num_groups=2, sample_size=32)
    return randomize(diffusers.AutoencoderKL(**{**c, **more}), seed)


scheduled = dict(beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear", steps_offset=1)


def sd15():
    return diffusers.StableDiffusionPipeline(vae(1), encoder(2, "quick_gelu", eos_token_id=2), tokenizer(), unet(3), diffusers.PNDMScheduler(**scheduled, skip_prk_steps=True), None, None, requires_safety_checker=False)


def sd21():
    u = unet(4, attention_head_dim=(1, 2, 4, 4), use_linear_projection=True, upcast_attention=True)
    s = diffusers.DDIMScheduler(**scheduled, prediction_type="v_prediction", clip_sample=False, set_alpha_to_one=False)
    return diffusers.StableDiffusionPipeline(vae(5), encoder(6, "gelu", pad_token_id=0), tokenizer("!"), u, s, None, None, requires_safety_checker=False)


def sdxl():
    u = unet(7, block_out_channels=(4, 4, 8), down_block_types=("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"), up_block_types=("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"),
             transformer_layers_per_block=(1, 2, 3), attention_head_dim=(1, 2, 4), use_linear_projection=True, cross_attention_dim=28, addition_embed_type="text_time", addition_time_embed_dim=4, projection_class_embeddings_input_dim=36)
    two = encoder(9, "gelu", transformers.CLIPTextModelWithProjection, hidden_size=12, num_attention_heads=3)
    s = diffusers.EulerDiscreteScheduler(**scheduled, timestep_spacing="leading")
    return diffusers.StableDiffusionXLPipeline(vae(10, scaling_factor=0.13025), encoder(8, "quick_gelu"), two, tokenizer(), tokenizer("!"), u, s, add_watermarker=False)


def inpaint():
    s = diffusers.DPMSolverMultistepScheduler(**scheduled)
    return diffusers.StableDiffusionInpaintPipeline(vae(11), encoder(12, "quick_gelu"), tokenizer(), unet(13, in_channels=9, block_out_channels=(4, 8), down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"), up_block_types=("UpBlock2D", "CrossAttnUpBlock2D")),
                                                    s, None, None, requires_safety_checker=False)


def picture(h=24, w=40):
    y, x = np.mgrid[0:h, 0:w]
    return np.stack([np.round(127 + 100 * np.sin(x / (3 + k) + y / (7 - k))) for k in range(3)], -1).astype(np.uint8)


def mask(h=24, w=40):
    m = np.zeros((h, w), np.uint8)
    m[6:18, 10:33] = 255
    return m


text = dict(prompt="a photo of the horse", num_inference_steps=4, height=24, width=40)
PIPELINES = {
    "sd15": (sd15, [text, dict(text, negative_prompt="bad, 2 legs", num_inference_steps=7, guidance_scale=3.0), dict(text, guidance_scale=1.0), dict(text, scheduler="EulerAncestralDiscreteScheduler"),
                    dict(prompt="the horse", num_inference_steps=5, kind="image", strength=0.7), dict(prompt="the horse", num_inference_steps=5, kind="inpaint", strength=0.8), dict(prompt="horse", num_inference_steps=3, kind="inpaint", strength=1.0),
                    dict(prompt="the horse", num_inference_steps=3, kind="image", strength=0.7, size=[27, 45])]),
    "sd21": (sd21, [text, dict(text, scheduler="DPMSolverMultistepScheduler", num_inference_steps=6), dict(text, scheduler="EulerDiscreteScheduler", guidance_rescale=0.7), dict(prompt="the horse", num_inference_steps=5, kind="image", strength=0.5)]),
    "sdxl": (sdxl, [text, dict(text, negative_prompt="bad, 2 legs", guidance_scale=3.0), dict(text, guidance_scale=1.0), dict(prompt="the horse", num_inference_steps=5, kind="image", strength=0.7)]),
    "inpaint": (inpaint, [dict(prompt="the horse", num_inference_steps=4, kind="inpaint", strength=1.0), dict(prompt="the horse", num_inference_steps=5, kind="inpaint", strength=0.6)]),
}
KINDS = {
    "image": {False: diffusers.StableDiffusionImg2ImgPipeline, True: diffusers.StableDiffusionXLImg2ImgPipeline},
    "inpaint": {False: diffusers.StableDiffusionInpaintPipeline, True: diffusers.StableDiffusionXLInpaintPipeline},
    "text": {False: diffusers.StableDiffusionPipeline, True: diffusers.StableDiffusionXLPipeline},
}
texts = ["a photo of the horse", "", "Horse, horse: 2 horses!  of the zoo", "the horse of the horse of the horse of the horse of the photo of a zoo"]


@torch.no_grad()
def record(name):
    global drawn
    make, runs = PIPELINES[name]
    p = make()
    folder = f"{here}/{name}"
    shutil.rmtree(folder, ignore_errors=True)
    p.save_pretrained(folder)
    if name == "sd15":  # whose files are as old as the released ones: without tokenizer.json, and with older names
        os.remove(f"{folder}/tokenizer/tokenizer.json")
        tok = json.loads(p.tokenizer.backend_tokenizer.to_str())["model"]
        json.dump(tok["vocab"], open(f"{folder}/tokenizer/vocab.json", "w"))
        with open(f"{folder}/tokenizer/merges.txt", "w") as f:
            f.write("#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in tok["merges"]))
        older = {"to_q": "query", "to_k": "key", "to_v": "value", "to_out.0": "proj_attn"}
        weights = p.vae.state_dict()
        for new, old in older.items():
            weights = {k.replace(f"attentions.0.{new}.", f"attentions.0.{old}."): v for k, v in weights.items()}
        save_file({k: v.contiguous() for k, v in weights.items()}, f"{folder}/vae/diffusion_pytorch_model.safetensors")
    more = {} if name == "sdxl" else dict(safety_checker=None, requires_safety_checker=False)
    p = type(p).from_pretrained(folder, **more)  # which distinguishes values of files from usual ones
    xl = name == "sdxl"
    out, g = [], {}
    for i, t in enumerate(texts):
        drawn = 0
        e = p.encode_prompt(t, device="cpu", num_images_per_prompt=1, do_classifier_free_guidance=False)
        g[f"text{i}"] = e[0]
        if xl:
            g[f"pooled{i}"] = e[2]
    x = noise(3, (2, p.unet.config.in_channels, 6, 10))
    e = torch.cat([g["text0"], g["text2"]])
    added = dict(added_cond_kwargs=dict(text_embeds=torch.cat([g["pooled0"], g["pooled2"]]), time_ids=torch.tensor([[24.0, 40, 0, 0, 24, 40]] * 2))) if xl else {}
    if xl:  # what the UNet adds to the time
        sizes = p.unet.add_time_proj(added["added_cond_kwargs"]["time_ids"].flatten()).reshape(2, -1)
        g["added"] = torch.cat([added["added_cond_kwargs"]["text_embeds"], sizes], 1)
    g["unet"] = p.unet(x, 481, encoder_hidden_states=e, **added).sample
    pixels = torch.tensor(picture()).permute(2, 0, 1)[None] / 127.5 - 1
    moments = p.vae.encode(pixels).latent_dist
    g["mean"], g["std"] = moments.mean, moments.std
    g["decoded"] = p.vae.decode(noise(5, (1, 4, 6, 10))).sample
    p.vae.enable_tiling()
    large = torch.tensor(picture(64, 72)).permute(2, 0, 1)[None] / 127.5 - 1
    g["tiled_mean"] = p.vae.encode(large).latent_dist.mean
    g["tiled"] = p.vae.decode(noise(5, (1, 4, 10, 17))).sample
    p.vae.disable_tiling()
    for i, run in enumerate(runs):
        run = dict(run)
        kind = run.pop("kind", "text")
        more = {k: v for k, v in p.components.items() if k not in ("image_encoder", "feature_extractor")}
        if "scheduler" in run:
            more["scheduler"] = getattr(diffusers, run.pop("scheduler")).from_config(p.scheduler.config)
        if not xl:
            more |= dict(requires_safety_checker=False, safety_checker=None, feature_extractor=None)
        else:
            more |= dict(add_watermarker=False)
        q = KINDS[kind][xl](**more)
        if kind != "text":
            run["image"] = Image.fromarray(picture(*run.pop("size", (24, 40))))
        if kind == "inpaint":
            run |= dict(mask_image=Image.fromarray(mask()), height=24, width=40)
        drawn = 0
        g[f"latents{i}"] = q(**run, output_type="latent").images
        drawn = 0
        pixels = q(**run).images[0]
        g[f"picture{i}"] = torch.tensor(np.array(pixels)).permute(2, 0, 1)
        out.append(runs[i])
        print(name, i, runs[i], "latents", g[f"latents{i}"].abs().max().item(), "noises", drawn)
    save_file({k: (v if v.dtype == torch.uint8 else v.float()).contiguous() for k, v in g.items()}, f"{folder}/golden.safetensors")
    json.dump({"texts": texts, "runs": out}, open(f"{folder}/golden.json", "w"), indent=1)


if __name__ == "__main__":
    for name in sys.argv[1:] or PIPELINES:
        record(name)
