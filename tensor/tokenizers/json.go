package tokenizers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// jsonFile is tokenizer.json, as Hugging Face's tokenizers write it.
type jsonFile struct {
	AddedTokens   []jsonAdded `json:"added_tokens"`
	Normalizer    *jsonStep
	PreTokenizer  *jsonStep `json:"pre_tokenizer"`
	PostProcessor *jsonStep `json:"post_processor"`
	Decoder       *jsonStep
	Model         jsonModel
}

type jsonAdded struct {
	ID         int
	Content    string
	Special    bool
	SingleWord bool `json:"single_word"`
	Lstrip     bool
	Rstrip     bool
	Normalized *bool // of files without it: whether the token is not special
}

// jsonStep is a part of the pipeline; which fields there are depends on the type.
type jsonStep struct {
	Type           string
	Normalizers    []jsonStep
	Pretokenizers  []jsonStep
	Processors     []jsonStep
	Decoders       []jsonStep
	Prepend        string
	Content        string
	Pattern        struct{ String, Regex *string }
	Behavior       string
	Invert         bool
	AddPrefixSpace *bool `json:"add_prefix_space"`
	UseRegex       *bool `json:"use_regex"`
	Individual     bool  `json:"individual_digits"`
	Replacement    string
	PrependScheme  string `json:"prepend_scheme"`
	Split          *bool
	Start, Stop    int
	Single         []jsonTemplatePart
	Pair           []jsonTemplatePart
	SpecialTokens  map[string]jsonSpecial `json:"special_tokens"`
	Cls, Sep       []any
	StripLeft      *bool `json:"strip_left"`
	StripRight     *bool `json:"strip_right"`
	CleanText      *bool `json:"clean_text"`
	Chinese        *bool `json:"handle_chinese_chars"`
	StripAccents   *bool `json:"strip_accents"`
	Lowercase      *bool
	Charsmap       string `json:"precompiled_charsmap"`
	Delimiter      string
	Length         *int
	Prefix         *string
	Suffix         *string
	Cleanup        *bool
	PadToken       *string `json:"pad_token"`
	WordDelimiter  *string `json:"word_delimiter_token"`
}

// jsonTemplatePart is a special token of a template, or a text: A or B.
type jsonTemplatePart struct {
	SpecialToken, Sequence *struct {
		ID     string
		TypeID int `json:"type_id"`
	}
}

// jsonSpecial is what a special token of a template stands for.
type jsonSpecial struct{ IDs []int }

type jsonModel struct {
	Type         string
	Vocab        json.RawMessage
	Merges       []json.RawMessage
	UnkToken     *string `json:"unk_token"`
	UnkID        *int    `json:"unk_id"`
	ByteFallback bool    `json:"byte_fallback"`
	IgnoreMerges bool    `json:"ignore_merges"`
	FuseUnk      bool    `json:"fuse_unk"`
	Dropout      float64
	Prefix       *string `json:"continuing_subword_prefix"`
	Suffix       *string `json:"end_of_word_suffix"`
	Longest      *int    `json:"max_input_chars_per_word"`
}

