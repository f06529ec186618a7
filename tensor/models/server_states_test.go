package models_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/gorocm/gorocm/internal/thorough"
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/models"
	"github.com/gorocm/gorocm/tensor/nn"
)

// stateRequests are texts that come and go at different times.
var stateRequests = []models.Request{
	{Prompt: []int{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5}, MaxTokens: 9},
	{Prompt: []int{2}, MaxTokens: 14},
	{Prompt: []int{7, 1, 8}, MaxTokens: 3},
	{Prompt: []int{7, 1, 8, 2, 8, 1, 8, 2, 8}, Sampling: nn.Sampling{Temperature: 1, TopK: 7, Seed: 3}, MaxTokens: 8},
	{Prompt: []int{1, 1, 2, 3, 5, 8, 13, 21, 10, 7, 17, 0, 17}, MaxTokens: 5},
	{Prompt: []int{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8}, MaxTokens: 6}, // begins as the first one
}

// TestServerStates: texts of layers with states that are generated together are those that a Generator makes of each
// alone: in slots that others had, when they are preempted, and when a pass for all fails, after which states are made
// again.
func TestServerStates(t *testing.T) {
	if thorough.Short() {
		t.Skip("takes seconds")
	}
	for _, dev := range devices(t) {
		for _, name := range []string{"mamba2", "jamba", "granite4", "lfm2", "qwen3_next", "falcon_h1"} {
			if dev.Emulated() && name != "jamba" && !thorough.On() {
				continue
			}
			m, _, err := models.OpenLlama("testdata/"+name, tensor.F32, dev)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range []models.ServerConfig{
				{MaxSequences: 3},
				{Blocks: 12, BlockSize: 2, MaxBatchedTokens: 7, MaxSequences: 6}, // few blocks, and prompts in parts
			} {
				for i := range stateRequests {
					stateRequests[i].IgnoreEOS = true
				}
				s := served(t, m, nil, c)
				other := models.Request{Prompt: []int{4, 23}, MaxTokens: 3, IgnoreEOS: true}
				fails := c.Blocks == 0
				if fails {
					s.FailAfter(other.Prompt[1])
				}
				for i, done := range submitAll(t, s, append(slices.Clone(stateRequests), other)...) {
					got, _, err := done.Collect()
					if i == len(stateRequests) {
						if fails && !errors.Is(err, tensor.ErrMemory) {
							t.Errorf("%v, %s: the text that fails: %v, %v", dev, name, got, err)
						}
						continue
					}
					want := endless(m, stateRequests[i])
					if err != nil || !slices.Equal(got, want) {
						t.Errorf("%v, %s, %+v: text %d is %v, %v; alone %v", dev, name, c, i, got, err, want)
					}
				}
				if stats := s.Stats(); stats.Shared != 0 || !fails && stats.Preemptions == 0 {
					t.Errorf("%s: %+v", name, stats)
				}
			}
		}
	}
}

// endless is what a decoder alone makes of a request that no token ends.
func endless(m *models.Llama, r models.Request) (ids []int) {
	d, sampler := m.Decoder(), nn.NewSampler(r.Sampling)
	for _, id := range r.Prompt {
		sampler.Observe(id)
	}
	logits := d.Read(r.Prompt)
	for len(ids) < r.MaxTokens {
		id := sampler.Sample(logits)
		if ids = append(ids, id); len(ids) < r.MaxTokens {
			logits = d.Read([]int{id})
		}
	}
	return ids
}
