package parts

import (
	"fmt"

	"github.com/gorocm/gorocm/tensor"
)

// CheckTokens panics with ErrIndex for numbers that are not tokens.
func CheckTokens(ids []int, vocab int) {
	for _, id := range ids {
		if id < 0 || id >= vocab {
			panic(&tensor.Error{Op: "embedding", Kind: tensor.ErrIndex,
				Message: fmt.Sprintf("there is no token %d among %d", id, vocab)})
		}
	}
}

// Sliding is the name of layers whose tokens see a window.
const Sliding = "sliding_attention"

// EveryLayer returns the names of layers of which some have a window.
func EveryLayer(layers int, windowed func(layer int) bool) []string {
	kinds := make([]string, max(0, min(layers, 1<<16)))
	for i := range kinds {
		if kinds[i] = "full_attention"; windowed(i) {
			kinds[i] = Sliding
		}
	}
	return kinds
}

// Unit returns rows of length 1.
func Unit(x *tensor.Tensor) *tensor.Tensor {
	return x.Div(x.Sqr().SumKeepDim(-1).Sqrt().Maximum(1e-12))
}
