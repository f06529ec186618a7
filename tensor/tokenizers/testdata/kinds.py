"""Makes small tokenizers of every kind of Hugging Face's tokenizers, and records what they make of awkward texts.

    pip install tokenizers==0.22.2 sentencepiece && python3 kinds.py            # a few texts each: kinds.json
    pip install tokenizers==0.22.2 sentencepiece && python3 kinds.py FOLDER     # 5,000, FOLDER/kinds.json, and SentencePiece's whole table of characters
"""
import base64
import io
import json
import os
import random
import sys

import sentencepiece
from sentencepiece import sentencepiece_model_pb2 as pb
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers as N, pre_tokenizers as P, processors, trainers

here = os.path.dirname(os.path.abspath(__file__))
folder = sys.argv[1] if len(sys.argv) > 1 else None
corpus = [
    "The cat sat on the mat and looked at the moon.", "A cat and a dog went to the park; the dog's ball rolled away!", "It's 1234 o'clock, they'd say, and 56789 stars shine above the sea.",
    "func main() {\n\tfmt.Println(\"hello, world\")\n}\n", "Die Katze saß auf der Matte und schaute den Mond an.", "Le chat était assis; il regardait la lune à côté.", "    four spaces,\t tabs \n\n and lines",
    "猫がマットの上に座った。ﬁ ½ ㎏ Ⅷ ｱｲｳ", "I do not know, we've seen you're I'm don't he's .",
] * 3
special = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]


def trained(model, trainer, normalizer=None, pre=None, text=corpus):
    t = Tokenizer(model)
    if normalizer:
        t.normalizer = normalizer
    if pre:
        t.pre_tokenizer = pre
    t.train_from_iterator(text, trainer)
    return t


def wordpiece(normalizer, pre=None, n=260, **options):
    t = trained(models.WordPiece(unk_token="[UNK]", **options), trainers.WordPieceTrainer(vocab_size=n, special_tokens=special, show_progress=False), normalizer, pre or P.BertPreTokenizer())
    t.decoder = decoders.WordPiece()
    t.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)])
    return t


def bpe(normalizer=None, pre=None, decoder=None, n=200, alphabet=(), **options):
    t = trained(models.BPE(unk_token="[UNK]", **options), trainers.BpeTrainer(
        vocab_size=n, special_tokens=special, show_progress=False, initial_alphabet=list(alphabet), continuing_subword_prefix=options.get("continuing_subword_prefix") or "",
        end_of_word_suffix=options.get("end_of_word_suffix") or ""), normalizer, pre)
    if decoder:
        t.decoder = decoder
    return t


def words(pre, normalizer=None):
    """A tokenizer of letters, by which one sees where words end."""
    t = Tokenizer(models.WordPiece(vocab={"[UNK]": 0, **{p + chr(c): i * 2 + k + 1 for i, c in enumerate([*range(33, 127), 0xE9, 0x4E2D]) for k, p in enumerate(["", "##"])}}, unk_token="[UNK]"))
    t.pre_tokenizer = pre
    if normalizer:
        t.normalizer = normalizer
    t.decoder = decoders.WordPiece(cleanup=False)
    return t


def charsmap(**options):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(corpus), model_writer=model, vocab_size=150, model_type="unigram", hard_vocab_limit=False, minloglevel=2, **options)
    return pb.ModelProto.FromString(model.getvalue()).normalizer_spec.precompiled_charsmap


def unigram(normalizer, scheme="always", decoder=None, byte_fallback=False, n=160):
    t = trained(models.Unigram(), trainers.UnigramTrainer(vocab_size=n, special_tokens=["<unk>", "<s>", "</s>"] + ([f"<0x{b:02X}>" for b in range(256)] if byte_fallback else []), unk_token="<unk>", show_progress=False),
                normalizer, P.Metaspace(prepend_scheme=scheme))
    t.decoder = decoder or decoders.Metaspace(prepend_scheme=scheme)
    if byte_fallback:
        j = json.loads(t.to_str())
        j["model"]["byte_fallback"] = True
        j["added_tokens"] = j["added_tokens"][:3]
        t = Tokenizer.from_str(json.dumps(j))
    t.post_processor = processors.TemplateProcessing(single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 2)])
    return t


