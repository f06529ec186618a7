package models

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// causal is how n new tokens attend to so many keys, the last of which are their own: each to those up to its own
// position, or to a window of them. On GPUs kernels skip the keys that a token does not see, which a mask would not let
// them do; where scores are kept, as on the CPU, one mask serves all layers.
func causal(n, keys int, see nn.Attend, kept bool, dev *tensor.Device) nn.Attend {
	if n > 1 && kept {
		see.Mask, see.Causal, see.Window = nn.CausalMask(n, keys, see.Window, dev), false, 0
	}
	return see
}

// queryPart is some of the new tokens of a text, and how they attend to the keys up to their last one.
type queryPart struct {
	first, n, keys int
	see            nn.Attend
}

// queriesTogether is how many tokens are taken together where scores are kept, those of all keys that the last one
// sees.
const queriesTogether = 128

// keepsScores reports whether attention keeps scores in memory: on the CPU, and on GPUs for heads that no kernel takes.
func (m *Llama) keepsScores() bool { return m.Device().IsCPU() || m.Config.HeadDim > 256 }

// queryParts divides n new tokens after some others. Where scores are not kept, all are one part.
func queryParts(n, before int, see nn.Attend, kept bool, dev *tensor.Device) (parts []queryPart) {
	step := n
	if kept {
		step = queriesTogether
	}
	for first := 0; first < n; first += step {
		p := queryPart{first: first, n: min(step, n-first)}
		p.keys = before + first + p.n
		p.see = causal(p.n, p.keys, see, kept, dev)
		parts = append(parts, p)
	}
	return parts
}

// attendParts is attention of the queries of all parts, as rows, with the sinks of a layer.
func attendParts(parts []queryPart, sinks, q, k, v *tensor.Tensor) *tensor.Tensor {
	if len(parts) == 1 {
		see := parts[0].see
		see.Sinks = sinks
		return headRows(nn.Attention(q, k, v, see))
	}
	var all []*tensor.Tensor
	for _, p := range parts {
		all = append(all, tensor.Scoped(func() *tensor.Tensor {
			keys, values := k.Narrow(2, 0, p.keys), v.Narrow(2, 0, p.keys)
			p.see.Sinks = sinks
			return headRows(nn.Attention(q.Narrow(2, p.first, p.n), keys, values, p.see))
		}))
	}
	return tensor.Cat(all, 0)
}
