package config

import (
	"fmt"
	"math"
)

const ALiBiSize = 2

// KeyDim is the size of a head in caches.
func (c *LlamaConfig) KeyDim() int {
	if c.Slopes != nil {
		return c.HeadDim + ALiBiSize
	}
	return c.HeadDim
}

// ALiBiSlopes are the slopes of heads, from 2^(-most/heads) down to 2^-most. For numbers of heads that are no powers of
// two, every other slope of twice as many heads follows those of the power of two below.
func ALiBiSlopes(heads int, most float64) []float64 {
	power := 1
	for power*2 <= heads {
		power *= 2
	}
	var slopes []float64
	for i := range heads {
		exponent := most * float64(i+1) / float64(power)
		if i >= power {
			exponent = most * float64(2*(i-power)+1) / float64(2*power)
		}
		slopes = append(slopes, math.Exp2(-exponent))
	}
	return slopes
}

// SetALiBi has positions known by slopes alone.
func (c *LlamaConfig) SetALiBi(most, factor float64) {
	c.NoRope = everyOne(c.Layers)
	c.Slopes = ALiBiSlopes(min(max(c.Heads, 0), 1<<16), most)
	for i := range c.Slopes {
		c.Slopes[i] *= factor
	}
}

// checkALiBi returns an error when the slopes do not fit the sizes.
func (c *LlamaConfig) checkALiBi() error {
	if c.Slopes == nil {
		return nil
	}
	if len(c.Slopes) != c.Heads || c.Latent != nil || c.AttentionCap != 0 || c.NoRope == nil || c.Positions {
		return fmt.Errorf("models: %d slopes of ALiBi do not go with %d heads, and want NoRope", len(c.Slopes), c.Heads)
	}
	return nil
}
