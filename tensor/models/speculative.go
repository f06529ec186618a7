package models

import (
	"fmt"
	"slices"

	"github.com/gorocm/gorocm/tensor"
)

// Rereader is a Decoder that reads guesses: it returns the logits after each token, and can forget the last ones.
type Rereader interface {
	Decoder
	// ReadAll reads further tokens and returns the logits [tokens vocab] for what follows each of them.
	ReadAll(ids []int) *tensor.Tensor
	// Truncate forgets the tokens after the first n.
	Truncate(n int)
}

// PromptLookup makes the generator guess up to n tokens before each read: those that followed the last tokens where
// they were in the text before (speculative decoding by n-grams). One read then checks all guesses. Texts are those
// without it, for every Sampling, up to rounding: a guess counts when it is the token that the sampler chooses. It pays
// where texts repeat their prompt, as summaries and edits do; Stats tells how many guesses were right. 0 is none.
//
// It panics with ErrShape for a negative n, and when the decoder is not a Rereader, or
// its model has layers with a state, which cannot go back.
func (g *Generator) PromptLookup(n int) {
	if n > 0 && !goesBack(g.decoder) || n < 0 {
		panic(&tensor.Error{Op: "generator", Kind: tensor.ErrShape,
			Message: fmt.Sprintf("%d tokens cannot be guessed for a %T: want at least 0, and a decoder that is a Rereader, "+
				"whose model has no states",
				n, g.decoder)})
	}
	g.guesses = n
}

// goesBack reports whether a decoder can forget some of its last tokens alone.
func goesBack(d Decoder) bool {
	if l, ok := d.(*LlamaDecoder); ok {
		return l.states == nil
	}
	_, ok := d.(Rereader)
	return ok
}

// ngram is the largest number of tokens that are looked for in the text before.
const ngram = 3

// lookup returns up to n tokens that followed the last tokens of ids where they last were before, as many of them as
// possible.
func lookup(ids []int, n int) []int {
	for size := min(ngram, len(ids)-1); size > 0 && n > 0; size-- {
		end := len(ids) - size
		for at := end - 1; at >= 0; at-- {
			if slices.Equal(ids[at:at+size], ids[end:]) {
				return ids[at+size : min(at+size+n, len(ids))]
			}
		}
	}
	return nil
}

// read reads the pending tokens, with guesses if there are some, and returns the tokens that the sampler chooses: one,
// and one more for each guess that is right.
func (g *Generator) read() []int {
	room := g.decoder.Context() - g.decoder.Len() - g.unread()
	var guessed []int
	if g.grammar == nil && g.ahead == nil { // a grammar says token by token what is allowed
		guessed = slices.Clone(lookup(g.ids, min(g.guesses, room)))
	}
	g.reads++
	if len(guessed) == 0 {
		logits := g.ahead
		if g.ahead = nil; logits == nil {
			logits = g.decoder.Read(g.pending)
		}
		if g.grammar != nil {
			logits = g.grammar.masked(logits)
		}
		return []int{g.sample(logits)}
	}
	d := g.decoder.(Rereader)
	before := d.Len() + len(g.pending)
	logits := d.ReadAll(append(slices.Clone(g.pending), guessed...)).Narrow(0, len(g.pending)-1, 1+len(guessed))
	chosen := g.check(logits, guessed)
	d.Truncate(before + len(chosen) - 1)
	g.guessed += len(guessed)
	g.right += len(chosen) - 1
	return chosen
}

// check chooses tokens from logits [1+guesses vocab] until one is not that which was guessed, or ends the text.
func (g *Generator) check(logits *tensor.Tensor, guessed []int) (chosen []int) {
	var greedy []uint32
	if g.sampler.Greedy() {
		greedy = tensor.ToVec1[uint32](logits.ArgMax(-1))
	}
	for i := range 1 + len(guessed) {
		var id int
		if greedy != nil {
			id = int(greedy[i])
		} else {
			id = g.sampler.Sample(logits.Get(i))
		}
		chosen = append(chosen, id)
		if i == len(guessed) || id != guessed[i] || g.ends(id) {
			break
		}
	}
	return chosen
}

// ends reports whether a token ends a text.
func (g *Generator) ends(id int) bool { return g.decoder.Ends(id) || g.tok != nil && id == g.tok.EOS }
