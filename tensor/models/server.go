package models

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
	"github.com/gorocm/gorocm/tensor/tokenizers"
)

// ServerConfig are the limits of a Server. Fields that are 0 have the default.
type ServerConfig struct {
	BlockSize int // positions of a block of the cache, a power of two; 16
	// blocks of the cache; for MaxSequences texts of full length, at most for 16,384 positions, without attention for
	// 1,048,576
	Blocks           int
	MaxSequences     int // texts that are decoded at once; 32
	MaxBatchedTokens int // tokens that are read at once, those of prompts among them; 512
}

// Request is a text to complete.
type Request struct {
	Prompt    []int          // tokens, at least one
	Images    []*ImageTokens // whose tokens the prompt has: see Model.EncodeMessages
	Sampling  nn.Sampling
	MaxTokens int      // the most tokens to generate; 0 is as many as the model and the cache have room for
	Stop      []string // texts that end the completion and are not part of it; they need a tokenizer
	Grammar   *Grammar // what the completion is, unless FinishReason is FinishLength; nil is any text
	LogProbs  bool     // Completion.LogProb says how likely tokens were
	// of how many of the likeliest tokens LogProb says so, too
	TopLogProbs int
	IgnoreEOS   bool // tokens that end a text do not end this one, for measurements
}

// ErrServerClosed is the error of a request to a closed Server.
var ErrServerClosed = errors.New("models: the server is closed")

// Server completes many texts at once with one model (continuous batching: Yu et al., "Orca", 2022). Each step reads
// one token of every text that is being generated, and parts of the prompts of new ones, in one batch. Keys and values
// are in blocks of one pool (nn.PagedCache): a text has as many as it needs so far, and texts that begin alike share
// blocks, also with texts that are complete. Layers with a state (Variant.StateSpace) have one for each of MaxSequences
// texts: a state is that after the last token alone, so that texts of such models share nothing. When the pool is full,
// the text that came last gives its blocks back, and is read again when there is room.
//
// Its methods may be called by several goroutines. A greedy completion is that of a Generator, up to rounding: products
// of several rows may add in another order than those of one.
type Server struct {
	model  *Llama
	tok    *tokenizers.Tokenizer
	config ServerConfig
	words  words
	batch  *llamaBatch

	mu      sync.Mutex
	inbox   []*Completion // new requests, of all goroutines
	closed  bool
	changed chan struct{} // has an element when the inbox or closed has changed
	done    chan struct{} // is closed when the loop has ended
	stats   ServerStats

	// What only the loop uses.
	waiting, running []*Completion // in the order in which they came
	blocks           *blockPool
	pass             func(parts []part) (logits *tensor.Tensor, complete []part) // logits, unless a test makes it fail
}

// ServerStats counts what a Server has done.
type ServerStats struct {
	Requests    int // that were accepted
	Waiting     int // requests without blocks, now
	Running     int // requests with blocks, now
	FreeBlocks  int // blocks without a text, now
	Steps       int // passes through the model
	Tokens      int // tokens read, those of prompts and those read again among them
	Shared      int // tokens that need not be read, because their blocks were known
	Generated   int // tokens generated
	Preemptions int // texts that gave their blocks back before they were complete
}

