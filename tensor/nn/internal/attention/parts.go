package attention

import (
	"fmt"

	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

const (
	// up to so many query rows of a group, tiles would be mostly empty: blocks then share the keys instead
	fewQueries = 16
	minKeys    = 64 // the fewest keys of a block that shares keys, unless it takes more in one step
	// the blocks of 256 threads that fit on a compute unit of NVIDIA's; on others, as many keep memory busy
	unitBlocks = 2
	// the smallest number of units that is reckoned with. The emulated GPU has as many units as the host has cores, and
	// bits must not depend on those
	fewUnits = 64
)

// inParts reports whether blocks share keys rather than queries.
func inParts(p *kernels.Attention) bool { return p.Heads/p.Groups*p.Queries <= fewQueries }

// inParts launches the kernel for few queries, with arguments that have the operands.
func (r *Runner) inParts(args *rocm.Args, o Operands, p kernels.Attention) error {
	rows, together := p.Heads/p.Groups*p.Queries, int64(1)
	for together < 4 && together < rows {
		together *= 2
	}
	shares := (rows + together - 1) / together
	r.splitKeys(&p, together, shares)
	name := "attention_strided"
	if inPacksOfEight(o.Q, p.Q, p.Size) && inPacksOfEight(o.K, p.K, p.Size) && inPacksOfEight(o.V, p.V, p.ValueSize) {
		name = "attention_parts"
	}
	all := p.Batch * p.Groups * rows
	grid := [3]int{int(p.Parts), int(min(p.Batch*p.Groups, maxGrid)), int(min(shares, maxGrid))}
	release, err := r.withParts(args, &p, all)
	if err != nil {
		return err
	}
	defer release()
	return r.launch(fmt.Sprintf("%s_%d_%v", name, together, o.Q.DType), grid, args.Struct(&p))
}

// splitKeys sets how many keys a block takes, so that all blocks run at once. Each block takes some queries; `shares`
// blocks have those of a group.
func (r *Runner) splitKeys(p *kernels.Attention, together, shares int64) {
	blocks := unitBlocks * max(fewUnits, int64(r.dev.Info().ComputeUnits))
	seen := p.Keys // keys that any query sees
	if p.Causal != 0 && p.Window > 0 {
		seen = min(seen, p.Window+p.Queries-1)
	}
	p.Sharing, p.Part = p.Heads/p.Groups, max(minKeys, keysPerStep(p, together))
	p.Parts = max(1, min((seen+p.Part-1)/p.Part, blocks/(p.Batch*p.Groups*shares)))
	if p.Batch*p.Groups*shares > rocm.CounterCount {
		p.Parts = 1
	}
	if p.Masked != 3 { // otherwise only the kernel knows how many keys there are
		p.Part = (seen + p.Parts - 1) / p.Parts
		p.Parts = (seen + p.Part - 1) / p.Part
	}
}

// keysPerStep is how many keys a block takes at a time. Each of its threads holds eight elements of a key, and takes
// several keys.
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

// inPacksOfEight reports whether rows of so many elements can be read eight elements at a time, from aligned
// addresses.
func inPacksOfEight(o backend.Operand, strides [4]int64, size int64) bool {
	return strides[3] == 1 && (strides[0]|strides[1]|strides[2]|size|int64(o.Layout.Offset))%8 == 0
}
