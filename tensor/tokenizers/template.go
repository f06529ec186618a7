package tokenizers

import "fmt"

// template is which tokens come around the tokens of a text, or of two.
type template struct {
	single, pair []templatePart
}

// templatePart are special tokens, or a text: 0 is the first, 1 the second. typeID is the type of all of its tokens.
type templatePart struct {
	ids    []int
	text   int
	typeID int
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
		return nil
	case "ByteLevel":
		return nil
	case "RobertaProcessing", "BertProcessing":
		cls, err := t.namedToken(s.Cls)
		if err != nil {
			return err
		}
		sep, err := t.namedToken(s.Sep)
		if err != nil {
			return err
		}
		single := []templatePart{{ids: cls}, {text: 0}, {ids: sep}}
		pair := append(single[:3:3], templatePart{text: 1, typeID: 1}, templatePart{ids: sep, typeID: 1})
		if s.Type == "RobertaProcessing" {
			pair = append(single[:3:3], templatePart{ids: sep}, templatePart{text: 1}, templatePart{ids: sep})
		}
		return t.setTemplate(single, pair)
	case "TemplateProcessing":
		single, err := t.templateParts(s.Single, s.SpecialTokens)
		if err != nil {
			return err
		}
		pair, err := t.templateParts(s.Pair, s.SpecialTokens)
		if err != nil {
			return err
		}
		return t.setTemplate(single, pair)
	}
	return fmt.Errorf("tokenizers: the post-processor %s is not supported", s.Type)
}

// namedToken is a token that is given as its text and its number.
func (t *Tokenizer) namedToken(both []any) ([]int, error) {
	if len(both) != 2 {
		return nil, fmt.Errorf("tokenizers: the post-processor names the token %v, want its text and its number", both)
	}
	id, ok := t.ID(fmt.Sprint(both[0]))
	if !ok {
		return nil, fmt.Errorf("tokenizers: the post-processor names %q, which is not in the vocabulary",
			fmt.Sprint(both[0]))
	}
	return []int{id}, nil
}

func (t *Tokenizer) templateParts(
	parts []jsonTemplatePart, special map[string]jsonSpecial,
) (all []templatePart, err error) {
	for _, p := range parts {
		switch {
		case p.Sequence != nil && p.Sequence.ID == "A":
			all = append(all, templatePart{text: 0, typeID: p.Sequence.TypeID})
		case p.Sequence != nil && p.Sequence.ID == "B":
			all = append(all, templatePart{text: 1, typeID: p.Sequence.TypeID})
		case p.SpecialToken != nil:
			name := p.SpecialToken.ID
			ids := special[name].IDs
			if len(ids) == 0 {
				id, ok := t.ID(name)
				if !ok {
					return nil, fmt.Errorf("tokenizers: the post-processor names %q, which is not in the vocabulary", name)
				}
				ids = []int{id}
			}
			for _, id := range ids {
				if id < 0 || id >= t.Size() {
					return nil, fmt.Errorf("tokenizers: the post-processor names the token %d, among %d", id, t.Size())
				}
			}
			all = append(all, templatePart{ids: ids, typeID: p.SpecialToken.TypeID})
		default:
			return nil, fmt.Errorf("tokenizers: the post-processor has a part that is neither a token nor a text")
		}
	}
	return all, nil
}

// setTemplate takes a template. Encode knows it as BOS and EOS, with further tokens around them.
func (t *Tokenizer) setTemplate(single, pair []templatePart) error {
	if t.template != nil {
		return fmt.Errorf("tokenizers: several post-processors that add tokens are not supported")
	}
	t.template = &template{single, pair}
	texts := 0
	for _, p := range single {
		switch {
		case p.ids == nil:
			texts++
		case texts == 0:
			t.before = append(t.before, p.ids...)
		default:
			t.after = append(t.after, p.ids...)
		}
	}
	if texts != 1 {
		return fmt.Errorf("tokenizers: the post-processor has a text %d times: want it once", texts)
	}
	if n := len(t.before); n > 0 {
		t.BOS, t.AddBOS = t.before[n-1], true
	}
	if len(t.after) > 0 {
		t.EOS, t.AddEOS = t.after[0], true
	}
	return nil
}

// beginning and end are the tokens that Encode puts around a text.
func (t *Tokenizer) beginning() []int { return around(t.AddBOS, t.BOS, t.before, len(t.before)-1) }
func (t *Tokenizer) end() []int       { return around(t.AddEOS, t.EOS, t.after, 0) }

// around are the tokens of a template, unless the one at a place was changed since.
func around(add bool, id int, tokens []int, at int) []int {
	switch {
	case !add || id < 0:
		return nil
	case len(tokens) > 0 && tokens[at] == id:
		return tokens
	}
	return []int{id}
}

// EncodePair returns the tokens of two texts, such as a question and what may answer it, with the tokens that the file
// puts around and between them, and the type of each token, which BERT's models read. It panics when the file does not
// say how: HasPairs reports that it does.
func (t *Tokenizer) EncodePair(first, second string) (ids, types []int) {
	if !t.HasPairs() {
		panic("tokenizers: the file does not say how two texts are put together")
	}
	for _, p := range t.template.pair {
		part := p.ids
		if part == nil {
			part = t.EncodePrompt([]string{first, second}[p.text])
		}
		for _, id := range part {
			ids, types = append(ids, id), append(types, p.typeID)
		}
	}
	return ids, types
}

// HasPairs reports whether the file says how two texts are put together.
func (t *Tokenizer) HasPairs() bool { return t.template != nil && len(t.template.pair) > 0 }

// Shorten returns tokens of Encode without the last ones of the text, so that they are at most n: the tokens that
// Encode puts around a text stay.
func (t *Tokenizer) Shorten(ids []int, n int) []int {
	end := t.end()
	if len(ids) <= n || n < len(end) {
		return ids[:min(len(ids), max(n, 0))]
	}
	return append(append([]int{}, ids[:n-len(end)]...), end...)
}
