"""Writes small encoders of random weights, as Hugging Face's transformers and sentence-transformers save them, and what those compute, into the folder encoders beside this file.

    pip install torch transformers sentence-transformers tokenizers && python3 encoders.py
"""
import json
import os
import shutil

import torch
import transformers
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Normalize, Transformer
from sentence_transformers.sentence_transformer.modules import Pooling
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

here = os.path.dirname(os.path.abspath(__file__)) + "/encoders"
texts = ["the cat sat on the mat", "A dog?", "it is far: the moon shines over the sea, and over the mountains", "", "zebra!", "cat cat cat cat cat cat cat cat cat cat cat cat cat cat cat cat cat"]
pairs = [["the cat", "a dog sat"], ["moon", "the sea shines"], ["a", "a"]]
letters = "abcdefghijklmnopqrstuvwxyz.,:;!?"
words = ["the", "cat", "dog", "sat", "mat", "moon", "sea", "##s", "##ine", "##at", "mount"]
special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
vocab = {w: i for i, w in enumerate(dict.fromkeys(special + list(letters) + ["##" + c for c in letters] + words))}
wordpiece = Tokenizer(models.WordPiece(vocab=vocab, unk_token="[UNK]"))
wordpiece.normalizer, wordpiece.pre_tokenizer, wordpiece.decoder = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer(), decoders.WordPiece()
wordpiece.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
roberta = Tokenizer(models.WordPiece(vocab={**{"<s>": 0, "<pad>": 1, "</s>": 2, "[UNK]": 3, "<mask>": 4}, **{w: i for w, i in vocab.items() if i > 4}}, unk_token="[UNK]"))
roberta.normalizer, roberta.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
roberta.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
bert = dict(tokenizer_object=wordpiece, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]")
robert = dict(tokenizer_object=roberta, pad_token="<pad>", unk_token="[UNK]", cls_token="<s>", sep_token="</s>", mask_token="<mask>", bos_token="<s>", eos_token="</s>")
sizes = dict(hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=4, vocab_size=len(vocab), max_position_embeddings=40, attn_implementation="eager")
modern = dict(**{**sizes, "num_hidden_layers": 4}, local_attention=6, global_attn_every_n_layers=3, pad_token_id=0, cls_token_id=2, sep_token_id=3, bos_token_id=2, eos_token_id=3)
CASES = [
    ("bert", "BertModel", sizes, bert, "mean", True), ("bertlabels", "BertForSequenceClassification", dict(**sizes, num_labels=3), bert, None, False),
    ("roberta", "RobertaModel", dict(**{**sizes, "max_position_embeddings": 42}, type_vocab_size=1, pad_token_id=1), robert, "cls", False),
    ("robertalabels", "XLMRobertaForSequenceClassification", dict(**{**sizes, "max_position_embeddings": 42}, type_vocab_size=1, pad_token_id=1, num_labels=1), robert, None, False),
    ("distilbert", "DistilBertModel", dict(dim=16, hidden_dim=24, n_layers=2, n_heads=4, vocab_size=len(vocab), max_position_embeddings=40, attn_implementation="eager"), bert, "max", False),
    ("distilbertlabels", "DistilBertForSequenceClassification", dict(dim=16, hidden_dim=24, n_layers=2, n_heads=4, vocab_size=len(vocab), max_position_embeddings=40, num_labels=2, attn_implementation="eager"), bert, None, False),
    ("modernbert", "ModernBertModel", modern, bert, "mean", True), ("modernbertlabels", "ModernBertForSequenceClassification", dict(**modern, num_labels=2, classifier_pooling="mean"), bert, None, False),
    ("nomic", "NomicBertModel", dict(**sizes, rope_parameters={"rope_type": "default", "rope_theta": 1000.0}), bert, "mean", True),
    ("masked", "BertForMaskedLM", sizes, bert, None, False),
]
shutil.rmtree(here, ignore_errors=True)
for name, kind, config, tokenizer, pooling, normalize in CASES:
    torch.manual_seed(7)
    cls = getattr(transformers, kind)
    m = cls(cls.config_class(**config)).eval()
    for p in m.parameters():
        p.data = torch.randn_like(p) * 0.3 + (1.0 if p.dim() == 1 and p.shape[0] == 16 else 0.0)
    tok = transformers.PreTrainedTokenizerFast(**tokenizer)
    folder = f"{here}/{name}"
    out = {"texts": texts, "pairs": pairs}
    if pooling:
        m.save_pretrained(folder + "/raw")
        tok.save_pretrained(folder + "/raw")
        t = Transformer(folder + "/raw", max_seq_length=20)
        parts = [t, Pooling(16, pooling_mode=pooling)] + ([Normalize()] if normalize else [])
        s = SentenceTransformer(modules=parts, device="cpu", prompts={"query": "dog: ", "document": ""})
        out["embeddings"] = s.encode(texts, batch_size=3).tolist()
        out["queries"] = s.encode(texts[:2], prompt_name="query").tolist()
        s.save(folder)
        shutil.rmtree(folder + "/raw")
        for extra in ("README.md", "model_card.json"):
            if os.path.exists(f"{folder}/{extra}"):
                os.remove(f"{folder}/{extra}")
    else:
        m.save_pretrained(folder)
        tok.save_pretrained(folder)
    with torch.no_grad():
        batch = tok(texts, padding=True, truncation=True, max_length=40, return_tensors="pt")
        batch = {k: v for k, v in batch.items() if k != "token_type_ids" or "type_vocab_size" in dir(m.config)}
        if "labels" in name:
            out["logits"] = m(**{k: v for k, v in batch.items() if k != "token_type_ids"}).logits.tolist()
            both = tok([a for a, _ in pairs], [b for _, b in pairs], padding=True, return_token_type_ids=True, return_tensors="pt")
            if "roberta" in name or "distil" in name or "modern" in name:
                both.pop("token_type_ids", None)
            out["pair_logits"] = m(**both).logits.tolist()
        elif pooling:
            out["hidden"] = m(**{k: v for k, v in tok(texts[2], return_tensors="pt").items() if k != "token_type_ids"}).last_hidden_state[0].tolist()
    with open(folder + "/golden.json", "w") as f:
        json.dump({k: [[round(x, 6) if isinstance(x, float) else x for x in row] if isinstance(row, list) else row for row in v] for k, v in out.items()}, f)
    print(name, sorted(os.listdir(folder)))