// ReadJSON reads a tokenizer.json of Hugging Face's tokenizers. The error names the part of it that is not there, if
// one is not. How texts are cut off and padded, which such a file may say, too, is left to the program.
func ReadJSON(path string) (*Tokenizer, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t, err := ParseJSON(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// ParseJSON is ReadJSON of what is in memory.
func ParseJSON(data []byte) (*Tokenizer, error) {
	var f jsonFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("tokenizers: %w", err)
	}
	t, err := f.vocabulary()
	if err != nil {
		return nil, err
	}
	t.source = string(data)
	if f.Normalizer != nil {
		if err := t.addNormalizer(f.Normalizer); err != nil {
			return nil, err
		}
	}
	if err := f.addTokens(t); err != nil {
		return nil, err
	}
	for _, part := range []struct {
		step *jsonStep
		add  func(*jsonStep) error
	}{{f.PreTokenizer, t.addSplit}, {f.Decoder, t.addDecoder}, {f.PostProcessor, t.addTemplate}} {
		if part.step != nil {
			if err := part.add(part.step); err != nil {
				return nil, err
			}
		}
	}
	if f.Decoder == nil {
		t.decode.between = " "
	}
	for _, name := range []string{"<|end_of_text|>", "<|endoftext|>", "</s>", "<|im_end|>", "<eos>"} {
		if id, ok := t.ID(name); ok && t.EOS < 0 {
			t.EOS = id
		}
	}
	return t, nil
}

// vocabulary makes a tokenizer with the model of the file.
func (f *jsonFile) vocabulary() (*Tokenizer, error) {
	m := &f.Model
	if m.Type == "" && len(m.Merges) > 0 {
		m.Type = "BPE" // old files
	}
	pieces, scores, err := m.pieces()
	if err != nil {
		return nil, err
	}
	t, err := newTokenizer(pieces)
	if err != nil {
		return nil, err
	}
	delete(t.ids, "")
	if !m.ByteFallback {
		for b := range t.bytes {
			t.bytes[b] = -1
		}
	}
	if m.UnkToken != nil {
		if id, ok := t.ids[*m.UnkToken]; ok {
			t.unknown = id
		}
	}
	switch m.Type {
	case "WordLevel":
		t.model = wordLevel{}
		return t, m.wantUnknown(t)
	case "WordPiece":
		w := &wordPiece{prefix: text0(m.Prefix, "##"), longest: 100}
		if m.Longest != nil {
			w.longest = *m.Longest
		}
		t.model = w
		return t, m.wantUnknown(t)
	case "Unigram":
		if m.UnkID != nil {
			if *m.UnkID < 0 || *m.UnkID >= len(pieces) {
				return nil, fmt.Errorf("tokenizers: unk_id is %d, among %d tokens", *m.UnkID, len(pieces))
			}
			t.unknown = *m.UnkID
		}
		t.model = newUnigram(t, scores)
		return t, nil
	}
	t.model, err = m.bpe(t)
	return t, err
}

// wantUnknown is the error of a model of words without a token for unknown ones.
func (m *jsonModel) wantUnknown(t *Tokenizer) error {
	if t.unknown < 0 {
		return fmt.Errorf("tokenizers: the %s has no token for unknown words: unk_token is %q", m.Type, text0(m.UnkToken, ""))
	}
	return nil
}

// addTokens adds the tokens that the file has beside the model's. Those that are found in normalized text are
// normalized, too.
func (f *jsonFile) addTokens(t *Tokenizer) error {
	limit := 2*(len(t.pieces)+len(f.AddedTokens)) + 1<<16
	var list []added
	for _, a := range f.AddedTokens {
		if a.ID < 0 || a.ID >= limit {
			return fmt.Errorf("tokenizers: the added token %q has the number %d, among %d tokens", a.Content, a.ID,
				len(t.pieces))
		}
		if id, known := t.ids[a.Content]; known && id != a.ID {
			return fmt.Errorf("tokenizers: the added token %q has the number %d, and %d in the vocabulary", a.Content,
				a.ID, id)
		}
		for a.ID >= len(t.pieces) {
			t.pieces = append(t.pieces, "")
		}
		t.pieces[a.ID] = a.Content
		normalized := !a.Special
		if a.Normalized != nil {
			normalized = *a.Normalized
		}
		list = append(list, added{a.Content, a.ID, a.Special, a.SingleWord, a.Lstrip, a.Rstrip, normalized})
	}
	t.setAdded(list)
	return nil
}

// pieces returns the vocabulary by number, and for unigram models the scores.
func (m *jsonModel) pieces() ([]string, []float64, error) {
	switch m.Type {
	case "BPE", "WordPiece", "WordLevel":
		var vocab map[string]int
		if err := json.Unmarshal(m.Vocab, &vocab); err != nil {
			return nil, nil, fmt.Errorf("tokenizers: vocab: %w", err)
		}
		limit := 2*len(vocab) + 1<<16
		n := 0
		for piece, id := range vocab {
			if id < 0 || id >= limit {
				return nil, nil, fmt.Errorf("tokenizers: the token %q has the number %d, among %d tokens", piece, id,
					len(vocab))
			}
			n = max(n, id+1)
		}
		pieces := make([]string, n)
		for piece, id := range vocab {
			pieces[id] = piece
		}
		return pieces, nil, nil
	case "Unigram":
		var vocab [][]any
		if err := json.Unmarshal(m.Vocab, &vocab); err != nil {
			return nil, nil, fmt.Errorf("tokenizers: vocab: %w", err)
		}
		pieces, scores := make([]string, len(vocab)), make([]float64, len(vocab))
		for i, entry := range vocab {
			var ok, ok2 bool
			if len(entry) == 2 {
				pieces[i], ok = entry[0].(string)
				scores[i], ok2 = entry[1].(float64)
			}
			if !ok || !ok2 {
				return nil, nil, fmt.Errorf("tokenizers: token %d of the vocab is %v, not a text and a score", i, entry)
			}
		}
		return pieces, scores, nil
	}
	return nil, nil, fmt.Errorf("tokenizers: models of type %q are not supported: want BPE, Unigram, WordPiece or "+
		"WordLevel", m.Type)
}

func (m *jsonModel) bpe(t *Tokenizer) (model, error) {
	if m.Dropout > 0 {
		return nil, fmt.Errorf("tokenizers: BPE with dropout, which draws tokens, is not supported")
	}
	b := &bpe{merges: make(map[pair]merge, len(m.Merges)), whole: m.IgnoreMerges, fuse: m.FuseUnk,
		prefix: text0(m.Prefix, ""), suffix: text0(m.Suffix, "")}
	for rank, raw := range m.Merges {
		var both []string
		if bytes.HasPrefix(raw, []byte("[")) {
			if err := json.Unmarshal(raw, &both); err != nil {
				return nil, fmt.Errorf("tokenizers: merge %d: %w", rank, err)
			}
		} else {
			var text string
			if err := json.Unmarshal(raw, &text); err != nil {
				return nil, fmt.Errorf("tokenizers: merge %d: %w", rank, err)
			}
			both = strings.SplitN(text, " ", 2)
		}
		if len(both) != 2 {
			return nil, fmt.Errorf("tokenizers: merge %d is %s, not two tokens", rank, raw)
		}
		if err := b.addMerge(t, rank, both[0], both[1]); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (b *bpe) addMerge(t *Tokenizer, rank int, left, right string) error {
	l, ok := t.ids[left]
	r, ok2 := t.ids[right]
	id, ok3 := t.ids[left+strings.TrimPrefix(right, b.prefix)]
	if !ok || !ok2 || !ok3 {
		return fmt.Errorf("tokenizers: merge %d, of %q and %q: a token of it is not in the vocabulary", rank, left,
			right)
	}
	if _, twice := b.merges[pair{l, r}]; !twice {
		b.merges[pair{l, r}] = merge{float64(rank), id}
	}
	return nil
}
