package tokenizers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// jsonFile is tokenizer.json, as Hugging Face's tokenizers write it.
type jsonFile struct {
	AddedTokens []struct {
		ID      int
		Content string
		Special bool
	} `json:"added_tokens"`
	Normalizer    *jsonStep
	PreTokenizer  *jsonStep `json:"pre_tokenizer"`
	PostProcessor *jsonStep `json:"post_processor"`
	Decoder       *jsonStep
	Model         jsonModel
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
	Start          int
	Single         []struct {
		SpecialToken *struct{ ID string }
		Sequence     *struct{ ID string }
	}
	Cls, Sep []any
}

type jsonModel struct {
	Type         string
	Vocab        json.RawMessage
	Merges       []json.RawMessage
	UnkToken     *string `json:"unk_token"`
	UnkID        *int    `json:"unk_id"`
	ByteFallback bool    `json:"byte_fallback"`
	IgnoreMerges bool    `json:"ignore_merges"`
	Prefix       *string `json:"continuing_subword_prefix"`
	Suffix       *string `json:"end_of_word_suffix"`
}

// ReadJSON reads a tokenizer.json of Hugging Face's tokenizers. The error names the part of it that is not there, if one is not.
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
	for _, part := range []struct {
		step *jsonStep
		add  func(*jsonStep) error
	}{{f.Normalizer, t.addNormalizer}, {f.PreTokenizer, t.addSplit}, {f.Decoder, t.addDecoder}, {f.PostProcessor, t.addTemplate}} {
		if part.step != nil {
			if err := part.add(part.step); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range []string{"<|end_of_text|>", "<|endoftext|>", "</s>", "<|im_end|>", "<eos>"} {
		if id, ok := t.ids[name]; ok && t.EOS < 0 {
			t.EOS = id
		}
	}
	return t, nil
}

// vocabulary makes a tokenizer with the tokens and the model of the file.
func (f *jsonFile) vocabulary() (*Tokenizer, error) {
	m := &f.Model
	if m.Type == "" && len(m.Merges) > 0 {
		m.Type = "BPE" // old files
	}
	pieces, scores, err := m.pieces()
	if err != nil {
		return nil, err
	}
	limit := 2*(len(pieces)+len(f.AddedTokens)) + 1<<16
	var list []added
	for _, a := range f.AddedTokens {
		if a.ID < 0 || a.ID >= limit {
			return nil, fmt.Errorf("tokenizers: the added token %q has the number %d, among %d tokens", a.Content, a.ID, len(pieces))
		}
		for a.ID >= len(pieces) {
			pieces = append(pieces, "")
		}
		pieces[a.ID] = a.Content
		list = append(list, added{a.Content, a.ID, a.Special})
	}
	t, err := newTokenizer(pieces)
	if err != nil {
		return nil, err
	}
	delete(t.ids, "")
	t.setAdded(list)
	if m.UnkToken != nil {
		if id, ok := t.ids[*m.UnkToken]; ok {
			t.unknown = id
		}
	}
	if !m.ByteFallback {
		for b := range t.bytes {
			t.bytes[b] = -1
		}
	}
	if m.Type == "Unigram" {
		if m.UnkID != nil {
			if *m.UnkID < 0 || *m.UnkID >= len(pieces) {
				return nil, fmt.Errorf("tokenizers: unk_id is %d, among %d tokens", *m.UnkID, len(pieces))
			}
			t.unknown = *m.UnkID
		}
		for len(scores) < len(pieces) {
			scores = append(scores, 0)
		}
		t.model = newUnigram(t, scores)
		return t, nil
	}
	t.model, err = m.bpe(t)
	return t, err
}

// pieces returns the vocabulary by number, and for unigram models the scores.
func (m *jsonModel) pieces() ([]string, []float64, error) {
	switch m.Type {
	case "BPE":
		var vocab map[string]int
		if err := json.Unmarshal(m.Vocab, &vocab); err != nil {
			return nil, nil, fmt.Errorf("tokenizers: vocab: %w", err)
		}
		limit := 2*len(vocab) + 1<<16
		n := 0
		for piece, id := range vocab {
			if id < 0 || id >= limit {
				return nil, nil, fmt.Errorf("tokenizers: the token %q has the number %d, among %d tokens", piece, id, len(vocab))
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
	return nil, nil, fmt.Errorf("tokenizers: there is no model of type %q: BPE and Unigram are there", m.Type)
}

func (m *jsonModel) bpe(t *Tokenizer) (model, error) {
	if m.Prefix != nil && *m.Prefix != "" || m.Suffix != nil && *m.Suffix != "" {
		return nil, fmt.Errorf("tokenizers: BPE with continuing_subword_prefix or end_of_word_suffix is not there")
	}
	b := &bpe{merges: make(map[pair]merge, len(m.Merges)), whole: m.IgnoreMerges}
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
	id, ok3 := t.ids[left+right]
	if !ok || !ok2 || !ok3 {
		return fmt.Errorf("tokenizers: merge %d, of %q and %q: a token of it is not in the vocabulary", rank, left, right)
	}
	if _, twice := b.merges[pair{l, r}]; !twice {
		b.merges[pair{l, r}] = merge{float64(rank), id}
	}
	return nil
}

// forms are Unicode's normal forms.
var forms = map[string]norm.Form{"NFC": norm.NFC, "NFD": norm.NFD, "NFKC": norm.NFKC, "NFKD": norm.NFKD}

func (t *Tokenizer) addNormalizer(s *jsonStep) error {
	if form, ok := forms[s.Type]; ok {
		t.normalize = append(t.normalize, form.String)
		return nil
	}
	switch s.Type {
	case "Sequence":
		for i := range s.Normalizers {
			if err := t.addNormalizer(&s.Normalizers[i]); err != nil {
				return err
			}
		}
	case "Prepend":
		t.normalize = append(t.normalize, func(text string) string { return s.Prepend + text })
	case "Replace":
		if s.Pattern.String == nil {
			return fmt.Errorf("tokenizers: the normalizer Replace by a pattern is not there")
		}
		from := *s.Pattern.String
		t.normalize = append(t.normalize, func(text string) string { return strings.ReplaceAll(text, from, s.Content) })
	case "Lowercase":
		t.normalize = append(t.normalize, strings.ToLower)
	default:
		return fmt.Errorf("tokenizers: the normalizer %s is not there", s.Type)
	}
	return nil
}

func (t *Tokenizer) addSplit(s *jsonStep) error {
	on := func(b *bool) bool { return b == nil || *b }
	switch s.Type {
	case "Sequence":
		for i := range s.Pretokenizers {
			if err := t.addSplit(&s.Pretokenizers[i]); err != nil {
				return err
			}
		}
	case "ByteLevel":
		t.byteLevel = true
		if s.AddPrefixSpace != nil && *s.AddPrefixSpace {
			t.split = append(t.split, each(func(w string) []string { return []string{prefixed(w, " ")} }))
		}
		if on(s.UseRegex) {
			return t.addPattern(gpt2Pattern)
		}
	case "Split":
		if s.Pattern.Regex == nil || s.Behavior != "Isolated" || s.Invert {
			return fmt.Errorf("tokenizers: of Split only that by an isolated pattern is there")
		}
		return t.addPattern(*s.Pattern.Regex)
	case "Digits":
		t.split = append(t.split, each(digits(s.Individual)))
	case "WhitespaceSplit":
		t.split = append(t.split, each(strings.Fields))
	case "Metaspace":
		return t.addMetaspace(s)
	default:
		return fmt.Errorf("tokenizers: the pre-tokenizer %s is not there", s.Type)
	}
	return nil
}

func (t *Tokenizer) addPattern(pattern string) error {
	p, err := newSplitter(pattern)
	if err == nil {
		t.split = append(t.split, each(p.cut))
	}
	return err
}

// prefixed returns text with a prefix, unless it begins so.
func prefixed(text, prefix string) string {
	if strings.HasPrefix(text, prefix) {
		return text
	}
	return prefix + text
}

func (t *Tokenizer) addMetaspace(s *jsonStep) error {
	t.setSpace(s)
	scheme := t.scheme(s)
	t.split = append(t.split, each(func(w string) []string { return []string{strings.ReplaceAll(w, " ", t.space)} }))
	switch scheme {
	case "always":
		t.split = append(t.split, each(func(w string) []string { return []string{prefixed(w, t.space)} }))
	case "first":
		t.prefix = func(text string, first bool) string {
			if first && !strings.HasPrefix(text, " ") {
				return t.space + text
			}
			return text
		}
	}
	if s.Split == nil || *s.Split {
		t.split = append(t.split, each(metaspace(t.space)))
	}
	return nil
}

func (t *Tokenizer) setSpace(s *jsonStep) {
	t.space = s.Replacement
	if t.space == "" {
		t.space = "▁"
	}
}

// scheme says when Metaspace puts a space before a text.
func (t *Tokenizer) scheme(s *jsonStep) string {
	if s.PrependScheme != "" {
		return s.PrependScheme
	}
	if s.AddPrefixSpace == nil || *s.AddPrefixSpace {
		return "always"
	}
	return "never"
}

func (t *Tokenizer) addDecoder(s *jsonStep) error {
	switch s.Type {
	case "Sequence":
		for i := range s.Decoders {
			if err := t.addDecoder(&s.Decoders[i]); err != nil {
				return err
			}
		}
	case "ByteLevel":
		t.byteLevel = true
	case "Metaspace":
		t.setSpace(s)
		t.strip = t.scheme(s) != "never"
	case "Replace":
		if s.Pattern.String == nil || s.Content != " " {
			return fmt.Errorf("tokenizers: of the decoder Replace only that by a space is there")
		}
		t.space = *s.Pattern.String
	case "ByteFallback", "Fuse":
	case "Strip":
		if s.Content != " " || s.Start != 1 {
			return fmt.Errorf("tokenizers: of the decoder Strip only that of one space is there")
		}
		t.strip = true
	default:
		return fmt.Errorf("tokenizers: the decoder %s is not there", s.Type)
	}
	return nil
}

// addTemplate finds out which tokens begin and end a text.
func (t *Tokenizer) addTemplate(s *jsonStep) error {
	switch s.Type {
	case "Sequence":
		for i := range s.Processors {
			if err := t.addTemplate(&s.Processors[i]); err != nil {
				return err
			}
		}
	case "ByteLevel":
	case "RobertaProcessing", "BertProcessing":
		for _, end := range []struct {
			token []any
			id    *int
			add   *bool
		}{{s.Cls, &t.BOS, &t.AddBOS}, {s.Sep, &t.EOS, &t.AddEOS}} {
			if len(end.token) == 2 {
				if err := t.setEnd(fmt.Sprint(end.token[0]), end.id, end.add); err != nil {
					return err
				}
			}
		}
	case "TemplateProcessing":
		before := true
		for _, part := range s.Single {
			var err error
			switch {
			case part.Sequence != nil:
				before = false
			case part.SpecialToken == nil:
			case before:
				err = t.setEnd(part.SpecialToken.ID, &t.BOS, &t.AddBOS)
			default:
				err = t.setEnd(part.SpecialToken.ID, &t.EOS, &t.AddEOS)
			}
			if err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("tokenizers: the post-processor %s is not there", s.Type)
	}
	return nil
}

func (t *Tokenizer) setEnd(piece string, id *int, add *bool) error {
	n, ok := t.ids[piece]
	if !ok {
		return fmt.Errorf("tokenizers: the post-processor names %q, which is not in the vocabulary", piece)
	}
	if *add {
		return fmt.Errorf("tokenizers: the post-processor adds several tokens on one side")
	}
	*id, *add = n, true
	return nil
}
