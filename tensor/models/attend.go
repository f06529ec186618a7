package models

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// causal is how n new tokens attend to so many keys, the last of which are their own: each to those up to its own
// position, or to a window of them. On GPUs kernels skip the keys that a token does not see, which a mask would not let
// them do; on the CPU, where scores are kept, one mask serves all layers.
func causal(n, keys, window int, dev *tensor.Device) nn.Attend {
	if n > 1 && dev.IsCPU() {
		return nn.Attend{Mask: nn.CausalMask(n, keys, window, dev)}
	}
	return nn.Attend{Causal: true, Window: window}
}
