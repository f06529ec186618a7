"""Writes small Whispers of random weights, as Hugging Face's transformers save them, sounds, and what transformers makes of those, into folders beside this file.

    pip install torch transformers tokenizers scipy && python3 whisper.py
"""
import json
import os
import shutil

import numpy as np
import torch
import transformers
from safetensors.torch import save_file
from scipy.io import wavfile
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

here = os.path.dirname(os.path.abspath(__file__))


def sound(seconds, seed, rate=16000):
    """Tones that glide and come and go, with noise."""
    r = np.random.default_rng(seed)
    t = np.arange(int(seconds * rate)) / rate
    x = sum(np.sin(2 * np.pi * (f * t + 150 * np.sin(1.7 * t + k))) * (np.sin(2 * np.pi * (1.3 + k) * t) > -0.3) for k, f in enumerate((220, 610, 1330)))
    return np.clip((x / 4 + r.normal(0, 0.02, t.shape)) * 32767, -32768, 32767).astype(np.int16)


sounds = {"short": sound(0.7, 1), "long": sound(3.4, 2)}
for name, x in sounds.items():
    wavfile.write(f"{here}/{name}.wav", 16000, x)

alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
merges = [("t", "h"), ("th", "e"), ("\u0120", "the"), ("\u0120", "a"), ("c", "a"), ("ca", "t")]
pieces = alphabet + ["".join(m) for m in merges]
special = ["<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|de|>", "<|fr|>", "<|translate|>", "<|transcribe|>", "<|startoflm|>", "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"]
times = [f"<|{i * 0.02:.2f}|>" for i in range(51)]
t = Tokenizer(models.BPE(vocab={p: i for i, p in enumerate(pieces)}, merges=merges))
t.pre_tokenizer, t.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
t.add_special_tokens(special)
t.add_tokens([AddedToken(x, special=False, normalized=False) for x in times])
id = {x: t.token_to_id(x) for x in special + times}
tok = transformers.PreTrainedTokenizerFast(tokenizer_object=t, bos_token="<|endoftext|>", eos_token="<|endoftext|>", unk_token="<|endoftext|>", pad_token="<|endoftext|>")
sizes = dict(vocab_size=len(tok), num_mel_bins=20, d_model=16, encoder_layers=2, encoder_attention_heads=4, encoder_ffn_dim=24, decoder_layers=2, decoder_attention_heads=2, decoder_ffn_dim=32,
             max_source_positions=50, max_target_positions=40, decoder_start_token_id=id["<|startoftranscript|>"], eos_token_id=id["<|endoftext|>"], bos_token_id=id["<|endoftext|>"],
             pad_token_id=id["<|endoftext|>"], suppress_tokens=None, begin_suppress_tokens=None)
generation = dict(decoder_start_token_id=id["<|startoftranscript|>"], eos_token_id=id["<|endoftext|>"], pad_token_id=id["<|endoftext|>"], bos_token_id=id["<|endoftext|>"], max_length=40, no_timestamps_token_id=id["<|notimestamps|>"],
                  suppress_tokens=[i for i, p in enumerate(alphabet) if not (p.isascii() and p.isalpha() or p == "\u0120")] + [id["<|translate|>"], id["<|transcribe|>"], id["<|startoftranscript|>"], id["<|startoflm|>"], id["<|startofprev|>"], id["<|nospeech|>"]],
                  begin_suppress_tokens=[t.token_to_id("\u0120"), id["<|endoftext|>"]], max_initial_timestamp_index=20, prev_sot_token_id=id["<|startofprev|>"])
languages = dict(is_multilingual=True, lang_to_id={x: id[x] for x in ("<|en|>", "<|de|>", "<|fr|>")}, task_to_id={"transcribe": id["<|transcribe|>"], "translate": id["<|translate|>"]})
MODELS = [
    ("whisper", {**generation, **languages}, 3, [dict(task="transcribe"), dict(task="translate", language="de"), dict(task="transcribe", logprob_threshold=-1.45, no_speech_threshold=0.00015), dict(task="transcribe", condition_on_prev_tokens=True), dict(task="transcribe", prompt="the cat"), dict(task="transcribe", prompt="the cat", condition_on_prev_tokens=True)]),
    ("english", {**generation, "is_multilingual": False, "max_initial_timestamp_index": None}, 9, [dict(), dict(condition_on_prev_tokens=True)]),
]
for name, g, seed, runs in MODELS:
    torch.manual_seed(seed)
    m = transformers.WhisperForConditionalGeneration(transformers.WhisperConfig(**sizes)).eval()
    for n, p in m.named_parameters():
        if "embed_positions" in n and "encoder" in n:
            continue
        norm = "norm" in n and n.endswith("weight")
        p.data = torch.randn_like(p) * (0.4 if p.dim() > 1 else 0.1) + (1.0 if norm else 0.0)
    m.generation_config = transformers.GenerationConfig(**g)
    folder = f"{here}/{name}"
    shutil.rmtree(folder, ignore_errors=True)
    m.save_pretrained(folder)
    tok.save_pretrained(folder)
    extract = transformers.WhisperFeatureExtractor(feature_size=20, chunk_length=1)
    extract.save_pretrained(folder)
    out, tensors = [], {}
    for file, x in sounds.items():
        x = x.astype(np.float32) / 32768
        long = len(x) > 16000
        features = extract(x, sampling_rate=16000, return_tensors="pt", **(dict(truncation=False, padding="longest") if long else {})).input_features
        tensors[file + ".mel"] = features[0]
        with torch.no_grad():
            rows = m.model.encoder(features[:, :, :100]).last_hidden_state
            ids = torch.tensor([[id["<|startoftranscript|>"], id["<|en|>"], 5, 9, id["<|0.10|>"]]])
            tensors[file + ".rows"] = rows[0]
            tensors[file + ".logits"] = m(input_features=features[:, :, :100], decoder_input_ids=ids).logits[0]
        for run in runs:
            torch.manual_seed(1)
            options = {k: v for k, v in run.items() if k != "prompt"}
            if "prompt" in run:  # as WhisperProcessor.get_prompt_ids
                options["prompt_ids"] = torch.tensor([id["<|startofprev|>"]] + tok(" " + run["prompt"], add_special_tokens=False).input_ids)
            r = m.generate(features, return_timestamps=True, return_segments=True, temperature=(0.0,), **options)
            segments = [[float(s["start"]), float(s["end"]), tok.decode([i for i in s["tokens"].tolist() if i < id["<|endoftext|>"]])] for s in r["segments"][0]]
            out.append({"sound": file, "run": run, "segments": segments})
            print(name, file, run, len(segments), segments[:3])
    tensors["ids"] = ids[0]
    save_file({k: v.float().contiguous() for k, v in tensors.items()}, f"{folder}/golden.safetensors")
    with open(f"{folder}/golden.json", "w") as f:
        json.dump({"runs": out}, f)
