package config

import (
	"fmt"
)

// Mixture describes feed-forward parts of many experts, of which each token goes to a few: the ones to which a router
// gives the largest probabilities.
type Mixture struct {
	Experts, PerToken int
	Hidden            int    // width between the two products of an expert
	SharedHidden      int    // the same of one that all tokens go to, times a gate of its own; 0 is none
	Ungated           bool   // that one has no gate of its own
	Normalize         bool   // the probabilities of a token's experts are divided by their sum
	Dense             []bool // the layers that have an ordinary feed-forward part instead; nil is none
	Bias              bool   // the router and the experts have biases

	Sigmoid    bool    // probabilities are each expert's own, sigmoids; else softmax
	Correction bool    // numbers that are added to probabilities to choose experts, and only for that
	Groups     int     // experts come in so many groups, of which TopGroups are chosen first; 0 is one
	TopGroups  int     // by their best expert, with Correction by the sum of their best two
	Scale      float64 // the factor of the probabilities; 0 is 1
	Before     bool    // probabilities multiply what an expert reads, in place of what it gives

	// gates are at most Limit, and what they multiply within ±Limit, to which 1 is added; a gate's activation is
	// x·sigmoid(Alpha·x). 0 is none of it.
	Limit, Alpha float64
}

func (x *Mixture) check(c *LlamaConfig) error {
	for _, n := range []int{x.Experts, x.PerToken, x.Hidden, x.SharedHidden + 1, x.Groups + 1} {
		if n < 1 || n > 1<<30 {
			return fmt.Errorf("models: a mixture of experts of these sizes is not possible: %+v", *x)
		}
	}
	switch groups := max(x.Groups, 1); {
	case x.PerToken > x.Experts:
		return fmt.Errorf("models: a token cannot go to %d of %d experts", x.PerToken, x.Experts)
	case x.Dense != nil && len(x.Dense) != c.Layers:
		return fmt.Errorf("models: Mixture.Dense lists %d layers of %d", len(x.Dense), c.Layers)
	case c.FeedForwardBias || c.XIELU || c.Ungated && x.Limit != 0:
		return fmt.Errorf("models: experts and ordinary parts beside them have no biases, and clamps a gate")
	case x.Experts%groups != 0 || groups > 1 && (x.TopGroups < 1 || x.TopGroups > groups ||
		x.PerToken > x.TopGroups*(x.Experts/groups) || x.Correction && x.Experts/groups < 2):
		return fmt.Errorf("models: %d of %d experts cannot be chosen in %d of %d groups", x.PerToken, x.Experts, x.TopGroups,
			x.Groups)
	}
	return nil
}

// count is what Count has of experts.
func (x *Mixture) count(c *LlamaConfig) float64 {
	if x == nil {
		return 0
	}
	layers := float64(c.Layers)
	for layer := range max(len(x.Dense), len(c.Parts)) {
		dense := layer < len(x.Dense) && x.Dense[layer]
		if dense || layer < len(c.Parts) && c.Parts[layer]&WithFeedForward == 0 {
			layers--
		}
	}
	products := 3.0
	if c.Ungated {
		products--
	}
	dim, experts := float64(c.Dim), float64(x.Experts)
	return max(layers, 0) * dim / 8 * (experts + products*(experts*float64(x.Hidden)+float64(x.SharedHidden)))
}

// Mixes reports whether a layer has experts.
func (c *LlamaConfig) Mixes(layer int) bool {
	return c.Mixture != nil && (c.Mixture.Dense == nil || !c.Mixture.Dense[layer])
}
