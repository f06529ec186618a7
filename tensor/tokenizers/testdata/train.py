"""Trains byte-level BPEs on texts by Hugging Face's tokenizers, and writes the texts, and the vocabularies and merges, to train.json.

    pip install tokenizers==0.22.2 && python3 train.py
"""
import json
import os
import random

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

here = os.path.dirname(os.path.abspath(__file__))
random.seed(1)
letters = ["".join(random.choice("abab cd\n") for _ in range(random.randrange(60))) for _ in range(80)]
words = ["sun", "moon", "star", "sunstar", "moonstar", "Straße", "été", "猫", "🙂", "aaaa", "aaa", "aa", "12345", "don't", "!!!", "  "]
prose = [" ".join(random.choices(words, k=random.randrange(12))) for _ in range(60)] + ["sunsun", ""]
qwen = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
runs = []
for texts, size, special, pattern, least in [(letters, 330, [], "", 0), (prose, 400, ["<|im_start|>", "<|im_end|>"], "", 0),
                                             (prose, 300, ["<|im_start|>", "<|im_end|>"], qwen, 0), (letters, 500, ["<s>"], "", 9)]:
    t = Tokenizer(models.BPE())
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=not pattern)
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"), byte_level]) if pattern else byte_level
    t.decoder = decoders.ByteLevel()
    t.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=size, special_tokens=special, min_frequency=least,
                          initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    model = json.loads(t.to_str())["model"]
    runs.append({"Texts": texts, "Size": size, "Special": special, "Pattern": pattern, "MinCount": least,
                 "Vocab": model["vocab"], "Merges": model["merges"]})
with open(os.path.join(here, "train.json"), "w") as f:
    json.dump(runs, f, ensure_ascii=False)
