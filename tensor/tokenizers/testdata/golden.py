"""Trains small tokenizers on a few lines of text and writes them, and what they make of texts (golden.json), into this folder.

    pip install tokenizers==0.22.2 sentencepiece && python3 golden.py
"""
import io
import json
import os

import sentencepiece
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

here = os.path.dirname(os.path.abspath(__file__))
corpus = [
    "The cat sat on the mat and looked at the moon.", "A cat and a dog went to the park; the dog's ball rolled away!",
    "It's 1234 o'clock, they'd say, and 56789 stars shine above the sea.", "func main() {\n\tfmt.Println(\"hello, world\")\n}\n",
    "Die Katze saß auf der Matte und schaute den Mond an.", "Le chat était assis; il regardait la lune à côté.", "    four spaces,\t tabs \n\n and lines",
] * 3
texts = [
    "", " ", "   ", "The cat", " the cat", "the  cat   sat", "It's the dog's; THEY'D say so.", "12345678 and 1.5e-7", "x = [1,2,3]\n\n\n  y\t= 4  ",
    "naïve café 猫 🙂 e\u0301", "tail \n", "\u00a0nbsp\u2003em", "a<|end|>b", "<s>the</s>", "zzqqxx%%%~~~^^^", "hello, world\r\nthe end",
]
llama3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def byte_level(pattern, normalizer=None, bos=False):
    t = Tokenizer(models.BPE(ignore_merges=bos))
    if normalizer:
        t.normalizer = normalizer
    first = [pre_tokenizers.Split(Regex(pattern), "isolated")] if pattern else []
    t.pre_tokenizer = pre_tokenizers.Sequence(first + [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=not pattern)])
    t.decoder = decoders.ByteLevel()
    special = ["<|begin|>", "<|end|>"]
    t.train_from_iterator(corpus, trainers.BpeTrainer(vocab_size=400, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    if bos:
        t.post_processor = processors.Sequence([
            processors.ByteLevel(trim_offsets=False),
            processors.TemplateProcessing(single="<|begin|> $A", pair="<|begin|> $A <|begin|> $B", special_tokens=[("<|begin|>", 0)])])
    return t


special = ["<unk>", "<s>", "</s>"]
raw = [f"<0x{b:02X}>" for b in range(256)]


def llama2():
    t = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    t.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    t.train_from_iterator(corpus, trainers.BpeTrainer(vocab_size=480, special_tokens=special + raw, show_progress=False))
    j = json.loads(t.to_str())
    j["added_tokens"] = j["added_tokens"][:3]  # the bytes are not added tokens in Llama's files
    t = Tokenizer.from_str(json.dumps(j))
    t.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    t.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)])
    return t


def unigram():
    t = Tokenizer(models.Unigram())
    t.pre_tokenizer = pre_tokenizers.Metaspace()
    t.train_from_iterator(corpus, trainers.UnigramTrainer(vocab_size=120, special_tokens=special, unk_token="<unk>", show_progress=False))
    t.decoder = decoders.Metaspace()
    return t


def fuse():
    """Characters without a token are one unknown token together, and there are no bytes for them."""
    t = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True))
    t.pre_tokenizer = pre_tokenizers.Metaspace()
    t.train_from_iterator(corpus[:2], trainers.BpeTrainer(vocab_size=60, special_tokens=special, show_progress=False))
    t.decoder = decoders.Metaspace()
    return t


def options():
    """Added tokens of every kind."""
    t = byte_level("", normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()]))
    for token in ["<mask>", "<end>", "<both>"]:
        t.add_special_tokens([AddedToken(token, lstrip=token != "<end>", rstrip=token != "<mask>", normalized=False)])
    t.add_tokens([
        AddedToken("word", single_word=True), AddedToken("é", single_word=True, normalized=False), AddedToken("Cat", normalized=True), AddedToken("DOG", normalized=False),
        AddedToken("the moon", normalized=True), AddedToken("<r>", rstrip=True, single_word=True), AddedToken("ab"), AddedToken("abc")])
    return t


awkward = [
    "ñèword word\tkeyword word.", "a <mask>  the <end>  cat  <both>  x<mask>", "CAT cat DOG dog The Moon", "é éa e\u0301 É", "<r> x<r> <r>  abc ab abd", "İΣΑΣ ﬁ ½² Ⅷ",
    "猫猫 猫a🙂🙂", "<unk>ñ<unk>", "wordword_word-word", "<both><both> <end>\u00a0 <mask>",
]

golden = []
for name, t in {
    "gpt2": byte_level(""), "llama3": byte_level(llama3, bos=True), "qwen": byte_level(llama3.replace("{1,3}", ""), normalizers.NFC()),
    "llama2": llama2(), "unigram": unigram(), "fuse": fuse(), "options": options(),
}.items():
    if name == "qwen":
        t.add_tokens([AddedToken("<think>", special=False)])
    t.save(f"{here}/{name}.json", pretty=False)
    for text in texts + ["<think>the"] + (awkward if name in ("fuse", "options") else []):
        ids = t.encode(text).ids
        golden.append({"tokenizer": name, "text": text, "ids": ids, "decoded": t.decode(ids)})

model = io.BytesIO()
sentencepiece.SentencePieceTrainer.train(
    sentence_iterator=iter(corpus), model_writer=model, vocab_size=420, model_type="bpe", byte_fallback=True, character_coverage=0.99,
    normalization_rule_name="identity", remove_extra_whitespaces=False, minloglevel=2)
s = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
n = s.vocab_size()
kinds = [2 if s.is_unknown(i) else 3 if s.is_control(i) else 6 if s.is_byte(i) else 1 for i in range(n)]
meta = {
    "tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": [s.id_to_piece(i) for i in range(n)], "tokenizer.ggml.scores": [s.get_score(i) for i in range(n)],
    "tokenizer.ggml.token_type": kinds, "tokenizer.ggml.bos_token_id": s.bos_id(), "tokenizer.ggml.eos_token_id": s.eos_id(), "tokenizer.ggml.unknown_token_id": s.unk_id(),
}
json.dump(meta, open(f"{here}/sentencepiece.json", "w"), ensure_ascii=False)
for text in texts:
    if not text or "<s>" in text:
        continue  # a text of nothing has no space before it in SentencePiece, and <s> is not looked for
    ids = s.encode(text, add_bos=True)
    golden.append({"tokenizer": "sentencepiece", "text": text, "ids": ids, "decoded": s.decode(ids)})

with open(f"{here}/golden.json", "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(g, ensure_ascii=False) for g in golden) + "\n]\n")
