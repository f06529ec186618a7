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
	first, n   int
	from, keys int // of the keys: the first one, and where they end
	see        nn.Attend
}

// reading is how the tokens of a pass attend to keys in some layers.
type reading struct {
	see   nn.Attend
	chunk int  // of LlamaConfig.chunkOf
	kept  bool // scores are kept in memory: on the CPU, and on GPUs for heads that no kernel takes
	dev   *tensor.Device
}

// reading is that of a layer.
func (m *Llama) reading(layer int) reading {
	dev := m.Device()
	return reading{m.see(layer), m.Config.ChunkOf(layer), dev.IsCPU() || m.Config.KeyDim() > 256, dev}
}

// queriesTogether is how many tokens are taken together where scores are kept, those of all keys that the last one
// sees.
const queriesTogether = 128

// queryParts divides n new tokens after some others. Where scores are not kept, all of a chunk are one part.
func (r *reading) queryParts(n, before int) (parts []queryPart) {
	for first := 0; first < n; {
		p := queryPart{first: first, n: n - first}
		if r.kept {
			p.n = min(p.n, queriesTogether)
		}
		if r.chunk > 0 {
			p.from = (before + first) / r.chunk * r.chunk
			p.n = min(p.n, p.from+r.chunk-before-first)
		}
		p.keys = before + first + p.n
		p.see = causal(p.n, p.keys-p.from, r.see, r.kept, r.dev)
		parts = append(parts, p)
		first += p.n
	}
	return parts
}

// attendParts is attention of the queries of all parts, as rows, with the sinks of a layer.
func attendParts(parts []queryPart, sinks, q, k, v *tensor.Tensor) *tensor.Tensor {
	if p := parts[0]; len(parts) == 1 {
		see := p.see
		see.Sinks = sinks
		if p.from > 0 {
			k, v = k.Narrow(2, p.from, p.keys-p.from), v.Narrow(2, p.from, p.keys-p.from)
		}
		return headRows(nn.Attention(q, k, v, see))
	}
	var all []*tensor.Tensor
	for _, p := range parts {
		all = append(all, tensor.Scoped(func() *tensor.Tensor {
			keys, values := k.Narrow(2, p.from, p.keys-p.from), v.Narrow(2, p.from, p.keys-p.from)
			p.see.Sinks = sinks
			return headRows(nn.Attention(q.Narrow(2, p.first, p.n), keys, values, p.see))
		}))
	}
	return tensor.Cat(all, 0)
}
