package models

import (
	"slices"

	"github.com/gorocm/gorocm/tensor/nn"
)

// part is what a step reads of a text: its next n tokens.
type part struct {
	c *Completion
	n int
}

// loop runs until the server is closed and all requests are complete.
func (s *Server) loop() {
	defer close(s.done)
	defer s.batch.free()
	for {
		open := s.receive()
		s.dropCancelled()
		s.admit()
		parts := s.schedule()
		s.count()
		if len(parts) == 0 {
			if !open {
				return
			}
			<-s.changed
			continue
		}
		s.step(parts)
	}
}

// receive takes the new requests, and reports whether there may be more.
func (s *Server) receive() (open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = append(s.waiting, s.inbox...)
	s.inbox = nil
	return !s.closed
}

// count renews the numbers that say how things are now.
func (s *Server) count() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Waiting, s.stats.Running, s.stats.FreeBlocks = len(s.waiting), len(s.running), s.blocks.available()
}

// dropCancelled ends the requests whose context is done.
func (s *Server) dropCancelled() {
	for _, c := range slices.Concat(s.waiting, s.running) {
		if err := c.ctx.Err(); err != nil {
			s.end(c, "", err)
		}
	}
	s.waiting = slices.DeleteFunc(s.waiting, (*Completion).ended)
}

// end completes a request, and frees its blocks.
func (s *Server) end(c *Completion, reason string, err error) {
	s.blocks.release(c)
	c.grammar.free()
	s.running = slices.DeleteFunc(s.running, func(r *Completion) bool { return r == c })
	c.finish(reason, err)
}

// admit gives waiting requests the blocks for all of their tokens, in the order in which they came. One block stays
// free for the texts that are being generated.
func (s *Server) admit() {
	for len(s.waiting) > 0 && len(s.running) < s.config.MaxSequences {
		c := s.waiting[0]
		s.blocks.share(c)
		need, have := s.blocks.blocksOf(len(c.tokens))-len(c.table), s.blocks.available()
		if need > have || need == have && len(s.running) > 0 {
			s.blocks.release(c)
			return
		}
		s.blocks.take(c, need)
		s.blocks.begin(c)
		s.mu.Lock()
		s.stats.Shared += c.read
		s.mu.Unlock()
		s.waiting, s.running = s.waiting[1:], append(s.running, c)
	}
}

// schedule chooses what the next step reads: a token of each text that is being generated, the oldest first, then
// as much of prompts as the limit of tokens allows.
func (s *Server) schedule() (parts []part) {
	left := s.config.MaxBatchedTokens
	for _, c := range slices.Clone(s.running) {
		if c.unread() == 1 && s.reserve(c) {
			parts = append(parts, part{c, 1})
			left--
		}
	}
	for _, c := range s.running {
		if n := min(c.unread(), left); n > 0 && c.unread() > 1 {
			n = uncut(c.tokens[c.read:], n, c.request.Images)
			parts = append(parts, part{c, n})
			left -= n
		}
	}
	return parts
}

// reserve makes sure that a text has blocks for all of its tokens. Where none is free, the texts that came last lose
// theirs. It reports false when that is this text, or was before.
func (s *Server) reserve(c *Completion) bool {
	for slices.Contains(s.running, c) {
		need := s.blocks.blocksOf(len(c.tokens)) - len(c.table)
		if need <= s.blocks.available() {
			s.blocks.take(c, need)
			return true
		}
		s.preempt(s.running[len(s.running)-1])
	}
	return false
}

// preempt takes the blocks of the text that came last. It waits before all others, which came later.
func (s *Server) preempt(c *Completion) {
	s.blocks.release(c)
	s.running = s.running[:len(s.running)-1]
	s.waiting = slices.Insert(s.waiting, 0, c)
	s.mu.Lock()
	s.stats.Preemptions++
	s.mu.Unlock()
}

// sequence is a part as the cache takes it.
func (p part) sequence() nn.PagedSequence {
	return nn.PagedSequence{BlockTable: p.c.table, SeqLen: p.c.read + p.n, Queries: p.n}
}
