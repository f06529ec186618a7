package models

import (
	"slices"

	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// step reads the parts of texts in one batch, and generates a token of each text of which all is read. Where the batch
// fails, as for want of memory, each part is read alone, and ends with its own error.
func (s *Server) step(parts []part) {
	err := s.read(parts)
	if err == nil {
		return
	}
	for _, p := range parts {
		if len(parts) > 1 {
			err = s.alone(p)
		}
		if err != nil {
			s.end(p.c, "", err)
		}
	}
}

// alone reads a part in a pass of its own, after one for many has failed. States that this one may have changed are
// made again, from the beginning of the text.
func (s *Server) alone(p part) (err error) {
	end := p.c.read + p.n
	if s.blocks.apart {
		p.c.read = 0
	}
	for p.c.read < end && err == nil && !p.c.ended() {
		n := uncut(p.c.tokens[p.c.read:], min(end-p.c.read, s.config.MaxBatchedTokens), p.c.request.Images)
		err = s.read([]part{{p.c, n}})
	}
	return err
}

// read reads parts in one pass through the model. With an error, no text has changed, but for its states.
func (s *Server) read(parts []part) error {
	var tokens []int
	var complete []part // of which the next token is generated, in the order of the logits
	err := tensor.Catch(func() error {
		var logits *tensor.Tensor
		if logits, complete = s.pass(parts); len(complete) == 0 {
			return nil
		}
		defer logits.Free()
		tokens = s.choose(logits, complete)
		return nil
	})
	if err != nil {
		return err
	}
	read := 0
	for _, p := range parts {
		read += p.n
		if !p.c.ended() {
			p.c.read += p.n
			s.blocks.read(p.c)
		}
	}
	s.mu.Lock()
	s.stats.Steps++
	s.stats.Tokens += read
	s.mu.Unlock()
	for i, p := range complete {
		s.generated(p.c, tokens[i])
	}
	return nil
}

// logits returns the logits [complete vocab] after the parts that end with the last token of their text, and those.
func (s *Server) logits(parts []part) (logits *tensor.Tensor, complete []part) {
	t := textParts{places: s.places(parts), rows: []uint32{}}
	for _, p := range parts {
		if p.c.read == 0 {
			s.batch.begin(p.c.slot)
		}
		t.ids = append(t.ids, p.c.tokens[p.c.read:p.c.read+p.n]...)
		t.images = append(t.images, p.c.request.Images...)
		t.sequences, t.slots = append(t.sequences, p.sequence()), append(t.slots, p.c.slot)
		if p.c.unread() == p.n {
			t.rows, complete = append(t.rows, uint32(len(t.ids)-1)), append(complete, p)
		}
	}
	if t.places == nil && len(t.ids) == len(complete) && slices.Max(t.ids) < s.model.Config.Vocab {
		t.rows = nil
		return s.batch.step(t), complete
	}
	return s.batch.read(t), complete
}

// places are the positions of tokens of which some follow images, where the rotary embedding has sections, else nil.
func (s *Server) places(parts []part) *positions {
	if !slices.ContainsFunc(parts, func(p part) bool { return p.c.grids != nil }) {
		return nil
	}
	all := &positions{}
	for _, p := range parts {
		all.join(p.c.grids.of(p.c.read, p.n))
	}
	return all
}

// choose returns the next token of each text, or -1 for one that ended with an error.
func (s *Server) choose(logits *tensor.Tensor, complete []part) []int {
	var samplers []*nn.Sampler
	for _, p := range complete {
		samplers = append(samplers, p.c.sampler)
	}
	tokens, errs := nn.SampleRows(s.allowed(logits.Narrow(0, 0, len(complete)), complete), samplers)
	for i, err := range errs {
		if err != nil {
			s.end(complete[i].c, "", err)
		}
	}
	for i, p := range complete {
		if r := p.c.request; r.LogProbs && tokens[i] >= 0 {
			p.c.next = logProbOf(logits.Get(i), tokens[i], r.TopLogProbs)
		}
	}
	return tokens
}

// allowed returns the logits of the tokens that the grammars of texts allow. A text that no token continues ends with
// an error.
func (s *Server) allowed(logits *tensor.Tensor, complete []part) *tensor.Tensor {
	if !slices.ContainsFunc(complete, func(p part) bool { return p.c.grammar != nil }) {
		return logits
	}
	var rows []*tensor.Tensor
	for i, p := range complete {
		row := logits.Narrow(0, i, 1).ToDType(tensor.F32)
		if c := p.c.grammar; c != nil && !p.c.ended() {
			masked, err := tensor.Try(func() *tensor.Tensor { return c.masked(row) })
			if err != nil {
				s.end(p.c, "", err)
			} else {
				row = masked
			}
		}
		rows = append(rows, row)
	}
	return tensor.Cat(rows, 0)
}

// generated adds a token to a text, which may end with it.
func (s *Server) generated(c *Completion, id int) {
	if id < 0 || c.ended() {
		return
	}
	whole := false // a text of the grammar, after which nothing can come
	if c.grammar != nil {
		if err := tensor.Catch(func() error { whole = c.grammar.chose(id); return nil }); err != nil {
			s.end(c, "", err)
			return
		}
	}
	s.mu.Lock()
	s.stats.Generated++
	s.mu.Unlock()
	ends := slices.Contains(s.model.Config.EOS, id) || s.tok != nil && id == s.tok.EOS
	switch {
	case ends && !c.request.IgnoreEOS:
		s.end(c, FinishStop, nil)
	case c.add(id) || whole:
		s.end(c, FinishStop, nil)
	case len(c.tokens) >= c.limit:
		s.end(c, FinishLength, nil)
	}
}
