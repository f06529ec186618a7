package tokenizers

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// The kinds of tokens in GGUF files.
const (
	kindUnknown = 2
	kindControl = 3
	kindUser    = 4
)

// cut is how a byte-level model cuts words, and what it does before and after.
type cut struct {
	before  func(t *Tokenizer) error // what cuts first, or nil
	pattern string                   // "" is none
	after   func(t *Tokenizer) error // what cuts then, or nil
	digits  bool                     // each digit is a word of its own
	nfc     bool                     // texts are normalised first
	whole   bool                     // a word that is a token is that one, whatever merges would make of it
	bos     bool                     // texts begin with BOS, where the file does not say
}

// cuts are those of the models that tokenizer.ggml.pre is named after.
var cuts = map[string]cut{
	"gpt-2": {pattern: gpt2Pattern}, "phi-2": {pattern: gpt2Pattern}, "granite-docling": {pattern: gpt2Pattern},
	"olmo": {pattern: gpt2Pattern, nfc: true}, "mpt": {pattern: gpt2Pattern, nfc: true}, // of GPT-NeoX and Mamba, too

	"starcoder": {pattern: gpt2Pattern, digits: true}, "refact": {pattern: gpt2Pattern, digits: true},
	"smollm": {pattern: gpt2Pattern, digits: true}, "command-r": {pattern: gpt2Pattern, digits: true, nfc: true},

	"llama-bpe": {pattern: llama3Pattern, whole: true, bos: true}, "llama3": {pattern: llama3Pattern, whole: true, bos: true},
	"smaug-bpe": {pattern: llama3Pattern}, "dbrx": {pattern: llama3Pattern}, "chatglm-bpe": {pattern: llama3Pattern},
	"glm4": {pattern: llama3Pattern, whole: true},

	"qwen2": {pattern: qwen2Pattern, nfc: true}, "deepseek-r1-qwen": {pattern: qwen2Pattern},
	"stablelm2": {pattern: qwen2Pattern},

	"gpt-4o": {pattern: gpt4oPattern}, "llama4": {pattern: gpt4oPattern},
	"deepseek-v3":  {before: (*Tokenizer).deepSeek3, pattern: deepSeekPattern},
	"deepseek-llm": {before: (*Tokenizer).deepSeek2, digits: true},
	"falcon":       {before: punctuation, pattern: gpt2Pattern, after: (*Tokenizer).threeDigits},
	"tekken":       {pattern: tekkenPattern, whole: true, bos: true},

	"llama-v3": {pattern: llama3Pattern, whole: true, bos: true}, "lfm2": {pattern: llama3Pattern, whole: true, bos: true},
	"pixtral": {pattern: llama3Pattern, whole: true, bos: true}, "falcon3": {pattern: llama3Pattern, whole: true, bos: true},
	"falcon-h1": {pattern: llama3Pattern, whole: true, bos: true}, "glm5": {pattern: llama3Pattern, whole: true},
	"qwen35": {pattern: qwen35Pattern, nfc: true}, "hunyuan": {pattern: qwen2Pattern},
	"bloom": {pattern: bloomPattern}, "exaone": {pattern: gpt2Pattern, digits: true}, "exaone4": {pattern: gpt2Pattern},
	"hunyuan-dense": {before: (*Tokenizer).deepSeek3, pattern: deepSeekPattern}, "minimax-m2": {pattern: gpt4oPattern},
}

// metadata are the keys of a GGUF file.
type metadata map[string]any

// list returns an array of metadata, whatever slice it is in.
func list[T any](m metadata, key string, from func(any) (T, bool)) ([]T, error) {
	v, ok := m[key]
	if !ok {
		return nil, nil
	}
	all, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("tokenizers: %s is a %T, not an array", key, v)
	}
	out := make([]T, len(all))
	for i, x := range all {
		if out[i], ok = from(x); !ok {
			return nil, fmt.Errorf("tokenizers: element %d of %s is %v", i, key, x)
		}
	}
	return out, nil
}

func text(v any) (string, bool) { s, ok := v.(string); return s, ok }

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case uint64:
		return float64(v), true
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// id returns a token that metadata names, or what there is without it.
func (m metadata) id(key string, size, otherwise int) (int, error) {
	v, ok := m[key]
	if !ok {
		return otherwise, nil
	}
	n, ok := number(v)
	if !ok || n < 0 || n >= float64(size) {
		return 0, fmt.Errorf("tokenizers: %s is %v, among %d tokens", key, v, size)
	}
	return int(n), nil
}

func (m metadata) flag(key string, otherwise bool) bool {
	if v, ok := m[key].(bool); ok {
		return v
	}
	return otherwise
}

