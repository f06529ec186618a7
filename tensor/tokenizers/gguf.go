package tokenizers

import (
	"fmt"
	"strings"
)

// The kinds of tokens in GGUF files.
const (
	kindUnknown = 2
	kindControl = 3
	kindUser    = 4
)

// patterns are how models cut words, by the name in tokenizer.ggml.pre.
var patterns = map[string]string{
	"": gpt2Pattern, "default": gpt2Pattern, "gpt-2": gpt2Pattern, "llama-bpe": llama3Pattern, "llama3": llama3Pattern,
	"smaug-bpe": llama3Pattern,
	"qwen2":     qwen2Pattern, "deepseek-r1-qwen": qwen2Pattern,
	"smollm": gpt2Pattern, // with digits alone
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
	pattern, ok := patterns[pre]
	if !ok {
		return fmt.Errorf("tokenizers: tokenizer.ggml.pre %q is not supported", pre)
	}
	if pre == "smollm" {
		if err := t.addSpans(charSpans(isNumber), "Isolated"); err != nil {
			return err
		}
	}
	if err := t.addPattern(pattern); err != nil {
		return err
	}
	merges, err := list(m, "tokenizer.ggml.merges", text)
	if err != nil {
		return err
	}
	b := &bpe{merges: make(map[pair]merge, len(merges)), whole: pattern == llama3Pattern}
	for rank, text := range merges {
		left, right, _ := strings.Cut(text, " ")
		if err := b.addMerge(t, rank, left, right); err != nil {
			return err
		}
	}
	t.model = b
	t.AddBOS, t.AddEOS = m.flag("tokenizer.ggml.add_bos_token", pattern == llama3Pattern),
		m.flag("tokenizer.ggml.add_eos_token", false)
	return nil
}
