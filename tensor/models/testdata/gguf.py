"""Writes GGUF files of small models of random weights with llama.cpp's own converter into the folder gguf, and the logits that transformers computes with them.

    pip install torch transformers gguf && python3 gguf.py FOLDER_OF_LLAMA_CPP [NAME]...

Most models are those of the folders beside this file (golden.py), whose logits.json is there. Some of those have what GGUF files do not say: in their place are others here.
"""
import json
import os
import runpy
import shutil
import sys
import tempfile

import torch
import transformers

source, here, only = sys.argv[1], os.path.dirname(os.path.abspath(__file__)), sys.argv[2:]
sys.path[:0] = [source, source + "/gguf-py"]
import conversion  # noqa: E402 of llama.cpp

conversion.load_all_models()
load_hparams = conversion.ModelBase.load_hparams
ids = [1, 7, 23, 4, 4, 19, 0, 11, 2, 5, 16, 8]
common = dict(hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, vocab_size=24, max_position_embeddings=64,
              attn_implementation="eager", bos_token_id=1, eos_token_id=2, pad_token_id=0)
# folders, and what released ones have in config.json that transformers leaves out of those that it saves
FOLDERS = {"llama3": {}, "biases": {}, "mixtral": {}, "phi3": {}, "olmo2": {}, "olmoe": {}, "granite": {}, "glm4": {}, "stablelm": {}, "cohere": {}, "cohere2": {"rotary_pct": 1.0}, "gptneox": {"rotary_pct": 0.5},
           "gptoss_mxfp4": {}, "deepseek3": {"scoring_func": "sigmoid"}, "mamba": {}, "mamba2": {}, "seed_oss": {}, "ernie4_5": {}, "exaone4": {}, "arcee": {}, "nemotron": {}, "glm4moe": {}, "dots1": {}, "minimax_m2": {"rotary_dim": 4}, "falcon_mamba": {},
           "bloom": {"seq_length": 64}, "mpt": {"architectures": ["MPTForCausalLM"]}, "gpt_bigcode": {}, "olmo": {}, "apertus": {}, "granitemoe": {}, "granite4moe": {"layer_types": ["mamba", "attention"]}, "jamba": {},
           "nemotron_h": {"mamba_d_head": 4, "num_experts_per_tok": None, "layers_block_type": None, "hybrid_override_pattern": "M*-M", "num_hidden_layers": 4}, "nemotron3": {"mamba_d_head": 4}, "lfm2": {}, "lfm2_moe": {}, "qwen3_next": {}, "qwen3_5": {},
           "exaone": {"architectures": ["ExaoneForCausalLM"], "num_layers": 2, "layer_norm_epsilon": 1e-5, "activation_function": "silu"}, "jais2": {}, "ministral3": {}, "ernie4_5_moe": {}, "hunyuan_moe": {"moe_intermediate_size": [24, 24], "num_shared_expert": [1, 1]}, "glm4_moe_lite": {"first_k_dense_replace": 1}}