// FromGGUF makes the tokenizer that the metadata of a GGUF file describe: of the model llama (SentencePiece), gpt2
// (byte-level) or t5 (unigram).
func FromGGUF(meta map[string]any) (*Tokenizer, error) {
	m := metadata(meta)
	pieces, err := list(m, "tokenizer.ggml.tokens", text)
	if err != nil {
		return nil, err
	}
	scores, err := list(m, "tokenizer.ggml.scores", number)
	if err != nil {
		return nil, err
	}
	kinds, err := list(m, "tokenizer.ggml.token_type", number)
	if err != nil {
		return nil, err
	}
	t, err := newTokenizer(pieces)
	if err != nil {
		return nil, err
	}
	var special []added
	for id, kind := range kinds[:min(len(kinds), len(pieces))] {
		switch kind {
		case kindUnknown:
			t.special[id], t.unknown = true, id
			special = append(special, added{text: pieces[id], id: id, special: true})
		case kindControl, kindUser:
			special = append(special, added{text: pieces[id], id: id, special: kind == kindControl})
		}
	}
	t.setAdded(special)
	if err := m.ends(t); err != nil {
		return nil, err
	}
	kind, _ := m["tokenizer.ggml.model"].(string)
	switch kind {
	case "llama", "t5":
		if len(scores) < len(pieces) {
			return nil, fmt.Errorf("tokenizers: %d tokens have %d scores", len(pieces), len(scores))
		}
		m.sentencePiece(t)
		t.AddBOS, t.AddEOS = m.flag("tokenizer.ggml.add_bos_token", kind == "llama"),
			m.flag("tokenizer.ggml.add_eos_token", kind == "t5")
		if kind == "t5" {
			u := newUnigram(t, scores)
			u.apart = true
			t.model = u
		} else {
			t.model = &bpe{scores: scores}
		}
		return t, nil
	case "gpt2":
		return t, m.byteLevel(t)
	}
	return nil, fmt.Errorf("tokenizers: tokenizer.ggml.model %q is not supported: want llama, gpt2 or t5", kind)
}

// ends sets BOS, EOS and the unknown token.
func (m metadata) ends(t *Tokenizer) (err error) {
	for _, e := range []struct {
		key string
		id  *int
	}{{"bos", &t.BOS}, {"eos", &t.EOS}, {"unknown", &t.unknown}} {
		if *e.id, err = m.id("tokenizer.ggml."+e.key+"_token_id", t.Size(), *e.id); err != nil {
			return err
		}
		if *e.id >= 0 {
			t.special[*e.id] = true
		}
	}
	return nil
}

// sentencePiece sets how SentencePiece treats spaces.
func (m metadata) sentencePiece(t *Tokenizer) {
	t.space = "▁"
	lead := m.flag("tokenizer.ggml.add_space_prefix", true)
	t.decode = decoding{bytes: true, space: t.space}
	if lead {
		t.decode.begin = withoutOne
	}
	t.prefix = func(text string, first bool) string {
		if first && lead {
			text = " " + text
		}
		return strings.ReplaceAll(text, " ", t.space)
	}
}

// byteLevel sets the model of GPT-2 and its followers.
func (m metadata) byteLevel(t *Tokenizer) error {
	t.byteLevel, t.decode.letters = true, true
	pre, _ := m["tokenizer.ggml.pre"].(string)
	c, ok := cuts[pre]
	switch {
	case pre == "" || pre == "default":
		return fmt.Errorf("tokenizers: tokenizer.ggml.pre is %q, which does not say how words are cut: convert the model with a "+
			"newer version of llama.cpp", pre)
	case !ok:
		return fmt.Errorf("tokenizers: tokenizer.ggml.pre %q is not supported: want one of %s", pre,
			strings.Join(slices.Sorted(maps.Keys(cuts)), ", "))
	}
	if c.nfc {
		t.normalize = append(t.normalize, normalForm(norm.NFC))
	}
	if c.before != nil {
		if err := c.before(t); err != nil {
			return err
		}
	}
	if c.digits {
		if err := t.addSpans(charSpans(isNumber), "Isolated"); err != nil {
			return err
		}
	}
	if c.pattern != "" {
		if err := t.addPattern(c.pattern); err != nil {
			return err
		}
	}
	if c.after != nil {
		if err := c.after(t); err != nil {
			return err
		}
	}
	merges, err := list(m, "tokenizer.ggml.merges", text)
	if err != nil {
		return err
	}
	b := &bpe{merges: make(map[pair]merge, len(merges)), whole: c.whole}
	for rank, text := range merges {
		left, right, _ := strings.Cut(text, " ")
		if err := b.addMerge(t, rank, left, right); err != nil {
			return err
		}
	}
	t.model = b
	t.AddBOS, t.AddEOS = m.flag("tokenizer.ggml.add_bos_token", c.bos),
		m.flag("tokenizer.ggml.add_eos_token", false)
	return nil
}
