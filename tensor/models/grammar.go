package models

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/gorocm/gorocm/internal/grammar"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// Grammar is what a Conversation replies and a Server completes: only tokens are chosen whose bytes continue a text of
// it, so that a text that ends by itself is one. NewGrammar and NewSchema make grammars.
type Grammar struct {
	text    string
	grammar *grammar.Grammar
}

// NewGrammar reads a grammar in GBNF, as llama.cpp has it: rules such as
//
//	root ::= "yes" | "no" reason{1,2} # the whole text
//	reason ::= [^\n]+ "\n"
//
// of texts in quotation marks, classes of characters, `.` for any character, names of rules, groups in parentheses,
// alternatives with |, repetitions with *, +, ?, {m}, {m,} and {m,n}, and tokens of the vocabulary as <name>, <[12]>,
// and !<name> for any other one that has a text. A rule ends with its line, but not within a group nor after a |.
//
// The error has the line and the column, and says what is expected there. A rule that is not defined, that is defined
// twice, that begins with itself, or that has no finite text is one, too.
func NewGrammar(gbnf string) (*Grammar, error) {
	g, err := grammar.ParseGBNF(gbnf)
	if err != nil {
		return nil, fmt.Errorf("models: grammar: %w", err)
	}
	return &Grammar{gbnf, g}, nil
}

// NewSchema reads a JSON schema, whose texts are JSON of it. It may have type, properties, required,
// additionalProperties, items, minItems, maxItems, minLength, maxLength, enum, const, anyOf, and $ref to # and to $defs
// or definitions. The properties of objects come in the order of the schema; those that it does not name are left out.
// Whole numbers have at most 18 digits. `{"type": "object"}` is any object.
//
// The error names any other keyword but titles and the like, and says where it is, and when no finite text is valid.
func NewSchema(schema string) (*Grammar, error) {
	g, err := grammar.ParseSchema([]byte(schema))
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	return &Grammar{schema, g}, nil
}

// NewCallSchema returns the grammar of a call of one of the tools, {"name": …, "arguments": {…}}, which ParseToolCalls
// reads. The error is that of NewSchema for the parameters of a tool, which must be an object, or says that there are
// no tools.
func NewCallSchema(tools []Tool) (*Grammar, error) {
	var calls []grammar.Call
	var names []string
	for _, t := range tools {
		parameters := []byte(t.Parameters)
		if string(parameters) == "null" {
			parameters = nil
		}
		calls, names = append(calls, grammar.Call{Name: t.Name, Arguments: parameters}), append(names, t.Name)
	}
	g, err := grammar.ParseCalls(calls)
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	text, err := json.Marshal(map[string]any{"call": names})
	return &Grammar{string(text), g}, err
}

// String returns the text of the grammar or the schema.
func (g *Grammar) String() string { return g.text }

// words are the tokens of a tokenizer by their bytes, when they are asked for first.
type words struct {
	once  sync.Once
	words *grammar.Vocabulary
	err   error
}

// of returns the tokens. The error says that the tokenizer's tokens have no bytes of their own.
func (w *words) of(tok *tokenizers.Tokenizer) (*grammar.Vocabulary, error) {
	w.once.Do(func() {
		if tok == nil {
			w.err = fmt.Errorf("models: a grammar needs a tokenizer")
			return
		}
		if w.err = tok.ByToken(); w.err == nil {
			w.words = grammar.NewVocabulary(tok.Size(), tok.Bytes)
		}
	})
	return w.words, w.err
}

var negativeInf = float32(math.Inf(-1))

// constraint has tokens chosen by a grammar for one text.
type constraint struct {
	matcher *grammar.Matcher
	ends    []int // the tokens that end a text
	masks   map[*grammar.Set]*tensor.Tensor
}

// maxMasks is how many masks a text keeps: a string takes one, however long it is.
const maxMasks = 16

// constrain begins a text of a grammar. The error says that the tokenizer has none of its tokens.
func (w *words) constrain(g *Grammar, tok *tokenizers.Tokenizer, eos []int) (*constraint, error) {
	v, err := w.of(tok)
	if err != nil {
		return nil, err
	}
	ends := slices.Clone(eos)
	if tok.EOS >= 0 && !slices.Contains(ends, tok.EOS) {
		ends = append(ends, tok.EOS)
	}
	m, err := g.grammar.Match(v, tok.Bytes, tok.ID)
	if err != nil {
		return nil, fmt.Errorf("models: grammar: %w", err)
	}
	return &constraint{m, ends, map[*grammar.Set]*tensor.Tensor{}}, nil
}

// masked returns logits [vocab] or [1 vocab] as F32, -Inf for the tokens that are not allowed. It panics with ErrValue
// when no token is.
func (c *constraint) masked(logits *tensor.Tensor) *tensor.Tensor {
	return logits.ToDType(tensor.F32).Add(c.mask(logits.Device(), logits.Dim(-1)))
}

func (c *constraint) mask(dev *tensor.Device, vocab int) *tensor.Tensor {
	allowed, err := c.matcher.Allowed()
	if err != nil {
		panic(&tensor.Error{Op: "grammar", Kind: tensor.ErrValue, Message: err.Error(), Err: err})
	}
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
		panic(&tensor.Error{Op: "grammar", Kind: tensor.ErrValue,
			Message: "no token of the vocabulary continues the text as the grammar wants"})
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
		panic(&tensor.Error{Op: "grammar", Kind: tensor.ErrValue, Message: "the logits allow no token of the grammar",
			Err: err})
	}
	return c.matcher.MustEnd() || c.matcher.MayEnd() && len(c.ends) == 0
}
