package main

import (
	"context"
	"slices"
	"time"

	"github.com/gorocm/gorocm/tensor/models"
)

// together times texts that are generated at once by a server, each after a prompt. What the prompts take is measured
// apart, with one token each, and does not count.
func (r run) together(m *models.Llama, texts int) (row, error) {
	s, err := models.NewServer(m, nil, models.ServerConfig{MaxSequences: texts,
		Blocks: texts * (r.prompt + r.tokens + 16) / 16, MaxBatchedTokens: max(2048, texts)})
	if err != nil {
		return row{}, err
	}
	defer s.Close()
	var begin, all []time.Duration
	var result row
	for i := range r.repeats + 1 { // the first loads and compiles kernels
		one, _, err := r.generate(s, texts, 1)
		if err != nil {
			return row{}, err
		}
		before := s.Stats().Steps
		took, tokens, err := r.generate(s, texts, 1+r.tokens)
		if err != nil {
			return row{}, err
		}
		if i > 0 {
			begin, all = append(begin, one), append(all, took)
		}
		result.Tokens, result.Steps = tokens[:min(8, len(tokens))], s.Stats().Steps-before
	}
	slices.Sort(begin)
	slices.Sort(all)
	took := all[len(all)/2] - begin[len(begin)/2]
	result.Texts = texts
	result.PerSecond = float64(texts*r.tokens) / took.Seconds()
	result.PerToken = float64(took.Microseconds()) / float64(texts*r.tokens)
	return result, nil
}

// generate makes so many tokens of each text, and returns how long that took, and the tokens of the first one.
func (r run) generate(s *models.Server, texts, tokens int) (took time.Duration, first []int, err error) {
	start := time.Now()
	var all []*models.Completion
	for i := range texts {
		prompt := make([]int, r.prompt)
		prompt[0] = i // no two are the same
		c, err := s.Submit(context.Background(), models.Request{Prompt: prompt, MaxTokens: tokens, IgnoreEOS: true})
		if err != nil {
			return 0, nil, err
		}
		all = append(all, c)
	}
	for i, c := range all {
		ids, _, err := c.Collect()
		if err != nil {
			return 0, nil, err
		}
		if i == 0 {
			first = ids
		}
	}
	return time.Since(start), first, nil
}
