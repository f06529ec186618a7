"""Writes small models of random weights, as Hugging Face's transformers save them, and the logits that they compute, into folders beside this file.

    pip install torch transformers accelerate && python3 golden.py [NAME]...
"""
import json
import os
import sys

import torch
import transformers

here = os.path.dirname(os.path.abspath(__file__))
common = dict(hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, vocab_size=24, max_position_embeddings=64,
              attn_implementation="eager", bos_token_id=1, eos_token_id=2, pad_token_id=0)
scaling = dict(rope_type="llama3", rope_theta=10000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=16)
ids = [1, 7, 23, 4, 4, 19, 0, 11, 2, 5, 16, 8]
four = {**common, "num_hidden_layers": 4}  # layers of several kinds
common_latent = {**common, "num_key_value_heads": 4, "kv_lora_rank": 8, "qk_nope_head_dim": 6, "qk_rope_head_dim": 4, "v_head_dim": 5, "moe_intermediate_size": 8}
few = {k: common[k] for k in ("vocab_size", "max_position_embeddings", "attn_implementation", "bos_token_id", "eos_token_id", "pad_token_id")}
falcon = dict(**few, hidden_size=16, ffn_hidden_size=24, num_hidden_layers=2, num_attention_heads=4, alibi=False)
nemotron = dict({k: v for k, v in common.items() if k != "num_hidden_layers"}, head_dim=6, mamba_num_heads=4, mamba_head_dim=4, n_groups=2, ssm_state_size=5, chunk_size=4, use_mamba_kernels=False)
MODELS = [
    ("llama3", "Llama", dict(**common, rope_parameters=scaling, tie_word_embeddings=True)),
    ("mistral", "Mistral", dict(**common, sliding_window=3, head_dim=6)),
    ("qwen2", "Qwen2", dict(**common, tie_word_embeddings=False)),
    ("qwen3", "Qwen3", dict(**common, head_dim=8, tie_word_embeddings=True)),
    ("biases", "Llama", dict(**common, attention_bias=True, mlp_bias=True, rope_parameters=dict(rope_type="linear", rope_theta=10000.0, factor=4.0))),
    ("yarn", "Qwen2", dict(**four, use_sliding_window=True, sliding_window=4, max_window_layers=2,
                           rope_parameters=dict(rope_type="yarn", rope_theta=10000.0, factor=4.0, original_max_position_embeddings=16))),
    ("gemma", "Gemma", dict(**common, head_dim=6, hidden_activation="gelu_pytorch_tanh")),
    ("gemma2", "Gemma2", dict(**four, head_dim=6, query_pre_attn_scalar=5, sliding_window=3, final_logit_softcapping=3.0, attn_logit_softcapping=2.0)),
    ("gemma3", "Gemma3", dict(**four, head_dim=6, query_pre_attn_scalar=5, sliding_window=3, layer_types=["sliding_attention", "full_attention"] * 2,
                              rope_parameters={"sliding_attention": dict(rope_type="default", rope_theta=100.0), "full_attention": dict(rope_type="linear", factor=8.0, rope_theta=10000.0)})),
    ("phi3", "Phi3", dict(**common, partial_rotary_factor=0.5, sliding_window=5)),
    ("olmo2", "Olmo2", dict(**common)),
    ("granite", "Granite", dict(**common, embedding_multiplier=3.0, attention_multiplier=0.2, residual_multiplier=0.7, logits_scaling=2.0)),
    ("smollm3", "SmolLM3", dict(**four, no_rope_layers=[1, 1, 0, 1])),
    ("glm4", "Glm4", dict(**common, head_dim=8, partial_rotary_factor=0.5, attention_bias=True)),
    ("stablelm", "StableLm", dict(**common, partial_rotary_factor=0.5, use_qkv_bias=True)),
    ("starcoder2", "Starcoder2", dict(**common, sliding_window=4, use_bias=True)),
    ("phi2", "Phi", dict(**common, partial_rotary_factor=0.5)),
    ("gptneox", "GPTNeoX", dict(**{k: v for k, v in common.items() if k != "num_key_value_heads"}, rotary_pct=0.5)),
    ("cohere", "Cohere", dict(**common, use_qk_norm=False, logit_scale=0.4)),
    ("cohere2", "Cohere2", dict(**four, head_dim=4, sliding_window=3, layer_types=["sliding_attention", "sliding_attention", "sliding_attention", "full_attention"], logit_scale=0.4)),
    ("mixtral", "Mixtral", dict(**common, num_local_experts=4, num_experts_per_tok=2, sliding_window=None)),
    ("qwen2moe", "Qwen2Moe", dict(**common, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=10, shared_expert_intermediate_size=12, decoder_sparse_step=2, norm_topk_prob=False)),
    ("qwen3moe", "Qwen3Moe", dict(**common, head_dim=8, num_experts=5, num_experts_per_tok=3, moe_intermediate_size=10, norm_topk_prob=True, mlp_only_layers=[0])),
    ("gptoss", "GptOss", dict(**{**common, "intermediate_size": 12}, head_dim=8, num_local_experts=4, num_experts_per_tok=2, sliding_window=3, swiglu_limit=0.7,
                              rope_parameters=dict(rope_type="yarn", rope_theta=10000.0, factor=4.0, beta_fast=32.0, beta_slow=1.0, truncate=False, original_max_position_embeddings=16))),
    ("gptoss_mxfp4", "GptOss", dict(**{**common, "intermediate_size": 32, "hidden_size": 32}, head_dim=8, num_local_experts=2, num_experts_per_tok=1, sliding_window=3)),
    ("deepseek2", "DeepseekV2", dict(**common_latent, q_lora_rank=None, n_routed_experts=6, n_group=3, topk_group=2, topk_method="group_limited_greedy", num_experts_per_tok=3, n_shared_experts=2,
                                     routed_scaling_factor=1.5, first_k_dense_replace=0, rope_parameters=dict(rope_type="yarn", rope_theta=10000.0, factor=4.0, mscale=0.7, mscale_all_dim=0.5, original_max_position_embeddings=16))),
    ("deepseek3", "DeepseekV3", dict(**common_latent, q_lora_rank=12, n_routed_experts=8, n_group=4, topk_group=2, num_experts_per_tok=3, n_shared_experts=1, routed_scaling_factor=2.5,
                                     first_k_dense_replace=1, norm_topk_prob=True, attention_bias=True)),
    ("gpt2", "GPT2", dict(n_embd=16, n_layer=2, n_head=4, n_inner=24, **few)),
    ("falcon7b", "Falcon", dict(**falcon, multi_query=True)),
    ("falcon40b", "Falcon", dict(**falcon, new_decoder_architecture=True, num_kv_heads=2, bias=True)),
    ("falcon_rw", "Falcon", dict(**falcon, multi_query=False, parallel_attn=False, bias=True)),
    ("llama4", "Llama4", dict(**{**common, "intermediate_size": 12}, head_dim=4, intermediate_size_mlp=20, num_local_experts=4, num_experts_per_tok=1, moe_layers=[0], no_rope_layers=[1, 0],
                              attention_chunk_size=5, floor_scale=3, attn_scale=0.3)),
    ("mamba", "Mamba", dict(hidden_size=16, state_size=4, num_hidden_layers=2, time_step_rank=3, **few)),
    ("mamba2", "Mamba2", dict(hidden_size=16, state_size=5, num_hidden_layers=2, num_heads=8, head_dim=4, n_groups=2, chunk_size=4, use_bias=True, **few)),
    ("olmoe", "Olmoe", dict(**common, num_experts=4, num_experts_per_tok=2)),
    ("seed_oss", "SeedOss", dict(**common, head_dim=8, attention_out_bias=True, mlp_bias=True)),
    ("ernie4_5", "Ernie4_5", dict(**common, head_dim=8, use_bias=True)),
    ("exaone4", "Exaone4", dict(**four, sliding_window=3, sliding_window_pattern=4, rope_parameters=dict(scaling))),
    ("olmo3", "Olmo3", dict(**four, sliding_window=3, rope_parameters={"sliding_attention": dict(rope_type="default", rope_theta=500.0), "full_attention": dict(rope_type="yarn", rope_theta=500.0, factor=4.0, original_max_position_embeddings=16)})),
    ("arcee", "Arcee", dict(**common, mlp_bias=True)),
    ("nemotron", "Nemotron", dict(**common)),
    ("glm", "Glm", dict(**common, head_dim=8)),
    ("glm4moe", "Glm4Moe", dict(**common, head_dim=8, attention_bias=True, use_qk_norm=True, moe_intermediate_size=12, n_routed_experts=8, n_group=4, topk_group=2, num_experts_per_tok=3, n_shared_experts=2, routed_scaling_factor=2.5, first_k_dense_replace=1)),
    ("dots1", "Dots1", dict(**common, moe_intermediate_size=12, n_routed_experts=6, num_experts_per_tok=2, n_shared_experts=1, routed_scaling_factor=1.5, norm_topk_prob=True)),
    ("minimax_m2", "MiniMaxM2", dict(**common, head_dim=8, num_local_experts=5, num_experts_per_tok=2, rope_parameters=dict(rope_type="default", rope_theta=10000.0, partial_rotary_factor=0.5))),
    ("hunyuan", "HunYuanDenseV1", dict(**common, head_dim=8, rope_parameters=dict(rope_type="dynamic", rope_theta=10000.0, alpha=20.0, factor=1.0))),
    ("ministral", "Ministral", dict(**common, head_dim=6, sliding_window=3, layer_types=["sliding_attention", "full_attention"])),
    ("falcon_mamba", "FalconMamba", dict(hidden_size=16, state_size=4, num_hidden_layers=2, time_step_rank=3, **few)),
    ("falcon_alibi", "Falcon", dict(**{**falcon, "alibi": True, "attn_implementation": "sdpa"}, multi_query=False, parallel_attn=False, bias=True)),  # eager adds slopes twice in 5.24
    ("bloom", "Bloom", dict(hidden_size=24, n_layer=2, n_head=6, **few)),
    ("mpt", "Mpt", dict(d_model=24, n_layers=2, n_heads=6, max_seq_len=64, no_bias=True, attn_config=dict(alibi=True, clip_qkv=0.9), **few)),
    ("opt", "OPT", dict(**common, ffn_dim=24, word_embed_proj_dim=16)),
    ("gptj", "GPTJ", dict(n_embd=16, n_layer=2, n_head=2, n_inner=24, rotary_dim=4, tie_word_embeddings=False, **few)),
    ("gpt_bigcode", "GPTBigCode", dict(n_embd=16, n_layer=2, n_head=4, n_positions=64, **few)),
    ("gpt_neo", "GPTNeo", dict(hidden_size=16, num_layers=4, num_heads=4, intermediate_size=24, attention_types=[[["global", "local"], 2]], window_size=3, **few)),
    ("olmo", "Olmo", dict(**common, clip_qkv=0.8)),
    ("apertus", "Apertus", dict(**common, rope_parameters=scaling)),
    ("helium", "Helium", dict(**common, head_dim=4)),
    ("granitemoe", "GraniteMoe", dict(**common, embedding_multiplier=3.0, attention_multiplier=0.2, residual_multiplier=0.7, logits_scaling=2.0, num_local_experts=4, num_experts_per_tok=2)),
    ("granite4", "GraniteMoeHybrid", dict(**four, embedding_multiplier=3.0, attention_multiplier=0.2, residual_multiplier=0.7, logits_scaling=2.0, num_local_experts=0, shared_intermediate_size=20,
                                          layer_types=["mamba", "attention", "mamba", "mamba"], mamba_n_heads=8, mamba_n_groups=2, mamba_d_state=5, mamba_d_head=4, mamba_chunk_size=4, position_embedding_type="rope")),
    ("granite4moe", "GraniteMoeHybrid", dict(**common, num_local_experts=4, num_experts_per_tok=2, shared_intermediate_size=20,
                                             layer_types=["mamba", "attention"], mamba_n_heads=8, mamba_d_state=5, mamba_d_head=4, mamba_chunk_size=4)),
    ("jamba", "Jamba", dict(**four, num_experts=4, num_experts_per_tok=2, expert_layer_period=2, expert_layer_offset=1, attn_layer_period=3, attn_layer_offset=1, mamba_d_state=4, mamba_dt_rank=3, use_mamba_kernels=False)),
    ("bamba", "Bamba", dict(**common, head_dim=8, attn_layer_indices=[1], mamba_n_heads=8, mamba_n_groups=2, mamba_d_state=5, mamba_d_head=4, mamba_chunk_size=4)),
    ("falcon_h1", "FalconH1", dict(**common, mamba_d_ssm=24, mamba_n_heads=6, mamba_n_groups=2, mamba_d_state=5, mamba_d_head=4, mamba_chunk_size=4, embedding_multiplier=3.0, lm_head_multiplier=0.7, key_multiplier=0.6, attention_in_multiplier=1.3, attention_out_multiplier=0.8,
                                   ssm_in_multiplier=1.2, ssm_out_multiplier=0.9, ssm_multipliers=[0.5, 1.5, 0.8, 1.2, 0.6], mlp_multipliers=[0.7, 1.4])),
    ("nemotron_h", "NemotronH", dict(**nemotron, layers_block_type=["mamba", "attention", "mlp", "mamba"])),
    ("nemotron3", "NemotronH", dict(**nemotron, layers_block_type=["mamba", "moe", "attention", "moe"], n_routed_experts=4, num_experts_per_tok=2, moe_intermediate_size=12, moe_shared_expert_intermediate_size=12, routed_scaling_factor=1.5)),
    ("lfm2", "Lfm2", dict(**common, layer_types=["conv", "full_attention"], block_multiple_of=4)),
    ("lfm2_moe", "Lfm2Moe", dict(**{**common, "num_hidden_layers": 3}, layer_types=["conv", "full_attention", "conv"], num_dense_layers=1, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=12)),
    ("qwen3_next", "Qwen3Next", dict(**common, head_dim=8, layer_types=["linear_attention", "full_attention"], linear_num_key_heads=2, linear_num_value_heads=4, linear_key_head_dim=4, linear_value_head_dim=6,
                                     num_experts=4, num_experts_per_tok=2, moe_intermediate_size=12, shared_expert_intermediate_size=12)),
    ("qwen3_5", "Qwen3_5", dict(**common, head_dim=8, layer_types=["linear_attention", "full_attention"], linear_num_key_heads=2, linear_num_value_heads=4, linear_key_head_dim=4, linear_value_head_dim=6)),
    ("exaone", "Exaone", dict(**common, rope_parameters=scaling)),
    ("internlm3", "InternLM3", dict(**common, head_dim=4, attention_bias=True, mlp_bias=True)),
    ("jais2", "Jais2", dict(**common)),
    ("cwm", "Cwm", dict(**four, head_dim=4, sliding_window=3)),
    ("ministral3", "Ministral3", dict(**common, head_dim=8, sliding_window=None, rope_parameters=dict(rope_type="yarn", rope_theta=10000.0, factor=4.0, original_max_position_embeddings=4, llama_4_scaling_beta=0.3, mscale=1.0, mscale_all_dim=1.0, beta_fast=32.0, beta_slow=1.0))),
    ("vaultgemma", "VaultGemma", dict(**four, head_dim=6, query_pre_attn_scalar=5, sliding_window=3, final_logit_softcapping=3.0, attn_logit_softcapping=2.0)),
    ("hyperclovax", "HyperCLOVAX", dict(**common, embedding_multiplier=3.0, residual_multiplier=0.7, logits_scaling=0.5)),
    ("hunyuan_moe", "HunYuanMoEV1", dict(**common, head_dim=8, num_experts=4, moe_topk=[2, 2])),
    ("ernie4_5_moe", "Ernie4_5_Moe", dict(**common, moe_intermediate_size=12, moe_k=2, moe_num_experts=4, moe_num_shared_experts=2)),
    ("glm4_moe_lite", "Glm4MoeLite", dict(**common_latent, q_lora_rank=12, n_routed_experts=8, n_group=4, topk_group=2, num_experts_per_tok=3, n_shared_experts=1)),
    ("solar_open", "SolarOpen", dict(**{k: v for k, v in common.items() if k != "intermediate_size"}, head_dim=8, moe_intermediate_size=12, n_routed_experts=8, n_group=4, topk_group=2, num_experts_per_tok=3, n_shared_experts=1)),
    ("youtu", "Youtu", dict(**{k: v for k, v in common_latent.items() if k != "moe_intermediate_size"}, q_lora_rank=12)),
    ("exaone_moe", "ExaoneMoe", dict(**four, sliding_window=3, sliding_window_pattern=4, num_experts=8, n_group=4, topk_group=2, num_experts_per_tok=3, num_shared_experts=2, moe_intermediate_size=12)),
    ("sarvam_moe", "SarvamMoE", dict(**common, head_dim=8, moe_intermediate_size=12, n_routed_experts=8, n_group=4, topk_group=2, num_experts_per_tok=3, n_shared_experts=1)),
    ("mellum", "Mellum", dict(**four, head_dim=8, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=12, sliding_window=3, layer_types=["sliding_attention", "full_attention"] * 2, mlp_layer_types=["dense", "sparse", "sparse", "sparse"],
                              rope_parameters={"sliding_attention": dict(rope_type="default", rope_theta=100.0), "full_attention": dict(rope_type="default", rope_theta=10000.0)})),
    ("qwen3_fp8", "Qwen3", dict(**{**common, "hidden_size": 136, "intermediate_size": 130, "num_hidden_layers": 1}, head_dim=8, tie_word_embeddings=True)),
    ("qwen3_fp8_tensor", "Qwen3", dict(**common, head_dim=8, tie_word_embeddings=False)),
    ("deepseek3_fp8", "DeepseekV3", dict(**common_latent, q_lora_rank=12, n_routed_experts=4, n_group=2, topk_group=1, num_experts_per_tok=2, n_shared_experts=1, first_k_dense_replace=1)),
]
# How weights are in FP8: the block, what activations are said to be, and what is not converted.
FP8 = {
    "qwen3_fp8": ([128, 128], "dynamic", ["lm_head", "model.layers.0.self_attn.k_proj"]),
    "qwen3_fp8_tensor": (None, "static", ["lm_head"]),
    "deepseek3_fp8": ([4, 4], "dynamic", None),
}


