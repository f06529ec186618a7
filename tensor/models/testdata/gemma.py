"""Writes GGUF files of small Gemma models of random weights with llama.cpp's own converter, and what transformers and sentencepiece make of texts, into the folder gguf.

    pip install torch transformers gguf sentencepiece && python3 gemma.py FOLDER_OF_LLAMA_CPP

The tokenizer is trained on this script, as Gemma's was: bytes for what it does not know, no space before a text, and tokens that are matched first.
"""
import json
import os
import runpy
import sys
import tempfile

import sentencepiece
import torch
import transformers

source, here = sys.argv[1], os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [source, source + "/gguf-py"]
words = ["Hello, world", " two  spaces   and\n\nlines\n", "naïve café — 12,345 déjà", "<start_of_turn>user\nhi<end_of_turn>\n", "日本語 🙂", "a\tb <b>bold</b> x", "", "  ", "\n\n\n\n", "<start_of_turn", "import os and return"]
first = ["<start_of_turn>", "<end_of_turn>", "\n", "\n\n", "\n\n\n", "▁▁", "▁▁▁", "<b>", "</b>"]
shape = dict(hidden_size=16, intermediate_size=24, num_attention_heads=4, num_key_value_heads=2, head_dim=8, max_position_embeddings=64, vocab_size=400, hidden_activation="gelu_pytorch_tanh")
two = ["sliding_attention", "full_attention"]
MODELS = [
    ("gemma", "Gemma", dict(num_hidden_layers=2)),
    ("gemma2", "Gemma2", dict(num_hidden_layers=4, query_pre_attn_scalar=8, sliding_window=3, final_logit_softcapping=3.0, attn_logit_softcapping=2.0, layer_types=two * 2)),
    ("gemma3", "Gemma3", dict(num_hidden_layers=7, query_pre_attn_scalar=8, sliding_window=3, layer_types=(two[:1] * 5 + two[1:]) + two[:1],
                              rope_parameters={two[0]: dict(rope_type="default", rope_theta=100.0), two[1]: dict(rope_type="linear", factor=8.0, rope_theta=10000.0)})),
]
os.makedirs(f"{here}/gguf", exist_ok=True)
for name, kind, config in MODELS:
    with tempfile.TemporaryDirectory() as parent:
        folder = f"{parent}/{name}"
        os.mkdir(folder)
        sentencepiece.SentencePieceTrainer.train(
            input=__file__, model_prefix=folder + "/tokenizer", vocab_size=400, model_type="bpe", byte_fallback=True, add_dummy_prefix=False, remove_extra_whitespaces=False, split_digits=True,
            normalization_rule_name="identity", hard_vocab_limit=False, num_threads=1, pad_id=0, eos_id=1, bos_id=2, unk_id=3, control_symbols=["<mask>"],
            user_defined_symbols=first)
        tok = sentencepiece.SentencePieceProcessor(folder + "/tokenizer.model")
        added = {i: {"content": tok.id_to_piece(i), "special": i < 5 or "turn" in tok.id_to_piece(i)} for i in range(5 + len(first))}
        with open(folder + "/tokenizer_config.json", "w") as f:
            json.dump({"added_tokens_decoder": added}, f)
        torch.manual_seed(5)
        config_type = getattr(transformers, f"{kind}TextConfig", None) or getattr(transformers, f"{kind}Config")
        m = getattr(transformers, f"{kind}ForCausalLM")(config_type(**shape, **config, attn_implementation="eager", bos_token_id=2, eos_token_id=1, pad_token_id=0)).eval()
        for p in m.parameters():
            p.data = torch.randn_like(p) * 0.3
        m.save_pretrained(folder)
        sys.argv = ["convert", folder, "--outfile", f"{here}/gguf/{name}.gguf", "--outtype", "f32"]
        runpy.run_path(source + "/convert_hf_to_gguf.py", run_name="__main__")
        ids = [2, 7, 23, 4, 4, 399, 0, 11, 1, 5, 16, 8]
        with torch.no_grad():
            logits = m(torch.tensor([ids])).logits[0]
        golden = {"ids": ids, "logits": [[round(float(v), 5) for v in row[:24]] for row in logits], "texts": [[text, tok.encode(text), tok.decode([i for i in tok.encode(text) if not added.get(i, {}).get("special")])] for text in words]}
        with open(f"{here}/gguf/{name}.json", "w") as f:
            json.dump(golden, f, ensure_ascii=False)