// NewServer returns a running server; Close ends it. Without a tokenizer (nil) completions have tokens and no text.
//
// The error wraps ErrShape for limits that make no sense, and ErrMemory when the pools do not fit into memory.
func NewServer(m *Llama, tok *tokenizers.Tokenizer, c ServerConfig) (*Server, error) {
	c.fill(&m.Config)
	s := &Server{model: m, tok: tok, config: c, changed: make(chan struct{}, 1), done: make(chan struct{})}
	err := tensor.Catch(func() error {
		if min(c.Blocks, c.MaxSequences) < 1 || c.MaxBatchedTokens < c.MaxSequences {
			return &tensor.Error{Op: "server", Kind: tensor.ErrShape, Message: fmt.Sprintf("want at least one block "+
				"and one sequence, and MaxBatchedTokens of at least MaxSequences, not %+v", c)}
		}
		s.batch = newLlamaBatch(m, c.Blocks+1, c.BlockSize, c.MaxSequences+1)
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.pass, s.blocks, s.stats.FreeBlocks = s.logits, newBlockPool(c.Blocks, c.BlockSize, c.MaxSequences), c.Blocks
	s.blocks.apart = m.Config.PartsAt(WithState) >= 0
	go s.loop()
	return s, nil
}

// fill sets what is 0.
func (c *ServerConfig) fill(m *LlamaConfig) {
	def := func(p *int, n int) {
		if *p == 0 {
			*p = n
		}
	}
	def(&c.BlockSize, 16)
	def(&c.MaxSequences, 32)
	def(&c.MaxBatchedTokens, max(512, c.MaxSequences))
	most := 1 << 14
	if m.PartsAt(WithAttention) < 0 { // there is nothing in blocks
		most = 1 << 20
	}
	positions := min(c.MaxSequences, 1<<14)*min(m.Context, most) + c.BlockSize - 1
	def(&c.Blocks, min(positions, most)/max(1, c.BlockSize))
}

// Config returns the limits, with the defaults.
func (s *Server) Config() ServerConfig { return s.config }

// Context returns how many tokens a text can have, with its prompt: the model's positions, or those of the cache, or of
// Llama 4 those of a chunk, where BlockSize does not divide it.
func (s *Server) Context() int {
	most := min(s.model.Config.Context, s.config.Blocks*s.config.BlockSize)
	if chunk := s.model.Config.Chunk; chunk > 0 && chunk%s.config.BlockSize != 0 {
		most = min(most, chunk)
	}
	return most
}

// Stats returns what the server has done so far.
func (s *Server) Stats() ServerStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

// Submit asks for a completion. It returns at once: Next of the completion waits for a token. When the context is done,
// the completion ends with its error.
//
// The error is ErrServerClosed after Close, and wraps ErrShape or ErrIndex for prompts without a token, with more of
// them than Context, or with numbers that are not tokens, and for a Sampling that makes no sense; ErrValue for a nil
// context.
func (s *Server) Submit(ctx context.Context, r Request) (*Completion, error) {
	var c *Completion
	if err := tensor.Catch(func() (err error) { c, err = s.newCompletion(ctx, r); return }); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrServerClosed
	}
	s.inbox = append(s.inbox, c)
	s.stats.Requests++
	s.wake()
	return c, nil
}

// wake tells the loop that something has changed.
func (s *Server) wake() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// Close accepts no more requests, waits until all are complete, and frees the cache. The contexts of requests end them
// sooner.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.wake()
	s.mu.Unlock()
	<-s.done
}

// newCompletion checks a request.
func (s *Server) newCompletion(ctx context.Context, r Request) (*Completion, error) {
	bad := func(kind error, format string, args ...any) error {
		return &tensor.Error{Op: "server", Kind: kind, Message: fmt.Sprintf(format, args...)}
	}
	switch most := s.Context(); {
	case ctx == nil:
		return nil, bad(tensor.ErrValue, "want a context, such as context.Background()")
	case len(r.Prompt) == 0:
		return nil, bad(tensor.ErrShape, "want a prompt of at least one token")
	case len(r.Prompt) > most:
		return nil, bad(tensor.ErrShape, "a prompt of %d tokens, of at most %d", len(r.Prompt), most)
	case r.MaxTokens < 0:
		return nil, bad(tensor.ErrShape, "want at least one token, not %d", r.MaxTokens)
	case len(r.Stop) > 0 && s.tok == nil:
		return nil, bad(tensor.ErrShape, "there is no tokenizer for texts that stop")
	case r.TopLogProbs < 0 || r.TopLogProbs > 0 && !r.LogProbs:
		return nil, bad(tensor.ErrShape, "TopLogProbs of %d, with LogProbs %v", r.TopLogProbs, r.LogProbs)
	case r.Grammar != nil && (len(r.Stop) > 0 || r.IgnoreEOS):
		return nil, bad(tensor.ErrShape, "a Grammar can have neither Stop nor IgnoreEOS, by which its text would not end")
	case slices.Contains(r.Stop, ""):
		return nil, bad(tensor.ErrShape, "an empty text cannot stop a completion")
	}
	r.Stop = slices.Clone(r.Stop)
	r.Images = slices.Clone(r.Images)
	checkInput(r.Prompt, s.model.Config.Vocab, r.Images)
	c := &Completion{ctx: ctx, request: r, tokens: append([]int{}, r.Prompt...), changed: make(chan struct{}, 1),
		limit: s.Context() + 1, sampler: nn.NewSampler(r.Sampling)} // the last token need not be read
	if r.MaxTokens > 0 {
		c.limit = min(c.limit, len(r.Prompt)+r.MaxTokens)
	}
	if s.model.Config.RopeSections != nil {
		c.grids.see(r.Prompt, 0, r.Images)
	}
	plain := make([]int, len(r.Prompt))
	for i, id := range r.Prompt {
		plain[i] = plainToken(r.Images, id)
		c.sampler.Observe(plain[i])
	}
	if r.Grammar != nil {
		var err error
		if c.grammar, err = s.words.constrain(r.Grammar, s.tok, s.model.Config.EOS); err != nil {
			return nil, bad(tensor.ErrShape, "%v", err)
		}
	}
	c.held.stops = r.Stop
	if s.tok != nil {
		c.stream = s.tok.Stream()
		for _, id := range plain {
			c.stream.Next(id)
		}
	}
	return c, nil
}