small = here + "/rules.tsv"  # a small table of characters: SentencePiece's own has 240 kB
with open(small, "w") as f:
    for a, b in [("\t", " "), ("\u00a0", " "), ("\u3000", " "), ("ﬁ", "fi"), ("½", "1⁄2"), ("e\u0301", "é"), ("a\u0300", "à"), ("㎏", "kg"), ("\u200b", ""), ("Ａ", "A"), ("ｶﾞ", "ガ")]:
        f.write(" ".join(f"{ord(c):X}" for c in a) + "\t" + " ".join(f"{ord(c):X}" for c in b) + "\n")
maps = {"small": charsmap(normalization_rule_tsv=small)}
os.remove(small)
if folder:
    maps["nmt_nfkc"] = charsmap(normalization_rule_name="nmt_nfkc")
    maps["nmt_nfkc_cf"] = charsmap(normalization_rule_name="nmt_nfkc_cf")

kinds = {
    "bert uncased": wordpiece(N.BertNormalizer(lowercase=True)),
    "bert cased": wordpiece(N.BertNormalizer(lowercase=False)),
    "bert accents": wordpiece(N.BertNormalizer(lowercase=False, strip_accents=True, handle_chinese_chars=False, clean_text=False), max_input_chars_per_word=6),
    "wordpiece with another prefix": wordpiece(N.Sequence([N.NFKD(), N.StripAccents(), N.Strip()]), P.Whitespace(), continuing_subword_prefix="@@"),
    "nmt": wordpiece(N.Sequence([N.Nmt(), N.NFKC(), N.Lowercase(), N.Replace(Regex(r"\d+"), "#"), N.Replace("the", "THE"), N.Prepend("x")]), P.WhitespaceSplit()),
    "whitespace": words(P.Whitespace()), "whitespace split": words(P.WhitespaceSplit()), "punctuation removed": words(P.Punctuation("removed")),
    "delimiter": words(P.CharDelimiterSplit("e")), "digits": words(P.Digits(individual_digits=False)), "single digits": words(P.Sequence([P.WhitespaceSplit(), P.Digits(individual_digits=True)])),
    "strip left": words(P.WhitespaceSplit(), N.Strip(left=True, right=False)),
    "clip": bpe(N.Sequence([N.NFC(), N.Replace(Regex(r"\s+"), " "), N.Lowercase()]),
                P.Sequence([P.Split(Regex(r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"), "removed", invert=True), P.ByteLevel(add_prefix_space=False, use_regex=True)]),
                decoders.ByteLevel(), n=600, alphabet=P.ByteLevel.alphabet(), end_of_word_suffix="</w>"),
    "bpe with a prefix": bpe(None, P.Whitespace(), decoders.BPEDecoder("</w>"), continuing_subword_prefix="##", end_of_word_suffix="</w>"),
    "gemma": bpe(N.Replace(" ", "▁"), P.Split(" ", "merged_with_previous"), decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]), fuse_unk=True),
    "ctc": bpe(None, P.Split(Regex("."), "isolated"), decoders.CTC(pad_token="[PAD]", word_delimiter_token="e", cleanup=True)),
    "decoders": bpe(None, P.WhitespaceSplit(), decoders.Sequence([decoders.Strip("t", 2, 0), decoders.Replace(Regex("[aeiou]+"), "-"), decoders.Fuse(), decoders.Strip("-", 1, 0)])),
    "byte level normalizer": bpe(N.ByteLevel(), P.Split(Regex("Ġ"), "merged_with_next"), decoders.ByteLevel(), alphabet=P.ByteLevel.alphabet(), n=400),
    "metaspace decoder in a sequence": unigram(N.NFKC(), "first", decoders.Sequence([decoders.Metaspace(prepend_scheme="first"), decoders.Strip("T", 1, 0)])),
    "unigram always": unigram(N.NFC(), "always"), "unigram never": unigram(N.Replace(Regex(" {2,}"), " "), "never"), "unigram with bytes": unigram(N.NFC(), byte_fallback=True, n=420,
        decoder=decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])),
    "albert": unigram(N.Sequence([N.Replace("``", '"'), N.Replace("''", '"'), N.NFKD(), N.StripAccents(), N.Lowercase(), N.Precompiled(maps["small"])]), "always"),
    "word level": trained(models.WordLevel(unk_token="[UNK]"), trainers.WordLevelTrainer(vocab_size=60, special_tokens=special, show_progress=False), N.Lowercase(), P.Sequence([P.Whitespace(), P.Punctuation()])),
}
for behavior in ["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]:
    kinds["split " + behavior] = words(P.Split(Regex("[a-f ]"), behavior))
    kinds["split inverted " + behavior] = words(P.Split("at", behavior, invert=True))
kinds["unicode scripts"] = words(P.UnicodeScripts())
kinds["scripts in a sequence"] = words(P.Sequence([P.UnicodeScripts(), P.WhitespaceSplit()]))
kinds["fixed length"] = words(P.FixedLength(length=3))
kinds["fixed length after spaces"] = bpe(None, P.Sequence([P.WhitespaceSplit(), P.FixedLength(length=2)]), None, n=200)
kinds["bpe dropout 0"] = bpe(None, P.WhitespaceSplit(), None, n=200, dropout=0.0)
for name, table in maps.items():
    kinds["precompiled " + name] = unigram(N.Sequence([N.Precompiled(table), N.Replace(Regex(" {2,}"), " ")]))
kinds["bert cased"].post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
kinds["clip"].post_processor = processors.RobertaProcessing(("[SEP]", 2), ("[CLS]", 1), trim_offsets=False, add_prefix_space=False)
kinds["word level"].post_processor = processors.TemplateProcessing(single="[CLS] [MASK] $0 [SEP] [PAD]", pair="$B:2 [SEP]:3 $A", special_tokens=[("[CLS]", 1), ("[MASK]", 4), ("[SEP]", 2), ("[PAD]", 3)])
kinds["bert uncased"].add_special_tokens([AddedToken("<m>", lstrip=True, normalized=False)])

random.seed(3)
pools = [list(" \t\n\r\u00a0\u3000\u200b\u200d\ufeff\ufffd\x00\x07\x85\u2028"), list("'\"`.,;:!?-_/\\()[]{}<>@#$%^&*+=|~§¶…—“”«»¿¡。、"), list("éàüßñçøåÉÀÜİıſΣςΔдЖ"),
         ["e\u0301", "a\u0300", "n\u0303\u0323", "e\u0301\u0301", "ｶﾞ", "ﬁ", "½", "㎏", "Ⅷ", "①", "Å", "ﷺ", "가", "각", "\u1100\u1161\u11a8"], list("猫中文字日本語のｱｲｳ한국어"),
         ["🙂", "👨‍👩‍👧", "🇩🇪", "👍🏽", "🤣", "❤️"], ["[CLS]", "[MASK]", "<m>", "</s>", "<unk>", "<0x41>", "▁", "Ġ", "##", "</w>", "@@"], ["do not", "n't", " 's", " .", "``", "''", "the", "AT", "at", "999", "٣", "１"]]
pools += [[w for line in corpus for w in line.split(" ")]] * 6


def awkward():
    out = ""
    for _ in range(random.randint(0, 12)):
        if random.random() < 0.08:
            c = random.choice([random.randint(0x80, 0x3000), random.randint(0x3000, 0xD7FF), random.randint(0xE000, 0xFFFF), random.randint(0x10000, 0x1FFFF), random.randint(0x20000, 0x10FFFF)])
            out += chr(c)
        else:
            out += random.choice(random.choice(pools))
        if random.random() < 0.4:
            out += " " * random.randint(1, 2)
    return out


texts = ["", " ", "The cat", "  it's  the dog's; THEY'D say so. ", "naïve café 猫 🙂 e\u0301 ½", "a <m>[MASK]b </s>", "I do not know , he 's n't .", "İΣ ﬁ\u00a0\u200b\tx\x00y", "1234 a1b22", "catcatxyzzyunknownword"]
texts += [awkward() for _ in range(5000 if folder else 8)]
out = []
for name, t in kinds.items():
    results = []
    for text in texts:
        ids = t.encode(text).ids
        results.append({"text": text, "ids": ids, "decoded": t.decode(ids)})
    pairs = []
    for a, b in zip(texts[2:20], texts[3:21]):
        e = t.encode(a, b)
        pairs.append({"text": a, "second": b, "ids": e.ids, "types": e.type_ids})
    if t.post_processor is None:
        pairs = []
    out.append({"name": name, "tokenizer": json.loads(t.to_str()), "results": results, "pairs": pairs if folder else pairs[:3]})
with open((folder or here) + "/kinds.json", "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(o, ensure_ascii=False, separators=(",", ":")) for o in out) + "\n]\n")
print(len(out), "tokenizers,", len(texts), "texts each")
