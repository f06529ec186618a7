"""Writes small vision-language models of random weights with their processors, as Hugging Face's transformers save them, and what transformers make of conversations with images, into folders of vision_language.

    pip install torch torchvision pillow transformers num2words && python3 vision_language.py [NAME …]

The images are those of ../vision/testdata. Pixels are those of the image processors on Pillow. golden.json has the conversations with prompts, tokens and greedy replies, golden.safetensors pixels, rows of images, and logits.
"""
import json
import os
import shutil
import sys

import numpy as np
import torch
import transformers
from PIL import Image
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, processors
from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import smart_resize
from transformers.models.smolvlm.image_processing_pil_smolvlm import get_resize_output_image_size as smol_size

here = os.path.dirname(os.path.abspath(__file__))
pictures = {name: Image.open(f"{here}/../vision/testdata/{name}.png") for name in ("wide", "high", "small")}
letters = sorted(set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 \n.,:;?!'<>_-"))


def tokenizer(special, adds_bos):
    """Tokens are letters and the special ones, of which the second and the third begin and end texts."""
    t = Tokenizer(models.BPE(vocab={c: i for i, c in enumerate(special + letters)}, merges=[], unk_token=special[0]))
    t.add_special_tokens(special)
    t.decoder = decoders.Fuse()
    if adds_bos:
        t.post_processor = processors.TemplateProcessing(single=f"{special[1]} $A", special_tokens=[(special[1], 1)])
    return transformers.PreTrainedTokenizerFast(tokenizer_object=t, unk_token=special[0], bos_token=special[1], eos_token=special[2], pad_token=special[2])


smol_special = ["<unk>", "<|im_start|>", "<end_of_utterance>", "<image>", "<fake_token_around_image>", "<global-img>"] + [f"<row_{i}_col_{j}>" for i in range(1, 5) for j in range(1, 5)]
llava_special = ["<unk>", "<s>", "</s>", "<image>"]
# Texts are only read from lists of parts, as by the templates of the first models of both families.
smol_template = """{{ '<|im_start|>' }}
{%- for m in messages %}
    {{- m['role'] | capitalize }}
    {%- if m['content'][0]['type'] == 'image' %}{{ ':' }}{% else %}{{ ': ' }}{% endif %}
    {%- for part in m['content'] %}
        {%- if part['type'] == 'image' %}{{ '<image>' }}{% elif part['type'] == 'text' %}{{ part['text'] }}{% endif %}
    {%- endfor %}
    {{- '<end_of_utterance>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ 'Assistant:' }}{% endif %}"""
llava_template = """{%- for m in messages %}
    {%- if m.role == 'system' %}
        {{- m.content[0].text }}
    {%- else %}
        {{- m.role.upper() + ': ' }}
        {%- for part in m.content | selectattr('type', 'equalto', 'image') %}{{ '<image>\n' }}{% endfor %}
        {%- for part in m.content | selectattr('type', 'equalto', 'text') %}{{ part.text + ' ' }}{% endfor %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ 'ASSISTANT:' }}{% endif %}"""
# Texts may be parts or not.
both_template = """{%- for m in messages %}
    {{- m.role + ': ' }}
    {%- if m.content is string %}{{ m.content }}{% else %}
        {%- for part in m.content %}{{ '<image>' if part.type == 'image' else part.text }}{% endfor %}
    {%- endif %}
    {{- '</s>' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ 'assistant:' }}{% endif %}"""

vision = dict(hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4, image_size=16, patch_size=4)
text = dict(hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=512, bos_token_id=1, eos_token_id=2, pad_token_id=2, tie_word_embeddings=False)
smol = dict(max_image_size={"longest_edge": 16})


def smolvlm(tok):
    prepare = transformers.SmolVLMProcessor(transformers.SmolVLMImageProcessorPil(size={"longest_edge": 40}, **smol), tok, transformers.SmolVLMVideoProcessor(), image_seq_len=4, chat_template=smol_template)
    config = transformers.SmolVLMConfig(vision_config=vision, text_config=dict(model_type="llama", vocab_size=len(tok), **text), scale_factor=2, image_token_id=3, pad_token_id=2)
    return prepare, transformers.SmolVLMForConditionalGeneration(config)


def idefics3(tok):
    """Not split, with a scale factor of 4 and tied rows of words."""
    prepare = transformers.Idefics3Processor(transformers.Idefics3ImageProcessorPil(size={"longest_edge": 30}, do_image_splitting=False, **smol), tok, image_seq_len=1, chat_template=smol_template)
    config = transformers.Idefics3Config(vision_config={**vision, "hidden_act": "gelu"}, text_config={**text, "model_type": "llama", "vocab_size": len(tok), "tie_word_embeddings": True}, scale_factor=4, image_token_id=3, pad_token_id=2, tie_word_embeddings=True)
    return prepare, transformers.Idefics3ForConditionalGeneration(config)


def llava(tok):
    """CLIP without its last layer and its first row, and a Llama."""
    image = transformers.CLIPImageProcessorPil(size={"shortest_edge": 16}, crop_size={"height": 16, "width": 16})
    prepare = transformers.LlavaProcessor(image, tok, patch_size=4, vision_feature_select_strategy="default", chat_template=llava_template, num_additional_image_tokens=1)
    config = transformers.LlavaConfig(vision_config=dict(model_type="clip_vision_model", **vision), text_config=dict(model_type="llama", vocab_size=len(tok), **text), image_token_index=3)
    return prepare, transformers.LlavaForConditionalGeneration(config)


def llavasiglip(tok):
    """All rows of SigLIP's last layer but one, a projector without biases, and a Qwen 2."""
    image = transformers.SiglipImageProcessorPil(size={"height": 16, "width": 16}, do_convert_rgb=True)
    prepare = transformers.LlavaProcessor(image, tok, patch_size=4, vision_feature_select_strategy="full", chat_template=both_template, num_additional_image_tokens=0)
    config = transformers.LlavaConfig(vision_config=dict(model_type="siglip_vision_model", vision_use_head=False, **vision), text_config=dict(model_type="qwen2", vocab_size=len(tok), **text), image_token_index=3, vision_feature_select_strategy="full", vision_feature_layer=1, multimodal_projector_bias=False, projector_hidden_act="gelu_pytorch_tanh")
    return prepare, transformers.LlavaForConditionalGeneration(config)


qwen_special = ["<unk>", "<|im_start|>", "<|im_end|>", "<|image_pad|>", "<|video_pad|>", "<|vision_start|>", "<|vision_end|>"]
qwen_template = """{%- for m in messages %}
    {{- '<|im_start|>' + m.role + '\n' }}
    {%- if m.content is string %}{{ m.content }}{% else %}
        {%- for part in m.content %}{{ '<|vision_start|><|image_pad|><|vision_end|>' if part.type == 'image' else part.text }}{% endfor %}
    {%- endif %}
    {{- '<|im_end|>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"""
qwen_vision = dict(depth=3, num_heads=2, patch_size=4, spatial_merge_size=2, temporal_patch_size=2)
qwen_text = {**text, "hidden_size": 32, "rope_parameters": {"rope_type": "default", "mrope_section": [2, 1, 1], "rope_theta": 10000.0}}


def qwen_processor(tok):
    image = transformers.Qwen2VLImageProcessorPil(size={"shortest_edge": 256, "longest_edge": 1600}, patch_size=4)
    return image, transformers.Qwen2VLVideoProcessor(size={"shortest_edge": 256, "longest_edge": 1600}, patch_size=4)


def qwen2vl(tok):
    """Each patch attends to all."""
    image, video = qwen_processor(tok)
    prepare = transformers.Qwen2VLProcessor(image, tok, video, chat_template=qwen_template)
    config = transformers.Qwen2VLConfig(vision_config=dict(embed_dim=16, hidden_size=32, mlp_ratio=2, **qwen_vision), text_config=dict(vocab_size=len(tok), **qwen_text), image_token_id=3, video_token_id=4, vision_start_token_id=5, vision_end_token_id=6)
    return prepare, transformers.Qwen2VLForConditionalGeneration(config)


def qwen25vl(tok):
    """Windows of 2 × 2 rows but in the second layer, and tied rows of words."""
    image, video = qwen_processor(tok)
    prepare = transformers.Qwen2_5_VLProcessor(image, tok, video, chat_template=qwen_template)
    config = transformers.Qwen2_5_VLConfig(vision_config=dict(hidden_size=16, out_hidden_size=32, intermediate_size=24, window_size=16, fullatt_block_indexes=[1], **qwen_vision),
                                           text_config=dict(vocab_size=len(tok), **{**qwen_text, "tie_word_embeddings": True}), image_token_id=3, video_token_id=4, vision_start_token_id=5, vision_end_token_id=6, tie_word_embeddings=True)
    return prepare, transformers.Qwen2_5_VLForConditionalGeneration(config)


gemma_special = ["<unk>", "<bos>", "<eos>", "<image_soft_token>", "<start_of_image>", "<end_of_image>", "<start_of_turn>", "<end_of_turn>"]
gemma_template = """{{ bos_token }}
{%- for m in messages %}
    {{- '<start_of_turn>' + ('model' if m.role == 'assistant' else m.role) + '\n' }}
    {%- if m.content is string %}{{ m.content | trim }}{% else %}
        {%- for part in m.content %}{{ '<start_of_image>' if part.type == 'image' else part.text | trim }}{% endfor %}
    {%- endif %}
    {{- '<end_of_turn>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}"""


def gemma3vl(tok):
    """Images see themselves also backwards; windows are smaller than an image."""
    tok.image_token, tok.boi_token, tok.eoi_token = gemma_special[3:6]
    tok.image_token_id, tok.boi_token_id, tok.eoi_token_id = 3, 4, 5
    image = transformers.Gemma3ImageProcessorPil(size={"height": 24, "width": 24}, image_seq_length=9)
    prepare = transformers.Gemma3Processor(image, tok, chat_template=gemma_template, image_seq_length=9)
    config = transformers.Gemma3Config(vision_config=dict(model_type="siglip_vision_model", vision_use_head=False, **{**vision, "image_size": 24}), mm_tokens_per_image=9,
                                       text_config=dict(vocab_size=len(tok), head_dim=8, sliding_window=5, layer_types=["sliding_attention", "full_attention", "sliding_attention"], query_pre_attn_scalar=8,
                                                        **{**text, "num_hidden_layers": 3, "tie_word_embeddings": True}), image_token_index=3, boi_token_index=4, eoi_token_index=5, tie_word_embeddings=True)
    return prepare, transformers.Gemma3ForConditionalGeneration(config)


# The sizes that images of many shapes are resized to before they are split: for the longer side, and in whole tiles.
sizes, r = [], np.random.default_rng(5)
for _ in range(300):
    h, w, edge = (int(v) for v in (r.integers(1, 3000), r.integers(1, 3000), r.choice([16, 364, 384, 512])))
    longest = int(edge * r.integers(1, 5) + r.integers(0, 2) * r.integers(0, edge))
    prepare = transformers.SmolVLMImageProcessorPil()
    first = smol_size(np.broadcast_to(np.zeros(1, np.uint8), (3, h, w)), longest)
    prepare.resize = lambda image, size, resample: size
    whole = prepare.resize_for_vision_encoder(np.broadcast_to(np.zeros(1, np.uint8), (3, *first)), edge)
    sizes.append([h, w, longest, edge, *first, whole.height, whole.width])
with open(f"{here}/../vision/testdata/tiles.json", "w") as f:
    json.dump(sizes, f)
# The sizes of images of many shapes for Qwen2-VL: a multiple of pixels, and how many at least and at most.
ranges = []
for _ in range(300):
    h, w, multiple, least = (int(v) for v in (r.integers(20, 3000), r.integers(20, 3000), r.choice([8, 28, 32]), r.choice([256, 3136, 200704])))
    most = int(least * r.integers(1, 100) + r.integers(0, 1000))
    ranges.append([h, w, multiple, least, most, *smart_resize(h, w, multiple, least, most)])
with open(f"{here}/../vision/testdata/ranges.json", "w") as f:
    json.dump(ranges, f)

image, words = (lambda name: {"type": "image", "name": name}), (lambda s: {"type": "text", "text": s})
conversations = [
    [("user", [image("wide"), words("What is this?")])],
    [("system", [words("Be brief.")]), ("user", [words("First "), image("high"), words("then "), image("small"), words("?")]), ("assistant", [words("A cat")]), ("user", [words("And "), image("wide")])],
    [("user", [words("Hi")]), ("assistant", [words("yes")]), ("user", [words("why?")])],
]
for make, special, adds_bos in ((smolvlm, smol_special, False), (idefics3, smol_special, False), (llava, llava_special, True), (llavasiglip, llava_special, True), (qwen2vl, qwen_special, False), (qwen25vl, qwen_special, False), (gemma3vl, gemma_special, True)):
    name = make.__name__
    if len(sys.argv) > 1 and name not in sys.argv[1:]:
        continue
    folder = f"{here}/vision_language/{name}"
    shutil.rmtree(folder, ignore_errors=True)
    tok = tokenizer(special, adds_bos)
    torch.manual_seed(7)
    prepare, m = make(tok)
    m = m.eval()
    for n, p in m.named_parameters():
        p.data = torch.randn_like(p) * (0.1 if p.dim() == 4 else 0.3) + (1.0 if "norm" in n and n.endswith("weight") else 0.0)
    m.generation_config = transformers.GenerationConfig(bos_token_id=1, eos_token_id=2, pad_token_id=2)
    m.save_pretrained(folder)
    prepare.save_pretrained(folder)
    golden, cases = {}, []
    for i, conversation in enumerate(conversations):
        messages = [{"role": role, "content": [({**p, "image": pictures[p["name"]]} if p["type"] == "image" else p) for p in content]} for role, content in conversation]
        prompt = prepare.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
        inputs = prepare.apply_chat_template(messages, add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt")
        with torch.no_grad():
            logits = m(**inputs).logits[0]
            new = m.generate(**inputs, do_sample=False, max_new_tokens=12)[0, inputs.input_ids.shape[1]:].tolist()
            if "pixel_values" in inputs:
                pixels, grid = inputs.pixel_values, inputs.get("image_grid_thw")
                rows = m.model.get_image_features(pixels, return_dict=True, **({} if grid is None else {"image_grid_thw": grid})).pooler_output
                golden[f"rows{i}"] = torch.cat(list(rows)).reshape(-1, m.config.text_config.hidden_size)
                if grid is None:
                    golden[f"pixels{i}"] = pixels.reshape(-1, *pixels.shape[-3:])
                else:  # patches one after the other, twice for the two frames
                    for k, (patches, (_, h, w)) in enumerate(zip(pixels.split(grid.prod(-1).tolist()), grid.tolist())):
                        patches = patches.reshape(h // 2, w // 2, 2, 2, 3, 2, 4, 4)[:, :, :, :, :, 0]
                        golden[f"pixels{i}.{k}"] = patches.permute(4, 0, 2, 5, 1, 3, 6).reshape(1, 3, 4 * h, 4 * w)
        golden[f"logits{i}"] = logits
        cases.append({"messages": [{"role": role, "parts": content} for role, content in conversation], "prompt": prompt, "ids": inputs.input_ids[0].tolist(), "new": new, "reply": tok.decode(new, skip_special_tokens=True)})
        print(name, i, inputs.input_ids.shape, repr(cases[-1]["reply"]))
    save_file({k: v.float().contiguous() for k, v in golden.items()}, f"{folder}/golden.safetensors")
    with open(f"{folder}/golden.json", "w") as f:
        json.dump(cases, f, indent=1)
