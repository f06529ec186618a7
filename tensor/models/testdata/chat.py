"""Writes a small model of random weights with a tokenizer and a chat template into chat/model, and what transformers make of conversations with it: chat/golden.json.

    pip install torch transformers tokenizers && python3 chat.py
"""
import json
import os

import torch
import transformers
from tokenizers import Tokenizer, decoders, models

here = os.path.dirname(os.path.abspath(__file__)) + "/chat"
special = ["<unk>", "<s>", "</s>", "<|begin|>", "<|end|>"]
letters = sorted(set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 \n.,:;?!'\"{}[]<>_-/\\é"))
t = Tokenizer(models.BPE(vocab={c: i for i, c in enumerate(special + letters)}, merges=[], unk_token="<unk>"))
t.add_special_tokens(special)
t.decoder = decoders.Fuse()
template = """{%- if tools %}
    {{- '<|begin|>tools\\n' }}
    {%- for tool in tools %}
        {{- tool | tojson + '\\n' }}
    {%- endfor %}
    {{- '<|end|>' }}
{%- endif %}
{%- for m in messages %}
    {%- if m.role == 'critic' %}
        {{- raise_exception('There is no role ' + m.role) }}
    {%- endif %}
    {{- '<|begin|>' + m.role + '\\n' + m.content | trim }}
    {%- for call in m.tool_calls or [] %}
        {{- '<tool_call>' + call.function | tojson + '</tool_call>' }}
    {%- endfor %}
    {{- '<|end|>' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|begin|>assistant\\n' }}
    {%- if loud %}
        {{- '!' }}
    {%- endif %}
{%- endif %}
"""
tok = transformers.PreTrainedTokenizerFast(tokenizer_object=t, bos_token="<s>", eos_token="</s>", unk_token="<unk>", clean_up_tokenization_spaces=False)
tok.chat_template = template
torch.manual_seed(11)
m = transformers.LlamaForCausalLM(transformers.LlamaConfig(
    hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, vocab_size=len(tok), max_position_embeddings=512,
    bos_token_id=1, eos_token_id=2)).eval()
for p in m.parameters():
    p.data = torch.randn_like(p) * 0.4 + (1.0 if p.dim() == 1 else 0.0)
m.generation_config = transformers.GenerationConfig(bos_token_id=1, eos_token_id=[2, 4], do_sample=True, temperature=0.7, top_p=0.9, top_k=20)
m.save_pretrained(here + "/model")
tok.save_pretrained(here + "/model")

tool = {"type": "function", "function": {"name": "add", "description": "Adds", "parameters": {"type": "object", "properties": {"b": {"type": "number"}, "a": {"type": "number"}}}}}
cases = [
    dict(messages=[{"role": "user", "content": "Hi"}]),
    dict(messages=[{"role": "system", "content": "Be brief."}, {"role": "user", "content": " why? \n"}]),
    dict(messages=[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "yes"}, {"role": "user", "content": "<s>é"}], options={"loud": True}),
    dict(messages=[{"role": "user", "content": "1 and 2"}, {"role": "assistant", "content": "", "tool_calls": [{"id": "x", "type": "function", "function": {"name": "add", "arguments": {"b": 2, "a": 1}}}]},
                   {"role": "tool", "content": "3", "name": "add", "tool_call_id": "x"}], tools=[tool]),
    dict(messages=[{"role": "user", "content": text} for text in ["zebra", "q", "0", "What", "end."]]),
]
out = []
for case in cases:
    prompt = tok.apply_chat_template(case["messages"], tools=case.get("tools"), add_generation_prompt=True, tokenize=False, **case.get("options", {}))
    ids = tok(prompt, add_special_tokens=False, return_tensors="pt").input_ids
    with torch.no_grad():
        new = m.generate(ids, do_sample=False, max_new_tokens=24, temperature=None, top_p=None, top_k=None)[0, ids.shape[1]:].tolist()
    out.append({**case, "prompt": prompt, "ids": ids[0].tolist(), "reply": tok.decode(new, skip_special_tokens=True), "new": new})
    print(repr(out[-1]["reply"]))
with open(here + "/golden.json", "w") as f:
    json.dump(out, f, ensure_ascii=False, indent=1)
