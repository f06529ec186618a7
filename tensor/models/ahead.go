package models

import "github.com/gorocm/gorocm/tensor"

// aheadReader is a Decoder that reads a token which its GPU has chosen before the host knows it, so that the GPU has
// work while the token comes to the host and is shown there.
type aheadReader interface {
	Rereader
	// readAhead reads the token, U32 [1], and returns the logits [vocab] of the next one; nil if it cannot.
	readAhead(token *tensor.Tensor) *tensor.Tensor
}

// sample chooses the token after logits. Where the decoder can, it begins to read the token at once, while the host
// waits for it.
func (g *Generator) sample(logits *tensor.Tensor) int {
	d, ok := g.decoder.(aheadReader)
	if !ok || g.grammar != nil || g.guesses > 0 || g.misses > 1 {
		return g.sampler.Sample(logits)
	}
	choice := g.sampler.Begin(logits)
	if choice == nil {
		return g.sampler.Sample(logits)
	}
	id, same := -1, false
	g.ahead = d.readAhead(choice.Token())
	defer func() {
		if !same { // or Wait has panicked
			g.forgetAhead()
			g.misses++
		}
	}()
	id, same = choice.Wait()
	return id
}

// forgetAhead has the decoder forget the token that it has read ahead.
func (g *Generator) forgetAhead() {
	if g.ahead == nil {
		return
	}
	g.ahead = nil
	d := g.decoder.(Rereader)
	d.Truncate(d.Len() - 1)
}

// unread is how many of the pending tokens the decoder has not read.
func (g *Generator) unread() int {
	if g.ahead != nil {
		return 0
	}
	return len(g.pending)
}