def pack_experts(m, folder):
    """Replaces the experts of a model by random ones in MXFP4, and writes them to a folder as OpenAI does."""
    from safetensors.torch import save_file
    from transformers.integrations.mxfp4 import convert_moe_packed_tensors
    weights = {k: v for k, v in m.state_dict().items() if not k.endswith(("experts.gate_up_proj", "experts.down_proj"))}
    for i, layer in enumerate(m.model.layers):
        for name in ("gate_up_proj", "down_proj"):
            p = getattr(layer.mlp.experts, name)
            experts, inputs, outputs = p.shape
            blocks = torch.randint(0, 256, (experts, outputs, inputs // 32, 16), dtype=torch.uint8)
            scales = torch.randint(122, 126, (experts, outputs, inputs // 32), dtype=torch.uint8)
            p.data = convert_moe_packed_tensors(blocks, scales, dtype=torch.float32)
            weights[f"model.layers.{i}.mlp.experts.{name}_blocks"] = blocks
            weights[f"model.layers.{i}.mlp.experts.{name}_scales"] = scales
    save_file(weights, f"{folder}/model.safetensors", metadata={"format": "pt"})
    with open(f"{folder}/config.json") as f:
        config = json.load(f)
    config["quantization_config"] = {"quant_method": "mxfp4", "modules_to_not_convert": ["lm_head"]}
    with open(f"{folder}/config.json", "w") as f:
        json.dump(config, f, indent=2)


def to_fp8(folder, block, scheme, keep):
    """Converts the matrices of a folder to FP8, as DeepSeek does, and returns the model of what they are then."""
    from safetensors.torch import load_file, save_file
    file = f"{folder}/model.safetensors"
    weights, floats = load_file(file), {}
    for k, w in list(weights.items()):
        if w.dim() != 2 or "_proj" not in k or any(k.startswith(x) for x in keep or ()):
            floats[k] = weights[k] = w.bfloat16() if w.dim() == 2 else w
            continue
        high, wide = block or w.shape
        spread = lambda s: s.float().repeat_interleave(high, 0).repeat_interleave(wide, 1)[:w.shape[0], :w.shape[1]]
        scale = torch.tensor([[float(part.abs().max()) / 448 for part in rows.split(wide, 1)] for rows in w.split(high, 0)])
        if "v_proj" in k:  # as Qwen's
            scale = scale.bfloat16()
        weights[k] = (w / spread(scale)).clamp(-448, 448).to(torch.float8_e4m3fn)
        weights[f"{k}_scale_inv"] = scale if block else scale[0, 0]
        floats[k] = weights[k].float() * spread(scale)
        if scheme == "static":
            weights[k.replace(".weight", ".activation_scale")] = torch.tensor(0.02)
    save_file(floats, file, metadata={"format": "pt"})
    m = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    save_file(weights, file, metadata={"format": "pt"})
    with open(f"{folder}/config.json") as f:
        config = json.load(f)
    config["quantization_config"] = {"activation_scheme": scheme, "fmt": "e4m3", "quant_method": "fp8", "weight_block_size": block}
    if keep:
        config["quantization_config"]["modules_to_not_convert"] = keep
    with open(f"{folder}/config.json", "w") as f:
        json.dump(config, f, indent=2)
    if block != [128, 128]:  # smaller last blocks are an error in transformers 5.24
        read = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").state_dict()
        for k, w in m.state_dict().items():
            assert torch.equal(w, read[k]), k
    return m


for name, kind, config in MODELS:
    if sys.argv[1:] and name not in sys.argv[1:]:
        continue
    torch.manual_seed(5)
    config_type = getattr(transformers, f"{kind}TextConfig", None) or getattr(transformers, f"{kind}Config")
    model = transformers.GPT2LMHeadModel if kind == "GPT2" else getattr(transformers, f"{kind}ForCausalLM", None)
    m = (model(config_type(**config)) if model else transformers.AutoModelForCausalLM.from_config(config_type(**config))).eval()
    for p in m.parameters():
        norm = p.dim() == 1 and p.shape[0] in (6, 8, 16) and kind not in ("Gemma", "Gemma2", "Gemma3", "Nemotron", "Qwen3Next", "Qwen3_5", "VaultGemma")  # whose norms multiply by 1 more
        p.data = torch.randn_like(p) * 0.3 + (1.0 if norm else 0.0)
    for name_of, b in m.named_buffers():
        if name_of.endswith(("e_score_correction_bias", "expert_bias")):
            b.data = torch.randn_like(b) * 0.3
    folder = f"{here}/{name}"
    m.save_pretrained(folder, max_shard_size="10KB" if name == "granite" else "1GB")  # which is in several files
    if name == "gptoss_mxfp4":
        pack_experts(m, folder)
    if name in FP8:
        m = to_fp8(folder, *FP8[name])
    if name == "gpt2":  # as OpenAI's, without the head's names and with the masks of old files
        from safetensors.torch import save_file
        m.transformer.save_pretrained(folder)
        weights = m.transformer.state_dict()
        save_file({**weights, "h.0.attn.bias": torch.ones(1, 1, 4, 4), "h.1.attn.bias": torch.ones(1, 1, 4, 4)}, f"{folder}/model.safetensors", metadata={"format": "pt"})
    if name == "stablelm":  # in PyTorch's own
        os.remove(f"{folder}/model.safetensors")
        torch.save(m.state_dict(), f"{folder}/pytorch_model.bin")
    for extra in ("generation_config.json",):
        if os.path.exists(f"{folder}/{extra}"):
            os.remove(f"{folder}/{extra}")
    with torch.no_grad():
        logits = m(torch.tensor([ids])).logits[0]
    with open(f"{folder}/logits.json", "w") as f:
        json.dump({"ids": ids, "logits": [[round(float(v), 6) for v in row] for row in logits]}, f)
