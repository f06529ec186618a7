package models

import (
	"context"
	"strings"
	"sync"

	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// Why a completion has ended, as OpenAI names it.
const (
	FinishStop   = "stop"   // a token that ends texts, or a text of Request.Stop
	FinishLength = "length" // Request.MaxTokens, or no more room
)

// Completion is the text that a Server generates for a request, read as a Generator's: Next, then Text. One goroutine
// reads it. What nobody reads waits in memory.
type Completion struct {
	ctx     context.Context
	request Request
	limit   int // of tokens

	mu      sync.Mutex
	pieces  []piece // that Next has not returned
	reason  string
	err     error
	over    bool
	changed chan struct{} // has an element when something was added

	last piece // that Next has returned
	made int   // tokens that Next has returned

	// What only the loop of the server uses.
	tokens  []int      // of the prompt and the text
	read    int        // how many of them have their keys in the cache
	table   []int      // blocks
	slot    int        // of its states; 0 is none
	known   int        // how many of them are known to the pool
	keys    []blockKey // of full blocks
	sampler *nn.Sampler
	grammar *constraint        // of the tokens, or nil
	grids   imageGrids         // of the images of the prompt, where the rotary embedding has sections
	stream  *tokenizers.Stream // nil without a tokenizer
	held    stopper
	next    *TokenLogProb // of the token that is added next, or nil
}

// piece is a token and the text that is complete with it. The last piece may have no token: -1.
type piece struct {
	token   int
	text    string
	logProb *TokenLogProb
}

// Next waits for a token, and reports whether there is one. After the end, FinishReason and Err return the reason.
func (c *Completion) Next() bool {
	for {
		c.mu.Lock()
		if len(c.pieces) > 0 {
			c.last, c.pieces = c.pieces[0], c.pieces[1:]
			c.mu.Unlock()
			if c.last.token >= 0 {
				c.made++
			}
			return true
		}
		over := c.over
		c.mu.Unlock()
		if over {
			c.last = piece{token: -1}
			return false
		}
		<-c.changed
	}
}

// Token returns the last token. It is -1 where text that was held back follows the last token, and after the end.
func (c *Completion) Token() int { return c.last.token }

// Text returns the text of the last token. It may be empty: a character that takes several tokens comes with the last
// of them, and what may be the beginning of a text of Stop comes when it is not.
func (c *Completion) Text() string { return c.last.text }

// LogProb returns how likely the last token was, by the model alone: before Sampling changes anything. It is zero where
// Request.LogProbs did not ask for it, and where Token is -1.
func (c *Completion) LogProb() TokenLogProb {
	if c.last.logProb == nil {
		return TokenLogProb{}
	}
	return *c.last.logProb
}

// Made returns how many tokens Next has returned. Prompt is the number of tokens of the prompt.
func (c *Completion) Made() int   { return c.made }
func (c *Completion) Prompt() int { return len(c.request.Prompt) }

// FinishReason returns FinishStop or FinishLength after the end, and the empty string before, and with an error.
func (c *Completion) FinishReason() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reason
}

// Err returns why a completion has ended too soon: the error of the context, or of the model's computation. It is nil
// for a complete one, and before the end.
func (c *Completion) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Collect reads to the end and returns the tokens and the text that were still to come, and Err.
func (c *Completion) Collect() (tokens []int, text string, err error) {
	var all strings.Builder
	for c.Next() {
		if id := c.Token(); id >= 0 {
			tokens = append(tokens, id)
		}
		all.WriteString(c.Text())
	}
	return tokens, all.String(), c.Err()
}

// unread is how many tokens the model has still to read.
func (c *Completion) unread() int { return len(c.tokens) - c.read }

func (c *Completion) ended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.over
}

// add appends a token, and reports whether its text ends the completion.
func (c *Completion) add(id int) (stops bool) {
	c.tokens = append(c.tokens, id)
	text := ""
	if c.stream != nil {
		text, stops = c.held.add(c.stream.Next(id))
	}
	if stops {
		c.stream = nil // the rest of the token is not part of the text
	}
	c.put(piece{id, text, c.next})
	return stops
}

// put adds a piece for Next.
func (c *Completion) put(p piece) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pieces = append(c.pieces, p)
	c.wake()
}

// finish ends the completion, with the text that was held back.
func (c *Completion) finish(reason string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return
	}
	if c.stream != nil && err == nil {
		c.flush()
	}
	c.over, c.reason, c.err = true, reason, err
	c.wake()
}

// flush adds the text that waits for more.
func (c *Completion) flush() {
	shown, stops := c.held.add(c.stream.Flush())
	if !stops {
		shown += c.held.text
	}
	if shown != "" {
		c.pieces = append(c.pieces, piece{token: -1, text: shown})
	}
}

// wake tells Next that something has changed.
func (c *Completion) wake() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}
