"""Trains small models of SentencePiece, and records what Google's sentencepiece makes of awkward texts with them, and transformers with folders that have no other tokenizer.

    pip install sentencepiece==0.2.1 transformers==4.57.3 && python3 spm.py          # some texts each: spm.json
    pip install sentencepiece==0.2.1 transformers==4.57.3 && python3 spm.py FOLDER   # 5,000 each, and the whole tables of normalization: FOLDER/spm.json
"""
import base64
import io
import json
import os
import random
import shutil
import sys
import tempfile

import sentencepiece
import transformers
from sentencepiece import sentencepiece_model_pb2 as pb

here = os.path.dirname(os.path.abspath(__file__))
folder = sys.argv[1] if len(sys.argv) > 1 else None
corpus = [
    "The cat sat on the mat and looked at the moon.", "A cat and a dog went to the park; the dog's ball rolled away!", "It's 1234 o'clock, they'd say, and 56789 stars shine above the sea.",
    "func main() {\n\tfmt.Println(\"hello, world\")\n}\n", "Die Katze saß auf der Matte und schaute den Mond an.", "Le chat était assis; il regardait la lune à côté.", "    four spaces,\t tabs \n\n and lines",
    "猫がマットの上に座った。ﬁ ½ ㎏ Ⅷ ｱｲｳ", "I do not know, we've seen you're I'm don't he's .",
] * 3
rules = tempfile.NamedTemporaryFile("w", suffix=".tsv", delete=False)
for a, b in [("ﬁ", "fi"), ("½", "1/2"), ("é", "é"), ("é̂", "E"), ("\t", " "), ("\n", " "), ("\u00a0", " "), ("\u200b", ""), ("ab", "ba"), ("abc", "x y "), ("Å", "A"), ("ｱ", "ア"), ("\u3000", "  "), ("T", "t")]:
    rules.write(" ".join(f"{ord(c):X}" for c in a) + "\t" + " ".join(f"{ord(c):X}" for c in b) + "\n")
rules.close()


def train(kind, size, **options):
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(corpus), model_writer=out, model_type=kind, vocab_size=size, hard_vocab_limit=False, minloglevel=2, **options)
    return out.getvalue()


def changed(model, how):
    m = pb.ModelProto()
    m.ParseFromString(model)
    how(m)
    return m.SerializeToString()


def unused(m):
    for i, p in enumerate(m.pieces):
        if p.type == 1 and len(p.piece) > 2 and i % 3 == 0:
            p.type = 5


small = dict(normalization_rule_tsv=rules.name)
user = dict(user_defined_symbols=["<sep>", "cat", "catc", "▁▁", "猫が", "ａ"])
kinds = {
    "unigram": train("unigram", 150, **small), "bpe": train("bpe", 200, **small),
    "unigram identity": train("unigram", 150, normalization_rule_name="identity", remove_extra_whitespaces=False),
    "bpe llama": train("bpe", 460, normalization_rule_name="identity", remove_extra_whitespaces=False, byte_fallback=True, character_coverage=0.98, split_digits=True),
    "bpe gemma": train("bpe", 470, normalization_rule_name="identity", remove_extra_whitespaces=False, add_dummy_prefix=False, byte_fallback=True, pad_id=0, eos_id=1, bos_id=2, unk_id=3, **user),
    "unigram bytes": train("unigram", 420, byte_fallback=True, character_coverage=0.98, **small), "unigram user": train("unigram", 170, **user, **small),
    "bpe user": train("bpe", 220, **user, **small), "unigram t5": train("unigram", 150, pad_id=0, eos_id=1, unk_id=2, bos_id=-1, **small),
    "no prefix": train("unigram", 150, add_dummy_prefix=False, control_symbols=["<ctl>"], **small),
}
kinds["unigram unused"] = changed(kinds["unigram"], unused)
kinds["bpe unused"] = changed(kinds["bpe user"], unused)
if folder:
    for name in ["nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf"]:
        kinds[name] = train("unigram", 200, normalization_rule_name=name)
        kinds["bpe " + name] = train("bpe", 400, normalization_rule_name=name, byte_fallback=True)

