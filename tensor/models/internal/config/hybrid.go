package config

import (
	"fmt"
)

// LayerParts says what a layer of a decoder has: attention, a state or both beside each other, and a feed-forward part,
// or one of them alone.
type LayerParts uint8

// The parts of a layer.
const (
	WithAttention LayerParts = 1 << iota
	WithState                // of LlamaConfig.StateSpace
	WithFeedForward
)

// PartsOf is what a layer has.
func (c *LlamaConfig) PartsOf(layer int) LayerParts {
	switch {
	case c.Parts != nil:
		return c.Parts[layer]
	case c.StateSpace != nil:
		return WithState
	}
	return WithAttention | WithFeedForward
}

// PartsAt is the first layer that has a part, or -1.
func (c *LlamaConfig) PartsAt(part LayerParts) int {
	n := len(c.Parts)
	if c.Parts == nil { // all layers are alike
		n = min(c.Layers, 1)
	}
	for i := range n {
		if c.PartsOf(i)&part != 0 {
			return i
		}
	}
	return -1
}

// checkParts returns an error when the parts of layers do not fit the rest.
func (c *LlamaConfig) checkParts() error {
	if err := c.checkALiBi(); err != nil || c.Parts == nil {
		return err
	}
	for i, parts := range c.Parts {
		if parts == 0 || parts >= WithFeedForward<<1 ||
			parts&WithState != 0 && c.StateSpace == nil || c.Parallel && parts != WithAttention|WithFeedForward {
			return fmt.Errorf("models: the parts of layer %d do not go together: want attention, a state (of which "+
				"StateSpace says the sizes) or both, a feed-forward part, or those and this; with Parallel, attention "+
				"and a feed-forward part", i)
		}
	}
	if c.StateSpace == nil {
		return nil
	}
	if c.StateSpace.Dim != c.Dim || c.RopeSections != nil {
		return fmt.Errorf("models: layers with a state of width %d do not go with a width of %d", c.StateSpace.Dim, c.Dim)
	}
	return c.StateSpace.Check()
}

// layersWith are the parts of layers: each has a feed-forward part, and attends or keeps a state.
func layersWith(n int, attends func(layer int) bool) []LayerParts {
	parts := make([]LayerParts, min(max(n, 0), 1<<16))
	for i := range parts {
		if parts[i] = WithState | WithFeedForward; attends(i) {
			parts[i] = WithAttention | WithFeedForward
		}
	}
	return parts
}
