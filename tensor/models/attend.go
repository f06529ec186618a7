package models

import (
	"github.com/gorocm/gorocm/tensor"
	"github.com/gorocm/gorocm/tensor/nn"
)

// causal is how n new tokens attend to so many keys, the last of which are their own: each to those up to its own
// position, or to a window of them. On GPUs kernels skip the keys that a token does not see, which a mask would not let
// them do; on the CPU, where scores are kept, one mask serves all layers.
func causal(n, keys int, see nn.Attend, dev *tensor.Device) nn.Attend {
	if n > 1 && dev.IsCPU() {
		see.Mask, see.Causal, see.Window = nn.CausalMask(n, keys, see.Window, dev), false, 0
	}
	return see
}

// queryPart is some of the new tokens of a text, and how they attend to the keys up to their last one.
type queryPart struct {
	first, n, keys int
	see            nn.Attend
}

// queriesOnHost is how many tokens the CPU takes together: it computes the scores of all keys that the last one sees.
const queriesOnHost = 128

// queryParts divides n new tokens after some others. On GPUs all are one part.
func queryParts(n, before int, see nn.Attend, dev *tensor.Device) (parts []queryPart) {
	step := n
	if dev.IsCPU() {
		step = queriesOnHost
	}
	for first := 0; first < n; first += step {
		p := queryPart{first: first, n: min(step, n-first)}
		p.keys = before + first + p.n
		p.see = causal(p.n, p.keys, see, dev)
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
