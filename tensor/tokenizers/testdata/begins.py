"""Records what normalizers of Hugging Face's tokenizers make of the begins and ends of texts and lines, where patterns have anchors, match nothing, or take away the text's first
character, after which Metaspace puts no space before it.

    pip install tokenizers==0.23.3 && python3 begins.py        # begins.json
"""
import json
import os

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers as N, pre_tokenizers as P

patterns = [r"^\s", r"^", r"$", r"\A", r"\z", r"a*", r"x?", r"^a", r"a$", r".", r"(?m).", r"(?m:.)b", r"\s*", r"(?:)", r"(^| )a", r"b|^", r"b|$", r"(?i)A", r"(?im:A.)b", r"[$^]|\^", r"\s+", r"^\s*|a", r"a?\z"]
normalizers = {p + c: N.Replace(Regex(p), c) for p in patterns for c in ["", "b"]}
normalizers |= {
    "strip": N.Strip(), "strip left": N.Strip(left=True, right=False), "strip right": N.Strip(left=False, right=True), "accents": N.StripAccents(), "nmt": N.Nmt(), "bert": N.BertNormalizer(lowercase=False),
    "bert lowercase": N.BertNormalizer(), "nfd": N.Sequence([N.NFD(), N.StripAccents()]), "nfkc": N.NFKC(), "prepend": N.Prepend("▁"), "lowercase": N.Lowercase(), "spaces": N.Replace(" ", ""), "two": N.Replace("aa", "b"),
    "one": N.Replace("a", "bb"), "space": N.Replace(" ", "▁"), "strip and prepend": N.Sequence([N.Strip(), N.Prepend("b")]), "two steps": N.Sequence([N.Nmt(), N.Replace(Regex("^b"), "")]),
}
texts = ["  a\n a\n", "aab\naa", "", "\n\n", " \u200ba b", "\u0301ab", "\x00 a", "½ a", "<m> a", "a<m>\u200bab ab", "İab", "éa b", "\u200b\u200b<m>a", "abab b", "\n\na", "b\u0301 $^ab", "\x07ba"]
letters = sorted({c for t in texts for c in t if c.isprintable() or c in "\n "} | set("▁eia12⁄\u0307i̇"))


def tokenizer(normalizer, scheme):
    t = Tokenizer(models.BPE({"[UNK]": 0, **{c: i + 1 for i, c in enumerate(letters)}}, [], unk_token="[UNK]"))
    t.normalizer, t.pre_tokenizer, t.decoder = normalizer, P.Metaspace(prepend_scheme=scheme), decoders.Fuse()
    t.add_tokens([AddedToken("ab", normalized=True)])
    t.add_special_tokens([AddedToken("<m>", normalized=False)])
    return t


plain = tokenizer(None, "never")  # what added tokens are decoded to does not depend on the normalizer here
out = []
for i, (name, n) in enumerate(normalizers.items()):
    for scheme in ["first", "always"] if i % 5 == 0 else ["first"]:
        t = tokenizer(n, scheme)
        results = []
        for text in texts:
            try:
                ids = t.encode(text).ids
            except BaseException:  # "AddedVocabulary bad split": a defect of 0.23 at texts that grow
                continue
            results.append({"text": text, "ids": ids, "decoded": plain.decode(ids)})
        out.append({"name": f"{name}, {scheme}", "tokenizer": json.loads(t.to_str()), "results": results})
with open(os.path.dirname(os.path.abspath(__file__)) + "/begins.json", "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(o, ensure_ascii=False, separators=(",", ":")) for o in out) + "\n]\n")
print(len(out), "tokenizers,", len(texts), "texts each")