random.seed(3)
pools = [list(" \t\n\r\u00a0\u3000\u200b\u200d\ufeff\ufffd\x00\x07\x85\u2028"), list("'\"`.,;:!?-_/\\()[]{}<>@#$%^&*+=|~§¶…—“”«»¿¡。、"), list("éàüßñçøåÉÀÜİıſΣςΔдЖ"),
         ["e\u0301", "a\u0300", "n\u0303\u0323", "e\u0301\u0302", "ｶﾞ", "ﬁ", "½", "㎏", "Ⅷ", "①", "Å", "ﷺ", "가", "각", "\u1100\u1161\u11a8"], list("猫中文字日本語のｱｲｳ한국어"),
         ["🙂", "👨‍👩‍👧", "🇩🇪", "👍🏽", "❤️"], ["<s>", "</s>", "<unk>", "<pad>", "<0x41>", "▁", "▁▁", "<sep>", "<ctl>", "cat", "catcat", "ab", "abc", "ａ", "<extra_id_0>", "<extra_id_3>"], ["the", "AT", "at", "999", "٣", "１"]]
pools += [[w for line in corpus for w in line.split(" ")]] * 6


def awkward():
    out = ""
    for _ in range(random.randint(0, 12)):
        if random.random() < 0.08:
            out += chr(random.choice([random.randint(0x80, 0x3000), random.randint(0x3000, 0xD7FF), random.randint(0xE000, 0xFFFF), random.randint(0x10000, 0x1FFFF), random.randint(0x20000, 0x10FFFF)]))
        else:
            out += random.choice(random.choice(pools))
        if random.random() < 0.4:
            out += " " * random.randint(1, 3)
    return out


texts = ["", " ", "   ", "▁", "The cat", "  it's  the dog's; THEY'D say so. ", "naïve café 猫 🙂 e\u0301 ½", "a <s>b </s> <sep>c<ctl>", "catcatxyzzyunknownword", "abcab abca", "<0x41>", "\x00a"]
texts += [awkward() for _ in range(5000 if folder else 40)]
out = []
for name, model in kinds.items():
    s = sentencepiece.SentencePieceProcessor(model_proto=model)
    results = []
    for text in texts:
        ids = s.encode(text)
        results.append({"text": text, "ids": ids, "decoded": s.decode(ids)})
    numbers = random.Random(4)
    tokens = range(s.vocab_size())
    rows = [[numbers.choice(tokens) for _ in range(numbers.randint(1, 8))] for _ in range(30)]
    marks = [i for i in tokens if s.is_byte(i)]
    if marks:
        rows += [[numbers.choice(marks if numbers.random() < 0.8 else tokens) for _ in range(8)] for _ in range(30)]
        rows += [[marks[b] for b in text] for text in [b",sxh\xc1", b" a", b"\n\xf0\x9f", b"\xf0\x9f\x98\x80\xf0\x9f", b"\xe2\x81\x87\xed\xa0\x80"]]
    ids = [{"ids": row, "decoded": s.decode(row)} for row in rows]
    out.append({"name": name, "model": base64.b64encode(model).decode(), "bos": s.bos_id(), "eos": s.eos_id(), "results": results, "random": ids})

# Folders: the classes of transformers that call sentencepiece.
for name, kind, file, model, options in [
    ("T5", transformers.T5Tokenizer, "spiece.model", "unigram t5", dict(extra_ids=5, legacy=True)), ("T5 legacy", transformers.T5Tokenizer, "spiece.model", "unigram t5", dict(extra_ids=5, legacy=False)),
    ("Llama", transformers.LlamaTokenizer, "tokenizer.model", "bpe llama", dict(legacy=True)), ("Llama new", transformers.LlamaTokenizer, "tokenizer.model", "bpe llama", dict(legacy=False)),
    ("Gemma", transformers.GemmaTokenizer, "tokenizer.model", "bpe gemma", {}),
]:
    with tempfile.TemporaryDirectory() as d:
        with open(f"{d}/{file}", "wb") as f:
            f.write(kinds[model])
        tok = kind(f"{d}/{file}", **options)
        tok.save_pretrained(d + "/saved")
        files = {n: open(f"{d}/saved/{n}").read() for n in os.listdir(d + "/saved") if n.endswith(".json")}
        results = []
        for text in texts:
            ids = tok(text).input_ids
            if "T5" in name:  # it adds no second </s> to a text that ends with one, and says that this will change; the fast one does
                ids = tok.convert_tokens_to_ids(tok.tokenize(text)) + [tok.eos_token_id]
            results.append({"text": text, "ids": ids})
        out.append({"name": name, "file": file, "model": base64.b64encode(kinds[model]).decode(), "files": files, "bos": tok.bos_token_id if tok.bos_token_id is not None else -1, "eos": tok.eos_token_id, "results": results})
os.unlink(rules.name)
with open((folder or here) + "/spm.json", "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(o, ensure_ascii=False, separators=(",", ":")) for o in out) + "\n]\n")
print(len(out), "models,", len(texts), "texts each")
