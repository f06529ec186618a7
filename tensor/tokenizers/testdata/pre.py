"""Makes one byte-level tokenizer, and records what Hugging Face's tokenizers make of awkward texts with it, when they cut words as each tokenizer.ggml.pre of llama.cpp stands for: pre.json.

    pip install tokenizers && python3 pre.py

The patterns are those of the models' tokenizer.json; Qwen 2, GPT-NeoX and Command R normalise a text to NFC first, as transformers' tokenization_qwen2.py, tokenization_gpt_neox.py and tokenization_cohere.py do.
"""
import json
import os

from tokenizers import Regex, Tokenizer, models, normalizers as N, pre_tokenizers as P, trainers

texts = ["Hello, World! It's 12345 o'clock, THEY'LL say: we've 3 cats.", "  two  spaces\n\n\tand a tab \r\n end  ", "naïve cafe\u0301 — déjà vu: ½ ² Ⅷ 67٣٤", "x=foo(bar[1:23])+=4.56e-7; // it'S \"fine\"\n\n\n}",
         "日本語のテキスト、 русский Текст 🙂🙂 हिन्दी", "snake_case CamelCase HTTPServer iPhone15", "a  b   c    d\n \n  e", "\n\n \n", "don't DON'T we'Re l'été 'tis", "hello hello  hello\nhello"]
contractions = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
end = r"\s*[\r\n]+|\s+(?!\S)|\s+"
upper, lower = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"


letters = "A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-ώᾀ-ᾴᾶ-ᾼιῂ-ῄῆ-ῌῐ-ΐῖ-Ίῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤΩℨK-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃"  # of scripts that have capitals


def split(pattern):
    return P.Sequence([P.Split(Regex(pattern), behavior="isolated"), P.ByteLevel(add_prefix_space=False, use_regex=False)])


def three(digits):
    return split(contractions + r"|[^\r\n\p{L}\p{N}]?\p{L}+|" + digits + r"| ?[^\s\p{L}\p{N}]+[\r\n]*|" + end)


def cased(suffix, digits):
    return split(rf"[^\r\n\p{{L}}\p{{N}}]?{upper}*{lower}+{suffix}|[^\r\n\p{{L}}\p{{N}}]?{upper}+{lower}*{suffix}|{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|" + end)


def sequence(*patterns):
    return P.Sequence([P.Split(Regex(pattern), behavior="isolated") for pattern in patterns] + [P.ByteLevel(add_prefix_space=False, use_regex=False)])


gpt2 = P.ByteLevel(add_prefix_space=False)
single = P.Sequence([P.Digits(individual_digits=True), gpt2])
llama3, qwen2 = three(r"\p{N}{1,3}"), three(r"\p{N}")
KINDS = {  # pre-tokenizer, whether a word that is a token is that, normaliser
    "gpt-2": (gpt2, False, None), "phi-2": (gpt2, False, None), "olmo": (gpt2, False, N.NFC()), "mpt": (gpt2, False, N.NFC()), "granite-docling": (gpt2, False, None), "starcoder": (single, False, None), "refact": (single, False, None),
    "smollm": (single, False, None), "command-r": (single, False, N.NFC()), "llama-bpe": (llama3, True, None), "smaug-bpe": (llama3, False, None), "dbrx": (llama3, False, None),
    "chatglm-bpe": (llama3, False, None), "glm4": (llama3, True, None), "qwen2": (qwen2, False, N.NFC()), "stablelm2": (qwen2, False, None), "deepseek-r1-qwen": (qwen2, False, None),
    "falcon": (P.Sequence([P.Punctuation("contiguous"), gpt2, P.Digits(individual_digits=False), P.Split(Regex("[0-9][0-9][0-9]"), behavior="isolated")]), False, None),
    "deepseek-llm": (P.Sequence([P.Split(Regex(pattern), behavior="isolated") for pattern in (r"[\r\n]", fr"\s?[{letters}]+", r"\s?[!-/:-~！-／：-～‘-‟　-。]+", r"\s+$", "[一-龥ࠀ-一가-퟿]+")]
                                + [P.Digits(individual_digits=True), P.ByteLevel(add_prefix_space=False, use_regex=False)]), False, None),
    "deepseek-v3": (sequence(r"\p{N}{1,3}", "[一-龥\u3040-ゟ゠-ヿ]+", r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|""" + end), False, None),
    "llama4": (cased(contractions + "?", r"\p{N}{1,3}"), False, None), "gpt-4o": (cased(contractions + "?", r"\p{N}{1,3}"), False, None), "tekken": (cased("", r"\p{N}"), True, None),
}
for other, like in {"llama-v3": "llama-bpe", "lfm2": "llama-bpe", "pixtral": "llama-bpe", "falcon3": "llama-bpe", "falcon-h1": "llama-bpe", "glm5": "glm4", "hunyuan": "stablelm2", "exaone": "smollm", "exaone4": "gpt-2", "hunyuan-dense": "deepseek-v3",
                    "minimax-m2": "gpt-4o"}.items():
    KINDS[other] = KINDS[like]
KINDS["qwen35"] = (split(contractions + r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|" + end), False, N.NFC())
KINDS["bloom"] = (split(r" ?[^(\s|[.,!?…。，、।۔،])]+"), False, None)
t = Tokenizer(models.BPE())
t.pre_tokenizer = P.ByteLevel(add_prefix_space=False, use_regex=False)  # merges go across words, so that tokens tell where words end
t.train_from_iterator(texts, trainers.BpeTrainer(vocab_size=520, show_progress=False, initial_alphabet=P.ByteLevel.alphabet()))
model = json.loads(t.to_str())["model"]
vocab = dict(model["vocab"])
for word in ["Ġhello", "Ġsay", "THEY", "123"]:  # tokens that no merges make
    vocab.setdefault(word, len(vocab))
golden = {}
for name, (pre, whole, normalizer) in KINDS.items():
    t = Tokenizer(models.BPE(vocab=vocab, merges=[tuple(m) for m in model["merges"]], ignore_merges=whole))
    t.pre_tokenizer = pre
    if normalizer:
        t.normalizer = normalizer
    golden[name] = [t.encode(text).ids for text in texts]
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "pre.json"), "w") as f:
    json.dump({"tokens": sorted(vocab, key=vocab.get), "merges": [" ".join(m) for m in model["merges"]], "texts": texts, "ids": golden}, f, ensure_ascii=False)
