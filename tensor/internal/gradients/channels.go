package gradients

import (
	"github.com/gorocm/gorocm/kernels"
	"github.com/gorocm/gorocm/rocm"
	"github.com/gorocm/gorocm/tensor/internal/backend"
)

// Channels are the elements of channels: Channels of Outer · Inner elements, of which the inner ones are adjacent, or,
// with Last, the channels.
type Channels struct {
	In                     backend.Operand
	Outer, Channels, Inner int
	Last                   bool
}

// Means returns the mean of each channel, or, where mean is one of them, the mean square of the distances from it, in
// the compute type.
func (c *Channels) Means(b Launcher, mean *backend.Operand) (backend.Storage, error) {
	args := optional(pointer(rocm.NewArgs(), c.In), mean)
	return c.total(b, "channel_sums_", args, 1, 1/(float64(c.Outer)*float64(c.Inner)))
}

// Products returns, for a gradient in the order of In, its sum for each channel and, after these, the sums of its
// products with the distances from the mean, in the compute type.
func (c *Channels) Products(b Launcher, grad, mean backend.Operand) (backend.Storage, error) {
	args := pointer(pointer(pointer(rocm.NewArgs(), c.In), grad), mean)
	return c.total(b, "channel_products_", args, 2, 1)
}

// total runs a kernel that sums shares of channels, so many numbers for each, and adds them up.
func (c *Channels) total(
	b Launcher, kernel string, args *rocm.Args, numbers int, scale float64,
) (backend.Storage, error) {
	dt := computeType(c.In.DType)
	blocks, count := c.shares()
	sums := numbers * c.Channels
	parts, err := b.Alloc(count * sums * dt.Size())
	if err != nil {
		return nil, err
	}
	defer parts.Release()
	p := kernels.Channels{Outer: int64(c.Outer), Channels: int64(c.Channels), Inner: int64(c.Inner),
		Parts: int64(count)}
	if c.Last {
		p.Last = 1
	}
	args.Buffer(buffer(parts), 0).Struct(&p)
	if err := b.Launch(kernel+c.In.DType.String(), [3]int{min(blocks, maxBlocks), 1, 1}, args); err != nil {
		return nil, err
	}
	out, err := b.Alloc(sums * dt.Size())
	if err != nil {
		return nil, err
	}
	args = rocm.NewArgs().Buffer(buffer(parts), 0).Buffer(buffer(out), 0).U64(uint64(count)).U64(uint64(sums)).
		F64(scale)
	const sumsOfBlock = 8 // channels.hip has the same number
	grid := [3]int{min((sums+sumsOfBlock-1)/sumsOfBlock, maxBlocks), 1, 1}
	return out, b.Launch("channel_totals_"+dt.String(), grid, args)
}

// shares says in how many parts a channel is summed, which keep large GPUs busy and depend on none, and how many blocks
// there are: see kernels/channels.hip.
func (c *Channels) shares() (blocks, parts int) {
	const busy = 1024
	pack, lanes := kernels.RowPack(c.In.DType), block
	across := c.Channels
	if c.Last {
		if c.Channels%pack != 0 {
			pack = 1
		}
		width := 1
		for width < 32 && width < c.Channels/pack {
			width *= 2
		}
		lanes = block / width
		across = (c.Channels/pack + width - 1) / width
	}
	const eachThread = 4 // elements, or packs, that a thread has at least where there are enough
	parts = max(1, min(busy/across, c.Outer*c.Inner/(eachThread*lanes)))
	return across * parts, parts
}
