package tokenizers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// folderConfig is what tokenizer_config.json says of a SentencePiece model.
type folderConfig struct {
	Class    string `json:"tokenizer_class"`
	BOS      any    `json:"bos_token"`
	EOS      any    `json:"eos_token"`
	AddBOS   *bool  `json:"add_bos_token"`
	AddEOS   *bool  `json:"add_eos_token"`
	Legacy   *bool
	ExtraIDs *int `json:"extra_ids"`
	Added    map[string]struct {
		Content    string
		Special    bool
		SingleWord bool `json:"single_word"`
		Lstrip     bool
		Rstrip     bool
	} `json:"added_tokens_decoder"`
}

// folderClasses are the classes of transformers whose tokens are those of their SentencePiece model, by model_type.
var folderClasses = map[string]string{"t5": "T5Tokenizer", "mt5": "T5Tokenizer", "llama": "LlamaTokenizer",
	"mistral": "LlamaTokenizer", "mixtral": "LlamaTokenizer", "gemma": "GemmaTokenizer", "gemma2": "GemmaTokenizer"}

// ReadFolder reads the tokenizer of a folder of Hugging Face: tokenizer.json, or where there is none the model of
// SentencePiece, spiece.model or tokenizer.model, with what tokenizer_config.json adds to it, as transformers'
// T5Tokenizer, LlamaTokenizer and GemmaTokenizer use it. The error is fs.ErrNotExist for a folder with none of these
// files, and errors.ErrUnsupported for another tokenizer_class.
func ReadFolder(folder string) (*Tokenizer, error) {
	t, err := ReadJSON(filepath.Join(folder, "tokenizer.json"))
	if !errors.Is(err, fs.ErrNotExist) {
		return t, err
	}
	for _, name := range []string{"spiece.model", "tokenizer.model"} {
		file := filepath.Join(folder, name)
		if t, err = ReadSentencePiece(file); err == nil {
			t.decode.unknown = "" // in a folder it is a special token
		}
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := t.configure(folder); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		return t, nil
	}
	return nil, fmt.Errorf("tokenizers: %s has neither a tokenizer.json nor a spiece.model or tokenizer.model: %w",
		folder, fs.ErrNotExist)
}

// readFolderFile reads a JSON file of a folder, if it is there.
func readFolderFile(folder, name string, v any) error {
	data, err := os.ReadFile(filepath.Join(folder, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		err = fmt.Errorf("tokenizers: %s: %w", name, err)
	}
	return err
}

// configure sets what transformers adds to a SentencePiece model.
func (t *Tokenizer) configure(folder string) error {
	var c folderConfig
	var model struct {
		Type string `json:"model_type"`
	}
	err := errors.Join(readFolderFile(folder, "tokenizer_config.json", &c),
		readFolderFile(folder, "config.json", &model))
	if err != nil {
		return err
	}
	class := strings.TrimSuffix(c.Class, "Fast")
	if class == "" {
		class = folderClasses[model.Type]
	}
	yes := true
	legacy := c.Legacy == nil || *c.Legacy
	switch class {
	case "T5Tokenizer", "MT5Tokenizer":
		t.BOS, t.AddEOS = -1, true
		c.BOS, c.AddBOS, c.AddEOS = nil, nil, &yes
	case "LlamaTokenizer":
	case "GemmaTokenizer":
		legacy = true
	default:
		return fmt.Errorf("tokenizers: what %q of transformers (tokenizer_class; model_type is %q) adds to a SentencePiece model is not "+
			"known: want a tokenizer.json, which AutoTokenizer.from_pretrained(…).save_pretrained(…) writes: %w", class, model.Type,
			errors.ErrUnsupported)
	}
	if err := c.addTokens(t, strings.HasSuffix(class, "T5Tokenizer")); err != nil {
		return err
	}
	for _, end := range []struct {
		name any
		id   *int
	}{{c.BOS, &t.BOS}, {c.EOS, &t.EOS}} {
		if name, ok := tokenName(end.name); ok {
			id, known := t.ID(name)
			if !known {
				return fmt.Errorf("tokenizers: tokenizer_config.json names the token %q, which is not there", name)
			}
			*end.id = id
		}
	}
	t.AddBOS, t.AddEOS = t.BOS >= 0 && (c.AddBOS == nil || *c.AddBOS), t.EOS >= 0 && c.AddEOS != nil && *c.AddEOS
	if !legacy {
		t.withoutLegacy()
	}
	return nil
}

// tokenName is the text of a token in tokenizer_config.json: a text, or an object that has it.
func tokenName(v any) (string, bool) {
	if m, ok := v.(map[string]any); ok {
		v = m["content"]
	}
	name, ok := v.(string)
	return name, ok
}

// addTokens adds the tokens of added_tokens_decoder, or where there are none those that a T5 has always.
func (c *folderConfig) addTokens(t *Tokenizer, isT5 bool) error {
	var list []added
	size := len(t.pieces)
	for key, a := range c.Added {
		id, err := strconv.Atoi(key)
		if most := 2*size + 1<<16 - 1; err != nil || id < 0 || id > most {
			return fmt.Errorf("tokenizers: the added token %q has the number %q: want 0 to %d", a.Content, key, most)
		}
		list = append(list, added{text: a.Content, id: id, special: a.Special, alone: a.SingleWord, left: a.Lstrip,
			right: a.Rstrip})
	}
	if len(list) == 0 {
		for id := range t.special {
			list = append(list, added{text: t.pieces[id], id: id, special: true})
		}
		extra := 0
		if isT5 {
			extra = 100
		}
		if c.ExtraIDs != nil {
			extra = *c.ExtraIDs
		}
		if extra < 0 || extra > 1<<16 {
			return fmt.Errorf("tokenizers: extra_ids is %d: want 0 to %d", extra, 1<<16)
		}
		for i := range extra {
			name := fmt.Sprintf("<extra_id_%d>", i)
			list = append(list, added{text: name, id: size + extra - 1 - i, special: true, left: true, right: true})
		}
	}
	for _, a := range list {
		for a.id >= len(t.pieces) {
			t.pieces = append(t.pieces, "")
		}
		if a.id < size && t.pieces[a.id] != a.text {
			return fmt.Errorf("tokenizers: the added token %q has the number %d, which is %q in the model", a.text, a.id, t.pieces[a.id])
		}
		t.pieces[a.id] = a.text
	}
	t.setAdded(list)
	return nil
}

// withoutLegacy sets what transformers calls legacy=False: a space comes before the whole text, and none after added
// tokens.
func (t *Tokenizer) withoutLegacy() {
	t.pieced.lead = false
	t.whole = func(text string) string { return spSpace + strings.ReplaceAll(text, spSpace, " ") }
	unknown := t.pieces[t.unknown]
	m := &spWithoutLegacy{model: t.model, before: t.pieced.normalize(unknown)}
	m.n = len(m.model.tokens(t, m.before, false, nil))
	t.model = m
	t.prefix = func(text string, _ bool) string {
		if strings.HasPrefix(text, " ") || strings.HasPrefix(text, spSpace) {
			text = unknown + text
		}
		return t.pieced.normalize(text)
	}
}