falcon = dict(hidden_size=16, num_hidden_layers=2, num_attention_heads=4, vocab_size=24, bos_token_id=1, eos_token_id=2, attn_implementation="eager")
factors = dict(short_factor=[1.0, 1.3], long_factor=[2.0, 8.0])
NEW = [
    ("phi2", "Phi", dict(common, partial_rotary_factor=0.5, intermediate_size=64, num_key_value_heads=4)),
    ("longrope", "Phi3", dict(common, original_max_position_embeddings=16, rope_parameters=dict(rope_type="longrope", rope_theta=10000.0, original_max_position_embeddings=16, factor=4.0, **factors))),
    ("olmo3", "Olmo3", dict(common, num_hidden_layers=4, sliding_window=3, layer_types=["sliding_attention"] * 3 + ["full_attention"],
                            rope_parameters={"sliding_attention": dict(rope_type="default", rope_theta=10000.0), "full_attention": dict(rope_type="yarn", rope_theta=10000.0, factor=4.0, original_max_position_embeddings=16)})),
    ("smollm3", "SmolLM3", dict(common, num_hidden_layers=4)),
    ("stablelm12", "StableLm", dict(common, partial_rotary_factor=0.5, use_parallel_residual=True)),
    ("starcoder2", "Starcoder2", dict(common, sliding_window=None, use_bias=True)),
    ("yarn", "Qwen2", dict(common, rope_parameters=dict(rope_type="yarn", rope_theta=10000.0, factor=4.0, original_max_position_embeddings=16, beta_fast=8.0, beta_slow=2.0, attention_factor=1.25))),
    ("yarn_llama", "Llama", dict(common, rope_parameters=dict(rope_type="yarn", rope_theta=10000.0, factor=4.0, original_max_position_embeddings=16))),
    ("qwen2moe", "Qwen2Moe", dict(common, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=8, shared_expert_intermediate_size=12, norm_topk_prob=False)),
    ("qwen3moe", "Qwen3Moe", dict(common, head_dim=8, num_experts=5, num_experts_per_tok=3, moe_intermediate_size=8, norm_topk_prob=True)),
    ("gptoss", "GptOss", dict({**common, "intermediate_size": 12, "num_hidden_layers": 3}, head_dim=8, num_local_experts=4, num_experts_per_tok=2, sliding_window=3, swiglu_limit=7.0,
                              rope_parameters=dict(rope_type="yarn", rope_theta=10000.0, factor=4.0, beta_fast=32.0, beta_slow=1.0, truncate=False, original_max_position_embeddings=16))),
    ("deepseek2", "DeepseekV2", dict({**common, "num_key_value_heads": 4}, kv_lora_rank=8, qk_nope_head_dim=6, qk_rope_head_dim=4, v_head_dim=5, moe_intermediate_size=8, q_lora_rank=None, n_routed_experts=6, n_group=3,
                                     topk_group=2, topk_method="group_limited_greedy", num_experts_per_tok=3, n_shared_experts=2, routed_scaling_factor=1.5, first_k_dense_replace=1,
                                     rope_parameters=dict(rope_type="yarn", rope_theta=10000.0, factor=4.0, mscale=0.7, mscale_all_dim=0.7, original_max_position_embeddings=16))),
    ("hunyuan", "HunYuanDenseV1", dict(common, head_dim=8)),
    ("gpt2", "GPT2", dict(n_embd=16, n_layer=2, n_head=4, n_positions=64, vocab_size=24, bos_token_id=1, eos_token_id=2, attn_implementation="eager")),
    ("falcon7b", "Falcon", dict(falcon, multi_query=True)),
    ("falcon40b", "Falcon", dict(falcon, new_decoder_architecture=True, num_kv_heads=2)),
    ("falcon11b", "Falcon", dict(falcon, new_decoder_architecture=True, num_kv_heads=2, num_ln_in_parallel_attn=1, num_hidden_layers=1)),
    ("llama4", "Llama4", dict({**common, "intermediate_size": 12}, head_dim=4, intermediate_size_mlp=20, num_local_experts=4, num_experts_per_tok=1, num_hidden_layers=4, interleave_moe_layer_step=2)),
]


def changed(config, more):
    """Returns a config with other values; None is none."""
    return {k: v for k, v in {**config, **more}.items() if k not in more or v is not None}


def convert(folder, name, more={}):
    """Runs the converter, without a tokenizer: it knows only those of released models."""
    if more:  # some converters read config.json by themselves
        copy = tempfile.mkdtemp()
        folder = shutil.copytree(folder, f"{copy}/{name}")
        with open(f"{folder}/config.json") as f:
            config = json.load(f)
        with open(f"{folder}/config.json", "w") as f:
            json.dump(changed(config, more), f)
    conversion.ModelBase.load_hparams = staticmethod(lambda *args, **named: changed(load_hparams(*args, **named), more))
    kinds = [conversion.TextModel]
    for kind in kinds:
        kinds += kind.__subclasses__()
        kind.set_vocab = lambda self: None
    sys.argv = ["convert", folder, "--outfile", f"{here}/gguf/{name}.gguf", "--outtype", "f32"] + ["--no-mtp"] * name.startswith(("qwen3_next", "qwen3_5"))
    runpy.run_path(source + "/convert_hf_to_gguf.py", run_name="__main__")


for name, more in FOLDERS.items():
    if only and name not in only:
        continue
    convert(f"{here}/{name}", name, more)
for name, kind, config in NEW:
    if only and name not in only:
        continue
    torch.manual_seed(5)
    model = transformers.GPT2LMHeadModel if kind == "GPT2" else getattr(transformers, f"{kind}ForCausalLM")
    m = model((getattr(transformers, f"{kind}TextConfig", None) or getattr(transformers, f"{kind}Config"))(**config)).eval()
    for p in m.parameters():
        p.data = torch.randn_like(p) * 0.3 + (1.0 if p.dim() == 1 and p.shape[0] in (8, 16) else 0.0)
    with torch.no_grad():
        logits = m(torch.tensor([ids])).logits[0]
    with tempfile.TemporaryDirectory() as parent:
        m.save_pretrained(f"{parent}/{name}")
        convert(f"{parent}/{name}", name, {"gpt2": {"n_ctx": 64}, "falcon7b": {"num_kv_heads": 1}}.get(name, {}))
    with open(f"{here}/gguf/{name}.json", "w") as f:
        json.dump({"ids": ids, "logits": [[round(float(v), 6) for v in row] for row in logits]}, f)
