package gpu

import (
	"fmt"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

const (
	fewQueries = 16 // so many rows of queries of a group make tiles too empty: their keys are shared among blocks
	minKeys    = 64 // keys of a block, where there are few rows, but no fewer than it takes at a time
	unitBlocks = 2  // blocks that a compute unit of NVIDIA's has room for; on others they have as much on its way to keep memory busy
	fewUnits   = 64 // the emulated GPU has as many units as the host has cores, on which bits are not to depend
)

// Attends reports whether there is a kernel for attention of these types and sizes.
func (a *Backend) Attends(dt kernels.DType, p *kernels.Attention) bool {
	most := int64(128)
	if inParts(p) {
		most = 256
	}
	return (dt == kernels.F32 || dt == kernels.F16 || dt == kernels.BF16) && max(p.Size, p.ValueSize) <= most
}

// inParts reports whether keys are shared among blocks rather than queries.
func inParts(p *kernels.Attention) bool { return p.Heads/p.Groups*p.Queries <= fewQueries }

// keysPerStep is how many keys a block takes at a time: its threads have eight elements of a key each, and several keys.
func keysPerStep(p *kernels.Attention, together int64) int64 {
	team, each := int64(1), int64(2)
	for team < 32 && max(p.Size, p.ValueSize) > 8*team {
		team *= 2
	}
	if together == 1 {
		each = 4
	}
	return block / team * each
}

// splitKeys says how many keys a block takes, so that all blocks run at once: each takes some queries, of which there are `shares` to a group.
func (a *Backend) splitKeys(p *kernels.Attention, together, shares int64) {
	blocks := unitBlocks * max(fewUnits, int64(a.dev.Info().ComputeUnits))
	seen := p.Keys // by any query
	if p.Causal != 0 && p.Window > 0 {
		seen = min(seen, p.Window+p.Queries-1)
	}
	p.Sharing, p.Part = p.Heads/p.Groups, max(minKeys, keysPerStep(p, together))
	p.Parts = max(1, min((seen+p.Part-1)/p.Part, blocks/(p.Batch*p.Groups*shares)))
	if p.Batch*p.Groups*shares > rocm.CounterCount {
		p.Parts = 1
	}
	if p.Masked != 3 { // else only the kernel knows how many keys there are
		p.Part = (seen + p.Parts - 1) / p.Parts
		p.Parts = (seen + p.Part - 1) / p.Part
	}
}

func (a *Backend) Attention(q, k, v backend.Operand, mask *backend.Operand, out backend.Operand, p kernels.Attention) error {
	hidden := q // no kernel looks at it
	if mask != nil {
		hidden = *mask
	}
	args := pointer(pointer(pointer(pointer(pointer(rocm.NewArgs(), q), k), v), hidden), out)
	const most = 1 << 15 // blocks in y and z; kernels stride over the rest
	if !inParts(&p) {
		size, tile := 64, int64(64)
		if q.DType != kernels.F32 && a.dev.Info().Wave == 32 {
			tile = 128 // matrix cores: eight waves have sixteen queries each; where there are none, a block takes two tiles of 64
		}
		if max(p.Size, p.ValueSize) > 64 {
			size = 128
		}
		grid := [3]int{int((p.Queries + tile - 1) / tile), int(min(p.Batch*p.Heads, most)), 1}
		return a.Launch(fmt.Sprintf("attention_%d_%v", size, q.DType), grid, args.Struct(&p))
	}
	rows, together := p.Heads/p.Groups*p.Queries, int64(1)
	for together < 4 && together < rows {
		together *= 2
	}
	shares := (rows + together - 1) / together
	a.splitKeys(&p, together, shares)
	name := "attention_strided"
	if inPacksOfEight(q, p.Q, p.Size) && inPacksOfEight(k, p.K, p.Size) && inPacksOfEight(v, p.V, p.ValueSize) {
		name = "attention_parts"
	}
	all := p.Batch * p.Groups * rows
	grid := [3]int{int(p.Parts), int(min(p.Batch*p.Groups, most)), int(min(shares, most))}
	if p.Parts == 1 {
		args.U64(0).U64(0).U64(0)
	} else {
		sums := int(all * p.Parts * p.ValueSize)
		s, err := a.Alloc((sums + int(all*p.Parts*2)) * kernels.F32.Size())
		if err != nil {
			return err
		}
		defer s.Release()
		counters, err := a.dev.Counters()
		if err != nil {
			return err
		}
		args.Buffer(buffer(s), 0).Buffer(buffer(s), sums*kernels.F32.Size()).Buffer(counters, 0)
	}
	return a.Launch(fmt.Sprintf("%s_%d_%v", name, together, q.DType), grid, args.Struct(&p))
}

// inPacksOfEight reports whether each eight elements of rows of so many are together, and where they can be had at once.
func inPacksOfEight(o backend.Operand, strides [4]int64, size int64) bool {
	return strides[3] == 1 && (strides[0]|strides[1]|strides[2]|size|int64(o.Layout.Offset))%8 == 0
}
