package models

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/gorocm/gorocm/internal/jsonschema"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// Schema is a JSON schema by which a Conversation replies and a Server completes: only tokens are chosen whose bytes
// continue JSON of the schema, so that a text that ends by itself is valid. The properties of objects come in the order
// of the schema; those that it does not name are left out.
type Schema struct {
	text   string
	schema *jsonschema.Schema
}

// NewSchema reads a JSON schema. It may have type, properties, required, additionalProperties, items, minItems,
// maxItems, minLength, maxLength, enum, const, anyOf, and $ref to # and to $defs or definitions. Whole numbers have at
// most 18 digits. `{"type": "object"}` is any object.
//
// The error names any other keyword but titles and the like, and says where it is, and when no finite text is valid.
func NewSchema(text string) (*Schema, error) {
	s, err := jsonschema.Parse([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	return &Schema{text, s}, nil
}

// NewCallSchema returns the schema of a call of one of the tools, {"name": …, "arguments": {…}}, which ParseToolCalls
// reads. The error is that of NewSchema for the parameters of a tool, which must be an object, or says that there are
// no tools.
func NewCallSchema(tools []Tool) (*Schema, error) {
	var calls []jsonschema.Call
	var names []string
	for _, t := range tools {
		parameters := []byte(t.Parameters)
		if string(parameters) == "null" {
			parameters = nil
		}
		calls, names = append(calls, jsonschema.Call{Name: t.Name, Arguments: parameters}), append(names, t.Name)
	}
	s, err := jsonschema.ParseCalls(calls)
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	text, err := json.Marshal(map[string]any{"call": names})
	return &Schema{string(text), s}, err
}

// String returns the text of the schema.
func (s *Schema) String() string { return s.text }

// words are the tokens of a tokenizer by their bytes, when they are asked for first.
type words struct {
	once  sync.Once
	words *jsonschema.Vocabulary
	err   error
}

// of returns the tokens. The error says that the tokenizer's tokens have no bytes of their own.
func (w *words) of(tok *tokenizers.Tokenizer) (*jsonschema.Vocabulary, error) {
	w.once.Do(func() {
		if tok == nil {
			w.err = fmt.Errorf("models: a schema needs a tokenizer")
			return
		}
		if w.err = tok.ByToken(); w.err == nil {
			w.words = jsonschema.NewVocabulary(tok.Size(), tok.Bytes)
		}
	})
	return w.words, w.err
}

var negativeInf = float32(math.Inf(-1))

// constraint has tokens chosen by a schema for one text.
type constraint struct {
	matcher *jsonschema.Matcher
	ends    []int // the tokens that end a text
	masks   map[*jsonschema.Set]*tensor.Tensor
}

// maxMasks is how many masks a text keeps: a string takes one, however long it is.
const maxMasks = 16

// constrain begins a text of a schema.
func (w *words) constrain(s *Schema, tok *tokenizers.Tokenizer, eos []int) (*constraint, error) {
	v, err := w.of(tok)
	if err != nil {
		return nil, err
	}
	ends := slices.Clone(eos)
	if tok.EOS >= 0 && !slices.Contains(ends, tok.EOS) {
		ends = append(ends, tok.EOS)
	}
	return &constraint{s.schema.Match(v, tok.Bytes), ends, map[*jsonschema.Set]*tensor.Tensor{}}, nil
}

// masked returns logits [vocab] or [1 vocab] as F32, -Inf for the tokens that are not allowed. It panics with ErrValue
// when no token is.
func (c *constraint) masked(logits *tensor.Tensor) *tensor.Tensor {
	return logits.ToDType(tensor.F32).Add(c.mask(logits.Device(), logits.Dim(-1)))
}

func (c *constraint) mask(dev *tensor.Device, vocab int) *tensor.Tensor {
	allowed := c.matcher.Allowed()
	if m, ok := c.masks[allowed]; ok {
		return m
	}
	values := make([]float32, vocab)
	any := false
	for id := range values {
		if !allowed.Has(id) || slices.Contains(c.ends, id) {
			values[id] = negativeInf
		} else {
			any = true
		}
	}
	for _, id := range c.ends {
		if id < vocab && c.matcher.MayEnd() {
			values[id], any = 0, true
		}
	}
	if !any {
		panic(&tensor.Error{Op: "schema", Kind: tensor.ErrValue,
			Message: "no token of the vocabulary continues the text as the schema wants"})
	}
	if len(c.masks) >= maxMasks {
		c.free()
	}
	m := dev.FromSlice(values, vocab).Kept()
	c.masks[allowed] = m
	return m
}

// free gives the memory of the masks back. A nil constraint has none.
func (c *constraint) free() {
	if c == nil {
		return
	}
	for _, m := range c.masks {
		m.Free()
	}
	clear(c.masks)
}

// chose adds a token that was chosen, and reports whether the text is complete with it. It panics with ErrValue for one
// that is not allowed, which comes of logits that are NaN.
func (c *constraint) chose(id int) (complete bool) {
	if c.matcher.MayEnd() && slices.Contains(c.ends, id) {
		return true
	}
	if err := c.matcher.Add(id); err != nil {
		panic(&tensor.Error{Op: "schema", Kind: tensor.ErrValue, Message: "the logits allow no token of the schema",
			Err: err})
	}
	return c.matcher.MustEnd() || c.matcher.MayEnd() && len(c.ends) == 0
}
