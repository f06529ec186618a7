"""Writes small T5s of random weights, as Hugging Face's transformers save them, and what transformers computes and generates, into the folder t5 beside this file.

    pip install torch transformers tokenizers && python3 t5.py
"""
import json
import os
import shutil

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers.models.t5.modeling_t5 import T5Attention

here = os.path.dirname(os.path.abspath(__file__)) + "/t5"
pieces = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("\u2581", -2.0)] + [(c, -4.0) for c in "abcdefghijklmnopqrstuvwxyz:.?"]
pieces += [("\u2581the", -3.0), ("\u2581cat", -3.0), ("\u2581to", -3.0), ("lish", -4.5), ("\u2581Ger", -5.0), ("man", -5.0), ("\u2581translate", -5.0)]
t = Tokenizer(models.Unigram(pieces, unk_id=2))
t.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Strip(left=False, right=True)])
t.pre_tokenizer, t.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
t.post_processor = processors.TemplateProcessing(single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)])
tok = transformers.PreTrainedTokenizerFast(tokenizer_object=t, unk_token="<unk>", pad_token="<pad>", eos_token="</s>")
sizes = dict(d_model=16, d_kv=6, d_ff=24, num_layers=2, num_heads=3, vocab_size=len(tok) + 3, decoder_start_token_id=0)
texts = ["translate English to German: the cat", "a", "the cat? the cat. " * 12]
MODELS = [
    ("t5", "T5", dict(**sizes)),
    ("flan", "T5", dict(**sizes, num_decoder_layers=1, feed_forward_proj="gated-gelu", tie_word_embeddings=False, relative_attention_num_buckets=8, relative_attention_max_distance=20)),
    ("mt5", "MT5", dict(**sizes, feed_forward_proj="gated-silu", tie_word_embeddings=False)),
]
shutil.rmtree(here, ignore_errors=True)
for name, kind, config in MODELS:
    torch.manual_seed(5)
    m = getattr(transformers, kind + "ForConditionalGeneration")(getattr(transformers, kind + "Config")(**config)).eval()
    if not config.get("tie_word_embeddings", True):
        m.lm_head.weight = torch.nn.Parameter(torch.empty_like(m.shared.weight))
    for n, p in m.named_parameters():
        p.data = torch.randn_like(p) * (0.4 if p.dim() > 1 else 0.2) + (1.0 if p.dim() == 1 else 0.0)
    folder = f"{here}/{name}"
    m.save_pretrained(folder)
    tok.save_pretrained(folder)
    out = []
    for text in texts:
        ids = tok(text).input_ids
        with torch.no_grad():
            reply = m.generate(torch.tensor([ids]), max_new_tokens=30, do_sample=False, num_beams=1)[0].tolist()
            hidden = m.get_encoder()(torch.tensor([ids])).last_hidden_state[0]
            logits = m(input_ids=torch.tensor([ids]), decoder_input_ids=torch.tensor([reply])).logits[0]
        out.append({"text": text, "ids": ids, "reply": reply, "decoded": tok.decode(reply, skip_special_tokens=True),
                    "hidden": [[round(float(x), 6) for x in row] for row in hidden[:8]], "logits": [[round(float(x), 6) for x in row] for row in logits]})
        print(name, reply, repr(out[-1]["decoded"]), logits.abs().max().item())
    distances = list(range(-150, 151))
    buckets = {str(both): T5Attention._relative_position_bucket(torch.tensor(distances), both, m.config.relative_attention_num_buckets, m.config.relative_attention_max_distance).tolist() for both in (True, False)}
    with open(folder + "/golden.json", "w") as f:
        json.dump({"texts": out, "buckets": buckets}, f)
