package models

import (
	"fmt"
	"time"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// Decoder is a language model with a cache: it reads tokens and returns the logits of the next one.
type Decoder interface {
	// Read reads further tokens and returns the logits [vocab] of the token after the last.
	Read(ids []int) *tensor.Tensor
	// Len returns how many tokens were read, Context how many can be.
	Len() int
	Context() int
	// Ends reports whether a token ends a text.
	Ends(id int) bool
	// Reset forgets the text.
	Reset()
}

// Generator makes text, token by token, as bufio.Scanner reads lines: Next, then Text. A loop around it can be
// interrupted and continued. On a GPU the decoder reads a token while Next waits for it, where Sampling leaves the
// choice to the GPU: Len of the decoder counts the last token then, unless it has ended the text.
type Generator struct {
	decoder Decoder
	tok     *tokenizers.Tokenizer // nil for a model without text
	sampler *nn.Sampler
	stream  *tokenizers.Stream
	pending []int // tokens to read before the next one is chosen
	ready   []int // tokens that were chosen and not returned
	ids     []int
	prompt  int // the number of ids that are the prompt
	cached  int // of those, the ones that were read before
	text    string
	done    bool
	ended   bool           // by its last token, or by its grammar
	grammar *constraint    // of the tokens, or nil
	words   words          // of Constrain
	ahead   *tensor.Tensor // logits after the pending token, which was read before the host knew it, or nil
	misses  int            // tokens of the text that the GPU did not choose alone

	guesses               int // how many tokens are guessed at most: see PromptLookup
	reads, guessed, right int

	made          int
	reading, took time.Duration
	first         int // tokens that were read before the first one was chosen
}

// NewGenerator returns a generator of texts, which begin with the token that the tokenizer begins texts with, or with
// Prompt. A nil tokenizer leaves Text empty.
func NewGenerator(d Decoder, tok *tokenizers.Tokenizer, s nn.Sampling) *Generator {
	g := newGenerator(d, tok, s)
	d.Reset()
	if tok != nil {
		g.PromptTokens(tok.Encode(""))
	}
	return g
}

// newGenerator returns a generator without a text. What the decoder has read is left alone.
func newGenerator(d Decoder, tok *tokenizers.Tokenizer, s nn.Sampling) *Generator {
	return &Generator{decoder: d, tok: tok, sampler: nn.NewSampler(s)}
}

// Prompt begins a new text with these words and forgets the old one. The random numbers of the sampler continue.
//
// It panics with ErrShape when there is no tokenizer, and for more tokens than the model can read.
func (g *Generator) Prompt(text string) {
	if g.tok == nil {
		panic(&tensor.Error{Op: "generator", Kind: tensor.ErrShape,
			Message: "there is no tokenizer for a prompt in words", Notes: []string{"PromptTokens takes tokens"}})
	}
	g.PromptTokens(g.tok.Encode(text))
}

// PromptTokens is Prompt in tokens. It panics with ErrShape for more of them than the model can read.
func (g *Generator) PromptTokens(ids []int) {
	if most := g.decoder.Context(); len(ids) > most {
		panic(&tensor.Error{Op: "generator", Kind: tensor.ErrShape,
			Message: fmt.Sprintf("a prompt of %d tokens, of at most %d", len(ids), most)})
	}
	g.decoder.Reset()
	g.begin(ids, 0)
}

// ContinueTokens is PromptTokens for a prompt that begins as the text so far: what both have in common is not read
// again, where the decoder is a Rereader.
func (g *Generator) ContinueTokens(ids []int) {
	d, ok := g.decoder.(Rereader)
	if !ok || len(ids) > g.decoder.Context() {
		g.PromptTokens(ids)
		return
	}
	same := 0
	for most := min(d.Len(), len(g.ids), len(ids)-1); same < most && g.ids[same] == ids[same]; {
		same++
	}
	if same < d.Len() && !goesBack(d) {
		same = 0
	}
	d.Truncate(same)
	g.begin(ids, same)
}

// Cached returns how many tokens of the prompt ContinueTokens found read already.
func (g *Generator) Cached() int { return g.cached }

// begin begins a text with these tokens, of which the decoder has read the first ones.
func (g *Generator) begin(ids []int, read int) {
	g.cached, g.pending = read, append([]int{}, ids[read:]...)
	g.ids = append([]int{}, ids...)
	g.grammar.free()
	g.prompt, g.text, g.done, g.ended, g.grammar = len(ids), "", false, false, nil
	g.made, g.first, g.reading, g.took = 0, 0, 0, 0
	g.ahead, g.misses, g.ready, g.reads, g.guessed, g.right = nil, 0, nil, 0, 0, 0
	plain := g.Tokens()
	if g.tok != nil {
		g.stream = g.tok.Stream()
		for _, id := range plain {
			g.stream.Next(id)
		}
	}
	g.sampler.Forget()
	for _, id := range plain {
		g.sampler.Observe(id)
	}
}

// Constrain has the text that follows the prompt be one of a grammar; a further prompt forgets it. The error says what
// keeps the tokenizer from it.
func (g *Generator) Constrain(to *Grammar) error {
	var ends []int
	for id := 0; g.tok != nil && id < g.tok.Size(); id++ {
		if g.decoder.Ends(id) {
			ends = append(ends, id)
		}
	}
	c, err := g.words.constrain(to, g.tok, ends)
	if err != nil {
		return err
	}
	g.grammar.free()
	g.grammar = c
	return nil
}

// Next makes a token, and reports whether there is one: not after the end of a text, nor when the context is full. It
// panics with ErrShape without a prompt.
func (g *Generator) Next() bool {
	if len(g.ready) == 0 && !g.choose() {
		g.done = true
		return false
	}
	id := g.ready[0]
	g.ready = g.ready[1:]
	g.made++
	complete := g.grammar != nil && g.grammar.chose(id)
	if g.ends(id) {
		g.forgetAhead()
		g.done, g.ended = true, true
		return false
	}
	g.done, g.ended = complete, complete // there may be no token that ends it
	g.ids = append(g.ids, id)
	if g.tok != nil {
		g.text = g.stream.Next(id)
	}
	return true
}

// choose makes tokens ready, and reports whether the context has room for them.
func (g *Generator) choose() bool {
	if g.done || g.decoder.Len()+g.unread() > g.decoder.Context() {
		return false
	}
	if len(g.pending) == 0 {
		panic(&tensor.Error{Op: "generator", Kind: tensor.ErrShape, Message: "there is no token to begin with",
			Notes: []string{"Prompt gives some"}})
	}
	start, n := time.Now(), len(g.pending)
	g.ready = g.read()
	if took := time.Since(start); g.made == 0 {
		g.reading, g.first = took, n
	} else {
		g.took += took
	}
	g.pending = append(g.pending[:0], g.ready[len(g.ready)-1])
	return true
}

// Text returns the text of the last token; a character that takes several tokens comes with the last of them.
func (g *Generator) Text() string { return g.text }

// Token returns the last token, or -1 when there is none.
func (g *Generator) Token() int {
	if len(g.ids) == g.prompt {
		return -1
	}
	return g.ids[len(g.ids)-1]
}

// Tokens returns all tokens of the text, those of the prompt first. Images have the image token for each of their rows.
func (g *Generator) Tokens() []int {
	ids := append([]int{}, g.ids...)
	if d, ok := g.decoder.(*LlamaDecoder); ok && len(d.images) > 0 {
		for i, id := range ids {
			ids[i] = d.plain(id)
		}
	}
	return ids
}

// Stats says how fast the tokens came.
func (g *Generator) Stats() GeneratorStats {
	return GeneratorStats{Prompt: g.first, Reading: g.reading, Tokens: max(g.made-1, 0), Took: g.took,
		Reads: g.reads, Guessed: g.guessed, Right: g.right}
}

// GeneratorStats are the times of a Generator. The first token, which needs the whole prompt, counts as reading.
type GeneratorStats struct {
	Prompt  int           // tokens of the prompt
	Reading time.Duration // how long they and the first token took
	Tokens  int           // further tokens
	Took    time.Duration // how long those took
	Reads   int           // passes through the model, for all of them
	Guessed int           // tokens that PromptLookup guessed
	Right   int           // those that were right, and so took no read of their own
}

// PerSecond returns how many tokens came in a second.
func (s GeneratorStats) PerSecond() float64 {
	if s.Took <= 0 {
		return 0
	}
	return float64(s.Tokens) / s.Took.Seconds()
}

// String has both speeds.
func (s GeneratorStats) String() string {
	return fmt.Sprintf("prompt of %d tokens in %v; %d tokens, %.1f tokens/s", s.Prompt,
		s.Reading.Round(time.Millisecond), s.Tokens, s.PerSecond())
}
