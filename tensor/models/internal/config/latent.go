package config

import (
	"fmt"
	"math"
)

// Latent describes multi-head latent attention (DeepSeek-AI, "DeepSeek-V2", 2024): the keys and values of a token are
// products of one short row, which is all that caches have of it, with the part of the keys that is rotated. Heads, and
// RopeDim and HeadDim, which follow from it, are of queries and of that row: the products with the row that give keys
// and values are applied to queries and to results.
type Latent struct {
	Rank        int // of the row
	QueryRank   int // of the row that queries are products of; 0 is none
	Plain, Rope int // elements of a head's keys that are not rotated, and that are
	Value       int // elements of a head's values
}

// fill sets what follows from it.
func (l *Latent) fill(c *LlamaConfig) error {
	for _, n := range []int{l.Rank, l.QueryRank + 1, l.Plain, l.Rope, l.Value} {
		if n < 1 || n > 1<<20 {
			return fmt.Errorf("models: latent attention of these sizes is not possible: %+v", *l)
		}
	}
	if c.QKNorm || c.QKVBias || c.Sinks || c.NoRope != nil || c.LocalRopeBase != 0 {
		return fmt.Errorf("models: latent attention is with neither norms of queries, biases, sinks nor other rotations: %+v",
			c.Variant)
	}
	c.KVHeads, c.HeadDim, c.RopeDim = 1, l.Rope+l.Rank, l.Rope
	if c.AttentionScale == 0 {
		c.AttentionScale = 1 / math.Sqrt(float64(l.Plain+l.Rope))
	}
	return nil
}

// count is how many weights a layer's attention has.
func (l *Latent) count(c *LlamaConfig) float64 {
	queries := float64(c.Heads * (l.Plain + l.Rope))
	n := float64(c.Dim * (l.Rank + l.Rope + c.Heads*l.Value))
	n += float64(l.Rank * c.Heads * (l.Plain + l.Value))
	if l.QueryRank > 0 {
		return n + float64(l.QueryRank)*(float64(c.Dim)+queries)
	}
	return n + float64(c.Dim)*queries
}
